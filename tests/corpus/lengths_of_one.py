"""Axes of one element: dropped, stretched, left out; arrays without axes"""

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])
SCALE = np.array(2.5)
W = np.array([1.0, 2.0, 3.0])


@program(lambda r: (r.normal(size=(3, 2)),))
def column_squeezed(x):
    return np.sum(np.squeeze(x[:, :1]) * W)


@program(lambda r: (r.normal(size=(3, 2)),))
def columns_squeezed_and_multiplied(x):
    return np.dot(np.squeeze(x[:, :1]), x[:, 1:].squeeze()) + np.squeeze(x[-1:])[0]


@program(lambda r: (FOUR.copy(),))
def element_squeezed(x):
    return np.squeeze(x[1:2]) ** 2 * np.squeeze(x[:1])


@program(lambda r: (r.normal(size=(2, 3)),))
def all_but_one_row_squeezed(x):
    return np.squeeze(x[1:])[0] * 2.0 + np.squeeze(x[1:]) @ W  # one row is left of these two


@program(lambda r: (FOUR.copy(),))
def written_through_what_was_squeezed(x):
    m = np.outer(x, x)
    column = np.squeeze(m[:, 1:2])
    column += x
    return np.sum(m * m)


@program(lambda r: (FOUR.copy(),))
def rows_written_with_an_axis_before(x):
    m = np.zeros((3, 4))
    m[0] = x[None, :]
    m[1] = (x * 2.0)[None]
    m[2:, 1:] = m[None, :1, 1:]
    return np.sum(m * m)


@program(lambda r: (FOUR.copy(),))
def no_positions(x):
    y = x.copy()
    y[[]] = 5.0
    return np.sum(y[[]]) + np.sum(y * y)


@program(lambda r: (FOUR.copy(),))
def sum_in_an_array_without_axes(x):
    total = np.zeros(())
    for v in x:
        total += v * v
    factor = np.ones(()) * np.full((), x[0])
    if x[1] < 0.0:
        factor = factor * x[1]
    return total * factor * SCALE


@program(lambda r: (np.array(0.7),))
def copies_of_an_array_without_axes(x):
    y = np.array(x)
    y *= 3.0
    return y * x + x.copy() * x.flatten()[0] + x[()] * np.copy(x)


@program(
    lambda r: (FOUR.copy(),),
    refused=dict.fromkeys(
        ("compiled", "python"), "an array without axes is written to under one of two names"
    ),
)
def array_without_axes_with_two_names(x):
    s = np.array(x[0])
    t = s
    t *= 2.0
    return s * t


@program(
    lambda r: (FOUR.copy(),),
    refused=dict.fromkeys(
        ("compiled", "python"), "an array without axes is written to under one of two names"
    ),
)
def sum_with_two_names(x):
    s = t = np.zeros(())
    for v in x:
        t += v * v
    return s * x[0]


@program(lambda r: (np.array([1.3]), np.array([0.7])))
def divided_by_what_passes(h, w):
    passing = w[w > 0]
    for _ in range(2):
        h = h / passing
    return np.sum(h)


@program(lambda r: (r.normal(size=(1, 2)), 0.3 * r.normal(size=(2, 2)), np.array([0, 0])))
def a_graph_of_one_node(h, w, ends):
    degree = np.bincount(ends, minlength=1) + 1.0
    for _ in range(2):
        h = np.tanh(h / degree[:, None] @ w)
    return np.sum(h)


@program(lambda r: (r.normal(size=(1, 3)), 0))
def beyond_an_axis_in_a_loop_without_trips(u, n):
    for j in range(n):
        u[-1, j] = u[1, j]
    return np.sum(u * u)


@program(lambda r: (r.normal(size=(1, 3)), 0.5))
def beyond_an_axis_in_a_while_without_trips(u, k):
    y, s = np.zeros(0), 0.0
    while k > 2.0:
        s, k = s + y[0] * u[0, 1], k - 1.0
    if k > 3.0:
        s += u[2, 0]
    return np.sum(u * u) * k + s


@program(lambda r: (r.normal(size=(1, 3)), 0))
def beyond_an_axis_in_a_loop_that_is_tried(u, n):
    try:
        for j in range(n):
            u[-1, j] = u[1, j]
    except IndexError:
        return np.sum(u**3)
    return np.sum(u * u)


@program(
    lambda r: (r.normal(size=1),),
    refused=dict.fromkeys(
        ("compiled", "python"), "what the `try` catches is found out before the program runs"
    ),
)
def an_index_that_is_caught(x):
    try:
        s = x[7]
    except IndexError:
        s = np.sum(x)
    return s * 2.0


@program(lambda r: (r.normal(size=3),))
def conditions_of_one_element(x):
    last = x[-1:]
    y = last if last > 0.1 else -last
    trips = 0
    while y > 0.2 and not (y > 9.0 or trips == 5):
        y = y * 0.6
        trips += 1
    return np.sum(y * x) * trips


@program(lambda r: (0.8,))
def condition_of_a_number_with_an_axis(x):
    y = np.atleast_1d(x)
    if y > 0:
        return np.sum(y * y)
    return -y[0]
