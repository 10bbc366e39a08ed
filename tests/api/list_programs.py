"""Functions of long lists, as `case` has them: with their arguments, the first of which is differentiated."""

# ruff: noqa: B905, RUF005, RUF007, RUF059, E741 - as users write them

import dataclasses
import functools
import itertools
import operator
from typing import NamedTuple

import numpy as np


class Obs(NamedTuple):
    t: float
    y: np.ndarray


@dataclasses.dataclass
class Item:
    x: np.ndarray
    label: int
    weight: float


rng = np.random.default_rng(3)
EQ = [rng.normal(size=3) for _ in range(9)]
RAG = [rng.normal(size=k % 4 + 2) for k in range(9)]
MAT = [rng.normal(size=(k % 3 + 2, 3)) for k in range(9)]
PAIR = [(rng.normal(size=k % 4 + 2), float(k) * 0.1) for k in range(9)]
LAB = [(rng.normal(size=3), k % 3) for k in range(9)]
FL = [0.1 * k + 0.3 for k in range(9)]
IN = [k % 3 for k in range(9)]
OBS = [Obs(0.1 * k, rng.normal(size=2)) for k in range(9)]
ITEMS = [Item(rng.normal(size=k % 3 + 1), k % 2, 0.5 + 0.1 * k) for k in range(9)]
DICTS = [{"x": rng.normal(size=2), "y": 0.1 * k} for k in range(9)]
W = np.array([0.3, -0.5, 0.8])
PROGRAMS = []


def case(*arguments):
    def noted(function):
        PROGRAMS.append((function, arguments))
        return function

    return noted


@case(W, EQ)
def plain(w, xs):
    t = 0.0
    for x in xs:
        t += np.tanh(x @ w)
    return t


@case(W, EQ)
def stacked(w, xs):
    return np.sum(np.tanh(np.array(xs) @ w)) + np.sum(np.stack(xs) @ w) + np.mean(np.concatenate(xs)) * w[0]


@case(W, EQ)
def indices(w, xs):
    t = xs[0] @ w + xs[-1] @ w * 2
    for i in range(len(xs)):
        t += (xs[i] @ w) ** 2 * (i + 1)
    for i in range(1, len(xs)):
        t += (xs[i] - xs[i - 1]) @ w
    return t


@case(W, RAG)
def rag(w, xs):
    t = 0.0
    for i, x in enumerate(xs):
        t += np.sum(np.sin(x * w[0])) * i + len(x) * w[1]
    return t / len(xs)


@case(W, RAG)
def rag2(w, xs):
    return sum(np.mean(x**2 * w[0]) for x in xs) + max(np.max(x * w[1]) for x in xs)


@case(W, RAG)
def rag3(w, xs):
    return np.sum(np.concatenate(xs) * w[0])


@case(W, RAG)
def rag4(w, xs):
    return np.mean([np.sum(x * w[2]) for x in xs])


@case(W, RAG)
def rag5(w, xs):
    t = 0.0
    for a, b in zip(xs, xs[1:]):
        t += a[0] * w[0] + b[-1] * w[1]
    return t


@case(W, RAG)
def rag6(w, xs):
    ys = sorted(xs, key=len)
    return ys[0][0] * w[0] ** 2 + ys[-1][0] * w[1]


@case(W, MAT)
def mats(w, xs):
    t = 0.0
    for x in reversed(xs):
        t = t * 0.9 + np.sum(np.tanh(x @ w))
    return t


@case(W, PAIR)
def pairs(w, ps):
    t = 0.0
    for x, y in ps:
        t += (np.sum(x) * w[0] - y * w[1]) ** 2
    return t


@case(W, PAIR)
def pairs2(w, ps):
    return functools.reduce(lambda a, p: a + p[0][0] * w[0] * p[1], ps, 0.0)


@case(W, PAIR)
def pairs3(w, ps):
    xs, ys = zip(*ps)
    return np.sum(np.array(ys) * w[0]) + xs[0][0] * w[1]


@case(W, LAB)
def labels(w, ps):
    t = 0.0
    for x, c in ps:
        z = x * w
        t += z[c] ** 2 - np.log(np.sum(np.exp(z)))
        if c == 1:
            t += w[0] ** 2
    return t


@case(W, FL)
def floats(w, ys):
    return (
        sum((w[0] * y - w[1]) ** 2 for y in ys)
        + np.sum(np.array(ys) * w[2])
        + max(ys) * w[0]
        + sum(ys) * w[1]
    )


@case(W, FL, IN)
def ints(w, ys, ks):
    t = 0.0
    for y, k in zip(ys, ks):
        t += y * w[k]
    return t + w[ks[4]] * len(ks)


@case(W, IN)
def fancy(w, ks):
    return np.sum(w[ks] ** 2) + np.sum(w[np.array(ks)])


@case(W, IN)
def isin(w, ks):
    return sum(w[i] for i in range(3) if i in ks) * w[0]


@case(W, OBS)
def obs(w, os):
    t = 0.0
    for o in os:
        t += (o.y[0] - np.sin(w[0] * o.t)) ** 2
    for a, b in os:
        t += a * b[1] * w[1]
    return t + os[0].t * w[2]


@case(W, ITEMS)
def items(w, its):
    return sum(it.weight * np.sum(it.x) * w[it.label] for it in its)


@case(W, DICTS)
def dicts(w, ds):
    t = 0.0
    for d in ds:
        t += np.sum(d["x"]) * w[0] * d["y"]
    return t


@case(W, EQ, RAG)
def rebound(w, xs, ys):
    t = 0.0
    for k in range(4):
        t += ys[k][0] * w[0]
        if k % 2:
            ys = ys[1:]
    return t


@case(W, RAG, RAG[::-1])
def swapped(w, xs, ys):
    t = 0.0
    for k in range(4):
        t += ys[k][0] * w[0] + xs[k + 1][1] * w[1]
        xs, ys = ys, xs
    return t


@case(W, RAG, RAG[::-1])
def chosen(w, xs, ys):
    zs = xs if w[0] > 0 else ys
    t = 0.0
    for z in zs:
        t += np.sum(z) * w[0]
    return t


@case(W, PAIR, PAIR[::-1])
def chosen2(w, xs, ys):
    if w[0] > 5:
        zs = xs
    else:
        zs = ys
    return sum(z[1] * w[0] * z[0][0] for z in zs)


@case(W, RAG, RAG[::-1])
def chosen_in_loop(w, xs, ys):
    t = 0.0
    zs = xs
    for k in range(6):
        t += zs[k][0] * w[0]
        zs = ys if t > 0 else xs
    return t


@case(W, EQ)
def appended(w, xs):
    xs = xs + [w]
    ys = list(xs)
    ys.append(w * 2)
    return sum(np.sum(y * w) for y in ys)


@case(W, [e.copy() for e in EQ])
def appends_arg(w, xs):
    ys = xs.copy()
    ys.append(w)
    ys[0] = w * 3
    return sum(np.sum(y * w) for y in ys)


@case(W, EQ)
def popped(w, xs):
    ys = list(xs)
    t = 0.0
    while ys:
        t += ys.pop() @ w
    return t


@case(W, EQ)
def unpack(w, xs):
    a, b, *c = xs
    return a @ w + b @ w * 2 + len(c) * w[0]


@case(W, EQ)
def nested_lists(w, xs):
    return sum(sum(v * w[j] for j, v in enumerate(x)) for x in xs)


@case(W, [[1.0, 2.0, 3.0] for _ in range(9)])
def rows_of_lists(w, xs):
    A = np.array(xs)
    return np.sum(A @ w) + sum(r[1] * w[0] for r in xs)


@case(W, [[0.1 * (i + j) for j in range(9)] for i in range(9)])
def big_table(w, xs):
    return np.sum(np.array(xs)) * w[0] + sum(sum(r) * w[1] for r in xs) + xs[2][3] * w[2]


@case(W, {"train": RAG, "k": 2.0}, EQ)
def in_dict(w, d, xs):
    return d["k"] * sum(np.sum(x) * w[0] for x in d["train"]) + xs[3] @ w


@case(W, [EQ[:3], RAG])
def list_of_lists(w, ls):
    return sum(np.sum(x) * w[0] for l in ls for x in l)


@case(W, EQ)
def instance(w, xs):
    return (
        (w[0] if isinstance(xs, list) else w[1]) * 2
        + (w[1] ** 2 if isinstance(xs[0], np.ndarray) else 0)
        + (w[2] if xs else 0.0)
    )


@case(W, tuple(EQ))
def tup(w, xs):
    return (w[0] if isinstance(xs, tuple) else w[1]) * 2 + sum(x @ w for x in xs)


@case(W, EQ)
def product(w, xs):
    t = 0.0
    for a, b in itertools.combinations(xs, 2):
        t += (a @ b) * w[0] ** 2
    return t


@case(W, EQ)
def dist(w, xs):
    t = 0.0
    for i in range(len(xs)):
        for j in range(i):
            t += np.linalg.norm(xs[i] - xs[j] * w)
    return t


@case(W, EQ)
def state(w, xs):
    h = np.zeros(3)
    hs = []
    for x in xs:
        h = np.tanh(h * w + x)
        hs.append(h)
    return np.sum(np.array(hs) ** 2) + hs[-1][0]


@case(W, EQ)
def minkey(w, xs):
    b = min(xs, key=lambda x: np.sum((x - w) ** 2))
    return np.sum((b - w) ** 2)


@case(W, FL)
def index_of(w, ys):
    return w[0] * ys.index(max(ys)) + w[1] * ys.count(0.3)


@case(W, RAG)
def lens(w, xs):
    return sum(len(x) for x in xs) * w[0] + max(map(len, xs)) * w[1] + xs[2].shape[0] * w[2]


@case(W, [np.float32(e) for e in EQ])
def f32(w, xs):
    return sum(np.sum(x) * w[0] for x in xs)


@case(W, [np.zeros(0) if k % 2 else np.ones(2) for k in range(9)])
def empties(w, xs):
    return sum(np.sum(x) * w[0] for x in xs)


@case(W, [rng.integers(0, 3, k % 3 + 1) for k in range(9)])
def index_lists(w, xs):
    t = 0.0
    for ix in xs:
        t += np.sum(w[ix]) ** 2
    return t


@case(W, [rng.normal(size=3) > 0 for k in range(9)])
def masks(w, xs):
    return sum(np.sum(w[m] ** 2) for m in xs)


@case(W, [(0, 1), (1, 2), (0, 2)] * 4)
def edges(w, es):
    t = 0.0
    for i, j in es:
        t += (w[i] - w[j]) ** 2
    return t


@case(W, [(0, 1, 0.5), (1, 2, 0.25), (0, 2, 0.1)] * 4)
def weighted_edges(w, es):
    return sum(c * (w[i] - w[j]) ** 2 for i, j, c in es)


@case(W, [("a", 1.0), ("b", 2.0)] * 5)
def texts(w, es):
    return sum(v * w[0] if n == "a" else v * w[1] for n, v in es)


@case(W, [None] * 4 + EQ)
def nones(w, xs):
    return sum(x @ w for x in xs if x is not None)


@case(W, [operator.add, operator.mul] * 5)
def funcs(w, fs):
    t = w[0]
    for f in fs:
        t = f(t, w[1])
    return t


@case(W, RAG)
def slices(w, xs):
    return sum(np.sum(x) * w[0] for x in xs[2:5]) + sum(np.sum(x) for x in xs[::2]) * w[1]


@case(W, PAIR)
def sl2(w, ps):
    n = len(ps)
    tr, te = ps[: n // 2], ps[n // 2 :]
    return sum(p[1] * w[0] for p in tr) - sum(p[1] * w[1] for p in te)


@case(W, EQ)
def writes(w, xs):
    xs[0][0] = w[0]
    return sum(x @ w for x in xs)


@case(W, FL)
def writes2(w, ys):
    ys[2] = w[0] * 2
    return sum(y * w[1] for y in ys)


PTS = [(0.1 * k, 0.2 * k * k) for k in range(9)]


@case(W, PTS)
def points(w, ps):
    P = np.array(ps)
    return np.sum(P[:, 0] * w[0] + P[:, 1] * w[1]) + ps[3][1] * w[2] + sum(x * y for x, y in ps) * w[0]


@case(W, PTS)
def points2(w, ps):
    ps = sorted(ps)
    t = 0.0
    for (a, b), (c, d) in zip(ps[:-1], ps[1:]):
        t += (c - a) * (b + d) / 2 * w[0]
    return t


@case(W, [(k, 0.5 * k) for k in range(9)])
def points3(w, ps):
    return np.sum(np.asarray(ps) @ w[:2]) + max(ps)[1] * w[0]


@case(W, [[k % 3, (k + 1) % 3] for k in range(9)])
def conn(w, ns):
    t = 0.0
    for n in ns:
        t += (w[n[0]] - w[n[1]]) ** 2 + np.sum(w[n])
    return t + np.sum(w[np.array(ns)])


@case(W, [[0.1 * k] for k in range(9)])
def single(w, xs):
    return sum(x[0] for x in xs) * w[0]


@case(W, FL)
def liststuff(w, ys):
    z = list(ys)
    z.append(2.0)
    u = ys + [1.0]
    return (
        sum(z) * w[0]
        + sum(u) * w[1]
        + ys[::-1][0] * w[2]
        + np.mean(ys)
        + np.dot(ys, ys) * w[0]
        + (w[1] if 0.3 in ys else 0)
    )


@case(W, FL)
def arith(w, ys):
    return (
        np.sum(np.array(ys) * w[0] + np.cumsum(ys))
        + np.sum(w[0] * np.asarray(ys[2:5]))
        + np.interp(w[0], ys, ys)
    )


@case(W, FL)
def listdown(w, ys):
    t = w[0]
    for y in ys[::-1]:
        t = t * w[1] + y
    a, b, *c = ys
    return t + a * w[2] + len(c)


@case(np.float32([0.3, 0.4, 0.5]), FL)
def weak(w, ys):
    t = w[0]
    for y in ys:
        t = t + w[1] * y
    return t
