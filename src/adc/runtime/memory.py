"""Keep the memory of one derivative call for the next.

A gradient allocates its results and scratch anew at each call, and glibc gives large blocks back to the system when
they are freed: every call then pays about a microsecond for each page of 4 KB that it touches, several times what the
arithmetic costs. Told once to keep up to some megabytes of freed memory, it does not. The setting is the process's
(mallopt(3)); ADC_KEEP_MEMORY=0 leaves it alone.
"""

from __future__ import annotations

import ctypes
import functools
import platform

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # <malloc.h>
_LARGEST_MMAP_THRESHOLD = 32 << 20  # what glibc accepts on 64-bit systems


@functools.lru_cache(maxsize=1)
def keep_freed(megabytes: int) -> bool:
    """Let malloc hold up to `megabytes` of freed memory; True where the C library was told so.

    >>> keep_freed(0)
    False
    """
    if megabytes == 0 or platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    # mallopt returns 1 on success; on refusal everything stays as it was, only slower.
    told = mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD) and mallopt(_TRIM_THRESHOLD, megabytes << 20)
    return bool(told)
