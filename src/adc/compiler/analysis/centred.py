"""Find the means that are subtracted before products are summed: to first order the sums do not depend on them.

A change by d of the mean m of x changes `sum((x - m) ** 2)` by -2 d sum(x - m), which is zero: the adjoint of the mean
need not be formed. So it is in `sum((x - m) * (y - k))`, and in a product of matrices of deviations, for either mean,
and where deviations have been scaled by what is the same for all that are summed. A mean, or deviations, that anything
else reads stay active.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Assign, Atom, Const, Program, Stmt, Var, uses, walk
from adc.compiler.ir.types import Array, is_float
from adc.rules.shapes import normalize_axes

Axes = tuple[int, ...]
SCALES = {"multiply", "divide"}
SUMS = {"sum", "mean"}


@dataclass(frozen=True)
class _Mean:
    """A mean of `of` over `axes`, or a view of one: `kept[k]` is where the k-th of the other axes is."""

    of: Var
    axes: Axes
    kept: Axes


def inactive_means(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Var]:
    """The means of a program on which its results do not depend to first order."""
    statements = walk(program.body)
    if not any(isinstance(s, Assign) and s.name == "mean" for s in statements):
        return set()
    return _Means(program, statements, written_roots(statements, joined_roots)).inactive()


class _Means:
    """`deviations[c]` has the axes along which c sums to zero; `source[c]` what c was made of."""

    def __init__(self, program: Program, statements: list[Stmt], written: set[Var]) -> None:
        self.written = written
        self.returned = {r for r in program.results if isinstance(r, Var)}
        self.readers: dict[Var, list[Stmt]] = {}
        self.means: dict[Var, _Mean] = {}
        self.deviations: dict[Var, Axes] = {}
        for s in statements:
            for v in uses(s):
                self.readers.setdefault(v, []).append(s)
            if isinstance(s, Assign) and len(s.targets) == 1 and s.target.root not in written:
                self._note(s)

    def inactive(self) -> set[Var]:
        return {m for m in self.means if m.view_of is None and self._vanishes(m)}

    def _note(self, s: Assign) -> None:
        """Note a mean, or what sums to zero."""
        if not is_float(s.target.type) or not s.args:
            return
        x = s.args[0]
        if s.name == "mean" and isinstance(x, Var) and x.root not in self.written:
            over = normalize_axes(plain_value(s.args[1]), x.type.ndim)
            kept = tuple(k for k in range(x.type.ndim) if k not in over)
            keeps = s.args[2] == Const(True)
            self.means[s.target] = _Mean(x, over, kept if keeps else tuple(range(len(kept))))
        elif x in self.means and (places := _new_places(s)) is not None:
            mean = self.means[x]
            self.means[s.target] = _Mean(mean.of, mean.axes, tuple(places[k] for k in mean.kept))
        elif s.name == "subtract":
            axes = self._centred(x, s.args[1]) or self._centred(s.args[1], x)
            if axes is not None:
                self.deviations[s.target] = axes
        elif s.name in ("negative", "alias") and x in self.deviations:
            self.deviations[s.target] = self.deviations[x]
        elif s.name == "transpose" and s.args[1] == Const(None) and x in self.deviations:
            self.deviations[s.target] = tuple(x.type.ndim - 1 - k for k in self.deviations[x])
        elif s.name in SCALES:
            pairs = [(x, s.args[1]), (s.args[1], x)] if s.name == "multiply" else [(x, s.args[1])]
            for c, factor in pairs:
                if c in self.deviations and self._is_one_factor(factor, c, s.target):
                    self.deviations[s.target] = self.deviations[c]

    def _centred(self, x: Atom, m: Atom) -> Axes | None:
        """The axes along which `x - m` sums to zero, if m is the mean of x along them."""
        mean = self.means.get(m) if isinstance(m, Var) else None
        if mean is None or mean.of is not x or not isinstance(m, Var):
            return None
        ndim = mean.of.type.ndim
        there = tuple(k + ndim - m.type.ndim for k in mean.kept)
        return mean.axes if there == tuple(k for k in range(ndim) if k not in mean.axes) else None

    def _is_one_factor(self, factor: Atom, c: Var, product: Var) -> bool:
        """Whether a factor is one number for all that sums to zero."""
        if not isinstance(factor, Var) or not isinstance(factor.type, Array):
            return True
        before = c.type.ndim - factor.type.ndim
        return product.type.ndim == c.type.ndim and all(
            k < before or factor.type.shape[k - before].known == 1 for k in self.deviations[c]
        )

    def _vanishes(self, v: Var) -> bool:
        """Whether all that a mean, or deviations from it, are read for are sums of products with deviations."""
        if v in self.returned or v.root in self.written:
            return False
        return all(self._is_stationary(s, v) for s in self.readers.get(v, ()))

    def _is_stationary(self, s: Stmt, v: Var) -> bool:
        if not isinstance(s, Assign) or len(s.targets) != 1:
            return False
        if s.name == "dim":
            return True
        if self._hands_on(s, v):
            return self._vanishes(s.target)
        if v not in self.deviations:
            return False
        if s.name in ("matmul", "dot"):
            return self._contracts(*s.args[:2])
        return self._is_product(s) and all(
            isinstance(r, Assign)
            and (r.name == "dim" or (r.name in SUMS and self._sums_all(r, self.deviations[v])))
            for r in self._read(s.target)
        )

    def _hands_on(self, s: Assign, v: Var) -> bool:
        """Whether a result follows a mean, or a deviation, in proportion: not where that is the factor of another."""
        if v in self.means:
            return s.target in self.means or (s.name == "subtract" and s.target in self.deviations)
        if s.name not in SCALES:
            return s.name != "subtract" and s.target in self.deviations
        c, factor = s.args if s.args[0] is v else s.args[::-1]
        return s.target in self.deviations and c is v and self._is_one_factor(factor, v, s.target)

    def _read(self, v: Var) -> Iterator[Stmt | None]:
        yield from self.readers.get(v, ())
        if v in self.returned or v.root in self.written:
            yield None

    def _is_product(self, s: Assign) -> bool:
        """Whether a statement multiplies two that sum to zero along the same axes."""
        if s.name == "square" or (s.name == "power" and s.args[1] in (Const(2), Const(2.0))):
            return True
        axes = [self.deviations.get(a) if isinstance(a, Var) else None for a in s.args[:2]]
        return s.name == "multiply" and axes[0] == axes[1] is not None and _alike(*s.args)

    def _sums_all(self, s: Assign, axes: Axes) -> bool:
        return set(axes) <= set(normalize_axes(plain_value(s.args[1]), s.args[0].type.ndim))

    def _contracts(self, a: Atom, b: Atom) -> bool:
        """Whether a product of matrices adds up along the axes along which both sum to zero."""
        if not (isinstance(a, Var) and isinstance(b, Var)) or max(a.type.ndim, b.type.ndim) > 2:
            return False
        along = (a.type.ndim - 1,), (0,)
        return (self.deviations.get(a), self.deviations.get(b)) == along


def _new_places(s: Assign) -> list[int] | None:
    """Where the axes of an array are in a view of it with new ones between them."""
    ndim = s.target.type.ndim
    if s.name == "expand_dims" and isinstance(s.args[1], Const):
        return [k for k in range(ndim) if k != s.args[1].value % ndim]
    if s.name != "getitem" or any(i not in (FULL, Const(None)) for i in s.args[1]):
        return None
    index = [*s.args[1], *[FULL] * ndim][:ndim]
    return [k for k in range(ndim) if index[k] == FULL]


def _alike(a: Var, b: Var) -> bool:
    """Whether neither operand is broadcast."""
    return a.type.ndim == b.type.ndim and all(
        (m.known == 1) == (n.known == 1) for m, n in zip(a.type.shape, b.type.shape, strict=True)
    )
