"""Jacobians, Hessians and products with them, with the signatures of `torch.autograd.functional`.

`inputs` is a Tensor or a tuple of them; `func` takes them as arguments and returns a Tensor or a tuple.
Results are nested in the same way: outputs outside, inputs inside. With `create_graph=True` they can be
differentiated further. With `strict=True` an output that does not depend on an input is an error instead of
zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape.gradients import grad
from adc.tape.state import enable_grad
from adc.tape.tensor import Tensor, make

Func = Callable[..., Any]


def vjp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs, and `v` times the Jacobian.

    >>> from adc import tape
    >>> vjp(lambda x: x * x, tape.tensor([1.0, 2.0]), tape.tensor([1.0, 1.0]))[1]
    tensor([2., 4.])
    """
    with enable_grad():
        xs, several = _prepared(inputs, create_graph)
        ys, many = _listed(func(*xs))
        bars = _vectors(v, ys, "v", "output")
        gradients = _gradients(ys, xs, bars, create_graph, strict)
    return _given(ys, many, create_graph), _given(gradients, several, create_graph)


def jvp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The outputs, and the Jacobian times `v`, by the transpose of the transpose.

    >>> from adc import tape
    >>> jvp(lambda x: x * x, tape.tensor([1.0, 2.0]), tape.tensor([1.0, 1.0]))[1]
    tensor([2., 4.])
    """
    with enable_grad():
        xs, _ = _prepared(inputs, create_graph)
        dots = _vectors(v, xs, "v", "input")
        ys, many = _listed(func(*xs))
        dummies = [make(np.ones(y.shape, y.dtype)).requires_grad_() for y in ys]
        bars = _gradients(ys, xs, dummies, True, strict)
        pushed = _gradients(bars, dummies, dots, create_graph, False)
    return _given(ys, many, create_graph), _given(pushed, many, create_graph)


def jacobian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian: for an output of shape s and an input of shape t an array of shape s + t.

    `vectorize` and `strategy` are accepted for PyTorch's sake; rows are pulled one after the other.

    >>> from adc import tape
    >>> jacobian(lambda x: x * x, tape.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    with enable_grad():
        xs, several = _prepared(inputs, create_graph)
        ys, many = _listed(func(*xs))
        rows = [_rows(y, xs, create_graph, strict) for y in ys]
    blocks = [_given(row, several, create_graph) for row in rows]
    return tuple(blocks) if many else blocks[0]


def hessian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function of one value: for inputs of shapes s and t an array of shape s + t.

    >>> from adc import tape
    >>> hessian(lambda x: (x ** 3).sum(), tape.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several = isinstance(inputs, tuple)

    def gradient(*xs: Tensor) -> Any:
        _, bars = vjp(func, xs if several else xs[0], create_graph=True)
        return bars

    _require_scalar(func, inputs)
    return jacobian(gradient, inputs, create_graph, strict)


def vhp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value, and `v` times the Hessian."""
    _require_scalar(func, inputs)
    with enable_grad():
        xs, several = _prepared(inputs, create_graph)
        vectors = _vectors(v, xs, "v", "input")
        ys, _ = _listed(func(*xs))
        gradients = _gradients(ys, xs, None, True, strict)
        products = _gradients(gradients, xs, vectors, create_graph, strict)
    return _given(ys, False, create_graph), _given(products, several, create_graph)


def hvp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value, and the Hessian times `v`; the same as `vhp`, for a Hessian is symmetric."""
    return vhp(func, inputs, v, create_graph, strict)


def _prepared(inputs: Any, create_graph: bool) -> tuple[list[Tensor], bool]:
    """The inputs as Tensors to differentiate with respect to; part of the caller's graph if that goes on."""
    several = isinstance(inputs, tuple)
    prepared: list[Any] = []
    for x in inputs if several else (inputs,):
        if x.__class__ is not Tensor:
            raise TypeError(f"inputs must be a Tensor or a tuple of Tensors, not {type(x).__name__}")
        prepared.append(np.copy(x) if create_graph and x.requires_grad else x.detach().requires_grad_())
    return prepared, several


def _listed(outputs: Any) -> tuple[list[Tensor], bool]:
    several = isinstance(outputs, tuple)
    listed = list(outputs) if several else [outputs]
    for y in listed:
        if y.__class__ is not Tensor:
            raise TypeError(f"func must return a Tensor or a tuple of Tensors, not {type(y).__name__}")
    return listed, several


def _vectors(v: Any, like: list[Tensor], name: str, what: str) -> list[Any] | None:
    """The vectors of a product, one for each Tensor."""
    if v is None:
        if len(like) != 1 or like[0].size != 1:
            raise RuntimeError(
                f"The vector {name} can only be None if the user-provided function returns a single "
                f"Tensor with a single element."
                if what == "output"
                else f"The vector {name} can only be None if the input to the user-provided function is a "
                "single Tensor with a single element."
            )
        return [make(np.ones(like[0].shape, like[0].dtype))]
    given = list(v) if isinstance(v, tuple) else [v]
    if [x.shape for x in given] != [x.shape for x in like]:
        raise RuntimeError(
            f"{name} has the shapes {[x.shape for x in given]}, where the {what}s have "
            f"{[x.shape for x in like]}"
        )
    return given


def _gradients(
    ys: list[Tensor], xs: list[Tensor], bars: list[Any] | None, create_graph: bool, strict: bool
) -> list[Tensor]:
    """The pulled-back adjoints, zeros where nothing depends on an input."""
    active = [k for k, y in enumerate(ys) if y.requires_grad]
    if strict and len(active) < len(ys):
        raise RuntimeError(
            "one of the outputs does not depend on the inputs. This is not allowed in strict mode."
        )
    found: Any = [None] * len(xs)
    if active:
        seeds = None if bars is None else [bars[k] for k in active]
        found = grad(
            [ys[k] for k in active],
            xs,
            seeds,
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
    if strict and any(g is None for g in found):
        raise RuntimeError(
            "one of the outputs is independent of one of the inputs. This is not allowed in strict mode."
        )
    return [make(np.zeros(x.shape, x.dtype)) if g is None else g for x, g in zip(xs, found, strict=True)]


def _rows(y: Tensor, xs: list[Tensor], create_graph: bool, strict: bool) -> list[Tensor]:
    """The blocks of the Jacobian of one output."""
    columns: list[list[Any]] = [[] for _ in xs]
    blocks: list[Any] = []
    for k in range(y.size):
        bar = np.zeros(y.shape, y.dtype)
        bar.flat[k] = 1.0
        for column, g in zip(columns, _gradients([y], xs, [make(bar)], create_graph, strict), strict=True):
            column.append(g)
    for column, x in zip(columns, xs, strict=True):
        rows = np.stack(column) if column else make(np.zeros((0, *x.shape)))
        blocks.append(np.reshape(rows, y.shape + x.shape))
    return blocks


def _given(tensors: list[Tensor], several: bool, create_graph: bool) -> Any:
    kept = tensors if create_graph else [t.detach() for t in tensors]
    return tuple(kept) if several else kept[0]


def _require_scalar(func: Func, inputs: Any) -> None:
    """Raise unless the function returns a single number; it runs once more for that."""
    xs, _ = _prepared(inputs, False)
    ys, several = _listed(func(*xs))
    if several:
        raise RuntimeError("The function given to hessian should return a single Tensor")
    if ys[0].size != 1:
        raise RuntimeError(
            "The Tensor returned by the function given to hessian should contain a single element"
        )
