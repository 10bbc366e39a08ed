"""Functions from a text that a test writes: the compiler reads the text where Python looks for that of any function."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any


def written(text: str, file: str, **known: Any) -> Callable[..., Any]:
    """The function `f` of a text, which stands in no file but under that name; `known` are its global names."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": __name__, **known}
    exec(compile(text, file, "exec"), names)
    function: Callable[..., Any] = names["f"]
    return function
