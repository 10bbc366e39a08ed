"""The minimum that SciPy finds carries a derivative, with bounds and constraints as without.

The gradient of the function is a sum of multipliers times those of the conditions that hold with equality, and these
are zero: a system of equations (Karush, Kuhn and Tucker). Which conditions those are does not change nearby.
Source: Fiacco, "Introduction to Sensitivity and Stability Analysis in Nonlinear Programming" (1983).
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import gradients, record
from adc.tape.implicit import as_array, corrected, jacobian, options_for_scipy
from adc.tape.node import here
from adc.tape.tensor import make

HELD = 1e-6  # a condition holds with equality where less than this is left of it, beside the size of x

Function = Callable[[Any], Any]


class Condition(NamedTuple):
    """What a minimum is subject to: that the values of a function are zero, or are not negative."""

    value: Function
    is_equality: bool


def minimum(objective: Function, x: Any, conditions: list[Condition], what: str) -> Any:
    """The minimum of `objective` that has the value `x`, on the tape."""
    x = np.asarray(x, dtype=np.float64)
    held, multipliers = _binding(objective, x, _held(x, conditions))
    known = np.concatenate([x.reshape(-1), multipliers])

    def stationary(z: Any) -> Any:
        at = np.reshape(z[: x.size], x.shape)
        values = [as_array(condition.value(at)) for condition in held]

        def lagrangian(at: Any) -> Any:
            terms = (z[x.size + k] * as_array(c.value(at)) for k, c in enumerate(held))
            return as_array(objective(at)) - sum(terms, 0.0)

        parts = [slopes(lagrangian, at), *values]
        return np.concatenate([np.reshape(part, (-1,)) for part in parts])

    solution = corrected(stationary, known, what)
    return np.reshape(solution[: x.size], x.shape)


def has_part(functions: list[Function], x: Any) -> bool:
    """Whether anything with a derivative is behind the values of these functions."""
    at = make(np.array(x, dtype=np.float64))
    return any(record.is_active(as_array(function(at))) for function in functions)


def slopes(function: Function, x: Any) -> Any:
    """The gradient of a function at a Tensor, on the tape; zero where it does not depend on it."""
    at = (
        x if record.is_active(x) else x + 0.0 * function(x)
    )  # on the record, as what the function comes from is
    value = function(at)
    if not record.is_active(value):
        return np.zeros(np.shape(record.plain(x)))
    (found,) = gradients.grad(np.reshape(value, ()), at, create_graph=True, allow_unused=True)
    return np.zeros(np.shape(record.plain(x))) if found is None else found


def _held(x: Any, conditions: list[Condition]) -> list[Condition]:
    """The conditions that hold with equality at `x`, each of one number."""
    room = HELD * (1.0 + np.max(np.abs(x), initial=0.0))
    found = []
    for condition in conditions:
        values = np.reshape(np.asarray(record.plain(as_array(condition.value(make(x.copy()))))), (-1,))
        for k, value in enumerate(values):
            if condition.is_equality or value <= room:
                found.append(Condition(_part(condition.value, k), condition.is_equality))
    return found


def _part(function: Function, k: int) -> Function:
    return lambda x: np.reshape(as_array(function(x)), (-1,))[k]


def _binding(objective: Function, x: Any, held: list[Condition]) -> tuple[list[Condition], Any]:
    """The conditions without which the minimum were elsewhere, and how much of their gradients that of it is made of.

    Of conditions that say the same (a bound at the corner of a simplex) those that are needed.
    """
    if not held:
        return [], np.zeros(0)
    from scipy.optimize import nnls

    slope = jacobian(objective, x).reshape(-1)
    rows = np.concatenate([jacobian(condition.value, x) for condition in held])
    signs = np.array([c.is_equality for c in held])
    found, _ = nnls(np.concatenate([rows, -rows[signs]]).T, slope)
    multipliers = found[: len(held)]
    multipliers[signs] -= found[len(held) :]
    needed = signs | (multipliers > 1e-9 * np.max(np.abs(slope), initial=0.0))
    return [c for c, keep in zip(held, needed, strict=True) if keep], multipliers[needed]


def within_bounds(bounds: Any, x: Any) -> list[Condition]:
    """The conditions that pairs of bounds are, or a `Bounds` of SciPy."""
    if bounds is None:
        return []
    if hasattr(bounds, "lb"):
        count = np.size(x)
        pairs = list(zip(each(bounds.lb, count), each(bounds.ub, count), strict=True))
    else:
        pairs = [(pair[0], pair[1]) for pair in bounds]
    found = []
    for k, (low, high) in enumerate(pairs):
        if low is not None and record.plain(low) > -np.inf:
            found.append(Condition(_above(k, low), False))
        if high is not None and record.plain(high) < np.inf:
            found.append(Condition(_below(k, high), False))
    return found


def each(bound: Any, count: int) -> list[Any]:
    size = np.size(record.plain(bound))
    return [np.reshape(bound, (-1,))[k if size > 1 else 0] for k in range(count)]


def _above(k: int, low: Any) -> Function:
    return lambda x: np.reshape(x, (-1,))[k] - low


def _below(k: int, high: Any) -> Function:
    return lambda x: high - np.reshape(x, (-1,))[k]


def plain_bounds(bounds: Any) -> Any:
    """Bounds as SciPy takes them."""
    if hasattr(bounds, "lb"):
        return type(bounds)(record.plain(bounds.lb), record.plain(bounds.ub), bounds.keep_feasible)
    return record.plain(bounds)


def subject_to(constraints: Any) -> list[Condition]:
    """The conditions that constraints of SciPy are: dicts, or objects with a function or a matrix and bounds."""
    found = []
    for constraint in _several(constraints):
        if isinstance(constraint, dict):
            given = constraint.get("args", ())
            value = functools.partial(_with_arguments, constraint["fun"], given)
            found.append(Condition(value, constraint["type"].lower() == "eq"))
        else:
            found.extend(_between(constraint))
    return found


def _with_arguments(function: Callable[..., Any], given: tuple[Any, ...], x: Any) -> Any:
    return as_array(function(x, *given))


def _several(constraints: Any) -> list[Any]:
    return list(constraints) if isinstance(constraints, list | tuple) else [constraints]


def _between(constraint: Any) -> list[Condition]:
    """The two bounds of `LinearConstraint` and `NonlinearConstraint`."""

    def value(x: Any) -> Any:
        given = np.matmul(constraint.A, x) if hasattr(constraint, "A") else constraint.fun(x)
        return np.reshape(as_array(given), (-1,))

    low, high = record.plain(constraint.lb), record.plain(constraint.ub)
    if np.all(np.equal(low, high)):
        return [Condition(lambda x: value(x) - constraint.lb, True)]
    if np.any(np.equal(low, high)):
        raise UnsupportedError(
            "adc has no derivative of a minimum with a constraint that is an equation in some of its rows",
            here(),
            "Each constraint is either an equation or an inequality here.",
            "Make two constraints of it.",
        )
    found = []
    if np.any(np.greater(low, -np.inf)):
        found.append(Condition(lambda x: value(x) - constraint.lb, False))
    if np.any(np.less(high, np.inf)):
        found.append(Condition(lambda x: constraint.ub - value(x), False))
    return found


def plain_constraints(constraints: Any) -> Any:
    """Constraints as SciPy takes them, whose functions leave no record."""
    found = []
    for constraint in _several(constraints):
        if isinstance(constraint, dict):
            found.append(options_for_scipy(constraint))
        else:
            made = copy.copy(constraint)
            made.__dict__.update(options_for_scipy(vars(constraint)))
            found.append(made)
    return found


def withheld(report: Any, known: dict[str, Any], what: str) -> Any:
    """A report of SciPy's with `known` in it, and of the rest what is counted or said: numbers of it are refused.

    They are constants on plain numbers (`hess_inv`, `fjac`): in a loss their derivative would be a silent zero.
    """
    said = {k: v for k, v in report.items() if isinstance(v, bool | np.bool_ | int | np.integer | str)}
    made = _withholding(report.__class__)({**said, **known})
    made.__dict__["_withheld"] = (frozenset(report) - set(made), what)
    return made


@functools.cache
def _withholding(kind: Any) -> Any:
    def missing(self: Any, name: str) -> Any:
        names, what = self.__dict__["_withheld"]
        if name not in names:
            raise KeyError(name)
        raise UnsupportedError(
            f"adc has no derivative of `{name}`, which {what} reports",
            here(),
            "SciPy makes it on the way to the solution, whose derivative alone is known.",
            "Compute it from the solution, as by `adc.hessian` outside the function.",
        )

    return types.new_class(kind.__name__, (kind,), exec_body=lambda body: body.update(__missing__=missing))
