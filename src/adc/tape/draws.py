"""Generators of random numbers, whose methods take Tensors.

Those that put given values in another order do so themselves: NumPy's own `shuffle` takes a Tensor for a list, swaps
rows that are views, and so writes some rows twice. Where the parameters of a distribution have a derivative, what is
drawn is computed from draws without parameters (`loc + scale * rng.standard_normal()`), by the formulas that generated
code has, whose numbers are NumPy's.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.rules import random_generators as models
from adc.tape import record
from adc.tape.stand_ins import listed
from adc.tape.tensor import Tensor

__all__ = ["FUNCTIONS", "SOURCES", "Draws"]

SOURCES = (np.random.Generator, np.random.RandomState)
_FORMULAS: dict[Any, Any] = {np.random.Generator: models.Generator, np.random.RandomState: models.RandomState}


class Draws:
    """What traced code has in the place of a generator, or of a RandomState."""

    def __init__(self, source: Any) -> None:
        self._source = source

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # what isinstance asks
        return type(self._source)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._source, name)
        formulas = _FORMULAS[type(self._source)]
        if name.startswith("_") or not hasattr(formulas, name):
            return method

        @functools.wraps(method)
        def draw(*args: Any, **kwargs: Any) -> Any:
            if not record.is_active((args, kwargs)):
                return method(*args, **kwargs)
            model = object.__new__(formulas)
            model.source = self._source
            given = {k: listed(v) for k, v in kwargs.items()}
            return getattr(model, name)(*map(listed, args), **given)

        return draw

    def __copy__(self) -> Draws:
        return Draws(copy.copy(self._source))

    def __deepcopy__(self, memo: dict[int, Any]) -> Draws:
        return Draws(copy.deepcopy(self._source, memo))

    def shuffle(self, x: Any, *axis: int, **named: int) -> None:
        if isinstance(x, Tensor):
            x[...] = self._reordered(x, *axis, **named)
        else:
            self._source.shuffle(x, *axis, **named)

    def permutation(self, x: Any, *axis: int, **named: int) -> Any:
        if isinstance(x, Tensor):
            return self._reordered(x, *axis, **named)
        return self._source.permutation(x, *axis, **named)

    def choice(self, a: Any, *args: Any, **named: Any) -> Any:
        args, named = (
            record.plain(args),
            record.plain(named),
        )  # positions are found by probabilities, not moved
        if not isinstance(a, Tensor):
            return self._source.choice(a, *args, **named)
        axis = named.get("axis", 0)
        return np.take(a, self._source.choice(a.shape[axis], *args, **named), axis=axis)

    def _reordered(self, x: Tensor, axis: int = 0) -> Any:
        return np.take(x, self._source.permutation(x.shape[axis]), axis=axis)


class _Kind(type):
    """A class of generators: it makes what stands for one, and still says what is one."""

    maker: Callable[..., Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Draws:
        return Draws(cls.maker(*args, **kwargs))

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.maker)  # type: ignore[arg-type]


# The functions of `np.random` are methods of the generator that all share.
_shared: Any = np.random.mtrand._rand
FUNCTIONS: dict[Any, Any] = {
    **{
        getattr(np.random, name): getattr(Draws(_shared), name)
        for name in dir(np.random.RandomState)
        if not name.startswith("_")
        and hasattr(np.random, name)
        and hasattr(_FORMULAS[np.random.RandomState], name)
    },
    **{maker: _Kind(maker.__name__, (), {"maker": maker}) for maker in SOURCES},
    np.random.default_rng: lambda *seed, **named: Draws(np.random.default_rng(*seed, **named)),
}
