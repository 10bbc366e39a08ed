"""What transforms are to a type checker: they are called as their function is, and say what they give.

A gradient has the type of its argument, which a checker cannot name for each `argnums`: there it is Any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from adc.config import Mode

__all__ = ["Decorator", "Differentiated", "GradientDecorator", "Transform", "ValueAndGradientDecorator"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Transform(Protocol[P, R_co]):
    """A function with the parameters of the one that it was made of."""

    __name__: str
    __qualname__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __get__(self, instance: None, owner: type | None = ..., /) -> Transform[P, R_co]: ...
    @overload
    def __get__(
        self: Transform[Concatenate[Any, Q], R], instance: object, owner: type | None = ..., /
    ) -> Transform[Q, R]: ...
    @property
    def mode(self) -> Mode:
        """The engine that ran last; before the first call, the one asked for."""

    def source(self, *args: Any, stage: str = ..., **kwargs: Any) -> Any:
        """The text generated for arguments like these; see `adc.source`."""


class Differentiated(Transform[P, R_co], Protocol[P, R_co]):
    """A gradient, which also takes arrays to write itself into."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: Any, out: Any, **kwargs: Any) -> R_co: ...
    @overload
    def __get__(self, instance: None, owner: type | None = ..., /) -> Differentiated[P, R_co]: ...
    @overload
    def __get__(
        self: Differentiated[Concatenate[Any, Q], R], instance: object, owner: type | None = ..., /
    ) -> Differentiated[Q, R]: ...


class GradientDecorator(Protocol):
    """`grad` that was given all but the function."""

    def __call__(self, function: Callable[P, Any], /) -> Differentiated[P, Any]: ...


class ValueAndGradientDecorator(Protocol):
    """`value_and_grad` that was given all but the function."""

    def __call__(self, function: Callable[P, R], /) -> Differentiated[P, tuple[R, Any]]: ...


class Decorator(Protocol):
    """A transform to matrices that was given all but the function."""

    def __call__(self, function: Callable[P, Any], /) -> Transform[P, Any]: ...
