"""How values follow a shift: the result of a statement, from its operands (shifts.py says what for).

Under a change of the shift by d a value gains a * d (additive weight a), or is multiplied by exp(w * d)
(multiplicative weight w). What has neither weight does not change, and what is zero has any multiplicative weight.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from math import isclose

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Assign, Atom, Const, Index, Slice, Var, variables
from adc.compiler.ir.types import is_integer
from adc.rules.operation import Operation
from adc.rules.shapes import normalize_axes

ROUNDING = 1e-12  # relative, of weights


@dataclass(frozen=True, eq=False)
class Weight:
    """How a value follows the shift: `axes` are those of the value along which the shift varies, in its own order."""

    additive: float
    multiplicative: float
    axes: tuple[int, ...] = ()
    is_zero: bool = False

    def __eq__(self, other: object) -> bool:
        """Up to rounding: under a temperature T a shift comes back as T * (1 / T), which need not be 1."""
        return (
            isinstance(other, Weight)
            and (self.axes, self.is_zero) == (other.axes, other.is_zero)
            and isclose(self.additive, other.additive, rel_tol=ROUNDING)
            and isclose(self.multiplicative, other.multiplicative, rel_tol=ROUNDING)
        )

    @property
    def moves(self) -> bool:
        return self.additive != 0 or self.multiplicative != 0


STAYS = Weight(0.0, 0.0)
ZERO = Weight(0.0, 0.0, is_zero=True)

_DEGREES = {"absolute": 1.0, "sqrt": 0.5, "square": 2.0, "reciprocal": -1.0}

Weights = Callable[[Atom], Weight]


def joined(one: Weight, other: Weight) -> Weight | None:
    """The weight of what is one of two values, or None where they follow the shift in two ways."""
    if one.is_zero or other.is_zero:
        one, other = (other, one) if one.is_zero else (one, other)
        return one if one.additive == 0 else None
    if not one.moves and not other.moves:
        return STAYS
    return one if one == other else None


def followed(s: Assign, weight_of: Weights, counting: Set[Var]) -> Weight | None:
    """The weight of a statement's result, or None when it does not follow the shift in either simple way."""
    name = s.name
    if name in ("add", "subtract", "multiply", "divide"):
        return _combined(name, s, weight_of)
    if name in ("matmul", "dot"):
        return _product(s, weight_of)
    if not isinstance(s.args[0], Var) or any(weight_of(v).moves for a in s.args[1:] for v in variables(a)):
        return None
    w = weight_of(s.args[0])
    if name == "exp" and w.multiplicative == 0:
        return Weight(0.0, w.additive, w.axes)
    if name == "log" and w.additive == 0:
        return Weight(w.multiplicative, 0.0, w.axes)
    if name in _DEGREES and w.additive == 0:
        return replace(w, multiplicative=_DEGREES[name] * w.multiplicative)
    if name == "power" and w.additive == 0 and _is_number(s.args[1]):
        return replace(w, multiplicative=s.args[1].value * w.multiplicative)
    if name == "negative":
        return replace(w, additive=-w.additive) if w.multiplicative == 0 else w
    if name in ("sum", "mean") and isinstance(s.op, Operation) and (w.additive == 0 or name == "mean"):
        axes = normalize_axes(plain_value(s.args[1]), s.args[0].type.ndim)
        if set(axes) & set(w.axes):
            return None  # rows with different shifts are added up
        if s.args[2] == Const(True):
            return w
        return replace(w, axes=tuple(a - sum(1 for r in axes if r < a) for a in w.axes))
    if name == "getitem":
        if not w.axes:
            return w
        return _reindexed(s, w) or _picked(s, w, counting)
    if name in ("reshape", "expand_dims"):
        return _reshaped(s, w)
    if name in ("alias", "cast"):
        return w
    return None


def summed(x: Weight, y: Weight) -> Weight | None:
    """The weight of a sum, of operands whose axes are those of the sum."""
    if x.moves and y.moves and x.axes != y.axes:
        return None
    if x.is_zero or y.is_zero:
        other = y if x.is_zero else x
        if other.is_zero or other.multiplicative != 0:
            return other
    axes = x.axes if x.moves else y.axes
    if x.multiplicative == 0 and y.multiplicative == 0:
        return Weight(_added(x.additive, y.additive), 0.0, axes)
    # exp(w d) u + exp(w d) v keeps the factor; a constant beside it does not.
    is_one_factor = x.additive == y.additive == 0 and isclose(
        x.multiplicative, y.multiplicative, rel_tol=ROUNDING
    )
    return Weight(0.0, x.multiplicative, axes) if is_one_factor else None


def _combined(name: str, s: Assign, weight_of: Weights) -> Weight | None:
    out = s.target.type.ndim

    def aligned(x: Atom) -> Weight:
        w = weight_of(x)
        return replace(w, axes=tuple(a + out - x.type.ndim for a in w.axes)) if isinstance(x, Var) else w

    x, y = aligned(s.args[0]), aligned(s.args[1])
    if x.moves and y.moves and x.axes != y.axes:
        return None
    axes = x.axes if x.moves else y.axes
    sign = -1.0 if name in ("subtract", "divide") else 1.0
    if name in ("add", "subtract"):
        return summed(x, replace(y, additive=sign * y.additive))
    for w, factor in ((x, s.args[1]), (y, s.args[0])):
        if w.additive != 0 and _is_number(factor) and (w is x or name == "multiply"):
            value = 1.0 / factor.value if name == "divide" else factor.value
            return replace(w, additive=w.additive * value)
    if x.additive == 0 and y.additive == 0:
        if x.is_zero or (y.is_zero and name == "multiply"):
            return ZERO
        return Weight(0.0, _added(x.multiplicative, sign * y.multiplicative), axes)
    return None


def _added(x: float, y: float) -> float:
    """A sum, which is zero where the two cancel up to rounding."""
    return 0.0 if isclose(x, -y, rel_tol=ROUNDING) else x + y


def _is_number(x: Atom) -> bool:
    return isinstance(x, Const) and isinstance(x.value, (int, float)) and x.value != 0


def _product(s: Assign, weight_of: Weights) -> Weight | None:
    """Of a matrix whose rows have each a factor, and anything; of anything, and a matrix whose columns have."""
    a, b = s.args[:2]
    if weight_of(a).moves == weight_of(b).moves or not (isinstance(a, Var) and isinstance(b, Var)):
        return None
    matrix, axis, place = (a, 0, 0) if weight_of(a).moves else (b, 1, s.target.type.ndim - 1)
    w = weight_of(matrix)
    if w.additive != 0:
        return None
    if not w.axes:
        return w
    ndims = a.type.ndim, b.type.ndim
    if matrix.type.ndim != 2 or max(ndims) > 2 or w.axes != (axis,):
        return None
    return replace(w, axes=(place,))


def _reindexed(s: Assign, w: Weight) -> Weight | None:
    """Through an index of full slices and newaxes, and of numbers along axes that the shift does not have."""
    axes: list[int] = []
    source = target = 0
    for item in s.args[1]:
        if item == Const(None):
            target += 1
            continue
        if _is_one(item) and source not in w.axes:
            source += 1
            continue
        if not isinstance(item, Slice) or item != FULL:
            return None
        if source in w.axes:
            axes.append(target)
        source += 1
        target += 1
    return replace(w, axes=tuple(axes))


def _is_one(item: object) -> bool:
    """Whether a part of an index is a number."""
    if isinstance(item, Const):
        return type(item.value) is int
    return isinstance(item, Var) and not item.is_array and is_integer(item.type)


def through_columns(index: Index, w: Weight) -> Weight | None:
    """The weight of an array, elements of which under full slices and numbers have this one."""
    whole = [k for k, item in enumerate(index) if item == FULL]
    if not all(item == FULL or _is_one(item) for item in index) or any(a >= len(whole) for a in w.axes):
        return None
    return replace(w, axes=tuple(whole[a] for a in w.axes))


def _picked(s: Assign, w: Weight, counting: Set[Var]) -> Weight | None:
    """One element of each row, `z[np.arange(n), labels]`: each has the shift of its row, and its place."""
    matrix, index = s.args
    if matrix.type.ndim != 2 or len(index) != 2 or w.axes != (0,):
        return None
    if not all(isinstance(i, Var) and i.is_array and i.type.ndim == 1 for i in index):
        return None
    rows, columns = index
    is_of_rows = rows in counting and rows.type.shape[0].known != 1
    return w if is_of_rows and columns.type.dtype != "bool" else None


def _reshaped(s: Assign, w: Weight) -> Weight | None:
    """Through a reshape that only adds or drops axes of length one."""
    if not w.axes:
        return w
    before, after = s.args[0].type.shape, s.target.type.shape
    long_before = [k for k, d in enumerate(before) if d.known != 1]
    long_after = [k for k, d in enumerate(after) if d.known != 1]
    if [before[k] for k in long_before] != [after[k] for k in long_after]:
        return None
    table = dict(zip(long_before, long_after, strict=True))
    if any(a not in table for a in w.axes if before[a].known != 1):
        return None
    return replace(w, axes=tuple(table[a] for a in w.axes if a in table))
