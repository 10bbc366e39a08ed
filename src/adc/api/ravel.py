"""`ravel_pytree` and its way back inside functions that are being compiled: joins and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Var
from adc.compiler.leaves import without_lists
from adc.compiler.transforms.opaque import Inlined
from adc.ravel import Piece, Unravel, ravel_pytree
from adc.rules.dims import Dim

__all__: list[str] = []


def _raveled(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    leaves, structure = pytree.flatten(without_lists(args[0] if args else kwargs["tree"]))
    pieces, rows = [], []
    for leaf in leaves:
        if isinstance(leaf, Var) and leaf.is_array:
            pieces.append(Piece(leaf.type.shape, np.dtype(leaf.type.dtype)))
            rows.append(ev.call(np.ravel, [leaf], {}))
        else:
            pieces.append(Piece((), None))
            rows.append(ev.array_of((leaf,)))
    vector = ev.call(np.concatenate, [tuple(rows)], {}) if rows else ev.op("zeros", (0,))

    def back(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return _taken_apart(ev, structure, pieces, args[0])

    return vector, Inlined(back)


def _taken_apart(ev: Evaluator, structure: pytree.Structure, pieces: Sequence[Piece], vector: Any) -> Any:
    if not isinstance(vector, Var) or not vector.is_array or vector.type.ndim != 1:
        raise ev.refuse(
            "what is to be taken apart is not a vector", repair="give one as ravel_pytree makes it"
        )
    start = Dim(0)
    rebuilt: list[Any] = []
    for piece in pieces:
        size = Dim(1)
        for length in piece.shape:
            size = size * length
        stop = start + size
        if piece.dtype is None:
            rebuilt.append(ev.getitem(vector, normalized(ev, vector, ev.dim_value(start))))
        else:
            bounds = slice(ev.dim_value(start), ev.dim_value(stop))
            part = ev.getitem(vector, normalized(ev, vector, bounds))
            lengths = tuple(ev.dim_value(Dim.of(length)) for length in piece.shape)
            rebuilt.append(ev.cast(ev.call(np.reshape, [part, lengths], {}), str(piece.dtype)))
        start = stop
    ev.require_equal(vector.type.shape[0], start, "the vector to take apart has another length")
    return with_lists(pytree.unflatten(structure, rebuilt), ev)


def _unraveled(self: Unravel, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return _taken_apart(ev, self.structure, self.pieces, args[0])


ravel_pytree.__adc_inline__ = _raveled  # type: ignore[attr-defined]
Unravel.__adc_inline__ = _unraveled  # type: ignore[attr-defined]
