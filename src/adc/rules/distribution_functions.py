"""Distribution functions of scipy.special, in their variable and their parameters, by the incomplete integrals."""

import numpy as np
from scipy import special as sp

from adc.rules.incomplete import betainc_by_a_and_b, gammainc_by_a
from adc.rules.registry import elementwise


def _of_degrees(r):
    return [(3.0, 1.5), (2.5, r.positive(3)), (r.positive(3) + 1.0, r.positive(3))]


def _inverse_of_degrees(r):
    return [(3.0, 0.4), (2.5, r.uniform(0.2, 0.8, 3)), (r.positive(3) + 1.0, 0.3)]


# --- chi-square and gamma -------------------------------------------------------------------------------------


def _chi_square_density(v, x):
    return 0.5 * np.exp(sp.xlogy(0.5 * v - 1.0, 0.5 * x) - 0.5 * x - sp.gammaln(0.5 * v))


@elementwise(sp.chdtr, name="special.chdtr", cost=40, examples=_of_degrees)
def chdtr(z, v, x):
    return 0.5 * gammainc_by_a(0.5 * v, 0.5 * x), _chi_square_density(v, x)


@elementwise(sp.chdtrc, name="special.chdtrc", cost=40, examples=_of_degrees)
def chdtrc(z, v, x):
    return -0.5 * gammainc_by_a(0.5 * v, 0.5 * x), -_chi_square_density(v, x)


@elementwise(sp.chdtri, name="special.chdtri", cost=80, singular=True, examples=_inverse_of_degrees)
def chdtri(z, v, p):
    per_p = -2.0 * np.exp(0.5 * z + sp.gammaln(0.5 * v) - sp.xlogy(0.5 * v - 1.0, 0.5 * z))
    return 0.5 * gammainc_by_a(0.5 * v, 0.5 * z) * per_p, per_p


def _of_gamma(r):
    return [(1.3, 2.5, 0.7), (0.8, 1.5, r.positive(3)), (0.8, r.positive(3) + 0.5, r.positive(3))]


@elementwise(sp.gdtr, name="special.gdtr", cost=40, examples=_of_gamma)
def gdtr(z, a, b, x):
    density = np.exp(sp.xlogy(b - 1.0, a * x) - a * x - sp.gammaln(b))
    return x * density, gammainc_by_a(b, a * x), a * density


@elementwise(sp.gdtrc, name="special.gdtrc", cost=40, examples=_of_gamma)
def gdtrc(z, a, b, x):
    density = np.exp(sp.xlogy(b - 1.0, a * x) - a * x - sp.gammaln(b))
    return -(x * density), -gammainc_by_a(b, a * x), -(a * density)


# --- Student's t and F ----------------------------------------------------------------------------------------


def _student_density(df, t):
    return np.exp(-0.5 * (df + 1.0) * np.log1p(t * t / df) - sp.betaln(0.5 * df, 0.5)) / np.sqrt(df)


def _student_by_df(df, t):
    """The derivative of stdtr(df, t) with respect to df: below 0 it is betainc(df / 2, 1 / 2, df / (df + t t)) / 2."""
    t = t + np.where(t == 0.0, 1e-100, 0.0)  # beside 0 it is straight, which betainc is not told at its end
    square = t * t
    by_a, _ = betainc_by_a_and_b(0.5 * df, 0.5 + 0.0 * df, df / (df + square), square / (df + square))
    return -0.25 * np.sign(t) * by_a - 0.5 * t * _student_density(df, t) / df


@elementwise(
    sp.stdtr,
    name="special.stdtr",
    cost=40,
    examples=lambda r: [(3.0, 0.7), (2.5, r.normal(3)), (r.positive(3) + 1.0, np.array([-1.5, 0.0, 0.01]))],
)
def stdtr(z, df, t):
    return _student_by_df(df, t), _student_density(df, t)


@elementwise(sp.stdtrit, name="special.stdtrit", cost=80, singular=True, examples=_inverse_of_degrees)
def stdtrit(z, df, p):
    per_p = np.sqrt(df) * np.exp(0.5 * (df + 1.0) * np.log1p(z * z / df) + sp.betaln(0.5 * df, 0.5))
    return -_student_by_df(df, z) * per_p, per_p


def _fisher(dfn, dfd, x):
    """The derivatives of fdtr, which is betainc(dfn / 2, dfd / 2, share)."""
    total = dfn * x + dfd
    share, rest = dfn * x / total, dfd / total
    kernel = np.exp(0.5 * dfn * np.log(share) + 0.5 * dfd * np.log(rest) - sp.betaln(0.5 * dfn, 0.5 * dfd))
    by_a, by_b = betainc_by_a_and_b(0.5 * dfn, 0.5 * dfd, share, rest)
    return 0.5 * by_a + kernel / dfn, 0.5 * by_b - kernel / dfd, kernel / x


def _of_fisher(r):
    return [(3.0, 5.0, 0.7), (2.5, 4.0, r.positive(3)), (r.positive(3) + 1.0, 4.0, r.positive(3))]


@elementwise(sp.fdtr, name="special.fdtr", cost=60, examples=_of_fisher)
def fdtr(z, dfn, dfd, x):
    return _fisher(dfn, dfd, x)


@elementwise(sp.fdtrc, name="special.fdtrc", cost=60, examples=_of_fisher)
def fdtrc(z, dfn, dfd, x):
    by_dfn, by_dfd, by_x = _fisher(dfn, dfd, x)
    return -by_dfn, -by_dfd, -by_x


@elementwise(
    sp.fdtri,
    name="special.fdtri",
    cost=100,
    singular=True,
    examples=lambda r: [(3.0, 5.0, 0.4), (2.5, 4.0, r.uniform(0.2, 0.8, 3)), (r.positive(3) + 1.0, 4.0, 0.6)],
)
def fdtri(z, dfn, dfd, p):
    by_dfn, by_dfd, by_x = _fisher(dfn, dfd, z)
    return -by_dfn / by_x, -by_dfd / by_x, 1.0 / by_x
