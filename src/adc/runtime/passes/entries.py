"""Which variables there are where a block begins is worked out when somebody asks.

Numba works it out, with all that it takes, after each of nine passes over a function. Only generators and code in
object mode ask: of the 3.6 s for the gradient of a function of 200 lines 0.4 s were for nothing.
"""

from __future__ import annotations

from typing import Any

from numba.core import analysis, transforms
from numba.core.postproc import PostProcessor, VariableLifetime

from adc.runtime.passes.known import is_known

KNOWN = frozenset({"e1a8e77d6f179cfdfbb768504c4f25c8d7ad9f141c75a3ea7990b72af8fa03cb"})  # of 0.65 and 0.68

own = PostProcessor.run


class _Entries(dict[Any, Any]):
    """The variables that there are where each of some blocks begins."""

    def __init__(self, blocks: dict[int, Any], lifetime: Any) -> None:
        super().__init__()
        self._blocks, self._lifetime = blocks, lifetime

    def __missing__(self, block: Any) -> Any:
        if block in self:
            return self[block]
        raise KeyError(block)

    def __contains__(self, block: object) -> bool:
        if not self:
            flow = self._lifetime
            entries = analysis.compute_live_variables(
                flow.cfg, self._blocks, flow.usedefs.defmap, flow.deadmaps.combined
            )
            self.update({block: entries[offset] for offset, block in self._blocks.items()})
        return super().__contains__(block)


def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """What stands for Numba's method."""
    function = self.func_ir
    if emit_dels or function.is_generator or not is_known(own, KNOWN):
        own(self, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.block_entry_vars = _Entries(function.blocks, function.variable_lifetime)
    function.generator_info = None


PostProcessor.run = run
