"""Integers as wide as a float, which stay so wide: Numba makes 64 bits of any sum of two of 32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic

from adc.runtime.vectormath.primitives import Code


def _on_words(instruction: str) -> Callable[[int, int], int]:
    """An intrinsic (i, k) that is an instruction on integers as wide as i."""

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def apply(typing_context: Any, i: Any, k: Any) -> Code:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word, other = arguments
            kept = context.cast(builder, other, signature.args[1], signature.return_type)
            return getattr(builder, instruction)(word, kept)

        return i(i, types.unliteral(k)), emit

    function: Callable[[int, int], int] = apply
    return function


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _as_single(typing_context: Any, i: Any) -> Code:
    """The float32 that is an integer of 32 bits."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sitofp(arguments[0], context.get_value_type(signature.return_type))

    return types.float32(i), emit


plus = _on_words("add")
minus = _on_words("sub")
shifted_left = _on_words("shl")
shifted_right = _on_words("ashr")
both = _on_words("and_")
either_not_both = _on_words("xor")
as_single: Callable[[int], float] = _as_single
