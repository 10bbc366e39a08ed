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
        xs, several = _prepared(inputs, create_graph, "vjp")
        ys, many = _results(func, xs, "vjp", strict)
        bars = _vectors(v, ys, "vjp", "the user-provided function returns")
        gradients = _gradients(ys, xs, bars, create_graph, strict, derivative="jacobian")
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
        xs, _ = _prepared(inputs, create_graph, "jvp")
        dots = _vectors(v, xs, "jvp", "the input to the user-provided function is")
        ys, many = _results(func, xs, "jvp", strict)
        dummies = [make(np.ones(y.shape, y.dtype)).requires_grad_() for y in ys]
        bars = _gradients(ys, xs, dummies, True, strict)
        pushed = _gradients(bars, dummies, dots, create_graph, strict, derivative="jacobian")
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

    `vectorize` and `strategy` are accepted for PyTorch's sake, and checked as there; rows are pulled one after
    the other.

    >>> from adc import tape
    >>> jacobian(lambda x: x * x, tape.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy("jacobian", strategy, vectorize, strict)
    with enable_grad():
        xs, several = _prepared(inputs, create_graph, "jacobian")
        ys, many = _results(func, xs, "jacobian", strict)
        rows = [_rows(y, k, xs, create_graph, strict, "jacobian") for k, y in enumerate(ys)]
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
    _check_strategy("hessian", outer_jacobian_strategy, vectorize, strict)
    with enable_grad():
        xs, several = _prepared(inputs, create_graph, "hessian")
        y = _single(func, xs, "hessian", strict)
        slopes = _gradients([y], xs, None, True, False)
        if strict:
            _require_dependence(slopes)
        rows = [_rows(slope, k, xs, create_graph, strict, "hessian") for k, slope in enumerate(slopes)]
    blocks = [_given(row, several, create_graph) for row in rows]
    return tuple(blocks) if several else blocks[0]


def vhp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value, and `v` times the Hessian."""
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value, and the Hessian times `v`; the same as `vhp`, for a Hessian is symmetric."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(
    name: str, func: Func, inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    with enable_grad():
        xs, several = _prepared(inputs, create_graph, name)
        vectors = _vectors(v, xs, name, "the input to the user-provided function is")
        y = _single(func, xs, name, strict)
        slopes = _gradients([y], xs, None, True, strict)
        if strict:
            _require_dependence(slopes)
        products = _gradients(slopes, xs, vectors, create_graph, strict, derivative="hessian")
    return _given([y], False, create_graph), _given(products, several, create_graph)


def _prepared(inputs: Any, create_graph: bool, name: str) -> tuple[list[Tensor], bool]:
    """The inputs as Tensors to differentiate with respect to; part of the caller's graph if that goes on."""
    prepared: list[Any] = []
    for x in _tensors(inputs, f"inputs given to {name}"):
        prepared.append(np.copy(x) if create_graph and x.requires_grad else x.detach().requires_grad_())
    return prepared, isinstance(inputs, tuple)


def _tensors(given: Any, what: str) -> list[Tensor]:
    """A Tensor or a tuple of them, as a list; `TypeError` for anything else."""
    if not isinstance(given, tuple):
        if given.__class__ is not Tensor:
            raise TypeError(
                f"The {what} must be either a Tensor or a tuple of Tensors but the given {what.split()[0]} has "
                f"type {type(given)}."
            )
        return [given]
    for k, x in enumerate(given):
        if x.__class__ is not Tensor:
            raise TypeError(
                f"The {what} must be either a Tensor or a tuple of Tensors but the value at index {k} has type "
                f"{type(x)}."
            )
    return list(given)


def _results(func: Func, xs: list[Tensor], name: str, strict: bool) -> tuple[list[Tensor], bool]:
    """What the function returns, as a list, and whether that was a tuple."""
    result = func(*xs)
    ys = _tensors(result, f"outputs of the user-provided function given to {name}")
    for k, y in enumerate(ys):
        if strict and not y.requires_grad:
            raise RuntimeError(
                f"Output {k} of the user-provided function does not require gradients. The outputs must be "
                "computed in a differentiable manner from the input when running in strict mode."
            )
    return ys, isinstance(result, tuple)


def _single(func: Func, xs: list[Tensor], name: str, strict: bool) -> Tensor:
    """What a function of one value returns."""
    ys, several = _results(func, xs, name, strict)
    if several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if ys[0].size != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return ys[0]


def _vectors(v: Any, like: list[Tensor], name: str, what: str) -> list[Any]:
    """The vectors of a product, one for each Tensor."""
    if v is None:
        if len(like) != 1 or like[0].size != 1:
            raise RuntimeError(
                f"The vector v can only be None if {what} a single Tensor with a single element."
            )
        return [make(np.ones(like[0].shape, like[0].dtype))]
    given = _tensors(v, f"v given to {name}")
    if len(given) != len(like):
        wanted = f"contain {len(like)} Tensors" if len(like) > 1 else "contain a single Tensor"
        raise RuntimeError(f"The given v should {wanted}.")
    for k, (x, other) in enumerate(zip(given, like, strict=True)):
        if x.shape != other.shape:
            entry = f"Entry {k} in " if len(like) > 1 else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {x.shape}.")
    return given


def _check_strategy(name: str, strategy: str, vectorize: bool, strict: bool) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", got {strategy!r}'
        )
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(
            f"autograd.functional.{name}: forward mode is only implemented for `vectorize=True`."
        )
    if vectorize and strict:
        raise RuntimeError(
            f"autograd.functional.{name}: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )


def _gradients(
    ys: list[Tensor],
    xs: list[Tensor],
    bars: list[Any] | None,
    create_graph: bool,
    strict: bool,
    which: str = "The output of the user-provided function",
    derivative: str = "",
) -> list[Tensor]:
    """The pulled-back adjoints, zeros where nothing depends on an input.

    With `derivative`, what they are the values of, strict mode asks that they have a graph where one is made.
    """
    active = [k for k, y in enumerate(ys) if y.requires_grad]
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
    for k, g in enumerate(found):
        if strict and g is None:
            raise RuntimeError(f"{which} is independent of input {k}. This is not allowed in strict mode.")
        if derivative and strict and create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The {derivative} of the user-provided function is independent of input {k}. This is not allowed in "
                "strict mode when create_graph=True."
            )
    return [make(np.zeros(x.shape, x.dtype)) if g is None else g for x, g in zip(xs, found, strict=True)]


def _require_dependence(slopes: list[Tensor]) -> None:
    for k, slope in enumerate(slopes):
        if not slope.requires_grad:
            raise RuntimeError(
                f"While computing the hessian, found that the jacobian of the "
                f"user-provided function with respect to input {k} is independent of the input. This is not "
                "allowed in strict mode when create_graph=False."
            )


def _rows(
    y: Tensor, number: int, xs: list[Tensor], create_graph: bool, strict: bool, derivative: str
) -> list[Tensor]:
    """The blocks of the Jacobian of one output."""
    if y.dtype.kind == "c":  # a row would be the real part alone
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {y.dtype}")
    columns: list[list[Any]] = [[] for _ in xs]
    blocks: list[Any] = []
    which = f"Output {number} of the user-provided function"
    for k in range(y.size):
        bar = np.zeros(y.shape, y.dtype)
        bar.flat[k] = 1.0
        found = _gradients([y], xs, [make(bar)], create_graph, strict, which, derivative)
        for column, g in zip(columns, found, strict=True):
            column.append(g)
    for column, x in zip(columns, xs, strict=True):
        rows = np.stack(column) if column else make(np.zeros((0, *x.shape)))
        blocks.append(np.reshape(rows, y.shape + x.shape))
    return blocks


def _given(tensors: list[Tensor], several: bool, create_graph: bool) -> Any:
    kept = tensors if create_graph else [t.detach() for t in tensors]
    return tuple(kept) if several else kept[0]
