"""np.poly1d made in a program: a plain object whose arithmetic is that of its coefficients."""

import numpy as np

from adc.rules import polynomials as polynomials
from adc.rules import registry


class Poly1d:
    """`np.poly1d(c)`: coefficients, the highest power first. Zeros in front are kept, for they have derivatives."""

    __adc_model__ = True

    def __init__(self, c_or_r, r=False, variable="x"):
        if isinstance(c_or_r, (Poly1d, np.poly1d)):
            given = c_or_r.coeffs
        elif isinstance(c_or_r, (list, tuple)):
            given = np.stack(tuple(c_or_r))
        else:
            given = c_or_r
        self.coeffs = np.poly(given) if r else np.atleast_1d(given)

    @property
    def coefficients(self):
        return self.coeffs

    @property
    def coef(self):
        return self.coeffs

    @property
    def c(self):
        return self.coeffs

    @property
    def order(self):
        return self.coeffs.shape[0] - 1

    @property
    def o(self):
        return self.coeffs.shape[0] - 1

    @property
    def roots(self):
        return np.roots(self.coeffs)

    @property
    def r(self):
        return np.roots(self.coeffs)

    def __call__(self, val):
        return np.polyval(self.coeffs, val)

    def __len__(self):
        return self.coeffs.shape[0] - 1

    def __getitem__(self, power):
        return self.coeffs[self.coeffs.shape[0] - 1 - power]

    def __neg__(self):
        return Poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return Poly1d(np.polyadd(self.coeffs, Poly1d(other).coeffs))

    def __radd__(self, other):
        return Poly1d(np.polyadd(Poly1d(other).coeffs, self.coeffs))

    def __sub__(self, other):
        return Poly1d(np.polysub(self.coeffs, Poly1d(other).coeffs))

    def __rsub__(self, other):
        return Poly1d(np.polysub(Poly1d(other).coeffs, self.coeffs))

    def __mul__(self, other):
        return Poly1d(np.polymul(self.coeffs, Poly1d(other).coeffs))

    def __rmul__(self, other):
        return Poly1d(np.polymul(Poly1d(other).coeffs, self.coeffs))

    def __truediv__(self, other):
        return Poly1d(self.coeffs / other)

    def __pow__(self, power):
        result = Poly1d(np.ones_like(self.coeffs[:1]))
        for _ in range(power):
            result = result * self
        return result

    def deriv(self, m=1):
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        return Poly1d(np.polyint(self.coeffs, m, k))


def polyadd(a1, a2):
    return Poly1d(a1) + a2


def polysub(a1, a2):
    return Poly1d(a1) - a2


def polymul(a1, a2):
    return Poly1d(a1) * a2


def polydiv(u, v):
    quotient, rest = np.polydiv(Poly1d(u).coeffs, Poly1d(v).coeffs)
    return Poly1d(quotient), Poly1d(rest)


def polyder(p, m=1):
    return p.deriv(m)


def polyint(p, m=1, k=None):
    return p.integ(m, 0 if k is None else k)


def polyval(p, x):
    return Poly1d(p)(x)


def roots(p):
    return p.roots


registry.stands_for(np.poly1d, Poly1d)
registry.model_of_type(np.poly1d, lambda made: Poly1d(made.coeffs))
for _own in (polyadd, polysub, polymul, polydiv, polyder, polyint, polyval, roots):
    registry.of_models(getattr(np, _own.__name__), np.poly1d, _own)
