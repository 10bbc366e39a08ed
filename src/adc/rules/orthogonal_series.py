"""Derivatives, integrals and products of series of polynomials, by recurrences of their coefficients.

A family of polynomials is told by three functions. `step(k, x)` gives the factors of p[k] and p[k-1] in p[k+1], as
adc.rules.series has them; `lowered(j)` those of p[j-1] itself, and of the derivatives of p[j-1] and p[j-2], in that
of p[j]; `raised(j)` those of p[j+1], p[j] and p[j-1] in the integral of p[j].
Source: chebder, chebint and legmul of numpy.polynomial, and their like.
"""

import numpy as np


def derivative(lowered, c):
    """The coefficients of the derivative."""
    n = c.shape[0]
    left = np.copy(c)
    result = np.zeros_like(left[: max(n - 1, 1)])
    for j in range(n - 1, 0, -1):
        own, near, far = lowered(j)
        result[j - 1] = own * left[j]
        left[j - 1] += near * left[j]
        left[max(j - 2, 0)] += far * left[j]  # of the first one nothing is asked any more
    return result


def antiderivative(raised, c):
    """The coefficients of an integral."""
    n = c.shape[0]
    result = np.zeros(n + 1, dtype=c.dtype)
    for j in range(n):
        up, level, down = raised(j)
        result[j + 1] += up * c[j]
        result[j] += level * c[j]
        result[max(j - 1, 0)] += down * c[j]
    return result


def _times_x(step, c):
    """The coefficients of x times the series, of which the last is zero."""
    result = np.zeros_like(c)
    for j in range(c.shape[0] - 1):
        shift, back = step(j, 0.0)
        part = c[j] / (step(j, 1.0)[0] - shift)
        result[j + 1] += part
        result[j] -= shift * part
        result[max(j - 1, 0)] -= back * part * (j > 0)
    return result


def rewritten(source, c, target, start, off, scl):
    """The sum of c[k] p[k](off + scl x) in a family, times what `start` is in another, in terms of that other.

    The families are told by their steps.
    """
    total = c[0] * start
    before, now = np.zeros_like(total), start + 0.0 * total
    for k in range(c.shape[0] - 1):
        shift, back = source(k, 0.0)
        rise = source(k, 1.0)[0] - shift
        moved = off * now + scl * _times_x(target, now)
        before, now = now, rise * moved + shift * now + back * before
        total = total + c[k + 1] * now
    return total


def product(step, a, b):
    """The coefficients of a product."""
    start = np.concatenate((a, np.zeros(b.shape[0] - 1, dtype=a.dtype)))
    return rewritten(step, b, step, start, 0.0, 1.0)
