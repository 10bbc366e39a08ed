"""The language table: a short function per feature, tried on every engine; docs/language.md is its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

X = np.array([0.5, 1.5, 2.5])

PRELUDE = """
import contextlib
import functools
import itertools
import math
import operator
import threading
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import scipy.special

Pair = namedtuple("Pair", "a b")
SCALE = 2.0
TABLE = np.array([1.0, 2.0, 3.0])
LOG = []
STATS = {"calls": 0}
LOCK = threading.Lock()


@contextlib.contextmanager
def doubled(x):
    yield x * 2


@dataclass
class Model:
    weight: float
    bias: float


class Thing:
    size = 3

    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        return self.factor * x


THING = Thing(2.0)


def helper(x, power=2, *, shift=0.0):
    return x**power + shift


def factorial_like(x, n):
    return x if n == 0 else x * factorial_like(x, n - 1)


def counted(x):
    for k in range(3):
        yield x * k
"""


@dataclass(frozen=True)
class Feature:
    """A construct, a function body of `x` that uses it, and what to write instead where it is refused."""

    group: str
    name: str
    body: str
    instead: str = ""
    arguments: tuple[Any, ...] = (X,)


FEATURES: list[Feature] = []


def _feature(group: str, name: str, body: str, instead: str = "", x: Any = X) -> None:
    FEATURES.append(Feature(group, name, body.strip().replace("\n", "\n    "), instead, (x,)))


_feature(
    "Assignment",
    "names, tuples, starred, chained",
    """
a, (b, *c) = x[0], (x[1], x[2], x[0])
d = e = a * b
return d * e + c[0]
""",
)

_feature(
    "Assignment",
    "augmented, annotated, walrus",
    """
s: float = x[0]
s *= x[1]
return (t := s + 1.0) * t
""",
)

_feature(
    "Assignment",
    "`del`, `pass`, docstrings, `assert`",
    '''
"""Documented."""
y = x * 2.0
assert y.size == 3, "three"
z = np.sum(y * y)
del y
return z
''',
)

_feature(
    "Flow",
    "`if`, `elif`, `else`, `a if c else b`",
    """
if x[0] > 1.0:
    y = x[0]
elif x[1] > 1.0:
    y = x[1] * x[0]
else:
    y = x[2]
return y if y > 0.0 else -y
""",
)

_feature(
    "Flow",
    "`and`, `or`, `not`, chained comparisons",
    """
return x[0] * x[1] if 0.0 < x[0] < 1.0 and not x[1] < 0.0 or x[2] > 9.0 else x[2]
""",
)

_feature(
    "Flow",
    "`for` over `range`, any step; nested",
    """
s = 0.0
for i in range(x.size - 1, -1, -1):
    for j in range(i):
        s += x[i] * x[j]
return s
""",
)

_feature(
    "Flow",
    "`for` over arrays, `enumerate`, `zip`, `reversed`",
    """
s = 0.0
for i, (a, b) in enumerate(zip(x, x[::-1])):
    s += i * a * b
for a in reversed(x):
    s += a * a
return s
""",
)

_feature(
    "Flow",
    "`while`, trip count unknown",
    """
y = x[0]
while y < 100.0:
    y = y * y + x[1]
return y
""",
)

_feature(
    "Flow",
    "`break`, `continue`, `for ... else`",
    """
s = 0.0
for i in range(x.size):
    if x[i] < 1.0:
        continue
    if x[i] > 2.0:
        break
    s += x[i] ** 2
else:
    s += 1.0
return s
""",
)

_feature(
    "Flow",
    "`return` from inside loops",
    """
for i in range(x.size):
    if x[i] > 1.0:
        return x[i] * x[0]
return x[0]
""",
)

_feature(
    "Flow",
    "`match`",
    """
match x.size:
    case 1:
        return x[0]
    case n if n > 2:
        return x[0] * x[n - 1]
    case _:
        return x[1]
""",
)

_feature(
    "Flow",
    "a name that is None, or has no value, until a path sets it",
    """
best = None
for v in x:
    if best is None or v > best:
        best = v
return best
""",
)

_feature(
    "Flow",
    "a number that a loop makes an array: `s = 0.0`, then `s = s + row`",
    """
s = 0.0
for v in x:
    s = s + v * x
return np.sum(s * s)
""",
)

_feature(
    "Flow",
    "`raise` and checks",
    """
if x.size == 0:
    raise ValueError('empty')
return np.sum(x * x)
""",
)

_feature(
    "Flow",
    "`try` / `except`",
    """
try:
    y = x[0] * x[1]
except ValueError:
    y = x[2]
return y
""",
    instead="test the condition with `if`",
)

_feature(
    "Flow",
    "`with` an object that the function makes, `contextlib.contextmanager`, `np.errstate`",
    """
with doubled(x) as y, contextlib.nullcontext(2.0) as k:
    y = y * k
return np.sum(y)
""",
)

_feature(
    "Flow",
    "`with` something from outside",
    """
with LOCK:
    y = x * x
return np.sum(y)
""",
    instead="leave the block out",
)

_feature(
    "Flow",
    "`print`",
    """
print('seen')
return np.sum(x * x)
""",
)

_feature(
    "Arrays",
    "indexing, slices, steps, negative, `...`, `None`",
    """
y = x[None, ::-1][..., 1:]
return np.sum(y * y) + x[-1]
""",
)

_feature(
    "Arrays",
    "writes: elements, slices, `+=`",
    """
y = np.zeros(3)
y[0] = x[0] * x[1]
y[1:] += x[1:] * x[0]
y *= x
return np.sum(y * y)
""",
)

_feature(
    "Arrays",
    "views: a write through one is seen by the other",
    """
y = x * 1.0
v = y[1:]
v[0] = x[0] * x[2]
return np.sum(y * y)
""",
)

_feature(
    "Arrays",
    "writes to an argument (a copy is written)",
    """
x[0] = x[1] * x[2]
return np.sum(x * x)
""",
)

_feature(
    "Arrays",
    "integer-array and mask reads",
    """
return np.sum(x[np.array([0, 0, 2])] ** 2) + np.sum(x[x > 1.0])
""",
)

_feature(
    "Arrays",
    "integer-array and mask writes",
    """
y = x * x
y[np.array([0, 2])] = x[1]
y[y > 5.0] = 0.0
return np.sum(y * y)
""",
)

_feature(
    "Arrays",
    "broadcasting, `@`, reductions with axis",
    """
a = x[:, None] * x
return np.sum(np.max(a @ a, axis=1)) + np.sum(np.mean(a, axis=0))
""",
)

_feature(
    "Arrays",
    "shapes as values",
    """
n, = x.shape
return np.sum(x * x) / n + len(x)
""",
)

_feature(
    "Containers",
    "tuples, lists with `append`",
    """
parts = []
for i in range(3):
    parts.append(x[i] * x[0])
return parts[0] + sum(parts[1:])
""",
)

_feature(
    "Containers",
    "dicts, named tuples, dataclasses",
    """
d = {'a': x[0], 'b': x[1]}
p = Pair(d['a'] * d['b'], x[2])
m = Model(p.a, bias=p.b)
return m.weight * m.bias
""",
)

_feature(
    "Containers",
    "comprehensions over a known number of items",
    """
return np.sum(np.array([x[i] * x[i - 1] for i in range(3)]))
""",
)

_feature(
    "Containers",
    "comprehensions over an array",
    """
return sum([a * a for a in x])
""",
)

_feature(
    "Containers",
    "lists that grow in a loop",
    """
parts = [x[0]]
for i in range(x.size):
    parts.append(x[i] * parts[-1])
return sum(parts)
""",
)

_feature(
    "Containers",
    "lists of tuples, of lists and of arrays of other lengths, for the lengths of the call",
    """
parts = [(x[:i], i) for i in range(1, len(x))]
return sum(np.sum(p * p) * i for p, i in parts)
""",
)

_feature(
    "Containers",
    "lists whose length the data decides",
    """
parts = []
i = 0
while x[i] < 2.0:
    if x[i] > -9.0:
        parts.append(x[i] ** 2)
    i += 1
return sum(parts)
""",
)

_feature(
    "Containers",
    "strings",
    """
name = 'a' + 'b'
return np.sum(x * x) if name == 'ab' else x[0]
""",
)

_feature(
    "Containers",
    "arrays of strings that are known: `x[labels == 'a']`",
    """
labels = np.array(['b', 'a', 'b'])
return sum(np.sum(x[labels == name]) ** 2 for name in np.unique(labels))
""",
)

_feature(
    "Containers",
    "strings and `enum` members that the data choose, as states and keys",
    """
mode, s = 'off', 0.0
for v in x:
    mode = 'on' if mode == 'off' and v > 0.2 else 'off'
    s += v * {'off': 1.0, 'on': x[0]}[mode]
return s
""",
)

_feature(
    "Containers",
    "sets of constants",
    """
return np.sum(x * x) if x.size in {3, 4} else x[0]
""",
)

_feature(
    "Containers",
    "sets of constants that the program changes",
    """
seen, total = set(), 0.0
for i, j in ((0, 1), (1, 0), (1, 2)):
    if frozenset((i, j)) not in seen:
        seen.add(frozenset((i, j)))
        total += x[i] * x[j]
return total
""",
)

_feature(
    "Functions",
    "your own, with defaults and keywords",
    """
return np.sum(helper(x, shift=1.0)) + helper(x[0], 3)
""",
)

_feature(
    "Functions",
    "nested, closures, `lambda`, as arguments",
    """
def inner(a):
    return a * k
k = x[0]
twice = lambda f, a: f(f(a))
return twice(inner, x[1])
""",
)

_feature(
    "Functions",
    "`*args`, `**kwargs`",
    """
def total(*args, **kwargs):
    return args[0] * args[1] + kwargs['c']
return total(*[x[0], x[1]], c=x[2])
""",
)

_feature(
    "Functions",
    "methods and attributes of objects",
    """
return np.sum(THING.apply(x) * x) * THING.size
""",
)

_feature(
    "Functions",
    "making an object of your own class",
    """
return Thing(x[0]).apply(x[1])
""",
)

_feature(
    "Functions",
    "classes that the function defines",
    """
class Spring:
    def __init__(self, k):
        self.k = k

    @property
    def energy(self):
        return 0.5 * self.k * np.sum(x * x)

return Spring(x[0]).energy
""",
)

_feature(
    "Functions",
    "chosen by a branch",
    """
f = np.sin if x[0] > 1.0 else helper
return f(x[1])
""",
)

_feature(
    "Functions",
    "`itertools`, `operator`, `map`, `filter`, `reduce`",
    """
return sum(itertools.accumulate(x)) + sum(map(operator.mul, x, x)) + sum(filter(None, x))
""",
)

_feature(
    "Functions",
    "`functools.partial`",
    """
f = functools.partial(helper, power=3)
return f(x[0])
""",
)

_feature(
    "Functions",
    "recursion with a depth known while compiling",
    """
return factorial_like(x[0], 3)
""",
)

_feature(
    "Functions",
    "recursion that a length ends, for the lengths of the call",
    """
def product(y):
    return y[0] if len(y) == 1 else product(y[: len(y) // 2]) * product(y[len(y) // 2 :])
return product(x)
""",
)

_feature(
    "Functions",
    "an array spread over parameters: `f(*x)`",
    """
def line(a, *rest):
    return a * sum(rest)
return line(*x)
""",
)

_feature(
    "Functions",
    "recursion, depth in the data",
    """
def down(y):
    return y if y < 0.1 else down(y * x[0])
return down(x[0])
""",
    instead="write a loop",
)

_feature(
    "Functions",
    "generators, gone over once",
    """
return sum(counted(x[0])) + sum(k * v for k, v in enumerate(counted(x[1])))
""",
)

_feature(
    "Functions",
    "a generator that is left and taken up again",
    """
g = counted(x[0] + 1.0)
return next(g) + next(g) + next(g)
""",
    instead="a list of it",
)

_feature(
    "Functions",
    "random numbers from a seed: `np.random.default_rng(0)`",
    """
rng = np.random.default_rng(0)
total = 0.0
for k in range(3):
    total = total + np.sum(x * rng.normal(size=3)) ** 2
return total
""",
)

_feature(
    "Functions",
    "globals: numbers and arrays, read anew at each call",
    """
return SCALE * np.sum(TABLE * x * x)
""",
)

_feature(
    "Functions",
    "what is left outside: attributes, `global`, `nonlocal`, entries of dicts, lists that are appended to",
    """
global SCALE
SCALE += x[0]
THING.size += 1
STATS["calls"] += 1
LOG.append(x[1])
return np.sum(x * x)
""",
)

_feature(
    "Functions",
    "writes to elements of lists outside, reading a list that is appended to",
    """
LOG.append(1.0)
return np.sum(x * x) * LOG[-1]
""",
    instead="return what is to be kept, with `has_aux=True`",
)

_feature(
    "Functions",
    "`numpy`, `math`, `scipy.special`",
    """
return np.sum(scipy.special.expit(x)) + math.sin(x[0])
""",
)

_feature(
    "Functions",
    "a library's own Python code, of operations that adc knows",
    """
return np.sum(np.polynomial.chebyshev.chebmulx(x) ** 2)
""",
    instead="write the formula, or register a rule",
)

_feature(
    "Types",
    "float32, float64; integers and booleans beside them",
    """
return np.sum(x * x * np.arange(3) * (x > 0))
""",
    x=X.astype(np.float32),
)

_feature(
    "Types",
    "complex values inside, a real result",
    """
z = np.exp(1j * x)
return np.sum(np.real(z * z))
""",
)
