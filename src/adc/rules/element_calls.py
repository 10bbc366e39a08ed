"""A call of what np.vectorize makes goes over some of its arguments; the others are the same at each element.

All results have the dtype of the first one, as those of np.apply_along_axis have.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numba.np.ufunc.dufunc import DUFunc

OF_THE_FIRST = "gives all results the dtype of the first one, an integer"
CUT_OFF = "The others would lose their fractions."


def loses_fractions(results: Iterable[Any]) -> bool:
    """Whether the first of several numbers or arrays is of integers, and another one is not.

    >>> loses_fractions([0, 1.5]), loses_fractions([1.5, 0]), loses_fractions([0, 1])
    (True, False, False)
    """
    first, *others = [np.dtype(getattr(r, "dtype", type(r))).kind for r in results]
    return first in "biu" and any(kind in "fc" for kind in others)


def over_elements(function: Any) -> np.vectorize | None:
    """What np.vectorize has made, and the same of what Numba's `vectorize` has; None for other things."""
    if not isinstance(function, DUFunc):
        return function if isinstance(function, np.vectorize) else None
    written: types.FunctionType = function._dispatcher.py_func
    results = {signature.rpartition(">")[2] for signature in function.types}  # "dd->d"
    return np.vectorize(written, otypes=[*results] if len(results) == 1 else None)


class ElementsOfCall:
    """The arguments of a call that are gone over, by position and then by name; and those of the function itself.

    >>> form = ElementsOfCall(("x", 2), {"low": 0, "y": "y"}, {1, "low"})
    >>> form.operands
    ['x', 'y']
    >>> form.with_elements([0.5, 0.7])
    ([0.5, 2], {'low': 0, 'y': 0.7})
    """

    def __init__(self, args: Iterable[Any], kwargs: dict[str, Any], excluded: Collection[Any]) -> None:
        self.args, self.kwargs = list(args), kwargs
        self.places = [k for k in range(len(self.args)) if k not in excluded]
        self.names = [name for name in kwargs if name not in excluded]

    @property
    def operands(self) -> list[Any]:
        return [*(self.args[k] for k in self.places), *(self.kwargs[name] for name in self.names)]

    def with_elements(self, elements: Iterable[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the function itself."""
        args, kwargs, rest = list(self.args), dict(self.kwargs), iter(elements)
        for k in self.places:
            args[k] = next(rest)
        for name in self.names:
            kwargs[name] = next(rest)
        return args, kwargs


def core_axes(signature: str) -> tuple[list[int], int]:
    """How many axes of each operand a function takes at once, by the signature of `np.vectorize`, and its results.

    >>> core_axes("(m,n),(n),()->(m),()")
    ([2, 1, 0], 2)
    """
    taken, _, given = signature.replace(" ", "").partition("->")
    operands = [group.count(",") + 1 if group else 0 for group in taken[1:-1].split("),(")]
    return operands, given.count("(")
