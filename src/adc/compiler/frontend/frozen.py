"""What was put into a list is not written to afterwards: the list of the compiled code has a copy.

Nor is the array in which such a list lives written to but through the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.analysis.roots import behind
from adc.compiler.ir.nodes import Var, defined, walk
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def freeze(ev: Core, array: Var) -> None:
    """From here on nothing may write to an array."""
    ev.frozen.setdefault(array.root, ev.origin)


def put_in(ev: Core, value: Var) -> None:
    """An array becomes an element of a list. Refuses one that a loop around has written to."""
    made_here = {v for s in walk(ev.block) for v in defined(s)}
    if value.root in ev.mutated and value.root not in made_here and value.root not in ev.frozen:
        raise written(ev, value.root)
    freeze(ev, value)


def check_writes(ev: Core) -> None:
    """Refuse a write to an array that may be one that was put into a list, under another name."""
    for root, where in ev.mutated.items():
        if root not in ev.frozen and not ev.frozen.keys().isdisjoint(behind([root], ev.joined_roots)):
            with ev.origin_at(where):
                raise written(ev, root)


def written(ev: Core, array: Var) -> UnsupportedError:
    """What to say of a write to an array that is frozen."""
    return ev.refuse(
        f"this writes to `{array.name}`, which was put into a list before",
        "the list of the compiled code has a copy, which does not see the write",
        f"append a copy: `{array.name}.copy()`",
    )
