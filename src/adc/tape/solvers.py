"""What SciPy solves for a function of the user's: roots, fixed points, minima and trajectories, on Tensors.

SciPy runs the function on plain numbers and says what it found; `implicit` and `trajectories` give that a derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.solvers import solver_name
from adc.tape import gradients, integrals, nested_integrals, record, trajectories
from adc.tape.implicit import as_array, corrected, without_record
from adc.tape.node import here
from adc.tape.tensor import make


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
    args = args if isinstance(args, tuple) else (args,)
    found = solver(
        without_record(f),
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
    args = args if isinstance(args, tuple) else (args,)
    for name in ("fprime2",):
        if options.get(name) is not None:
            options[name] = without_record(options[name])
    options = {k: record.plain(v) for k, v in options.items()}
    slope = None if fprime is None else without_record(fprime)
    found = solver(
        without_record(func),
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
    args = args if isinstance(args, tuple) else (args,)
    options = {k: without_record(v) if callable(v) else record.plain(v) for k, v in options.items()}
    several = options.get("fprime") is True or options.get("fprime2") is True
    found = solver(without_record(f), record.plain(args), *record.plain(rest), **options)

    def value(x: Any) -> Any:
        return f(x, *args)[0] if several else f(x, *args)

    found.root = corrected(value, found.root, "the root that scipy.optimize.root_scalar finds")
    return found


# --- systems ------------------------------------------------------------------------------------------------


def _root(
    solver: Any, fun: Any, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, **options: Any
) -> Any:
    args = args if isinstance(args, tuple) else (args,)
    slope = without_record(jac) if callable(jac) else jac
    found = solver(without_record(fun), record.plain(x0), record.plain(args), method, slope, **options)

    def value(x: Any) -> Any:
        return fun(x, *args)[0] if jac is True else fun(x, *args)

    found.x = corrected(value, found.x, "the solution that scipy.optimize.root finds")
    return found


def _fsolve(
    solver: Any, func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, **options: Any
) -> Any:
    args = args if isinstance(args, tuple) else (args,)
    slope = None if fprime is None else without_record(fprime)
    found = solver(without_record(func), record.plain(x0), record.plain(args), slope, full_output, **options)
    x, *report = found if full_output else (found,)
    solution = corrected(lambda x: func(x, *args), x, "the solution that scipy.optimize.fsolve finds")
    return (solution, *report) if full_output else solution


def _fixed_point(solver: Any, func: Any, x0: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
    args = args if isinstance(args, tuple) else (args,)

    def plainly(x: Any, *given: Any) -> Any:
        return np.asarray(without_record(func)(x, *given))

    x = solver(plainly, record.plain(x0), record.plain(args), *rest, **options)
    return corrected(
        lambda x: x - as_array(func(x, *args)), x, "the fixed point that scipy.optimize.fixed_point finds"
    )


def _minimize(
    solver: Any, fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, **options: Any
) -> Any:
    """A minimum is a root of the gradient, which the tape takes; without constraints."""
    args = args if isinstance(args, tuple) else (args,)
    given = {k: without_record(v) if callable(v) else record.plain(v) for k, v in options.items()}
    slope = without_record(jac) if callable(jac) else jac
    found = solver(without_record(fun), record.plain(x0), record.plain(args), method, slope, **given)

    def value(x: Any) -> Any:
        return fun(x, *args)[0] if jac is True else fun(x, *args)

    if not record.is_active(value(make(np.array(found.x)))):
        return found
    if any(options.get(name) for name in ("bounds", "constraints")):
        raise UnsupportedError(
            "adc has no derivative of scipy.optimize.minimize with bounds or constraints",
            here(),
            "Its minimum is not where the gradient is zero.",
            "Take the constraint into the function, by a change of variables.",
        )

    def slopes(x: Any) -> Any:
        at = x if x.node is not None else x + 0.0 * value(x)  # part of the record, as what it comes from is
        (found,) = gradients.grad(value(at), at, create_graph=True)
        return found

    found.x = corrected(slopes, found.x, "the minimum that scipy.optimize.minimize finds")
    found.fun = value(found.x)
    return found


_SOLVERS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("brentq", "brenth", "bisect", "ridder", "toms748"), _bracketed),
    "newton": _newton,
    "root_scalar": _root_scalar,
    "root": _root,
    "fsolve": _fsolve,
    "fixed_point": _fixed_point,
    "minimize": _minimize,
    "odeint": trajectories.odeint,
    "quad": integrals.quad,
    "quad_vec": nested_integrals.quad_vec,
    "dblquad": nested_integrals.dblquad,
    "tplquad": nested_integrals.tplquad,
    "nquad": nested_integrals.nquad,
    "solve_ivp": trajectories.solve_ivp,
}
