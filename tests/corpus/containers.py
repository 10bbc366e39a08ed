"""Tuples, lists, dicts, named tuples: as locals, arguments and what loops go over."""

# ruff: noqa: B905  (as people write it)

from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from tests.corpus import program


class Spring(NamedTuple):
    k: float
    length: float


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@program(lambda r: (0.7, 1.3))
def tuple_local(x, y):
    pair = (x * y, x + y)
    a, b = pair
    return a * pair[1] + b * pair[-2]


@program(lambda r: (0.7, 3))
def tuple_repeated(x, n):
    pairs = (x, 2.0) * n
    return np.prod(pairs) * len(pairs) + np.prod(n * (x, 3.0))


@program(lambda r: ((0.7, r.normal(size=3)),))
def tuple_argument(p):
    s, x = p
    return s * np.sum(x * x) + p[0] ** 2


@program(lambda r: ([r.normal(size=3), r.normal(size=2), 0.4],))
def list_argument(p):
    return np.sum(p[0] ** 2) * p[2] + np.sum(p[1]) * p[2] ** 2


@program(lambda r: ({"w": r.normal(size=(2, 3)), "b": r.normal(size=2)}, r.normal(size=3)))
def dict_argument(p, x):
    return np.sum(np.tanh(p["w"] @ x + p["b"]))


@program(lambda r: ({"a": {"x": 0.5, "y": r.normal(size=2)}, "b": [r.normal(size=2), 0.3]},))
def nested_argument(p):
    return p["a"]["x"] * np.sum(p["a"]["y"] * p["b"][0]) + p["b"][1] ** 2


@program(lambda r: (Spring(2.0, 0.5), 1.7))
def namedtuple_argument(spring, x):
    return 0.5 * spring.k * (x - spring.length) ** 2


@program(
    lambda r: (
        [Layer(r.normal(size=(3, 2)), r.normal(size=3)), Layer(r.normal(size=(1, 3)), r.normal(size=1))],
        r.normal(size=2),
    )
)
def list_of_namedtuples(layers, x):
    for layer in layers:
        x = np.tanh(layer.w @ x + layer.b)
    return np.sum(x)


@program(lambda r: (0.7, 1.3))
def namedtuple_local(x, y):
    s = Spring(k=x, length=y)
    t = s._replace(k=s.k * 2)
    return s.k * t.k * t.length


@program(lambda r: (r.normal(size=2), r.normal(size=(3, 2))))
def namedtuples_of_items(x, rows):
    one = Spring._make(x)
    all_of_them = list(map(Spring._make, rows))
    other = Spring._make([x[1] ** 2, 3.0])._replace(**{Spring._fields[0]: x[0] * 2.0})
    return one[0] * other[0] * other[1] + sum(s[0] * s[1] for s in all_of_them)


@program(lambda r: (0.7, 1.3))
def list_local(x, y):
    values = [x, y, x * y]
    values[0] = values[1] * values[2]
    values.append(values[0] + x)
    return values[0] * values[3] + values[-1] * len(values)


@program(lambda r: (r.normal(size=4),))
def append_in_loop(x):
    values = []
    for i in range(4):
        values.append(np.sin(x[i]) * x[i - 1])
    return sum(values) * values[2]


@program(lambda r: (r.normal(size=3), 4))
def append_then_stack(x, n):
    rows = [x]
    for _ in range(3):
        rows.append(np.tanh(rows[-1]) + x)
    a = np.stack(rows)
    return np.sum(a @ a.T)


@program(lambda r: (r.normal(size=4),))
def append_then_array(x):
    values = []
    for i in range(4):
        values.append(x[i] * i)
    a = np.array(values)
    return np.sum(a * a[::-1])


@program(lambda r: (r.normal(size=4),))
def comprehensions(x):
    squares = [x[i] ** 2 for i in range(4)]
    pairs = [(x[i], x[i + 1]) for i in range(3) if i != 1]
    return sum(squares) + sum(a * b for a, b in pairs) + max([v * 2 for v in squares])


@program(lambda r: (r.normal(size=(2, 3)),))
def nested_comprehension(a):
    return sum([a[i, j] ** (j + 1) for i in range(2) for j in range(3)]) + sum(sum(row) for row in a)


@program(lambda r: (0.7, 1.3))
def dict_local(x, y):
    state = {"x": x, "v": y}
    state["x"] = state["x"] + 0.1 * state["v"]
    state["a"] = state["x"] * state["v"]
    state.update({"v": state["a"] * 2})
    return state["x"] * state["v"] + state.get("a") * len(state)


@program(lambda r: ({"a": 0.5, "b": 1.5, "c": 2.5},))
def dict_items(p):
    s = 0.0
    for name, value in p.items():
        s += value * value if name != "b" else value * s
    for value in p.values():
        s = s * value
    return s


@program(lambda r: (0.7, 4))
def dict_carried_by_a_loop(x, n):
    state = {"p": x, "v": 1.0}
    for _ in range(n):
        state["v"] = state["v"] - 0.1 * np.sin(state["p"])
        state["p"] = state["p"] + 0.1 * state["v"]
    return state["p"] * state["v"]


@program(lambda r: (0.7, 1.1, 4))
def tuple_carried_by_a_loop(x, v, n):
    state = (x, v)
    for _ in range(n):
        p, q = state
        state = (p + 0.1 * q, q - 0.1 * np.sin(p))
    return state[0] * state[1]


@program(lambda r: (r.normal(size=3), r.normal(size=3), 4))
def tuple_of_arrays_carried(x, v, n):
    state = x, v
    for _ in range(n):
        state = state[0] + 0.1 * state[1], state[1] - 0.1 * state[0] ** 3
    return np.sum(state[0] * state[1])


@program(lambda r: (r.normal(size=5),))
def slices_of_lists(x):
    values = [x[i] for i in range(5)]
    first, rest = values[:2], values[2:]
    return sum(first) * sum(rest[::-1]) * rest[-1] + sum(first + rest)


@program(lambda r: (0.7, 1.3))
def multiple_results_of_a_helper(x, y):
    def polar(a, b):
        return {"r": np.hypot(a, b), "phi": np.arctan2(b, a)}

    p = polar(x, y)
    return p["r"] * p["phi"]


@program(lambda r: ((0.7, 1.3), {"scale": 2.0}))
def unpacked_arguments(p, options):
    def energy(a, b, scale=1.0):
        return scale * a * b * b

    return energy(*p, **options) + energy(*p)


@program(lambda r: (0.7, 1.3, 2.1))
def any_and_all(x, y, z):
    if any(v > 2 for v in (x, y, z)) and all(v > 0 for v in [x, y, z]):
        return x * y * z
    return x


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def zip_of_lists(x, y):
    a = [x[0], x[1], x[2]]
    return sum(u * v * (k + 1) for k, (u, v) in enumerate(zip(a, [y[0], y[1], y[2]])))


@program(lambda r: (0.3, 0.9, 0.5))
def sorted_numbers(a, b, c):
    low, middle, high = sorted([a, b, c])
    return low + 2 * middle**2 + 3 * high**3


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def generators_over_arrays(x, y):
    total = sum(a * b * b for a, b in zip(x, y))
    best = max(v * v for v in x) + min(np.sin(v) for v in y if v < 10)
    if any(v > 100 for v in x) or not all(v < 100 for v in y):
        return total
    return total * best + sum(x[i] * y[j] for i in range(len(x)) for j in range(i))


@program(lambda r: (0.7, 1.3))
def dict_in_branch(x, y):
    state = {"a": x, "b": y}
    if x < y:
        state["a"] = x * y
    else:
        state["b"] = 1.0
    return state["a"] * state["b"]


@program(lambda r: (0.7, 1.3))
def list_in_branch(x, y):
    values = [x, y]
    if x < y:
        values[0] = values[1] * x
    values[1] = values[0] * y
    return values[0] * values[1]


@program(lambda r: (0.7, 4))
def dict_under_two_names(x, n):
    state = {"p": x}
    same = state
    for _ in range(4):
        same["p"] = np.sin(state["p"]) + x
    return state["p"]


@program(lambda r: (r.normal(size=3), 3))
def list_of_arrays_in_loop(x, n):
    history = [x]
    for k in range(4):
        history.append(history[k] * np.sin(history[0]))
    total = 0.0
    for h in history:
        total += np.sum(h)
    return total


@program(lambda r: ({"b": r.normal(size=2), "a": r.normal(size=3)}, r.normal(size=2)))
def ordered_by_a_key(params, x):
    total = 0.0
    for k, (_, v) in enumerate(sorted(params.items(), key=lambda item: item[0])):
        total += (k + 1) * np.sum(v**2)
    named = [("y", x[1]), ("x", x[0])]
    named.sort()
    pairs = [(x[0], 1.0), (x[1], 2.0)]
    largest = max(pairs, key=lambda p: p[0])
    numbers = [x[0], x[1] ** 2, 0.1]
    numbers.sort(key=lambda v: -v)
    return total + named[0][1] ** 3 + largest[0] * largest[1] + numbers[0] ** 2


@program(lambda r: (r.normal(size=3),))
def looked_up_by_a_length(x):
    weights, found = {3: 2.0, (3,): 0.5}, {}
    found.setdefault(x.size, x[0])
    found.setdefault(len(x), x[1])
    found.update([(x.shape[0], found[3] * x[2])])
    sizes = {len(x): 0.1, "n": 0.2, f"n{x.ndim}": 0.3}
    rest = sizes.pop(len(x) + 1, 0.4) + sizes.pop(x.size)
    pairs = dict([(len(x), x[0]), (x.size, x[1])])  # noqa: C406
    named = dict(zip([x.size, x.ndim], x))
    total = (
        weights.get(len(x), 9.0) * x[0]
        + weights.get(x.shape, 9.0) * x[1]
        + rest * sizes.get("n1", 7.0) * x[2]
    )
    return total + sum(found.values()) * len(found) + sum(pairs.values()) * len(pairs) + named.get(3, x[1])


@program(lambda r: (r.normal(size=4),))
def looked_up_by_a_counter(x):
    total = 0.0
    for k in range(len(x)):
        total += {0: x[0], 2: 2.0}.get(k, 0.5) * x[k] ** 2
        total *= {0: 1.1}.get(k % 2, 0.9)
    return total


IN_GROUPS = dict.fromkeys(("python", "compiled"), "a container changes in, or is indexed by, a loop")
BY_DATA = dict.fromkeys(("python", "compiled"), "a dict key must be known before the program runs")


@program(lambda r: (np.array([0.2, 1.7, 0.5, 1.1]), np.array([1, 1, 2, 1])), refused=IN_GROUPS)
def grouped_by_numbers_of_an_argument(x, kind):
    groups = {}
    for i in range(len(x)):
        groups.setdefault(int(kind[i]), []).append(x[i])
    return sum(sum(g) ** 2 for g in groups.values())


@program(lambda r: (np.array([0.2, 1.7, 0.5, 1.1]),), refused=IN_GROUPS)
def grouped_by_whole_parts(x):
    sums = {}
    for v in x:
        part = np.floor(v)
        sums[part] = sums.get(part, 0.0) + v
    return sum(s**2 for s in sums.values())


@program(lambda r: (np.array([0.2, 1.7, 0.5]),), refused=BY_DATA)
def looked_up_by_what_the_data_say(x):
    large = {True: 2.0, False: 3.0}.get(x[0] > 0.1, 9.0)
    place = {1: 0.5}.get(np.argmax(x), 5.0)
    return large * x[0] + place * x[1] + {1.0: 2.0}.get(np.sign(x[2]), 5.0) * x[2]


@program(lambda r: (r.normal(size=3),))
def elements_are_taken_out(x):
    items = [v * 1.0 for v in (x[0], x[1], x[2])]
    items.insert(1, items[0] * items[-1])
    del items[2]
    first = items.pop(0)
    items.reverse()
    other = items.copy()
    other[0] = 5.0
    items += [first, first**2, 1.0, 2.0]
    del items[1:3], other[:1]
    table = {"u": x[0], "v": x[1]}
    del table["u"]
    return sum((i + 1) * v for i, v in enumerate(items)) + len(other) * table["v"] + ("u" in table)


@program(lambda r: (r.normal(size=3),))
def a_window_of_the_last(x):
    window = deque(maxlen=2)
    means = []
    for v in (x[0], x[1], x[2], x[0] * x[1]):
        window.append(v)
        if len(window) == 2:
            means.append(sum(window) / 2)
    return np.sum(np.square(means)) + window[0] * window[-1] * (window == deque(means))


@program(lambda r: (r.normal(size=3),))
def a_window_of_states(x):
    states = deque(maxlen=2)
    y = x.copy()
    for _ in range(4):
        states.append(y.copy())
        y = np.tanh(states[-1] + (0.5 * states[0] if len(states) > 1 else 0))
    return y.sum()


@program(lambda r: (r.normal(size=3),))
def both_ends(x):
    ends = deque([1.0] * 3, maxlen=3)
    total = 0.0
    for k in range(3):
        ends.appendleft(x[k])
        total += np.dot(list(ends), [1.0, 2.0, 3.0])
        ends.rotate(1 - 2 * (k % 2))
    last = ends.popleft()
    return total + last**2 + sum(v * k for k, v in enumerate(ends))


@program(lambda r: (r.normal(size=3),))
def groups_and_counts(x):
    groups, sums, counts = defaultdict(list), defaultdict(float), Counter("abac", extra=2)
    for k, v in zip("aba", (x[0], x[1], x[2])):
        groups[k].append(v)
        sums[k] += 2.0 * v
    means = sum(sum(v) ** 2 / counts[k] for k, v in groups.items())
    return means + sums["a"] * sums["zz"] + sums["b"] + len(sums) + counts["none"] + counts.total() * x[0]


@program(lambda r: (r.normal(size=3),))
def arrays_by_default(x):
    rows = defaultdict(lambda: np.zeros(3))
    for k, name in enumerate("ab"):
        rows[name] += x * (k + 1)
        rows[name][0] = x[1]
    return sum(v @ x for v in rows.values()) * isinstance(rows, dict)


@program(lambda r: (r.normal(size=3),))
def in_an_order_of_its_own(x):
    held = OrderedDict()
    for k, v in zip("bca", (x[0], x[1], x[2])):
        held[k] = v
    held.move_to_end("b")
    name, last = held.popitem()
    merged = {**held, "n": len(name)}
    return held[next(iter(held))] * 2 + last**2 + len(held) + merged["a"] + sum(held.values()) * merged["n"]


@program(lambda r: (np.array([0.5, -0.4]),))
def counted_in_a_branch(x):
    number = defaultdict(int)
    if x[0] > 0:
        number["a"] += 1
    else:
        number["a"] += 2
    return number["a"] * x[0]


@program(lambda r: (np.array([0.5, 1.5, -0.3, 1.1, 0.7]),))
def places_and_counts_in_lists(x):
    items = [x[0], x[1], x[2] ** 2]
    k = items.index(max(items))
    grown = []
    for v in x:
        if v > 0:
            grown.append(v)
    s = items[k] ** 2 * k + (x[0], x[4]).index(x[4]) * x[2] + [*x, x[1]].count(x[1]) * x[0]
    return s + grown.index(x[4]) * x[3] + ["a", "b", "a"].count("a" if x[0] > 0 else "b") * x[1]


@dataclass
class Event:
    when: float
    kind: str
    size: float


@program(lambda r: (r.normal(size=(5, 2)),))
def records_in_order(m):
    events = [Event(abs(m[k, 0]), "in" if k % 2 else "out", m[k, 1]) for k in range(5)]
    level, last, s = 1.0, 0.0, 0.0
    for e in sorted(events, key=lambda e: e.when):
        s += level * (e.when - last)
        last = e.when
        level += e.size**2 if e.kind == "in" else -0.3 * e.size
    pairs = [(v, k, None if k else "first") for k, v in enumerate((m[0, 0], m[1, 0], m[2, 0]))]
    pairs.sort(reverse=True)
    s += sum(k * v * (place + 1) + (v if word is None else 2.0) for place, (v, k, word) in enumerate(pairs))
    named = {"a": m[0, 1], "bb": m[1, 1], "c": m[2, 1]}
    for place, (name, v) in enumerate(sorted(named.items(), key=lambda item: item[1])):
        s += place * len(name) * v
    return s


@program(lambda r: (r.normal(size=(6, 2)),))
def rows_in_order(m):
    middle = m.mean(axis=0)
    around = sorted(m, key=lambda p: np.arctan2(p[1] - middle[1], p[0] - middle[0]))
    s = sum(a[0] * b[1] - a[1] * b[0] for a, b in pairwise(around))
    large = sorted([(p[0] > 0, p[1]) for p in m], key=lambda t: t[0], reverse=True)
    numbered = sorted(zip(m[:, 0], range(6)))
    return s + large[0][1] * 2.0 + sum(k * v * j for k, (v, j) in enumerate(numbered))


@program(lambda r: (r.normal(size=3),))
def counted_of_what_is_gone_over_once(x):
    letters = Counter(s.strip() for s in "a b a".split())
    letters.update(map(str, "ab"))
    return x[0] * letters["a"] ** 2 + x[1] * letters["b"] + sum(x) * Counter(map(len, ["a", "bc"]))[2]


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def views_see_what_the_loop_writes(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for name, v in d.items():
        d["b"] *= v
        s += v * len(name)
    for v, w in zip(d.values(), x):
        d["c"] = d["c"] + v * w
        s += v

    def halve(v):
        d["c"] *= 0.5
        return v

    return s + sum([halve(v) for v in d.values()]) + sum(d.values())


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def a_loop_over_a_dict_that_loses_a_key(x):
    d = {"a": x[0], "b": x[1]}
    try:
        for name, v in d.items():
            d["b"] *= v
            d.pop(name)
    except RuntimeError:
        d["c"] = x[2]
    return d["b"] * d["c"]
