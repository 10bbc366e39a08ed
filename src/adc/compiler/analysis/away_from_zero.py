"""Numbers that are seen not to come near zero, whatever the data are: `1 + np.exp(-x)`, `np.sqrt(r @ r + 1e-9)`.

What is singular at zero is regular there. NaN, as of data that are missing and not chosen, makes NaN of a zero
adjoint on the way back through `np.exp(x)` or `x * x`, whatever is done here. Through `x**2` it does not, which is
singular itself: no bound is taken from it, nor from what else lets zeros through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Assign, Atom, Const, Stmt, Var
from adc.rules.shapes import normalize_axes, size

# Which operand must not be zero, for derivatives to be finite.
_SINGULAR_AT_ZERO = {
    "log": 0,
    "log2": 0,
    "log10": 0,
    "sqrt": 0,
    "root": 0,
    "cbrt": 0,
    "reciprocal": 0,
    "divide": 1,
}
_NEAR = 1e-15  # whose reciprocal squared is a number of 32 bits
_NEVER_NEGATIVE = {"exp", "exp2", "square", "absolute", "fabs"}
_SAME_VALUES = {
    "getitem",
    "reshape",
    "ravel",
    "expand_dims",
    "squeeze",
    "transpose",
    "broadcast_to",
    "copy",
    "alias",
    "max",
    "min",
    "mean",
}
_PRODUCTS = {"multiply", "matmul", "dot"}
_DEEPEST = 12


class AwayFromZero:
    """`definition[v]` makes v; nothing is known of arrays that are written to."""

    def __init__(self, definition: Mapping[Var, Stmt | None], written: Set[Var]) -> None:
        self.definition = definition
        self.written = written

    def is_regular(self, s: Assign) -> bool:
        """Whether an operation that is singular somewhere has finite derivatives for all operands that it may have."""
        if s.name == "log1p":
            least = self.least(s.args[0])
            return least is not None and 1.0 + least >= _NEAR
        if self._is_mean(s):
            return True
        return s.name in _SINGULAR_AT_ZERO and self._is_away(s.args[_SINGULAR_AT_ZERO[s.name]])

    def _is_mean(self, s: Assign) -> bool:
        """Whether a sum is divided by how many it is of: of none there is nothing that its adjoint would go to.

        So is a product of matrices by the square root of the length that it sums over.
        """
        if s.name != "divide" or not all(isinstance(a, Var) for a in s.args):
            return False
        total, number = s.args
        root, summed = self.definition.get(number), self.definition.get(total)
        if isinstance(root, Assign) and root.name in ("sqrt", "root") and isinstance(root.args[0], Var):
            number = root.args[0]
        if not isinstance(summed, Assign) or number.dim is None:
            return False
        shape = summed.args[0].type.shape if isinstance(summed.args[0], Var) else ()
        if summed.name in ("matmul", "dot"):
            return bool(shape) and number.dim == shape[-1]
        if summed.name != "sum":
            return False
        axes = normalize_axes(plain_value(summed.args[1]), len(shape))
        return bool(number.dim == size(tuple(shape[k] for k in axes)))

    def _is_away(self, x: Atom) -> bool:
        least = self.least(x)
        return least is not None and least >= _NEAR

    def least(self, x: Atom, depth: int = 0) -> float | None:
        """What a value is never less than, if anything is known of it."""
        if isinstance(x, Const):
            is_number = isinstance(x.value, (int, float)) and math.isfinite(x.value)
            return float(x.value) if is_number else None
        if depth > _DEEPEST or x.root in self.written or x.type.dtype not in ("float32", "float64"):
            return None
        s = self.definition.get(x)
        if not isinstance(s, Assign) or len(s.targets) != 1:
            return None
        if s.name in _NEVER_NEGATIVE or (
            s.name in _PRODUCTS and s.args[0] is s.args[1] and not _is_matrix(s)
        ):
            return 0.0
        if s.name == "cosh":
            return 1.0
        if s.name == "where":
            return _smaller(self.least(s.args[1], depth + 1), self.least(s.args[2], depth + 1))
        if s.name in _SAME_VALUES:
            return self.least(s.args[0], depth + 1)
        if self._is_mean(s):
            least = self.least(s.args[0], depth + 1)
            return 0.0 if least is not None and least >= 0 else None
        of = [self.least(a, depth + 1) for a in s.args[:2] if isinstance(a, (Var, Const))]
        return _combined(s, of[0], of[1] if len(of) > 1 else None) if of else None


def _combined(s: Assign, a: float | None, b: float | None) -> float | None:
    if a is None:
        return None
    if s.name in ("sqrt", "root", "sum"):
        return (0.0 if s.name == "sum" else math.sqrt(a)) if a >= 0 else None
    if b is None:
        return None
    if s.name == "add":
        return a + b
    if s.name == "subtract":
        return a - b if isinstance(s.args[1], Const) else None
    if s.name == "maximum":
        return max(a, b)
    if s.name == "minimum":
        return min(a, b)
    if a < 0 or b < 0:
        return None
    if s.name == "multiply":
        return a * b
    return 0.0 if s.name == "divide" and b >= _NEAR else None


def _smaller(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else min(a, b)


def _is_matrix(s: Assign) -> bool:
    return s.name != "multiply" and s.target.is_array
