"""What derive.py writes for the functions of float32 numbers: constants of 24 bits, and short polynomials."""

from __future__ import annotations

from pathlib import Path

import mpmath as mp
import numpy as np
from approximation import Approximation, parts, root

TARGET = Path(__file__).parents[2] / "src/adc/runtime/vectormath/coefficients_single.py"

HALF_LN2 = 0.3467  # a little over ln(2)/2: the reduction's rounding may step across
QUARTER_PI = 0.7862
SMALL_LOG = 0.02944  # s**2 for s = f / (2 + f), 1 + f in [sqrt(1/2), sqrt(2)]
ERF_FROM, ERF_TO = 0.9, 3.93  # from there on erf is 1

APPROXIMATIONS = [
    Approximation(
        "EXP",
        "(e**r - 1 - r) / r**2, relative to e**r",
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: r * r / mp.exp(r),
        -HALF_LN2,
        HALF_LN2,
        5,
    ),
    Approximation(
        "EXPM1",
        "(e**r - 1 - r) / r**2, relative to e**r - 1",
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: abs(r * r / mp.expm1(r)),
        -HALF_LN2,
        HALF_LN2,
        6,
    ),
    Approximation(
        "LOG",
        "(2 atanh(s) / s - 2) / z with z = s**2",
        root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2),
        lambda z: z / 2,
        0.0,
        SMALL_LOG,
        3,
    ),
    Approximation(
        "LOG_WIDE",
        "the same for f up to 1",
        root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2),
        lambda z: z / 2,
        0.0,
        0.11112,
        4,
    ),
    Approximation(
        "SIN",
        "(sin(r) / r - 1) / z with z = r**2",
        root(lambda r: (mp.sin(r) / r - 1) / r**2),
        lambda z: z,
        0.0,
        QUARTER_PI**2,
        3,
    ),
    Approximation(
        "COS",
        "(cos(r) - 1 + z / 2) / z**2 with z = r**2",
        root(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4),
        lambda z: z * z,
        0.0,
        QUARTER_PI**2,
        3,
    ),
    Approximation(
        "ERF",
        "erf(x) / x - 1 with z = x**2, relative to erf(x) / x",
        root(lambda x: mp.erf(x) / x - 1),
        root(lambda x: x / mp.erf(x)),
        0.0,
        ERF_FROM**2 + 0.01,
        7,
    ),
    Approximation(
        "ERF_TAIL",
        f"-log(1 - erf(x)) / x, x from {ERF_FROM} to {ERF_TO}, relative to erf",
        lambda x: -mp.log(mp.erfc(x)) / x,
        lambda x: x * mp.erfc(x) / mp.erf(x),
        ERF_FROM - 0.01,
        ERF_TO,
        8,
    ),
]


def rounded(x: mp.mpf | float) -> float:
    """The nearest number of float32."""
    return float(np.float32(float(x)))


def constants() -> dict[str, float]:
    """Numbers that kernels need, split where one of 24 bits is not enough."""
    with mp.workprec(200):
        ln2, half_pi = mp.log(2), mp.pi / 2
        named = {"LOG2_E": rounded(1 / ln2), "TWO_OVER_PI": rounded(1 / half_pi)}
        # 15 bits, so that the product with an exponent is exact even without a fused multiply-add.
        named["LN2_HIGH"], named["LN2_LOW"] = parts(ln2, 15, 24)
        named["HALF_PI_1"], named["HALF_PI_2"], named["HALF_PI_3"] = parts(half_pi, 24, 24, 24)
    return named | {"ERF_FROM": rounded(ERF_FROM), "ERF_TO": rounded(ERF_TO)}
