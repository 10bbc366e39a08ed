"""Rules of exponential, sine and Fresnel integrals, hypergeometric functions, and of scipy.special's cdfs."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import composite, elementwise, pull, push
from adc.rules.shapes import shape_of
from adc.rules.special_refusals import refuses

# --- exponential integrals and relatives --------------------------------------------------------------------


@elementwise(sp.expi, name="special.expi", domain="positive")
def expi(z, x):
    return np.exp(x) / x


@elementwise(sp.exp1, name="special.exp1", domain="positive", wrt="z")
def exp1(result, z):
    return -np.exp(-z) / z


@elementwise(
    sp.expn,
    name="special.expn",
    wrt="x",
    examples=lambda r: [(2, 0.7), (3, r.positive(3)), (0, r.positive(3))],
)
def expn(z, n, x):
    order = np.trunc(n)  # as SciPy reads it
    before = np.where(
        order == 0.0, np.exp(-x) * (1.0 + x) / (x * x), sp.expn(np.maximum(order - 1.0, 0.0), x)
    )
    return np.where(order < 0.0, np.nan, -before)


@pull(
    sp.sici,
    wrt="x",
    shape=lambda x: (shape_of(x),) * 2,
    name="special.sici",
    cost=20,
    examples=lambda r: [0.7, r.positive(3)],
)
def sici_pull(z_bar, z, x):
    sine_bar, cosine_bar = z_bar
    return sine_bar * np.sinc(x / math.pi) + np.where(cosine_bar == 0.0, 0.0, cosine_bar * np.cos(x) / x)


@push(sp.sici)
def sici_push(z, x, *, x_dot):
    return np.sinc(x / math.pi) * x_dot, np.cos(x) / x * x_dot


def _sinhc(x):
    """sinh(x) / x, which is 1 at 0."""
    centre = x == 0.0
    return np.where(centre, 1.0, np.sinh(x) / np.where(centre, 1.0, x))


@pull(
    sp.shichi,
    wrt="x",
    shape=lambda x: (shape_of(x),) * 2,
    name="special.shichi",
    cost=20,
    examples=lambda r: [0.7, r.positive(3)],
)
def shichi_pull(z_bar, z, x):
    sine_bar, cosine_bar = z_bar
    return sine_bar * _sinhc(x) + np.where(cosine_bar == 0.0, 0.0, cosine_bar * np.cosh(x) / x)


@push(sp.shichi)
def shichi_push(z, x, *, x_dot):
    return _sinhc(x) * x_dot, np.cosh(x) / x * x_dot


@pull(
    sp.fresnel,
    wrt="z",
    shape=lambda z: (shape_of(z),) * 2,
    name="special.fresnel",
    cost=20,
    examples=lambda r: [0.7, r.normal(3)],
)
def fresnel_pull(result_bar, result, z):
    sine_bar, cosine_bar = result_bar
    t = 0.5 * math.pi * z * z
    return sine_bar * np.sin(t) + cosine_bar * np.cos(t)


@push(sp.fresnel)
def fresnel_push(result, z, *, z_dot):
    t = 0.5 * math.pi * z * z
    return np.sin(t) * z_dot, np.cos(t) * z_dot


@elementwise(
    sp.spence,
    name="special.spence",
    wrt="z",
    examples=lambda r: [1.7, 1.2 + r.positive(3), np.array([[1.0, 1.001], [0.99, 0.4]])],
)
def spence(result, z):
    # log(z) / (1 - z) is 0 / 0 at 1, where a series stands in that has the derivatives of every order.
    t = 1.0 - z
    near = np.abs(t) < 0.02
    series = 0.0
    for k in range(10, 0, -1):
        series = series * t + 1.0 / k
    return np.where(near, -series, np.log(np.where(near, 1.0, z)) / np.where(near, 1.0, t))


@elementwise(
    sp.lambertw,
    name="special.lambertw",
    wrt="z",
    cost=40,
    extra={"float64_only": True},
    examples=lambda r: [0.7, r.positive(3), 0.0],
)
def lambertw(w, z, k=0, tol=1e-8):
    return 1.0 / (np.exp(w) * (1.0 + w))


@elementwise(
    sp.wofz, name="special.wofz", wrt="z", cost=40, examples=lambda r: [r.normal(3) + 1j * r.positive(3)]
)
def wofz(w, z):
    return -2.0 * z * w + 2j / math.sqrt(math.pi)


@composite(
    sp.voigt_profile,
    name="special.voigt_profile",
    wrt="x sigma gamma",
    extra={"float64_only": True},
    examples=lambda r: [
        (0.3, 0.7, 0.4),
        (np.array([0.3, -0.4, 1.2]), np.array([0.0, 0.7, 0.0]), 0.4),
        (r.normal(3), r.positive(3), r.positive(3)),
        (r.normal(3), 0.8, 0.5),
    ],
)
def voigt_profile(x, sigma, gamma):
    # Where sigma is 0, Cauchy's density: as of heat, the change by half the square of sigma is the one by x twice.
    square = np.where(sigma == 0.0, 1.0 * x * x + 1.0 * gamma * gamma, 1.0)
    bend = gamma * (3.0 * x * x - 1.0 * gamma * gamma) / (square * square * square)
    sharp = (gamma / square + sigma * (sigma * bend)) / math.pi
    width = np.where(sigma == 0.0, 1.0, sigma) * math.sqrt(2.0)
    smooth = np.real(sp.wofz((x + 1j * gamma) / width)) / (width * math.sqrt(math.pi))
    return np.where(sigma == 0.0, sharp, smooth)


@elementwise(sp.owens_t, name="special.owens_t", cost=60)
def owens_t(z, h, a):
    square = 1.0 + a * a
    return (
        -np.exp(-0.5 * h * h) * sp.erf(a * h / math.sqrt(2.0)) / (2.0 * math.sqrt(2.0 * math.pi)),
        np.exp(-0.5 * h * h * square) / (2.0 * math.pi * square),
    )


# --- hypergeometric functions -------------------------------------------------------------------------------


@elementwise(
    sp.hyp0f1,
    name="special.hyp0f1",
    wrt="z",
    cost=60,
    extra=refuses("v"),
    examples=lambda r: [(1.5, 0.7), (2.5, r.normal(3))],
)
def hyp0f1(result, v, z):
    return sp.hyp0f1(v + 1.0, z) / v


@elementwise(
    sp.hyp1f1,
    name="special.hyp1f1",
    wrt="x",
    cost=60,
    extra=refuses("a", "b"),
    examples=lambda r: [(1.5, 2.5, 0.7), (1.5, 2.5, r.normal(3))],
)
def hyp1f1(z, a, b, x):
    return a / b * sp.hyp1f1(a + 1.0, b + 1.0, x)


@elementwise(
    sp.hyp2f1,
    name="special.hyp2f1",
    wrt="z",
    cost=80,
    extra=refuses("a", "b", "c"),
    examples=lambda r: [(1.5, 2.5, 3.5, 0.3), (0.5, 1.5, 2.5, r.unit(3))],
)
def hyp2f1(result, a, b, c, z):
    return a * b / c * sp.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)


@elementwise(
    sp.hyperu,
    name="special.hyperu",
    wrt="x",
    cost=60,
    extra=refuses("a", "b"),
    examples=lambda r: [(1.5, 2.5, 0.7), (1.5, 0.5, r.positive(3))],
)
def hyperu(z, a, b, x):
    return -a * sp.hyperu(a + 1.0, b + 1.0, x)


# --- distribution functions in their variable ---------------------------------------------------------------


@elementwise(
    sp.pdtr, name="special.pdtr", wrt="m", cost=40, examples=lambda r: [(2, 0.7), (3, r.positive(3))]
)
def pdtr(z, k, m):
    whole = np.floor(k)
    return -np.exp(sp.xlogy(whole, m) - m - sp.gammaln(whole + 1.0))


@elementwise(
    sp.pdtrc, name="special.pdtrc", wrt="m", cost=40, examples=lambda r: [(2, 0.7), (3, r.positive(3))]
)
def pdtrc(z, k, m):
    whole = np.floor(k)
    return np.exp(sp.xlogy(whole, m) - m - sp.gammaln(whole + 1.0))


@elementwise(
    sp.bdtr,
    name="special.bdtr",
    wrt="p",
    cost=40,
    examples=lambda r: [(2, 5, 0.4), (2, 5, r.uniform(0.2, 0.8, 3))],
)
def bdtr(z, k, n, p):
    whole = np.floor(k)
    return -np.exp(sp.xlogy(whole, p) + sp.xlog1py(n - whole - 1.0, -p) - sp.betaln(whole + 1.0, n - whole))


@elementwise(
    sp.bdtrc,
    name="special.bdtrc",
    wrt="p",
    cost=40,
    examples=lambda r: [(2, 5, 0.4), (2, 5, r.uniform(0.2, 0.8, 3))],
)
def bdtrc(z, k, n, p):
    whole = np.floor(k)
    return np.exp(sp.xlogy(whole, p) + sp.xlog1py(n - whole - 1.0, -p) - sp.betaln(whole + 1.0, n - whole))


@elementwise(sp.wrightomega, name="special.wrightomega", wrt="z", cost=40)
def wrightomega(w, z):
    return w / (1.0 + w)


@elementwise(sp.powm1, name="special.powm1", wrt="x y", domain="positive", singular=True)
def powm1(z, x, y):
    return y * x ** (y - 1.0), (z + 1.0) * np.log(x)


@composite(
    sp.diric,
    wrt="x",
    name="special.diric",
    extra={"float64_only": True},
    examples=lambda r: [(0.7, 5), (r.normal(3), 4), (np.array([0.0, 2.0 * math.pi, -1.0]), 4)],
)
def diric(x, n):
    half = x / 2.0
    turns = np.round(half / math.pi)
    sine, rest = np.sin(half), half - turns * math.pi
    squared = rest * rest
    near = (
        n * n * squared < 1e-4
    )  # where the quotient loses the digits of its derivatives; the next term is 1e-16
    sign = np.where(np.remainder(turns * (n - 1), 2.0) == 0.0, 1.0, -1.0)
    peak = sign * (1.0 - (n * n - 1.0) / 6.0 * rest * rest)
    value = np.where(near, peak, np.sin(n * half) / (n * np.where(near, 1.0, sine)))
    return np.where((n <= 0) | (n != np.floor(n)), np.nan, value)
