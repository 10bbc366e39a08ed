"""What waits for LLVM's lock is not told to anybody while a derivative is compiled.

Numba tells its listeners whenever a call into LLVM begins and ends, 1,000 times for each function, and listens itself:
a compiled function knows how long the lock was held. That was a twentieth of the time that it took. Who listens hears
of all other functions as before.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from llvmlite.binding import ffi
from numba.core import base, event

__all__ = ["untold"]

LOCK = "numba:llvm_lock"
_thread = threading.local()


@contextlib.contextmanager
def untold() -> Iterator[None]:
    """In this thread; not to be entered or left inside a call into LLVM, so that every begin has its end."""
    before = getattr(_thread, "untold", False)
    _thread.untold = True
    try:
        yield
    finally:
        _thread.untold = before


def _taken() -> None:
    if not getattr(_thread, "untold", False):
        event.start_event(LOCK)


def _given_back() -> None:
    if not getattr(_thread, "untold", False):
        event.end_event(LOCK)


def enable() -> None:
    """Put these in the place of Numba's, which are known by where they stand."""
    told = list(getattr(ffi.lib._lock, "_cblist", ()))
    for taken, given_back in told:
        if taken.__module__ == given_back.__module__ == base.__name__:
            ffi.unregister_lock_callback(taken, given_back)
            ffi.register_lock_callback(_taken, _given_back)


enable()  # once: then they stand in this module
