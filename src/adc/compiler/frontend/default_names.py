"""Names for values to which the user gave none."""

from __future__ import annotations

import builtins

from adc.compiler.ir.nodes import Const, Index, Operand, Slice, Var
from adc.rules.operation import Operation

PLAIN_NAMES = {
    "multiply": "product",
    "add": "total",
    "subtract": "difference",
    "divide": "ratio",
    "matmul": "product",
    "dot": "product",
    "outer": "product",
    "negative": "negated",
    "power": "power",
    "where": "chosen",
}
REDUCED_NAMES = {"sum": "total", "max": "largest", "min": "smallest", "absolute": "magnitude", "mean": "mean"}
PRIMITIVE_NAMES = {"dim": "n", "cast": "x", "alias": "x"}


def default_name(op: Operation | str, args: tuple[Operand, ...]) -> str:
    """A name for a value to which the user gave none: `x_i` for x[i], `exp_x` for np.exp(x), a plain word otherwise."""
    first = args[0] if args and isinstance(args[0], Var) else None
    if op == "getitem" and first is not None:
        return f"{first.name}_{_index_word(args[1])}"
    if isinstance(op, str):
        return PRIMITIVE_NAMES.get(op, op)
    name = op.name.split(".")[-1]
    if name in PLAIN_NAMES:
        return PLAIN_NAMES[name]
    if name in REDUCED_NAMES:
        return REDUCED_NAMES[name]
    if first is not None and first.named and len(first.name) <= 12:
        return f"{name}_{first.name}"
    return f"{name}_" if hasattr(builtins, name) else name


def _index_word(index: Index) -> str:
    if len(index) == 1 and isinstance(index[0], Var) and index[0].named and not index[0].is_array:
        return index[0].name
    if all(isinstance(i, Const) and isinstance(i.value, int) and i.value >= 0 for i in index):
        return "_".join(str(i.value) for i in index)
    return "part" if any(isinstance(i, Slice) for i in index) else "element"
