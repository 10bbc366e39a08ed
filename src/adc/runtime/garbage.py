"""Let the garbage collector look less often while a program is compiled, and while one is recorded on the tape.

A compiler makes many objects and keeps nearly all of them until it is done. The collector looks through them again
after every 700 new ones, and finds nothing: a tenth to a fifth of the time that a first call takes. The graph of a
tape has no cycles, either, and each full collection visits every node made so far: of a million nodes, that is most of
the time of recording.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 200_000  # between two looks; some 50 MB

_lock = threading.Lock()
_inside = 0  # how many compilations and recordings are going on
_before = 0  # the threshold outside them


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Raise the threshold of the youngest generation, for all threads, until the last of those inside has left.

    A collector that is switched off stays so, and a threshold that is set inside is kept.

    >>> with collected_seldom():
    ...     gc.get_threshold()[0] == NEW_OBJECTS
    True
    """
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = gc.get_threshold()[0]
            if 0 < _before < NEW_OBJECTS:  # 0: it does not collect by itself
                gc.set_threshold(NEW_OBJECTS)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and gc.get_threshold()[0] == NEW_OBJECTS:
                gc.set_threshold(_before)
