"""Whether a number is asked for by `"%.2f" % x`: a text carries no derivative, and is no way out of the record.

Python asks every operand of `%` in a text for its number, as float() and int() do. What the caller's frame runs tells
them apart: an operator of numbers would have called the Tensor's own.
"""

from __future__ import annotations

import opcode
import sys

_OPERATIONS = {
    opcode.opmap[name] for name in ("BINARY_OP", "BINARY_MODULO", "INPLACE_MODULO") if name in opcode.opmap
}
_NAMES = [name for name, _ in getattr(opcode, "_nb_ops", ())]
_REMAINDERS = {k for k, name in enumerate(_NAMES) if name in ("NB_REMAINDER", "NB_INPLACE_REMAINDER")}


def is_asked_for(depth: int = 2) -> bool:
    """Whether the frame so far up is in the middle of a `%`."""
    frame = sys._getframe(depth)
    code = frame.f_code.co_code
    operation, argument = code[frame.f_lasti], code[frame.f_lasti + 1]
    return operation in _OPERATIONS and (not _REMAINDERS or argument in _REMAINDERS)
