"""Rules of numpy.polynomial: sums, products and derivatives of orthogonal series, and their coefficients by powers.

Zeros at the end are kept where NumPy leaves them out, for they have derivatives.
"""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adc.errors import UnsupportedError
from adc.rules import orthogonal_series, series, series_objects
from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _pair(r):
    return [
        (r.normal(4), r.normal(2)),
        (r.normal(2), r.normal(4)),
        (r.normal(1), r.normal(3)),
        (r.normal(3), 0.7),
    ]


@static
def _of_one_axis(name, axes):
    if axes != 1:
        raise UnsupportedError(
            f"{name} of coefficients with {axes} axes is not supported", repair="Call it for each column."
        )


def _register(module, prefix, family):
    """Register the functions of a family of polynomials."""

    def named(public):
        return {"name": public, "spelling": f"np.polynomial.{module.__name__.rpartition('.')[2]}.{public}"}

    def of(public):
        return getattr(module, public)

    step, lowered = family.step, family.lowered
    add, sub, mul, der = (f"{prefix}{n}" for n in ("add", "sub", "mul", "der"))
    to_powers, from_powers = f"{prefix}2poly", f"poly2{prefix}"

    @composite(of(add), wrt="c1 c2", examples=_pair, **named(add))
    def sums(c1, c2):
        return polynomial.polyadd(c1, c2)

    @composite(of(sub), wrt="c1 c2", examples=_pair, **named(sub))
    def differences(c1, c2):
        return polynomial.polysub(c1, c2)

    @composite(of(mul), wrt="c1 c2", extra={"float64_only": True}, examples=_pair, **named(mul))
    def products(c1, c2):
        _of_one_axis(mul, max(np.ndim(c1), np.ndim(c2), 1))
        return orthogonal_series.product(step, np.atleast_1d(c1), np.atleast_1d(c2))

    @composite(
        of(der),
        wrt="c",
        examples=lambda r: [
            r.normal(5),
            (r.normal(4), 2),
            call(r.normal(3), 1, 0.5),
            r.normal(1),
            call(r.normal(2, 4), 2, axis=1),
        ],
        extra={"order": "A"},
        **named(der),
    )
    def derivatives(c, m=1, scl=1, axis=0):
        result = np.moveaxis(c, axis, 0) + 0.0
        for _ in range(m):
            result = orthogonal_series.derivative(lowered, (scl * result).astype(result.dtype))
        return np.moveaxis(result, 0, axis)

    @composite(of(to_powers), wrt="c", examples=lambda r: [r.normal(5), r.normal(2)], **named(to_powers))
    def powers(c):
        _of_one_axis(to_powers, np.ndim(c))
        one = np.zeros_like(c)
        one[0] = 1.0
        return orthogonal_series.rewritten(step, c, series.power_step, one, 0.0, 1.0)

    @composite(
        of(from_powers),
        wrt="pol",
        extra={"doubles": True},
        examples=lambda r: [r.normal(5), r.normal(2)],
        **named(from_powers),
    )
    def of_powers(pol):
        _of_one_axis(from_powers, np.ndim(pol))
        one = np.zeros_like(pol)
        one[0] = 1.0
        return orthogonal_series.rewritten(series.power_step, pol, step, one, 0.0, 1.0)


for _family in (
    (chebyshev, "cheb", series_objects.Chebyshev((0.0,))),
    (legendre, "leg", series_objects.Legendre((0.0,))),
    (hermite, "herm", series_objects.Hermite((0.0,))),
    (hermite_e, "herme", series_objects.HermiteE((0.0,))),
    (laguerre, "lag", series_objects.Laguerre((0.0,))),
):
    _register(*_family)
