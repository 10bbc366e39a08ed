"""Rules of scipy.special's logistic functions, entropies, softmax, and of its exact elementary functions."""

import math

import numpy as np
from scipy import special as sp

from adc.rules import shapes
from adc.rules.reductions import expanded
from adc.rules.registry import composite, elementwise, full, lowered, pull, push
from adc.rules.sampler import call

# --- logistic functions and entropies -----------------------------------------------------------------------


@elementwise(sp.expit, name="special.expit")
def expit(z, x):
    return z * sp.expit(-x)


@elementwise(sp.logit, name="special.logit", domain=(0.1, 0.9), singular=True)
def logit(z, x):
    return 1.0 / (x * (1.0 - x))


@elementwise(sp.log_expit, name="special.log_expit")
def log_expit(z, x):
    return sp.expit(-x)


if hasattr(sp, "softplus"):

    @composite(sp.softplus, name="special.softplus", wrt="x", examples=lambda r: [0.5, r.normal(3)])
    def softplus(x):
        return np.logaddexp(0.0, x)


@elementwise(
    sp.xlogy,
    name="special.xlogy",
    domain="positive",
    singular=True,
    notes="at x == 0, y == 0: both are 0",
)
def xlogy(z, x, y):
    inside = np.where(
        (x == 0.0) & (y == 0.0), 1.0, y
    )  # not x == 0 alone: d/dy is 0 there, and changes with x
    return np.log(inside), x / inside


@elementwise(
    sp.xlog1py,
    name="special.xlog1py",
    domain="positive",
    singular=True,
    notes="at x == 0, y == -1: both are 0",
)
def xlog1py(z, x, y):
    inside = np.where((x == 0.0) & (y == -1.0), 0.0, y)
    return np.log1p(inside), x / (1.0 + inside)


@elementwise(sp.entr, name="special.entr", domain="positive", singular=True)
def entr(z, x):
    return -np.log(x) - 1.0


def _shares(x, y):
    """Whether both are 0, and x / y, which is 0 there."""
    both = (x == 0.0) & (y == 0.0)
    return both, x / np.where(both, 1.0, y)


@elementwise(
    sp.rel_entr,
    name="special.rel_entr",
    domain="positive",
    singular=True,
    notes="at x == 0, y == 0: both are 0",
)
def rel_entr(z, x, y):
    both, share = _shares(x, y)
    return np.where(both, 0.0, np.log(np.where(both, 1.0, share)) + 1.0), -share


@elementwise(
    sp.kl_div,
    name="special.kl_div",
    domain="positive",
    singular=True,
    notes="at x == 0, y == 0: 0 and 1",
)
def kl_div(z, x, y):
    both, share = _shares(x, y)
    return np.log(np.where(both, 1.0, share)), 1.0 - share


@elementwise(
    sp.exprel,
    name="special.exprel",
    notes="1/2 at 0",
    examples=lambda r: [0.7, r.nonzero(3), r.nonzero(2, 3)],
)
def exprel(z, x):
    # (e^x (x - 1) + 1) / x^2 cancels near zero, where a series stands in.
    near = np.abs(x) < 0.05
    away = np.where(near, 1.0, x)
    series = 0.5 + x * (1.0 / 3.0 + x * (0.125 + x * (1.0 / 30.0 + x * (1.0 / 144.0 + x / 840.0))))
    return np.where(near, series, (np.exp(away) - np.where(near, 1.0, z)) / away)


@elementwise(sp.expm1, name="special.expm1")
def expm1(z, x):
    return np.exp(x)


@elementwise(sp.log1p, name="special.log1p", domain="positive", singular=True)
def log1p(z, x):
    return 1.0 / (1.0 + x)


@elementwise(sp.cosm1, name="special.cosm1")
def cosm1(z, x):
    return -np.sin(x)


@elementwise(sp.exp2, name="special.exp2")
def exp2(z, x):
    return z * math.log(2.0)


@elementwise(sp.exp10, name="special.exp10")
def exp10(z, x):
    return z * math.log(10.0)


@elementwise(sp.cbrt, name="special.cbrt", domain="nonzero", singular=True)
def cbrt(z, x):
    return 1.0 / (3.0 * z * z)


@elementwise(sp.sindg, name="special.sindg")
def sindg(z, x):
    return math.pi / 180.0 * sp.cosdg(x)


@elementwise(sp.cosdg, name="special.cosdg")
def cosdg(z, x):
    return -math.pi / 180.0 * sp.sindg(x)


@elementwise(sp.tandg, name="special.tandg")
def tandg(z, x):
    return math.pi / 180.0 * (1.0 + z * z)


@elementwise(sp.cotdg, name="special.cotdg", domain=(20.0, 60.0))
def cotdg(z, x):
    return -math.pi / 180.0 * (1.0 + z * z)


def _power_series(t, terms):
    total = 0.0 * t + terms[-1]
    for c in terms[-2::-1]:
        total = total * t + c
    return total


def _of_exponent(logarithm, lmbda):
    """d/dl of (exp(l * log) - 1) / l, also where l is zero or next to it."""
    t = lmbda * logarithm
    small = np.abs(t) < 0.1
    s = np.where(small, 1.0, t)
    far = (s * np.exp(s) - np.expm1(s)) / (s * s)
    near = _power_series(
        np.where(small, t, 0.0), (1 / 2, 1 / 3, 1 / 8, 1 / 30, 1 / 144, 1 / 840, 1 / 5760, 1 / 45360)
    )
    return logarithm * logarithm * np.where(small, near, far)


def _of_root(y, lmbda):
    """d/dl of log(1 + l * y) / l, also where l is zero or next to it."""
    u = lmbda * y
    small = np.abs(u) < 0.01
    s = np.where(small, 1.0, u)
    far = (s / (1.0 + s) - np.log1p(s)) / (s * s)
    near = _power_series(np.where(small, u, 0.0), (-1 / 2, 2 / 3, -3 / 4, 4 / 5, -5 / 6, 6 / 7, -7 / 8))
    return y * (y * np.where(small, near, far))  # y * y would wrap, of integers


def _exponents(draw):
    """Examples with exponents far from zero, next to it, and zero."""
    return lambda r: [
        (draw(r), 0.7),
        (draw(r, 3), r.normal(3)),
        (draw(r, 2, 3), np.array([0.0, 0.004, -0.03])),
        (draw(r), 0.0),
        (draw(r, 0), 1.5),
    ]


@elementwise(
    sp.boxcox,
    name="special.boxcox",
    examples=_exponents(lambda r, *shape: r.positive(*shape)),
    singular=True,
)
def boxcox(z, x, lmbda):
    return x ** (lmbda - 1.0), np.where(x == 0.0, -z / lmbda, _of_exponent(np.log(1.0 * x), lmbda))


@elementwise(
    sp.boxcox1p,
    name="special.boxcox1p",
    examples=_exponents(lambda r, *shape: r.positive(*shape)),
    singular=True,
)
def boxcox1p(z, x, lmbda):
    return (1.0 + x) ** (lmbda - 1.0), np.where(x == -1.0, -z / lmbda, _of_exponent(np.log1p(1.0 * x), lmbda))


@elementwise(
    sp.inv_boxcox,
    name="special.inv_boxcox",
    examples=_exponents(lambda r, *shape: r.uniform(-0.3, 0.5, *shape)),
    singular=True,
)
def inv_boxcox(z, y, lmbda):
    return z ** (1.0 - lmbda), z * _of_root(y, lmbda)


@elementwise(
    sp.inv_boxcox1p,
    name="special.inv_boxcox1p",
    examples=_exponents(lambda r, *shape: r.uniform(-0.3, 0.5, *shape)),
    singular=True,
)
def inv_boxcox1p(z, y, lmbda):
    return (1.0 + z) ** (1.0 - lmbda), (1.0 + z) * _of_root(y, lmbda)


@elementwise(
    sp.huber, name="special.huber", wrt="delta r", examples=lambda r: [(1.0, 0.4), (0.5, r.nonzero(3) * 2.0)]
)
def huber(z, delta, r):
    bound, size = 1.0 * delta, np.abs(1.0 * r)  # integers would wrap
    return np.where(size <= bound, 0.0, size - bound), np.clip(r, -bound, bound)


@elementwise(
    sp.pseudo_huber,
    name="special.pseudo_huber",
    wrt="delta r",
    examples=lambda r: [(1.0, 0.4), (0.5, r.nonzero(3)), (r.positive(3), r.nonzero(3))],
)
def pseudo_huber(z, delta, r):
    ratio = r / delta
    slope = np.sqrt(1.0 + ratio * ratio)
    excess = ratio * ratio / (slope + 1.0)  # slope - 1, which would cancel where delta is large
    return delta * excess * excess / slope, r / slope


# --- softmax and relatives ----------------------------------------------------------------------------------


def _finite(z):
    """Infinite results replaced by 0, so that subtracting them gives no NaN."""
    return np.where(np.isinf(z), 0.0, z)


def _counted(weights, factors):
    """The weights where the factors are not 0: elements that those leave out may be as large as they like."""
    return np.where(factors == 0.0, 0.0, weights)


def _axis_examples(r):
    return [r.normal(3), r.normal(2, 3), call(r.normal(2, 3), axis=1), call(r.normal(2, 3), axis=0)]


@pull(
    sp.logsumexp,
    name="special.logsumexp",
    wrt="a b",
    shape=lambda a, axis=None, b=None, keepdims=False: shapes.reduced(a, axis, keepdims),
    cost=20,
    notes="0 where all elements are -inf",
    examples=lambda r: [
        *_axis_examples(r),
        call(r.normal(2, 3), axis=(0, 1)),
        call(r.normal(2, 3), axis=1, keepdims=True),
        call(r.normal(3), b=r.positive(3)),
        call(r.normal(2, 3), axis=1, b=r.positive(2, 3)),
        np.array([-np.inf, 1.0, 2.0]),
        r.normal(1),
    ],
)
def logsumexp_pull(z_bar, z, a, axis=None, b=None, keepdims=False):
    weights = np.exp(a - _finite(expanded(z, axis, keepdims)))
    bars = expanded(z_bar, axis, keepdims)
    if b is None:
        return bars * weights, None
    return bars * b * _counted(weights, b), bars * weights


@push(sp.logsumexp)
def logsumexp_push(z, a, axis=None, b=None, keepdims=False, *, a_dot, b_dot):
    weights = np.exp(a - _finite(expanded(z, axis, keepdims)))
    if b is None:
        return np.sum(weights * a_dot, axis=axis, keepdims=keepdims)
    through_b = _counted(weights, b_dot) * b_dot
    return np.sum(_counted(weights, b) * b * a_dot + through_b, axis=axis, keepdims=keepdims)


@lowered(sp.logsumexp)
def logsumexp_by_exp(a, axis=None, b=None, keepdims=False):
    if b is not None:
        a = np.where(b == 0.0, -np.inf, a)  # as SciPy, which does not count them for the largest
    largest = _finite(np.max(a, axis=axis, keepdims=keepdims))
    terms = np.exp(a - expanded(largest, axis, keepdims))
    if b is not None:
        terms = b * terms
    return np.log(np.sum(terms, axis=axis, keepdims=keepdims)) + largest


@full(sp.logsumexp)
def signed_logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    if not return_sign:
        return sp.logsumexp(a, axis, b, keepdims)
    largest = _finite(np.max(np.real(a), axis=axis, keepdims=keepdims))
    terms = np.exp(a - expanded(largest, axis, keepdims))
    total = np.sum(terms if b is None else b * terms, axis=axis, keepdims=keepdims)
    return np.log(np.abs(total)) + largest, np.sign(total)


@composite(sp.softmax, name="special.softmax", wrt="x", examples=_axis_examples)
def softmax(x, axis=None):
    terms = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return terms / np.sum(terms, axis=axis, keepdims=True)


@composite(sp.log_softmax, name="special.log_softmax", wrt="x", examples=_axis_examples)
def log_softmax(x, axis=None):
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
