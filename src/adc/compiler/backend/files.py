"""The folder of generated files, and how a file gets there whole."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

from adc import config

__all__ = ["folder", "put"]

# Every file of one content has one time stamp: Numba's cache would take a younger file for a changed one when two
# processes write it at once.
_TIME_STAMP = 1_000_000_000


def put(path: Path, content: bytes) -> None:
    """Put a file in place at once, unless it is there: another process sees all of it or nothing."""
    try:
        if path.read_bytes() == content:
            return
    except FileNotFoundError:
        pass
    handle, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
    os.utime(temporary, (_TIME_STAMP, _TIME_STAMP))
    os.replace(temporary, path)


def folder() -> Path:
    """Where generated files are: in the cache directory, or where that cannot be written to, in one of this process."""
    wanted = config.current().cache_dir / "generated"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        writable = os.access(wanted, os.W_OK)
    except OSError:  # a read-only home, or a file in the way
        writable = False
    return wanted if writable else _private_folder()


@functools.lru_cache(maxsize=1)
def _private_folder() -> Path:
    import atexit
    import shutil

    made = tempfile.mkdtemp(prefix="adc-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)
