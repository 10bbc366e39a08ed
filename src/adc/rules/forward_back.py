"""Rules of filters that run forward and back, so that nothing is delayed."""

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.filters import without_ones
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _known(padtype, method):
    if method != "pad":
        raise UnsupportedError(
            f'scipy.signal.filtfilt with method="{method}" is not supported', repair='Say method="pad".'
        )
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )


def _padded_by(padtype, padlen, count):
    """How many samples are put on either side."""
    if padtype is None:
        return 0
    return 3 * count if padlen is None else padlen


@static
def _as_it_is(padtype, padlen):
    return padtype is None or padlen == 0


def _long_enough(rows, edge):
    if rows.shape[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")


def _extended(rows, edge, padtype):
    n = rows.shape[-1]
    before, after = np.flip(rows[..., 1 : edge + 1], -1), np.flip(rows[..., n - edge - 1 : n - 1], -1)
    first, last = rows[..., :1], rows[..., n - 1 :]
    if padtype == "odd":
        before, after = 2.0 * first - before, 2.0 * last - after
    elif padtype == "constant":
        before, after = first + 0.0 * before, last + 0.0 * after
    return np.concatenate((before, rows, after), axis=-1)


def _from_rest(b, a, rows):
    """The filter of a signal that was what it begins with for ever before: that part has come to rest."""
    first = rows[..., :1]
    return signal.lfilter(b, a, rows - first) + first * (np.sum(b) / np.sum(a))


@composite(
    signal.filtfilt,
    wrt="b a x",
    name="scipy.signal.filtfilt",
    spelling="scipy.signal.filtfilt",
    extra={"real_only": True, "order": "A"},
    examples=lambda r: [
        (r.normal(2), np.array([1.3, -0.4]), r.normal(9)),
        call(r.normal(2), np.array([1.0, 0.5, 0.1]), r.normal(2, 6), padlen=3, padtype="even"),
        call(r.normal(2), np.array([1.0, 0.5]), r.normal(7, 2), axis=0, padtype="constant", padlen=2),
        call(r.normal(3), np.array([2.0]), r.normal(5), padtype=None),
    ],
)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    _known(padtype, method)
    edge = _padded_by(padtype, padlen, np.maximum(a.shape[0], b.shape[0]))
    b, a = as_floats(b), as_floats(a)
    rows = np.moveaxis(as_floats(x), axis, -1)
    _long_enough(rows, edge)
    there = _from_rest(b, a, rows if _as_it_is(padtype, padlen) else _extended(rows, edge, padtype))
    back = np.flip(_from_rest(b, a, np.flip(there, -1)), -1)
    return np.moveaxis(back[..., edge : edge + rows.shape[-1]], -1, axis)


def _sections_from_rest(sos, rows):
    """The filters of all sections, one after the other: each begins with what the one before has at rest."""
    z = rows
    for k in range(sos.shape[0]):
        z = _from_rest(sos[k, :3], sos[k, 3:], z)
    return z


@composite(
    signal.sosfiltfilt,
    wrt="sos x",
    name="scipy.signal.sosfiltfilt",
    spelling="scipy.signal.sosfiltfilt",
    extra={"real_only": True, "order": "A", "directions": {"sos": without_ones}},
    examples=lambda r: [
        (np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.3, 1.0, 0.3, 0.2]]), r.normal(17)),
        call(np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1]]), r.normal(5, 2), axis=0, padlen=3, padtype="even"),
        call(np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1]]), r.normal(5), padtype=None),
    ],
)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    fewer = np.minimum(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    _known(padtype, "pad")
    edge = _padded_by(padtype, padlen, 2 * sos.shape[0] + 1 - fewer)
    rows = np.moveaxis(as_floats(x), axis, -1)
    _long_enough(rows, edge)
    there = _sections_from_rest(sos, rows if _as_it_is(padtype, padlen) else _extended(rows, edge, padtype))
    back = np.flip(_sections_from_rest(sos, np.flip(there, -1)), -1)
    return np.moveaxis(back[..., edge : edge + rows.shape[-1]], -1, axis)
