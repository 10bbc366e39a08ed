"""concatenate, stack and their relatives."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=2), r.normal(size=3)))
def concatenate(x, y):
    z = np.concatenate([x, y, x * 2])
    return np.sum(z[1:] * z[:-1])


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(1, 3)), r.normal(size=(2, 2))))
def concatenate_axes(x, y, z):
    a = np.concatenate((x, y), axis=0)
    b = np.concatenate((x, z), axis=1)
    return np.sum((a @ a.T) ** 2) + np.sum(b**3)


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def stack(x, y):
    a = np.stack([x, y, x * y])
    b = np.stack((x, y), axis=1)
    return np.sum((a @ b) ** 2)


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def vstack_and_hstack(x, y):
    a = np.vstack([x, y])
    b = np.hstack([x, y])
    return np.sum(a @ a.T) + b[1] * b[4] ** 2


@program(lambda r: (r.normal(size=3), 0.7))
def concatenate_with_constants(x, s):
    z = np.concatenate(([0.0], x, np.array([s, 1.0])))
    return np.sum(z[1:] * z[:-1] ** 2)


@program(lambda r: (r.normal(size=3), 4))
def joined_in_loop(x, n):
    for _ in range(n):
        y = np.concatenate([x[1:] * x[0], x[:1]])
        x = y * 0.9 + x
    return np.sum(x)


@program(lambda r: (r.normal(size=6),))
def split(x):
    a, b, c = np.split(x, 3)
    return np.sum(a * b) * np.sum(c * c)


@program(lambda r: (r.normal(size=6),))
def split_is_a_list(x):
    parts = np.split(x, 3) + [2.0 * x[:2]]  # noqa: RUF005  (as people write it)
    parts[0] = parts[1]
    parts.append(x[1:3])
    return len(parts) * np.sum(parts[0] * parts[3]) * np.sum(parts[2] * parts[4])


@program(lambda r: (r.normal(size=4),))
def padded(x):
    z = np.zeros(6)
    z[1:-1] = x
    return np.sum(z[2:] * z[1:-1] * z[:-2])


@program(lambda r: (0.7, 1.4))
def numbers_in_a_list_as_an_array(x, y):
    return np.linalg.norm([x, y, x * y]) + np.ptp([x, y * 2]) * np.median((x, y, 3.0))


@program(lambda r: (r.normal(size=3), r.normal(size=2)))
def rows_and_columns_by_index(x, y):
    z = np.r_[0.0, x, y * 2, 1:3]
    columns = np.c_[x, x * y[0], np.ones(3)]
    rows = np.r_["0,2", x, x * y[1]]
    tall = np.r_["0,3,0", x, y]
    return np.sum(z**2) + np.sum(columns @ columns.T) + np.sum(rows[1] ** 3) + np.sum(tall**2 * x[0])


@program(lambda r: (r.normal(size=4), 0.7))
def tuples_and_nothing_by_index(x, y):
    ends = {"left": (0, 1), "right": (3, 2)}
    z = x[np.r_[ends["left"], ends["right"], 1]]
    pairs = np.r_[((y, 2.0), (1.0, y)), [z[:2]]]
    return np.sum(z * np.r_[[], (y, 1.0), 0.5, x[:2]]) + np.sum(pairs @ pairs.T)


@program(lambda r: (r.normal(size=6),))
def masked_by_joined_pieces(x):
    """As many as the two pieces have: the count of those below begins in a name of its own."""
    y = np.concatenate((x[1:], x[:1]))
    x[y < 0.5] *= x[y < 0.5]
    return np.sum(x * x)


@program(lambda r: (r.normal(size=4), r.normal(size=(2, 3))))
def pad_with_what_the_array_says(x, a):
    total = np.sum(np.pad(x, (2, 3), mode="linear_ramp", end_values=(0.5, -1.0)) ** 2)
    total += np.sum(np.pad(a, ((1, 2), (0, 2)), mode="mean", stat_length=2) ** 2)
    total += np.sum(np.pad(a, 1, mode="maximum") * np.pad(a, 1, mode="minimum"))
    total += np.sum(np.pad(a, 2, mode="median") ** 2)
    return total + np.sum(np.pad(x, 5, mode="reflect", reflect_type="odd") ** 2)


@program(lambda r: (r.normal(size=(2, 3)),))
def parts_are_a_tuple(x):
    """Two tuples that are added are one after the other."""
    both = np.unstack(x) + np.unstack(x * x)
    total = 0.0
    for k, part in enumerate(both):
        total += k * np.sum(part)
    columns = np.unstack(x, axis=1)
    return total + columns[len(columns) - 1] @ columns[0] if isinstance(columns, tuple) else 0.0


@program(lambda r: (r.normal(size=3),))
def slices_of_lists_filled_from_arrays(x):
    padded = [0.0] * 5
    padded[: len(x)] = x
    padded[1:1] = range(2)
    padded[::3] = np.sin(x)
    padded[:0] = (v * v for v in x)
    return sum((k + 1) * v * v for k, v in enumerate(padded))
