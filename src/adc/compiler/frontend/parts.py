"""The real and the imaginary part of a complex array are views in NumPy: what is written to one changes the array.

Here a part is a copy of which is known what it is a part of. A write to it makes the complex elements anew, and is
made in the copy, too; another part still in use after a write to the array is refused (transforms/snapshots.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend.indexing import located
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Store, Var, walk
from adc.compiler.ir.types import Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.assignments import Assignments
    from adc.compiler.frontend.core import Core


def part(self: Core, x: Var, name: str) -> Value:
    """The attribute `real` or `imag` of an array or a number."""
    if np.dtype(x.type.dtype).kind != "c":
        if name == "real":
            return x
        return self.op("zeros_like", x) if x.is_array else 0.0
    found = self.op(name, x)
    if isinstance(found, Var) and found.is_array:
        self.snapshots[found] = x
        self.part_of[found] = (x, name)
    return self.plain(found) if isinstance(x.type, Scalar) and x.type.weak else found


def written(self: Assignments, part: Var, index: Value, value: Value) -> None:
    """`part[index] = value`, where `part` is `z.real` or `z.imag`."""
    owner, name = self.part_of[part]
    begun = len(self.block)
    old = self.subscript(owner, index)
    if isinstance(value, Var) and np.dtype(value.type.dtype).kind == "c":
        value = self.op("real", value)
    other = self.op("imag" if name == "real" else "real", old)
    real, imag = (value, other) if name == "real" else (other, value)
    self.set_item(owner, index, self.op("add", real, self.op("multiply", 1j, imag)))
    self.write(*located(self, part, self.index_value(part, index)), value)
    self.in_step.update((s, (part, name)) for s in walk(self.block[begun:]) if isinstance(s, Store))
