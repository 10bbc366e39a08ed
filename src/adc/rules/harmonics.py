"""Legendre functions and spherical harmonics by Jacobi polynomials, which have slopes at the poles as well.

P[n, m](x) = (1 - x**2)**(m/2) (n + m)! / (2**m n!) P[n - m, (m, m)](x), with Jacobi's polynomials.
Source: DLMF 18.5 and 14.30.
"""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import composite


def _factor(n, k):
    """The logarithm of sqrt((n - k)! (n + k)!) / (2**k n!)."""
    return 0.5 * (sp.gammaln(n - k + 1.0) + sp.gammaln(n + k + 1.0)) - sp.gammaln(n + 1.0) - k * math.log(2.0)


def _angular(n, m, cosine, sine):
    """The part of a spherical harmonic that depends on the polar angle, and 0 where there is none of that order."""
    k = np.abs(m)
    exists = k <= n
    order = np.where(exists, k, 0)
    sign = np.where(m > 0, 1.0 - 2.0 * np.remainder(order, 2), 1.0)
    norm = sign * np.sqrt((2.0 * n + 1.0) / (4.0 * math.pi)) * np.exp(_factor(n, order))
    # SciPy takes the root of 1 - cosine**2 also off the sphere; an absolute value would have no slope at the poles.
    shape = np.where(sine < 0.0, -sine, sine) ** order * sp.eval_jacobi(n - order, order, order, cosine)
    return np.where(exists, norm * shape, 0.0)


if hasattr(sp, "sph_harm_y"):  # SciPy 1.15

    @composite(
        sp.sph_harm_y,
        wrt="theta phi",
        name="special.sph_harm_y",
        extra={"float64_only": True},
        examples=lambda r: [
            (2, 1, 0.7, 0.3),
            (3, -2, r.uniform(0.2, 2.9, 3), r.normal(3)),
            (np.array([0, 1, 2]), np.array([0, -1, 2]), r.uniform(0.2, 2.9, 3), 0.4),
            (2, 3, 0.7, 0.3),
            (np.array([1, 1, 2]), 1, np.array([-0.7, 3.5, 7.0]), 0.3),
        ],
    )
    def sph_harm_y(n, m, theta, phi):
        return _angular(n, m, np.cos(theta), np.sin(theta)) * np.exp(1j * m * phi)

    @composite(
        sp.legendre_p,
        wrt="z",
        name="special.legendre_p",
        extra={"float64_only": True, "real_only": True},
        examples=lambda r: [(3, 0.4), (2, r.uniform(-0.9, 0.9, 3)), (np.array([0, 1, 4]), 1.0)],
    )
    def legendre_p(n, z):
        return np.expand_dims(sp.eval_legendre(n, z), 0)  # the first axis is that of the derivatives
