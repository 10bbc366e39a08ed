"""The constants of the vector maths of float32, lowest degree first. By scripts/vectormath/derive.py."""

from typing import cast

import numpy as np


def single(x: float) -> float:
    """The float32, which Numba makes a constant of that type of."""
    return cast(float, np.float32(x))


LOG2_E = single(1.442695)
TWO_OVER_PI = single(0.63661975)
LN2_HIGH = single(0.69314575)
LN2_LOW = single(1.4286068e-06)
HALF_PI_1 = single(1.5707964)
HALF_PI_2 = single(-4.371139e-08)
HALF_PI_3 = single(-1.7151245e-15)
ERF_FROM = single(0.9)
ERF_TO = single(3.93)

# (e**r - 1 - r) / r**2, relative to e**r,
# on [-0.3467, 0.3467]: 28.3 bits.
EXP = (
    single(0.49999994),
    single(0.16666521),
    single(0.041668262),
    single(0.008368669),
    single(0.0013820886),
)

# (e**r - 1 - r) / r**2, relative to e**r - 1,
# on [-0.3467, 0.3467]: 31.1 bits.
EXPM1 = (
    single(0.5),
    single(0.16666666),
    single(0.041666493),
    single(0.008333546),
    single(0.0013932325),
    single(0.000197617),
)

# (2 atanh(s) / s - 2) / z with z = s**2,
# on [0, 0.02944]: 30.2 bits.
LOG = (
    single(0.66666776),
    single(0.39977583),
    single(0.29870808),
)

# the same for f up to 1,
# on [0, 0.11112]: 27.7 bits.
LOG_WIDE = (
    single(0.6666641),
    single(0.4002175),
    single(0.2799822),
    single(0.28029302),
)

# (sin(r) / r - 1) / z with z = r**2,
# on [0, 0.61811]: 28.0 bits.
SIN = (
    single(-0.16666655),
    single(0.00833219),
    single(-0.00019518407),
)

# (cos(r) - 1 + z / 2) / z**2 with z = r**2,
# on [0, 0.61811]: 33.1 bits.
COS = (
    single(0.041666646),
    single(-0.0013887301),
    single(2.4430676e-05),
)

# erf(x) / x - 1 with z = x**2, relative to erf(x) / x,
# on [0, 0.82]: 30.1 bits.
ERF = (
    single(0.12837917),
    single(-0.3761263),
    single(0.11283625),
    single(-0.026855638),
    single(0.0051920298),
    single(-0.00080437673),
    single(7.963651e-05),
)

# -log(1 - erf(x)) / x, x from 0.9 to 3.93, relative to erf,
# on [0.89, 3.93]: 31.8 bits.
ERF_TAIL = (
    single(1.1285365),
    single(0.6356965),
    single(0.10512371),
    single(-0.02252685),
    single(0.0028387),
    single(-1.632552e-05),
    single(-5.2139098e-05),
    single(5.4788748e-06),
)
