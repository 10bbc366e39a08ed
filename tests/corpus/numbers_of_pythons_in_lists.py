"""Lists of a run-time length whose elements are Python's own numbers, of which True + True is 2"""

import functools

import numpy as np
from tests.corpus import program


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def truth_values_of_a_list(x):
    above = [bool(v > -9) for v in x]
    twice = sorted(above)
    first, *others = above
    s = (above[0] + above[1]) * x[0] + (twice[0] + twice[2]) * x[1] + (first + others[0]) * x[2]
    return s + sum(above) * max(above) * x[0] + (max(above) + min(above)) * x[1]


@program(lambda r: (np.array([1.5, 2.5, 3.5]),))
def sorted_numbers(x):
    low, high = sorted([float(x[1]), float(x[0])])
    by_class = 3.0 if type(low) is float else 1.0
    either, both = sorted([bool(x[0] > 0), bool(x[1] > -9)])
    return low * high * by_class + (either + both) * x[2]


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def truth_values_in_rows(x):
    rows = []
    for v in x:
        rows.append((bool(v > 0), bool(v > -5)))
    s = 0.0
    for k, (a, b) in enumerate(rows):
        s += (a + b) * x[k]
    return s + (rows[0][0] + rows[2][1]) * x[0]


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def parts_of_lists_of_truth_values(x):
    above = [False] * len(x)
    for k in range(len(x)):
        above[k] = bool(x[k] > -9)
    part, copy = above[:2], list(above)
    while copy:
        s = (copy.pop() + part[0]) * x[0]
    return s + functools.reduce(lambda a, b: a + b, above) * x[1]


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def numbers_of_numpys_among_them(x):
    values = [1.0]
    for v in x:
        values.append(v)
    counts = [int(v > 0) for v in x]
    more = counts[:]
    more.append(x[0] * 1.5)
    rows = [[0, 0] for _ in x]
    for k in range(len(x)):
        rows[k][1] = x[k] * 2
    python = 2.0 if isinstance(values[1], np.floating) else 1.0
    return values[1] * values[2] * python + more[-1] * x[1] + rows[0][1] * rows[1][1]


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def rows_unpacked_are_lists(x):
    rows = []
    for i in range(len(x)):
        rows.append([x[i], x[i] * 2])
    first, second, *rest = rows
    return len(first + second) * first[0] * second[1] + rest[0][1]


@program(lambda r: (np.array([1.5, -2.5, 3.5]),))
def numbers_beside_arrays(x):
    log = [(bool(x[0] > -9), x * 1.0, 1.0)]
    for k in range(len(x)):
        log.append((bool(x[k] > -9), x * k, x[k]))
    s = 0.0
    for above, row, last in log:
        s += (above + above) * np.sum(row) * last
    return s + (2.0 if isinstance(log[2][2], np.floating) else 1.0) * x[0]


class Account:
    def __init__(self, left):
        self.left, self.log = left, []

    def pay(self, who, amount):
        if self.left < amount:
            raise RuntimeError(f"{who} is not paid")
        self.left -= amount
        self.log.append((who, amount))


@program(lambda r: (np.array([1.5, 2.5, 3.5]),))
def records_in_a_branch_of_numbers_of_both(x):
    account = Account(10.0 + x[0])
    for who, amount in (("ann", 3.0), ("ann", 100.0), ("ann", x[2])):
        try:
            account.pay(who, amount)
        except RuntimeError:
            account.left -= 0.1
    paid = sum(amount for _, amount in account.log)
    return account.left * x[1] + len(account.log) * x[0] + paid


class Bus:
    def __init__(self, kind, power=0.0):
        self.kind, self.power, self.angle = kind, power, 0.0


@program(lambda r: (np.array([1.5, 2.5, 3.5]),))
def objects_joined_with_others_of_other_texts(x):
    buses = [Bus("slack"), Bus("pv", 0.5)] + [Bus("pq", -v) for v in x]
    s = 0.0
    for k, bus in enumerate(buses):
        s += bus.power * (k + 1.0) if bus.kind != "slack" else bus.angle
    return s * sum(bus.power for bus in buses if bus.kind == "pq")
