"""The one door to Python's parser.

CPython 3.11 counts in the interpreter, not in the call, how deep `ast.parse` has descended. A garbage collection
in the middle of it lets another thread run, and when that one parses, too, both end with `SystemError: AST
constructor recursion depth mismatch` (https://github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading
from typing import Any

import gast

_parsing = threading.RLock()  # a finaliser that the collection runs may come here again


def parse(text: str) -> ast.Module:
    """The tree of a text, whatever other threads parse; SyntaxError as `ast.parse` raises it.

    >>> ast.unparse(parse("x = 1   # one"))
    'x = 1'
    """
    with _parsing:
        return ast.parse(text)


def parse_function(text: str) -> Any:
    """The tree of the one function that a text defines, in the form that is the same for every Python (gast).

    >>> parse_function("def f(x): return x").name
    'f'
    """
    return gast.ast_to_gast(parse(text)).body[0]
