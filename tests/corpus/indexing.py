"""Reading elements, slices and views of arrays."""

import numpy as np
from tests.corpus import program


def vector(n):
    return lambda r: (r.normal(size=n),)


@program(vector(5))
def elements(x):
    return x[0] * x[4] + x[-1] * x[-2] + x[2] ** 2


@program(lambda r: (r.normal(size=5), 3))
def element_by_argument(x, k):
    return x[k] * x[k - 1] + x[-k]


@program(lambda r: (r.normal(size=(3, 4)),))
def matrix_elements(x):
    return x[0, 1] * x[2, -1] + x[1][2] * x[-1][0]


@program(vector(6))
def slices(x):
    return np.sum(x[1:4] * x[2:5]) + np.sum(x[:3] * x[3:]) + np.sum(x[:] ** 2)


@program(vector(6))
def negative_slices(x):
    return np.sum(x[-3:] * x[:-3]) + np.sum(x[1:-1] ** 3) + np.sum(x[-4:-2])


@program(lambda r: (r.normal(size=7), 3, -4, 9, -8))
def slices_with_ends_of_either_sign(x, k, m, far, before):
    total = np.sum(x[:k] * x[m + 1 :]) + np.sum(x[m:] ** 2) + np.sum(x[1 : m + 1] ** 3)
    return total + np.sum(x[far:]) + np.sum(x[before:far] ** 3) + np.sum(x[:before])


@program(lambda r: (r.normal(size=7), r.normal(size=(7, 7)), 7))
def inner_parts_for_a_size_that_is_an_argument(x, a, n):
    u = a.copy()
    for _ in range(3):
        u[1 : n - 1, 0] = x[1 : n - 1]
        for j in range(1, n - 1):
            u[1 : n - 1, j] = 0.5 * u[j, 0 : n - 2] - x[2:n] * u[1 : n - 1, j - 1]
    return np.sum(u * u)


@program(lambda r: (r.normal(size=5), 2, -1))
def slices_that_move_past_an_end(x, first, step):
    total = 0.0
    for k in range(4):
        part = x[first + step * k : first + step * k + 2]
        total += np.sum(part * part * (k + 1.0))
    return total


@program(lambda r: (r.normal(size=0), r.normal(size=1), r.normal(size=3)))
def ends_of_no_elements(x, one, three):
    total = 0.0
    for a in (x, one, three):
        n = a.shape[0]
        total += np.sum(a[n - 1 :] ** 2) + np.sum(a[n - 2 :] ** 3) + np.sum(a[1 : n - 2]) + np.sum(a[: n - 2])
    return total + np.sum(three[three.shape[0] - 3 :] ** 2)


@program(vector(7))
def stepped_slices(x):
    return np.sum(x[::2] ** 2) + np.sum(x[1::3] ** 3) + np.sum(x[1:6:2] * x[0:5:2])


@program(vector(6))
def reversed_slices(x):
    return np.sum(x[::-1] * x) + np.sum(x[4:1:-1] ** 3) + np.sum(x[::-2] * x[::2])


@program(lambda r: (r.normal(size=(3, 4)),))
def rows_and_columns(x):
    return np.sum(x[0] * x[2]) + np.sum(x[:, 1] * x[:, -1]) + np.sum(x[1, :] ** 2)


@program(lambda r: (r.normal(size=(4, 5)),))
def blocks(x):
    return np.sum(x[1:3, 2:] * x[:2, :3]) + np.sum(x[::2, ::-1] ** 2)


@program(lambda r: (r.normal(size=(2, 3, 4)),))
def ellipsis(x):
    return (
        np.sum(x[..., 0] * x[..., -1]) + np.sum(x[0, ...] ** 2) + np.sum(x[1, ..., 2]) + np.sum(x[...] ** 3)
    )


@program(lambda r: (r.normal(size=3), r.normal(size=4)))
def newaxis(x, y):
    a = x[:, np.newaxis] * y[None, :]
    b = x[:, None] + y
    return np.sum(a * a * b)


@program(lambda r: (r.normal(size=(2, 3)),))
def newaxis_in_the_middle(x):
    return np.sum(x[:, None, :] * x[None, :, :]) + np.sum(x[0, None] ** 2)


@program(lambda r: (r.normal(size=6), 2, 5))
def slice_by_arguments(x, a, b):
    return np.sum(x[a:b] ** 2) + np.sum(x[:a]) * x[b] + np.sum(x[a:] * x[a])


@program(lambda r: (r.normal(size=6), 4))
def slice_by_loop_index(x, n):
    s = 0.0
    for i in range(n):
        s += np.sum(x[i : i + 2] ** 2) * np.sum(x[:i])
    return s


@program(lambda r: (r.normal(size=6),))
def slice_out_of_range(x):
    return np.sum(x[2:100] ** 2) + np.sum(x[-100:3]) + np.sum(x[10:]) * x[0]


@program(lambda r: (r.normal(size=6),))
def index_of_index(x):
    return x[1:][2] * x[::2][1] + x[1:5][1:][0] ** 2


@program(lambda r: (r.normal(size=(3, 4)),))
def slice_of_row(x):
    return np.sum(x[1][1:3] ** 2) + x[:, 2][0] * x[2][::-1][1]


@program(lambda r: (r.normal(size=4), np.array([2, 0, 3])))
def element_by_integer_array(x, k):
    s = 0.0
    for i in range(3):
        s += x[k[i]] ** 2 * i
    return s


@program(lambda r: (r.normal(size=5),))
def computed_index(x):
    s = 0.0
    for i in range(5):
        s += x[(i * 2) % 5] * x[i] * (i + 1)
    return s


@program(lambda r: (r.normal(size=(2, 2, 2)),))
def three_axes(x):
    s = 0.0
    for i in range(2):
        for j in range(2):
            s += x[i, j, 0] * x[j, i, 1] + np.sum(x[i][j] ** 2)
    return s


@program(lambda r: (r.normal(size=4),))
def one_element_slice(x):
    return np.sum(x[1:2] ** 2 * x[-1:]) + np.sum(x[-1:] * x[:1])


@program(
    lambda r: (
        r.normal(size=(3, 4)),
        r.normal(size=(2, 3, 4)),
        np.array([True, False, True, True]),
        r.normal(size=(2, 3)) > 0.0,
    )
)
def masks_beside_other_items(a, t, columns, rows):
    total = np.sum(a[:, columns] ** 2) + np.sum(a[1, columns] ** 3) + np.sum(t[..., columns] ** 2)
    total += np.sum(t[rows, 1:] ** 2) + np.sum(t[:, np.array([0, 2, 1]), columns] ** 3)
    b = a * 1.0
    b[1:, columns] = a[1:, columns] ** 2
    b[:, columns] += a[:, columns]
    return total + np.sum(b**2)


@program(lambda r: (np.array([0.7, 1.3, 0.4]),))
def items_of_lists_at_places_from_the_data(x):
    double, sine = x * 2.0, np.sin(x)
    k = int(x[0] > 0.5)
    chosen = [double, sine][k]
    pair = ((x[0], 1.0), (x[1], 2.0), (x[2], 3.0))[-int(x[1]) - 1]
    return chosen.sum() * (np.cos, np.exp, np.tanh)[int(x[2] * 3)](x[1]) + pair[0] * pair[1]


@program(
    lambda r: (np.array([0.7, 1.3, 0.4]),),
    refused=dict.fromkeys(("compiled", "python"), "a write reaches one of several objects"),
)
def a_list_in_a_list_at_a_place_from_the_data(x):
    rows = [[x[0]], [x[1]]]
    rows[int(x[2] > 0)].append(x[2])
    return rows[0][0] + sum(rows[1])


@program(lambda r: (r.normal(size=4), r.normal(size=(3, 4))))
def elements_of_what_was_scaled_by_numbers(x, a):
    """What is known of the adjoint is one number, and so is what it is multiplied by."""
    y = x * 2.0
    z = -y / 4.0
    b = 2 * a
    c = -(b[1] * 3.0)
    w = y
    y = y * 2.0
    return y[0] + x[1] * x[2] + z[3] + c[0] + b[2, 1] + np.sum(w**2)


@program(lambda r: (r.normal(size=4),))
def an_element_of_an_array_times_a_number(x):
    y = x * 2.0
    return y[0] + x[1]


@program(lambda r: (r.normal(size=(2, 3, 4)), r.normal(size=(3, 2))))
def an_ellipsis_for_no_axes_keeps_positions_apart(x, w):
    gathered = x[:, [0, 1, 1], ..., [1, 3, 2]]  # of shape (3, 2), not (2, 3)
    state = x * 2.0
    state[:, [0, 2, 1], ..., [1, 3, 2]] = w
    state[:, [0, 2, 1], ..., 0] *= w
    np.add.at(state, (slice(None), np.array([0, 0, 1]), Ellipsis, np.array([2, 2, 0])), w)
    return np.sum(gathered * w) + np.sum(state * x) + np.sum(x[None, :, 1, ..., [0, 2, 3]] * w[:, None])


@program(lambda r: (r.normal(size=(3, 4)),))
def adding_where_a_mask_and_positions_say(x):
    y = x * 1.5
    np.add.at(y, (np.array([True, False, True]), np.array([0, 1])), x[0, :2])
    np.add.at(y, (x > 0.0,), x[1, 1])
    np.subtract.at(y, (..., [1, 1]), x[2, 0])
    return np.sum(y * y * x)


@program(lambda r: (r.normal(size=4), r.normal(size=3), 9, 2))
def slices_that_begin_behind_the_end_and_go_backwards(x, w, far, k):
    squares = np.tanh(x) ** 2  # what is read of it is made again, element by element
    total = np.sum(squares[7::-1] * np.sin(x[far:-9:-1])) + np.sum(x[5::-2] ** 3) + np.sum(x[k::-1] * w)
    for i in range(7):
        total = total + np.sum(squares[i::-2]) * i
    y = x * 2.0
    y[8::-2] *= 3.0
    y[far:0:-1] += w
    return total + np.sum(y * x)


@program(lambda r: (r.normal(size=(4, 4)), np.array([1, 0, 1]), 3, 0))
def positions_beside_slices_of_open_lengths(x, rows, j, i):
    total = np.sum(x[rows, 2::-2] ** 2) + np.sum(x[9:i:-1, rows] ** 3)
    x[j:i:-1, rows] += x[0, 0]
    for first in range(3):
        for last in range(first, 5):
            total = total + np.sum(x[first:last, rows] ** 2) * first
    return total * np.sum(x[x[:, 0] > -9.0, j::-1])


@program(lambda r: (r.normal(size=5), 4, 0))
def slices_of_a_reversed_view_that_begin_at_its_end(x, i, j):
    v = x[::-1]
    return (
        np.sum(v[j - 1 : i : -2] ** 2)
        + np.sum(v[j - 2 :: -1] ** 3)
        + np.sum(np.tanh(x)[1:][j - 1 :: -1] ** 2)
    )


@program(lambda r: (np.array([0.7, 1.4, 2.6, -0.6]),))
def rounded_numbers_as_positions(x):
    return x[round(x[1])] * x[int(x[2])] * x[round(abs(x[3]))] + round(x[2]) * x[0]
