"""Sum a factor of a matrix product, not the product.

    h_bar = y_bar @ w.T                     y_bar_sum = np.sum(y_bar, axis=0)
    b_bar = np.sum(h_bar, axis=0)   ->      b_bar = y_bar_sum @ w.T

Where nothing else looks at the product, n^2 operations do what n^3 did. So the adjoint of an offset, a mean or a bias
that a whole batch shares needs no product of matrices: a mixture of Gaussians saves one of its three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import Assign, Block, Const, Program, Var, blocks, times_read

ONE_OPERAND = {"negative": -1}
TWO_OPERANDS = {"add": 1, "subtract": -1}  # and the sign of the second
DEEPEST = 8
FLOATS = ("float64", "float32", "complex128", "complex64")  # a product of truths is no sum


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with sums of products of matrices, of which nothing else is read, made of sums of a factor."""
    _Summed(program, evaluator).block(program.body)
    return program


@dataclass(eq=False)
class _Terms:
    """What a sum adds up: products of matrices, and the rest, each with its sign."""

    products: list[tuple[Assign, int]] = field(default_factory=list)
    rest: list[tuple[Var, int]] = field(default_factory=list)
    gone: set[Assign] = field(default_factory=set)  # the statements that nothing else reads


class _Summed:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.readers = times_read(program)
        self.memory = Memory(evaluator.joined_roots)
        self.written = {root for s in program.body for root in self.memory.effects(s).writes}

    def block(self, block: Block) -> None:
        """Rewrite the sums of a block, and of those in it."""
        for s in block:
            for inner in blocks(s):
                self.block(inner)
        made: dict[Var, Assign] = {}
        for s in list(block):
            if not isinstance(s, Assign) or len(s.targets) != 1:
                continue
            if s.name == "sum":
                terms = self._terms(s, made)
                if terms is not None:
                    self._rewrite(block, s, terms)
                    continue
            made[s.target] = s

    def _terms(self, s: Assign, made: dict[Var, Assign]) -> _Terms | None:
        """The terms of a sum over one axis of a matrix, if there is a product among them."""
        whole, axis, *keeps = s.args
        if (
            not _is_matrix(whole)
            or whole.type.dtype not in FLOATS
            or axis not in (Const(0), Const(1))
            or any(k != Const(False) for k in keeps)
        ):
            return None
        terms = _Terms()
        self._collect(whole, 1, made, terms, DEEPEST)
        return terms if terms.products else None

    def _collect(self, x: Var, sign: int, made: dict[Var, Assign], terms: _Terms, depth: int) -> None:
        s = made.get(x)
        alone = s is not None and self.readers[x] == 1 and not self._is_written(x) and depth > 0
        if s is not None and alone:
            if s.name in ("matmul", "dot") and all(
                _is_matrix(a) and a.type.dtype == x.type.dtype for a in s.args
            ):
                terms.products.append((s, sign))
                terms.gone.add(s)
                return
            signs = [ONE_OPERAND[s.name]] if s.name in ONE_OPERAND else [1, TWO_OPERANDS.get(s.name, 0)]
            if signs[-1] and all(self._is_like(a, x) for a in s.args):
                terms.gone.add(s)
                for a, own in zip(s.args, signs, strict=True):
                    self._collect(a, sign * own, made, terms, depth - 1)
                return
        terms.rest.append((x, sign))

    def _is_like(self, a: object, x: Var) -> bool:
        return (
            isinstance(a, Var)
            and _is_matrix(a)
            and a.type.dtype == x.type.dtype
            and not self._is_written(a)  # it is read later than it was
            and self.ev.equal.same_shape(a.type.shape, x.type.shape)
        )

    def _is_written(self, x: Var) -> bool:
        return self.memory.of(x) in self.written

    def _rewrite(self, block: Block, s: Assign, terms: _Terms) -> None:
        """Put the products of sums where the products were, and what is left of the sum where that was."""
        axis = s.args[1].value
        parts: list[tuple[Value, int]] = []
        out: Block = []
        for t in block:
            with self.ev.at(out), self.ev.origin_at(getattr(t, "origin", None)):
                if t is s:
                    if terms.rest:
                        sign = max(sign for _, sign in terms.rest)
                        rest = self._combined([(x, own * sign) for x, own in terms.rest])
                        parts.insert(0, (self.ev.op("sum", rest, axis=axis), sign))
                    total = self.ev.cast(self._combined(parts), s.target.type.dtype)
                    assert isinstance(total, Var)
                    if not total.named:
                        total.name, total.named = s.target.name, s.target.named
                    out.append(Assign(s.targets, "alias", (total,), s.origin))
                elif isinstance(t, Assign) and t in terms.gone:
                    sign = next((sign for product, sign in terms.products if product is t), 0)
                    if sign:
                        parts.append((self._product(t, axis), sign))
                else:
                    out.append(t)
        block[:] = out

    def _product(self, product: Assign, axis: int) -> Value:
        left, right = map(plain_value, product.args)
        if axis == 0:
            left = self.ev.op("sum", left, axis=0)
        else:
            right = self.ev.op("sum", right, axis=1)
        return self.ev.op("matmul", left, right)

    def _combined(self, terms: Sequence[tuple[Value, int]]) -> Value:
        """The sum of terms with signs, those that are added first."""
        sign = max(sign for _, sign in terms)
        (total, _), *others = sorted(terms, key=lambda term: -term[1])
        for value, own in others:
            total = self.ev.op("add" if own == sign else "subtract", total, value)
        return total if sign > 0 else self.ev.op("negative", total)


def _is_matrix(x: object) -> bool:
    return isinstance(x, Var) and x.is_array and x.type.ndim == 2
