"""What SciPy finds for a problem given by arrays carries a derivative: a vertex, a least sum of squares in bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import minima, record
from adc.tape.implicit import as_array
from adc.tape.minima import Condition, Function
from adc.tape.node import here


def linprog(
    solver: Any,
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    *rest: Any,
    **options: Any,
) -> Any:
    """The vertex moves with the conditions that meet there."""
    name = "scipy.optimize.linprog"
    if options.get("integrality") is not None:
        raise UnsupportedError(
            f"adc has no derivative of {name} with `integrality`",
            here(),
            "Whole numbers do not move.",
            "Leave it out, or stop the gradient of the solution with adc.stop_gradient.",
        )
    given = record.plain((c, A_ub, b_ub, A_eq, b_eq, bounds))
    found = solver(*given, *record.plain(rest), **record.plain(options))
    if found.x is None:
        return found
    pairs = bounds if np.ndim(record.plain(bounds[0])) else [bounds] * found.x.size

    def cost(x: Any) -> Any:
        return np.sum(as_array(c) * x)

    conditions = minima.within_bounds(pairs, found.x)
    if A_ub is not None:
        conditions.append(Condition(_rest(A_ub, b_ub), False))
    if A_eq is not None:
        conditions.append(Condition(_rest(A_eq, b_eq), True))
    if not minima.has_part([cost, *(condition.value for condition in conditions)], found.x):
        return found
    x = minima.minimum(cost, found.x, conditions, f"the vertex that {name} finds")
    return minima.withheld(found, {"x": x, "fun": cost(x)}, name)


def _rest(matrix: Any, right: Any) -> Function:
    return lambda x: as_array(right) - np.matmul(as_array(matrix), x)


def nnls(solver: Any, A: Any, b: Any, **options: Any) -> Any:
    x, distance = solver(record.plain(A), record.plain(b), **record.plain(options))
    solution = _least_squares(A, b, [(0.0, None)] * x.size, x, "scipy.optimize.nnls")
    if not record.is_active(solution):
        return x, distance
    return solution, np.sqrt(np.sum((np.matmul(as_array(A), solution) - as_array(b)) ** 2))


def lsq_linear(
    solver: Any, A: Any, b: Any, bounds: Any = (-np.inf, np.inf), *rest: Any, **options: Any
) -> Any:
    name = "scipy.optimize.lsq_linear"
    found = solver(
        record.plain(A), record.plain(b), record.plain(bounds), *record.plain(rest), **record.plain(options)
    )
    low, high = (minima.each(as_array(bound), found.x.size) for bound in bounds)
    x = _least_squares(A, b, list(zip(low, high, strict=True)), found.x, name)
    if not record.is_active(x):
        return found
    apart = np.matmul(as_array(A), x) - as_array(b)
    return minima.withheld(found, {"x": x, "fun": apart, "cost": 0.5 * np.sum(apart**2)}, name)


def _least_squares(A: Any, b: Any, bounds: Any, x: Any, name: str) -> Any:
    def cost(x: Any) -> Any:
        return 0.5 * np.sum((np.matmul(as_array(A), x) - as_array(b)) ** 2)

    conditions = minima.within_bounds(bounds, x)
    if not minima.has_part([cost, *(condition.value for condition in conditions)], x):
        return x
    return minima.minimum(cost, x, conditions, f"the solution that {name} finds")
