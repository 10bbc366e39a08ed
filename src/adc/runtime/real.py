"""Code that was made for real numbers says so when a matrix turns out to have complex eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload


class NotReal(ValueError):
    """A result is complex where the code was made for a real one."""


def still_real(result: Any, *positions: int) -> Any:
    """The result, an array or several. Raises NotReal where one is complex, of all or of those at `positions`.

    >>> still_real(np.ones(2))
    array([1., 1.])
    """
    parts = result if isinstance(result, tuple) else (result,)
    if any(np.iscomplexobj(parts[k]) for k in positions or range(len(parts))):
        raise NotReal("the result is complex, which the types of the arguments do not say")
    return result


@overload(still_real)
def _still_real(result: Any, *positions: Any) -> Any:
    def still_real(result: Any, *positions: Any) -> Any:
        return result  # what jitted code calls has one type, and raises by itself

    return still_real
