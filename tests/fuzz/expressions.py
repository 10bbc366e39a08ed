"""Random expressions for numbers, vectors and matrices, of what a scope holds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.choices import Choices

LENGTH = 5
ROWS = 3


@dataclass
class Scope:
    """The names that have a value here, by kind."""

    numbers: list[str]
    vectors: dict[str, int]  # name -> length
    matrices: list[str]
    indices: dict[str, int]  # name -> number of values, from zero
    functions: list[str] = field(default_factory=list)  # of one number, defined in the program
    pairs: list[str] = field(default_factory=list)  # tuples and lists of two numbers
    dicts: list[str] = field(default_factory=list)  # with the keys "a" (a number) and "v" (five numbers)
    lists: list[str] = field(default_factory=list)  # of numbers, never empty, of any length
    optionals: list[str] = field(default_factory=list)  # numbers, or None
    in_loop: bool = False
    in_function: bool = False
    depth: int = 0

    def inner(self, in_loop: bool | None = None) -> Scope:
        return Scope(
            list(self.numbers),
            dict(self.vectors),
            list(self.matrices),
            dict(self.indices),
            list(self.functions),
            list(self.pairs),
            list(self.dicts),
            list(self.lists),
            list(self.optionals),
            self.in_loop if in_loop is None else in_loop,
            self.in_function,
            self.depth + 1,
        )


class Expressions:
    """The part of the writer that makes expressions."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.fresh = itertools.count(1)

    def pick(self, options: Iterable[Any]) -> Any:
        return self.choices.pick(options)

    def coin(self) -> bool:
        return self.choices.coin()

    def constant(self) -> str:
        return str(self.pick(["0.5", "1.5", "-0.7", "2", "0.3"]))

    def index(self, scope: Scope, length: int) -> str:
        options = [str(k) for k in range(-length, length)]
        for name, count in scope.indices.items():
            options += [f"{name} % {length}" if count > length else name, f"({name} + 1) % {length}"]
            if count <= length:
                options.append(f"{name} - 1")
        return str(self.pick(options))

    # --- numbers -----------------------------------------------------------------------------------------

    def number(self, scope: Scope, depth: int = 2) -> str:
        kinds = ["name", "name", "constant", "element", "matrix_element"]
        kinds += ["position"] if scope.indices else []
        kinds += ["pair_element"] if scope.pairs else []
        kinds += ["entry"] if scope.dicts else []
        kinds += ["list_element"] * 2 if scope.lists else []
        kinds += ["optional"] * 2 if scope.optionals else []
        if depth:
            kinds += ["binary", "binary", "call", "choice", "helper", "reduction", "dot", "norm", "built_in"]
            kinds += ["generator", "closure_call"] if scope.functions else ["generator"]
        return str(getattr(self, f"_{self.pick(kinds)}")(scope, depth))

    def _name(self, scope: Scope, depth: int) -> str:
        return str(self.pick(scope.numbers))

    def _constant(self, scope: Scope, depth: int) -> str:
        return self.constant()

    def _element(self, scope: Scope, depth: int) -> str:
        v = self.pick(scope.vectors)
        return f"{v}[{self.index(scope, scope.vectors[v])}]"

    def _matrix_element(self, scope: Scope, depth: int) -> str:
        return f"{self.pick(scope.matrices)}[{self.index(scope, ROWS)}, {self.index(scope, LENGTH)}]"

    def _position(self, scope: Scope, depth: int) -> str:
        return f"0.2 * {self.pick(scope.indices)}"

    def _pair_element(self, scope: Scope, depth: int) -> str:
        return f"{self.pick(scope.pairs)}[{self.pick([0, 1, -1])}]"

    def _entry(self, scope: Scope, depth: int) -> str:
        d = self.pick(scope.dicts)
        return str(self.pick([f"{d}['a']", f"{d}['v'][{self.index(scope, LENGTH)}]"]))

    def _list_element(self, scope: Scope, depth: int) -> str:
        known = self.pick(scope.lists)
        e = f"e{next(self.fresh)}"
        return str(
            self.pick(
                [
                    f"{known}[0]",
                    f"{known}[-1]",
                    f"sum({known})",
                    f"max({known})",
                    f"np.mean({known})",
                    f"0.1 * len({known})",
                    f"{known}[len({known}) // 2]",
                    f"sum({e} * {e} for {e} in {known})",
                    f"np.array({known})[-1]",
                    f"sum([{e} * 0.5 for {e} in {known} if {e} > {self.constant()}])",
                ]
            )
        )

    def _optional(self, scope: Scope, depth: int) -> str:
        o = self.pick(scope.optionals)
        return str(
            self.pick(
                [
                    f"({self.constant()} if {o} is None else {o})",
                    f"({o} * 0.5 if {o} is not None else {self.constant()})",
                    f"({o} or {self.constant()})",
                ]
            )
        )

    def _binary(self, scope: Scope, depth: int) -> str:
        return f"({self.number(scope, depth - 1)} {self.pick('+-*')} {self.number(scope, depth - 1)})"

    def _call(self, scope: Scope, depth: int) -> str:
        return f"np.{self.pick(['sin', 'cos', 'tanh', 'arctan'])}({self.number(scope, depth - 1)})"

    def _choice(self, scope: Scope, depth: int) -> str:
        yes, no = self.number(scope, depth - 1), self.number(scope, depth - 1)
        return f"({yes} if {self.condition(scope)} else {no})"

    def _helper(self, scope: Scope, depth: int) -> str:
        return str(
            self.pick(
                [
                    f"mixed({self.number(scope, 0)}, {self.number(scope, 0)})",
                    f"clamped({self.number(scope, 0)}, {self.constant()})",
                    f"bracketed({self.number(scope, 0)}, {self.number(scope, 0)}, high={self.constant()})",
                    f"energy({self.vector(scope, None, 0)[0]})",
                    f"spread({self.vector(scope, None, 0)[0]})[{self.pick([0, 1])}]",
                    f"chain({self.number(scope, 0)}, {self.pick([0, 1, 3])})",
                ]
            )
        )

    def _closure_call(self, scope: Scope, depth: int) -> str:
        return f"{self.pick(scope.functions)}({self.number(scope, 0)})"

    def _reduction(self, scope: Scope, depth: int) -> str:
        if self.coin():
            return f"np.{self.pick(['mean', 'sum', 'max'])}({self.matrix(scope, 1)})"
        return f"np.{self.pick(['mean', 'max', 'min', 'sum'])}({self.vector(scope, None, 0)[0]})"

    def _dot(self, scope: Scope, depth: int) -> str:
        v, n = self.vector(scope, None, 0)
        w, _ = self.vector(scope, n, 0)
        return f"0.2 * ({v} @ {w})"

    def _norm(self, scope: Scope, depth: int) -> str:
        return f"np.sqrt(1.0 + np.sum({self.vector(scope, None, 0)[0]} ** 2))"

    def _built_in(self, scope: Scope, depth: int) -> str:
        one, other = self.number(scope, 0), self.number(scope, 0)
        return str(
            self.pick(
                [
                    f"max({one}, {other})",
                    f"min({one}, {other}, {self.constant()})",
                    f"abs({one})",
                    f"float({one})",
                    f"sum([{one}, {other}])",
                    f"math.sin({one})",
                ]
            )
        )

    def _generator(self, scope: Scope, depth: int) -> str:
        j = f"j{next(self.fresh)}"
        inner = scope.inner()
        inner.indices[j] = 3
        iterated = self.pick(["range(3)", "range(1, 3)", "(0, 2)"])
        return f"sum(0.5 * {self.number(inner, 0)} for {j} in {iterated})"

    def condition(self, scope: Scope) -> str:
        first = f"{self.number(scope, 0)} {self.pick('<>')} {self.number(scope, 0)}"
        kind = self.pick(["plain", "plain", "and", "or", "not", "chained", "any", "parity"])
        if kind in ("and", "or"):
            return f"({first} {kind} {self.number(scope, 0)} {self.pick('<>')} {self.constant()})"
        if kind == "not":
            return f"not {first}"
        if kind == "chained":
            return f"-0.6 < {first}"
        if kind == "any":
            return f"np.{self.pick(['any', 'all'])}({self.vector(scope, None, 0)[0]} > {self.constant()})"
        if kind == "parity" and scope.indices:
            return f"{self.pick(scope.indices)} % 2 == {self.pick('01')}"
        return first

    # --- vectors -----------------------------------------------------------------------------------------

    def vector(self, scope: Scope, length: int | None, depth: int = 1) -> tuple[str, int]:
        """An expression for a vector of a length (any, for None), and the length."""
        n = length if length is not None else self.pick(sorted(set(scope.vectors.values())))
        names = [v for v, k in scope.vectors.items() if k == n]
        longer = [v for v, k in scope.vectors.items() if k > n]
        leaves = ["vector_name"] * 3 if names else []
        leaves += ["part"] * 2 if longer else []
        leaves += ["row"] if n == LENGTH else []
        leaves += ["column"] if n == ROWS else []
        leaves += ["vector_entry"] if n == LENGTH and scope.dicts else []
        if not leaves:
            return f"np.full({n}, {self.number(scope, 0)})", n
        kinds = list(leaves)
        if depth:
            kinds += ["scaled", "arithmetic", "mapped", "where", "filled", "fancy", "comprehension", "listed"]
            kinds += ["smoothed", "turned", "extended", "cumulated"] if names else []
            kinds += ["product", "reduced"] if n in (ROWS, LENGTH) else []
        return str(getattr(self, f"_{self.pick(kinds)}")(scope, n)), n

    def _vector_name(self, scope: Scope, n: int) -> str:
        return str(self.pick([v for v, k in scope.vectors.items() if k == n]))

    def _part(self, scope: Scope, n: int) -> str:
        v = self.pick([v for v, k in scope.vectors.items() if k > n])
        return f"{v}[{self.slice_of(scope.vectors[v], n)}]"

    def _row(self, scope: Scope, n: int) -> str:
        return f"{self.pick(scope.matrices)}[{self.index(scope, ROWS)}]"

    def _column(self, scope: Scope, n: int) -> str:
        return f"{self.pick(scope.matrices)}[:, {self.index(scope, LENGTH)}]"

    def _vector_entry(self, scope: Scope, n: int) -> str:
        return f"{self.pick(scope.dicts)}['v']"

    def _scaled(self, scope: Scope, n: int) -> str:
        return f"{self.number(scope, 0)} * {self.vector(scope, n, 0)[0]}"

    def _arithmetic(self, scope: Scope, n: int) -> str:
        return f"({self.vector(scope, n, 0)[0]} {self.pick('+-*')} {self.vector(scope, n, 0)[0]})"

    def _mapped(self, scope: Scope, n: int) -> str:
        return f"np.{self.pick(['sin', 'tanh', 'cos'])}({self.vector(scope, n, 0)[0]})"

    def _where(self, scope: Scope, n: int) -> str:
        v, w = self.vector(scope, n, 0)[0], self.vector(scope, n, 0)[0]
        return f"np.where({v} > {self.constant()}, {w}, {self.number(scope, 0)})"

    def _filled(self, scope: Scope, n: int) -> str:
        return f"np.full({n}, {self.number(scope, 0)})"

    def _fancy(self, scope: Scope, n: int) -> str:
        v = self.pick(scope.vectors)
        positions = [self.choices.between(-scope.vectors[v], scope.vectors[v] - 1) for _ in range(n)]
        return f"{v}[{positions if self.coin() else f'np.array({positions})'}]"

    def _comprehension(self, scope: Scope, n: int) -> str:
        j = f"j{next(self.fresh)}"
        inner = scope.inner()
        inner.indices[j] = n
        trips = f"range({n})" if n != LENGTH else self.pick([f"range({n})", "range(x.shape[0])"])
        return f"np.array([{self.number(inner, 1)} for {j} in {trips}])"

    def _listed(self, scope: Scope, n: int) -> str:
        return f"np.array([{', '.join(self.number(scope, 0) for _ in range(n))}])"

    def _smoothed(self, scope: Scope, n: int) -> str:
        return f"smoothed({self._vector_name(scope, n)})"

    def _turned(self, scope: Scope, n: int) -> str:
        v = self._vector_name(scope, n)
        return str(self.pick([f"{v}[::-1]", f"np.roll({v}, 1)", f"np.concatenate(({v}[1:], {v}[:1]))"]))

    def _extended(self, scope: Scope, n: int) -> str:
        return f"spread({self._vector_name(scope, n)})[2]"

    def _cumulated(self, scope: Scope, n: int) -> str:
        return f"np.cumsum({self._vector_name(scope, n)})"

    def _product(self, scope: Scope, n: int) -> str:
        if n == ROWS:
            return f"0.3 * ({self.matrix(scope, 0)} @ {self.vector(scope, LENGTH, 0)[0]})"
        return f"0.3 * ({self.vector(scope, ROWS, 0)[0]} @ {self.matrix(scope, 0)})"

    def _reduced(self, scope: Scope, n: int) -> str:
        axis = 1 if n == ROWS else 0
        return f"np.{self.pick(['sum', 'mean', 'max'])}({self.matrix(scope, 1)}, axis={axis})"

    def slice_of(self, length: int, n: int) -> str:
        """A slice of `n` elements out of `length`."""
        a = self.pick(range(length - n + 1))
        forms = [f"{a}:{a + n}"]
        if a == 0:
            forms.append(f":{n}")
        if a + n == length:
            forms += [f"{a}:", f"{a - length}:"] if a else []
        elif a + n < length:
            forms.append(f"{a}:{a + n - length}")
        if 2 * (n - 1) < length and n > 1:
            forms.append(f":{2 * n - 1}:2")
            forms.append(f"{2 * n - 2}::-2")
        return str(self.pick(forms))

    # --- matrices ----------------------------------------------------------------------------------------

    def matrix(self, scope: Scope, depth: int = 1) -> str:
        """An expression for a matrix of ROWS rows and LENGTH columns."""
        kinds = ["name", "name"]
        if depth:
            kinds += [
                "scaled",
                "binary",
                "mapped",
                "outer",
                "broadcast",
                "where",
                "product",
                "stack",
                "turned",
            ]
        m = str(self.pick(scope.matrices))
        match self.pick(kinds):
            case "scaled":
                return f"{self.number(scope, 0)} * {m}"
            case "binary":
                return f"({m} {self.pick('+-*')} {self.pick(scope.matrices)})"
            case "mapped":
                return f"np.{self.pick(['sin', 'tanh'])}({m})"
            case "outer":
                return f"np.outer({self.vector(scope, ROWS, 0)[0]}, {self.vector(scope, LENGTH, 0)[0]})"
            case "broadcast":
                column = f"{self.vector(scope, ROWS, 0)[0]}[:, None]"
                return f"({m} {self.pick('+*')} {self.pick([column, self.vector(scope, LENGTH, 0)[0]])})"
            case "where":
                return (
                    f"np.where({m} > {self.constant()}, {self.pick(scope.matrices)}, {self.number(scope, 0)})"
                )
            case "product":
                return f"0.1 * ({m} @ {self.pick(scope.matrices)}.T @ {self.pick(scope.matrices)})"
            case "stack":
                rows = ", ".join(self.vector(scope, LENGTH, 0)[0] for _ in range(ROWS))
                return f"np.stack([{rows}])"
            case "turned":
                return str(self.pick([f"{m}[::-1]", f"{m}[:, ::-1]", f"np.reshape({m}.T, (3, 5))"]))
        return m
