"""The function itself, compiled: what transforms that are made while it is lowered have in common with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc import pytree
from adc.api import taped
from adc.api.call import Call
from adc.api.transformed import Transformed
from adc.compiler import pipeline

__all__ = ["Value"]


class Value(Transformed):
    """A function compiled, whatever its result."""

    kind: pipeline.Kind = "value"

    def _packer(
        self, context: pipeline.Context, structures: list[pytree.Structure]
    ) -> Callable[[Any], Any] | None:
        form = context.output
        assert form is not None
        return (
            None if form.is_as_returned else lambda raw: form.fill((raw,) if len(form.leaves) == 1 else raw)
        )

    def _run_on_tape(self, call: Call) -> Any:
        args, kwargs = self._python_call(call, [pytree.map_structure(taped.own, v) for v in call.values])
        with np.errstate(all="ignore"):
            return self._function(*args, **kwargs)
