"""`is` between values of a program: of what is known now by identity, of a truth value of the run by what it is.

Python has one True: `match x > 0, y > 0: case True, True:` asks for it. A comparison of two of Python's numbers gives
it, and that of NumPy's numbers never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend.frame import Closure, Growing, Instance
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.provenance import CONTAINERS, Chosen, Copied, FromOutside, holds_as_well
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import If, Var, defined, walk
from adc.compiler.ir.types import Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_NUMBERS = (int, float, complex, np.generic, np.ndarray)


def same(ev: Core, x: Value, y: Value) -> Value:
    """Whether two values are one object; a variable of the program where the run decides it."""
    if isinstance(x, CONTAINERS) and isinstance(y, CONTAINERS):
        return _same_container(ev, x, y, ())
    if x is y and isinstance(x, Var) and x in ev.named_again:
        raise ev.refuse(
            "`is` between an array and what may be a view of all of it is not supported",
            "generated code has one array for both, NumPy two",
            "compare with ==, or ask with `if`",
        )
    if x is y or x is None or y is None or not (isinstance(x, Var) or isinstance(y, Var)):
        return x is y
    if isinstance(x, Var) and isinstance(y, Var) and _are_two_arrays(ev, x, y):
        return False
    number, constant = (x, y) if isinstance(x, Var) else (y, x)
    if isinstance(constant, bool) and number.is_array:
        return False
    if isinstance(constant, (Closure, Instance)) or (
        ev.is_static(constant) and not isinstance(constant, _NUMBERS)
    ):
        return False  # no number is such an object
    if isinstance(constant, bool) and number.type == Scalar("bool", weak=True):
        return number if constant else ev.op("logical_not", number)
    if x in ev.given and y in ev.given:
        raise ev.refuse(
            "`is` between two arguments is not supported",
            "the caller may give one array twice",
            "say it by a flag: `def f(x, y, one=False)`",
        )
    raise ev.refuse(
        "`is` between numbers or arrays is not supported",
        "a number of NumPy's is never the object True"
        if isinstance(constant, bool)
        else "Python makes a new number for each result",
        "compare with ==, or ask with `if`",
    )


def _are_two_arrays(ev: Core, x: Var, y: Var) -> bool:
    """Whether two variables surely are two arrays: of other types, or each with memory of its own.

    What paths join may be either, and a copy may stand for what NumPy gives as it is. Two from outside may be one, and
    so may two arguments that are not differentiated.
    """
    if not (x.is_array or y.is_array) or x.type.ndim != y.type.ndim or x.type.dtype != y.type.dtype:
        return x.is_array or y.is_array
    outside = ev.given | {c.param for c in ev.captures}
    return not (x in outside and y in outside) and not any(
        v.view_of is not None or v.root in ev.joined_roots or v in ev.snapshots for v in (x, y)
    )


def _same_container(ev: Core, x: Value, y: Value, inside: tuple[If, ...]) -> Value:
    """`inside` are the branches that chose the one asked about: what is known only in them cannot be asked for here."""
    if x is y:
        return True
    ev.origins.told_apart(x)
    ev.origins.told_apart(y)
    if not _are_alike(x, y):
        return False
    for one, other in ((x, y), (y, x)):
        origin = ev.origins.of(one)
        if isinstance(one, Growing) and one.copied:
            origin = Copied()
        if origin is None or isinstance(origin, FromOutside):
            continue
        if isinstance(origin, Copied):
            raise ev.refuse(
                "it is asked whether two containers are one that the program has copies of",
                "they come from a list whose length is only known at run time, from such a position, from a sorted one "
                "or out of a loop",
                "compare what they hold",
            )
        if not isinstance(origin, Chosen):
            origin.asked = True
            return _same_container(ev, origin.original, other, inside)
        test = origin.region.test
        if any(test in defined(s) for region in inside for s in walk([region])):
            raise ev.refuse(
                "it is asked whether two containers are one, and a branch within a branch decides it",
                repair="compare what they hold",
            )
        around = (*inside, origin.region)
        then, orelse = (_same_container(ev, side, other, around) for side in (origin.then, origin.orelse))
        return _either(ev, test, then, orelse)
    sides = ev.origins.of(x), ev.origins.of(y)
    if isinstance(sides[0], FromOutside) and isinstance(sides[1], FromOutside):
        return ev.taken(Place(holds_as_well, sides[0].place, sides[1].place), "is")
    return False


def _are_alike(x: Value, y: Value) -> bool:
    if any(isinstance(v, Growing) and v.row_of is not None for v in (x, y)):
        return not isinstance(x, dict) and not isinstance(y, dict)
    if isinstance(x, tuple):
        return type(x) is type(y) and len(x) == len(y)
    if isinstance(x, Instance) or isinstance(y, Instance):
        return isinstance(x, Instance) and isinstance(y, Instance) and x.cls is y.cls
    return isinstance(x, dict) == isinstance(y, dict) and isinstance(x, (list, Growing)) == isinstance(
        y, (list, Growing)
    )


def _either(ev: Core, test: Value, then: Value, orelse: Value) -> Value:
    """`then if test else orelse` of truth values."""
    if then is orelse:
        return then
    if isinstance(then, bool) and isinstance(orelse, bool):
        return test if then else ev.op("logical_not", test)
    return ev.op(
        "logical_or",
        ev.op("logical_and", test, then),
        ev.op("logical_and", ev.op("logical_not", test), orelse),
    )
