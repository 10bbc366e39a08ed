"""Find the maxima that are only subtracted to avoid overflow: the result does not depend on them.

In `m + log(sum(exp(z - m)))`, in `exp(z - m) / sum(exp(z - m))` and in `exp(z - m) @ v / sum(exp(z - m))` the shift m
cancels, whatever it is, so its adjoint is zero and the adjoint of the maximum need not be formed. Each value that
depends on m is followed under a change of m by d: it gains a * d (additive weight a), or is multiplied by exp(w * d)
(multiplicative weight w). When every value that leaves the followed operations has both weights zero, the shift is
inactive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adc.compiler.analysis.positions import counts
from adc.compiler.analysis.roots import written_roots
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Operand,
    Program,
    Slice,
    Stmt,
    Var,
    blocks,
    uses,
    variables,
    walk,
)
from adc.rules.operation import Operation
from adc.rules.shapes import normalize_axes


@dataclass(frozen=True)
class Weight:
    """How a value follows the shift: `axes` are those of the value along which the shift varies, in its own order."""

    additive: float
    multiplicative: float
    axes: tuple[int, ...]

    @property
    def invariant(self) -> bool:
        return self.additive == 0 and self.multiplicative == 0


def inactive_shifts(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Var]:
    """The maxima (and minima) of a program on whose value its results do not depend."""
    statements = walk(program.body)
    written = written_roots(statements, joined_roots)
    counting = {s.target for s in statements if isinstance(s, Assign) and counts(s)} - written
    readers: dict[Var, list[Stmt]] = {}
    for s in statements:
        for v in uses(s):
            readers.setdefault(v, []).append(s)
    returned = {r for r in program.results if isinstance(r, Var)}
    found = set()
    for block in _blocks(program.body):
        for s in block:
            if not isinstance(s, Assign) or s.name not in ("max", "min") or not isinstance(s.args[0], Var):
                continue
            if _cancels(s, block, readers, returned, counting):
                found.add(s.target)
    return found


def _blocks(body: Block) -> list[Block]:
    return [body, *(b for s in walk(body) for b in blocks(s))]


def _cancels(
    maximum: Assign, block: Block, readers: dict[Var, list[Stmt]], returned: set[Var], counting: set[Var]
) -> bool:
    ndim = maximum.args[0].type.ndim
    reduced = normalize_axes(_static(maximum.args[1]), ndim)
    kept = [k for k in range(ndim) if k not in reduced]
    keepdims = maximum.args[2] == Const(True)
    weights: dict[Var, Weight] = {
        maximum.target: Weight(1.0, 0.0, tuple(kept) if keepdims else tuple(range(len(kept))))
    }
    members = set(block)
    for s in block[block.index(maximum) + 1 :]:
        if isinstance(s, Assign) and len(s.targets) == 1 and any(v in weights for v in uses(s)):
            weight = _followed(s, weights, counting)
            if weight is not None:
                weights[s.target] = weight
    for v, weight in weights.items():
        if weight.invariant:
            continue
        if v in returned:
            return False
        for reader in readers.get(v, ()):
            if reader not in members or not isinstance(reader, Assign) or len(reader.targets) != 1:
                return False
            if reader.name == "dim":
                continue
            if reader.targets[0] not in weights:
                return False
    return True


def _static(x: Operand) -> int | tuple[int, ...] | None:
    return tuple(a.value for a in x) if isinstance(x, tuple) else x.value


def _followed(s: Assign, weights: dict[Var, Weight], counting: set[Var]) -> Weight | None:
    """The weight of a statement's result, or None when it does not follow the shift in either simple way."""
    name = s.name
    if name in ("add", "subtract", "multiply", "divide"):
        return _combined(name, s, weights)
    if name in ("matmul", "dot"):
        return _product(s, weights)
    if (
        not isinstance(s.args[0], Var)
        or s.args[0] not in weights
        or any(v in weights for a in s.args[1:] for v in _vars(a))
    ):
        return None
    w = weights[s.args[0]]
    ndim = s.args[0].type.ndim
    if w.invariant:
        return w if not isinstance(s.op, str) and name in ("exp", "log", "negative", "sum", "mean") else None
    if name == "exp" and w.multiplicative == 0:
        return Weight(0.0, w.additive, w.axes)
    if name == "log" and w.additive == 0:
        return Weight(w.multiplicative, 0.0, w.axes)
    if name == "negative":
        return replace(w, additive=-w.additive) if w.multiplicative == 0 else w
    if name in ("sum", "mean") and isinstance(s.op, Operation) and (w.additive == 0 or name == "mean"):
        axes = normalize_axes(_static(s.args[1]), ndim)
        if set(axes) & set(w.axes):
            return None  # rows with different shifts are added up
        if s.args[2] == Const(True):
            return w
        return replace(w, axes=tuple(a - sum(1 for r in axes if r < a) for a in w.axes))
    if name == "getitem":
        return _reindexed(s, w) if s.target.view_of is not None else _picked(s, w, counting)
    if name in ("reshape", "expand_dims"):
        return _reshaped(s, w)
    if name == "alias":
        return w
    return None


def _vars(x: Operand) -> list[Var]:
    return list(variables(x))


def _combined(name: str, s: Assign, weights: dict[Var, Weight]) -> Weight | None:
    out = s.target.type.ndim
    zero = Weight(0.0, 0.0, ())

    def aligned(x: Atom) -> Weight:
        if not isinstance(x, Var) or x not in weights:
            return zero
        w = weights[x]
        return replace(w, axes=tuple(a + out - x.type.ndim for a in w.axes))

    x, y = aligned(s.args[0]), aligned(s.args[1])
    if x is not zero and y is not zero and not x.invariant and not y.invariant and x.axes != y.axes:
        return None
    axes = x.axes if not x.invariant or y is zero else y.axes
    sign = -1.0 if name in ("subtract", "divide") else 1.0
    if name in ("add", "subtract"):
        if x.multiplicative == 0 and y.multiplicative == 0:
            return Weight(x.additive + sign * y.additive, 0.0, axes)
        # exp(w d) u + exp(w d) v keeps the factor; a constant beside it does not.
        return (
            Weight(0.0, x.multiplicative, axes)
            if x.multiplicative == y.multiplicative and x.additive == y.additive == 0
            else None
        )
    if x.additive == 0 and y.additive == 0:
        return Weight(0.0, x.multiplicative + sign * y.multiplicative, axes)
    return None


def _product(s: Assign, weights: dict[Var, Weight]) -> Weight | None:
    """Of a matrix whose rows have each a factor, and anything; of anything, and a matrix whose columns have."""
    a, b = s.args[:2]
    if (a in weights) == (b in weights) or not (isinstance(a, Var) and isinstance(b, Var)):
        return None
    followed, axis, place = (a, 0, 0) if a in weights else (b, 1, s.target.type.ndim - 1)
    w = weights[followed]
    ndims = a.type.ndim, b.type.ndim
    if followed.type.ndim != 2 or max(ndims) > 2 or w.additive != 0 or w.axes != (axis,):
        return None
    return replace(w, axes=(place,))


def _reindexed(s: Assign, w: Weight) -> Weight | None:
    """Through an index of full slices and newaxes only."""
    axes: list[int] = []
    source = target = 0
    for item in s.args[1]:
        if item == Const(None):
            target += 1
            continue
        if not isinstance(item, Slice) or item != Slice(None, None, None):
            return None
        if source in w.axes:
            axes.append(target)
        source += 1
        target += 1
    return replace(w, axes=tuple(axes))


def _picked(s: Assign, w: Weight, counting: set[Var]) -> Weight | None:
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
    before, after = s.args[0].type.shape, s.target.type.shape
    long_before = [k for k, d in enumerate(before) if d.known != 1]
    long_after = [k for k, d in enumerate(after) if d.known != 1]
    if [before[k] for k in long_before] != [after[k] for k in long_after]:
        return None
    table = dict(zip(long_before, long_after, strict=True))
    if any(a not in table for a in w.axes if before[a].known != 1):
        return None
    return replace(w, axes=tuple(table[a] for a in w.axes if a in table))
