"""if, elif and else: values, arrays and writes on either side."""

import numpy as np
from tests.corpus import program


@program(lambda r: (0.7, 1.3))
def if_only(x, y):
    z = x * y
    if x < y:
        z = z * z
    return z + x


@program(lambda r: (0.7, 1.3))
def if_not_taken(x, y):
    z = x * y
    if x > y:
        z = z * z
    return z + x


@program(lambda r: (0.7, 1.3))
def if_else(x, y):
    if x > y:
        z = x * 3
        w = y
    else:
        z = y * y
        w = x * z
    return z * w


@program(lambda r: (0.7,))
def elif_chain(x):
    if x > 2:
        y = x
    elif x > 1:
        y = x * 2
    elif x > 0.5:
        y = x * x
    else:
        y = -x
    return y * x


@program(lambda r: (0.7, 1.3))
def nested_branches(x, y):
    s = 0.0
    if x < y:
        s += x
        if x > 0.5:
            s *= y
            if y > 3:
                s = 0.0
            else:
                s += x * y
        else:
            s = y
    else:
        s = 5 * x
    return s * s


@program(lambda r: (r.normal(size=4), 0.3))
def array_in_branch(x, s):
    if s > 0:
        y = x * s
    else:
        y = x - s
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4), 0.3))
def array_only_read_in_branch(x, s):
    t = np.sum(x)
    if s > 0:
        t = t + np.sum(x * x) * s
    return t * t


@program(lambda r: (r.normal(size=4), 0.3))
def write_in_branch(x, s):
    y = x.copy()
    if s > 0:
        y[0] = s * y[1]
    else:
        y[1:] = 0.0
    return np.sum(y * y * y)


@program(lambda r: (r.normal(size=4), r.normal(size=4), 0.3))
def branch_picks_an_array(x, y, s):
    z = x if s > 0 else y
    w = y if s > 1 else x * y
    return np.sum(z * w)


@program(lambda r: (r.normal(size=4), r.normal(size=4), 0.3))
def branch_picks_an_array_then_writes(x, y, s):
    a = x.copy()
    b = y.copy()
    if s > 0:
        c = a
    else:
        c = b
    c[0] = s * c[1]
    return np.sum(a * a) + np.sum(b * b * b)


@program(lambda r: (0.7, 1.3))
def branch_without_effect(x, y):
    if x > y:
        pass
    else:
        z = x
        z = z + 1
    return x * y


@program(lambda r: (0.7, 1.3))
def early_constants(x, y):
    debug = False
    order = 2
    if debug:
        x = undefined_function(x)  # noqa: F821
    if order == 1:
        return x
    elif order == 2:
        return x * y * y
    return y


@program(lambda r: (np.array([0.5, -1.5, 2.5, -0.2]),))
def branch_in_loop(x):
    s = 0.0
    for i in range(4):
        if x[i] > 0:
            s += x[i] ** 2
        elif x[i] < -1:
            s -= x[i] * s
        else:
            s *= 1.5
    return s


@program(lambda r: (np.array([0.5, -1.5, 2.5, -0.2]),))
def value_of_one_path_used_after(x):
    best = x[0]
    where = 0
    for i in range(1, 4):
        if x[i] > best:
            best = x[i]
            where = i
    return best * best + where * x[where]


@program(lambda r: (-0.5, 2.0))
def no_nan_from_the_other_side(x, y):
    if x > 0:
        z = np.sqrt(x) / x
    else:
        z = x * y
    return z + y * x


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def element_of_a_list_of_positions_in_a_branch(x, y):
    """The positions are made in one branch and wanted again when it is reversed."""
    w = y * 1.0
    if x[0] > 100:
        total = x[1] * 1.0
    else:
        w[[1, 3]] += x[1]
        total = np.sum(w * w)
    return total


@program(lambda r: (r.uniform(0.5, 2.0, 5), 0.3))
def masked_elements_kept_by_a_branch(x, s):
    x = x.copy()
    if s > 0.1:
        x[x > 1.0] = np.sin(x[x > 1.0])
    return np.sum(x * x)


@program(lambda r: (r.uniform(0.5, 2.0, 5), 0.3))
def array_kept_by_a_branch(x, s):
    total = 0.0
    if s > 0.1:
        u = np.exp(x)
        v = np.sin(u) * s
        total = np.sum(v * v)
    return total * s


@program(lambda r: (r.normal(size=3), r.normal(size=6), -1.0))
def lengths_that_are_equal_in_the_other_branch_only(a, b, flag):
    s = np.sum(np.sin(a)) + np.sum(np.cos(b))
    if flag > 0:
        s = s + np.sum(a * b)
    return s


@program(lambda r: (r.normal(size=6), r.normal(size=3), 0))
def lengths_that_a_loop_without_trips_would_compare(a, b, trips):
    s = 0.0
    for i in range(trips):
        s += np.sum(a * b) * i
    return s + np.sum(a * a) + np.sum(np.sin(b))


@program(lambda r: (r.normal(size=5), 0.4))
def written_to_in_one_branch_of_two(y, t):
    if t < -0.7:
        return 0.2
    y = np.tanh(y)
    for i in range(3):
        y[i] = y[i] * t
    return np.sum(y * y)


@program(lambda r: (r.random((2, 7)) + 0.5, 0.3))
def fluxes_of_three_cases(u, rate):
    """Two rows are written on every side of a branch, and added to beside what is read of them."""
    u = u.copy()
    flux = np.zeros((2, 8))
    for _ in range(2):
        for i in range(1, 7):
            left = u[0, i - 1] * u[1, i - 1]
            right = u[0, i] - u[1, i]
            if left > 1.2:
                flux[0, i] = left
                flux[1, i] = u[1, i - 1] * left
            elif right < 0.0:
                flux[0, i] = right
                flux[1, i] = u[1, i] * right
            else:
                flux[0, i] = (left * u[0, i] - right * u[0, i - 1]) / (left + right)
                flux[1, i] = (left * u[1, i] - right * u[1, i - 1]) / (left + right)
        for i in range(1, 6):
            u[0, i] -= rate * (flux[0, i + 1] - flux[0, i])
            u[1, i] -= rate * (flux[1, i + 1] - flux[1, i])
    return np.sum(u * u)
