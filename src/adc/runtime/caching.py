"""Compiled functions of the runtime come from Numba's disk cache, as long as nothing in this package has changed.

Numba keeps a cached function while the file that it stands in is unchanged. Ours depend on more: on coefficients and
kernels in other files, which are inlined into them, and on the names and signatures of functions that stay apart. So
the functions of this package get cache locators whose stamp is a hash of all its files. For every other function the
locators answer None, and Numba goes on to its own.

Numba numbers the files of a function's machine code, and an index says which number is for which argument types. Two
processes that compile a function for the first time, each for its own types, take the same number: what the one has
written to the index, the other overwrites, and whose code the file holds is a matter of time. The code for matrices is
then run on vectors. So a file has its name from the argument types that it is for.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import caching

from adc.runtime.passes.known import is_known, put

PACKAGE = Path(__file__).parent


@functools.cache
def fingerprint() -> str:
    """A hash of the sources: whoever caches code that calls the runtime should make it part of the key."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# The texts of Numba's method that `named_by_types` is known to stand for: that of 0.65 and 0.68.
KNOWN_SAVE = frozenset({"43bf2dad8face2adb4d62fd9424029df7ffd06194ab65d17cf2b4696ed8c02cc"})


def named_by_types(own: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    """What stands for Numba's method that saves machine code under a key: the argument types and the processor."""

    def save(self: Any, key: Any, data: Any) -> None:
        if not is_known(own, KNOWN_SAVE):
            own(self, key, data)
            return
        overloads = self._load_index()
        name = self._data_name(int.from_bytes(hashlib.sha256(self._dump(key)).digest()[:8], "big"))
        if overloads.get(key) != name:
            overloads[key] = name
            self._save_index(overloads)
        self._save_data(name, data)

    return save


put(caching.IndexDataCacheFile, "save", named_by_types)


def enable() -> bool:
    """Put the locators in front of Numba's. False if that cannot be done, or nothing can be cached here."""
    implementation = getattr(caching, "CacheImpl", None) or getattr(caching, "_CacheImpl", None)
    known = getattr(implementation, "_locator_classes", None)
    if known is None:
        return False
    if not any(getattr(locator, "for_runtime", False) for locator in known):
        implementation._locator_classes = [*map(_for_this_package, known), *known]  # type: ignore[union-attr]
    try:
        caching.FunctionCache(enable)
    except RuntimeError:
        # No directory to write to: the kernels are compiled in each process.
        return False
    return True


def _for_this_package(locator: Any) -> Any:
    """A locator like the given one, for functions of this package, with the fingerprint for a stamp."""

    class Locator(locator):  # type: ignore[misc]
        for_runtime = True

        def get_source_stamp(self) -> str:
            return fingerprint()

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return super().from_function(py_func, py_file) if PACKAGE in Path(py_file).parents else None

    return Locator


POSSIBLE = enable()  # before any other module of the package has a function compiled
