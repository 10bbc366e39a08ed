"""for over range: any start, stop and step, nested to any depth."""

import itertools
import math

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5),))
def accumulate(x):
    s = 0.0
    for i in range(5):
        s += x[i] * x[i]
    return s


@program(lambda r: (0.8,))
def scalar_recurrence(x):
    y = x
    for _ in range(6):
        y = np.sin(y) * x + y
    return y


@program(lambda r: (r.normal(size=7),))
def start_and_stop(x):
    s = 1.0
    for i in range(2, 6):
        s = s * x[i] + x[i - 2]
    return s


@program(lambda r: (r.normal(size=7),))
def step_of_two(x):
    s = 1.0
    for i in range(1, 7, 2):
        s = s * x[i] + x[i - 1]
    return s


@program(lambda r: (r.normal(size=8),))
def step_of_three_uneven(x):
    s = 1.0
    for i in range(0, 8, 3):
        s = s * np.cos(x[i]) + i
    return s


@program(lambda r: (r.normal(size=5),))
def downwards(x):
    s = 0.5
    for i in range(4, -1, -1):
        s = s * x[i] + np.sin(s)
    return s


@program(lambda r: (r.normal(size=8),))
def downwards_by_two(x):
    s = 0.5
    for i in range(7, 1, -2):
        s = s * x[i] + np.sin(s * i)
    return s


@program(lambda r: (0.8, 5))
def trips_from_argument(x, n):
    s = x
    for i in range(n):
        s = s * x + i
    return s


@program(lambda r: (0.8, 1, 9, 3))
def bounds_from_arguments(x, a, b, n):
    s = x
    for i in range(a, b):
        s = s * np.cos(x * i)
    for i in range(b, a - n, -2):
        s += np.sin(s + i)
    return s


@program(lambda r: (0.8, 5, 5))
def zero_trips(x, a, b):
    s = x
    y = x * x
    for i in range(a, b):
        s = s * y + i
        y = s
    return s * y


@program(lambda r: (0.8, 7, 3))
def negative_span(x, a, b):
    s = x
    for _ in range(a, b):
        s = np.exp(s)
    for _ in range(b, a, -1):
        s = s * 7
    return s * x


@program(lambda r: (np.array([0.9]), 1))
def one_trip(x, n):
    s = 1.0
    for i in range(n):
        s = s * x[i] ** 2
    return s


@program(lambda r: (r.normal(size=(3, 4)),))
def nested(x):
    s = 0.0
    for i in range(3):
        for j in range(4):
            s += x[i, j] * np.sin(s)
            s += x[i, j] * (i - j)
    return s


@program(lambda r: (r.normal(size=(4, 4)),))
def triangular(x):
    s = 0.1
    for i in range(4):
        for j in range(i):
            s += x[i, j] * x[j, i] * np.cos(s)
    return s


@program(lambda r: (r.normal(size=(4, 4)),))
def triangular_upper(x):
    s = 0.1
    for i in range(4):
        row = s
        for j in range(i + 1, 4):
            row = row * x[i, j] + s
        s = np.tanh(row)
    return s


@program(lambda r: (r.normal(size=(3, 3)), 3))
def triple(x, n):
    s = 0.3
    for i in range(n):
        for j in range(n):
            t = s
            for k in range(j, n):
                t = np.sin(t * x[i, j]) + x[j, k]
            s += t
    return s


@program(lambda r: (r.normal(size=5),))
def loops_in_sequence(x):
    s = 0.0
    for i in range(5):
        s += np.exp(x[i])
    p = 1.0
    for i in range(5):
        p *= np.exp(x[i]) / s
    return p + np.log(s)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def carried_array(x, y):
    for i in range(4):
        x = x * y[i] + np.sin(x)
    return np.sum(x)


@program(lambda r: (r.normal(size=4), 3))
def two_carried_arrays(x, n):
    y = np.ones(4)
    for _ in range(n):
        x, y = x * y, x + np.cos(y)
    return np.sum(x * y)


@program(lambda r: (0.5, 8))
def fibonacci_like(x, n):
    a, b = x, x * x
    for _ in range(n):
        a, b = b, a * np.cos(b)
    return a + b


@program(lambda r: (0.5, 4))
def index_after_the_loop(x, n):
    for i in range(n):
        x = x * (1 + i)
    return x * i


@program(lambda r: (0.5, 4))
def index_changed_in_the_body(x, n):
    s = 0.0
    for i in range(n):
        i = i * 2
        s += x * i
        x = x * x + i
    return s


@program(lambda r: (r.normal(size=4),))
def first_assigned_in_the_loop(x):
    for i in range(4):
        y = x[i] * x[i]
    return y * x[0]


@program(lambda r: (0.5, 5))
def integers_carried(x, n):
    k = 1
    for i in range(n):
        k = k * 2 - i
        x = x + np.sin(x * k)
    return x * k


@program(lambda r: (r.normal(size=5),))
def condition_carried(x):
    up = True
    s = 0.0
    for i in range(5):
        s = s + x[i] if up else s * x[i]
        up = not up
    return s


@program(lambda r: (r.normal(size=(3, 2)), r.normal(size=2)))
def rows(a, w):
    loss = 0.0
    for i in range(a.shape[0]):
        r = a[i] @ w
        loss += r * r * r
    return loss


@program(lambda r: (r.normal(size=5),))
def length_of_argument(x):
    s = 0.0
    n = len(x)
    for i in range(1, n - 1):
        s += x[i - 1] * x[i] * x[i + 1]
    return s / n


@program(lambda r: (0.7, 3))
def inner_count_depends_on_outer_value(x, n):
    s = x
    k = 1
    for i in range(n):
        for j in range(k):
            s = np.sin(s + x * j)
        k = k + 1 + i
    return s


@program(lambda r: (0.7,))
def constant_not_depending_on_x(x):
    c = 1.0
    for i in range(5):
        c = c * 0.5 + i
    return c * x * x


@program(lambda r: (r.normal(size=3), 0.5))
def array_made_in_each_trip(x, c):
    s = 0.0
    for i in range(3):
        t = np.exp(x * c) * (i + 1)
        u = t / np.sum(t)
        s += u[i] * x[i]
    return s


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def running_total(x, w):
    t = 0.0
    s = 0.0
    for k in range(x.size):
        t += x[k]
        s += w[k] * t
    return s


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def running_total_written(x, w):
    t = 0.0
    y = np.empty(x.size)
    for k in range(x.size):
        t += x[k]
        y[k] = w[k] * t
    return np.sum(np.sin(y))


@program(lambda r: (r.uniform(0.5, 1.5, 5), 0.3))
def state_that_is_added_to(x, rate):
    total = 0.0
    state = 0.1
    for k in range(x.size):
        state = state + rate * np.sin(state) * x[k]
        total += state**2
    return total


@program(lambda r: (r.normal(size=6),))
def total_of_the_trip_before(x):
    t = before = 0.0
    for k in range(x.size):
        before = t
        t = t + x[k] * (k + 1)
    return before * t


@program(lambda r: (r.normal(size=24),))
def sums_of_sums_backwards(x):
    """The adjoint of the running sum goes on from trip to trip: the loop of its additions cannot make it again."""
    n = x.shape[0]
    total, running = 0.0, 0.1
    for k in range(n - 2, 0, -1):
        running += x[k]
        total += x[k + 1] * running
    return total


@program(lambda r: (r.normal(size=3), 5), argnums=(0,))
def a_table_written_where_it_is_read(x, n):
    s = 0.0
    y = x.copy()
    for k in range(n):
        c = ([1, 0.0], [1.5, -0.5], [2.0, x[1]])[min(k, 2)]
        s += c[0] * y[0] + c[1] + (1.0, 4.0)[k % 2] * [x[0], 2.0, x[2] ** 2][k % 3]
        y *= 0.5
    return s


@program(lambda r: (r.normal(size=6), np.array([0.5, -0.3, 0.9])))
def directions_chosen_by_a_branch(x, mu):
    """A sweep along each ray: which way is in the data."""
    total = 0.0
    for m in range(mu.shape[0]):
        if mu[m] > 0:
            cells = range(x.shape[0])
        else:
            cells = range(x.shape[0] - 1, -1, -1)
        flux = 0.3
        for i in cells:
            flux = flux * 0.5 + np.abs(mu[m]) * x[i]
            total += flux * flux
        for i in range(0, 4, 2) if mu[m] < 0.6 else range(1, 5):
            total += x[i] * mu[m]
    return total


@program(lambda r: (np.abs(r.normal(size=7)), 0.5))
def steps_from_the_data(x, s):
    """Also backwards, and a range that has no numbers for this step."""
    total = 0.0
    for k in (1, 2, 3):
        step = k if x[k] > 0.0 else 1
        numbers = range(1, 7, step)
        total += len(numbers) * s
        for i in numbers:
            total += x[i] ** 2 * k
        for i in range(6, 0, -step):
            if x[i] < 0.1:
                continue
            total += x[i] * s
            if total > 90.0:
                break
        for i in range(6, 0, step):
            total += x[i]
        for position, i in enumerate(reversed(numbers)):
            total += x[i] * x[position]
    return total


@program(lambda r: (np.array([0.7, 0.3]),))
def counted_without_end(x):
    for k in itertools.count(1):
        x = x - 0.1 * np.sin(x) / k
        if np.sum(np.abs(x)) < 0.85:
            break
    total = 0.0
    for j in itertools.count(0, 2):
        total += x[0] ** j
        if j == 6:
            break
    return np.sum(x) * k + total


@program(lambda r: (0.7,))
def means_until_they_are_close(x):
    a, g = 1.0, math.sqrt(1.0 - 0.1 * x * x)
    while not math.isclose(a, g, rel_tol=1e-12):
        a, g = (a + g) / 2, math.sqrt(a * g)
    return a + (x if math.isclose(a, 10.0, abs_tol=1.0) else 2.0 * x)


@program(lambda r: (r.normal(size=4),))
def arrays_that_a_loop_names_first(x):
    u = x
    for k in range(5):
        v = u * x
        u = np.sin(v) + k
    for row in x.reshape(2, 2):
        last = row * row[0]
    return np.sum(u * v) + np.sum(last**3)


HELD = [0, 1, 2, 3, -1, -2, 5, 4]


@program(lambda r: (r.normal(size=(7, 7)), r.normal(size=7)))
def rows_and_columns_of_a_list_of_positions(k, f):
    k = k + 9.0 * np.eye(7)
    f = f.copy()
    for i in HELD:
        f[i] = k[i, i] * f[i - 1]
        k[i, :] = 0.0
        k[:, i] *= 0.5
        k[i, i] = 1.0
    return np.sum(np.linalg.solve(k, f) ** 2)
