"""What nodes keep of arrays becomes their own, so that a pull reads the values of the forward run.

A function reads arrays from outside: globals, and what closures, objects and lists hold. A pull that is called later
must not see what was written to them in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adc.runtime.copies import copied, window
from adc.tape.node import Node
from adc.tape.saved import Packing
from adc.tape.writes import owner_of

__all__ = ["own_kept"]

# By the identity of an array: the array, which must live as long as its identity is asked for, and its copy.
Copies = dict[int, tuple[Any, Any]]


def own_kept(nodes: Iterable[Node]) -> None:
    """Let the nodes keep copies; windows of one array are windows of one copy. What is packed is no array any more."""
    copies: Copies = {}
    for node in nodes:
        if not isinstance(node, Packing) and node.kept:
            node.kept = tuple([_own(value, copies) for value in node.kept])


def _own(value: Any, copies: Copies) -> Any:
    if type(value) is np.ndarray:
        owner = owner_of(value)
        known = copies.get(id(owner))
        if known is None:
            known = copies[id(owner)] = owner, copied(owner)
        return known[1] if value is owner else window(known[1], owner, value)
    if type(value) in (tuple, list):
        return type(value)([_own(part, copies) for part in value])
    return value
