"""The rule of scipy.stats.linregress: a straight line through points, with what is known of its precision."""

from typing import Any, NamedTuple

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import special as special
from adc.rules.elementary import root
from adc.rules.registry import composite, static

# What the precision of a line through two points is: 0, since SciPy 1.18 NaN.
_OF_TWO_POINTS = float(stats.linregress([0.0, 1.0], [0.0, 1.0]).stderr)
_SINGLE = np.arange(3, dtype=np.float32)
_IN_DOUBLE = stats.linregress(_SINGLE, _SINGLE).slope.dtype == np.float64  # until SciPy 1.18


class Line(NamedTuple):
    """What `scipy.stats.linregress` returns."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any

    __adc_model__ = True  # type: ignore[misc]


@static
def _two_sided(alternative):
    if alternative != "two-sided":
        raise UnsupportedError(
            "scipy.stats.linregress with `alternative` is not supported",
            repair="The line does not depend on it: leave it away.",
        )


@static
def _one_axis(*axes):
    if max(axes) > 1:
        raise UnsupportedError(
            "scipy.stats.linregress of arrays with several axes is not supported",
            repair="Pass vectors, as by np.ravel.",
        )


@composite(
    stats.linregress,
    wrt="x y",
    name="stats.linregress",
    spelling="scipy.stats.linregress",
    notes="without `intercept_stderr`",
    examples=lambda r: [(r.normal(6), r.normal(6)), (r.normal(4), r.normal(4)), (r.normal(2), r.normal(2))],
    extra={"float64_only": True, "rtol": 1e-9, "doubles": _IN_DOUBLE},
)
def linregress(x, y, alternative="two-sided"):
    _two_sided(alternative)
    _one_axis(np.ndim(x), np.ndim(y))
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.mean(dx * dx), np.mean(dx * dy), np.mean(dy * dy)
    slope, r = xy / xx, np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)  # which rounding may leave
    several = x.shape[0] > 2  # two lie on a line
    free = np.maximum(x.shape[0] - 2.0, 1.0)
    below = np.where(several, (1.0 - np.abs(r)) * 0.5, 0.25)
    flat = np.where(yy == 0.0, 1.0, 0.0) + _OF_TWO_POINTS
    pvalue = np.where(several, 2.0 * sp.betainc(0.5 * free, 0.5 * free, below), flat)
    stderr = root(np.where(several, (1.0 - r * r) * yy / xx / free, _OF_TWO_POINTS))
    return Line(slope, np.mean(y) - slope * np.mean(x), r, pvalue, stderr)
