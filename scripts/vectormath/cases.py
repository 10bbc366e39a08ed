"""What each function is compared with and where: shared by the accuracy table, the tests and the timing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.prec = 250

Sampler = Callable[[np.random.Generator, int], np.ndarray]


def uniform(low: float, high: float) -> Sampler:
    """Evenly between two numbers."""
    return lambda rng, n: rng.uniform(low, high, n)


def logarithmic(low: float, high: float, signed: bool = True) -> Sampler:
    """Evenly in the exponent, of either sign if asked."""

    def sample(rng: np.random.Generator, n: int) -> np.ndarray:
        x = np.exp(rng.uniform(np.log(low), np.log(high), n))
        return x * rng.choice([-1.0, 1.0], n) if signed else x

    return sample


@dataclass(frozen=True)
class Case:
    """One function: its exact value, its arguments by range, NumPy's function if there is one."""

    name: str
    exact: Callable[..., Any]
    ranges: tuple[tuple[Sampler, ...], ...]
    arity: int = 1
    numpy: Callable[..., Any] | None = field(default=None)
    note: str = ""
    # The arguments for timing: what programs are full of.
    typical: tuple[float, float] = (0.1, 0.9)


def real_power(x: mp.mpf, y: mp.mpf) -> mp.mpf:
    """x**y for x > 0."""
    return mp.exp(y * mp.log(x))


def log_gamma(x: mp.mpf) -> mp.mpf:
    """The logarithm of |gamma(x)|, for large x by the series."""
    return mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x)))


def log_of_normal(x: mp.mpf) -> mp.mpf:
    """The logarithm of the probability of at most x, by that of more where there is little of it."""
    return mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x))


def scaled_bessel(order: int, x: mp.mpf) -> mp.mpf:
    """The modified Bessel function without its growth."""
    return mp.exp(-abs(x)) * mp.besseli(order, x)


def case(name: str, exact: Callable[..., Any], *ranges: Any, **options: Any) -> Case:
    """A case with one-argument ranges given bare."""
    packed = tuple(r if isinstance(r, tuple) else (r,) for r in ranges)
    return Case(name, exact, packed, arity=len(packed[0]), numpy=getattr(np, name, None), **options)


ANY = logarithmic(1e-300, 1e300)
TINY = logarithmic(5e-324, 1e-3)
UNIT = uniform(-1, 1)

CASES = {
    c.name: c
    for c in (
        case("exp", mp.exp, uniform(-10, 10), uniform(-745, 709.7), uniform(-745, -700), UNIT),
        case("exp2", lambda x: mp.mpf(2) ** x, uniform(-10, 10), uniform(-1074, 1023.9), UNIT),
        case("expm1", mp.expm1, UNIT, uniform(-45, 709.7), uniform(-2, 2), TINY),
        case(
            "log",
            mp.log,
            uniform(0.1, 10),
            uniform(0.7, 1.5),
            uniform(0.99, 1.01),
            logarithmic(5e-324, 1e308, False),
        ),
        case(
            "log2",
            lambda x: mp.log(x) / mp.log(2),
            uniform(0.1, 10),
            uniform(0.7, 1.5),
            uniform(0.99, 1.01),
            logarithmic(5e-324, 1e308, False),
        ),
        case(
            "log10",
            mp.log10,
            uniform(0.1, 10),
            uniform(0.7, 1.5),
            uniform(0.99, 1.01),
            logarithmic(5e-324, 1e308, False),
        ),
        case(
            "log1p",
            mp.log1p,
            uniform(-0.999, 10),
            uniform(-0.5, 0.7),
            TINY,
            logarithmic(1e-300, 1e308, False),
        ),
        case(
            "sin",
            mp.sin,
            uniform(-10, 10),
            UNIT,
            logarithmic(1e-300, 1e13),
            uniform(-1e5, 1e5),
            logarithmic(1, 1e308),
        ),
        case(
            "cos",
            mp.cos,
            uniform(-10, 10),
            UNIT,
            logarithmic(1e-300, 1e13),
            uniform(-1e5, 1e5),
            logarithmic(1, 1e308),
        ),
        case(
            "tan",
            mp.tan,
            uniform(-10, 10),
            UNIT,
            logarithmic(1e-300, 1e13),
            uniform(-1e5, 1e5),
            logarithmic(1, 1e308),
        ),
        case("arcsin", mp.asin, UNIT, uniform(0.45, 0.6), uniform(0.99, 1), TINY),
        case("arccos", mp.acos, UNIT, uniform(0.45, 0.6), uniform(-0.6, -0.45), uniform(0.99, 1), TINY),
        case("arctan", mp.atan, UNIT, uniform(-5, 5), uniform(0.4, 0.5), uniform(2, 3), ANY),
        case("arctan2", mp.atan2, (UNIT, UNIT), (uniform(0.4, 0.5), uniform(0.9, 1.1)), (ANY, ANY)),
        case("sinh", mp.sinh, UNIT, uniform(-5, 5), uniform(-710.4, 710.4), TINY),
        case("cosh", mp.cosh, UNIT, uniform(-5, 5), uniform(-710.4, 710.4), TINY),
        case("tanh", mp.tanh, UNIT, uniform(-5, 5), uniform(-25, 25), TINY),
        case("arcsinh", mp.asinh, UNIT, uniform(-5, 5), ANY, TINY),
        case(
            "arccosh",
            mp.acosh,
            uniform(1, 2),
            uniform(1, 5),
            uniform(1, 1.001),
            logarithmic(1, 1e308, False),
            typical=(1.1, 3.0),
        ),
        case("arctanh", mp.atanh, UNIT, uniform(-0.4, 0.4), uniform(0.99, 1), TINY),
        case("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), UNIT, uniform(-10, 10), uniform(-740, 40)),
        case("softplus", lambda x: mp.log1p(mp.exp(x)), UNIT, uniform(-10, 10), uniform(-740, 40)),
        case(
            "logaddexp",
            lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
            (uniform(0, 5), uniform(0, 5)),
            (uniform(-700, 700), uniform(-700, 700)),
            note="both arguments positive, or far apart; where the result passes zero its error stays within "
            "3 ulp of the larger argument",
        ),
        case(
            "logaddexp2",
            lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2),
            (uniform(0, 5), uniform(0, 5)),
            (uniform(-1000, 1000), uniform(-1000, 1000)),
            note="as logaddexp",
        ),
        case("erf", mp.erf, UNIT, uniform(-5, 5), uniform(0.8, 1.2), TINY),
        case("erfc", mp.erfc, UNIT, uniform(-5, 5), uniform(0.9, 1.1), uniform(0, 26.5), TINY),
        case("log_ndtr", log_of_normal, uniform(-5, 5), uniform(-37, 0), uniform(0, 30), TINY),
        case("ndtr", mp.ncdf, uniform(-5, 5), uniform(-1.5, 1.5), uniform(-37, 0), TINY),
        case(
            "logit",
            lambda x: mp.log(x / (1 - x)),
            uniform(0, 1),
            uniform(0.49, 0.51),
            logarithmic(5e-324, 0.5, False),
        ),
        case(
            "erfinv",
            mp.erfinv,
            uniform(-0.99, 0.99),
            UNIT,
            uniform(0.9985, 0.9999),
            logarithmic(1e-300, 1e-3),
            note="up to 0.999; beyond, SciPy's",
        ),
        case(
            "ndtri",
            lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1),
            uniform(0, 1),
            uniform(0.49, 0.51),
            logarithmic(1e-10, 0.5, False),
            note="from 0.0005 to 0.9995; beyond, SciPy's",
        ),
        case(
            "rel_entr",
            lambda x, y: x * mp.log(x / y),
            (uniform(0, 2), uniform(0, 2)),
            (uniform(0.999, 1.001), uniform(0.999, 1.001)),
            (logarithmic(1e-300, 1e300, False), logarithmic(1e-300, 1e300, False)),
        ),
        case("entr", lambda x: -x * mp.log(x), uniform(0, 5), logarithmic(1e-300, 1e300, False)),
        case("xlogy", lambda x, y: x * mp.log(y), (UNIT, uniform(0, 5)), (ANY, uniform(0.5, 2))),
        case("xlog1py", lambda x, y: x * mp.log1p(y), (UNIT, uniform(-1, 5)), (UNIT, TINY)),
        case(
            "gamma",
            mp.gamma,
            uniform(0.1, 10),
            uniform(0.4, 2.6),
            uniform(2.4, 6),
            uniform(6, 171.6),
            logarithmic(1e-300, 1, False),
            note="x > 0; elsewhere the C library's tgamma",
        ),
        case(
            "lgamma",
            log_gamma,
            uniform(0.1, 10),
            uniform(0.4, 2.6),
            uniform(1.3, 1.6),
            uniform(6, 1e4),
            logarithmic(1e-300, 1e300, False),
            note="x > 0; elsewhere the C library's lgamma",
        ),
        case(
            "digamma",
            mp.digamma,
            uniform(0.1, 10),
            uniform(1, 2),
            uniform(2, 6),
            uniform(6, 1e4),
            logarithmic(1e-300, 1e300, False),
            note="x > 0; for x < 0 by reflection, within 10 ulp of the larger of its two terms, so that "
            "relative accuracy is lost near the zeros",
        ),
        case(
            "trigamma",
            lambda x: mp.psi(1, x),
            uniform(0.1, 10),
            uniform(1, 6),
            uniform(6, 1e4),
            logarithmic(1e-150, 1e300, False),
            note="x > 0; for x < 0 by reflection, within 5 ulp",
        ),
        *(
            case(f"i{order}", functools.partial(mp.besseli, order), uniform(-10, 10), uniform(10, 700), TINY)
            for order in (0, 1)
        ),
        *(
            case(
                f"i{order}e",
                functools.partial(scaled_bessel, order),
                uniform(-10, 10),
                uniform(10, 700),
                logarithmic(1e-100, 1e3),
            )
            for order in (0, 1)
        ),
        case(
            "power",
            real_power,
            (uniform(0.1, 10), uniform(-5, 5)),
            (logarithmic(1e-300, 1e300, False), UNIT),
            (uniform(0.9, 1.1), uniform(-5000, 5000)),
            (uniform(0.999, 1.001), uniform(-7e5, 7e5)),
        ),
        case("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), uniform(-10, 10), ANY, TINY),
        case("hypot", mp.hypot, (UNIT, UNIT), (ANY, ANY), (TINY, TINY)),
    )
}


def error_in_ulps(got: Any, exact: Any) -> float:
    """|got - exact| in units of the last place of the exact value, rounded to the type of `got`."""
    kind = type(got)
    with np.errstate(over="ignore", under="ignore"):
        nearest = kind(float(exact))
    if np.isnan(got) or np.isinf(got) or np.isinf(nearest):
        return 0.0 if got == nearest else float("inf")
    spacing = float(np.spacing(abs(nearest)))
    return float(abs(mp.mpf(float(got)) - exact) / mp.mpf(spacing))


def errors(case: Case, values: np.ndarray, arguments: tuple[np.ndarray, ...]) -> np.ndarray:
    """The error of each value."""
    found = np.empty(len(values))
    for k, value in enumerate(values):
        found[k] = error_in_ulps(value, case.exact(*[mp.mpf(float(a[k])) for a in arguments]))
    return found
