"""A number before a loop that is an array after it"""

import numpy as np
from tests.corpus import program

X = np.linspace(0.3, 1.1, 4)
W = np.linspace(0.2, 1.3, 5)
ROWS = np.cos(np.arange(12.0) + 0.3).reshape(3, 4)


def both(r):
    return X.copy(), W.copy()


@program(both)
def sum_of_arrays(x, w):
    s = 0.0
    for k in range(w.shape[0]):
        s = s + np.tanh(x * w[k])
    return np.sum(s * s) + 2.0 * np.sum(s)


@program(both)
def integer_that_becomes_an_array(x, w):
    total = 0
    for v in w:
        total += x * v
    return np.sum(total**2) + np.size(total) * x[0]


@program(lambda r: (ROWS.copy(),))
def sum_product_and_maximum_of_rows(a):
    s, p, m = 0.0, 1.0, -np.inf
    for k, row in enumerate(a):
        s = s + k * row
        p *= row + 2.0
        m = np.maximum(m, row)
    return np.sum(s) + np.sum(np.log(p)) + np.sum(m * m)


@program(lambda r: (X.astype(np.float32), W.astype(np.float32)), tolerance=2e-3)
def float32_sum(x, w):
    s = 0.0
    for v in w:
        s = s + np.tanh(x * v)
    return np.sum(s * s)


@program(lambda r: (ROWS.copy(),))
def moving_averages(a):
    m, v = 0, 0
    for row, other in zip(a, a[:, ::-1], strict=True):
        m = 0.9 * m + 0.1 * row
        v = 0.99 * v + 0.01 * other**2
    return np.sum(m / np.sqrt(v))


@program(both)
def polynomial_by_horner(x, w):
    p = 0.0
    for c in w[::-1]:
        p = p * x + c
    return np.sum(p * p)


@program(both)
def number_that_depends_on_the_data(x, w):
    s = x[0] * x[1]
    for v in w:
        s = s * 0.5 + np.sin(x * v)
    return np.sum(s * s)


@program(both)
def what_the_number_is_shows(x, w):
    s = 0.5
    t = 0.0
    for v in w:
        t = t + np.sum(s) + np.size(s) + np.ndim(s)
        s = s + x * v
    return t * np.sum(s) * 0.01


@program(both)
def one_after_the_other(x, w):
    a, b, c = 0.0, 0.0, 0.0
    for v in w:
        c = b * 2.0
        b = a
        a = a + x * v
    return np.sum(a * a) + np.sum(b) + np.sum(c)


@program(both)
def recurrence_from_a_number(x, w):
    p, q = 1.0, x
    total = 0.0
    for c in w:
        total = total + c * q
        p, q = q, 2.0 * x * q - p
    return np.sum(total**2) + np.sum(p)


@program(both)
def summed_over_pairs(x, w):
    s = 0.0
    for i in range(len(w)):
        for j in range(len(w)):
            s = s + np.sin(x * w[i] * w[j])
    return np.sum(s * s)


@program(both)
def summed_over_pairs_above_the_diagonal(x, w):
    s = 0.0
    for i in range(len(w)):
        for j in range(i + 1, len(w)):
            s = s + np.sin(x * w[i] * w[j])
    return np.sum(s * s)


@program(both)
def summed_over_pairs_below_the_diagonal(x, w):
    s = 0.0
    for i in range(len(w)):
        for j in range(i):
            s = s + np.sin(x * w[i] * w[j])
    return np.sum(s * s)


@program(both)
def sum_in_an_inner_loop(x, w):
    total = 0.0
    for i in range(len(w)):
        s = 0.0
        for j in range(i, len(w)):
            s = s + np.sin(x * w[i] * w[j])
        total += np.sum(s * s)
    return total


@program(both)
def while_of_data(x, w):
    s = 0.0
    t = np.sum(w)
    while t > 0.5:
        s = s + x * t
        t = t * 0.5
    return np.sum(s * s) + t * x[0]


@program(both)
def left_by_break(x, w):
    s = 0.0
    for v in w:
        s = s + x * v
        if np.sum(s) > 4.0:
            break
    return np.sum(s * s)


@program(both)
def left_by_return(x, w):
    s, t = 0.0, 0.0
    for v in w:
        s = s + x * v
        if np.sum(s) > 40.0:
            return np.sum(s) * 3.0
    for v in w:
        t = t + s * v
        if np.sum(t) > 4.0:
            return np.sum(t) * 3.0
    return np.sum(s * t)


@program(both)
def in_tuples_and_dicts(x, w):
    state, table = (0.0, 1.0), {"s": 0.0}
    for v in w:
        state = (state[0] + x * v, state[1] * (x + v))
        table["s"] = table["s"] + state[0] * v
    return np.sum(state[0] * state[1]) + np.sum(table["s"])


@program(both)
def in_a_list(x, w):
    acc = [0.0, 1.0]
    for v in w:
        acc[0] = acc[0] + x * v
        acc[1] *= x + v
    return np.sum(acc[0] * acc[1])


class Total:
    def __init__(self):
        self.value = 0.0

    def add(self, y):
        self.value = self.value + y


@program(both)
def in_an_object(x, w):
    total = Total()
    for v in w:
        total.add(x * v)
    return np.sum(total.value * total.value)


@program(both)
def of_a_length_that_the_data_decide(x, w):
    y = x[x > 0.5]
    s = 0.0
    for v in w:
        s = s + y * v
    return np.sum(s * s)


@program(both)
def written_to_in_place(x, w):
    s, last = 0.0, 0.0
    for v in w:
        t = np.tanh(x * v)
        s += t
        t[0] = 5.0
        s[1] = s[1] + t[0] * v
        last = s
        s = s * 1.0
        s += t
    return np.sum(s * s) + np.sum(last)


@program(both)
def kept_at_every_trip(x, w):
    s = 0.0
    out = []
    for v in w:
        s = s + x * v
        out.append(s)
    return np.sum(np.array(out) ** 2)


@program(both)
def in_a_function(x, w):
    def accumulated(f):
        s = 0.0
        for v in w:
            s = s + f(v)
        return s

    return np.sum(accumulated(lambda v: np.sin(x * v))) + accumulated(lambda v: v * v)


@program(lambda r: (ROWS.copy(),))
def row_that_becomes_a_matrix(a):
    s = np.zeros(4)
    for row in a:
        s = s + np.outer(row, row)
    return np.sum(s * s)


@program(both)
def complex_sum(x, w):
    s = 0.0
    for v in w:
        s = s + np.exp(1j * x * v)
    return np.sum(np.abs(s) ** 2)


@program(lambda r: (X.copy(), np.zeros(0)))
def no_trip(x, w):
    s = 0.5
    for v in w:
        s = s + x * v
    return np.sum(s) * np.sum(x) + np.ndim(s)


@program(lambda r: (X.copy(), 0))
def no_trip_of_a_count(x, n):
    s = 0.5
    k = 0
    while k < n:
        s = s + x * k
        k += 1
    return np.sum(s) * np.sum(x)
