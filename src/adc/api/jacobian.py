"""`jacobian`: all first derivatives of a function, by the mode that needs fewer directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api import taped
from adc.api.how import How
from adc.api.matrix import JacobianForward, JacobianReverse, Matrix
from adc.api.undone import undone
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import jacobians

__all__ = ["Jacobian"]

Keys = list[int | str]


class Jacobian(Matrix):
    """The Jacobian of a function; made by `jacobian`. Called like the function.

    Sizes decide which mode runs: the arguments' are seen at the call, the result's by running the function once for
    each new shape of arguments.
    """

    label = "jacobian"
    what = "Jacobian"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Any,
        has_aux: bool,
        asked: How,
        chunk_size: int | None = None,
    ) -> None:
        super().__init__(function, argnums, has_aux, asked, chunk_size)
        self._forward = JacobianForward(function, argnums, has_aux, asked, chunk_size)
        self._reverse = JacobianReverse(function, argnums, has_aux, asked, chunk_size)
        self._fewer: dict[tuple[Any, ...], Matrix] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 1 and args[0].__class__ is np.ndarray:
            key = args[0].shape  # the usual case
        else:
            leaves = pytree.leaves((args, kwargs))
            if any(isinstance(leaf, tape.Tensor) for leaf in leaves):
                return self._reverse(*args, **kwargs)
            key = tuple([np.shape(leaf) if isinstance(leaf, np.ndarray) else () for leaf in leaves])
        chosen = self._fewer.get(key)
        if chosen is None:
            chosen = self._fewer[key] = self._cheaper(args, kwargs)
        found = chosen(*args, **kwargs)
        self._ran = chosen.mode
        return found

    def _cheaper(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Matrix:
        layout, values, wanted, _ = self._bound(args, kwargs)
        self._read(layout, values, wanted, [], []).slots()  # what is no argument is refused before it runs
        inputs = sum(
            np.size(leaf)
            for value, w in zip(values, wanted, strict=True)
            if w
            for leaf in pytree.flatten(value, settings=True)[0]
        )
        own = taped.owned((args, kwargs))
        with np.errstate(all="ignore"), undone(self._given, *own[0], *own[1].values()):
            result = self._given(*own[0], **own[1])
        result = result[0] if self._has_aux and isinstance(result, tuple) else result
        outputs = sum(np.size(leaf) for leaf in pytree.leaves(result))
        return self._forward if inputs < outputs else self._reverse

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        found, aux = jacobians.automatic(
            ev, self._function, args, kwargs, keys, self._has_aux, self._several, self.chunk
        )
        return (found, aux) if self._has_aux else found

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        return self._reverse.on_tape(args, kwargs, keys)

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> Any:
        """The text generated for arguments like these; see `adc.source`."""
        if not args and not kwargs:
            latest = next(
                (m for m in (self._forward, self._reverse) if m._latest() is not None), self._reverse
            )
            return latest.source(stage=stage)
        return self._cheaper(args, kwargs).source(*args, stage=stage, **kwargs)
