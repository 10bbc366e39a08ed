"""np.poly1d made in a program: a plain object whose arithmetic is that of its coefficients."""

import numpy as np

from adc.rules import polynomials as polynomials
from adc.rules import registry
from adc.rules.polynomials import trimmed


def _all_of(p):
    return p._all if isinstance(p, Poly1d) else p.coeffs


class Poly1d:
    """`np.poly1d(c)`: coefficients, the highest power first.

    NumPy leaves out zeros in front. Here values, sums and products use them all the same, for they have derivatives;
    they are left out of the coefficients that are asked for, and of their number.
    """

    __adc_model__ = True

    def __init__(self, c_or_r, r=False, variable="x"):
        if isinstance(c_or_r, (Poly1d, np.poly1d)):
            given = _all_of(c_or_r)
        elif isinstance(c_or_r, (list, tuple)):
            given = np.stack(tuple(c_or_r))
        else:
            given = c_or_r
        self._all = np.poly(given) if r else np.atleast_1d(given)

    @property
    def coeffs(self):
        return trimmed(self._all)

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
        return np.polyval(self._all, val)

    def __len__(self):
        return self.coeffs.shape[0] - 1

    def __getitem__(self, power):
        return self._all[self._all.shape[0] - 1 - power]

    def __neg__(self):
        return Poly1d(-self._all)

    def __pos__(self):
        return self

    def __add__(self, other):
        return Poly1d(np.polyadd(self._all, Poly1d(other)._all))

    def __radd__(self, other):
        return Poly1d(np.polyadd(Poly1d(other)._all, self._all))

    def __sub__(self, other):
        return Poly1d(np.polysub(self._all, Poly1d(other)._all))

    def __rsub__(self, other):
        return Poly1d(np.polysub(Poly1d(other)._all, self._all))

    def __mul__(self, other):
        return Poly1d(np.convolve(self._all, Poly1d(other)._all))

    def __rmul__(self, other):
        return Poly1d(np.convolve(Poly1d(other)._all, self._all))

    def __truediv__(self, other):
        return Poly1d(self._all / other)

    def __pow__(self, power):
        result = Poly1d(np.ones_like(self._all[:1]))
        for _ in range(power):
            result = result * self
        return result

    def deriv(self, m=1):
        return Poly1d(np.polyder(self._all, m))

    def integ(self, m=1, k=0):
        return Poly1d(np.polyint(self._all, m, k))


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
