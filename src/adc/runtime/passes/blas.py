"""Whether there is BLAS, Numba asks of whether SciPy is installed, and imports it where a routine is first called.

It asks before it compiles, or reads from disk, the first function of a process: by importing scipy.linalg, a fifth of a
second. Machine code from disk has asked nobody, so that what calls a routine imports it then in any case.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from numba.np import linalg

from adc.runtime.passes.known import is_known, put

# The texts of Numba's function that this one is known to stand for: that of 0.65. In 0.68 it also asks how wide SciPy's
# integers are, which SciPy has to be imported for.
KNOWN = frozenset({"55826be78de40e08ab1e525800bc46dc2c027fb2d1ac9ee65cda10cb6a09a102"})


def by_installation(own: Callable[[], None]) -> Callable[[], None]:
    """What stands for Numba's function that raises where there is no BLAS."""

    def ensure_blas() -> None:
        if not is_known(own, KNOWN) or importlib.util.find_spec("scipy") is None:
            own()

    return ensure_blas


put(linalg, "ensure_blas", by_installation)
