"""Views of arrays in generated code, where Numba's own take seconds to compile.

Numba checks the axes of a transpose when it runs, with messages that take all of its strings; the axes that generated
code names are right.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core.types.containers import UniTuple
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

__all__ = ["transpose"]


@numba.njit
def transpose(a: Any, axes: Any) -> Any:
    """`np.transpose(a, axes)`: a view of an array of n axes; `axes` is a tuple of n different numbers from 0 to n - 1.

    >>> import numpy as np
    >>> transpose(np.zeros((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return _permuted(a, axes)


@intrinsic
def _permuted(typing: Any, a: Any, axes: Any) -> Any:
    assert isinstance(axes, UniTuple) and axes.count == a.ndim

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = make_array(signature.args[0])(context, builder, arguments[0])
        shape = cgutils.alloca_once_value(builder, source.shape)
        strides = cgutils.alloca_once_value(builder, source.strides)
        zero = ir.Constant(ir.IntType(32), 0)
        lengths, steps = [], []
        for axis in cgutils.unpack_tuple(builder, arguments[1]):
            lengths.append(builder.load(builder.gep(shape, [zero, axis])))
            steps.append(builder.load(builder.gep(strides, [zero, axis])))
        view = make_array(signature.return_type)(context, builder)
        populate_array(
            view, source.data, lengths, steps, source.itemsize, source.meminfo, parent=source.parent
        )
        context.nrt.incref(builder, signature.return_type, view._getvalue())
        return view._getvalue()

    return a.copy(layout="A")(a, axes), codegen
