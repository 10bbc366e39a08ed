"""Gradients of functions of Tensors against central differences, with the signatures of PyTorch's checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape.gradients import grad
from adc.tape.state import enable_grad, no_grad
from adc.tape.tensor import Tensor, make


class GradcheckError(RuntimeError):
    """An analytical derivative disagrees with differences."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Whether the Jacobian of `func` agrees with central differences.

    Each input that requires a gradient is moved.

    Inputs should be float64. Raises `GradcheckError` when it does not, or returns False with
    `raise_exception=False`; `ValueError` when no input requires a gradient. A second pull must give the same
    to within `nondet_tol`.

    >>> from adc import tape
    >>> gradcheck(np.sin, tape.tensor([0.5, 1.0], requires_grad=True))
    True
    """
    xs = list(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, Tensor) else [inputs]
    active = [k for k, x in enumerate(xs) if x.__class__ is Tensor and x.requires_grad]
    if not active:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    try:
        for position, _ in enumerate(_outputs(func(*xs))):
            _check_output(func, xs, active, position, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _outputs(result: Any) -> list[Tensor]:
    listed = list(result) if isinstance(result, tuple | list) else [result]
    return [y for y in listed if y.__class__ is Tensor and y.dtype.kind in "fc"]


def _check_output(
    func: Callable[..., Any],
    xs: list[Any],
    active: list[int],
    position: int,
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> None:
    analytical = _analytical(func, xs, active, position)
    if any(
        np.abs(a - b).max(initial=0.0) > nondet_tol
        for a, b in zip(analytical, _analytical(func, xs, active, position), strict=True)
    ):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output "
            "multiple times gives different values, although analytical gradient matches numerical "
            "gradient."
        )
    for k, jacobian in zip(active, analytical, strict=True):
        numerical = _numerical(func, xs, k, position, eps)
        if not np.allclose(jacobian, numerical, rtol=rtol, atol=atol):
            raise GradcheckError(
                f"Jacobian mismatch for output {position} with respect to input {k},\n"
                f"numerical:{numerical}\nanalytical:{jacobian}\n"
            )


def _analytical(func: Callable[..., Any], xs: list[Any], active: list[int], position: int) -> list[Any]:
    with enable_grad():
        y = _outputs(func(*xs))[position]
        columns: list[list[Any]] = [[] for _ in active]
        for k in range(y.size):
            bar = np.zeros(y.shape, y.dtype)
            bar.flat[k] = 1.0
            rows: Any = [None] * len(active)
            if y.requires_grad:
                rows = grad(y, [xs[i] for i in active], make(bar), retain_graph=True, allow_unused=True)
            for column, row, i in zip(columns, rows, active, strict=True):
                column.append(np.zeros(xs[i].size) if row is None else row.primal.ravel())
    return [np.reshape(column, (y.size, xs[i].size)) for column, i in zip(columns, active, strict=True)]


def _numerical(func: Callable[..., Any], xs: list[Any], k: int, position: int, eps: float) -> Any:
    base = np.array(xs[k].primal)
    columns = []
    for j in range(base.size):
        values = []
        for step in (eps, -eps):
            moved = base.copy()
            moved.flat[j] += step
            with no_grad():
                values.append(_outputs(func(*xs[:k], make(moved), *xs[k + 1 :]))[position].primal)
        columns.append(np.ravel(np.asarray(values[0]) - np.asarray(values[1])) / (2 * eps))
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    seed: int = 0,
) -> bool:
    """Whether second derivatives agree with differences of first ones; arguments as for `gradcheck`.

    >>> from adc import tape
    >>> gradgradcheck(np.sin, tape.tensor([0.5, 1.0], requires_grad=True))
    True
    """
    xs = list(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, Tensor) else [inputs]
    ys = _outputs(func(*xs))
    generator = np.random.default_rng(seed)
    if grad_outputs is None:
        bars = [make(generator.normal(size=y.shape).astype(y.dtype)).requires_grad_() for y in ys]
    else:
        bars = list(grad_outputs) if isinstance(grad_outputs, tuple | list) else [grad_outputs]
    active = [k for k, x in enumerate(xs) if x.__class__ is Tensor and x.requires_grad]

    def first(*arguments: Any) -> Any:
        moved, its_bars = list(arguments[: len(xs)]), list(arguments[len(xs) :])
        for k in active:
            if not moved[k].requires_grad:
                moved[k] = make(moved[k].primal).requires_grad_()
        with enable_grad():
            outputs = _outputs(func(*moved))
            pairs = [(y, bar) for y, bar in zip(outputs, its_bars, strict=True) if y.requires_grad]
            found = grad(
                [y for y, _ in pairs],
                [moved[k] for k in active],
                [bar for _, bar in pairs],
                create_graph=True,
                allow_unused=True,
            )
        return tuple(
            make(np.zeros(moved[k].shape)) if g is None else g for k, g in zip(active, found, strict=True)
        )

    return gradcheck(first, (*xs, *bars), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
