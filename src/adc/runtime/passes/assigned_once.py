"""Numba finds the variables that are assigned once by going through each block once.

Such variables stay registers, any other gets a place in memory. To tell, Numba goes through the block of a variable for
each variable: of the 2.5 s for the gradient of a straight function of 400 operations that was 0.6 s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from numba.core import ir, lowering

from adc.runtime.passes.known import is_known, put

# The texts of Numba's method that this one is known to stand for: that of 0.65.
KNOWN = frozenset({"2cd16e567af0fbf0dc183dc5e509d8ae50b4e8afe7fd4cca419a822e44cc7085"})


def in_one_go(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """What stands for Numba's method."""

    def _find_singly_assigned_variable(self: Any) -> None:
        if not is_known(own, KNOWN) or self.func_ir.func_id.is_generator:
            own(self)
            return
        self._singly_assigned_vars = _assigned_once(self.func_ir.blocks)
        self._blk_local_varmap = {}

    return _find_singly_assigned_variable


def _assigned_once(blocks: dict[int, Any]) -> set[str]:
    """The variables that one statement assigns to, and that only its block reads, but for those that need memory."""
    flow = lowering.compute_use_defs(blocks)
    elsewhere = set().union(lowering.must_use_alloca(blocks), *flow.usemap.values())
    places = Counter(name for defined in flow.defmap.values() for name in defined)
    times = {
        label: Counter(stmt.target.name for stmt in block.find_insts(ir.Assign))
        for label, block in blocks.items()
    }
    return {
        name
        for label, defined in flow.defmap.items()
        for name in defined
        if name not in elsewhere and places[name] == 1 and times[label][name] == 1
    }


put(lowering.Lower, "_find_singly_assigned_variable", in_one_go)  # before any function is compiled
