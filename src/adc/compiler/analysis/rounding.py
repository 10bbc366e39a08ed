"""Of which quotients the last bit may be another: what is made of them goes on smoothly wherever it goes.

    p = w / total           p only goes into products, sums and smooth functions: w * (1 / total) will do
    k = floor(x / h)        the quotient has to be NumPy's to the last bit: a whole number is on the edge
    y = log(a / b)          of this quotient no more is wanted than where it is zero, and its sign; a product has both
    y = sqrt(a / b - 1)     but where the difference is zero, the quotient has to be one

`a * (1 / b)` rounds once more than `a / b`. It is zero, or negative, where the quotient is, and not above one where
that is not. Values are followed against their direction, from what may tell numbers apart that differ in the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from adc.compiler.analysis.effects import Memory
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Buffer,
    Check,
    Const,
    For,
    If,
    Keep,
    Operand,
    Print,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    While,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import REALS

# What has to be as NumPy has it: nothing; that it is where a logarithm or a root is defined, if it is not as near the
# end of that as numbers are rounded; the sign and zeros; these and the order in an array; every bit.
FREE, DOMAIN, SIGN, ORDER, ALL = 0, 1, 2, 3, 4


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOVES = _names(
    """getitem alias copy reshape ravel transpose expand_dims squeeze broadcast_to concatenate stack flip roll repeat
    tile take moveaxis swapaxes diagonal diag tril triu real imag pad astype where held atleast_1d atleast_2d
    full full_like"""
)
PRODUCTS = _names("multiply divide negative positive square reciprocal conjugate multiply.outer outer")
SMOOTH = _names(
    """add subtract sum add.reduce mean cumsum matmul dot inner vdot trace einsum tensordot add.outer subtract.outer
    expm1 sin cos tan sinh tanh arctan arcsinh erf special.erf logaddexp hypot convolve correlate diff"""
)
SUMS = _names("add sum add.reduce mean cumsum trace")
# Whose results are above zero, whatever goes into them.
POSITIVE = _names("exp exp2 cosh erfc special.erfc special.expit special.softplus special.ndtr")
ROOTS = _names("sqrt cbrt")  # whose sign is that of what they are of
LOGARITHMS = _names("log log2 log10")
COMPARISONS = _names("less less_equal greater greater_equal equal not_equal")
EXTREMES = _names("maximum minimum fmax fmin")
OF_ORDER = _names("max min argmax argmin maximum.reduce minimum.reduce")
OF_SHAPES = _names(
    "dim shape size ndim zeros_like ones_like empty_like isnan isfinite isinf empty zeros ones"
)
DEEPEST = 4  # products between a number and what is only chosen where it is not zero

_Key = Var | Buffer


def tolerant(program: Program, joined_roots: dict[Var, set[Var]]) -> list[Assign]:
    """The quotients of floats that may be rounded otherwise."""
    statements = walk(program.body)
    quotients = [s for s in statements if isinstance(s, Assign) and s.name == "divide"]
    if not quotients:
        return []
    wants = Wants(statements, Memory(joined_roots))
    return [s for s in quotients if s.target.type.dtype in REALS and wants.of(s.target) <= _kept(s)]


def _kept(quotient: Assign) -> int:
    """What a product leaves as a division has it: of an array by one number, or by one for each element."""
    divisor = quotient.args[1]
    by_one = quotient.target.is_array and not (isinstance(divisor, Var) and divisor.is_array)
    return ORDER if by_one else SIGN


class Wants:
    """`of(v)`: how much of a number, or of the numbers in an array, somebody can see."""

    def __init__(self, statements: list[Stmt], memory: Memory) -> None:
        self.memory = memory
        self.level: dict[_Key, int] = defaultdict(int)
        self.made = {t: s for s in statements if isinstance(s, Assign) for t in s.targets}
        self.written = {memory.of(s.array) for s in statements if isinstance(s, Store)}
        self.read: dict[Var, list[Stmt]] = defaultdict(list)
        for s in statements:
            for v in uses(s):
                self.read[v].append(s)
        self.changed = True
        while self.changed:
            self.changed = False
            for s in reversed(statements):
                self._look_at(s)

    def of(self, x: Operand) -> int:
        return self.level[self._key(x)] if isinstance(x, (Var, Buffer)) else FREE

    def _key(self, x: Var | Buffer) -> _Key:
        return self.memory.of(x) if isinstance(x, Var) and x.is_array else x

    def _maker(self, x: Operand) -> Assign | None:
        """What makes a number, or all that is ever in an array."""
        if not isinstance(x, Var) or (x.is_array and self.memory.of(x) in self.written):
            return None
        return self.made.get(x)

    def _want(self, operand: Operand, level: int) -> None:
        if level == FREE:
            return
        for x in [operand] if isinstance(operand, Buffer) else variables(operand):
            if isinstance(x, Var) and np.dtype(x.type.dtype).kind not in "fc":
                continue
            if self.level[self._key(x)] < level:
                self.level[self._key(x)] = level
                self.changed = True

    def _look_at(self, s: Stmt) -> None:
        if isinstance(s, Assign):
            for operand, level in self._of_operands(s):
                self._want(operand, level)
        elif isinstance(s, Store):
            level = self.of(s.array)
            if s.accumulate or level == ORDER:
                level = _whole(level)
                self._want(s.array, level)
            self._want(s.value, level)
        elif isinstance(s, (For, While)):
            for c in s.carried:
                level = max(self.of(v) for v in (c.phi, c.result, c.init, c.out))
                self._want((c.phi, c.result, c.init, c.out), level)
        elif isinstance(s, If):
            for m in s.merges:
                self._want((m.then, m.orelse), self.of(m.result))
        elif isinstance(s, Keep):
            self._want(s.value, self.of(s.buffer))
        elif isinstance(s, Restore):
            self._want(s.buffer, self.of(s.target))
        elif isinstance(s, (Check, Print)):
            self._want(s.message if isinstance(s, Check) else s.args, ALL)  # it is printed

    def _of_operands(self, s: Assign) -> Iterator[tuple[Operand, int]]:
        """What has to be of the operands, so that the result is what it has to be."""
        level = max((self.of(t) for t in s.targets), default=FREE)
        name = s.name
        if name == "cast":
            to = np.dtype(s.targets[0].type.dtype).kind
            yield s.args[0], level if to in "fc" else ALL
        elif name in MOVES:
            yield s.args, level
        elif name in PRODUCTS:
            yield s.args, _beyond_sign(level, level)
        elif name in OF_ORDER:
            yield s.args, max(_whole(level), ORDER)
        elif name in POSITIVE:
            yield s.args, _beyond_sign(level, FREE)
        elif (
            name in SUMS
            and FREE < level <= SIGN
            and all(self._is_never_negative(a, DEEPEST) for a in _terms(s))
        ):
            # Beside a number above zero it matters for none of the others where they are zero.
            yield s.args, FREE if any(_is_positive(a) for a in _terms(s)) else level
        elif name in SMOOTH:
            yield s.args, _whole(level)
        elif name in ROOTS:
            yield s.args, _beyond_sign(level, max(level, DOMAIN))
        elif name == "absolute":
            yield s.args, _beyond_sign(level, SIGN)
        elif name in LOGARITHMS:
            yield s.args, max(_whole(level), DOMAIN)
        elif name == "sign":
            yield s.args, SIGN
        elif name == "power":
            base, exponent = s.args[:2]
            known = isinstance(exponent, Const) and isinstance(exponent.value, (int, float))
            whole = known and float(exponent.value).is_integer()
            yield base, _beyond_sign(level, level if whole else max(level, DOMAIN)) if known else ALL
            yield exponent, ALL
        elif name in COMPARISONS or name in EXTREMES:
            if name in COMPARISONS and self._only_spares_a_product(s):
                return
            to_zero = len(s.args) == 2 and any(_is_zero(a) for a in s.args)
            yield s.args, _beyond_sign(level, SIGN) if to_zero else ALL
        elif name not in OF_SHAPES:
            yield s.args, ALL

    def _only_spares_a_product(self, s: Assign) -> bool:
        """Whether zero only takes the place of a product with a number where that is zero.

        So a derivative that is zero stays it whatever it would be multiplied by.
        """
        x, zero = s.args
        if s.name not in ("equal", "not_equal") or not isinstance(x, Var) or not _is_zero(zero):
            return False
        for use in self.read[s.target]:
            if not isinstance(use, Assign) or use.name != "where" or use.args[0] is not s.target:
                return False
            chosen, other = use.args[1:] if s.name == "not_equal" else (use.args[2], use.args[1])
            if not _is_zero(other) or not self._has_factor(chosen, x, DEEPEST):
                return False
        return True

    def _is_never_negative(self, x: Operand, depth: int) -> bool:
        if isinstance(x, Const):
            return isinstance(x.value, (int, float)) and x.value >= 0
        s = self._maker(x)
        if s is None or depth == 0:
            return False
        parts = s.args[1:] if s.name == "where" else s.args[:1] if s.name in MOVES else _terms(s)
        squared = s.name == "square" or (s.name == "multiply" and s.args[0] is s.args[1])
        return (
            s.name in POSITIVE
            or s.name in ("sqrt", "root", "absolute")
            or squared
            or (
                s.name in SUMS | MOVES | {"multiply", "divide"}
                and all(self._is_never_negative(a, depth - 1) for a in parts)
            )
        )

    def _has_factor(self, product: Atom, x: Var, depth: int) -> bool:
        if product is x:
            return True
        made = self._maker(product)
        if made is None or depth == 0:
            return False
        factors = {"multiply": made.args, "divide": made.args[:1], "negative": made.args}.get(made.name, ())
        return any(self._has_factor(a, x, depth - 1) for a in factors)


def _whole(level: int) -> int:
    """What has to be of terms, so that as much is of their sum: of the sign of a sum every bit decides."""
    return ALL if level > FREE else FREE


def _beyond_sign(level: int, otherwise: int) -> int:
    """Every bit, where more is wanted than the sign and zeros."""
    return ALL if level > SIGN else otherwise


def _terms(s: Assign) -> tuple[Operand, ...]:
    """What a sum is of: of a sum over an axis, the array."""
    return s.args if s.name in ("add", "multiply", "divide") else s.args[:1]


def _is_positive(x: Operand) -> bool:
    return isinstance(x, Const) and isinstance(x.value, (int, float)) and x.value > 0


def _is_zero(x: Operand) -> bool:
    return isinstance(x, Const) and isinstance(x.value, (int, float)) and x.value == 0
