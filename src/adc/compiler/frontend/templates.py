"""Functions of the compiler's own that are evaluated like the user's: their place is that of the call."""

from __future__ import annotations

from typing import Any

import gast

from adc.syntax import parse_function


def function(text: str) -> Any:
    """The tree of a function, without line numbers."""
    tree = parse_function(text)
    for node in gast.walk(tree):
        for field in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            node.__dict__.pop(field, None)
    tree.of_adc = True
    return tree
