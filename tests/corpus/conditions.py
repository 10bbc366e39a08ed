"""Comparisons, boolean and conditional expressions."""

import operator

import numpy as np
from tests.corpus import program


def two(r):
    return 0.7, 1.3


@program(two)
def conditional_expression(x, y):
    a = x * y if x < y else x + y
    b = x if x > y else y * y
    return a * b


@program(two)
def nested_conditional_expression(x, y):
    return (x * 2 if x > 1 else x * 3 if x > 0.5 else x * 5) * y


@program(two)
def boolean_operators(x, y):
    s = 0.0
    if x < y and y < 2:
        s += x
    if x > y or y > 1:
        s += y * x
    if not x > y:
        s += x * x
    if not (x < y and (y > 5 or x > 0)):
        s += 100 * x
    return s


@program(two)
def chained_comparison(x, y):
    s = x
    if 0 < x < y <= 1.4:
        s = s * y
    if 0 < y < x < 5:
        s = s + 7 * x
    return s


@program(two)
def short_circuit(x, y):
    z = 0.0
    if z != 0 and x / z > 1:
        return x
    if z == 0 or y / z > 1:
        return x * y
    return y


@program(two)
def conditional_call(x, y):
    return np.log(x) if x > 0 else np.log(-x) * y


@program(lambda r: (np.array([0.5, -1.5, 2.5]),))
def condition_on_element(x):
    s = 0.0
    s += x[0] if x[1] < 0 else x[2]
    s += x[1] * x[1] if x[0] > x[2] else x[2] * x[0]
    return s


@program(lambda r: (0.7, True))
def boolean_argument(x, flag):
    y = x * x
    if flag:
        y = y * 3
    return y if not flag else y + x


@program(lambda r: (0.7, 3))
def integer_argument(x, n):
    if n == 2:
        return x
    if n % 2 == 1 and n > 1:
        return x**n
    return x * n


@program(lambda r: (0.7, "double"))
def string_argument(x, kind):
    if kind == "double":
        return x * x * 2
    return x


@program(lambda r: (0.7, None))
def none_argument(x, scale):
    scale = 4.0 if scale is None else scale
    return x * x * scale


@program(two)
def condition_kept_in_variable(x, y):
    bigger = x > y
    small = not bigger and x < 1
    total = x * 2
    if small:
        total = total * y
    if bigger:
        total = total * x
    return total


@program(lambda r: (np.array([0.5, -1.5, 2.5]), 0.3))
def truth_of_reductions(x, y):
    if np.any(x > 2) and not np.all(x > 0):
        return np.sum(x) * y
    return y


@program(lambda r: (np.array([0.5, -1.5, 2.5]),))
def comparison_as_number(x):
    return np.sum(x * (x > 0)) + np.sum((x < 1) * x * x)


@program(lambda r: (r.normal(size=(3, 5)), 0.7))
def conditional_factor_in_a_loop_over_many_arrays(m, t):
    m = m.copy()
    m[1:, 1:4] *= t if m[0, 0] < 10.0 else 0.3
    m *= np.sin(m)
    return np.sum(m * m)


@program(lambda r: (r.normal(size=5), 0.2))
def what_an_operand_changes(x, t):
    parts = [x[0], x[1], x[2]]
    last = parts.pop() if x[3] > t else 0.5
    if x[4] > t and (y := x[4] * t) > 0.0:
        last += y
    z = 1.0
    last += (z := 2.0 * x[0]) if last > t else x[1]
    return sum(parts) * last + z


@program(lambda r: (r.normal(size=6),))
def popped_in_a_conditional_expression(x):
    parts, s = [0.5], 0.0
    for v in x:
        s += parts.pop() if len(parts) > 1 else v
        parts.append(v * v)
        parts.append(v)
    return s * sum(parts)


@program(lambda r: (r.normal(size=5), 0.6))
def sums_and_products_of_truths(x, s):
    """Of arrays they are truths, of Python's numbers they are numbers."""
    either, both = (x > 0.0) + (x > -9.0), (x > -9.0) * (x < 9.0)
    either += x > 0.5
    known = (len(x) > 2) + (len(x) > 3)
    return np.sum(x[either] ** 2) * np.sum(either) + np.sum(x * both) * known * s


@program(lambda r: (r.normal(size=5), 0.6), argnums=(0,))
def truths_of_elements_and_of_numbers(x, s):
    """NumPy's booleans, those of elements, add up to one; Python's add up to two."""
    elements = (x[0] > -9.0) + (x[1] > -9.0)
    numbers = (s > 0.0) + (s > -1.0)
    mixed = (x[0] > -9.0) * (s > 0.0) + float(s > 0.0)
    return np.sum(x**2) * elements + numbers * np.sum(np.sin(x)) * s + mixed * s


@program(lambda r: (r.normal(size=3), 0.5))
def arrays_full_of_a_truth(x, s):
    """Which one is only known when the program runs."""
    m = np.full(3, s < 0.0)
    k = np.full((3,), x[0] > -9.0)
    return np.sum(x * m) + np.sum(x**2 * k) * s


@program(lambda r: (np.array([0.7, -0.4, 1.3]),))
def tuples_of_the_data_compared(x):
    s = 0.0
    if (x[0] > 0.0, x[1] > 0.0) == (True, False):
        s += x[0] * x[2]
    if (x[0], x[1]) != (x[0], x[1]):
        s += 1.0
    if [x[0], 1.0] == [x[0], 1.0]:
        s += x[1]
    if (x[0], x[1]) > (x[0], x[2]) or (x[1], 2.0) < (x[1], 3.0):
        s *= x[2]
    return s


@program(lambda r: (np.array([0.7, -0.4, 1.3]),))
def array_compared_with_a_list(x):
    return np.sum(np.where(x > [0.0, 1.0, 0.5], x, x * x)) + np.sum((x != [1.0, 2.0, 3.0]) * x)


@program(lambda r: (np.array([0.7, -0.4, 1.3]),))
def extremes_of_tuples(x):
    smallest, place = min((abs(v), k) for k, v in enumerate(x))
    largest = max([(x[0], 1), (x[1], 2), (x[2], 3)], key=lambda pair: (pair[0], -pair[1]))
    value, word = max(zip(x, ["a", "b", "c"], strict=True))
    return smallest * (place + 1) + largest[0] * largest[1] + (value * 2.0 if word == "c" else value)


@program(lambda r: (r.normal(size=(4, 5)), r.uniform(size=4)))
def cells_among_tuples(u, w):
    """Walls of a grid: which cell the loops are at is only known when the program runs."""
    walls = {(1, 1), (2, 3), (0, 4)}
    ports = [(3, 0), (3, 4)]
    s = 0.0
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            if (i, j) in walls:
                continue
            if (i, j) in ports or (j, i) not in ((0, 0), (2, 2)):
                s += w[i] * u[i, j] ** 2
    return s


@program(lambda r: (np.array([0.7, -0.4, 1.3]), 0.5))
def tuples_among_what_the_data_say(x, t):
    s = x[0] * t
    if (x[0], x[1]) in [(x[2], x[1]), (x[0], x[1])]:
        s += x[1] ** 2
    if (x[0], t) in ((t, x[0]), (x[0], x[1])):
        s += 100.0 * x[2]
    if (x[0], "a") in [(x[0], "b"), (x[1], "a")]:
        s *= 7.0
    return s


@program(lambda r: (np.array([2.3, -0.35]),))
def whole_numbers(x):
    total = 0.0
    for v in (float(np.floor(x[0])), float(x[1]), x[0] * 0.0):
        total += x[0] * x[1] if v.is_integer() else x[1] ** 2
    return total


@program(lambda r: (1.3, 6))
def among_numbers_and_ranges(x, n):
    s = 0.0
    for k in range(-2, n):
        s += x * k * (k in range(n - 2)) + x**2 * (k in range(n, 0, -2)) + x**3 * (k not in range(0, 8, 3))
    return s + x * (2 in range(n)) + x**2 * (1.0 in [x, 1.0]) + x**3 * (3.0 not in (x, 2 * x))


@program(lambda r: (np.array([0.7, -0.4, 1.3]),))
def how_many_hold(x):
    """What Python's own functions and words make are its truth values, which it adds as 0 and 1."""
    s = x[0] * (any(x > 0) + any(x < 0) + all(x > -9)) + x[1] * (bool(x[0]) + bool(x[1]))
    s += x[2] * ((not x[0] < 0) + (not x[1] > 0)) + x[0] ** 2 * ((x[0] in [1, x[0]]) + (x[1] not in [2, 3]))
    s += x[1] ** 2 * (np.allclose(x, x) + np.array_equal(x, x) + operator.not_(x[0] < 0))
    return s + x[2] ** 2 * ((x > 0).tolist()[0] + (x > 0).tolist()[2] - bool(x[1] > 0)) - x[0] * -any(x > 0)


@program(lambda r: (np.array([0.7, -0.4, 1.3]), True))
def signs_of_truth_values(x, flag):
    s = x[0] * -flag + x[1] * (flag - True) + x[2] * -bool(x[1]) + x[0] ** 2 * (bool(x[0]) - bool(x[1]))
    return s + x[1] ** 2 * -(x.size > 2) + x[2] ** 2 * (+flag + True)


EITHER = dict.fromkeys(("compiled", "python"), "Python's on one path and NumPy's on another")


@program(lambda r: (np.array([1.0, -2.0, 3.0]),), refused=EITHER)
def a_truth_of_pythons_or_of_numpys(x):
    b = x[0] > 0 if x[1] > 0 else True
    return (b + b) * x[2]


@program(lambda r: (np.array([1.0, 1.5, 3.0]),), refused=EITHER)
def a_truth_that_a_loop_makes_one_of_pythons(x):
    b, total, n = x[0] > 0, 0.0, 0.0
    while n < x[1]:
        n += 1
        total += (b + b) * x[2]
        b = True
    return total


@program(lambda r: (np.array([1.0, 2.0, 3.0]),))
def a_truth_of_either_is_asked(x):
    done, n = False, 0
    while not done:
        n += 1
        done = x[0] * n > 2.5
    return x[2] * n * (done and x[1] > 0) + (done + (x[0] > 0)) * x[1] + (done * 2) * x[0]


@program(lambda r: (np.array([1.0, 2.0, 3.0]),))
def ufuncs_take_truths_of_pythons_for_numpys(x):
    a, b = bool(x[0] > 0), bool(x[1] > 0)
    return (np.add(a, b) + np.add(True, True)) * x[0] + np.multiply(a, b) * x[2] + (a + b) * x[1]


@program(lambda r: (r.normal(size=3),))
def choices_as_statements(x):
    y, items = x * 2.0, []
    np.cumsum(x, out=y) if x[0] > -9.0 else None
    x[1] > -9.0 and np.multiply(y, x, out=y)
    x[2] > 9.0 or items.append(y[0] * y[1])
    len(x) == 3 and x[0] < 9.0 and items.append(y[2] ** 2)
    return np.sum(y**2) + sum(items)


@program(lambda r: (np.array([0.5, 2.0, -3.0, 1.5]),))
def comprehensions_as_statements(x):
    v, items = 3.0, []
    [items.append(v * x[0]) for v in x if v > 1.0]
    [items.append(v * w) for v in x if v < 0.0 for w in x[:2]]
    return sum(items) * v
