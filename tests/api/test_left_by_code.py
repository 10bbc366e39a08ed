"""What generated code leaves outside the function is what the function leaves there."""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

import adc

POINTS = np.array([1.1, 2.0, 3.0]), np.array([0.9, 1.5, 2.5]), np.array([2.0, 1.4, 1.0])
CALLS = 0
MODULE = types.ModuleType("a_module_of_the_users")

PROGRAMS = []


def program(make):
    """`make` gives a function, and what tells what it has left."""
    PROGRAMS.append(make)
    return make


@program
def an_attribute_of_the_function():
    def f(x):
        f.calls += 1
        return np.sum(x * x) * f.calls

    f.calls = 0
    return f, lambda: f.calls


@program
def a_decorator_that_counts():
    def counted(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            wrapper.calls += 1
            return function(*args, **kwargs)

        wrapper.calls = 0
        return wrapper

    @counted
    def f(x):
        return np.sum(x**3)

    return f, lambda: f.calls


@program
def a_helper_in_a_loop():
    def helper(v):
        helper.calls += 1
        if v > 1.2:
            helper.most += v
        return np.sin(v) * helper.most

    def f(x):
        total = 0.0
        for v in x:
            total += helper(v)
        return total + sum(helper(v) for v in x)

    helper.calls, helper.most = 0, 0.0
    return f, lambda: (helper.calls, helper.most)


@program
def trips_of_a_while():
    class Solver:
        trips, root = 0, 0.0

    solver = Solver()

    def f(x):
        y = x[0]
        while y * y - x[1] > 1e-8:
            y = 0.5 * (y + x[1] / y)
            solver.trips += 1
        solver.root = y
        return y * x[2] * solver.root

    return f, lambda: (vars(solver), Solver.trips)


@program
def a_name_of_the_module():
    global CALLS
    CALLS = 0

    def f(x):
        global CALLS

        def tick():
            global CALLS
            CALLS += 1
            return CALLS

        return tick() * x[0] + tick() * x[1] * CALLS

    return f, lambda: CALLS


@program
def a_loop_over_a_name_of_the_module():
    global CALLS
    CALLS = 0

    def f(x):
        global CALLS
        total = (CALLS := CALLS + 1) * x[0]
        for CALLS in range(3):
            total += x[CALLS]
        return total

    return f, lambda: CALLS


@program
def a_name_of_another_module():
    MODULE.calls = 0

    def f(x):
        MODULE.calls += 2
        return np.sum(x) * MODULE.calls

    return f, lambda: MODULE.calls


@program
def variables_of_the_function_around():
    calls, best, last = 0, np.inf, None

    def f(x):
        nonlocal calls, best, last
        value = np.sum(x * x)
        calls += 1
        last = 2 * x
        if value < best:
            best = value
        return value * calls

    return f, lambda: (calls, best, last)


@program
def the_best_so_far_is_none_at_first():
    found = types.SimpleNamespace(best=None)

    def f(x):
        value = np.sum(x * x)
        if found.best is None or value < found.best:
            found.best = value
        return value * found.best

    return f, lambda: found.best


@program
def entries_of_dicts():
    stats = {"calls": 0, "high": 0, "low": 0, "last": 0.0}

    def f(x):
        stats["calls"] += 1
        if x[0] > 1.0:
            stats["high"] += 1
        else:
            stats["low"] += 1
        stats["last"] = x[0]
        return np.sum(x) * sum(stats.values())

    return f, lambda: stats


@program
def new_entries_of_dicts():
    memo, counts, tally = {}, collections.defaultdict(int), collections.Counter()

    def f(x):
        if "scale" not in memo:
            memo["scale"] = 3.0
        memo["h"] = np.tanh(x)
        memo["n"] = memo.get("n", 0) + 1
        memo.setdefault("m", 1)
        memo.update(k=memo["m"] + len(x))
        counts["f"] += 1
        tally["f"] += 1
        return np.sum(memo["h"]) * memo["scale"] * memo["n"] * (2.0 if "h" in memo else 1.0)

    return f, lambda: (memo, dict(counts), dict(tally))


@program
def a_method_and_its_object():
    @dataclass
    class Model:
        name: str = "new"
        calls: int = 0
        weight: float = 2.0
        history: list = field(default_factory=list)
        made = 0

        def loss(self, x):
            self.calls += 1
            self.name = "used"
            type(self).made += 1
            self.history.append(x[0])
            return self.weight * np.sum(x * x) * self.made

    model = Model()
    return (lambda x: model.loss(x)), lambda: (vars(model), Model.made)


@program
def a_dataclass_of_numbers():
    @dataclass
    class Meter:
        total: float = 0.0
        weight: float = 2.0

        def __call__(self, x):
            self.total += np.sum(x)
            return self.weight * np.sum(x * x) * self.total

    meter = Meter()
    return (lambda x: meter(x)), lambda: vars(meter)


@program
def a_property_and_slots():
    class Counter:
        __slots__ = ("_n",)

        def __init__(self):
            self._n = 0

        @property
        def n(self):
            return self._n

        @n.setter
        def n(self, value):
            self._n = value

    counter = Counter()

    def f(x):
        counter.n += 1
        setattr(counter, "_n", counter._n + 1)  # noqa: B010
        return np.sum(x) * counter.n

    return f, lambda: counter.n


@program
def an_attribute_that_the_class_has():
    class Base:
        n = 0

    class Derived(Base):
        m = 0

    one, other = Derived(), Derived()

    def f(x):
        one.m += 1  # from here on its own
        Base.n += 1
        return np.sum(x) * one.m * other.n * (1 + other.m)

    return f, lambda: (vars(one), Base.n, Derived.m)


@program
def one_object_under_several_names():
    a = types.SimpleNamespace(n=0.0)
    table, items = {"n": 1.0}, []
    holder = types.SimpleNamespace(inner=a, table=table, items=items)
    b = a

    def f(x):
        a.n += x[0]
        b.n += 1
        holder.inner.n += 1
        vars(a)["n"] += 1
        a.__dict__["n"] += 1
        table["n"] += x[1]
        holder.table["n"] += 1
        items.append(x[0])
        holder.items.append(table["n"])
        return np.sum(x * x) * b.n + a.n * table["n"]

    return f, lambda: (a.n, table, items)


@program
def lists_that_are_appended_to():
    losses, records, arrays, history = [0.5] * 20, [], list(range(300)), {"x": [], "y": []}

    def f(x):
        value = np.sum(x * x)
        changed = 2 * x
        losses.append(value)
        records.append((value, "a", True, {"n": len(x)}))
        arrays.append(changed)
        changed[0] = 7.0
        history["x"].append(x[0])
        history["y"] += [x[1], 2]
        return value * len(losses) + np.sum(changed)

    return f, lambda: (losses, records, arrays, history)


@program
def a_list_in_loops_and_branches():
    states, high = [], []

    def f(x):
        state = 0.0
        for v in x:
            state = 0.5 * state + v
            states.append(state)
            if v > 1.45:
                high.append(v)
        while state < 10.0:
            state *= 1.7
            high.append(state)
        high.extend([v * v for v in x])
        return state

    return f, lambda: (states, high)


@program
def lists_that_are_defaults():
    def f(x, seen=[], *, state={"n": 0}):  # noqa: B006
        seen.append(x[0])
        state["n"] += 1
        return state["n"] * np.sum(x)

    return f, lambda: (f.__defaults__, f.__kwdefaults__)


@program
def containers_that_are_assigned():
    left = types.SimpleNamespace(losses=None, pair=None, table=None)

    def f(x):
        losses = []
        for v in x:
            losses.append(v * v)
        left.losses = losses
        left.pair = [x[0], x[1]]
        left.pair.append(3.0)
        left.table = {"a": x[0], "b": 2 * x}
        return sum(losses) * left.pair[0] + left.table["a"]

    return f, lambda: vars(left)


@program
def running_means():
    class Norm:
        def __init__(self):
            self.mean, self.steps = np.zeros(3), 0

        def __call__(self, x):
            self.steps += 1
            self.mean = 0.9 * self.mean + 0.1 * x
            return x - self.mean

    norm = Norm()

    def f(x):
        for _ in range(3):
            x = norm(x)
        return np.sum(x * x)

    return f, lambda: vars(norm)


@program
def exceptions_and_returns():
    left = types.SimpleNamespace(tried=0, caught=0, late=0)

    def f(x):
        try:
            left.tried += 1
            if x[0] > 1.0:
                raise ValueError("too large")
            left.tried += 10
        except ValueError:
            left.caught += 1
        if x[1] > 1.9:
            return np.sum(x)
        left.late += 1
        return np.sum(x) * left.tried

    return f, lambda: vars(left)


@program
def truth_values_and_texts():
    left = types.SimpleNamespace(warned=False, toggled=False, high=True, state="start")

    def f(x):
        left.toggled = not left.toggled
        left.warned = True
        left.high = x[0] > 1.0
        left.state = "high" if x[0] > 1.0 else "low"
        return np.sum(x) if left.toggled else np.sum(x * x)

    return f, lambda: (left.warned, left.toggled, bool(left.high), left.state)


@program
def generators_and_managers():
    left = types.SimpleNamespace(given=0, depth=0, done=0)

    def squares(x):
        for v in x:
            left.given += 1
            yield v * v

    @contextlib.contextmanager
    def measured():
        left.depth += 1
        yield
        left.depth -= 1
        left.done += 1

    def f(x):
        with measured():
            return sum(squares(x)) * left.depth

    return f, lambda: vars(left)


@program
def numbers_of_numpy():
    left = types.SimpleNamespace(n=np.int64(0), single=np.float32(0))

    def f(x):
        left.n += 1
        left.single += np.float32(0.5)
        return np.sum(x) * left.n

    return f, lambda: (left.n, left.single, type(left.single))


@program
def two_that_change_places():
    left = types.SimpleNamespace(a=0.0, b=1.0)

    def f(x):
        left.a, left.b = left.b, left.a + x[0]
        left.c = left.d = y = 2 * x[1]
        return np.sum(x) * left.b * y + left.c

    return f, lambda: vars(left)


def same(a, b):
    """Whether two things hold the same numbers to rounding, and the same of everything else."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (str, bool, type, type(None))):
        return a == b
    kinds = [np.asarray(v).dtype.kind for v in (a, b)]
    return kinds[0] == kinds[1] and np.allclose(a, b, rtol=1e-12)


def run(function, left):
    values = [function(x.copy()) for x in POINTS]
    return values, copy.deepcopy(left())


@pytest.mark.parametrize("mode", ["python", "tape", "compiled"])
@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_it_is_what_the_function_leaves(make, mode):
    function, left = make()
    values, was = run(function, left)
    function, left = make()
    found, now = run(adc.value_and_grad(function, mode=mode), left)
    assert same(values, [value for value, _ in found])
    assert same(was, now), (was, now)
    for x, (_, gradient) in zip(POINTS, found, strict=True):
        assert np.isfinite(gradient).all() and gradient.shape == x.shape


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_gradients_are_those_of_one_call(make):
    """What an earlier call has left is a constant of the next."""
    found = []
    for mode in ("python", "tape"):
        function, left = make()
        found.append(run(adc.grad(function, mode=mode), left))
    assert same(*found)
