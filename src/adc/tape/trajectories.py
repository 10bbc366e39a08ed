"""Trajectories of ordinary differential equations: SciPy chooses the steps, the tape takes them again.

The value is SciPy's. Its derivative is that of a method with the same steps, on Tensors: the formulas of SciPy's
explicit Runge-Kutta methods, or for stiff equations the three stages of Radau IIA (order 5), which are a root.
Source: Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations" I (1993), II (1996).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import implicit, record
from adc.tape.node import here
from adc.tape.tensor import make

Field = Callable[[Any, Any], Any]  # of time and state
Stepper = Callable[[Field, Any, Any, Any], Any]  # of field, time, state, step: the next state

STIFF = 8  # so many times the evaluations that the chosen method needed, and an explicit one is too slow

_ROOT6 = 6.0**0.5
RADAU = np.array(
    [
        [(88 - 7 * _ROOT6) / 360, (296 - 169 * _ROOT6) / 1800, (-2 + 3 * _ROOT6) / 225],
        [(296 + 169 * _ROOT6) / 1800, (88 + 7 * _ROOT6) / 360, (-2 - 3 * _ROOT6) / 225],
        [(16 - _ROOT6) / 36, (16 + _ROOT6) / 36, 1 / 9],
    ]
)
RADAU_TIMES = np.array([(4 - _ROOT6) / 10, (4 + _ROOT6) / 10, 1.0])


def explicit(method: Any) -> Stepper:
    """A step of one of SciPy's explicit Runge-Kutta methods."""

    def step(field: Field, t: Any, y: Any, h: Any) -> Any:
        slopes = [field(t, y)]
        for k in range(1, method.n_stages):
            moved = y
            for weight, slope in zip(method.A[k, :k], slopes, strict=True):
                if weight != 0.0:
                    moved = moved + (h * weight) * slope
            slopes.append(field(t + h * method.C[k], moved))
        result = y
        for weight, slope in zip(method.B, slopes, strict=True):
            if weight != 0.0:
                result = result + (h * weight) * slope
        return result

    return step


def radau(field: Field, t: Any, y: Any, h: Any) -> Any:
    """A step of Radau IIA: its slopes are a root of their three equations."""

    def equations(slopes: Any) -> Any:
        wanted = []
        for k in range(3):
            moved = y
            for weight, slope in zip(RADAU[k], (slopes[0], slopes[1], slopes[2]), strict=True):
                moved = moved + (h * weight) * slope
            wanted.append(field(t + h * RADAU_TIMES[k], moved))
        return slopes - np.stack(wanted)

    plainly = implicit.without_record(equations)
    found = np.stack([np.asarray(record.plain(field(record.plain(t), record.plain(y))), np.float64)] * 3)
    for _ in range(12):
        rest = plainly(found)
        if np.max(np.abs(rest), initial=0.0) <= 1e-13 * (1.0 + np.max(np.abs(found), initial=0.0)):
            break
        matrix = implicit.jacobian(equations, found)
        found = found - np.linalg.solve(matrix, np.reshape(rest, -1)).reshape(found.shape)
    slopes = implicit.corrected(equations, found, "a step of the trajectory")
    result = y
    for k in range(3):
        result = result + (h * RADAU[2, k]) * slopes[k]
    return result


def followed(field: Field, y: Any, start: Any, nodes: Any, times: list[Any], step: Stepper) -> list[Any]:
    """The states at `times`, on Tensors: whole steps from node to node, and from the last node before a time to it."""
    direction = 1.0 if nodes[-1] >= nodes[0] else -1.0
    found = []
    k, t = 0, start
    for time in times:
        at = float(record.plain(time))
        while k + 2 < len(nodes) and direction * (nodes[k + 1] - at) < 0.0:
            y, t, k = step(field, t, y, nodes[k + 1] - t), nodes[k + 1], k + 1
        same = at == float(record.plain(t))
        found.append(y if same else step(field, t, y, time - t))
    return found


# --- SciPy's functions --------------------------------------------------------------------------------------


def _nodes(
    field: Field, ends: tuple[float, float], y: Any, tolerances: dict[str, Any], evaluations: int
) -> Any:
    """The steps that an accurate method takes, and that method on Tensors."""
    from scipy import integrate

    explicitly = integrate.DOP853(field, ends[0], y, ends[1], **tolerances)
    nodes = [ends[0]]
    while explicitly.status == "running" and explicitly.nfev <= STIFF * max(evaluations, 100):
        explicitly.step()
        nodes.append(explicitly.t)
    if explicitly.status == "finished":
        return np.array(nodes), explicit(integrate.DOP853)
    found = integrate.solve_ivp(field, ends, y, method="Radau", **tolerances)
    return found.t, radau


def odeint(
    solver: Any, func: Any, y0: Any, t: Any, args: Any = (), *rest: Any, tfirst: bool = False, **options: Any
) -> Any:
    """`scipy.integrate.odeint` on Tensors."""
    if rest:
        raise UnsupportedError(
            "adc takes `func, y0, t, args` of scipy.integrate.odeint by position",
            here(),
            "",
            "Name the others.",
        )
    args = implicit.as_tuple(args)

    def field(time: Any, y: Any) -> Any:
        return implicit.as_array(func(time, y, *args) if tfirst else func(y, time, *args))

    start = implicit.as_array(y0)
    plain_start, plain_args, plain_times = record.plain((start, args, implicit.as_array(t)))
    options = implicit.unrecorded(options)
    output = options.pop("full_output", 0)
    found, report = solver(
        implicit.without_record(func),
        plain_start,
        plain_times,
        plain_args,
        full_output=1,
        tfirst=tfirst,
        **options,
    )
    times = [t[k] for k in range(len(plain_times))] if record.is_active(t) else list(plain_times)
    if len(plain_times) > 1 and _is_active(field, plain_times[0], start, times):
        tolerances = {name: options.get(name) or 1.49012e-8 for name in ("rtol", "atol")}
        y = np.reshape(start, (-1,)) if np.ndim(plain_start) == 0 else start
        plainly = implicit.without_record(field)
        flat = np.atleast_1d(np.asarray(plain_start, np.float64))
        ends = float(plain_times[0]), float(plain_times[-1])
        nodes, step = _nodes(
            lambda s, y: np.asarray(plainly(s, y), np.float64), ends, flat, tolerances, int(report["nfe"][-1])
        )
        rows = [y, *followed(field, y, times[0], nodes, times[1:], step)]
        found = implicit.valued(found, np.stack(rows))
    return (found, report) if output else found


def solve_ivp(
    solver: Any,
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **options: Any,
) -> Any:
    """`scipy.integrate.solve_ivp` on Tensors."""
    from scipy import integrate

    given = () if args is None else tuple(args)

    def field(t: Any, y: Any) -> Any:
        return implicit.as_array(fun(t, y, *given))

    start = implicit.as_array(y0)
    ends = record.plain(tuple(t_span))
    options = implicit.unrecorded(options)
    asked = None if t_eval is None else record.plain(implicit.as_array(t_eval))
    plain = implicit.without_record(fun), ends, record.plain(start), method
    found = solver(
        *plain,
        t_eval=asked,
        dense_output=dense_output,
        events=events,
        vectorized=vectorized,
        args=record.plain(args),
        **options,
    )
    times = list(found.t) if t_eval is None else [t_eval[k] for k in range(len(found.t))]
    if t_eval is None and record.is_active(t_span[1]):
        times[-1] = t_span[1]
    if not _is_active(field, ends[0], start, [*t_span, *times]):
        return found
    if events is not None or dense_output:
        what = "events" if events is not None else "dense_output"
        raise UnsupportedError(
            f"adc has no derivative of scipy.integrate.solve_ivp with `{what}`",
            here(),
            "They would carry no derivative, in silence.",
            "Give `t_eval`.",
        )
    accepted = found.t
    if t_eval is not None:
        accepted = solver(*plain, vectorized=vectorized, args=record.plain(args), **options).t
    scheme = getattr(integrate, method) if isinstance(method, str) else method
    if hasattr(scheme, "n_stages") and hasattr(scheme, "A"):
        step: Stepper = explicit(scheme)
    else:
        tolerances = {"rtol": options.get("rtol", 1e-3), "atol": options.get("atol", 1e-6)}
        plainly = implicit.without_record(field)
        accepted, step = _nodes(
            lambda s, y: np.asarray(plainly(s, y), np.float64),
            ends,
            np.asarray(record.plain(start), np.float64),
            tolerances,
            found.nfev,
        )
    rows = followed(field, start, t_span[0], accepted, times, step)
    found.y = implicit.valued(found.y, np.stack(rows, axis=1))
    if any(record.is_active(t) for t in times):
        found.t = np.stack([t if record.is_active(t) else make(np.float64(t)) for t in times])
    return found


def _is_active(field: Field, t: Any, y: Any, times: list[Any]) -> bool:
    """Whether a trajectory carries a derivative."""
    return record.is_active([y, *times]) or record.is_active(field(t, record.plain(y)))
