"""Rules of grids that an index describes: np.mgrid and np.ogrid, and the spaced numbers of a slice."""

import numpy as np

from adc.rules.registry import composite
from adc.rules.sampler import call


def spaced(item):
    """The numbers that a slice describes; a complex step says how many there are, the last one included."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return np.linspace(start, item.stop, int(abs(step)))
    return np.arange(start, item.stop, step)


def _axes_of(key):
    """The numbers along each axis, of one dtype."""
    values = ()
    nothing = ()
    for item in key:
        values = values + (spaced(item),)
        nothing = nothing + (values[-1][:0],)
    dtype = np.concatenate(nothing).dtype
    placed = ()
    for k in range(len(key)):
        shape = (1,) * k + (np.size(values[k]),) + (1,) * (len(key) - 1 - k)
        placed = placed + (np.reshape(values[k].astype(dtype), shape),)
    return placed


def _grids(r):
    return [
        call((slice(0, 2), slice(0, 3))),
        call((slice(-1.0, 1.0, 4j), slice(1, 4, 2))),
        call((slice(0.5, 2.0, 0.4), slice(3), slice(2, 0, -1))),
        call(slice(0.25, 3.0)),
    ]


@composite(
    np.mgrid.__getitem__,
    wrt="key",
    name="mgrid",
    spelling="np.mgrid.__getitem__",
    notes="np.mgrid[0:m, 0:n]",
    examples=_grids,
)
def mgrid(key):
    if isinstance(key, slice):
        return spaced(key)
    columns = _axes_of(key)
    lengths = ()
    for column in columns:
        lengths = lengths + (np.size(column),)
    filled = ()
    for column in columns:
        filled = filled + (np.broadcast_to(column, lengths),)
    return np.stack(filled)


@composite(
    np.ogrid.__getitem__,
    wrt="key",
    name="ogrid",
    spelling="np.ogrid.__getitem__",
    notes="np.ogrid[0:m, 0:n]",
    examples=_grids,
)
def ogrid(key):
    return spaced(key) if isinstance(key, slice) else _axes_of(key)
