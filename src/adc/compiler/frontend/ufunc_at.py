"""`np.add.at(array, index, values)` and its kind: an element that the index names twice is changed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import templates
from adc.compiler.frontend.frame import Closure
from adc.compiler.frontend.indexing import located
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _add_at(self: Calls, array: Value, index: Value, value: Value) -> None:
    if not isinstance(array, Var) or not array.is_array:
        raise self.refuse("np.add.at takes an array")
    array, items = located(self, array, self.index_value(array, index))
    self.write(array, items, self.array_of(value), accumulate=True)


def _subtract_at(self: Calls, array: Value, index: Value, value: Value) -> None:
    known = self.type_of(array)
    value = self.array_of(value)
    _add_at(self, array, index, value if known is None else self.to_subtract(value, known.dtype))


# What `ufunc.at` does, for an array of positions on the first axis.
_AT = templates.later(
    """
def at(ufunc, array, positions, values):
    for k in range(positions.shape[0]):
        array[positions[k]] = ufunc(array[positions[k]], values[k])
"""
)
_EACH_AT = templates.later(
    """
def at(ufunc, array, positions):
    for k in range(positions.shape[0]):
        array[positions[k]] = ufunc(array[positions[k]])
"""
)


# The same for any index, in a copy that lies flat: each element that the index names has its number there.
_AT_ANY = templates.later(
    """
def at(ufunc, array, index, values):
    places = np.arange(array.size).reshape(array.shape)[index]
    given = np.broadcast_to(values, places.shape).ravel()
    places = places.ravel()
    flat = array.flatten()
    for k in range(places.shape[0]):
        flat[places[k]] = ufunc(flat[places[k]], given[k])
    array[...] = flat.reshape(array.shape)
"""
)
_EACH_AT_ANY = templates.later(
    """
def at(ufunc, array, index):
    places = np.arange(array.size).reshape(array.shape)[index].ravel()
    flat = array.flatten()
    for k in range(places.shape[0]):
        flat[places[k]] = ufunc(flat[places[k]])
    array[...] = flat.reshape(array.shape)
"""
)


def _at(ufunc: np.ufunc) -> Callable[..., Value]:
    def call(self: Calls, array: Value, index: Value, *value: Value) -> None:
        if not isinstance(array, Var) or not array.is_array:
            raise self.refuse(f"np.{ufunc.__name__}.at takes an array")
        positions = self.array_of(index) if isinstance(index, (list, Var)) else index
        values = [self.array_of(v) for v in value]
        # What is read of the array itself is what it held before.
        values = [self.op("copy", v) if isinstance(v, Var) and v.root is array.root else v for v in values]
        rows = isinstance(positions, Var) and np.dtype(positions.type.dtype).kind in "iu"
        if rows and positions.type.ndim == 1:
            each = (*positions.type.shape, *array.type.shape[1:])
            values = [self.op("broadcast_to", v, self.shape_values(each)) for v in values]
            loop = _AT if values else _EACH_AT
        else:
            loop = _AT_ANY if values else _EACH_AT_ANY
        self.call(Closure(loop(), self.frame, {}), [ufunc, array, positions, *values], {})

    return call


TABLE: dict[Any, Callable[..., Value]] = {
    **{
        ufunc.at: _at(ufunc)
        for ufunc in vars(np).values()
        if isinstance(ufunc, np.ufunc) and ufunc.nin <= 2 and ufunc.nout == 1 and ufunc.signature is None
    },
    np.add.at: _add_at,
    np.subtract.at: _subtract_at,
}
