"""Classes of one's own over `dict`, made in the function and read from outside it; Counters outside it."""

import copy
from collections import Counter, OrderedDict, deque

import numpy as np
from tests.corpus import program


class Settings(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Options(dict):
    __getattr__ = dict.get


class Parameters(dict):
    def __init__(self, **named):
        super().__init__(**named)
        self.scale = 2.0

    def total(self):
        return sum(self.values()) * self.scale

    def __setitem__(self, key, value):
        super().__setitem__(key, value * 3.0)


class Doubled(Parameters):
    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)

    def total(self):
        return super().total() + 1.0


class Filled(dict):
    def __missing__(self, key):
        self[key] = 1.5
        return self[key]


class Ordered(OrderedDict):
    def first(self):
        return next(iter(self.values()))


SETTINGS = Options(rate=2.0, held=3.0, steps=3)
PARAMETERS = Parameters(a=1.0, b=2.0)
FILLED = Filled(a=2.0)
COUNTS = Counter("aab")


def three(r):
    return (r.normal(size=3),)


@program(three)
def attributes_are_items(x):
    p = Settings(w=x[0], b=x[1])
    p.c = x[2] ** 2
    p["held"] = x[0]
    q = dict(p)
    q["w"] = 1.0
    r = {**p, "z": x[2]}
    for k in range(3):
        if x[k] > 0.0:
            p.w = p.w * x[k]
    return p.w * p["b"] + p.c * p.held + len(p) * x[0] + q["w"] * r.get("z", 3.0) + sum(p.values())


@program(three)
def one_within_another(x):
    p = Settings(inner=Settings(a=x[0]), last=deque([x[1]]))
    inner = p.inner
    inner.a = inner.a * x[1]
    p.last.appendleft(x[2] ** 2)
    del p["inner"]["a"], inner
    p.inner.update(a=x[0] * x[1])
    return p.inner.a * p.last[0] + len(p)


@program(three)
def methods_over_those_of_dict(x):
    p, q = Parameters(a=x[0]), Doubled(a=x[1])
    p["b"], q["b"] = x[1], x[2]
    known = isinstance(p, dict) + 2 * isinstance(p, Parameters) + 4 * isinstance(p, Doubled)
    return p.total() * q.total() * q["a"] + known * x[0]


@program(three)
def keys_that_are_missing(x):
    m, o = Filled(), Ordered([("a", x[0]), ("b", x[1])])
    o.move_to_end("a")
    del o["a"]
    return m["q"] * x[0] + m["q"] * x[1] + len(m) * o.first() * x[2]


@program(three)
def outside_the_function(x):
    total = 0.0
    for _ in range(SETTINGS.steps):
        total = total + SETTINGS.rate * x[0] + SETTINGS["held"] * SETTINGS.held * x[1]
    for key, value in SETTINGS.items():
        total = total + len(key) * value * x[2] ** 2
    return total * FILLED["a"] + PARAMETERS.total() * x[0] + PARAMETERS["a"] * PARAMETERS.scale


@program(three)
def counted_outside(x):
    total = COUNTS["a"] * x[0] ** 2 + COUNTS["z"] * x[1] + len(COUNTS) * COUNTS.total()
    for _, n in COUNTS.most_common(1):
        total = total + n * x[2] ** 2
    return total * np.sum(x * sum(COUNTS.values()))


@program(three)
def containers_under_names(x):
    p = dict([], order=OrderedDict(a=x[0], b=x[1]), seen=deque([x[2]]))
    p["order"].move_to_end("a")
    p.setdefault("last", deque([x[0]])).append(x[1] ** 2)
    p.update(counts=Counter("aab"))
    return next(iter(p["order"].values())) * p["seen"][0] + p["last"][-1] * p["counts"]["a"]


@program(three)
def copies_hold_their_own(x):
    p, d, c = OrderedDict(w=x[0]), deque([x[0]]), Counter("aab")
    q, e, k, f = copy.copy(p), copy.copy(d), copy.copy(c), copy.copy(Filled(a=x[1]))
    q["w"] = x[1] ** 2
    e.append(x[2])
    k["a"] += 5
    f["a"] = f["a"] * f["b"]
    return p["w"] * q["w"] * len(d) * e[-1] * c["a"] * k["a"] + f["a"] * len(f)
