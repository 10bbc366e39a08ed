"""The loops of a Fourier transform: a pass for each factor, and the step between real numbers and pairs of them.

They go from one block of rows to another. A block of `size` numbers is an array of the real parts and then the
imaginary ones, and number k of all rows lies in `width` neighbours. In a pass of p (Stockham 1966) `part` groups of p
numbers, `part * stride` apart, become p neighbours `stride` apart, turned. What passes before have made neighbours,
`each` numbers of each row, are worked on together: that is the inner loop over `stride` elements, which vectorises.
`w` are the turns of the whole length, real parts first.

Counts are unsigned: an index that could be negative would be counted from the end, and such loops do not vectorise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adc.runtime.apart import apart
from adc.runtime.kernels import options
from adc.runtime.vectormath.trigonometric import cosine_of_reduced, sine_of_reduced

__all__ = ["from_halves", "passes", "to_halves", "turns"]

PASS = "void(float64[::1], float64[::1], uint64, uint64, uint64, float64[::1])"
HALVES = "void(float64[::1], float64[::1], uint64, uint64, float64[::1])"


@apart("void(float64[::1], uint64)", **options())
def turns(w: Any, n: Any) -> None:
    """As many of exp(-2 pi i k / n) as there is room for, by angles of an eighth of a turn at most."""
    count = np.uint64(w.size) // np.uint64(2)
    for k in range(count):
        eighths = math.floor(8.0 * k / n)
        rest = 8.0 * k - eighths * n
        octant = int(eighths)
        angle = 0.25 * math.pi * ((n - rest if octant & 1 else rest) / n)
        sine, cosine = sine_of_reduced(angle, 0.0), cosine_of_reduced(angle, 0.0)
        turned = (octant + 1) & 2
        x, y = (sine if turned else cosine), (cosine if turned else sine)
        w[k] = -x if (octant + 2) & 4 else x
        w[count + k] = y if octant & 4 else -y


@apart(PASS, **options())
def _pass4(x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    """A pass of four. With nothing done before it, over one row, neighbours are other groups."""
    step, turn = part * stride, np.uint64(w.size) // np.uint64(2)
    size = np.uint64(4) * step
    if stride == np.uint64(1):
        for a in range(part):
            w1, v1 = w[a], w[turn + a]
            w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
            w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
            r = size + a
            r0, r1, r2, r3 = x[a], x[a + step], x[a + step + step], x[a + step + step + step]
            i0, i1, i2, i3 = x[r], x[r + step], x[r + step + step], x[r + step + step + step]
            s_re, s_im, d_re, d_im = r0 + r2, i0 + i2, r0 - r2, i0 - i2
            t_re, t_im, e_re, e_im = r1 + r3, i1 + i3, r1 - r3, i1 - i3
            b, c = np.uint64(4) * a, size + np.uint64(4) * a
            to[b], to[c] = s_re + t_re, s_im + t_im
            y, z = d_re + e_im, d_im - e_re
            to[b + np.uint64(1)], to[c + np.uint64(1)] = y * w1 - z * v1, y * v1 + z * w1
            y, z = s_re - t_re, s_im - t_im
            to[b + np.uint64(2)], to[c + np.uint64(2)] = y * w2 - z * v2, y * v2 + z * w2
            y, z = d_re - e_im, d_im + e_re
            to[b + np.uint64(3)], to[c + np.uint64(3)] = y * w3 - z * v3, y * v3 + z * w3
        return
    for a in range(part):
        w1, v1 = w[a * each], w[turn + a * each]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
        a0 = a * stride
        a1, a2, a3 = a0 + step, a0 + step + step, a0 + step + step + step
        b0 = np.uint64(4) * a0
        b1, b2, b3 = b0 + stride, b0 + stride + stride, b0 + stride + stride + stride
        for q in range(stride):
            r0, r1, r2, r3 = x[a0 + q], x[a1 + q], x[a2 + q], x[a3 + q]
            i0, i1, i2, i3 = x[size + a0 + q], x[size + a1 + q], x[size + a2 + q], x[size + a3 + q]
            s_re, s_im, d_re, d_im = r0 + r2, i0 + i2, r0 - r2, i0 - i2
            t_re, t_im, e_re, e_im = r1 + r3, i1 + i3, r1 - r3, i1 - i3
            to[b0 + q], to[size + b0 + q] = s_re + t_re, s_im + t_im
            y, z = d_re + e_im, d_im - e_re
            to[b1 + q], to[size + b1 + q] = y * w1 - z * v1, y * v1 + z * w1
            y, z = s_re - t_re, s_im - t_im
            to[b2 + q], to[size + b2 + q] = y * w2 - z * v2, y * v2 + z * w2
            y, z = d_re - e_im, d_im + e_re
            to[b3 + q], to[size + b3 + q] = y * w3 - z * v3, y * v3 + z * w3


@apart(PASS, **options())
def _pass2(x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    """A pass of two."""
    step, turn = part * stride, np.uint64(w.size) // np.uint64(2)
    size = step + step
    for a in range(part):
        w1, v1 = w[a * each], w[turn + a * each]
        a0, b0 = a * stride, np.uint64(2) * a * stride
        a1, b1 = a0 + step, b0 + stride
        for q in range(stride):
            r0, r1, i0, i1 = x[a0 + q], x[a1 + q], x[size + a0 + q], x[size + a1 + q]
            to[b0 + q], to[size + b0 + q] = r0 + r1, i0 + i1
            y, z = r0 - r1, i0 - i1
            to[b1 + q], to[size + b1 + q] = y * w1 - z * v1, y * v1 + z * w1


@apart(PASS, **options())
def _pass3(x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    """A pass of three."""
    half_root = 0.5 * math.sqrt(3.0)
    step, turn = part * stride, np.uint64(w.size) // np.uint64(2)
    size = step + step + step
    for a in range(part):
        w1, v1 = w[a * each], w[turn + a * each]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        a0 = a * stride
        a1, a2 = a0 + step, a0 + step + step
        b0 = np.uint64(3) * a0
        b1, b2 = b0 + stride, b0 + stride + stride
        for q in range(stride):
            r0, r1, r2 = x[a0 + q], x[a1 + q], x[a2 + q]
            i0, i1, i2 = x[size + a0 + q], x[size + a1 + q], x[size + a2 + q]
            m_re, m_im = r0 - 0.5 * (r1 + r2), i0 - 0.5 * (i1 + i2)
            d_re, d_im = half_root * (r1 - r2), half_root * (i1 - i2)
            to[b0 + q], to[size + b0 + q] = r0 + (r1 + r2), i0 + (i1 + i2)
            y, z = m_re + d_im, m_im - d_re
            to[b1 + q], to[size + b1 + q] = y * w1 - z * v1, y * v1 + z * w1
            y, z = m_re - d_im, m_im + d_re
            to[b2 + q], to[size + b2 + q] = y * w2 - z * v2, y * v2 + z * w2


@apart(PASS, **options())
def _pass5(x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    """A pass of five."""
    cos1, sin1 = math.cos(0.4 * math.pi), math.sin(0.4 * math.pi)
    cos2, sin2 = math.cos(0.8 * math.pi), math.sin(0.8 * math.pi)
    step, turn = part * stride, np.uint64(w.size) // np.uint64(2)
    size = np.uint64(5) * step
    for a in range(part):
        w1, v1 = w[a * each], w[turn + a * each]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
        w4, v4 = w2 * w2 - v2 * v2, 2.0 * w2 * v2
        a0 = a * stride
        a1, a2 = a0 + step, a0 + step + step
        a3, a4 = a2 + step, a2 + step + step
        b0 = np.uint64(5) * a0
        b1, b2 = b0 + stride, b0 + stride + stride
        b3, b4 = b2 + stride, b2 + stride + stride
        for q in range(stride):
            r0, r1, r2, r3, r4 = x[a0 + q], x[a1 + q], x[a2 + q], x[a3 + q], x[a4 + q]
            i0, i1, i2 = x[size + a0 + q], x[size + a1 + q], x[size + a2 + q]
            i3, i4 = x[size + a3 + q], x[size + a4 + q]
            s_re, s_im, d_re, d_im = r1 + r4, i1 + i4, r1 - r4, i1 - i4
            t_re, t_im, e_re, e_im = r2 + r3, i2 + i3, r2 - r3, i2 - i3
            to[b0 + q], to[size + b0 + q] = r0 + (s_re + t_re), i0 + (s_im + t_im)
            m_re, m_im = r0 + cos1 * s_re + cos2 * t_re, i0 + cos1 * s_im + cos2 * t_im
            k_re, k_im = sin1 * d_re + sin2 * e_re, sin1 * d_im + sin2 * e_im
            y, z = m_re + k_im, m_im - k_re
            to[b1 + q], to[size + b1 + q] = y * w1 - z * v1, y * v1 + z * w1
            y, z = m_re - k_im, m_im + k_re
            to[b4 + q], to[size + b4 + q] = y * w4 - z * v4, y * v4 + z * w4
            m_re, m_im = r0 + cos2 * s_re + cos1 * t_re, i0 + cos2 * s_im + cos1 * t_im
            k_re, k_im = sin2 * d_re - sin1 * e_re, sin2 * d_im - sin1 * e_im
            y, z = m_re + k_im, m_im - k_re
            to[b2 + q], to[size + b2 + q] = y * w2 - z * v2, y * v2 + z * w2
            y, z = m_re - k_im, m_im + k_re
            to[b3 + q], to[size + b3 + q] = y * w3 - z * v3, y * v3 + z * w3


@apart(f"void(uint64, {PASS[5:]}", **options())
def _pass_of(p: Any, x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    """A pass of any factor: p * p multiplications for p numbers."""
    n, size, turn = p * part * each, p * part * stride, np.uint64(w.size) // np.uint64(2)
    for a in range(part):
        for c in range(p):
            b0 = (p * a + c) * stride
            for q in range(stride):
                to[b0 + q], to[size + b0 + q] = 0.0, 0.0
            for b in range(p):
                k = (b * c * part * each + a * c * each) % n
                w1, v1 = w[k], w[turn + k]
                a0 = (a + part * b) * stride
                for q in range(stride):
                    to[b0 + q] += x[a0 + q] * w1 - x[size + a0 + q] * v1
                    to[size + b0 + q] += x[a0 + q] * v1 + x[size + a0 + q] * w1


@apart("void(int64, float64[::1], float64[::1], int64, int64, int64, float64[::1])", **options())
def _odd_pass(p: Any, x: Any, to: Any, part: Any, stride: Any, each: Any, w: Any) -> None:
    if p == 3:
        _pass3(x, to, part, stride, each, w)
    elif p == 5:
        _pass5(x, to, part, stride, each, w)
    else:
        _pass_of(p, x, to, part, stride, each, w)


@apart("boolean(float64[::1], float64[::1], int64[::1], float64[::1], int64, int64)", **options())
def passes(x: Any, other: Any, factors: Any, w: Any, n: Any, width: Any) -> Any:
    """Transform a block of rows by one pass for each factor. Whether the result lies in x: it may be in the other."""
    part, each = n, 1
    here = True
    for p in factors:
        part //= p
        a, b = (x, other) if here else (other, x)
        if p == 4:
            _pass4(a, b, part, each * width, each, w)
        elif p == 2:
            _pass2(a, b, part, each * width, each, w)
        else:
            _odd_pass(p, a, b, part, each * width, each, w)
        each *= p
        here = not here
    return here


# --- real numbers, two of which are a complex one ------------------------------------------------------------


@apart(HALVES, **options())
def from_halves(x: Any, to: Any, m: Any, width: Any, w: Any) -> None:
    """The transform of 2 m real numbers from that of their pairs: even ones real, odd ones imaginary."""
    last, turn = m * width, np.uint64(w.size) // np.uint64(2)
    size = last + width  # there are m + 1 numbers for each row
    for q in range(width):
        to[q], to[size + q] = x[q] + x[last + q], 0.0
        to[last + q], to[size + last + q] = x[q] - x[last + q], 0.0
    if width == np.uint64(1):
        for k in range(np.uint64(1), m):
            a, b, c, d = x[k], x[last + k], x[m - k], x[last + m - k]
            odd_re, odd_im = 0.5 * (b + d), 0.5 * (c - a)
            to[k] = 0.5 * (a + c) + odd_re * w[k] - odd_im * w[turn + k]
            to[size + k] = 0.5 * (b - d) + odd_re * w[turn + k] + odd_im * w[k]
        return
    for k in range(np.uint64(1), m):
        w1, v1 = w[k], w[turn + k]
        here, there = k * width, (m - k) * width
        for q in range(width):
            a, b, c, d = x[here + q], x[last + here + q], x[there + q], x[last + there + q]
            odd_re, odd_im = 0.5 * (b + d), 0.5 * (c - a)
            to[here + q] = 0.5 * (a + c) + odd_re * w1 - odd_im * v1
            to[size + here + q] = 0.5 * (b - d) + odd_re * v1 + odd_im * w1


@apart(HALVES, **options())
def to_halves(x: Any, to: Any, m: Any, width: Any, w: Any) -> None:
    """The inverse of `from_halves`, times two, imaginary parts first: an inverse transform begins with them.

    The first and last imaginary parts have no place, and are not read.
    """
    last, turn = m * width, np.uint64(w.size) // np.uint64(2)
    size = last + width
    for q in range(width):
        to[last + q], to[q] = x[q] + x[last + q], x[q] - x[last + q]
    if width == np.uint64(1):
        for k in range(np.uint64(1), m):
            a, b, c, d = x[k], x[size + k], x[m - k], x[size + m - k]
            e, f = a - c, b + d
            to[last + k] = a + c - (f * w[k] - e * w[turn + k])
            to[k] = b - d + (e * w[k] + f * w[turn + k])
        return
    for k in range(np.uint64(1), m):
        w1, v1 = w[k], w[turn + k]
        here, there = k * width, (m - k) * width
        for q in range(width):
            a, b, c, d = x[here + q], x[size + here + q], x[there + q], x[size + there + q]
            e, f = a - c, b + d
            to[last + here + q] = a + c - (f * w1 - e * v1)
            to[here + q] = b - d + (e * w1 + f * v1)
