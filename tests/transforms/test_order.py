"""The text of a derivative does not depend on the order in which sets of variables and statements come."""

import itertools
import types

import pytest
from tests.corpus import all_programs

import adc
from adc.compiler.ir import nodes

_ALL = [p for p in all_programs() if not p.refused and not p.slow]
PROGRAMS = [p for p in _ALL if p.name.endswith("a_wave_front")] + _ALL[::200]


def text(program, monkeypatch, step):
    """The text where each new object comes behind the others in a set, or before them."""
    numbers, known = itertools.count(1), {}

    def number(x):
        if id(x) not in known:
            known[id(x)] = step * next(numbers)
        return known[id(x)]

    f = program.function
    fresh = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    with monkeypatch.context() as patch:
        for kind in (nodes.Var, nodes.Assign, nodes.Store, nodes.Restore, nodes.Keep):
            patch.setattr(kind, "__hash__", number)
        return str(adc.source(adc.value_and_grad(fresh, program.argnums), *program.arguments()))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_no_set_reaches_the_text(program, monkeypatch):
    assert text(program, monkeypatch, 1) == text(program, monkeypatch, -1)
