"""The solution of equations carries a derivative: that of a correction written on Tensors around it.

For an x with F(x) = 0, found on plain numbers, Newton's correction x - J^-1 F(x) has the value x, and F brings in
whatever the equations depend on, arguments and captured Tensors alike. Each correction with the same J makes one more
order of derivatives right: the error of x is multiplied by a factor of the order of the change.
Source: Christianson, "Reverse accumulation and attractive fixed points" (1994).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import DerivativeError
from adc.tape import gradients, record
from adc.tape.node import here
from adc.tape.state import within
from adc.tape.tensor import Tensor, make

ORDERS = 3  # of derivatives that a solution has
NEAR = 1e-2  # a solution is as near as this to where Newton's next step goes, beside its size

Residual = Callable[[Any], Any]


def for_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on plain numbers, as SciPy calls it; its parameters are those that SciPy counts.

    It is recorded all the same: what it puts into a cache of the user's in its first call (a `cached_property`, a dict)
    is read behind the solver, and would be a constant there.
    """

    @functools.wraps(function, updated=())
    def run(*args: Any) -> Any:
        return record.plain(function(*args))

    return run


def options_for_scipy(options: dict[str, Any]) -> dict[str, Any]:
    """Options as SciPy takes them: plain numbers, and functions of these."""
    return {k: for_scipy(v) if callable(v) else record.plain(v) for k, v in options.items()}


def as_tuple(args: Any) -> tuple[Any, ...]:
    """The `args=` of a solver, which SciPy takes without a tuple where there is one."""
    return args if isinstance(args, tuple) else (args,)


def as_array(value: Any) -> Any:
    """What a function gave, numbers or lists of them, as one Tensor or array."""
    if isinstance(value, list | tuple):
        return (
            np.stack([as_array(v) for v in value])
            if record.is_active(value)
            else np.asarray(record.plain(value))
        )
    return value if isinstance(value, Tensor) else np.asarray(value)


def jacobian(function: Residual, x: Any) -> Any:
    """The derivative of a function of one array at plain numbers, a matrix; rows by reverse mode."""
    at = make(np.array(x, dtype=np.float64)).requires_grad_()
    with within({"enabled": True}):
        result = as_array(function(at))
    rows = np.zeros((int(np.size(record.plain(result))), at.primal.size))
    if record.is_active(result):
        flat = np.reshape(result, (-1,))
        for k in range(len(rows)):
            (row,) = gradients.grad(flat[k], at, retain_graph=True, allow_unused=True)
            if row is not None:
                rows[k] = record.plain(row).reshape(-1)
    return rows


def corrected(residual: Residual, x: Any, what: str) -> Any:
    """The root of `residual` that has the value `x`, on the tape. Returns `x` where nothing active is behind it."""
    if not record.is_active(residual(make(np.array(x, dtype=np.float64)))):
        return x
    matrix = jacobian(residual, x)
    scale = np.max(np.abs(matrix), initial=0.0)
    if not np.isfinite(scale) or np.linalg.matrix_rank(matrix) < len(matrix):
        raise DerivativeError(
            f"the derivative of {what} does not exist",
            here(),
            "Its equations have a singular Jacobian there: the solution does not move smoothly, or not alone.",
            "Solve for something that the equations determine.",
        )
    inverse = np.linalg.inv(matrix)
    _check_solved(inverse @ np.reshape(record.plain(as_array(residual(x))), (-1,)), x, what)
    shape = np.shape(x)
    moved: Any = make(np.array(x, dtype=np.float64))
    for _ in range(ORDERS):
        step = inverse @ np.reshape(as_array(residual(moved)), (-1,))
        moved = moved - np.reshape(step, shape)
    return valued(x, moved)


def _check_solved(step: Any, x: Any, what: str) -> None:
    """A solver may give up, and what it leaves is no solution: Newton's next step says how far from one it is."""
    if not np.max(np.abs(step), initial=0.0) <= NEAR * (1.0 + np.max(np.abs(x), initial=0.0)):
        raise DerivativeError(
            f"the derivative of {what} does not exist: the solver stopped before it found one",
            here(),
            "What it returned does not satisfy the equations, so they do not say how it moves.",
            "Look at what the solver reports (`success`, `message`); another start, method or tolerance may find one.",
        )


def valued(value: Any, derivative: Any) -> Any:
    """A Tensor with the value that SciPy computed and the derivative of another."""
    return value + (derivative - derivative.detach())
