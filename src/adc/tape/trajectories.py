"""Trajectories of ordinary differential equations: SciPy chooses the steps, the tape takes them again.

The value is SciPy's. Its derivative is that of a method with the same steps, on Tensors: the formulas of SciPy's
explicit Runge-Kutta methods, or for stiff equations the three stages of Radau IIA (order 5), which are a root.
Source: Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations" I (1993), II (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import implicit, record
from adc.tape.node import here
from adc.tape.paths import Continuous, Field, Path, Stepper, events_for_scipy, joined, listed, moved

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

    plainly = implicit.for_scipy(equations)
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
        return _slope(func(time, y, *args) if tfirst else func(y, time, *args))

    start = implicit.as_array(y0)
    plain_start, plain_args, plain_times = record.plain((start, args, implicit.as_array(t)))
    options = implicit.options_for_scipy(options)
    output = options.pop("full_output", 0)
    found, report = solver(
        implicit.for_scipy(func),
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
        plainly = implicit.for_scipy(field)
        flat = np.atleast_1d(np.asarray(plain_start, np.float64))
        ends = float(plain_times[0]), float(plain_times[-1])
        nodes, step = _nodes(
            lambda s, y: np.asarray(plainly(s, y), np.float64), ends, flat, tolerances, int(report["nfe"][-1])
        )
        path = Path(field, y, times[0], nodes, step)
        found = implicit.valued(found, np.stack([y, *map(path.at, times[1:])]))
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
        return _slope(fun(t, y, *given))

    start = implicit.as_array(y0)
    ends = record.plain(tuple(t_span))
    options = implicit.options_for_scipy(options)
    asked = None if t_eval is None else record.plain(implicit.as_array(t_eval))
    happening = listed(events)
    plain = implicit.for_scipy(fun), ends, record.plain(start), method
    options |= {"events": events_for_scipy(happening), "vectorized": vectorized, "args": record.plain(args)}
    found = solver(*plain, t_eval=asked, dense_output=dense_output, **options)
    times = list(found.t) if t_eval is None else [t_eval[k] for k in range(len(found.t))]
    if t_eval is None and record.is_active(t_span[1]):
        times[-1] = t_span[1]
    asks = [event(ends[0], record.plain(start), *given) for event in happening]
    if not _is_active(field, ends[0], start, [*t_span, *times, *asks]):
        return found
    accepted = found.t if t_eval is None else solver(*plain, **options).t
    scheme = getattr(integrate, method) if isinstance(method, str) else method
    if hasattr(scheme, "n_stages") and hasattr(scheme, "A"):
        step: Stepper = explicit(scheme)
    else:
        tolerances = {"rtol": options.get("rtol", 1e-3), "atol": options.get("atol", 1e-6)}
        plainly = implicit.for_scipy(field)
        accepted, step = _nodes(
            lambda s, y: np.asarray(plainly(s, y), np.float64),
            ends,
            np.asarray(record.plain(start), np.float64),
            tolerances,
            found.nfev,
        )
    path = Path(field, start, t_span[0], accepted, step)
    for k, event in enumerate(happening):
        roots, states = moved(event, path, found.t_events[k], given)
        if t_eval is None and found.status == 1 and len(roots) and found.t_events[k][-1] == found.t[-1]:
            times[-1] = roots[-1]  # the end of the trajectory
        found.t_events[k] = joined(roots, found.t_events[k])
        found.y_events[k] = joined(states, found.y_events[k])
    found.y = joined([path.at(t) for t in times], found.y, axis=1)
    found.t = joined(times, found.t)
    if dense_output:
        found.sol = Continuous(found.sol, path)
    return found


def _slope(value: Any) -> Any:
    """What the right-hand side gave, in memory of its own: it may write the next slope where this one lies."""
    return np.copy(implicit.as_array(value))


def _is_active(field: Field, t: Any, y: Any, times: list[Any]) -> bool:
    """Whether a trajectory carries a derivative."""
    return record.is_active([y, *times]) or record.is_active(field(t, record.plain(y)))
