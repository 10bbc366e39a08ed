"""While a function is traced, Python's collector of cycles looks less often: a graph has none.

Each full collection visits every node made so far; with a million nodes that is most of the time of
recording.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 200_000  # allocations between two looks at the youngest objects; Python's own choice is 700 to 2000

_lock = threading.Lock()
_depth = 0
_usual = gc.get_threshold()


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Raise the collector's first threshold; the last of several threads to leave puts it back."""
    global _depth, _usual
    with _lock:
        _depth += 1
        if _depth == 1:
            _usual = gc.get_threshold()
            if 0 < _usual[0] < _SELDOM:  # 0: the collector is off, by the user's choice
                gc.set_threshold(_SELDOM, *_usual[1:])
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                gc.set_threshold(*_usual)
