"""The one door to Python's parser.

CPython 3.11 counts in the interpreter, not in the call, how deep `ast.parse` has descended. A garbage collection
in the middle of it lets another thread run, and when that one parses, too, both end with `SystemError: AST
constructor recursion depth mismatch` (https://github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

_DEEP = 10_000  # frames: a sum of 600 terms is 600 trees one within the other, each of which takes several

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


@contextmanager
def deep_recursion(frames: int = _DEEP) -> Iterator[None]:
    """Where a tree is walked by functions that call themselves for its parts: it may be as deep as people write it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
