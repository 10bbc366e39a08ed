"""The math module on numbers."""

import math
import statistics

import numpy as np
from tests.corpus import program


@program(lambda r: (0.7, 1.3))
def elementary(x, y):
    return (
        math.sin(x) * math.cos(y)
        + math.exp(-x) / math.sqrt(y)
        + math.log(x + y)
        + math.tanh(x * y)
        + math.tan(x)
    )


@program(lambda r: (0.4, 1.3))
def inverse(x, y):
    return math.asin(x) + math.acos(x) * y + math.atan(y) + math.atan2(x, y) + math.asinh(y) + math.atanh(x)


@program(lambda r: (0.4, 1.3))
def hyperbolic_and_shifted(x, y):
    return (
        math.sinh(x) * math.cosh(y)
        + math.log1p(x)
        + math.expm1(y)
        + math.log2(y)
        + math.log10(x)
        + math.acosh(y)
    )


@program(lambda r: (0.4, 1.3))
def two_arguments(x, y):
    return math.pow(x, y) + math.hypot(x, y) + math.fabs(x - y) + math.copysign(x, -y) + math.fmod(7 * x, y)


@program(lambda r: (0.4, 1.3))
def constants(x, y):
    return math.pi * x + math.e**y + math.tau * x * y


@program(lambda r: (0.4, 2.3))
def special(x, y):
    return math.erf(x) + math.erfc(y) + math.lgamma(y) + math.gamma(y) * x


@program(lambda r: (2.4, 1.3))
def piecewise_constant(x, y):
    return (
        math.floor(x) * y + math.ceil(y) * x + math.trunc(x) * x + x * math.comb(5, 2) + y * math.factorial(3)
    )


@program(lambda r: (2.4, 1.3))
def degrees_and_radians(x, y):
    return math.degrees(x) * math.radians(y) + math.log(x, 3)


@program(lambda r: (0.4, 1.3))
def predicates(x, y):
    if math.isnan(x) or math.isinf(y) or not math.isfinite(x):
        return x
    return x * y * y


@program(lambda r: (r.normal(size=3),))
def complex_from_parts(x):
    z = complex(x[0], x[1])
    w = z * z + x[2]
    return abs(w) + w.real * w.imag


@program(lambda r: (np.array([0.3, 0.0, 0.7]), -1.57, 2.03))
def grids_end_where_they_are_told_to(x, low, high):
    even = np.linspace(low, high, 4)
    s = 0.0
    if even[-1] >= high and even[0] <= low:
        s += np.sum(even**2)
    spread = np.geomspace(0.1, high + 3.0, 5)
    if spread[-1] >= high + 3.0 and spread[0] <= 0.1:
        s += np.sum(np.sqrt(spread)) * x[0]
    bars, _ = np.histogram(np.array([low, 0.5, high]), bins=3, weights=x)
    return s + np.sum(bars**2)


@program(lambda r: (0.7, np.array([5, -5, 7, 3, 900])))
def remainders_at_the_half(s, k):
    """Half-way between two multiples the even one is taken."""
    total = 0.0
    for i in range(5):
        total += s * math.remainder(float(k[i]), 2.0) + math.remainder(s, 0.3 * float(k[i])) * s
    return total + np.i0(s) * np.heaviside(s, 0.5) + np.sum(np.i0(s * np.ones(3)))


@program(lambda r: (r.uniform(0.2, 0.9), 7))
def integers_of_the_run(x, n):
    total = x * math.perm(n, 2) + x**2 * math.gcd(n, 21, 14) + x**3 * math.isqrt(n) + x * math.lcm(n, 3)
    for k in range(n):
        total += x**k / math.factorial(k) * math.comb(n, k)
    return total


@program(lambda r: (1.4, r.normal(size=4)))
def one_operand_twice_of_which_one_place_counts_nothing(x, y):
    return math.copysign(x, x) * x + np.sum(np.copysign(y, y) * y + np.nextafter(y, y))


@program(lambda r: (np.array([0.5, 2.0, 3.0]),))
def product_from_a_start(x):
    return math.prod(x, start=2.0) + math.prod((v for v in x if v > 1.0), start=x[0])


@program(lambda r: (np.array([0.5, 2.0, 3.0]),))
def sums_and_products_of_generators(x):
    layers = (x * k for k in (1.0, 2.0, 3.0))
    return math.fsum(v * v for v in x) + math.prod(layers)[1] + statistics.fmean(v for v in x)


@program(lambda r: (r.normal(size=4), 0.7))
def statistics_of_numbers(x, y):
    """Python's numbers of Python's numbers, integers of integers, floats of all for `fmean` and `stdev`."""
    found = [
        statistics.mean([y, 1, 2]),
        statistics.mean([2, 4, 6]),
        statistics.variance([1, 3]),
        statistics.median([y, 2.0]),
        statistics.fmean(x),
        statistics.stdev(x),
        statistics.mean(x),
        statistics.pstdev([3, 4]),
        statistics.linear_regression(x, [1, 2, 3, 5.0]).slope,
    ]
    return sum(v * (k + 2.0 * (type(v) is float) + 3.0 * (type(v) is int)) for k, v in enumerate(found))


@program(lambda r: (r.normal(size=4), 0.7))
def statistics_of_pairs_of_numbers(x, y):
    """Since Python 3.12 these are NumPy's numbers where one of the data is."""
    found = [
        statistics.covariance(x, [1, 2, 3, 5]),
        statistics.correlation(x, x * x),
        statistics.linear_regression([1, 2, 3, 4], x).intercept,
        statistics.covariance([y, 1], [2, 3]),
        statistics.linear_regression([1, y, 4.0], [1, 3, 2]).slope,
        statistics.covariance([1, 2], [3, 5]),
    ]
    return sum(v * (k + 2.0 * (type(v) is float) + 3.0 * (type(v) is int)) for k, v in enumerate(found))


@program(lambda r: (1.5,), refused={"python": "of NumPy's integers", "compiled": "of NumPy's integers"})
def mean_of_integers_is_cut(x):
    counts = np.array([1, 2, 4, 8])
    return x * statistics.mean(counts)


@program(lambda r: (1.5,))
def numbers_as_arrays_without_axes(x):
    """What counts and orders takes a number for an array of one element, and `fabs` makes a float of an integer."""
    lengths = np.fabs(np.array([-1, 2]))
    lengths[0] = 0.5
    order = np.argsort(3) + np.argsort(x)
    return (
        x * (np.count_nonzero(3) + 2 * np.count_nonzero(x) + 4 * np.count_nonzero(x > 2))
        + x * lengths[order[0]]
    )
