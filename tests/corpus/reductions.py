"""Reductions over all elements or along axes."""

import numpy as np
from tests.corpus import program


def matrix(r):
    return (r.normal(size=(3, 4)),)


@program(matrix)
def sums(x):
    return np.sum(x**2) + x.sum() ** 2 + np.sum(np.sum(x, axis=0) ** 2) + np.sum(x.sum(axis=1) ** 3)


@program(matrix)
def negative_axis(x):
    return np.sum(np.sum(x, axis=-1) ** 2) + np.sum(np.mean(x, axis=-2) ** 2)


@program(matrix)
def keepdims(x):
    y = x - np.mean(x, axis=1, keepdims=True)
    z = y / np.sum(y * y, axis=0, keepdims=True)
    return np.sum(z**2 * x) + np.sum(x / np.sum(x * x, keepdims=True))


@program(lambda r: (r.normal(size=(2, 3, 4)),))
def several_axes(x):
    return (
        np.sum(np.sum(x, axis=(0, 2)) ** 2)
        + np.sum(np.mean(x, axis=(1, 2), keepdims=True) * x**2)
        + np.sum(np.sum(x, axis=1) ** 3)
    )


@program(matrix)
def mean_all(x):
    return np.mean(x * x) * x.mean()


@program(lambda r: (r.permutation(12).reshape(3, 4) / 3.0 - 1.5,))
def maxima(x):
    return np.max(x) * x.max() + np.sum(np.max(x, axis=0) ** 2) + np.sum(x.max(axis=1) ** 3)


@program(lambda r: (r.permutation(12).reshape(3, 4) / 3.0 - 1.5,))
def minima(x):
    return np.min(x) ** 2 + np.sum(np.min(x, axis=0) ** 2) + np.sum(np.min(x, axis=1, keepdims=True) * x)


@program(lambda r: (r.uniform(0.5, 1.5, (2, 3)),))
def products(x):
    return np.prod(x) + np.sum(np.prod(x, axis=0) ** 2) + np.sum(x.prod(axis=1))


@program(matrix)
def logsumexp(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - m), axis=1)) + m[:, 0])


@program(matrix)
def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0]))


@program(matrix)
def variance(x):
    return np.sum(np.var(x, axis=0)) + np.std(x) * np.sum(np.std(x, axis=1))


@program(lambda r: (r.normal(size=5),))
def vector_reductions(x):
    return np.sum(x) * np.mean(x) + np.max(x) * np.min(x) + np.sum(x, axis=0) ** 2


@program(lambda r: (r.normal(size=(4, 3)), 4))
def reduction_in_loop(x, n):
    s = 0.0
    for i in range(n):
        s = s * np.mean(x[i]) + np.max(x[i] * s) + np.sum(x[:, 0])
    return s


@program(lambda r: (0.7,))
def reduction_of_a_number(x):
    return np.sum(x) * np.max(x) + np.mean(x * x)


@program(lambda r: (r.normal(size=5),))
def cumulative(x):
    return np.sum(np.cumsum(x) ** 2) + np.sum(np.cumprod(x + 2.0))


@program(lambda r: (r.normal(size=5),))
def norms(x):
    return np.linalg.norm(x) * np.sqrt(np.sum(x**2)) + np.sum(np.abs(x))


@program(lambda r: (r.normal(size=5),))
def builtin_sum_min_max(x):
    a, b, c = x[0], x[1], x[2]
    return sum([a, b * c, c]) * max(a, b, c) + min(a, b) * max([b, c]) + abs(a) * b


@program(lambda r: (r.normal(size=(2, 3)), 0.4))
def reductions_of_some_elements(a, low):
    kept = a > -0.2
    total = np.sum(a, axis=1, where=kept) ** 2
    return np.sum(total) + np.mean(a, where=kept) * np.prod(a, initial=1.5) + np.max(a, initial=low) * low


@program(lambda r: (r.normal(size=5),))
def reductions_with_a_dtype(x):
    spread = np.std(x, correction=1) * np.var(x, dtype=np.float64, ddof=1)
    return np.sum(x, dtype=np.float64) * np.mean(x, 0, float) + np.cumsum(x, dtype=float)[2] + spread


@program(lambda r: (r.normal(size=4),))
def an_array_sorted_in_place(x):
    y = x * 2.0
    y.sort()
    return np.sum(y * np.arange(4.0)) + x[0]


@program(lambda r: (r.normal(size=(2, 3)), 0.4))
def product_beside_an_extreme(a, low):
    return np.prod(a) + np.max(a) * low


@program(
    lambda r: (
        np.round(r.normal(size=(3, 5)), 1) + 0.03,  # away from the edges of the bins
        r.uniform(0.2, 1.0, size=5),
        np.array([1, 2, 0, 3, 1]),
    )
)
def weighed_statistics(a, w, times):
    total = np.sum(np.cov(a, aweights=w) ** 2) + np.sum(np.cov(a, fweights=times, aweights=w, bias=True) ** 2)
    bars, edges = np.histogram(a[0], bins=3, weights=w)
    density, _ = np.histogram(a, bins=np.array([-3.0, -0.5, 0.4, 3.0]), weights=a**2, density=True)
    return total + np.sum(bars**2 * edges[1:]) + np.sum(density**2)


@program(lambda r: (r.normal(size=(2, 3)).astype(np.float32),), tolerance=1e-2)
def single_precision_spread(a):
    return np.sum(np.std(a, axis=1, ddof=1)) + np.var(a, ddof=1) + np.cov(a, ddof=1)[0, 1]


@program(lambda r: (r.normal(size=5), 0.6))
def scaled_sum(x, s):
    return s * np.sum(x)


@program(lambda r: (r.normal(size=4) + 2.0,))
def truths_of_numbers_and_lists(x):
    both = np.all([x[0] > -9.0, True]) + np.any((x[0] < -9.0, x[1] < -9.0))
    return (
        x[0] * np.all(x.size > 3)
        + x[1] * np.any(True)
        + x[2] * both * np.count_nonzero([0, 1, 2]) * np.all(2.5)
    )


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def where_in_a_list(x, y):
    out = np.full_like(x, 0.5)
    np.multiply(x, y, out=out, where=[True, False] * (len(x) // 2))
    out[:1] *= np.outer(2, 3)[0, 0]
    return np.sum(out**2)


@program(lambda r: (r.normal(size=(4, 3)),))
def spread_with_a_correction(x):
    y = np.where(x > 1.0, np.nan, x)
    return np.sum(np.nanvar(y, axis=0, correction=1)) + np.nanstd(y, correction=0.5)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(0, 2)), 0.3))
def extremes_that_begin_somewhere(x, nothing, start):
    total = np.max(x, initial=start) + np.min(x[:0] * 2.0, initial=start)
    total += np.sum(np.max(nothing, axis=0, initial=start) * x[0, :2]) + np.sum(
        np.min(nothing, axis=1, initial=0.5)
    )
    over = np.max(x, axis=(0, 1), where=x < 0.5, initial=-1.0, keepdims=True)
    return (
        total + np.sum(over) + np.nanmax(nothing, initial=start) + np.nanmin(x, axis=1, initial=0.1) @ x[:, 0]
    )


@program(lambda r: (0.7, r.normal(size=3)))
def axis_zero_of_a_number(a, x):
    number = np.array(a)
    total = np.prod(number, axis=0) * x[0] + np.cumsum(number * x[1], axis=-1)[0]
    total += np.cumprod(number, axis=0)[0] * np.take(number, 0, axis=0) + np.repeat(number, 3, axis=0) @ x
    return (
        total
        + (1 + np.argmax(number, axis=0)) * np.max(number, axis=-1)
        + x[np.argmin(a)]
        + np.cumsum(x[2] * a, axis=0)[0]
    )


@program(lambda r: (r.normal(size=(2, 3, 4)),))
def norms_of_matrices_are_numbers(x):
    total = sum(np.linalg.norm(x[0], order).item() for order in (1, -1, 2, -2, np.inf, -np.inf, "nuc"))
    return total + np.sum(np.linalg.norm(x, 1, axis=(0, 2), keepdims=True) * x[:1, :, :1])


@program(lambda r: (r.normal(size=(2, 3, 4)),))
def middle_over_a_list_of_axes(x):
    return np.sum(np.median(x, axis=[0, 2]) ** 2) + np.sum(np.quantile(x, 0.3, axis=[1], keepdims=True) ** 2)


@program(lambda r: (r.uniform(0.5, 1.5, size=3), np.array([100, 100], dtype=np.int8)), argnums=(0,))
def truths_and_bytes_that_are_summed(x, k):
    above = np.sum(np.any(x > 0.0)) + np.sum(x[0] > 0.0) + np.prod(x[1] > 0.0)
    return above * x[0] + np.sum(k[0]) * np.prod(k[1]) * x[1] + (np.mean(k[0]) + np.mean(x[2] > 0.0)) * x[2]


@program(lambda r: (r.uniform(0.5, 1.5, size=3), np.array([1, 2, 3], dtype=np.int8)), argnums=(0,))
def bytes_that_are_chosen(x, k):
    with np.errstate(over="ignore"):
        return max(k[1], k[2]) * 100 * x[0] + min(k[0], k[1]) * np.int8(127) * x[1]


@program(lambda r: (r.normal(size=36),))
def elements_above_a_quantile_that_is_one_of_them(x):
    total = 0.0
    for percent in (20, 40, 60, 80):
        total += np.sum(x[x > np.percentile(x, percent)] ** 2) + np.sum(
            x[x >= np.quantile(x, percent / 100)] ** 3
        )
    return total
