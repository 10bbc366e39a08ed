"""`is` between values of a program: of what is known now by identity, of a truth value of the run by what it is.

Python has one True: `match x > 0, y > 0: case True, True:` asks for it. A comparison of two of Python's numbers gives
it, and that of NumPy's numbers never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend.frame import is_kept
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core
    from adc.compiler.frontend.operators import Operators


def same(ev: Operators, x: Value, y: Value) -> Value:
    """Whether two values are one object; a variable of the program where the run decides it."""
    require_told_apart(ev, x, y)
    if x is y or x is None or y is None or not (isinstance(x, Var) or isinstance(y, Var)):
        return x is y
    number, constant = (x, y) if isinstance(x, Var) else (y, x)
    if isinstance(constant, bool) and number.is_array:
        return False
    if isinstance(constant, bool) and number.type == Scalar("bool", weak=True):
        return number if constant else ev.negated(number)
    raise ev.refuse(
        "`is` between numbers or arrays is not supported",
        "a number of NumPy's is never the object True"
        if isinstance(constant, bool)
        else "Python makes a new number for each result",
        "compare with ==, or ask with `if`",
    )


def require_told_apart(ev: Core, x: Value, y: Value) -> None:
    """Refuse two elements of a list that lives in an array: each reading gives a copy."""
    if x is not y and is_kept(x) and is_kept(y):
        raise ev.refuse(
            "it is asked whether two dicts or objects from a list are one",
            "the length of the list is only known at run time, and each reading of it gives a copy",
            "compare what they hold",
        )
