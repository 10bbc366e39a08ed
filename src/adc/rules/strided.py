"""Windows of an array by steps in its memory: `as_strided(x, shape, x.strides + x.strides)`."""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.registry import composite, static

WHAT = "as_strided of an array that may not lie row by row is not supported"
REPAIR = "Take np.ascontiguousarray of it first, or np.lib.stride_tricks.sliding_window_view."


@static
def _row_by_row(x):
    """Raise if an array is known to lie otherwise: of compiled code that is asked before."""
    flags = getattr(getattr(x, "primal", x), "flags", None)
    if flags is not None and not flags.c_contiguous:
        raise UnsupportedError(WHAT, repair=REPAIR)


def _examples(r):
    return [
        (r.normal(6), (4, 3), (8, 8)),
        (r.normal(4, 6), (2, 3, 2, 2), (96, 16, 48, 8)),
        (r.normal(2, 3), (3,), (8,)),
        (r.normal(3), (2, 3), (0, 8)),
    ]


@composite(
    np.lib.stride_tricks.as_strided,
    spelling="np.lib.stride_tricks.as_strided",
    name="as_strided",
    extra={"view": True, "float64_only": True},
    notes="of an array that lies row by row",
    examples=_examples,
)
def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    _row_by_row(x)
    lengths = np.shape(x) if shape is None else shape
    steps = x.strides if strides is None else strides
    positions = np.zeros((), dtype=int)
    for k in range(len(lengths)):
        positions = positions[..., np.newaxis] + np.arange(lengths[k]) * (steps[k] // x.itemsize)
    return np.ravel(x)[positions]
