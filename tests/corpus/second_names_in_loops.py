"""Dicts and objects with two names, of which a loop changes one: what the other shows"""

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self


class Cell:
    def __init__(self, w):
        self.w, self.calls = w, 0

    def step(self, v):
        return np.tanh(v * self.w)

    def counted(self, v):
        self.calls += 1
        return v * self.w


def added(d, v):
    d["s"] = d["s"] + v
    return d


@program(lambda r: (FOUR.copy(),))
def object_added_to_in_place(x):
    a = Vector(x[0], x[1])
    b = a
    for i in range(3):
        a += Vector(x[2] * i, x[3])
    return a.x * a.y + b.x


@program(lambda r: (FOUR.copy(),))
def dict_that_a_function_returns(x):
    a = {"s": x[0]}
    b = a
    for i in range(3):
        a = added(a, x[i])
    return a["s"] * b["s"]


@program(lambda r: (FOUR.copy(),))
def dict_of_the_caller(x):
    def run(d):
        for i in range(3):
            d = added(d, x[i])
        return d["s"]

    a = {"s": x[0]}
    return run(a) * a["s"]


@program(lambda r: (FOUR.copy(),))
def written_and_then_another(x):
    a = {"s": x[0]}
    b = a
    for _ in range(3):
        a["s"] = a["s"] * 2.0
        a = {"s": a["s"] + x[1]}
    return a["s"] * b["s"]


@program(lambda r: (FOUR.copy(),))
def rows_that_change_places(x):
    inner = {"s": x[0]}
    rows = [inner, {"s": x[1]}]
    for _ in range(3):
        rows = [rows[1], rows[0]]
        rows[0]["s"] *= x[2]
    return inner["s"] * rows[0]["s"] + rows[1]["s"]


@program(lambda r: (FOUR.copy(),))
def object_in_a_dict_that_is_replaced(x):
    cell = Cell(x[0])
    d = {"cell": cell, "n": 0.0}
    for i in range(3):
        cell.counted(x[1])
        d = {"cell": d["cell"], "n": d["n"] + cell.calls * x[i]}
    return d["n"] * d["cell"].calls


@program(lambda r: (FOUR.copy(),))
def read_under_the_other_name(x):
    a = {"s": x[0]}
    b = a
    total = 0.0
    for _ in range(3):
        a["s"] = a["s"] + x[1]
        total = total + b["s"]
    return total


@program(lambda r: (np.array([0.7, 0.9]),))
def method_that_changes_nothing(x):
    cell = Cell(x[0])
    holder = {"cell": cell}
    v = x[1]
    while v > 0.05:
        v = cell.step(v)
    return v + holder["cell"].w


@program(
    lambda r: (np.array([0.7, 0.9]),),
    refused=dict.fromkeys(
        ("compiled", "python"), "a container with two names changes in a loop of unknown length"
    ),
)
def method_that_counts_its_calls(x):
    cell = Cell(x[0])
    holder = {"cell": cell}
    v = x[1]
    while v > 0.05:
        v = cell.counted(v)
    return v * holder["cell"].calls


@program(lambda r: (FOUR.copy(),))
def changed_two_containers_down(x):
    cell = Cell(x[0])
    outer = {"inner": {"cell": cell}}
    for _ in range(3):
        for _ in range(2):
            outer["inner"]["cell"].w *= x[2]
        cell.w += x[1]
    return cell.w


@program(lambda r: (r.uniform(0.5, 1.5, size=3),))
def differences_of_states_that_the_next_step_writes_to(x):
    changes = []
    state = x
    for _ in range(3):
        scaled = state
        if changes:
            scaled *= changes[-1]
        following = x - 0.1 * scaled
        changes.append(following - state)
        x, state = following, following
    return np.sum(x)


class Solver:
    def __init__(self, f, h):
        self.f, self.h, self.steps = f, h, 0

    def step(self, t, y):
        self.steps += 1
        return y + self.h * self.f(t, y)

    def run(self, y, end):
        t = 0.0
        while t < end - 1e-12:
            y = self.step(t, y)
            t += self.h
        return y


@program(lambda r: (FOUR.copy(),))
def object_that_counts_and_holds_a_function_of_the_caller(x):
    solver = Solver(lambda t, y: x[0] * np.cos(t) - x[1] * y, 0.1)
    return solver.run(x[2], 1.0) + solver.steps * x[3]


@program(lambda r: (FOUR.copy(),))
def object_that_its_own_function_reads(x):
    def slope(t, y):
        return x[0] * np.cos(t) - solver.steps * x[1] * y

    solver = Solver(slope, 0.5)
    return solver.run(x[2], 2.0)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3), r.normal(size=3)))
def array_named_again_in_each_trip_and_written_to_in_the_next(b, x, y):
    z = np.cos(x)
    x = x.copy()
    for _ in range(3):
        y = y + 0.1 * x
        x[:] = b @ z
        z = x
    return np.sum(y * z)


class Stack:
    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)


@program(lambda r: (r.uniform(0.2, 1.2, size=5),))
def list_of_an_object_with_two_names(x):
    stack = Stack()
    other, s = stack, x[0]
    for i in range(len(x)):
        if stack:
            s += 1.0
        if x[i] > 0.5:
            other.items.append(x[i])
        s += len(stack) * x[i]
    return s + sum(stack.items)


@program(lambda r: (r.uniform(0.2, 1.2, size=5),))
def named_again_behind_what_one_path_adds(x):
    kept, s = [], x[0]
    again = kept
    for i in range(len(x)):
        if x[i] > 0.5:
            again.append(x[i] * x[i])
        again = kept
    return s + sum(kept) + len(again)


@program(lambda r: (r.uniform(0.2, 1.2, size=5),))
def list_of_an_object_named_again(x):
    stack = Stack()
    items, held = stack.items, {"items": stack.items}
    for v in x:
        for _ in range(2):
            if v > 0.5:
                items.append(v)
        items = stack.items
    return sum(stack.items) + len(held["items"]) * x[0]
