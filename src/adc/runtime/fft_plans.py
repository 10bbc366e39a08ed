"""What Fourier transforms of one length share: factors, turns, the chirp. It is made once in a process and kept.

A table has places for plans; the first that comes to a place has it for good, as nothing may free what another thread
reads. Lengths beyond `_LONGEST` are not kept, nor those whose place is taken: memory is the user's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import cgutils, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from adc.runtime.apart import apart
from adc.runtime.fft_passes import passes, turns
from adc.runtime.kernels import options

__all__ = ["PLAN", "half_turns", "plan"]

PLAN = "Tuple((int64[::1], float64[::1], float64[::1], float64[::1]))"

_LARGEST_FACTOR = 32  # a larger prime costs more than the three transforms of the chirp
_PLACES = 64
_LONGEST = 1 << 16  # numbers in a row
_HEAD = 5  # numbers in front of a kept plan: its key, and how long its parts are


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _kept(typing: Any, place: Any) -> Any:
    """The address of what is kept at a place of the table, or zero."""

    def emit(context: Any, builder: Any, called: Any, values: Any) -> Any:
        return builder.load_atomic(_slot(builder, values[0]), "acquire", 8)

    return signature(types.intp, types.intp), emit


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _keep(typing: Any, place: Any, block: Any) -> Any:
    """Keep a block of memory for good, at a place of the table unless another thread came first."""

    def emit(context: Any, builder: Any, called: Any, values: Any) -> Any:
        context.nrt.incref(builder, called.args[1], values[1])
        data = context.make_array(called.args[1])(context, builder, values[1]).data
        number = ir.IntType(64)
        address = builder.ptrtoint(data, number)
        builder.cmpxchg(_slot(builder, values[0]), ir.Constant(number, 0), address, "acq_rel", "acquire")
        return context.get_dummy_value()

    return signature(types.void, types.intp, block), emit


def _slot(builder: Any, place: Any) -> Any:
    kind = ir.ArrayType(ir.IntType(64), _PLACES)
    name = "adc_plans"
    if name in builder.module.globals:
        table = builder.module.get_global(name)
    else:
        table = cgutils.add_global_variable(builder.module, kind, name)
        table.linkage = "internal"
        table.initializer = ir.Constant(kind, None)
    return builder.gep(table, [ir.Constant(ir.IntType(64), 0), place], inbounds=True)


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def _pointer(typing: Any, address: Any) -> Any:
    def emit(context: Any, builder: Any, called: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(called.return_type))

    known: Any = types  # Numba's stubs lack pointers
    return signature(known.CPointer(types.float64), types.intp), emit


@apart(f"{PLAN}(int64, boolean)", **options())
def _recalled(n: Any, halves: Any) -> Any:
    """The plan of a length, from the table if it is there: else made, and kept if there is room for it."""
    key = 2 * n + halves
    place = (n * 0x9E3779B1 + halves * 31 >> 12) % _PLACES
    address = _kept(place)
    if address == 0:
        made = _made(n, halves)
        if n <= _LONGEST:
            _keep(place, _block(key, made))
        return made
    head = carray(_pointer(address), _HEAD)
    if head[0] != key:
        return _made(n, halves)
    ends = np.empty(4, np.int64)
    end = 0
    for k in range(4):
        end += int(head[k + 1])
        ends[k] = end
    body = carray(_pointer(address + 8 * _HEAD), end)
    return body[: ends[0]].view(np.int64), body[ends[0] : ends[1]], body[ends[1] : ends[2]], body[ends[2] :]


@apart(f"float64[::1](int64, {PLAN})", **options())
def _block(key: Any, made: Any) -> Any:
    """A plan in one piece of memory."""
    factors, w, chirp, kernel = made
    block = np.empty(_HEAD + factors.size + w.size + chirp.size + kernel.size)
    block[0], block[1], block[2], block[3], block[4] = key, factors.size, w.size, chirp.size, kernel.size
    # Element by element: an assignment to a slice takes two seconds to compile.
    integers, at = block.view(np.int64), _HEAD
    for k in range(factors.size):
        integers[at + k] = factors[k]
    at += factors.size
    for part in (w, chirp, kernel):
        for k in range(part.size):
            block[at + k] = part[k]
        at += part.size
    return block


@apart(f"{PLAN}(int64)", **options())
def plan(n: Any) -> Any:
    """Factors, turns, the chirp and the transform of its conjugate, of transforms of n complex numbers.

    The chirp is empty where the factors are small.
    """
    return _recalled(n, False)


@apart("float64[::1](int64)", **options())
def half_turns(n: Any) -> Any:
    """The turns by which the transform of n real numbers, an even count, differs from that of their pairs."""
    return _recalled(n, True)[1]


@apart(f"{PLAN}(int64, boolean)", **options())
def _made(n: Any, halves: Any) -> Any:
    if halves:
        w = _turns(n, n // 2 + 1)
        return np.empty(0, np.int64), w, w[:0], w[:0]
    factors = _factors(n)
    if factors.size > 0 or n == 1:
        # Passes of two and four begin at turns of less than a half.
        w = _turns(n, n // 2 + 1 if n & (n - 1) == 0 else n)
        return factors, w, w[:0], w[:0]
    return _chirp(n)


@apart("int64[::1](int64)", **options())
def _factors(n: Any) -> Any:
    """The prime factors of n, fours for pairs of twos; empty if one is too large."""
    found = np.empty(64, np.int64)
    count = 0
    rest = n
    while rest % 4 == 0:
        found[count] = 4
        count += 1
        rest //= 4
    p = 2
    while p <= _LARGEST_FACTOR and rest > 1:
        while rest % p == 0:
            found[count] = p
            count += 1
            rest //= p
        p += 1
    return found[:count] if rest == 1 else found[:0]


@apart("float64[::1](int64, int64)", **options())
def _turns(n: Any, count: Any) -> Any:
    w = np.empty(2 * count)
    turns(w, n)
    return w


@apart(f"{PLAN}(int64)", **options())
def _chirp(n: Any) -> Any:
    m = 1
    while m < 2 * n - 1:
        m *= 2
    factors, w = _factors(m), _turns(m, m // 2 + 1)
    chirp, kernel, room = np.empty(2 * n), np.zeros(2 * m), np.empty(2 * m)
    for k in range(n):
        angle = math.pi * ((k * k) % (2 * n)) / n
        chirp[k], chirp[n + k] = math.cos(angle), -math.sin(angle)
        kernel[k], kernel[m + k] = chirp[k], -chirp[n + k]
        if k > 0:
            kernel[m - k], kernel[m + m - k] = chirp[k], -chirp[n + k]
    here = passes(kernel, room, factors, w, m, 1)
    return factors, w, chirp, kernel if here else room
