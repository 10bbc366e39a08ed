"""The variables of every statement are those that Numba's own method lists, in its order."""

import inspect

import numpy as np
from numba.core import ir
from numba.core.compiler import run_frontend

from adc.runtime.passes import variables

OWN = inspect.getclosurevars(ir.Inst._rec_list_vars).nonlocals["own"]


def loops(x, n):
    total, rows = 0.0, []
    for i in range(n):
        if x[i, 0] > 0 and i != 3:
            total += np.sum(x[i, 1 : n - 1 : 2] * x[..., None][i, 0], axis=0)
        rows.append((total, {"a": i, "b": [n, total]}))
    return total, rows


def raising(x):
    if x < 0:
        raise ValueError("negative", x)
    print(1, 2)
    return {1, 2}


def test_the_same_variables_in_the_same_order(monkeypatch):
    assert ir.Inst._rec_list_vars.__module__ == variables.__name__
    every = [s for f in (loops, raising) for b in run_frontend(f).blocks.values() for s in b.body]
    assert {"Assign", "Branch", "Jump", "Return"} <= {type(s).__name__ for s in every}
    found = [s.list_vars() for s in every]
    monkeypatch.setattr(ir.Inst, "_rec_list_vars", OWN)
    assert found == [s.list_vars() for s in every]
    assert sum(len(names) for names in found) > 100


def test_what_lists_its_own_is_asked():
    place = ir.unknown_loc
    one, other = (ir.Var(ir.Scope(None, place), name, place) for name in "ab")
    assert ir.Assign(ir.Yield(one, place, 0), other, place).list_vars() == [one, other]
