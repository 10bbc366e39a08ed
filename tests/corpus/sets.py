"""Sets of what is known while compiling, which the program changes, and searches with them."""

# ruff: noqa: B905  (as people write it)

import itertools
import math
from collections import Counter, deque

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=6),))
def breadth_first(x):
    adj = {0: [1, 2], 1: [3], 2: [3, 4], 3: [5], 4: [5], 5: []}
    seen = {0}
    queue = deque([(0, 1.0)])
    total = 0.0
    while queue:
        node, weight = queue.popleft()
        total += weight * x[node] ** 2
        for nb in adj[node]:
            if nb not in seen:
                seen.add(nb)
                queue.append((nb, weight * 0.5))
    return total


@program(lambda r: (r.normal(size=6),))
def in_the_order_of_what_depends(x):
    deps = {"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": []}
    done = set()
    order = []

    def visit(n):
        if n in done:
            return
        for m in deps[n]:
            visit(m)
        done.add(n)
        order.append(n)

    for n in deps:
        visit(n)
    val = {}
    for k, n in enumerate(order):
        val[n] = np.tanh(x[k] + sum(val[m] for m in deps[n]))
    return val["d"]


@program(lambda r: (r.normal(size=6),))
def operations_on_sets(x):
    a = set(range(4))
    b = {2, 3, 5}
    c = a & b
    d = a | b
    e = a - b
    f = a ^ b
    a.discard(0)
    a |= {7}
    s = sum(x[i] for i in sorted(c)) * 2 + sum(x[i] * (k + 1) for k, i in enumerate(e)) + len(d) * x[0]
    if 5 in f and c <= b and not a.isdisjoint(b) and a != b:
        s = s * 1.5
    b.remove(5)
    t = {i % 3 for i in range(6)}
    u = set("hello") & {"l"}
    return (
        s
        + len(a)
        + len(b) * x[1]
        + len(t) * x[2]
        + (x.size in {6, 7}) * x[3]
        + max(t)
        + len(u)
        + len(frozenset(t))
        + len(list(t))
        + sum({1, 2})
        + min(b)
    )


@program(lambda r: (r.normal(size=6),))
def pairs_that_were_seen(x):
    seen = set()
    s = 0.0
    for i in range(6):
        for j in range(6):
            key = (min(i, j), max(i, j))
            if key in seen or i == j:
                continue
            seen.add(key)
            s += x[i] * x[j]
    return s


@program(lambda r: (r.normal(size=6),))
def trees_that_grow_together(w):
    parent = list(range(4))

    def find(i):
        while parent[i] != i:
            i = parent[i]
        return i

    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (0, 3)]
    total = 0.0
    for (a, b), v in zip(edges, w):
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb
            total += v**2
    return total


@program(lambda r: (r.normal(size=4),))
def sums_of_text_and_numbers_are_caught(x):
    try:
        return x[0] * ("a" + 1)
    except TypeError:
        return x[0] * 2.0


@program(lambda r: (r.normal(size=4),))
def a_sum_with_none_that_is_never_reached(x):
    return x[0] * 2.0 if x[1] < 9.0 else None + 1


@program(lambda r: (r.normal(size=4),))
def colours_of_neighbours(x):
    neighbours = {0: {1, 2}, 1: {0, 2}, 2: {0, 1, 3}, 3: {2}}
    colour = {}
    for v in sorted(neighbours, key=lambda k: -len(neighbours[k])):
        used = {colour[u] for u in neighbours[v] if u in colour}
        colour[v] = next(c for c in itertools.count() if c not in used)
    return sum(x[v] * (c + 1) for v, c in colour.items())


@program(lambda r: (r.normal(size=7),))
def parts_that_are_joined(x):
    parts = [{i} for i in range(7)]
    for a, b in [(0, 1), (1, 2), (3, 4), (5, 6)]:
        one = next(p for p in parts if a in p)
        other = next(p for p in parts if b in p)
        if one is not other:
            parts.remove(other)
            one |= other
    return sum(math.prod(x[i] for i in p) for p in parts)


@program(lambda r: (r.normal(size=5),))
def the_most_common_word(x):
    words = "the cat the dog a cat the".split()
    counted = Counter(words)
    shares = np.array([counted[w] / len(words) for w in sorted(set(words))])
    return shares @ x[: len(shares)] + counted.most_common(1)[0][1] * x[0]


@program(lambda r: (r.normal(size=4),))
def a_dtype_in_a_set_of_classes(x):
    # A dtype equals the class, and has another hash.
    if x.dtype in {np.float64, np.float32}:
        return np.sum(x)
    return np.sum(x * x) if x.dtype in (np.float64, np.float32) else 0.0
