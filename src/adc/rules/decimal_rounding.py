"""Python rounds to the nearest decimal of what a number is exactly; NumPy rounds a product that is rounded itself.

`round(2.675, 2)` is 2.67 for a float of Python's, and 2.68 for one of NumPy's. What a product loses is found by cutting
its factors in halves: Dekker, A floating-point technique for extending the available precision (1971).
"""

import numpy as np

__all__ = ["DIGITS", "rounded"]

DIGITS = 22  # powers of ten up to this one are doubles

_LARGEST = 2.0**52  # from there on there are no fractions
_SPLIT = 2.0**27 + 1.0


def rounded(number, ndigits):
    """A float with so many decimals, as `round` gives it."""
    if ndigits < 0:
        return _rounded_off(number, 10.0**-ndigits)
    scale = 10.0**ndigits
    product = number * scale
    whole = np.floor(product)
    beyond_half = product - whole - 0.5 + _lost(number, scale, product)
    odd = np.remainder(whole, 2.0) == 1.0
    up = np.logical_or(beyond_half > 0.0, np.logical_and(beyond_half == 0.0, odd))
    found = np.copysign(np.where(up, whole + 1.0, whole) / scale, number)
    return np.where(np.abs(product) < _LARGEST, found, np.rint(number))


def _lost(a, b, product):
    """What the product of two numbers is more than its nearest double."""
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    return a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low


def _high(x):
    """The upper half of the digits."""
    spread = _SPLIT * x
    return spread - (spread - x)


def _rounded_off(number, unit):
    """To the nearest multiple; a remainder is exact."""
    rest = np.fmod(np.abs(number), unit)
    whole = np.rint((np.abs(number) - rest) / unit)
    odd = np.remainder(whole, 2.0) == 1.0
    up = np.logical_or(2.0 * rest > unit, np.logical_and(2.0 * rest == unit, odd))
    return np.copysign(np.where(up, whole + 1.0, whole) * unit, number)
