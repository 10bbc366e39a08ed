"""Positions in ascending order, compiled once and kept on disk.

Numbers are read as unsigned integers of the same order. Long rows are distributed by eleven bits at a time (radix
sort: Knuth, *The Art of Computer Programming*, volume 3, 5.2.5), short ones merged; both keep the order of equals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from adc.runtime.apart import apart
from adc.runtime.rooms import empty_of
from adc.runtime.rows import around

__all__ = ["argpartition", "argsort"]

BITS = 11
BUCKETS = 1 << BITS
DIGITS = 6  # of eleven bits, in 64
LEADING = 3  # digits that tell most keys apart, one more of many keys
MANY = 1 << 18
SHORT = 400  # elements up to which merging is faster than clearing and summing up the counts
RUN = 12  # elements that are inserted one by one
_SIGN = np.uint64(1 << 63)
_ALL = np.uint64((1 << 64) - 1)


def _rank(x: Any) -> Any:
    """An unsigned integer that comes before another one where x comes before y: NaN is last, -0.0 is 0.0."""
    return np.uint64(x)


@overload(_rank, jit_options={"error_model": "numpy"})
def _rank_of(x: Any) -> Any:
    def of_float(x: Any) -> Any:
        bits = np.float64(x + 0.0).view(np.uint64)
        return _ALL if x != x else (~bits if bits >> np.uint64(63) else bits | _SIGN)

    def of_integer(x: Any) -> Any:
        return np.uint64(np.int64(x)) ^ _SIGN

    def of_unsigned(x: Any) -> Any:
        return np.uint64(x)

    if isinstance(x, types.Float):
        return of_float
    return of_integer if isinstance(x, types.Integer) and getattr(x, "signed", False) else of_unsigned


@apart(cache=True, error_model="numpy")
def argsort(a: Any, axis: Any) -> Any:
    """`np.argsort(a, axis, kind="stable")` of an array of numbers, of at least one axis; int64 positions.

    >>> argsort(np.array([3.0, np.nan, 1.0, 3.0]), -1)
    array([2, 0, 3, 1])
    """
    where, outer, inner = around(a, axis)
    n = a.shape[where]
    x = np.ascontiguousarray(a).reshape((outer, n, inner))
    ranks = empty_of((outer, inner, n), np.uint64)
    for i in range(outer):
        for k in range(n):
            for j in range(inner):
                ranks[i, j, k] = _rank(x[i, k, j])
    places = _in_order(ranks.reshape((outer * inner, n)))
    order = empty_of((outer, n, inner), np.int64)
    for i in range(outer):
        for k in range(n):
            for j in range(inner):
                order[i, k, j] = places[i * inner + j, k]
    return order.reshape(a.shape)


@apart(cache=True, error_model="numpy")
def argpartition(a: Any, kth: Any, axis: Any) -> Any:
    """`np.argpartition(a, kth, axis)`: what is in order is partitioned. Numba compiles its own for two seconds."""
    n = a.shape[around(a, axis)[0]]
    if kth < -n or kth >= n:
        raise ValueError("kth is out of bounds")
    return argsort(a, axis)


@apart(returns=lambda ranks: types.Array(types.int64, 2, "C"), cache=True, error_model="numpy")
def _in_order(ranks: Any) -> Any:
    """The positions of each row's ranks, in ascending order."""
    rows, n = ranks.shape
    found = empty_of((rows, n), np.int64)
    other_keys, other_places = empty_of(n, np.uint64), empty_of(n, np.int64)
    count = empty_of((DIGITS if n > SHORT else 0, BUCKETS), np.int64)
    for i in range(rows):
        places = found[i]
        for k in range(n):
            places[k] = k
        if n > SHORT:
            swapped = _distribute(ranks[i], places, other_keys, other_places, count)
        else:
            swapped = _merge(ranks[i], places, other_keys, other_places)
        if swapped:
            for k in range(n):  # of a slice Numba would compile what it says of shapes, for two seconds
                places[k] = other_places[k]
    return found


# Apart, so that of the two only what rows are long or short enough for is compiled.


@apart(returns=lambda *_: types.boolean, cache=True, error_model="numpy")
def _distribute(keys: Any, places: Any, other_keys: Any, other_places: Any, count: Any) -> Any:
    """Sort keys with their places, the last digit first; True where the result is in the other pair of arrays.

    The first digits that are not the same in all keys tell most of them apart: the rest is inserted. Where it is
    not so, all digits are sorted by.
    """
    first = _first_of_leading(keys, count)
    swapped = _by_digits(first, keys, places, other_keys, other_places, count)
    if swapped:
        near_order = _insert(other_keys, other_places)
    else:
        near_order = _insert(keys, places)
    if near_order:
        return swapped
    _first_of_leading(keys, count)
    if swapped:
        return not _by_digits(0, other_keys, other_places, keys, places, count)
    return _by_digits(0, keys, places, other_keys, other_places, count)


@register_jitable(error_model="numpy")
def _first_of_leading(keys: Any, count: Any) -> Any:
    """Count how often each digit has each value; the last of those digits that tell most keys apart."""
    n = len(keys)
    for d in range(DIGITS):
        for k in range(BUCKETS):
            count[d, k] = 0
    low = np.uint64(BUCKETS - 1)
    for k in range(n):
        key = keys[k]
        for d in range(DIGITS):
            count[d, (key >> np.uint64(BITS * d)) & low] += 1
    left = LEADING if n <= MANY else LEADING + 1
    first = DIGITS
    while first > 0 and left > 0:
        first -= 1
        if count[first, (keys[0] >> np.uint64(BITS * first)) & low] < n:
            left -= 1
    return first


@register_jitable(error_model="numpy")
def _by_digits(first: Any, keys: Any, places: Any, other_keys: Any, other_places: Any, count: Any) -> Any:
    """Sort by the digits from one on; True where the result is in the other pair of arrays."""
    n = len(keys)
    low = np.uint64(BUCKETS - 1)
    swapped = False
    for d in range(first, DIGITS):
        shift = np.uint64(BITS * d)
        if count[d, (keys[0] >> shift) & low] == n:
            continue  # a digit that is the same in all keys
        begin = 0
        for bucket in range(BUCKETS):
            size = count[d, bucket]
            count[d, bucket] = begin
            begin += size
        for k in range(n):
            digit = (keys[k] >> shift) & low
            to = count[d, digit]
            count[d, digit] = to + 1
            other_keys[np.uint64(to)] = keys[k]
            other_places[np.uint64(to)] = places[k]
        keys, other_keys = other_keys, keys
        places, other_places = other_places, places
        swapped = not swapped
    return swapped


@register_jitable(error_model="numpy")
def _insert(keys: Any, places: Any) -> Any:
    """Sort what is nearly in order; False where it is not, and left as far as it is."""
    for k in range(1, len(keys)):
        key = keys[k]
        if keys[k - 1] <= key:
            continue
        place = places[k]
        to = k
        while to > 0 and keys[to - 1] > key:
            keys[to], places[to] = keys[to - 1], places[to - 1]
            to -= 1
        keys[to], places[to] = key, place
        if k - to > RUN:
            return False
    return True


@apart(returns=lambda *_: types.boolean, cache=True, error_model="numpy")
def _merge(keys: Any, places: Any, other_keys: Any, other_places: Any) -> Any:
    """Sort keys with their places, short runs first; True where the result is in the other pair of arrays."""
    n = len(keys)
    for begin in range(0, n, RUN):
        for k in range(begin + 1, min(begin + RUN, n)):
            key, place = keys[k], places[k]
            to = k
            while to > begin and keys[to - 1] > key:
                keys[to], places[to] = keys[to - 1], places[to - 1]
                to -= 1
            keys[to], places[to] = key, place
    swapped = False
    width = RUN
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            left, right = begin, middle
            for to in range(begin, end):
                if right >= end or (left < middle and keys[left] <= keys[right]):
                    other_keys[to], other_places[to] = keys[left], places[left]
                    left += 1
                else:
                    other_keys[to], other_places[to] = keys[right], places[right]
                    right += 1
        keys, other_keys = other_keys, keys
        places, other_places = other_places, places
        swapped = not swapped
        width *= 2
    return swapped
