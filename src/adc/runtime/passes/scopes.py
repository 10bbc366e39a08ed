"""The variables of a function are looked up once in each scope, not once for each block: most functions have one scope.

Numba goes through all variables for each block, to define those that the scope of the block lacks.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

from numba.core import untyped_passes

__all__ = ["once_for_each", "own"]

own = getattr(untyped_passes, "fixup_var_define_in_scope", None)


def once_for_each(blocks: dict[int, Any]) -> None:
    """What stands for Numba's function, which gets one block for each scope, and in the first all statements."""
    scopes = list({id(block.scope): block.scope for block in blocks.values()}.values())
    statements = list(itertools.chain.from_iterable(block.body for block in blocks.values()))
    bodies = [statements, *([] for _ in scopes[1:])]
    assert own is not None
    own({k: SimpleNamespace(scope=s, body=b) for k, (s, b) in enumerate(zip(scopes, bodies, strict=True))})


if own is not None:
    untyped_passes.fixup_var_define_in_scope = once_for_each
