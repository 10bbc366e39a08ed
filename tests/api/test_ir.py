"""The verifier accepts what the stages make and names what is wrong with a broken program."""

from __future__ import annotations

import numpy as np
import pytest

from adc.compiler.ir.nodes import Assign, Buffer, Carried, Const, For, If, Merge, Program, Restore, Store, Var
from adc.compiler.ir.show import show
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.ir.verify import verify
from adc.errors import InternalError
from adc.rules import registry
from adc.rules.dims import Dim

pytestmark = pytest.mark.tiny

FLOAT = Scalar("float64")


def scalar(name):
    return Var(name, FLOAT)


def multiply(target, x, y):
    return Assign((target,), registry.named("multiply"), (x, y))


def test_good_program_prints():
    x, n = scalar("x"), Var("n", Scalar("int64", True))
    i, s, t, r = Var("i", Scalar("int64", True)), scalar("s"), scalar("s"), scalar("s")
    loop = For(i, Const(0), n, Const(1), [Carried(s, Const(1.0), t, r)], [multiply(t, s, x)])
    program = Program("f", [x, n], [loop], [r])
    verify(program)
    assert (
        show(program)
        == """\
def f(x: float64, n: int):
    s = 1.0  # float64, carried
    for i in range(0, n, 1):
        s_2 = s * x  # float64
        s = s_2
    s_3 = s  # float64
    return s_3"""
    )


def broken():
    x, y, z = scalar("x"), scalar("y"), scalar("z")
    a = Var("a", Array("float64", (Dim(3),)))
    yield "`y` is read where it is not defined", Program("f", [x], [multiply(z, x, y)], [z])
    yield "`y` is defined twice", Program("f", [x], [multiply(y, x, x), multiply(y, x, x)], [y])
    yield "two parameters have one name", Program("f", [x, scalar("x")], [], [x])
    yield "`x` is written to by index and is a number", Program("f", [x], [Store(x, (Const(0),), x)], [x])
    yield "`a` has 1 axes and 2 indices", Program("f", [x, a], [Store(a, (Const(0), Const(0)), x)], [x])
    yield "`z` (float64) is given `a`", Program("f", [x, a], [If(x, [], [], [Merge(z, x, a)])], [z])
    inside = If(x, [multiply(y, x, x)], [], [])
    yield "`y` is read where it is not defined", Program("f", [x], [inside, multiply(z, y, y)], [z])
    yield "used before it is made", Program("f", [x], [Restore(y, Buffer("k", "float64", None), None)], [y])
    yield "no operand", Program("f", [x], [multiply(y, x, [x])], [y])


@pytest.mark.parametrize("text, program", list(broken()), ids=lambda p: p if isinstance(p, str) else "")
def test_broken_programs(text, program):
    with pytest.raises(InternalError) as caught:
        verify(program, "stage")
    assert text in str(caught.value) and "after the stage `stage`" in str(caught.value)


def test_reverse_branch_reads_the_forward_branch():
    x, y, z, w = scalar("x"), scalar("y"), scalar("z"), scalar("w")
    forward = If(x, [multiply(y, x, x)], [], [])
    verify(Program("f", [x], [forward, If(x, [multiply(z, y, y)], [], [Merge(w, z, x)])], [w]))
    with pytest.raises(InternalError):
        verify(Program("f", [x], [forward, If(x, [], [multiply(z, y, y)], [Merge(w, x, z)])], [w]))


def test_numbers_of_the_same_value_are_equal():
    assert Const(1.0) == Const(1.0) and Const(1.0) != Const(1) and Const(np.float32(1)) != Const(1.0)
