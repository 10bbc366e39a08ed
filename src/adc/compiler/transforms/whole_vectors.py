"""Find the functions with loops so large that LLVM takes long to choose how wide their vectors are.

    for i in range(n):
        ...                    # hundreds of statements on float64, each element at the counter

It asks what each statement costs in vectors of two, four and eight numbers, and makes the loop again for what is left
behind the last whole vector. Here the answer is known before: all statements are cheapest in the widest vectors, and
what is left of an array of any length is a small part. So it is for the small loops beside such ones.
"""

from __future__ import annotations

from adc.compiler.analysis.latency import SIMPLE
from adc.compiler.analysis.touches import element, offset
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, For, Operand, Program, Stmt, Var, defined, owners, walk
from adc.compiler.ir.types import Array
from adc.compiler.transforms.vectorise import vectorisable

MANY = 150  # statements of a loop
_KINDS = ("float64", "bool")  # numbers as wide as a place in a vector, and comparisons of them
_PLAIN = SIMPLE | {"divide", "sqrt", "root", "where", "absolute", "negative", "alias"}


def run(program: Program, strict: bool) -> Program:
    """The program with `meta["whole_vectors"]` said of it and of its kernels.

    Not of a `strict` one: LLVM takes a width that it is told for the leave to add up in another order.
    """
    for function in (program, *program.meta.get("kernels", ())):
        loops = [s for s in walk(function.body) if isinstance(s, For)]
        large = not strict and any(len(loop.body) >= MANY for loop in loops)
        function.meta["whole_vectors"] = large and all(map(_is_even, loops))
    return program


def _is_even(loop: For) -> bool:
    """Whether a loop does arithmetic on floats that lie one after another."""
    return vectorisable(loop) and all(_is_even_statement(s, loop.index) for s in loop.body)


def _is_even_statement(s: Stmt, counter: Var) -> bool:
    if any(v.type.dtype not in _KINDS for v in defined(s)):
        return False
    touch = element(s)
    if touch is None:
        return isinstance(s, Assign) and (s.name in _PLAIN or s.name.startswith("vm."))
    array, (*rows, place) = touch
    assert isinstance(array.type, Array)
    return (
        array.type.dtype == "float64"
        and array.type.layout == "C"
        and len(rows) + 1 == array.type.ndim
        and not any(_follows(row, counter) for row in rows)
        and (offset(counter, place) is not None or not _follows(place, counter))
    )


def _follows(subscript: Operand, counter: Var) -> bool:
    """Whether a subscript is another one in each trip, or not known to be the same."""
    value = length_of(subscript)
    return value is None or counter in owners(value)
