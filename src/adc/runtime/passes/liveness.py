"""Numba finds the variables that are alive at the head of each block in a few rounds over the blocks.

It pushes what a block reads to the blocks before it, block by block from the first on, until a round changes nothing.
In that order what the last block reads comes one block further in each round, so that straight code of 500 blocks took
Numba 0.65 hundreds of rounds, over a dozen times per function: 34 of the 51 s for the gradient of a function of 400
lines. From the last block on a round takes it to the head of the function, or of the loop, as Numba 0.68 has it by
itself. The least fixed point is the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.core import analysis

_PARAMETERS = ["cfg", "blocks", "var_use_map", "var_def_map"]


def from_the_last(of_blocks: Callable[..., dict[int, set[str]]]) -> Callable[..., dict[int, set[str]]]:
    """The analysis, given the blocks in the order in which it comes to its end soonest."""

    def compute_live_map(cfg: Any, blocks: Any, var_use_map: Any, var_def_map: Any) -> dict[int, set[str]]:
        reached = [offset for offset in reversed(cfg.topo_order()) if offset in blocks]
        order = dict.fromkeys([*reached, *blocks])
        found = of_blocks(cfg, order, var_use_map, var_def_map)
        return {offset: found[offset] for offset in blocks}

    return compute_live_map


def enable() -> None:
    """Let Numba take its blocks from the last on, where this version of it has the analysis that is known here."""
    known = getattr(analysis, "compute_live_map", None)
    if known is None or known.__module__ == __name__:
        return
    if list(inspect.signature(known).parameters) == _PARAMETERS:
        analysis.compute_live_map = from_the_last(known)


enable()  # before any function is compiled
