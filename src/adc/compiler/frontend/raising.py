"""Whether an operation raises, as a truth value of the program: what Python asks before it raises.

Python's numbers raise where NumPy's give NaN and infinity. A number may be of either kind where a branch chose it
(`x[0] if x[0] > 0 else 0.0`): of such a one it is checked that the two agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.caught import GROWING, OF_SOME, is_mask, reduced
from adc.compiler.ir.nodes import Assign, Atom, Check, Const, Index, Slice, Stmt, Store, Var, defined, uses
from adc.compiler.ir.types import Array, Scalar, is_integer
from adc.rules import factorable

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

Test = Callable[["Core", Any], Any]

# Arguments for which a function of `math` is defined.
_DOMAINS: dict[str, Test] = {
    **{name: lambda ev, x: _not(ev, "less_equal", x, 0.0) for name in ("log", "log2", "log10")},
    "log1p": lambda ev, x: _not(ev, "less_equal", x, -1.0),
    "sqrt": lambda ev, x: _not(ev, "less", x, 0.0),
    **{name: lambda ev, x: _not(ev, "greater", ev.op("absolute", x), 1.0) for name in ("arcsin", "arccos")},
    "arccosh": lambda ev, x: _not(ev, "less", x, 1.0),
    "arctanh": lambda ev, x: _not(ev, "greater_equal", ev.op("absolute", x), 1.0),
    **{name: lambda ev, x: _not(ev, "isinf", x) for name in ("sin", "cos", "tan")},
}
_EVERYWHERE = {"arctan", "arcsinh", "tanh", "absolute", "arctan2", "copysign", "erf", "erfc"}
_EVERYWHERE |= {"cbrt", "floor", "ceil", "trunc", "rad2deg", "deg2rad", "math.isclose", "math.isfinite"}

# What raises for some matrices, and the question whether it does.
_MATRICES: dict[str, Any] = {
    "cholesky": factorable.positive_definite,
    "solve": factorable.invertible,
    "inv": factorable.invertible,
    "scipy.linalg.solve_triangular": factorable.without_zeros_on_its_diagonal,
}

_SAID: dict[type[BaseException], str] = {
    ZeroDivisionError: "float division by zero",
    ValueError: "math domain error",
    OverflowError: "math range error",
    IndexError: "index out of range",
}


def exception(ev: Core, stmt: Stmt, kind: type[BaseException]) -> BaseException:
    """The exception that a statement raises, as a handler may name it."""
    if isinstance(stmt, Check):
        return exception_of(ev, stmt) or kind()
    if kind is ZeroDivisionError and isinstance(stmt, Assign) and _is_whole(ev, stmt.args[1]):
        return ZeroDivisionError("division by zero")
    if isinstance(stmt, Assign) and stmt.name in OF_SOME:
        return kind(
            f"attempt to get {stmt.name} of an empty sequence"
            if stmt.name.startswith("arg")
            else f"zero-size array to reduction operation {stmt.name}imum which has no identity"
        )
    return kind(_SAID.get(kind, ""))


def exception_of(ev: Core, check: Check) -> BaseException | None:
    """The exception that Python raises where a check fails; None of checks that are the compiler's own."""
    if check.error == "IndexError" and check not in ev.raised_by_user:
        return IndexError(*(m.value for m in check.message if isinstance(m, Const)))
    return ev.raised_by_user[check][0] if check in ev.raised_by_user else None


def order(ev: Core, stmt: Stmt) -> str:
    """When a statement came about, among the variables."""
    if isinstance(stmt, Check) and stmt in ev.raised_by_user:
        return ev.raised_by_user[stmt][1]
    return max((v.order for v in (*uses(stmt), *defined(stmt))), default="")


def fine(ev: Core, stmt: Stmt, kind: type[BaseException], made: dict[Var, Assign]) -> Any:
    """Whether a statement does not raise exceptions of this class: a truth value, or None where nobody can tell.

    `made`: the assignments that are known, by their targets.
    """
    if isinstance(stmt, Check):
        return stmt.test.value if isinstance(stmt.test, Const) else stmt.test
    if isinstance(stmt, Store):
        return _inside(ev, stmt.array, stmt.index)
    assert isinstance(stmt, Assign)
    if kind is IndexError:
        if stmt.name == "take_along_axis":
            return _takes_its_own(ev, stmt, made)
        return _inside(ev, *stmt.args) if stmt.op == "getitem" else None
    if issubclass(kind, np.linalg.LinAlgError):
        return _is_taken(ev, stmt)
    if stmt.op == "cast":
        return _not(ev, "isnan" if kind is ValueError else "isinf", stmt.args[0])
    if stmt.name in OF_SOME and kind is ValueError:
        return _has_some(ev, stmt)
    if any(isinstance(ev.type_of(a), Array) for a in stmt.args):
        return None
    if stmt.name in ("divide", "floor_divide", "remainder"):
        nonzero = None if kind is not ZeroDivisionError else ev.op("not_equal", stmt.args[1], 0)
        return True if nonzero is None else _of_plain(ev, stmt, nonzero, made)
    if stmt.name == "power":
        if kind is ValueError:
            return _has_a_real_result(ev, stmt, made)
        test = _power(ev, kind, *stmt.args)
        return None if test is None else _of_plain(ev, stmt, test, made)
    if not _is_plain(stmt.target):
        return True  # NumPy's own function: those of `math` give Python's numbers
    if kind is OverflowError:
        return _finite(ev, stmt) if stmt.name in GROWING or stmt.name == "hypot" else _at_most(stmt.name)
    if stmt.name in _DOMAINS:
        return _DOMAINS[stmt.name](ev, stmt.args[0])
    return True if stmt.name in GROWING | _EVERYWHERE | {"hypot"} else None


def _takes_its_own(ev: Core, stmt: Assign, made: dict[Var, Assign]) -> Any:
    """Whether the positions along an axis are inside: an order of the elements is."""
    array, order, axis = stmt.args
    assert isinstance(array, Var) and isinstance(order, Var) and isinstance(axis, Const)
    if order in made and made[order].name in ("argsort", "argpartition"):
        return True
    return (
        None if axis.value is None else _positions(ev, order, ev.shape_values(array.type.shape)[axis.value])
    )


def _has_some(ev: Core, stmt: Assign) -> Any:
    """Whether an extreme is one of some elements."""
    found: Any = True
    for length in reduced(stmt):
        if length.known is None:
            found = ev.op("logical_and", found, ev.op("greater", ev.dim_value(length), 0))
        elif not length.known:
            return False
    return found


def _is_taken(ev: Core, stmt: Assign) -> Any:
    """Whether linear algebra takes a matrix of real numbers. What only fails where it does not converge is taken."""
    test = _MATRICES.get(stmt.name)
    if test is None:
        return True
    matrix = stmt.args[0]
    t = ev.type_of(matrix)
    if not isinstance(t, Array) or t.ndim != 2 or t.dtype not in ("float64", "float32"):
        return None
    return ev.call(test, [ev.op("held", matrix)], {})


def _at_most(name: str) -> Any:
    """Functions whose results are never too large."""
    return True if name in _DOMAINS or name in _EVERYWHERE else None


def _power(ev: Core, kind: type[BaseException], base: Atom, exponent: Atom) -> Any:
    """Whether a power of Python's floats does not raise."""
    if kind is OverflowError:
        if _is_whole(ev, base) and _is_whole(ev, exponent):
            return None
        return _finite_result(ev, "power", base, exponent)
    if isinstance(exponent, Const):
        return True if exponent.value >= 0 else ev.op("not_equal", base, 0)
    return ev.op("logical_or", ev.op("not_equal", base, 0), ev.op("greater_equal", exponent, 0))


def _has_a_real_result(ev: Core, stmt: Assign, made: dict[Var, Assign]) -> bool:
    """That a power is real is checked: Python's of negative numbers is complex, and `math.pow` raises instead."""
    base, exponent = stmt.args
    if _is_whole(ev, exponent) or (isinstance(exponent, Const) and float(exponent.value).is_integer()):
        return True
    if not _is_plain(stmt.target) and any(_is_numpys(ev, a, made) for a in stmt.args):
        return True  # they give NaN
    whole = ev.op("equal", exponent, ev.op("floor", exponent))
    test = ev.op("logical_or", _not(ev, "less", base, 0.0), whole)
    test = ev.op("logical_and", test, _power(ev, ZeroDivisionError, base, exponent))
    message = Const("Python's power of these numbers is complex, or raises, and a `try` is around it")
    ev.block.append(Check(ev.atom(test), "RuntimeError", (message,), stmt.origin))
    return True


def _finite(ev: Core, stmt: Assign) -> Any:
    return _finite_result(ev, stmt.op, *stmt.args)


def _finite_result(ev: Core, operation: Any, *args: Atom) -> Any:
    """Whether operands that are not infinite have such a result; it is computed for this alone."""
    held = [ev.op("held", a) if isinstance(a, Var) else a for a in args]
    fine = _not(ev, "isinf", ev.op(operation, *held))
    for a in args:
        if isinstance(a, Var):
            fine = ev.op("logical_or", fine, ev.op("isinf", a))
    return fine


def _of_plain(ev: Core, stmt: Assign, test: Any, made: dict[Var, Assign]) -> Any:
    """A test for Python's numbers. NumPy's never raise; where it is not known which they are, none may need to."""
    if _is_plain(stmt.target):
        return test
    if any(_is_numpys(ev, a, made) for a in stmt.args):
        return True
    message = Const("for this number Python raises and NumPy does not, and it may be either's")
    ev.block.append(Check(ev.atom(test), "RuntimeError", (message,), stmt.origin))
    return True


def _is_plain(v: Var) -> bool:
    return isinstance(v.type, Scalar) and v.type.weak is True


def _is_whole(ev: Core, v: Any) -> bool:
    t = ev.type_of(v)
    return t is not None and is_integer(t)


# Operations whose result is one of NumPy's if an operand is.
_PASSING = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "power",
    "negative",
    "absolute",
    "floor_divide",
    "remainder",
}
# NumPy's functions of numbers, where the type of their result says that they are not those of `math`.
_FUNCTIONS = {"sqrt", "exp", "log", "log10", "log2", "log1p", "expm1", "sin", "cos", "tan", "tanh", "square"}
_FUNCTIONS |= {"arctan", "arcsin", "arccos", "sinh", "cosh"}


def _is_numpys(ev: Core, v: Any, made: dict[Var, Assign]) -> bool:
    """Whether a number is surely one of NumPy's. What is read of an array may be an element of a list of floats."""
    t = ev.type_of(v)
    if not isinstance(t, Scalar) or t.weak:
        return False
    if not isinstance(v, Var):
        return True
    stmt = made.get(v)
    if stmt is None:
        return False
    if stmt.name in _PASSING:
        return any(_is_numpys(ev, a, made) for a in stmt.args)
    return stmt.name in _FUNCTIONS


def _not(ev: Core, operation: str, *args: Any) -> Any:
    test = ev.op(operation, *args)
    return ev.op("logical_not", test) if isinstance(test, Var) else not test


def _inside(ev: Core, array: Var, index: Index) -> Any:
    """Whether an index of numbers, positions, slices and masks, whose lengths were checked, is inside the array."""
    found: Any = True
    lengths = iter(range(array.type.ndim)) if isinstance(array.type, Array) else iter(())
    for item in index:
        if isinstance(item, Const) and item.value is None:
            continue
        axis = next(lengths)
        if isinstance(item, Slice) or is_mask(item):
            continue
        if not _is_whole(ev, item):
            return None
        test = _positions(ev, item, ev.shape_values(array.type.shape)[axis])
        if isinstance(test, Var):
            found = test if found is True else ev.op("logical_and", found, test)
        elif not test:
            return False
    return found


def _positions(ev: Core, item: Atom, length: Any) -> Any:
    """Whether a position, or all of an array, are inside an axis of a length."""
    found: Any = True
    lowest = ev.op("negative", length) if isinstance(length, Var) else -length
    for test in (ev.op("less", item, length), ev.op("greater_equal", item, lowest)):
        if isinstance(test, Var):
            one = ev.op("all", test) if test.is_array else test
            found = one if found is True else ev.op("logical_and", found, one)
        elif not test:
            return False
    return found
