"""A complex number is taken apart and put together as a value: no operation puts it into memory.

Numba makes room for each operand and each result of an operation, writes the number there and reads its parts back;
from 0.68 on the product is a function of its own, which LLVM puts in its place again. With them went two fifths of the
time in which the gradient of a quantum state was compiled (214 lines: 6.7 to 4.0 s); the machine code is the same. The
operations are Numba's own, in a context that hands out parts; the product is the one of CPython below 3.14. One whose
text is not known stays as it is, and all do where Numba compiled something before this was imported.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir as llvm
from numba.core import imputils
from numba.cpython import numbers

from adc.runtime import tuning
from adc.runtime.passes.aggregates import built, parts
from adc.runtime.passes.known import is_known, put_among, types

# The texts of Numba's operations, those of 0.65 and 0.68. They run straight on: what is set last is what is read.
STRAIGHT = frozenset(
    {
        "08d2a2d271d9ee70b8cdc7dfe5ddf4cc9e9ab472196dd87ce3db7e8e03a65d11",
        "6adc3b22662262a02a5a1982921265b50ba493e0e877e952a7e4ab135ae8700f",
        "7b8399bb959fe1c894aa58ed65cd00e55d65d9d417f4eee8ade56cf79fee79b0",
        "9ea418cc59ebafd7a79c7fed5920e879bc75f58efcaa47cbfbea871a2ea2c42b",
        "8a7df423ea2b457e4bd183fd12fe075f0e9c3b317d5a3fd3ff08cbb1a2d92dd8",
        "472ae89ac36d5e3d0f0aa65d76096e3ff265d42dc0e507c318f135330665b579",
        "67094cfed395e7d38e8ea1e8890f4e4f3e188506bca9b1d870445e028c98bac1",
        "af45ffa02ffc8d8ff4f78faf6738e39645bc208e2ebd9e779e4bf84786663028",
        "e769a7e2fdb31ae4edc7ca0528ea5387feace71d4edc7c3ac341311502ca7bd7",
        "acb48ebadabb8d363a739056dffe59f9e16ebbb6f06d448fc7b5d3974b82c500",
        "2f5e07dac1dc9dce047f2f35d2ac76421c7eb41258b1c6a13e04c0592d2acc29",
    }
)
PRODUCT = frozenset(
    {
        "b9d01d735cf416f71b3e4a5bc61dd585cc2c79b474a9332b49d66d6970e6f803",
        "53fb0f8ccee01299b85bacff1408f50fc4954abdedb633b4729cc9efca9d193d",
    }
)


class _Parts:
    """A complex number that is being compiled: what Numba's operations ask of it, and set."""

    def __init__(self, builder: Any, value: Any) -> None:
        self._builder = builder
        self._value = value

    real = property(lambda self: self._part(0), lambda self, part: self._set(0, part))
    imag = property(lambda self: self._part(1), lambda self, part: self._set(1, part))

    def _part(self, index: int) -> Any:
        return self._builder.extract_value(self._value, index)

    def _set(self, index: int, part: Any) -> None:
        self._value = self._builder.insert_value(self._value, part, index)

    def _getvalue(self) -> Any:
        return self._value


class _Context:
    """Numba's context, whose complex numbers are `_Parts`."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def make_complex(self, builder: Any, kind: Any, value: Any = None) -> _Parts:
        """The parts of a number, or of one that is to be made."""
        return _Parts(
            builder, llvm.Constant(self.get_value_type(kind), llvm.Undefined) if value is None else value
        )


def _in_parts(own: Callable[..., Any], text_of: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for an operation of Numba's: the same one, in a context of parts."""

    @functools.wraps(own)
    def operation(context: Any, *rest: Any) -> Any:
        known = tuning.compiling() and is_known(text_of, STRAIGHT)
        return own(_Context(context) if known else context, *rest)

    return operation


def _product(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's product."""

    @functools.wraps(own)
    def product(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        if not (tuning.compiling() and is_known(own, PRODUCT)):
            return own(context, builder, signature, operands)
        (a, b), (c, d) = (parts(builder, z, 2) for z in operands)
        real = builder.fsub(builder.fmul(a, c), builder.fmul(b, d))
        imag = builder.fadd(builder.fmul(a, d), builder.fmul(b, c))
        return built(builder, operands[0].type, [real, imag])

    return product


def _standing_for(own: Callable[..., Any], *entry: Any) -> Callable[..., Any] | None:
    if own is numbers.complex_mul_impl:
        return _product(own)
    text_of = _PARTS.get(entry[0], own) if entry[1:] == ((types.Complex,),) else own
    return _in_parts(own, text_of) if text_of in _STRAIGHT else None


_PARTS = {"real": numbers.complex_real_impl, "imag": numbers.complex_imag_impl}
_STRAIGHT = {
    *_PARTS.values(),
    numbers.complex_conjugate_impl,
    numbers.complex_add_impl,
    numbers.complex_sub_impl,
    numbers.complex_negate_impl,
    numbers.complex_eq_impl,
    numbers.complex_ne_impl,
    numbers.complex_as_bool,
    numbers.non_complex_to_complex,
    numbers.complex_to_complex,
}
_own = imputils.builtin_registry
for _entries in (_own.functions, _own.casts, _own.getattrs):
    put_among(_entries, _standing_for)
