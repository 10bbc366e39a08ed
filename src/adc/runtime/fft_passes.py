"""The loops of a Fourier transform: a pass for each factor, and the step between real numbers and pairs of them.

In a pass of p (Stockham 1966) `part` groups of p numbers, `part * stride` apart, become p neighbours `stride` apart,
turned; `w_re, w_im` are the turns of the whole length. Numbers that passes before have made neighbours are worked on
together: that is the inner loop, which vectorises.
"""

from __future__ import annotations

import math
from typing import Any

from adc.runtime import vectormath as vm
from adc.runtime.kernels import kernel

__all__ = ["first_pass4", "from_halves", "pass2", "pass3", "pass4", "pass5", "pass_of", "to_halves", "turns"]


@kernel
def turns(re: Any, im: Any, n: Any) -> None:
    """As many of exp(-2 pi i k / n) as there is room for."""
    for k in range(re.size):
        angle = 2.0 * math.pi * k / n
        re[k] = vm.cos(angle)
        im[k] = -vm.sin(angle)


@kernel
def first_pass4(re: Any, im: Any, to_re: Any, to_im: Any, part: Any, w_re: Any, w_im: Any) -> None:
    """A pass of four with nothing done before it: neighbours are other groups."""
    for a in range(part):
        w1, v1 = w_re[a], w_im[a]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
        r0, r1, r2, r3 = re[a], re[a + part], re[a + 2 * part], re[a + 3 * part]
        i0, i1, i2, i3 = im[a], im[a + part], im[a + 2 * part], im[a + 3 * part]
        s_re, s_im, d_re, d_im = r0 + r2, i0 + i2, r0 - r2, i0 - i2
        t_re, t_im, e_re, e_im = r1 + r3, i1 + i3, r1 - r3, i1 - i3
        to_re[4 * a] = s_re + t_re
        to_im[4 * a] = s_im + t_im
        x, y = d_re + e_im, d_im - e_re
        to_re[4 * a + 1] = x * w1 - y * v1
        to_im[4 * a + 1] = x * v1 + y * w1
        x, y = s_re - t_re, s_im - t_im
        to_re[4 * a + 2] = x * w2 - y * v2
        to_im[4 * a + 2] = x * v2 + y * w2
        x, y = d_re - e_im, d_im + e_re
        to_re[4 * a + 3] = x * w3 - y * v3
        to_im[4 * a + 3] = x * v3 + y * w3


@kernel
def pass4(re: Any, im: Any, to_re: Any, to_im: Any, part: Any, stride: Any, w_re: Any, w_im: Any) -> None:
    """A pass of four."""
    for a in range(part):
        w1, v1 = w_re[a * stride], w_im[a * stride]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
        one, step, to = a * stride, part * stride, 4 * a * stride
        for q in range(stride):
            r0, r1, r2, r3 = re[one + q], re[one + step + q], re[one + 2 * step + q], re[one + 3 * step + q]
            i0, i1, i2, i3 = im[one + q], im[one + step + q], im[one + 2 * step + q], im[one + 3 * step + q]
            s_re, s_im, d_re, d_im = r0 + r2, i0 + i2, r0 - r2, i0 - i2
            t_re, t_im, e_re, e_im = r1 + r3, i1 + i3, r1 - r3, i1 - i3
            to_re[to + q] = s_re + t_re
            to_im[to + q] = s_im + t_im
            x, y = d_re + e_im, d_im - e_re
            to_re[to + stride + q] = x * w1 - y * v1
            to_im[to + stride + q] = x * v1 + y * w1
            x, y = s_re - t_re, s_im - t_im
            to_re[to + 2 * stride + q] = x * w2 - y * v2
            to_im[to + 2 * stride + q] = x * v2 + y * w2
            x, y = d_re - e_im, d_im + e_re
            to_re[to + 3 * stride + q] = x * w3 - y * v3
            to_im[to + 3 * stride + q] = x * v3 + y * w3


@kernel
def pass2(re: Any, im: Any, to_re: Any, to_im: Any, part: Any, stride: Any, w_re: Any, w_im: Any) -> None:
    """A pass of two."""
    for a in range(part):
        w, v = w_re[a * stride], w_im[a * stride]
        one, other, to = a * stride, (a + part) * stride, 2 * a * stride
        for q in range(stride):
            x, y = re[one + q] - re[other + q], im[one + q] - im[other + q]
            to_re[to + q] = re[one + q] + re[other + q]
            to_im[to + q] = im[one + q] + im[other + q]
            to_re[to + stride + q] = x * w - y * v
            to_im[to + stride + q] = x * v + y * w


@kernel
def pass3(re: Any, im: Any, to_re: Any, to_im: Any, part: Any, stride: Any, w_re: Any, w_im: Any) -> None:
    """A pass of three."""
    half_root = 0.5 * math.sqrt(3.0)
    for a in range(part):
        w1, v1 = w_re[a * stride], w_im[a * stride]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        one, step, to = a * stride, part * stride, 3 * a * stride
        for q in range(stride):
            r0, r1, r2 = re[one + q], re[one + step + q], re[one + 2 * step + q]
            i0, i1, i2 = im[one + q], im[one + step + q], im[one + 2 * step + q]
            m_re, m_im = r0 - 0.5 * (r1 + r2), i0 - 0.5 * (i1 + i2)
            d_re, d_im = half_root * (r1 - r2), half_root * (i1 - i2)
            to_re[to + q] = r0 + (r1 + r2)
            to_im[to + q] = i0 + (i1 + i2)
            x, y = m_re + d_im, m_im - d_re
            to_re[to + stride + q] = x * w1 - y * v1
            to_im[to + stride + q] = x * v1 + y * w1
            x, y = m_re - d_im, m_im + d_re
            to_re[to + 2 * stride + q] = x * w2 - y * v2
            to_im[to + 2 * stride + q] = x * v2 + y * w2


@kernel
def pass5(re: Any, im: Any, to_re: Any, to_im: Any, part: Any, stride: Any, w_re: Any, w_im: Any) -> None:
    """A pass of five."""
    cos1, sin1 = math.cos(0.4 * math.pi), math.sin(0.4 * math.pi)
    cos2, sin2 = math.cos(0.8 * math.pi), math.sin(0.8 * math.pi)
    for a in range(part):
        w1, v1 = w_re[a * stride], w_im[a * stride]
        w2, v2 = w1 * w1 - v1 * v1, 2.0 * w1 * v1
        w3, v3 = w1 * w2 - v1 * v2, w1 * v2 + v1 * w2
        w4, v4 = w2 * w2 - v2 * v2, 2.0 * w2 * v2
        one, step, to = a * stride, part * stride, 5 * a * stride
        for q in range(stride):
            r0, i0 = re[one + q], im[one + q]
            s_re, s_im = (
                re[one + step + q] + re[one + 4 * step + q],
                im[one + step + q] + im[one + 4 * step + q],
            )
            d_re, d_im = (
                re[one + step + q] - re[one + 4 * step + q],
                im[one + step + q] - im[one + 4 * step + q],
            )
            t_re = re[one + 2 * step + q] + re[one + 3 * step + q]
            t_im = im[one + 2 * step + q] + im[one + 3 * step + q]
            e_re = re[one + 2 * step + q] - re[one + 3 * step + q]
            e_im = im[one + 2 * step + q] - im[one + 3 * step + q]
            to_re[to + q] = r0 + (s_re + t_re)
            to_im[to + q] = i0 + (s_im + t_im)
            m_re, m_im = r0 + cos1 * s_re + cos2 * t_re, i0 + cos1 * s_im + cos2 * t_im
            k_re, k_im = sin1 * d_re + sin2 * e_re, sin1 * d_im + sin2 * e_im
            x, y = m_re + k_im, m_im - k_re
            to_re[to + stride + q] = x * w1 - y * v1
            to_im[to + stride + q] = x * v1 + y * w1
            x, y = m_re - k_im, m_im + k_re
            to_re[to + 4 * stride + q] = x * w4 - y * v4
            to_im[to + 4 * stride + q] = x * v4 + y * w4
            m_re, m_im = r0 + cos2 * s_re + cos1 * t_re, i0 + cos2 * s_im + cos1 * t_im
            k_re, k_im = sin2 * d_re - sin1 * e_re, sin2 * d_im - sin1 * e_im
            x, y = m_re + k_im, m_im - k_re
            to_re[to + 2 * stride + q] = x * w2 - y * v2
            to_im[to + 2 * stride + q] = x * v2 + y * w2
            x, y = m_re - k_im, m_im + k_re
            to_re[to + 3 * stride + q] = x * w3 - y * v3
            to_im[to + 3 * stride + q] = x * v3 + y * w3


@kernel
def pass_of(
    p: Any, re: Any, im: Any, to_re: Any, to_im: Any, part: Any, stride: Any, w_re: Any, w_im: Any
) -> None:
    """A pass of any factor: p * p multiplications for p numbers."""
    n = p * part * stride
    for a in range(part):
        for c in range(p):
            to = (p * a + c) * stride
            for q in range(stride):
                to_re[to + q] = 0.0
                to_im[to + q] = 0.0
            for b in range(p):
                turn = (b * c * part * stride + a * c * stride) % n
                w, v = w_re[turn], w_im[turn]
                at = (a + part * b) * stride
                for q in range(stride):
                    to_re[to + q] += re[at + q] * w - im[at + q] * v
                    to_im[to + q] += re[at + q] * v + im[at + q] * w


@kernel
def from_halves(re: Any, im: Any, w_re: Any, w_im: Any, to_re: Any, to_im: Any) -> None:
    """The transform of 2 m real numbers from that of their pairs: even ones real, odd ones imaginary."""
    m = re.size
    for k in range(m + 1):
        here, there = k if k < m else 0, m - k if k > 0 else 0
        a, b, c, d = re[here], im[here], re[there], im[there]
        odd_re, odd_im = 0.5 * (b + d), 0.5 * (c - a)
        to_re[k] = 0.5 * (a + c) + odd_re * w_re[k] - odd_im * w_im[k]
        to_im[k] = 0.5 * (b - d) + odd_re * w_im[k] + odd_im * w_re[k]


@kernel
def to_halves(re: Any, im: Any, w_re: Any, w_im: Any, to_re: Any, to_im: Any) -> None:
    """The inverse of `from_halves`, times two."""
    m = to_re.size
    for k in range(m):
        a, b, c, d = re[k], im[k], re[m - k], im[m - k]
        x, y = a - c, b + d
        to_re[k] = a + c - (y * w_re[k] - x * w_im[k])
        to_im[k] = b - d + (x * w_re[k] + y * w_im[k])
