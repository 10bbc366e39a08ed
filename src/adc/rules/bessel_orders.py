"""The modified Bessel functions that fall have derivatives with respect to their order: Matern's kernels have one.

kv(v, x) exp(x) is the integral of cosh(v t) exp(-x (cosh(t) - 1)) over t > 0, so that of t sinh(v t) with the same
decay is its derivative. Even in t and analytic around the axis, it is summed to rounding by the trapezoidal rule.
"""

import numpy as np
from scipy import special as sp

from adc.rules.bessel import orders
from adc.rules.incomplete import CUT, spread, stepped
from adc.rules.registry import elementwise

POINTS = 64
NOTES = "with respect to the order for x > 0"


def _by_order(v, x):
    """The derivative of kve(v, x) with respect to v, for real x > 0."""
    known = np.real(x) > 0.0
    x, v = np.where(known, np.real(x), 1.0), np.where(known, v, 0.0)
    reach = np.arccosh(1.0 + CUT / x)
    for _ in range(5):
        reach = np.arccosh(1.0 + (CUT + np.abs(v) * reach) / x)
    step = stepped(reach) / POINTS
    t = spread(step) * np.arange(1.0, POINTS + 1.0)
    decay = spread(x) * 2.0 * np.sinh(0.5 * t) ** 2
    rise = spread(v) * t
    integral = 0.5 * step * np.sum(t * (np.exp(rise - decay) - np.exp(-rise - decay)), axis=-1)
    return np.where(known, integral, np.nan)


@elementwise(sp.kv, name="special.kv", cost=40, notes=NOTES, examples=orders)
def kv(z, v, x):
    by_order = np.nan if np.iscomplexobj(x) else np.exp(0.0 - x) * _by_order(v, x)
    return by_order, -0.5 * (sp.kv(v - 1.0, x) + sp.kv(v + 1.0, x))


@elementwise(sp.kve, name="special.kve", cost=40, notes=NOTES, examples=orders)
def kve(z, v, x):
    by_order = np.nan if np.iscomplexobj(x) else _by_order(v, x)
    return by_order, z - 0.5 * (sp.kve(v - 1.0, x) + sp.kve(v + 1.0, x))
