"""The incomplete gamma and beta functions have derivatives with respect to their parameters.

No closed form exists. With t = x exp(u) the integral of t**(a - 1) exp(-t) from x on the side where less of it lies
is one of exp(-phi(u)), phi convex and 0 at u = 0, so Gauss's rule of forty points up to where phi exceeds
`CUT` gives it to rounding; a factor log(t) - digamma(a) makes it the derivative. The logit of t does the same for
the beta function. Parameters below 2 are raised by 1 with the recurrence, or phi would have two scales.

A second derivative is that of the sum. How far the points reach does not count there: it is rounded up to a step.
"""

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise

CUT = 40.0  # exp(-40) is less than rounding
_points, _weights = np.polynomial.legendre.leggauss(40)
NODES = tuple(float(0.5 * (point + 1.0)) for point in _points)
WEIGHTS = tuple(float(0.5 * weight) for weight in _weights)


def spread(value):
    """An operand beside an axis of points; a number is beside any."""
    return value if np.ndim(value) == 0 else np.expand_dims(value, -1)


def stepped(reach):
    """A length rounded up to the next step: without a derivative."""
    return 2.0 ** (0.25 * np.ceil(4.0 * np.log2(reach)))


def _gamma_reach(a, x, below):
    """How far from x the integrand of the gamma function is more than rounding, in log(t)."""
    y = CUT / x
    curved = np.where(below, 0.5 * (y + np.sqrt(y * y + 8.0 * y)), np.log1p(y + np.sqrt(2.0 * y)))
    return stepped(np.minimum(curved, CUT / np.maximum(np.abs(x - a), 1e-300)))


def gammainc_by_a(a, x):
    """The derivative of gammainc(a, x) with respect to a, for a > 0."""
    inside = (a > 0.0) & (x > 0.0) & (x < np.inf)
    a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    below = x <= a
    raised = below & (a < 2.0)
    # gammainc(a, x) = gammainc(a + 1, x) + x**a exp(-x) / gamma(a + 1)
    log_x = np.log(x)
    rest = np.where(raised, np.exp(a * log_x - x - sp.gammaln(a + 1.0)) * (log_x - sp.digamma(a + 1.0)), 0.0)
    a = np.where(raised, a + 1.0, a)
    side = np.where(below, -1.0, 1.0)
    reach = side * _gamma_reach(a, x, below)
    front = np.exp(a * log_x - x - sp.gammaln(a))
    u = spread(reach) * np.array(NODES)
    phi = spread(x) * (np.expm1(u) - u) + spread(x - a) * u
    slopes = np.exp(-phi) * (spread(log_x - sp.digamma(a)) + u)
    total = rest - reach * front * np.sum(slopes * np.array(WEIGHTS), axis=-1)
    return np.where(inside, total, 0.0)


def _gamma_density(a, x):
    return np.exp(sp.xlogy(a - 1.0, x) - x - sp.gammaln(a))


def _gamma_examples(r):
    return [
        (1.5, 0.7),
        (2.5, r.positive(3)),
        (r.positive(3) + 1.0, r.positive(3)),
        (np.array([0.4, 0.8, 3.0, 80.0]), np.array([0.3, 2.0, 9.0, 78.0])),
    ]


@elementwise(sp.gammainc, name="special.gammainc", cost=40, examples=_gamma_examples)
def gammainc(z, a, x):
    return gammainc_by_a(a, x), _gamma_density(a, x)


@elementwise(sp.gammaincc, name="special.gammaincc", cost=40, examples=_gamma_examples)
def gammaincc(z, a, x):
    return -gammainc_by_a(a, x), -_gamma_density(a, x)


def _inverse_examples(r):
    return [(1.5, 0.4), (2.5, r.uniform(0.2, 0.8, 3))]


@elementwise(sp.gammaincinv, name="special.gammaincinv", cost=80, singular=True, examples=_inverse_examples)
def gammaincinv(z, a, y):
    per_y = np.exp(sp.gammaln(a) + z - sp.xlogy(a - 1.0, z))
    return -gammainc_by_a(a, z) * per_y, per_y


@elementwise(sp.gammainccinv, name="special.gammainccinv", cost=80, singular=True, examples=_inverse_examples)
def gammainccinv(z, a, y):
    per_y = np.exp(sp.gammaln(a) + z - sp.xlogy(a - 1.0, z))
    return -gammainc_by_a(a, z) * per_y, -per_y


# --- beta -----------------------------------------------------------------------------------------------------


def _beta_reach(a, b, x):
    """How far below the logit of x the integrand of the beta function is more than rounding, for x <= a / (a + b)."""
    total = a + b
    y = CUT * total / (a * b)
    share = y * b / total
    reach = 0.5 * (share + np.sqrt(share * share + 8.0 * y))
    reach = np.minimum(reach, CUT / np.maximum(a - total * x, 1e-300))
    for _ in range(6):  # phi is convex: Newton's steps come from above
        log_d = np.log1p(x * np.expm1(-reach))
        lost = a * reach + total * log_d
        slope = a - total * x * np.exp(-reach - log_d)
        reach = np.where(lost > CUT, reach - (lost - CUT) / slope, reach)
    return stepped(reach)


def betainc_by_a_and_b(a, b, x, rest):
    """The derivatives of betainc(a, b, x) with respect to a and b, for positive a and b; rest is 1 - x."""
    inside = (a > 0.0) & (b > 0.0) & (x > 0.0) & (rest > 0.0)
    a, b = np.where(inside, a, 1.0), np.where(inside, b, 1.0)
    x, rest = np.where(inside, x, 0.5), np.where(inside, rest, 0.5)
    # betainc(a, b, x) = 1 - betainc(b, a, 1 - x): the side with less of the integral
    above = x * (a + b) > a
    p, q = np.where(above, b, a), np.where(above, a, b)
    t, rest = np.where(above, rest, x), np.where(above, x, rest)
    log_t = np.where(t < 0.5, np.log(t), np.log1p(-rest))
    log_rest = np.where(t < 0.5, np.log1p(-t), np.log(rest))
    front = np.exp(p * log_t + q * log_rest - sp.betaln(p, q))
    # betainc(p, q, t) = betainc(p + 1, q, t) + t**p (1 - t)**q / (p B(p, q))
    raised = p < 2.0
    common = sp.digamma(p + q)
    first = np.where(raised, front / p * (log_t - sp.digamma(p + 1.0) + common), 0.0)
    second = np.where(raised, front / p * (log_rest - sp.digamma(q) + common), 0.0)
    front = np.where(raised, front * t * (p + q) / p, front)
    p = np.where(raised, p + 1.0, p)
    common = sp.digamma(p + q)
    reach = _beta_reach(p, q, t)
    u = spread(reach) * np.array(NODES)
    # At u below its logit t is t exp(-u) / d, and 1 - t is (1 - t) / d.
    log_d = np.log1p(spread(t) * np.expm1(-u))
    density = np.exp(-spread(p) * u - spread(p + q) * log_d) * np.array(WEIGHTS)
    front = front * reach
    first = first + front * np.sum(density * (spread(log_t - sp.digamma(p) + common) - u - log_d), axis=-1)
    second = second + front * np.sum(density * (spread(log_rest - sp.digamma(q) + common) - log_d), axis=-1)
    by_a, by_b = np.where(above, -second, first), np.where(above, -first, second)
    return np.where(inside, by_a, 0.0), np.where(inside, by_b, 0.0)


def _beta_density(a, b, x):
    return np.exp(sp.xlogy(a - 1.0, x) + sp.xlog1py(b - 1.0, -x) - sp.betaln(a, b))


def _probabilities(r):
    return [
        (1.5, 2.5, 0.3),
        (2.5, 1.5, r.uniform(0.2, 0.8, 3)),
        (r.positive(2, 3) + 1.0, 2.0, r.uniform(0.2, 0.8, 2, 3)),
    ]


def _beta_examples(r):
    wide = (
        np.array([0.05, 0.7, 3.0, 60.0]),
        np.array([0.4, 0.05, 90.0, 50.0]),
        np.array([0.1, 0.9, 0.05, 0.5]),
    )
    return [*_probabilities(r), wide]


@elementwise(sp.betainc, name="special.betainc", cost=60, examples=_beta_examples)
def betainc(z, a, b, x):
    by_a, by_b = betainc_by_a_and_b(a, b, x, 1.0 - x)
    return by_a, by_b, _beta_density(a, b, x)


@elementwise(sp.betaincinv, name="special.betaincinv", cost=80, singular=True, examples=_probabilities)
def betaincinv(z, a, b, y):
    by_a, by_b = betainc_by_a_and_b(a, b, z, 1.0 - z)
    per_y = np.exp(sp.betaln(a, b) - sp.xlogy(a - 1.0, z) - sp.xlog1py(b - 1.0, -z))
    return -by_a * per_y, -by_b * per_y, per_y


if hasattr(sp, "betaincc"):  # SciPy 1.11

    @elementwise(sp.betaincc, name="special.betaincc", cost=60, examples=_beta_examples)
    def betaincc(z, a, b, x):
        by_a, by_b = betainc_by_a_and_b(a, b, x, 1.0 - x)
        return -by_a, -by_b, -_beta_density(a, b, x)

    @elementwise(sp.betainccinv, name="special.betainccinv", cost=80, singular=True, examples=_probabilities)
    def betainccinv(z, a, b, y):
        by_a, by_b = betainc_by_a_and_b(a, b, z, 1.0 - z)
        per_y = np.exp(sp.betaln(a, b) - sp.xlogy(a - 1.0, z) - sp.xlog1py(b - 1.0, -z))
        return -by_a * per_y, -by_b * per_y, -per_y
