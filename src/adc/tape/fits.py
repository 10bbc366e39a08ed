"""The parameters that SciPy fits by least squares carry a derivative: they are a minimum of a sum of squares."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import minima, record
from adc.tape.implicit import as_array, as_tuple, for_scipy, options_for_scipy, valued
from adc.tape.node import here
from adc.tape.tensor import make

Residuals = Callable[[Any], Any]

# What a robust loss makes of squares of residuals.
_LOSSES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
    "huber": lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(np.maximum(z, 1.0)) - 1.0),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


def least_squares(
    solver: Any,
    fun: Any,
    x0: Any,
    jac: Any = "2-point",
    bounds: Any = (-np.inf, np.inf),
    *rest: Any,
    loss: Any = "linear",
    f_scale: Any = 1.0,
    args: Any = (),
    kwargs: Any = None,
    **options: Any,
) -> Any:
    name = "scipy.optimize.least_squares"
    if rest or loss not in _LOSSES:
        what = "a loss of your own" if not rest else "options without their names"
        raise UnsupportedError(
            f"adc has no derivative of {name} with {what}",
            here(),
            "It knows the losses that SciPy has a name for, and options by name.",
            "Write `method=...`, and the loss as a function of the residuals that scipy.optimize.minimize takes.",
        )
    args, named = (args if isinstance(args, tuple) else tuple(args)), dict(kwargs or {})
    found = solver(
        for_scipy(fun),
        record.plain(x0),
        for_scipy(jac) if callable(jac) else jac,
        _plain_pair(bounds),
        loss=loss,
        f_scale=record.plain(f_scale),
        args=record.plain(args),
        kwargs=record.plain(named),
        **options_for_scipy(options),
    )

    def residuals(x: Any) -> Any:
        return np.atleast_1d(as_array(fun(x, *args, **named)))

    def cost(x: Any) -> Any:
        return 0.5 * f_scale**2 * np.sum(_LOSSES[loss]((residuals(x) / f_scale) ** 2))

    conditions = _in_pair(bounds, found.x)
    if not minima.has_part([cost, *(c.value for c in conditions)], found.x):
        return found
    x = minima.minimum(cost, found.x, conditions, f"the fit that {name} finds")
    known = {"x": x, "cost": cost(x), "fun": residuals(x)}
    if loss == "linear":
        known["jac"] = valued(found.jac, columns(residuals, x))
        known["grad"] = np.matmul(known["jac"].T, known["fun"])
    return minima.withheld(found, known, name)


def leastsq(
    solver: Any,
    func: Any,
    x0: Any,
    args: Any = (),
    Dfun: Any = None,
    full_output: Any = False,
    **options: Any,
) -> Any:
    name = "scipy.optimize.leastsq"
    args = as_tuple(args)
    slope = None if Dfun is None else for_scipy(Dfun)
    found = solver(
        for_scipy(func),
        record.plain(x0),
        record.plain(args),
        slope,
        full_output,
        **record.plain(options),
    )

    def residuals(x: Any) -> Any:
        return np.atleast_1d(as_array(func(x, *args)))

    def cost(x: Any) -> Any:
        return 0.5 * np.sum(residuals(x) ** 2)

    if not minima.has_part([cost], found[0]):
        return found
    x = minima.minimum(cost, found[0], [], f"the fit that {name} finds")
    if not full_output:
        return (x, *found[1:])
    known = {"fvec": residuals(x)}
    return (
        x,
        valued(found[1], _covariance(residuals, x)),
        minima.withheld(found[2], known, name),
        *found[3:],
    )


def curve_fit(
    solver: Any,
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: Any = None,
    bounds: Any = (-np.inf, np.inf),
    method: Any = None,
    jac: Any = None,
    *,
    full_output: bool = False,
    nan_policy: Any = None,
    **options: Any,
) -> Any:
    name = "scipy.optimize.curve_fit"
    if nan_policy is not None:
        raise UnsupportedError(
            f"adc has no derivative of {name} with a `nan_policy`",
            here(),
            "Which points are left out is not known.",
            "Leave them out before: `keep = ~np.isnan(y)`.",
        )
    popt, pcov, *report = solver(
        for_scipy(f),
        record.plain(xdata),
        record.plain(ydata),
        record.plain(p0),
        record.plain(sigma),
        absolute_sigma,
        check_finite,
        _plain_pair(bounds),
        method,
        for_scipy(jac) if callable(jac) else jac,
        full_output=full_output,
        **record.plain(options),
    )

    def residuals(x: Any) -> Any:
        model = as_array(f(xdata, *(x[k] for k in range(len(popt)))))
        return np.reshape(_weighed(model - as_array(ydata), sigma), (-1,))

    def cost(x: Any) -> Any:
        return 0.5 * np.sum(residuals(x) ** 2)

    conditions = _in_pair(bounds, popt)
    if not minima.has_part([cost, *(c.value for c in conditions)], popt):
        return (popt, pcov, *report)
    x = minima.minimum(cost, popt, conditions, f"the fit that {name} finds")
    covariance = _covariance(residuals, x)
    degrees = np.size(record.plain(residuals(x))) - len(popt)
    if not absolute_sigma:
        covariance = covariance * (2.0 * cost(x) / degrees) if degrees > 0 else pcov
    if full_output:
        report[0] = minima.withheld(report[0], {"fvec": residuals(x)}, name)
    return (x, valued(pcov, covariance), *report)


def _weighed(residual: Any, sigma: Any) -> Any:
    """Residuals in units of their deviations, or of those of a matrix of covariances."""
    if sigma is None:
        return residual
    if np.ndim(record.plain(as_array(sigma))) == 2:
        return np.linalg.solve(np.linalg.cholesky(sigma), residual)
    return residual / as_array(sigma)


def columns(residuals: Residuals, x: Any) -> Any:
    """The Jacobian of the residuals on the tape, a column after the other: as few passes as there are parameters."""
    at = x + 0.0  # a place of its own on the record
    weights = make(np.zeros(np.shape(record.plain(residuals(at))))).requires_grad_()
    pulled = minima.slopes(lambda at: np.sum(weights * residuals(at)), at)
    unit = np.eye(np.size(record.plain(x)))
    along = [functools.partial(_along, pulled, direction) for direction in unit]
    return np.stack([minima.slopes(part, weights) for part in along], axis=1)


def _along(pulled: Any, direction: Any, weights: Any) -> Any:
    return np.sum(pulled * direction)  # `weights` are in `pulled`


def _covariance(residuals: Residuals, x: Any) -> Any:
    jacobian = columns(residuals, x)
    return np.linalg.inv(np.matmul(jacobian.T, jacobian))


def _plain_pair(bounds: Any) -> Any:
    return minima.plain_bounds(bounds) if hasattr(bounds, "lb") else record.plain(tuple(bounds))


def _in_pair(bounds: Any, x: Any) -> list[minima.Condition]:
    """The conditions that bounds below and bounds above are, each a number or as many as there are parameters."""
    if hasattr(bounds, "lb"):
        return minima.within_bounds(bounds, x)
    low, high = (minima.each(as_array(bound), np.size(x)) for bound in bounds)
    return minima.within_bounds(list(zip(low, high, strict=True)), x)
