"""Polynomials as numpy.polynomial has them: coefficients, the lowest power first, and objects around them.

Zeros at the end are kept where NumPy leaves them out, for they have derivatives.
"""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _pair(r):
    return [(r.normal(4), r.normal(2)), (r.normal(2), r.normal(4)), (r.normal(3), r.normal(3))]


def _named(function):
    """How an operation is called, beside the function of NumPy's own name that takes the highest power first."""
    name = function.__name__
    return {"name": f"polynomial.{name}", "spelling": f"np.polynomial.polynomial.{name}"}


@composite(polynomial.polyadd, wrt="c1 c2", examples=_pair, **_named(polynomial.polyadd))
def polyadd(c1, c2):
    return np.polyadd(c1[::-1], c2[::-1])[::-1]


@composite(polynomial.polysub, wrt="c1 c2", examples=_pair, **_named(polynomial.polysub))
def polysub(c1, c2):
    return np.polysub(c1[::-1], c2[::-1])[::-1]


@composite(polynomial.polymul, wrt="c1 c2", examples=_pair, **_named(polynomial.polymul))
def polymul(c1, c2):
    return np.polymul(c1[::-1], c2[::-1])[::-1]


@composite(
    polynomial.polyfromroots,
    wrt="roots",
    examples=lambda r: [r.normal(3)],
    extra={"float64_only": True},
    **_named(polynomial.polyfromroots),
)
def polyfromroots(roots):
    return np.poly(roots)[::-1]


@static
def _of_one_axis(name, axes):
    if axes != 1:
        raise UnsupportedError(
            f"np.polynomial.polynomial.{name} of coefficients with {axes} axes is not supported",
            repair="Call it for each column.",
        )


@static
def _fit_alone(full):
    if full:
        raise UnsupportedError(
            "np.polynomial.Polynomial.fit with `full` is not supported", repair="Use np.polyfit with `full`."
        )


@composite(
    polynomial.polyder,
    wrt="c",
    examples=lambda r: [r.normal(4), (r.normal(4), 2), call(r.normal(3), 1, 0.5), r.normal(1)],
    extra={"float64_only": True},
    notes="of one axis",
    **_named(polynomial.polyder),
)
def polyder(c, m=1, scl=1, axis=0):
    _of_one_axis("polyder", np.ndim(c))
    result = c + 0.0
    for _ in range(m):
        n = result.shape[0]
        result = (scl * result * np.arange(n))[np.minimum(1, n - 1) :]  # of a number it is a number, 0
    return result


@composite(
    polynomial.polyint,
    wrt="c k",
    examples=lambda r: [
        r.normal(4),
        (r.normal(3), 2),
        (r.normal(3), 1, 0.5),
        (r.normal(3), 2, [0.5, 0.2], 0.3, 2.0),
    ],
    extra={"float64_only": True},
    notes="of one axis",
    **_named(polynomial.polyint),
)
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    _of_one_axis("polyint", np.ndim(c))
    result = c + 0.0
    for step in range(m):
        held = (k,) if np.ndim(k) == 0 else k
        constant = held[step] if step < len(held) else 0.0
        n = result.shape[0]
        powers = np.concatenate((np.zeros(1), scl * result / np.arange(1, n + 1)))
        start = np.zeros(n + 1)
        start[0] = constant - polynomial.polyval(lbnd * 1.0, powers)
        result = powers + start
    return result


def _row(coef):
    """Coefficients as an array."""
    return np.stack(tuple(coef)) if isinstance(coef, (list, tuple)) else np.atleast_1d(coef)


class Series:
    """What the families of polynomials have in common: coefficients, and an interval that is mapped to another."""

    usual = (-1.0, 1.0)  # interval

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        self.coef = _row(coef) * 1.0
        self.domain, self.window = domain, window

    def mapparms(self):
        low, high = self.usual if self.domain is None else self.domain
        left, right = self.usual if self.window is None else self.window
        return (high * left - low * right) / (high - low), (right - left) / (high - low)

    def _inside(self, x):
        if self.domain is None and self.window is None:
            return x
        off, scl = self.mapparms()
        return off + scl * x

    def __call__(self, arg):
        return self.at(self._inside(np.asarray(arg) if isinstance(arg, (list, tuple)) else arg))

    def made(self, coef):
        return type(self)(coef, self.domain, self.window)

    def coefficients_of(self, other):
        return other.coef if isinstance(other, Series) else _row(other)

    def degree(self):
        return self.coef.shape[0] - 1

    def copy(self):
        return self.made(self.coef)

    def truncate(self, size):
        return self.made(self.coef[:size])

    def cutdeg(self, deg):
        return self.made(self.coef[: deg + 1])

    def linspace(self, n=100, domain=None):
        low, high = (self.usual if self.domain is None else self.domain) if domain is None else domain
        x = np.linspace(low, high, n)
        return x, self(x)

    def __len__(self):
        return self.coef.shape[0]

    def __iter__(self):
        return iter(self.coef)

    def __neg__(self):
        return self.made(-self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self.made(polynomial.polyadd(self.coef, self.coefficients_of(other)))

    def __radd__(self, other):
        return self.made(polynomial.polyadd(self.coefficients_of(other), self.coef))

    def __sub__(self, other):
        return self.made(polynomial.polysub(self.coef, self.coefficients_of(other)))

    def __rsub__(self, other):
        return self.made(polynomial.polysub(self.coefficients_of(other), self.coef))

    def __truediv__(self, other):
        return self.made(self.coef / other)


class Polynomial(Series):
    """`np.polynomial.Polynomial(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return polynomial.polyval(x, self.coef)

    def __mul__(self, other):
        return self.made(polynomial.polymul(self.coef, self.coefficients_of(other)))

    def __rmul__(self, other):
        return self.made(polynomial.polymul(self.coefficients_of(other), self.coef))

    def __pow__(self, power):
        result = self.made(np.ones_like(self.coef[:1]))
        for _ in range(power):
            result = result * self
        return result

    def deriv(self, m=1):
        _, scl = self.mapparms()
        return self.made(polynomial.polyder(self.coef, m, scl))

    def integ(self, m=1, k=(), lbnd=None):
        off, scl = self.mapparms()
        return self.made(
            polynomial.polyint(self.coef, m, k, 0 if lbnd is None else off + scl * lbnd, 1.0 / scl)
        )

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        _fit_alone(full)
        interval = (np.min(x), np.max(x)) if domain is None else domain
        made = Polynomial((0.0,), interval, window)
        inside = made._inside(x)
        return made.made(np.polyfit(inside, y, deg, rcond, w=w)[::-1])

    @staticmethod
    def fromroots(roots):
        return Polynomial(polynomial.polyfromroots(roots))


class Chebyshev(Series):
    """`np.polynomial.Chebyshev(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return chebyshev.chebval(x, self.coef)


class Legendre(Series):
    """`np.polynomial.Legendre(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return legendre.legval(x, self.coef)


class Hermite(Series):
    """`np.polynomial.Hermite(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return hermite.hermval(x, self.coef)


class HermiteE(Series):
    """`np.polynomial.HermiteE(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return hermite_e.hermeval(x, self.coef)


class Laguerre(Series):
    """`np.polynomial.Laguerre(coef)`."""

    __adc_model__ = True
    usual = (0.0, 1.0)

    def at(self, x):
        return laguerre.lagval(x, self.coef)


def _model(made):
    """What stands for one that was made outside the program."""
    intervals = [
        None if np.array_equal(given, usual) else tuple(given.tolist())
        for given, usual in ((made.domain, type(made).domain), (made.window, type(made).window))
    ]
    return _MODELS[type(made)](made.coef, *intervals)


_MODELS = {
    getattr(np.polynomial, own.__name__): own
    for own in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
}
for _theirs, _own in _MODELS.items():
    registry.stands_for(_theirs, _own)
    registry.model_of_type(_theirs, _model)
registry.stands_for(np.polynomial.Polynomial.fit, Polynomial.fit)
registry.stands_for(np.polynomial.Polynomial.fromroots, Polynomial.fromroots)
