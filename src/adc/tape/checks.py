"""Gradients of functions of Tensors against central differences, with the signatures of PyTorch's checks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.tape.forward_ad import dual_level, make_dual, unpack_dual
from adc.tape.gradients import grad
from adc.tape.record import is_active
from adc.tape.state import enable_grad
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
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the Jacobian of `func` agrees with central differences.

    Each input that requires a gradient is moved; of complex inputs and outputs the real and the imaginary
    parts. A second pull must give the same to within `nondet_tol`.

    Inputs should be float64: others bring a warning. Raises `GradcheckError` when the Jacobians differ, or
    returns False with `raise_exception=False`; `ValueError` when no input requires a gradient.

    The other parameters are PyTorch's. With `check_forward_ad` the tangents (adc.tape.forward_ad) are compared,
    too, and with `check_backward_ad=False` they alone. Whole Jacobians are compared also with `fast_mode`, and
    the rest asks for what holds of every gradient here: that an adjoint may be missing, that it has its
    operand's dtype, that adjoints may come in batches.

    >>> from adc import tape
    >>> gradcheck(np.sin, tape.tensor([0.5, 1.0], requires_grad=True))
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    xs = list(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, Tensor) else [inputs]
    active = [k for k, x in enumerate(xs) if x.__class__ is Tensor and x.requires_grad]
    if not active:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    for k in active:
        if xs[k].dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{k} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex.",
                stacklevel=2,
            )
    xs = _distinct(xs)
    try:
        for position, _ in enumerate(_outputs(func(*xs))):
            if check_backward_ad:
                _check_output(func, xs, active, position, eps, atol, rtol, nondet_tol)
            if check_forward_ad:
                pushed = _pushed(func, xs, active, position)
                _compare(func, xs, active, position, pushed, eps, atol, rtol, "computed with forward mode ")
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _distinct(xs: list[Any]) -> list[Any]:
    """The inputs, one that is given twice as two: each is moved by itself."""
    return [
        make(x.primal.copy()).requires_grad_() if any(x is other for other in xs[:k]) and is_active(x) else x
        for k, x in enumerate(xs)
    ]


def _outputs(result: Any) -> list[Tensor]:
    listed = list(result) if isinstance(result, tuple | list) else [result]
    for y in listed:
        if y.__class__ is not Tensor:
            raise ValueError(f"gradcheck expects the function to return Tensors, but got {type(y).__name__}")
    return [y for y in listed if y.dtype.kind in "fc"]


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
    _compare(func, xs, active, position, analytical, eps, atol, rtol)


def _compare(
    func: Callable[..., Any],
    xs: list[Any],
    active: list[int],
    position: int,
    analytical: list[Any],
    eps: float,
    atol: float,
    rtol: float,
    how: str = "",
) -> None:
    for k, jacobian in zip(active, analytical, strict=True):
        numerical = _numerical(func, xs, k, position, eps)
        if not np.allclose(jacobian, numerical, rtol=rtol, atol=atol):
            raise GradcheckError(
                f"Jacobian {how}mismatch for output {position} with respect to input {k},\n"
                f"numerical:{numerical}\nanalytical:{jacobian}\n"
            )


def _pushed(func: Callable[..., Any], xs: list[Any], active: list[int], position: int) -> list[Any]:
    """For each active input the Jacobian of one output, by its tangents: columns are inputs."""
    jacobians = []
    for k in active:
        columns = []
        for unit in (1.0, 1.0j) if xs[k].dtype.kind == "c" else (1.0,):
            for j in range(xs[k].size):
                dot = np.zeros(xs[k].shape, xs[k].dtype)
                dot.flat[j] = unit
                with dual_level():
                    given = [make_dual(x, make(dot)) if i == k else x for i, x in enumerate(xs)]
                    y, y_dot = unpack_dual(_outputs(func(*given))[position])
                    columns.append(_real(np.zeros(y.shape, y.dtype) if y_dot is None else y_dot.primal))
        jacobians.append(np.stack(columns, axis=1) if columns else np.zeros((0, 0)))
    return jacobians


def _analytical(func: Callable[..., Any], xs: list[Any], active: list[int], position: int) -> list[Any]:
    """For each active input the Jacobian of one output, over the real numbers: rows are outputs."""
    with enable_grad():
        y = _outputs(func(*xs))[position]
        rows: list[list[Any]] = [[] for _ in active]
        # An adjoint y_bar stands for d Re(y_bar * y): of y's real part with 1, of its imaginary part with -i.
        for unit in (1.0, -1.0j) if y.dtype.kind == "c" else (1.0,):
            for k in range(y.size):
                bar = np.zeros(y.shape, y.dtype)
                bar.flat[k] = unit
                found: Any = [None] * len(active)
                if y.requires_grad:
                    found = grad(y, [xs[i] for i in active], make(bar), retain_graph=True, allow_unused=True)
                for row, g, i in zip(rows, found, active, strict=True):
                    flat = np.zeros(xs[i].size, xs[i].dtype) if g is None else g.primal.ravel()
                    row.append(np.concatenate([flat.real, -flat.imag]) if flat.dtype.kind == "c" else flat)
    return [np.reshape(row, (len(row), _reals(xs[i]))) for row, i in zip(rows, active, strict=True)]


def _reals(x: Tensor) -> int:
    """How many real numbers a Tensor consists of."""
    return x.size * (2 if x.dtype.kind == "c" else 1)


def _real(value: Any) -> Any:
    flat = np.ravel(value)
    return np.concatenate([flat.real, flat.imag]) if flat.dtype.kind == "c" else flat


def _numerical(func: Callable[..., Any], xs: list[Any], k: int, position: int, eps: float) -> Any:
    """The Jacobian of one output with respect to one input, by differences.

    The input itself is moved, so that a function may read it from outside, and may register hooks.
    """
    x = xs[k]
    base = np.array(x.primal)
    columns = []
    try:
        for unit in (1.0, 1.0j) if base.dtype.kind == "c" else (1.0,):
            for j in range(base.size):
                values = []
                for step in (eps * unit, -eps * unit):
                    moved = base.copy()
                    moved.flat[j] += step
                    _put(x, moved)
                    with enable_grad():
                        y = _outputs(func(*xs))[position]
                    values.append(np.array(y.primal))
                _require_alike(values, np.unravel_index(j, base.shape), eps)
                columns.append((_real(values[0]) - _real(values[1])) / (2 * eps))
    finally:
        _put(x, base)
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def _put(x: Tensor, values: Any) -> None:
    """Other numbers into a Tensor's memory; a Tensor of a number without memory has another number."""
    if isinstance(x.primal, np.ndarray) and x.primal.flags.writeable:
        x.primal[...] = values
    else:
        x.primal = values[()]


def _require_alike(values: list[Any], index: Any, eps: float) -> None:
    for what in ("shape", "dtype"):
        first, second = (getattr(v, what) for v in values)
        if first != second:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed on index "
                f"{tuple(map(int, index))} by {eps}, but got: {what}s {second} and {first}."
            )


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
    seed: int = 0,
) -> bool:
    """Whether second derivatives agree with differences of first ones; arguments as for `gradcheck`.

    The adjoints of the outputs are `grad_outputs`, or random, by `seed`; with `gen_non_contig_grad_outputs` they
    lie in memory with gaps.

    >>> from adc import tape
    >>> gradgradcheck(np.sin, tape.tensor([0.5, 1.0], requires_grad=True))
    True
    """
    xs = list(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, Tensor) else [inputs]
    ys = _outputs(func(*xs))
    generator = np.random.default_rng(seed)
    if grad_outputs is None:
        bars = [_random(generator, y, gen_non_contig_grad_outputs) for y in ys]
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

    return gradcheck(
        first,
        (*xs, *bars),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )


def _random(generator: np.random.Generator, like: Tensor, gaps: bool) -> Tensor:
    """A random leaf of the shape and dtype of a Tensor."""
    values = generator.normal(size=(*like.shape, 2))
    array = values.astype(like.dtype)[..., 0]
    if like.dtype.kind == "c":
        array = array + 1j * values[..., 1]
    return make(array if gaps else np.array(array)).requires_grad_()
