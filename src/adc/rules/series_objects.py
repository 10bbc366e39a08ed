"""Objects of numpy.polynomial: coefficients in a family of polynomials, and an interval that is mapped to another."""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adc.errors import UnsupportedError
from adc.rules import orthogonal_series, registry, series
from adc.rules.registry import static


@static
def _fit_alone(full):
    if full:
        raise UnsupportedError(
            "np.polynomial.Polynomial.fit with `full` is not supported", repair="Use np.polyfit with `full`."
        )


@static
def _of_usual_interval(domain, window):
    if domain is not None or window is not None:
        raise UnsupportedError(
            "`.convert` of a polynomial with `domain` or `window` is not supported",
            repair="Leave them out: the result is one in x itself.",
        )


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

    def __mul__(self, other):
        return self.made(orthogonal_series.product(self.step, self.coef, self.coefficients_of(other)))

    def __rmul__(self, other):
        return self.made(orthogonal_series.product(self.step, self.coefficients_of(other), self.coef))

    def __pow__(self, power):
        result = self.made(np.ones_like(self.coef[:1]))
        for _ in range(power):
            result = result * self
        return result

    def __divmod__(self, other):
        whole, rest = self.divided(self.coef, self.coefficients_of(other))
        return self.made(whole), self.made(rest)

    def __floordiv__(self, other):
        return self.made(self.divided(self.coef, self.coefficients_of(other))[0])

    def __mod__(self, other):
        return self.made(self.divided(self.coef, self.coefficients_of(other))[1])

    def roots(self):
        off, scl = self.mapparms()
        return (self.zeros() - off) / scl

    def deriv(self, m=1):
        _, scl = self.mapparms()
        coef = self.coef
        for _ in range(m):
            coef = scl * orthogonal_series.derivative(self.lowered, coef)
        return self.made(coef)

    def integ(self, m=1, k=(), lbnd=None):
        off, scl = self.mapparms()
        held = (k,) if np.ndim(k) == 0 else k
        coef = self.coef
        for step in range(m):
            raised = orthogonal_series.antiderivative(self.raised, coef) / scl
            start = np.zeros_like(raised)
            start[0] = held[step] if step < len(held) else 0.0
            start[0] -= self.made(raised).at(0.0 if lbnd is None else off + scl * lbnd)
            coef = raised + start
        return self.made(coef)

    def convert(self, domain=None, kind=None, window=None):
        _of_usual_interval(domain, window)
        off, scl = self.mapparms()
        made = type(self)(self.coef) if kind is None else kind(self.coef)
        one = np.zeros_like(self.coef)
        one[0] = 1.0
        made.coef = orthogonal_series.rewritten(self.step, self.coef, made.step, one, off, scl)
        return made


class Polynomial(Series):
    """`np.polynomial.Polynomial(coef)`."""

    __adc_model__ = True

    def step(self, k, x):
        return series.power_step(k, x)

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

    def __call__(self, arg):
        x = self._inside(np.asarray(arg) if isinstance(arg, (list, tuple)) else arg)
        if not isinstance(x, Polynomial):
            return self.at(x)
        n = self.coef.shape[0]
        made = x.made(self.coef[n - 1 :])
        for k in range(n - 1):
            made = made * x + self.coef[n - 2 - k]
        return made

    def divided(self, a, b):
        return polynomial.polydiv(a, b)

    def zeros(self):
        return polynomial.polyroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return Polynomial((0.0,) * deg + (1.0,), domain, window)

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


def _fitted(family, x, y, deg, domain, rcond, full, w, window):
    """The series of least squares, as np.polyfit finds it: columns of the same length, and its pseudo-inverse."""
    _fit_alone(full)
    interval = (np.min(x), np.max(x)) if domain is None else domain
    made = type(family)((0.0,), interval, window)
    inside = made._inside(x)
    columns = [0.0 * inside + 1.0]
    for k in range(deg):
        factor, back = made.step(k, inside)
        columns.append(factor * columns[k] + (back * columns[k - 1] if k > 0 else 0.0))
    matrix = np.stack(columns, axis=1)
    if w is not None:
        matrix, y = matrix * np.expand_dims(w, 1), y * w
    units = np.sqrt(np.sum(matrix * matrix, axis=0))
    scaled = matrix / units
    inverse = np.linalg.pinv(scaled) if rcond is None else np.linalg.pinv(scaled, rcond)
    return made.made((inverse @ y) / units)


class Chebyshev(Series):
    """`np.polynomial.Chebyshev(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return chebyshev.chebval(x, self.coef)

    def step(self, k, x):
        return series.chebyshev_step(k, x)

    def lowered(self, j):
        return 2.0 * j - (j == 1), 0.0, j / (j - 2) if j > 2 else 0.0

    def raised(self, j):
        return (0.5 if j > 0 else 1.0) / (j + 1), 0.0, -0.5 / (j - 1) if j > 1 else 0.0

    def divided(self, a, b):
        return chebyshev.chebdiv(a, b)

    def zeros(self):
        return chebyshev.chebroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return Chebyshev((0.0,) * deg + (1.0,), domain, window)

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        return _fitted(Chebyshev((0.0,)), x, y, deg, domain, rcond, full, w, window)


class Legendre(Series):
    """`np.polynomial.Legendre(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return legendre.legval(x, self.coef)

    def step(self, k, x):
        return series.legendre_step(k, x)

    def lowered(self, j):
        return 2.0 * j - 1.0, 0.0, 1.0

    def raised(self, j):
        return 1.0 / (2 * j + 1), 0.0, -1.0 / (2 * j + 1)

    def divided(self, a, b):
        return legendre.legdiv(a, b)

    def zeros(self):
        return legendre.legroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return Legendre((0.0,) * deg + (1.0,), domain, window)

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        return _fitted(Legendre((0.0,)), x, y, deg, domain, rcond, full, w, window)


class Hermite(Series):
    """`np.polynomial.Hermite(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return hermite.hermval(x, self.coef)

    def step(self, k, x):
        return series.hermite_step(k, x)

    def lowered(self, j):
        return 2.0 * j, 0.0, 0.0

    def raised(self, j):
        return 0.5 / (j + 1), 0.0, 0.0

    def divided(self, a, b):
        return hermite.hermdiv(a, b)

    def zeros(self):
        return hermite.hermroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return Hermite((0.0,) * deg + (1.0,), domain, window)

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        return _fitted(Hermite((0.0,)), x, y, deg, domain, rcond, full, w, window)


class HermiteE(Series):
    """`np.polynomial.HermiteE(coef)`."""

    __adc_model__ = True

    def at(self, x):
        return hermite_e.hermeval(x, self.coef)

    def step(self, k, x):
        return series.hermite_e_step(k, x)

    def lowered(self, j):
        return 1.0 * j, 0.0, 0.0

    def raised(self, j):
        return 1.0 / (j + 1), 0.0, 0.0

    def divided(self, a, b):
        return hermite_e.hermediv(a, b)

    def zeros(self):
        return hermite_e.hermeroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return HermiteE((0.0,) * deg + (1.0,), domain, window)

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        return _fitted(HermiteE((0.0,)), x, y, deg, domain, rcond, full, w, window)


class Laguerre(Series):
    """`np.polynomial.Laguerre(coef)`."""

    __adc_model__ = True
    usual = (0.0, 1.0)

    def at(self, x):
        return laguerre.lagval(x, self.coef)

    def step(self, k, x):
        return series.laguerre_step(k, x)

    def lowered(self, j):
        return -1.0, 1.0, 0.0

    def raised(self, j):
        return -1.0, 1.0, 0.0

    def divided(self, a, b):
        return laguerre.lagdiv(a, b)

    def zeros(self):
        return laguerre.lagroots(self.coef)

    @staticmethod
    def basis(deg, domain=None, window=None, symbol="x"):
        return Laguerre((0.0,) * deg + (1.0,), domain, window)

    @staticmethod
    def fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        return _fitted(Laguerre((0.0,)), x, y, deg, domain, rcond, full, w, window)


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
    registry.stands_for(_theirs.fit, _own.fit)
    registry.stands_for(_theirs.basis, _own.basis)
registry.stands_for(np.polynomial.Polynomial.fromroots, Polynomial.fromroots)
