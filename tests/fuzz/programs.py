"""Random programs: well typed, bounded, smooth almost everywhere, over all constructs that move values about.

A program is a function of two vectors, a matrix and two numbers. It is drawn statement by statement from
Hypothesis, so that a finding shrinks to a few lines.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

LENGTH = 5
HELPERS = """
import numpy as np


def mixed(a, b):
    return np.sin(a) * b + 0.5 * a


def clamped(a, limit):
    if a > limit:
        return limit + 0.1 * (a - limit)
    return a


def smoothed(v):
    out = np.zeros_like(v)
    for i in range(v.shape[0]):
        out[i] = 0.5 * v[i] + 0.3 * v[i - 1]
    return out


def decayed(v, rate):
    for i in range(1, v.shape[0]):
        v[i] = v[i] * np.tanh(rate) + 0.2 * v[i - 1]


def first_above(v, limit):
    for i in range(v.shape[0]):
        if v[i] > limit:
            return i
    return 0


def energy(v):
    s = 0.0
    for e in v:
        s += np.cos(e) * e
    return s / v.shape[0]
"""
_numbers = itertools.count()


@dataclass(eq=False)
class Generated:
    """The text of a program, the function, and inputs for it."""

    text: str
    seed: int
    function: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        whole = f"{HELPERS}\n\n{self.text}"
        file = f"<fuzz-{next(_numbers)}>"
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        names: dict[str, Any] = {"__name__": "fuzz"}
        exec(compile(whole, file, "exec"), names)
        self.function = names["program"]

    def arguments(self) -> tuple[Any, ...]:
        r = np.random.default_rng(self.seed)
        return (
            r.normal(size=LENGTH),
            r.normal(size=LENGTH),
            r.normal(size=(3, LENGTH)),
            float(r.normal()),
            float(r.normal()),
        )

    def __repr__(self) -> str:
        return f"Generated with seed {self.seed}:\n{self.text}"


@dataclass
class Scope:
    """The names that have a value here, by kind; `fixed` may not be rebound (loop variables)."""

    numbers: list[str]
    vectors: dict[str, int]  # name -> length
    matrices: list[str]
    indices: dict[str, int]  # name -> number of values, from zero
    in_loop: bool = False
    depth: int = 0

    def inner(self, in_loop: bool | None = None) -> Scope:
        return Scope(
            list(self.numbers),
            dict(self.vectors),
            list(self.matrices),
            dict(self.indices),
            self.in_loop if in_loop is None else in_loop,
            self.depth + 1,
        )


class Writer:
    """Draws one program."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.fresh = itertools.count(1)
        self.budget = draw(st.integers(3, 14))

    def pick(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def program(self) -> str:
        scope = Scope(["s", "t"], {"x": LENGTH, "y": LENGTH}, ["m"], {})
        self.lines = ["def program(x, y, m, s, t):"]
        self.block(scope, 1, self.budget)
        parts = [
            self.number(scope, 2),
            *(f"np.sum({v})" for v in scope.vectors),
            *scope.numbers,
            *(f"np.sum({a} * {a})" for a in scope.matrices),
        ]
        self.line(1, f"return {' + '.join(f'np.tanh({p})' for p in parts)}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # --- expressions -------------------------------------------------------------------------------------

    def constant(self) -> str:
        return self.pick(["0.5", "1.5", "-0.7", "2", "0.3"])

    def index(self, scope: Scope, length: int) -> str:
        options = [str(k) for k in range(-length, length)]
        for name, count in scope.indices.items():
            options += [f"{name} % {length}" if count > length else name, f"({name} + 1) % {length}"]
            if count <= length:
                options.append(f"{name} - 1")
        return self.pick(options)

    def number(self, scope: Scope, depth: int = 2) -> str:
        kind = self.pick(
            ["name", "name", "constant", "element", "matrix element", "sum", "index"]
            + (["binary", "binary", "call", "choice", "helper", "reduction", "dot"] if depth else [])
        )
        if kind == "element" and scope.vectors:
            v = self.pick(scope.vectors)
            return f"{v}[{self.index(scope, scope.vectors[v])}]"
        if kind == "matrix element" and scope.matrices:
            return f"{self.pick(scope.matrices)}[{self.index(scope, 3)}, {self.index(scope, LENGTH)}]"
        if kind == "constant":
            return str(self.constant())
        if kind == "index" and scope.indices:
            return f"0.2 * {self.pick(scope.indices)}"
        if kind == "binary":
            return f"({self.number(scope, depth - 1)} {self.pick('+-*')} {self.number(scope, depth - 1)})"
        if kind == "call":
            return f"np.{self.pick(['sin', 'cos', 'tanh', 'arctan'])}({self.number(scope, depth - 1)})"
        if kind == "choice":
            yes, no = self.number(scope, depth - 1), self.number(scope, depth - 1)
            return f"({yes} if {self.condition(scope)} else {no})"
        if kind == "helper":
            return self.pick(
                [
                    f"mixed({self.number(scope, 0)}, {self.number(scope, 0)})",
                    f"clamped({self.number(scope, 0)}, {self.constant()})",
                    f"energy({self.vector(scope, None, 0)[0]})",
                ]
            )
        if kind == "reduction":
            v, _ = self.vector(scope, None, 0)
            return f"np.{self.pick(['mean', 'max', 'min', 'sum'])}({v})"
        if kind == "dot":
            v, n = self.vector(scope, None, 0)
            w, _ = self.vector(scope, n, 0)
            return f"0.2 * ({v} @ {w})"
        return str(self.pick(scope.numbers))

    def condition(self, scope: Scope) -> str:
        first = f"{self.number(scope, 0)} {self.pick('<>')} {self.number(scope, 0)}"
        kind = self.pick(["plain", "plain", "and", "or", "not", "parity"])
        if kind in ("and", "or"):
            return f"({first} {kind} {self.number(scope, 0)} {self.pick('<>')} {self.constant()})"
        if kind == "not":
            return f"not {first}"
        if kind == "parity" and scope.indices:
            return f"{self.pick(scope.indices)} % 2 == {self.pick('01')}"
        return first

    def vector(self, scope: Scope, length: int | None, depth: int = 1) -> tuple[str, int]:
        """An expression for a vector of a length (any, for None), and the length."""
        n = length if length is not None else self.pick(sorted(set(scope.vectors.values())))
        names = [v for v, k in scope.vectors.items() if k == n]
        longer = [v for v, k in scope.vectors.items() if k > n]
        kinds = (
            (["name"] * 3 if names else [])
            + (["slice"] * 2 if longer else [])
            + (["row"] if n == LENGTH else [])
        )
        kinds += ["column"] if n == 3 else []
        if depth or not kinds:
            kinds += ["scaled", "binary", "call", "where", "filled"] + (
                ["helper", "reversed"] if names else []
            )
            kinds += ["product"] if n == 3 else []
        kind = self.pick(kinds)
        if kind == "name":
            return self.pick(names), n
        if kind == "slice":
            v = self.pick(longer)
            return f"{v}[{self.slice_of(scope.vectors[v], n)}]", n
        if kind == "row":
            return f"{self.pick(scope.matrices)}[{self.index(scope, 3)}]", n
        if kind == "column":
            return f"{self.pick(scope.matrices)}[:, {self.index(scope, LENGTH)}]", n
        if kind == "product":
            return f"0.3 * ({self.pick(scope.matrices)} @ {self.vector(scope, LENGTH, 0)[0]})", n
        if kind == "scaled":
            return (
                f"{self.number(scope, 0)} * {self.vector(scope, n, 0)[0]}"
                if names or longer
                else f"np.full({n}, 0.5)",
                n,
            )
        if kind == "binary":
            return (
                f"({self.vector(scope, n, 0)[0]} {self.pick('+-*')} {self.vector(scope, n, 0)[0]})"
                if names or longer
                else f"np.ones({n})",
                n,
            )
        if kind == "call":
            return (
                f"np.{self.pick(['sin', 'tanh', 'cos'])}({self.vector(scope, n, 0)[0]})"
                if names or longer
                else f"np.ones({n})",
                n,
            )
        if kind == "where" and (names or longer):
            v, w = self.vector(scope, n, 0)[0], self.vector(scope, n, 0)[0]
            return f"np.where({v} > {self.constant()}, {w}, {self.number(scope, 0)})", n
        if kind == "helper":
            return f"smoothed({self.pick(names)})", n
        if kind == "reversed":
            return f"{self.pick(names)}[::-1]", n
        return f"np.full({n}, {self.number(scope, 0)})", n

    def slice_of(self, length: int, n: int) -> str:
        """A slice of `n` elements out of `length`."""
        starts = range(length - n + 1)
        a = self.pick(starts)
        forms = [f"{a}:{a + n}"]
        if a == 0:
            forms.append(f":{n}")
        if a + n == length:
            forms += [f"{a}:", f"{a - length}:"] if a else []
        elif a + n < length:
            forms.append(f"{a}:{a + n - length}")
        if 2 * (n - 1) < length and n > 1:
            forms.append(f":{2 * n - 1}:2")
            forms.append(f"{2 * n - 2}::-2" if 2 * n - 2 < length else f":{2 * n - 1}:2")
        return str(self.pick(forms))

    # --- statements --------------------------------------------------------------------------------------

    def block(self, scope: Scope, depth: int, count: int) -> None:
        start = len(self.lines)
        for _ in range(max(1, count)):
            self.statement(scope, depth)
        if len(self.lines) == start:
            self.line(depth, "pass")

    def statement(self, scope: Scope, depth: int) -> None:
        kinds = [
            "number",
            "number",
            "rebind number",
            "augment number",
            "vector",
            "rebind vector",
            "augment vector",
            "element",
            "element",
            "slice",
            "view",
            "copy",
            "alias",
            "swap",
            "helper write",
            "matrix element",
            "row",
            "tuple",
        ]
        if scope.depth < 3:
            kinds += ["if", "if", "for", "for", "while", "for elements"]
        if scope.in_loop:
            kinds += ["break", "continue"]
        kinds += ["return"]
        kind = self.pick(kinds)
        getattr(self, "_" + kind.replace(" ", "_"))(scope, depth)

    def _number(self, scope: Scope, depth: int) -> None:
        value = self.number(scope)
        name = f"a{next(self.fresh)}"
        self.line(depth, f"{name} = {value}")
        scope.numbers.append(name)

    def _rebind_number(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"{self.pick(scope.numbers)} = {self.number(scope)}")

    def _augment_number(self, scope: Scope, depth: int) -> None:
        value = self.number(scope)
        self.line(depth, f"{self.pick(scope.numbers)} {self.pick(['+=', '-=', '*='])} np.tanh({value})")

    def _tuple(self, scope: Scope, depth: int) -> None:
        a, b = self.pick(scope.numbers), self.pick(scope.numbers)
        if a != b:
            self.line(depth, f"{a}, {b} = {self.number(scope)}, np.sin({a})")

    def _vector(self, scope: Scope, depth: int) -> None:
        value, n = self.vector(scope, None)
        name = f"v{next(self.fresh)}"
        self.line(depth, f"{name} = {value} * 0.9")
        scope.vectors[name] = n

    def _rebind_vector(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        self.line(depth, f"{v} = np.tanh({self.vector(scope, scope.vectors[v])[0]})")

    def _augment_vector(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        value = self.vector(scope, scope.vectors[v])[0] if self.draw(st.booleans()) else self.number(scope)
        self.line(depth, f"{v} {self.pick(['+=', '-=', '*='])} np.sin({value})")

    def _element(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        k = self.index(scope, scope.vectors[v])
        self.line(depth, f"{v}[{k}] {self.pick(['=', '=', '+=', '*='])} np.tanh({self.number(scope)})")

    def _matrix_element(self, scope: Scope, depth: int) -> None:
        target = f"{self.pick(scope.matrices)}[{self.index(scope, 3)}, {self.index(scope, LENGTH)}]"
        self.line(depth, f"{target} {self.pick(['=', '+=', '*='])} np.tanh({self.number(scope)})")

    def _row(self, scope: Scope, depth: int) -> None:
        target = f"{self.pick(scope.matrices)}[{self.index(scope, 3)}]"
        self.line(depth, f"{target} {self.pick(['=', '+='])} {self.vector(scope, LENGTH)[0]}")

    def _slice(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        n = self.draw(st.integers(1, scope.vectors[v]))
        value = self.vector(scope, n)[0] if n in scope.vectors.values() else self.number(scope)
        self.line(depth, f"{v}[{self.slice_of(scope.vectors[v], n)}] {self.pick(['=', '+=', '*='])} {value}")

    def _view(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        n = self.draw(st.integers(1, scope.vectors[v]))
        name = f"w{next(self.fresh)}"
        source = f"{v}[{self.slice_of(scope.vectors[v], n)}]"
        if n == LENGTH and self.draw(st.booleans()):
            source = f"{self.pick(scope.matrices)}[{self.index(scope, 3)}]"
        self.line(depth, f"{name} = {source}")
        scope.vectors[name] = n

    def _copy(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        name = f"c{next(self.fresh)}"
        self.line(depth, f"{name} = {v}.copy()")
        scope.vectors[name] = scope.vectors[v]

    def _alias(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        name = f"b{next(self.fresh)}"
        self.line(depth, f"{name} = {v}")
        scope.vectors[name] = scope.vectors[v]

    def _swap(self, scope: Scope, depth: int) -> None:
        v = self.pick(scope.vectors)
        w = self.pick([k for k, n in scope.vectors.items() if n == scope.vectors[v]])
        if v != w:
            self.line(depth, f"{v}, {w} = {w}, {v}")

    def _helper_write(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"decayed({self.pick(scope.vectors)}, {self.number(scope, 0)})")

    def _if(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.block(scope.inner(), depth + 1, self.draw(st.integers(1, 3)))
        kind = self.pick(["none", "else", "elif"])
        if kind == "elif":
            self.line(depth, f"elif {self.condition(scope)}:")
            self.block(scope.inner(), depth + 1, 1)
        if kind != "none":
            self.line(depth, "else:")
            self.block(scope.inner(), depth + 1, self.draw(st.integers(1, 2)))

    def _for(self, scope: Scope, depth: int) -> None:
        i = f"i{next(self.fresh)}"
        bounds, count = self.pick(
            [
                ("3", 3),
                (str(LENGTH), LENGTH),
                ("x.shape[0]", LENGTH),
                ("1, 4", 4),
                ("4, 0, -1", 5),
                ("0, 5, 2", 5),
                ("4, -1, -2", 5),
                ("2, 2", 3),
                ("1", 1),
            ]
        )
        if scope.indices and self.draw(st.booleans()):
            outer = self.pick(scope.indices)
            bounds, count = outer, scope.indices[outer]
        self.line(depth, f"for {i} in range({bounds}):")
        inner = scope.inner(in_loop=True)
        inner.indices[i] = count
        self.block(inner, depth + 1, self.draw(st.integers(1, 4)))

    def _for_elements(self, scope: Scope, depth: int) -> None:
        e = f"e{next(self.fresh)}"
        v = self.pick(scope.vectors)
        self.line(depth, f"for {e} in {v}:")
        inner = scope.inner(in_loop=True)
        inner.numbers.append(e)
        self.block(inner, depth + 1, self.draw(st.integers(1, 3)))

    def _while(self, scope: Scope, depth: int) -> None:
        k = f"k{next(self.fresh)}"
        self.line(depth, f"{k} = 0")
        self.line(depth, f"while {k} < {self.pick('1345')} and {self.condition(scope)}:")
        inner = scope.inner(in_loop=True)
        inner.indices[k] = 5
        self.line(depth + 1, f"{k} += 1")
        inner.indices[k] = 6
        self.block(inner, depth + 1, self.draw(st.integers(1, 3)))

    def _break(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, "break")

    def _continue(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, "continue")

    def _return(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, f"return {self.number(scope)}")


@st.composite
def programs(draw: Callable[[Any], Any]) -> Generated:
    """Random programs with inputs."""
    return Generated(Writer(draw).program(), draw(st.integers(0, 3)))
