"""Symbolic result shapes of operations: the lengths of the result from the lengths of the operands.

A shape rule is called with the operation's parameters, arrays replaced by objects with `.shape` (a tuple of
`Dim`) and `.ndim`, and returns a tuple of `Dim`. It raises ValueError with NumPy's wording when lengths
that are known do not fit. Lengths that must be equal but cannot be proven so are reported through
`require`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from adc.rules.dims import Dim, Shape


class Abstract(Protocol):
    """What a shape rule sees of an array."""

    @property
    def shape(self) -> Shape: ...
    @property
    def ndim(self) -> int: ...


# How a shape rule says that two lengths must be equal, and, where it differs, what is said and raised if not.
Require = Callable[..., None]


def shape_of(x: Any) -> Shape:
    """The symbolic shape of an operand; scalars and plain numbers have none."""
    return tuple(getattr(x, "shape", ()))


def normalize_axes(axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes as sorted non-negative ints; None means all."""
    if axis is None:
        return tuple(range(ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        if not -ndim <= a < ndim:
            raise ValueError(f"axis {a} is out of bounds for array of dimension {ndim}")
    return tuple(sorted(a % ndim for a in axes))


def broadcast(shapes: Sequence[Shape], require: Require) -> Shape:
    """NumPy's broadcasting of symbolic shapes; lengths that are not known to be 1 must be equal."""
    ndim = max((len(s) for s in shapes), default=0)
    result: list[Dim] = []
    for k in range(ndim):
        lengths = [s[len(s) - ndim + k] for s in shapes if len(s) - ndim + k >= 0]
        chosen = next((d for d in lengths if d.known != 1), Dim(1))
        for d in lengths:
            if d.known != 1 and d != chosen:
                if d.known is not None and chosen.known is not None:
                    raise ValueError(
                        "operands could not be broadcast together with shapes "
                        + " ".join(describe(s) for s in shapes)
                    )
                require(chosen, d)
                chosen = d if d.known is not None else chosen
        result.append(chosen)
    return tuple(result)


def require_alike(first: Shape, other: Shape, require: Require, but: int | None = None) -> None:
    """Require that what is joined has the lengths of the first, `but` for those along one axis."""
    if len(first) != len(other):
        raise ValueError("all the input arrays must have same number of dimensions")
    for k, (a, b) in enumerate(zip(first, other, strict=True)):
        if k != but and a != b:
            require(a, b)


def require_square(a: Abstract, require: Require) -> Shape:
    """Require that the last two axes have one length, as those of a matrix that is factorised. Returns the shape."""
    if a.ndim < 2:
        raise ValueError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    message = "Last 2 dimensions of the array must be square"
    require(a.shape[-2], a.shape[-1], message, "np.linalg.LinAlgError")
    return tuple(a.shape)


def describe(shape: Shape) -> str:
    """A shape as an error message shows it: `(3,n)`."""
    inner = ",".join("?" if d.known is None else str(d.known) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def reduced(a: Abstract, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """The shape after reducing over `axis`."""
    axes = normalize_axes(axis, a.ndim)
    if keepdims:
        return tuple(Dim(1) if k in axes else d for k, d in enumerate(a.shape))
    return tuple(d for k, d in enumerate(a.shape) if k not in axes)


def smaller(a: Dim, b: Dim) -> Dim:
    """The smaller of two lengths.

    >>> smaller(Dim(3), Dim(2)).known
    2
    """
    first, second = _plain_first(a, b)
    return first.at_most(second)


def larger(a: Dim, b: Dim) -> Dim:
    """The larger of two lengths, as one and what the other is more: `max(i - w, 1)` is seen to be positive.

    >>> i = Dim.symbol("value", "i")
    >>> (larger(i - 3, Dim(1)) - 1).nonnegative, (larger(Dim(1), i - 3) - 1).nonnegative
    (True, True)
    """
    first, second = _plain_first(a, b)
    return first + (second - first).clamped()


def _plain_first(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Two lengths, that first which is made of less."""
    return (b, a) if len(b.terms) < len(a.terms) else (a, b)


def size(shape: Shape) -> Dim:
    """The number of elements."""
    total = Dim(1)
    for d in shape:
        total = total * d
    return total
