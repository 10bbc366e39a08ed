"""Functions of the compiler's own that are evaluated like the user's: their place is that of the call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast

from adc.syntax import parse_function


def function(text: str) -> Any:
    """The tree of a function, without line numbers."""
    tree = parse_function(text)
    drop_places(tree)
    tree.of_adc = True
    return tree


def later(text: str) -> Callable[[], Any]:
    """What gives the tree of a function, which is parsed when it is first asked for: programs use few of fifty."""
    return functools.cache(functools.partial(function, text))


def drop_places(tree: Any) -> None:
    """Take the line numbers out of a tree: those of a text of the compiler's name no line of the user's file."""
    for node in gast.walk(tree):
        for field in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            node.__dict__.pop(field, None)
