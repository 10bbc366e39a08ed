"""`source`: the text that was generated for a derivative, at any stage of the compiler."""

from __future__ import annotations

from typing import Any

from adc.api.text import Text
from adc.errors import ArgumentError

__all__ = ["source"]


Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def prepared(derivative: Any, args: Arguments, kwargs: Keywords) -> tuple[Any, Arguments, Keywords]:
    """A transform that is called with its function at once as the derivative that it makes, with its arguments."""
    prepare = getattr(derivative, "__adc_prepare__", None)
    if prepare is None:
        return derivative, args, kwargs
    found: tuple[Any, Arguments, Keywords] = prepare(*args, **kwargs)
    return found


def source(derivative: Any, *example_args: Any, stage: str = "adjoint", **example_kwargs: Any) -> Text:
    """The generated text of a derivative for arguments of the given types, as a string that prints plainly.

    `stage` is "adjoint" (the readable adjoint; runs by itself with NumPy), "optimized" (what Numba compiles),
    "ir" (the typed program behind the adjoint), or the name of any stage of the compiler. Without example
    arguments it is the text of the latest call.

    The transforms that are called with their function at once are named with what they are called with:
    `source(adc.jvp, f, (x,), (x_dot,))`, `source(adc.vjp, f, x)`.

    Raises `ArgumentError` when `derivative` is not one, when there is no such stage, or when nothing was
    called yet and no arguments are given; and what the compiler raises for a function that it does not take.

    >>> import numpy as np
    >>> from adc.api import grad
    >>> def loss(x):
    ...     return np.sum(np.exp(x))
    >>> print(source(grad(loss), np.ones(3)))  # doctest: +ELLIPSIS
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def loss_grad(x):
        ...
    """
    derivative, example_args, example_kwargs = prepared(derivative, example_args, example_kwargs)
    text = getattr(derivative, "source", None)
    if text is None or not hasattr(derivative, "__adc_primal__"):
        name = getattr(derivative, "__name__", repr(derivative))
        raise ArgumentError(
            f"`{name}` is not a derivative made by adc, so it has no generated source",
            repair=f"Pass the derivative: adc.source(adc.grad({name}), ...).",
        )
    found: Text = text(*example_args, stage=stage, **example_kwargs)
    return found
