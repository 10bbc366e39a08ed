"""Rules of scipy.stats for tests of whether samples are spread alike: bartlett, levene."""

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import special as special
from adc.rules import statistics as statistics
from adc.rules.registry import static
from adc.rules.sampler import call
from adc.rules.samples import along, rule
from adc.rules.spreads import Tested, f_oneway


@static
def _known(center):
    if center not in ("median", "mean"):
        raise UnsupportedError(
            f"scipy.stats.levene with center={center!r} is not supported", repair='Say "median" or "mean".'
        )


def _several(r):
    return [(r.normal(4), r.normal(5), r.normal(3)), (r.normal(4, 2), r.normal(3, 2))]


@rule(stats.bartlett, "samples", _several)
def bartlett(*samples, axis=0):
    n, reciprocals, squares, logarithms = 0.0, 0.0, 0.0, 0.0
    for sample in samples:
        x, k = along(sample, axis)
        free = x.shape[k] - 1.0
        variance = np.var(x, axis=k, ddof=1)
        n = n + x.shape[k]
        reciprocals = reciprocals + 1.0 / free
        squares = squares + free * variance
        logarithms = logarithms + free * np.log(variance)
    more = len(samples) - 1.0
    rest = n - len(samples)
    t = (rest * np.log(squares / rest) - logarithms) / (1.0 + (reciprocals - 1.0 / rest) / (3.0 * more))
    t = np.maximum(t, 0.0)
    return Tested(t, sp.chdtrc(more, t))


@rule(stats.levene, "samples", lambda r: [*_several(r), call(r.normal(4), r.normal(5), center="mean")])
def levene(*samples, center="median", proportiontocut=0.05, axis=0):
    _known(center)
    apart = []
    for sample in samples:
        x, k = along(sample, axis)
        middle = np.mean(x, axis=k, keepdims=True)
        if center == "median":
            middle = np.median(x, axis=k, keepdims=True)
        apart.append(np.abs(x - middle))
    return f_oneway(*apart, axis=axis)
