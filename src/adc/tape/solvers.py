"""What SciPy solves for a function of the user's: roots, fixed points, minima and trajectories, on Tensors.

SciPy runs the function on plain numbers and says what it found; `implicit` and `trajectories` give that a derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.solvers import solver_name
from adc.tape import fits, integrals, linear_programs, minima, nested_integrals, record, sparse, trajectories
from adc.tape.implicit import as_array, as_tuple, corrected, for_scipy, options_for_scipy
from adc.tape.node import here


def find(function: Any) -> Callable[..., Any] | None:
    """What traced code calls in place of a solver of SciPy, or None."""
    name = solver_name(function)
    if name is None:
        return None
    solver = _SOLVERS[name.rpartition(".")[2]]

    def call(*args: Any, **kwargs: Any) -> Any:
        return solver(function, *args, **kwargs)

    call.__dict__["_stands_for"] = function
    return call


# --- roots of a number --------------------------------------------------------------------------------------


def _bracketed(
    solver: Any, f: Any, a: Any, b: Any, args: Any = (), *rest: Any, full_output: bool = False, **options: Any
) -> Any:
    """brentq, brenth, bisect, ridder, toms748. The ends of the bracket have no part in the root's derivative."""
    args = as_tuple(args)
    found = solver(
        for_scipy(f),
        record.plain(a),
        record.plain(b),
        record.plain(args),
        *rest,
        full_output=full_output,
        **options,
    )
    x, report = found if full_output else (found, None)
    root = corrected(lambda x: f(x, *args), x, f"the root that scipy.optimize.{solver.__name__} finds")
    return (root, report) if full_output else root


def _newton(
    solver: Any,
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    *rest: Any,
    full_output: bool = False,
    **options: Any,
) -> Any:
    args = as_tuple(args)
    for name in ("fprime2",):
        if options.get(name) is not None:
            options[name] = for_scipy(options[name])
    options = {k: record.plain(v) for k, v in options.items()}
    slope = None if fprime is None else for_scipy(fprime)
    found = solver(
        for_scipy(func),
        record.plain(x0),
        slope,
        record.plain(args),
        *rest,
        full_output=full_output,
        **options,
    )
    x, *report = found if full_output else (found,)
    root = corrected(lambda x: func(x, *args), x, "the root that scipy.optimize.newton finds")
    return (root, *report) if full_output else root


def _root_scalar(solver: Any, f: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
    args = as_tuple(args)
    options = options_for_scipy(options)
    several = options.get("fprime") is True or options.get("fprime2") is True
    found = solver(for_scipy(f), record.plain(args), *record.plain(rest), **options)

    def value(x: Any) -> Any:
        return f(x, *args)[0] if several else f(x, *args)

    found.root = corrected(value, found.root, "the root that scipy.optimize.root_scalar finds")
    return found


# --- systems ------------------------------------------------------------------------------------------------


def _root(
    solver: Any, fun: Any, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, **options: Any
) -> Any:
    args = as_tuple(args)
    slope = for_scipy(jac) if callable(jac) else jac
    found = solver(for_scipy(fun), record.plain(x0), record.plain(args), method, slope, **options)

    def value(x: Any) -> Any:
        return fun(x, *args)[0] if jac is True else fun(x, *args)

    x = corrected(value, found.x, "the solution that scipy.optimize.root finds")
    if not record.is_active(x):
        return found
    return minima.withheld(found, {"x": x, "fun": found.fun}, "scipy.optimize.root")


def _fsolve(
    solver: Any, func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, **options: Any
) -> Any:
    args = as_tuple(args)
    slope = None if fprime is None else for_scipy(fprime)
    found = solver(for_scipy(func), record.plain(x0), record.plain(args), slope, full_output, **options)
    x, *report = found if full_output else (found,)
    solution = corrected(lambda x: func(x, *args), x, "the solution that scipy.optimize.fsolve finds")
    if full_output and record.is_active(solution):
        about = minima.withheld(report[0], {"fvec": report[0]["fvec"]}, "scipy.optimize.fsolve")
        report = [about, *report[1:]]
    return (solution, *report) if full_output else solution


def _fixed_point(solver: Any, func: Any, x0: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
    args = as_tuple(args)

    def plainly(x: Any, *given: Any) -> Any:
        return np.asarray(for_scipy(func)(x, *given))

    x = solver(plainly, record.plain(x0), record.plain(args), *rest, **options)
    return corrected(
        lambda x: x - as_array(func(x, *args)), x, "the fixed point that scipy.optimize.fixed_point finds"
    )


def _nonlinear(solver: Any, F: Any, xin: Any, *rest: Any, **options: Any) -> Any:
    """newton_krylov, broyden1 and their like."""
    given = options_for_scipy(options)
    x = solver(for_scipy(F), record.plain(xin), *record.plain(rest), **given)
    return corrected(F, x, f"the solution that scipy.optimize.{solver.__name__} finds")


# --- minima -------------------------------------------------------------------------------------------------


def _minimize(
    solver: Any,
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    *rest: Any,
    **options: Any,
) -> Any:
    args = as_tuple(args)
    given = options_for_scipy(options)
    second = {k: for_scipy(v) if callable(v) else v for k, v in {"hess": hess, "hessp": hessp}.items()}
    found = solver(
        for_scipy(fun),
        record.plain(x0),
        record.plain(args),
        method,
        for_scipy(jac) if callable(jac) else jac,
        bounds=minima.plain_bounds(bounds),
        constraints=minima.plain_constraints(constraints),
        **second,
        **_positional(("tol", "callback", "options"), rest),
        **given,
    )

    def value(x: Any) -> Any:
        return as_array(fun(x, *args)[0] if jac is True else fun(x, *args))

    what = "the minimum that scipy.optimize.minimize finds"
    conditions = [*minima.within_bounds(bounds, found.x), *minima.subject_to(constraints)]
    if not minima.has_part([value, *(c.value for c in conditions)], found.x):
        return found
    x = minima.minimum(value, found.x, conditions, what)
    known = {"x": x, "fun": value(x)}
    if "jac" in found:
        known["jac"] = minima.slopes(value, x)
    return minima.withheld(found, known, "scipy.optimize.minimize")


def _positional(names: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    return options_for_scipy(dict(zip(names, values, strict=False)))


def _minimize_scalar(
    solver: Any, fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), *rest: Any, **options: Any
) -> Any:
    args = as_tuple(args)
    options = options_for_scipy(options)
    plain_bounds = None if bounds is None else record.plain(tuple(bounds))
    found = solver(
        for_scipy(fun),
        record.plain(bracket),
        plain_bounds,
        record.plain(args),
        *record.plain(rest),
        **options,
    )

    def value(x: Any) -> Any:
        return as_array(fun(x, *args))

    conditions = [] if bounds is None else minima.within_bounds([tuple(bounds)], found.x)
    if not minima.has_part([value, *(c.value for c in conditions)], found.x):
        return found
    if plain_bounds and np.min(np.abs(found.x - np.array(plain_bounds))) < 1e-4 * np.ptp(plain_bounds):
        raise UnsupportedError(
            "adc has no derivative of a minimum on one of its bounds by scipy.optimize.minimize_scalar",
            here(),
            "SciPy comes near the bound only: whether the minimum is there or beside it is not known.",
            "Compare the function with its value at the bound, or use scipy.optimize.minimize.",
        )
    x = minima.minimum(value, found.x, [], "the minimum that scipy.optimize.minimize_scalar finds")
    return minima.withheld(found, {"x": x, "fun": value(x)}, "scipy.optimize.minimize_scalar")


def _fmin(solver: Any, func: Any, x0: Any, *rest: Any, args: Any = (), **options: Any) -> Any:
    """fmin, fmin_powell; fmin_bfgs, fmin_cg and fmin_ncg take a gradient before the arguments."""
    takes_slope = solver.__name__ in ("fmin_bfgs", "fmin_cg", "fmin_ncg")
    name = f"scipy.optimize.{solver.__name__}"
    if len(rest) > int(takes_slope) or options.get("full_output") or options.get("retall"):
        raise UnsupportedError(
            f"adc has no derivative of what {name} reports",
            here(),
            "It has that of the solution alone, with `args` and the options by name.",
            "Use scipy.optimize.minimize.",
        )
    args = as_tuple(args)
    options = options_for_scipy(options)
    slope = [for_scipy(f) for f in rest]
    x = solver(for_scipy(func), record.plain(x0), *slope, args=record.plain(args), **options)

    def value(x: Any) -> Any:
        return as_array(func(x, *args))

    if not minima.has_part([value], x):
        return x
    return minima.minimum(value, x, [], f"the minimum that {name} finds")


_SOLVERS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("brentq", "brenth", "bisect", "ridder", "toms748"), _bracketed),
    "spsolve": sparse.spsolve,
    **dict.fromkeys(("splu", "spilu", "factorized"), sparse.factored),
    **dict.fromkeys(
        ("cg", "minres", "bicg", "bicgstab", "cgs", "gmres", "lgmres", "tfqmr"), sparse.iterative
    ),
    "newton": _newton,
    "root_scalar": _root_scalar,
    "root": _root,
    "fsolve": _fsolve,
    "fixed_point": _fixed_point,
    **dict.fromkeys(("newton_krylov", "broyden1", "broyden2", "anderson"), _nonlinear),
    "minimize": _minimize,
    "minimize_scalar": _minimize_scalar,
    **dict.fromkeys(("fmin", "fmin_powell", "fmin_bfgs", "fmin_cg", "fmin_ncg"), _fmin),
    "least_squares": fits.least_squares,
    "leastsq": fits.leastsq,
    "curve_fit": fits.curve_fit,
    "linprog": linear_programs.linprog,
    "nnls": linear_programs.nnls,
    "lsq_linear": linear_programs.lsq_linear,
    "odeint": trajectories.odeint,
    "quad": integrals.quad,
    "quad_vec": nested_integrals.quad_vec,
    "dblquad": nested_integrals.dblquad,
    "tplquad": nested_integrals.tplquad,
    "nquad": nested_integrals.nquad,
    "solve_ivp": trajectories.solve_ivp,
}
