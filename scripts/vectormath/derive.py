"""Write coefficients.py and coefficients_single.py of src/adc/runtime/vectormath: every constant, by its definition.

    python scripts/vectormath/derive.py            # about a minute
    python scripts/vectormath/derive.py --check    # exit 1 if a file differs from what would be written

Polynomials are weighted best approximations (remez.py); the weight makes the error relative to the value of
the function that the polynomial serves, and each is printed with the bits it reaches. Constants that need
more than 53 bits are split into doubles.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path

import derive_single
import mpmath as mp
import numpy as np
from approximation import Approximation, parts, root
from remez import Function, fit

TARGET = Path(__file__).parents[2] / "src/adc/runtime/vectormath/coefficients.py"


def scaled_erfc(x: mp.mpf) -> mp.mpf:
    """Erfc without its decay."""
    return (x + 2) * mp.exp(x * x) * mp.erfc(x)


# Makes the range of t symmetric: the farthest arguments, 0.97 and 27.3, go to -t and t.
ERFC_CENTRE = 3.3933
ERF_TAIL_CENTRE = 2.3318
ERF_SUM_CENTRE, ERF_SUM_SHIFT = 1.7143, 4  # from 0 to 6


def erfc_argument(t: mp.mpf) -> mp.mpf:
    """X for t = (x - ERFC_CENTRE) / (x + 2)."""
    return (ERFC_CENTRE + 2 * t) / (1 - t)


def erf_tail_argument(t: mp.mpf) -> mp.mpf:
    """X for t = (x - ERF_TAIL_CENTRE) / (x + 2)."""
    return (ERF_TAIL_CENTRE + 2 * t) / (1 - t)


def erf_sum_argument(t: mp.mpf) -> mp.mpf:
    """X for t = (x - ERF_SUM_CENTRE) / (x + ERF_SUM_SHIFT)."""
    return (ERF_SUM_CENTRE + ERF_SUM_SHIFT * t) / (1 - t)


def shifted_erfc(x: mp.mpf) -> mp.mpf:
    """Erfc without its decay, times x + ERF_SUM_SHIFT."""
    return (x + ERF_SUM_SHIFT) * mp.exp(x * x) * mp.erfc(x)


def stirling_rest(x: mp.mpf) -> mp.mpf:
    """What Stirling's formula leaves of lgamma, times x: 1/12 - 1 / (360 x**2) + ..."""
    return x * (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def digamma_rest(x: mp.mpf) -> mp.mpf:
    """What log(x) - 1 / (2 x) leaves of digamma, times x**2: 1/12 - 1 / (120 x**2) + ..."""
    return x * x * (mp.log(x) - mp.digamma(x) - 1 / (2 * x))


# Makes the range of t symmetric, x from 1 to 6.
TRIGAMMA_CENTRE = 1.8553
TRIGAMMA_SHIFT = 0.3


def trigamma_argument(t: mp.mpf) -> mp.mpf:
    """X for t = (x - TRIGAMMA_CENTRE) / (x + TRIGAMMA_SHIFT)."""
    return (TRIGAMMA_CENTRE + TRIGAMMA_SHIFT * t) / (1 - t)


def trigamma_rest(x: mp.mpf) -> mp.mpf:
    """What 1 / x + 1 / (2 x**2) leaves of trigamma, times x**3: 1/6 - 1 / (30 x**2) + ..."""
    return x**3 * (mp.psi(1, x) - 1 / x - 1 / (2 * x * x))


BESSEL_NEAR = 10.0  # up to here in x**2, from here in 1 / x


def scaled_bessel(order: int) -> Function:
    """sqrt(2 pi x) e**-x I(x) as a function of 1 / x: 1 at 0."""

    @functools.cache
    def scaled(u: mp.mpf) -> mp.mpf:
        return mp.sqrt(2 * mp.pi / u) * mp.exp(-1 / u) * mp.besseli(order, 1 / u)

    return scaled


def bessel(order: int, near_terms: int, far_terms: int) -> list[Approximation]:
    """Both approximations of the modified Bessel function I of an order."""
    far = scaled_bessel(order)

    def near(x: mp.mpf) -> mp.mpf:
        return (mp.besseli(0, x) - 1) / x**2 if order == 0 else mp.besseli(order, x) / x**order

    part = "(I0(x) - 1) / x**2" if order == 0 else f"I{order}(x) / x**{order}" if order > 1 else "I1(x) / x"
    return [
        Approximation(
            f"BESSEL_I{order}",
            f"{part} with z = x**2, relative to I{order}",
            root(near),
            root(lambda x: x ** (order or 2) / mp.besseli(order, x)),
            1e-20,
            BESSEL_NEAR**2,
            near_terms,
        ),
        Approximation(
            f"BESSEL_I{order}_FAR",
            f"(sqrt(2 pi x) e**-x I{order}(x) - 1) / u with u = 1 / x, relative to I{order}",
            lambda u: (far(u) - 1) / u,
            lambda u: u / far(u),
            1e-20,
            1 / BESSEL_NEAR,
            far_terms,
        ),
    ]


ERFINV_CENTRE = 3.125


@functools.cache
def scaled_erfinv(w: mp.mpf) -> mp.mpf:
    """erfinv(x) / x for w = -log(1 - x**2), by Newton's method on the logarithm of erfc."""
    if w < 1e-30:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    wanted = -w - mp.log1p(x)  # log(1 - x)
    y = x * mp.sqrt(mp.pi) / 2
    for _ in range(60):
        tail = mp.erfc(y)
        step = (mp.log(tail) - wanted) * tail * mp.exp(y * y) * mp.sqrt(mp.pi) / 2
        y += step
        if abs(step) < mp.mpf(10) ** -60 * y:
            break
    return y / x


with mp.workprec(400):
    DIGAMMA_ZERO = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))

HALF_LN2 = 0.34675  # a little over ln(2)/2: the reduction's rounding may step across
QUARTER_PI = 0.7862
SMALL_LOG = 0.02944  # s**2 for s = f / (2 + f), 1 + f in [sqrt(1/2), sqrt(2)]

APPROXIMATIONS = [
    Approximation(
        "EXP",
        "(e**r - 1 - r) / r**2, relative to e**r",
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: r * r / mp.exp(r),
        -HALF_LN2,
        HALF_LN2,
        10,
    ),
    Approximation(
        "EXPM1",
        "(e**r - 1 - r) / r**2, relative to e**r - 1",
        lambda r: (mp.expm1(r) - r) / r**2,
        lambda r: abs(r * r / mp.expm1(r)),
        -HALF_LN2,
        HALF_LN2,
        11,
    ),
    Approximation(
        "EXP2",
        "(2**r - 1 - r ln 2) / r**2, relative to 2**r",
        lambda r: (mp.mpf(2) ** r - 1 - r * mp.log(2)) / r**2,
        lambda r: r * r / mp.mpf(2) ** r,
        -0.5002,
        0.5002,
        10,
    ),
    Approximation(
        "LOG",
        "(2 atanh(s) / s - 2) / z with z = s**2",
        root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2),
        lambda z: z / 2,
        0.0,
        SMALL_LOG,
        7,
    ),
    Approximation(
        "LOG_WIDE",
        "the same for f up to 1",
        root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2),
        lambda z: z / 2,
        0.0,
        0.11112,
        10,
    ),
    Approximation(
        "LOG_TAIL",
        "(2 atanh(s) / s - 2 - 2 z / 3) / z**2 with z = s**2",
        root(lambda s: (2 * mp.atanh(s) / s - 2 - 2 * s * s / 3) / s**4),
        lambda z: z * z / 2,
        0.0,
        SMALL_LOG,
        8,
    ),
    Approximation(
        "SIN",
        "(sin(r) / r - 1) / z with z = r**2",
        root(lambda r: (mp.sin(r) / r - 1) / r**2),
        lambda z: z,
        0.0,
        QUARTER_PI**2,
        6,
    ),
    Approximation(
        "COS",
        "(cos(r) - 1 + z / 2) / z**2 with z = r**2",
        root(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4),
        lambda z: z * z,
        0.0,
        QUARTER_PI**2,
        6,
    ),
    Approximation(
        "ARCSIN",
        "(arcsin(x) / x - 1) / z with z = x**2",
        root(lambda x: (mp.asin(x) / x - 1) / x**2),
        lambda z: z,
        0.0,
        0.25,
        13,
    ),
    Approximation(
        "ARCTAN",
        "(arctan(x) / x - 1) / z with z = x**2, x up to tan(pi/8)",
        root(lambda x: (mp.atan(x) / x - 1) / x**2),
        lambda z: z,
        0.0,
        0.17158,
        11,
    ),
    Approximation(
        "SINH",
        "(sinh(r) / r - 1) / z with z = r**2",
        root(lambda r: (mp.sinh(r) / r - 1) / r**2),
        lambda z: z,
        0.0,
        HALF_LN2**2,
        5,
    ),
    Approximation(
        "COSH",
        "(cosh(r) - 1 - z / 2) / z**2 with z = r**2",
        root(lambda r: (mp.cosh(r) - 1 - r * r / 2) / r**4),
        lambda z: z * z,
        0.0,
        HALF_LN2**2,
        4,
    ),
    Approximation(
        "ERF",
        "erf(x) / x - 1 with z = x**2, relative to erf(x) / x",
        root(lambda x: mp.erf(x) / x - 1),
        root(lambda x: x / mp.erf(x)),
        0.0,
        1.0,
        12,
    ),
    Approximation(
        "ERFC",
        "(x + 2) e**(x**2) erfc(x) with t = (x - ERFC_CENTRE) / (x + 2), x from 0.97 to 27.3",
        lambda t: scaled_erfc(erfc_argument(t)),
        lambda t: 1 / scaled_erfc(erfc_argument(t)),
        (0.97 - ERFC_CENTRE) / (0.97 + 2),
        (27.3 - ERFC_CENTRE) / (27.3 + 2),
        20,
    ),
    # For erf = 1 - erfc only the absolute error counts, and beyond 6 nothing does.
    Approximation(
        "ERF_TAIL",
        "the same with t = (x - ERF_TAIL_CENTRE) / (x + 2), x from 0.97 to 6, relative to erf",
        lambda t: scaled_erfc(erf_tail_argument(t)),
        lambda t: (
            1
            / (mp.exp(erf_tail_argument(t) ** 2) * (erf_tail_argument(t) + 2) * mp.erf(erf_tail_argument(t)))
        ),
        (0.97 - ERF_TAIL_CENTRE) / (0.97 + 2),
        (6.0 - ERF_TAIL_CENTRE) / (6.0 + 2),
        12,
    ),
    # For 1 + erf, which is 2 - erfc or erfc.
    Approximation(
        "ERF_SUM",
        "(x + 4) e**(x**2) erfc(x) with t = (x - ERF_SUM_CENTRE) / (x + 4), x from 0 to 6, relative to 1 + erf(x)",
        lambda t: shifted_erfc(erf_sum_argument(t)),
        lambda t: (2 / mp.erfc(erf_sum_argument(t)) - 1) ** -1 / shifted_erfc(erf_sum_argument(t)),
        -ERF_SUM_CENTRE / ERF_SUM_SHIFT,
        (6.0 - ERF_SUM_CENTRE) / (6.0 + ERF_SUM_SHIFT),
        15,
    ),
    Approximation(
        "INVERSE_CBRT",
        "m**(-1/3)",
        lambda m: 1 / mp.cbrt(m),
        mp.cbrt,
        0.7071,
        1.4143,
        6,
    ),
    Approximation(
        "LGAMMA",
        "(lgamma(2 + w) / w - (1 - Euler's constant)) / w, relative to lgamma",
        lambda w: (mp.loggamma(2 + w) / w - 1 + mp.euler) / w,
        lambda w: abs(w * w / mp.loggamma(2 + w)),
        -0.5,
        0.5,
        18,
    ),
    Approximation(
        "GAMMA",
        "(gamma(2 + w) - 1) / w, relative to gamma",
        lambda w: (mp.gamma(2 + w) - 1) / w,
        lambda w: abs(w / mp.gamma(2 + w)),
        -0.5,
        0.5,
        19,
    ),
    Approximation(
        "STIRLING",
        "x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2) with v = 1 / x**2, x >= 6",
        lambda v: stirling_rest(1 / mp.sqrt(v)),
        lambda v: mp.sqrt(v),
        0.0,
        1 / 36,
        8,
    ),
    Approximation(
        "DIGAMMA",
        "digamma(x0 + w) / w, x0 the positive zero, relative to digamma",
        lambda w: mp.digamma(DIGAMMA_ZERO + w) / w,
        lambda w: abs(w / mp.digamma(DIGAMMA_ZERO + w)),
        1.0 - 1.46164,
        2.0 - 1.46163,
        22,
    ),
    Approximation(
        "DIGAMMA_TAIL",
        "x**2 (log(x) - digamma(x) - 1 / (2 x)) with v = 1 / x**2, x >= 6",
        lambda v: digamma_rest(1 / mp.sqrt(v)),
        lambda v: v,
        0.0,
        1 / 36,
        8,
    ),
    Approximation(
        "TRIGAMMA",
        "x trigamma(x) with t = (x - TRIGAMMA_CENTRE) / (x + TRIGAMMA_SHIFT), x from 1 to 6",
        lambda t: trigamma_argument(t) * mp.psi(1, trigamma_argument(t)),
        lambda t: 1 / (trigamma_argument(t) * mp.psi(1, trigamma_argument(t))),
        (1.0 - TRIGAMMA_CENTRE) / (1.0 + TRIGAMMA_SHIFT),
        (6.0 - TRIGAMMA_CENTRE) / (6.0 + TRIGAMMA_SHIFT),
        19,
    ),
    Approximation(
        "TRIGAMMA_TAIL",
        "x**3 (trigamma(x) - 1 / x - 1 / (2 x**2)) with v = 1 / x**2, x >= 6",
        lambda v: trigamma_rest(1 / mp.sqrt(v)),
        lambda v: v,
        0.0,
        1 / 36,
        8,
    ),
    *bessel(0, 17, 23),
    *bessel(1, 17, 23),
    *bessel(2, 17, 23),
    Approximation(
        "ERFINV",
        "erfinv(x) / x with w = -log(1 - x**2) and t = w - ERFINV_CENTRE",
        lambda t: scaled_erfinv(t + ERFINV_CENTRE),
        lambda t: 1 / scaled_erfinv(t + ERFINV_CENTRE),
        -ERFINV_CENTRE,
        ERFINV_CENTRE,
        24,
    ),
]


def constants() -> dict[str, float]:
    """Numbers that kernels need, split where one double is not enough."""
    with mp.workprec(400):
        ln2, pi = mp.log(2), +mp.pi
        named: dict[str, float] = {"LOG2_E": float(1 / ln2), "TWO_OVER_PI": float(2 / pi)}
        # 42 bits, so that the product with an exponent is exact even without a fused multiply-add.
        named["LN2_HIGH"], named["LN2_LOW"] = parts(ln2, 42, 53)
        named["LN2"], named["LN2_REST"] = parts(ln2, 53, 53)
        named["LOG2_E_REST"] = parts(1 / ln2, 53, 53)[1]
        named["LOG10_E"], named["LOG10_E_REST"] = parts(1 / mp.log(10), 53, 53)
        named["LOG10_2_HIGH"], named["LOG10_2_LOW"] = parts(ln2 / mp.log(10), 42, 53)
        named["HALF_PI_1"], named["HALF_PI_2"], named["HALF_PI_3"] = parts(pi / 2, 53, 53, 53)
        named["QUARTER_PI"], named["QUARTER_PI_REST"] = parts(pi / 4, 53, 53)
        named["HALF_PI"], named["HALF_PI_REST"] = parts(pi / 2, 53, 53)
        named["THIRD"], named["THIRD_REST"] = parts(mp.mpf(1) / 3, 53, 53)
        named["TWO_THIRDS_REST"] = 2 * named["THIRD_REST"]
        named["CBRT_2"] = float(mp.cbrt(2))
        named["HALF_LOG_2PI"] = float(mp.log(2 * pi) / 2)
        named["ROOT_2PI"] = float(mp.sqrt(2 * pi))
        named["ONE_LESS_EULER"], named["ONE_LESS_EULER_REST"] = parts(1 - mp.euler, 53, 53)
        named["ERFC_CENTRE"], named["ERF_TAIL_CENTRE"] = ERFC_CENTRE, ERF_TAIL_CENTRE
        named["ERF_SUM_CENTRE"] = ERF_SUM_CENTRE
        named["DIGAMMA_ZERO"], named["DIGAMMA_ZERO_REST"] = parts(DIGAMMA_ZERO, 53, 53)
        named["PI"], named["PI_REST"] = parts(pi, 53, 53)
        named["ERFINV_CENTRE"] = ERFINV_CENTRE
        named["HALF_OVER_PI"] = float(0.5 / pi)
        named["TRIGAMMA_CENTRE"], named["TRIGAMMA_SHIFT"] = TRIGAMMA_CENTRE, TRIGAMMA_SHIFT
        return named


def double_text() -> str:
    """The whole file of constants for float64."""
    lines = [
        '"""The constants of the vector maths, lowest degree first. By scripts/vectormath/derive.py."""',
        "",
        *(f"{name} = {value!r}" for name, value in constants().items()),
    ]
    return "\n".join(lines + polynomials(APPROXIMATIONS, float, repr)) + "\n"


SINGLE = """
from typing import cast

import numpy as np


def single(x: float) -> float:
    \"\"\"The float32, which Numba makes a constant of that type of.\"\"\"
    return cast(float, np.float32(x))

"""


def single_text() -> str:
    """The whole file of constants for float32."""

    def spelled(x: float) -> str:
        return f"single({np.float32(x)!s})"

    lines = [
        '"""The constants of the vector maths of float32, lowest degree first. By scripts/vectormath/derive.py."""',
        SINGLE,
        *(f"{name} = {spelled(value)}" for name, value in derive_single.constants().items()),
    ]
    return "\n".join(lines + polynomials(derive_single.APPROXIMATIONS, derive_single.rounded, spelled)) + "\n"


def polynomials(
    approximations: list[Approximation], rounded: Callable[[float], float], spelled: Callable[[float], str]
) -> list[str]:
    """The lines of a file that name the coefficients of all polynomials."""
    lines: list[str] = []
    for a in approximations:
        found = fit(a.function, a.weight, a.low, a.high, a.terms, rounded)
        print(f"{a.name:12} {a.terms:3} terms, {found.bits:.1f} bits", flush=True)
        where = f"[{a.low:.6g}, {a.high:.6g}]"
        lines += ["", f"# {a.meaning},", f"# on {where}: {found.bits:.1f} bits.", f"{a.name} = ("]
        lines += [f"    {spelled(c)}," for c in found.coefficients]
        lines += [")"]
    return lines


def main() -> int:
    """Write the files, or compare them."""
    texts = {TARGET: double_text(), derive_single.TARGET: single_text()}
    if "--check" in sys.argv[1:]:
        return int(any(target.read_text() != text for target, text in texts.items()))
    for target, text in texts.items():
        target.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
