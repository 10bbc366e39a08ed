"""`itertools`, `operator` and what else goes over things"""

import itertools
import operator

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4),))
def product_of_ranges(x):
    return sum(x[i] * x[j] * (i + 1) for i, j in itertools.product(range(len(x)), range(len(x))) if i < j)


@program(lambda r: (r.normal(size=4),))
def products_and_combinations_of_known_ranges(x):
    s = 0.0
    for i, j in itertools.product(range(4), repeat=2):
        s += x[i] * x[j] ** 2
    for i, j in itertools.combinations(range(4), 2):
        s += x[i] - x[j] * x[i]
    return s


@program(lambda r: (r.normal(size=6),))
def accumulated_array(x):
    total = 0.0
    for c in itertools.accumulate(x):
        total += c**2
    return total


@program(lambda r: (r.normal(size=6),))
def accumulated_list(x):
    ws = list(itertools.accumulate([x[0], x[1], x[2]], operator.mul))
    return sum(ws) + ws[-1] ** 2


@program(lambda r: (r.normal(size=6),))
def chained_and_cut(x):
    s = 0.0
    for v in itertools.chain(x[:2], x[3:]):
        s += v**3
    for v in itertools.islice(x, 3):
        s -= v
    return s


@program(lambda r: (r.normal(size=6),))
def without_end_beside_an_array(x):
    s = sum(map(operator.mul, x, x[1:]))
    for k, v in zip(itertools.count(1), x):
        s += k * v
    for v, w in zip(x, itertools.repeat(2.0)):
        s += v * w
    return s


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def operators_as_functions(a, b):
    t = operator.add(operator.mul(a, b), operator.neg(a))
    t = operator.sub(t, operator.truediv(b, 2.0))
    g = operator.itemgetter(1)
    return operator.pow(operator.matmul(t, b), 2) + operator.getitem(t, 0) + g(t)


@program(lambda r: (r.normal(size=6), 0.1))
def filtered_and_mapped(x, t):
    kept = list(filter(lambda v: v > t, x))
    return sum(kept) + max(map(abs, x)) + len(kept) * x[0] + (1.0 if any(map(np.isnan, x)) else 0.5)


@program(lambda r: (r.normal(size=(3, 4)),))
def rest_of_an_array_unpacked(m):
    first, *rest = m
    total = first[0] * first[1]
    for row in rest:
        h, *middle, t = row
        total += h * sum(middle) - t
    return total


@program(lambda r: (r.normal(size=(4, 3)), r.uniform(0.5, 1.5, 4)))
def pairs_of_particles(pos, eps):
    e = 0.0
    for (i, p), (j, q) in itertools.combinations(enumerate([pos[0], pos[1], pos[3]]), 2):
        d = p - q
        e += np.sqrt(eps[i] * eps[j]) / (d.dot(d) + 0.5)
    return e


@program(lambda r: (r.normal(size=5),))
def dict_and_set_comprehensions(x):
    d = {k: x[i] ** 2 for i, k in enumerate("abc")}
    d["z"] = d.pop("a") * 3
    odd = {k for k in range(5) if k % 2}
    return sum(d.values()) + sum(v for k, v in d.items() if k != "b") + sum(x[k] for k in odd)


@program(lambda r: (r.normal(size=(5, 2)), r.normal(size=5)))
def all_pairs_of_a_run_time_length(x, q):
    total = 0.0
    for i, j in itertools.combinations(range(len(q)), 2):
        total += q[i] * q[j] / (1.0 + np.sum((x[i] - x[j]) ** 2))
    for a, b in itertools.combinations(q, 2):
        total += a * np.sin(b)
    for (i, a), (j, b) in itertools.combinations_with_replacement(enumerate(q), 2):
        total += (i + 1) * a * b**j
    for i, j in itertools.permutations(range(len(q)), 2):
        total += np.cos(q[i]) * q[j] * (i + 2 * j)
    return total + sum(a * b for a, b in itertools.combinations(x[:, 0], 2))


@program(lambda r: (np.array([0.4, 0.9, 1.6]),))
def quadrature_of_a_known_degree(x):
    nodes, weights = np.polynomial.legendre.leggauss(6)
    total = sum(w * np.exp(-x[0] * t) * np.cos(x[1] * t) for t, w in zip(nodes, weights, strict=True))
    t, w = np.polynomial.hermite.hermgauss(deg=3)
    return total + np.sum(w * (t * x[2]) ** 2)


@program(lambda r: (r.normal(size=5),))
def slices_of_endless_iterators(x):
    total = 0.0
    for i in itertools.islice(itertools.count(), 3):
        total += x[i] ** (i + 1)
    for i in itertools.islice(itertools.count(1), 0, len(x), 2):
        total += x[i - 1] * i
    return total + sum(v * k for k, v in zip(itertools.islice(itertools.count(5, -1), 1, 3), x, strict=False))


@program(
    lambda r: (np.array([1.5, -2.5, 0.5, 2.0]),),
    refused={"compiled": "keys of the run", "python": "keys of the run"},
)
def groups_by_keys_of_the_run(x):
    groups = {sign: sum(items) for sign, items in itertools.groupby(sorted(x), key=lambda v: v > 0)}
    return groups[True] * 2.0 + groups[False] ** 2
