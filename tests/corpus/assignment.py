"""Every form of assignment carries derivatives."""

import numpy as np
from tests.corpus import program


def scalars(n):
    return lambda r: tuple(float(v) for v in r.uniform(0.5, 1.5, n))


@program(scalars(2))
def simple(x, y):
    z = x * y
    return z + x


@program(scalars(2))
def rebound(x, y):
    x = x * y
    x = x * x
    x = np.sin(x) + y
    return x


@program(scalars(2))
def chained(x, y):
    a = b = x * y
    a = a * 2
    return a + b * b


@program(scalars(2))
def tuple_targets(x, y):
    a, b = x * y, x + y
    return a * b


@program(scalars(3))
def nested_targets(x, y, z):
    (a, b), c = (x * y, y * z), x
    [d, e] = a * c, b
    return d * e


@program(scalars(2))
def swap(x, y):
    a, b = x, y * 2
    a, b = b, a
    a, b = a * b, a - b
    return a * b * b


@program(scalars(3))
def starred(x, y, z):
    first, *rest = x * y, y * z, z * x
    return first * rest[0] + rest[1]


@program(scalars(2))
def augmented_scalar(x, y):
    s = x
    s += y
    s *= x
    s -= y * y
    s /= x + y
    s **= 2
    return s


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def augmented_array(x, y):
    s = x * 1.0
    s += y
    s *= x
    s -= y * y
    s /= 2.0 + x * x
    s **= 2
    return np.sum(s)


@program(scalars(2))
def annotated(x: float, y: float) -> float:
    z: float = x * y
    w: float
    w = z * z
    return w + x


@program(scalars(1))
def chain_of_adds(x):
    a = x * x
    x = x + a
    x = x + a
    x = x + x
    return x * a


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def chain_of_array_adds(x, a):
    x = x + a
    x = x + a
    x = x + x
    y = x
    x = x + y * a
    return np.sum(x * y)


@program(lambda r: (r.normal(size=3),))
def unpack_array(x):
    a, b, c = x
    return a * b + c * c


@program(lambda r: (r.normal(size=(2, 3)),))
def unpack_rows(x):
    a, b = x
    return np.sum(a * b * b)


@program(scalars(2))
def docstring_and_constants(x, y):
    """Has a docstring, and constants known early."""
    half = 1 / 2
    two = int(4 * half)
    power = two**2 - 1
    return half * x**two + y**power


@program(scalars(2))
def walrus(x, y):
    if (z := x * y) > 0:
        return z * z
    return z


@program(scalars(2))
def unused_values(x, y):
    z = np.exp(x)
    w = z * y
    z = w * 3
    del z
    return w + x


@program(scalars(2), argnums=(1,))
def only_the_second(x, y):
    a = np.sin(x)
    b = a * y
    return b * b + x


@program(scalars(2))
def result_independent_of_one(x, y):
    z = y * 2
    z = x * 3
    return z * x


@program(scalars(1))
def identity(x):
    return x


@program(scalars(2))
def same_value_twice(x, y):
    z = x * y
    return z * z + z / z + z - z


@program(lambda r: (r.normal(size=4), r.normal(size=(3, 2)), 2))
def array_of_another_length_in_nested_loops(x, m, trips):
    for i in range(trips):
        for _ in range(i + 1):
            if m[i, 0] > 100.0:
                continue
            x = np.full(4, m[i, -1]) * x[-1]
    return np.sum(x) + m[0, 0]


@program(lambda r: (r.normal(size=5),))
def array_added_to_a_list(x):
    """NumPy's sum, not a longer list."""
    g = [x[0], x[1]]
    g += x[:2]
    h = []
    for i in range(len(x)):
        h.append(x[i])
    h += x * x
    return np.sum(g**2) * len(g) + np.sum(h * h) * len(h)


@program(lambda r: (r.normal(size=4),))
def elements_of_a_list_changed_in_place(x):
    """`m[0] *= 2.0` writes to the array that the list holds, and so to `y`."""
    y = x.copy()
    m = [y[:2], y[1:]]
    m[0] *= 2.0
    m[1] += x[0]
    return np.sum(y**2) + np.sum(m[0] * m[1][:2])


@program(lambda r: (r.normal(size=4),))
def values_of_a_dict_changed_in_place(x):
    d = {"sum": x * 1.0, "parts": [x[0]], "n": 1}
    total, parts = d["sum"], d["parts"]
    d["sum"] += x[0]
    d["sum"][1] *= 2.0
    d["parts"] += [x[1]]
    d["n"] += 2
    return np.sum(total * d["sum"]) + sum(parts) * len(parts) * d["n"]


@program(lambda r: (r.normal(size=3),))
def list_with_two_names_repeated_in_place(x):
    items = [x[0], x[1]]
    same = items
    same *= 2
    rows = [[x[2]], [x[0]]]
    row = rows[0]
    row *= 3
    none = [x[0]]
    empty = none
    empty *= 0
    return sum(items) * len(items) + sum(rows[0]) + len(none)


@program(lambda r: (r.normal(size=3),))
def grown_list_with_two_names_repeated_in_place(x):
    items = []
    for v in x:
        items.append(v * v)
    same = items
    same *= 3
    return sum(items) * len(items)


@program(lambda r: (r.normal(size=3),))
def dict_with_two_names_updated_in_place(x):
    held = {"a": x[0]}
    same = held
    same |= {"b": x[1] * x[2]}
    return sum(held.values()) * len(held)


@program(lambda r: (r.normal(size=3),))
def constants_in_arrays_of_integers(x):
    z = np.zeros(3, int)
    z[1], z[2] = 2.7, -2.7
    truths = np.zeros(2, bool)
    truths[0] = 5
    levels = np.full(3, 2)
    levels[levels > 1] = 3.9
    return z[1] * x[1] + z[2] * x[0] + truths[0] * x[2] + np.sum(levels) * x[0] * x[1]


@program(lambda r: (r.normal(size=2),))
def constants_in_an_array_of_bytes(x):
    z = np.zeros(2, np.int8)
    z[0] = 100
    z[1] += 100
    z[1] -= 3
    return z[0] * x[0] + z[1] * x[1]


@program(lambda r: (r.normal(size=5),))
def two_names_of_one_value_in_a_loop(x):
    last = first = 0.0
    s = 0.0
    for v in x:
        s += last * v + first * x[0]
        last = first = v * v
    return s * last + first
