"""`with`: context managers of the user's classes, and of contextlib."""

import contextlib
import warnings

import numpy as np
from tests.corpus import program


class Logged:
    def __init__(self, k):
        self.k, self.log, self.entered = k, [], 0.0

    def __enter__(self):
        self.log.append(self.k)
        self.entered += 1
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(-2.0 * self.k)
        self.entered += 0.5
        return False


@contextlib.contextmanager
def doubled(k):
    yield k * 2


@contextlib.contextmanager
def pushed(stack, v):
    stack.append(v)
    try:
        yield stack
    finally:
        stack.pop()


class State:
    def __init__(self):
        self.t = 1.0

    @contextlib.contextmanager
    def at(self, t):
        old = self.t
        self.t = t
        try:
            yield self
        finally:
            self.t = old


class Swallowing:
    def __enter__(self):
        return 2.0

    def __exit__(self, kind, value, traceback):
        return kind is ValueError


@program(lambda r: (r.normal(size=3),))
def a_manager_of_a_class(x):
    with Logged(x[0]) as c:
        y = c.k * x[1]
    return y + sum(c.log) * x[2] * c.entered


@program(lambda r: (r.normal(size=3),))
def several_managers(x):
    with doubled(x[0]) as c, contextlib.nullcontext(x[1]) as d, np.errstate(all="ignore"):
        y = c * d
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y += x[2] ** 2
    return y


@program(lambda r: (r.normal(size=3),))
def a_method_that_manages(x):
    s, total = State(), 0.0
    for v in x:
        with s.at(v) as q, s.at(v * q.t):
            total += s.t**2
        total += s.t * v
    return total


@program(lambda r: (np.array([0.2, -0.4, 0.5, 1.2, 0.1]),))
def jumps_out_of_a_managed_block(x):
    timer, total = Logged(x[0]), 0.0
    for v in x:
        with timer:
            if v > 0.3:
                continue
            total += v**2
            if total > 0.15:
                break
    return total * timer.entered


def _returned(x, manager):
    with manager as m:
        if m.k > 0:
            return m.k * x[1]
        x = x * 2
    return np.sum(x * x) * m.entered


@program(lambda r: (r.normal(size=3),))
def return_from_a_managed_block(x):
    return _returned(x, Logged(x[0])) + _returned(x, Logged(-x[0]))


@program(lambda r: (r.normal(size=4),))
def a_manager_defined_in_the_function(x):
    k, s = 1.0, 0.0

    @contextlib.contextmanager
    def damped(a):
        nonlocal k
        k *= a
        yield
        k /= a

    with damped(x[1]):
        s += k * x[0]
    with damped(2.0):
        with damped(3.0):
            s += k * x[2]
    return s * k + x[3]


@program(lambda r: (r.normal(size=3),))
def what_is_swallowed(x):
    y = x[0]
    with Swallowing() as k:
        y = y * k + x[1]
    with Swallowing():
        y = y * 3
        if len(x) == 3:
            raise ValueError("no")
        y = y * 100
    with contextlib.suppress(KeyError, IndexError):
        y = y * {"a": 2.0}["b"]
    with contextlib.suppress(KeyError):
        y = y * {"a": 2.0}["a"]
    return y * x[2]


@contextlib.contextmanager
def chosen(k, plain):
    if plain:
        yield k
    else:
        yield k * 2


@program(lambda r: (r.normal(size=3),))
def a_manager_with_a_branch(x):
    s = 0.0
    for i, v in enumerate(x):
        with chosen(v, v > 0) as q:
            s += q * q * (i + 1)
    return s


@program(
    lambda r: (np.array([0.7, 0.4]),),
    refused=dict.fromkeys(("python", "compiled"), "whether it raises, only the run knows"),
)
def what_may_be_swallowed(x):
    y = x[0]
    with Swallowing():
        y = y * x[int(y > 0.5)]
    return y


@program(lambda r: (np.array([0.4, 0.3, 0.7]),))
def a_jump_out_of_two(x):
    stack, s = [1.0], 0.0
    for i, v in enumerate(x):
        with pushed(stack, v), Logged(v) as log:
            s += stack[-1] * v
            with pushed(stack, s):
                if i == 1:
                    continue
                s -= np.sin(stack[-1] * v)
        s += stack[-1] * v + log.entered * v
    return s + len(stack)


@program(
    lambda r: (np.array([0.4, 0.3, 0.7]),),
    refused=dict.fromkeys(("python", "compiled"), "this `with` is not supported"),
)
def a_jump_that_may_be_taken_back(x):
    s = 0.0
    for i, v in enumerate(x):
        with Swallowing(), Swallowing():
            with Logged(v):
                if i == 1:
                    continue
            s += v * v
        s += v
    return s
