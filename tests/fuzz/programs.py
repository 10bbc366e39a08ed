"""Random programs: well typed, bounded, smooth almost everywhere, over all constructs that move values about.

A program is a function of two vectors, a matrix and two numbers, drawn statement by statement. Hypothesis draws
those of a campaign, so that a finding shrinks to a few lines; a seed determines those of the fixed slice.
"""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.fuzz.choices import Choices, Drawn, Seeded
from tests.fuzz.expressions import LENGTH, ROWS, Expressions, Scope

HELPERS = """
import math

import numpy as np


def mixed(a, b):
    return np.sin(a) * b + 0.5 * a


def clamped(a, limit):
    if a > limit:
        return limit + 0.1 * (a - limit)
    return a


def bracketed(a, low=0.0, *, high=1.0):
    if a < low:
        return low * 0.5 + a * a * 0.1
    elif a > high:
        return np.arctan(a)
    for k in range(3):
        a = a * 0.5 + low * 0.1
        if a < 0.1:
            return a * k
    return a + high


def chain(a, n):
    return a if n == 0 else np.sin(chain(a, n - 1)) + 0.3 * a


def smoothed(v):
    out = np.zeros_like(v)
    for i in range(v.shape[0]):
        out[i] = 0.5 * v[i] + 0.3 * v[i - 1]
    return out


def spread(v):
    low, total = v[0], 0.0
    for e in v:
        low = min(low, e)
        total += e
    return low, total / len(v), v * 0.5 - low


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
STATEMENTS = (
    "new_number new_number rebind_number augment_number tuple new_vector rebind_vector augment_vector "
    "element element slice mask fancy_write add_at view view copy alias swap helper_write found "
    "matrix_element row column block matrix rebind_matrix augment_matrix pair change_pair dict change_dict "
    "list_filled closure delete return list append append change_list pop extend rebind_list "
    "optional set_optional chosen_function"
).split()
# In a nested function these would make the outer name a local one without a value.
REBINDING = (
    "rebind_vector augment_vector swap rebind_matrix augment_matrix change_pair delete rebind_list set_optional"
).split()
COMPOUND = "if if for for while elements enumerated zipped rows ping_pong backwards".split()
GREATEST = 1e6
NOISE = 1e-14
_numbers = itertools.count()


@dataclass(eq=False)
class Generated:
    """The text of a program, the function, and inputs for it."""

    text: str
    seed: int
    sizes: tuple[tuple[int, int], ...] = ((ROWS, LENGTH),)  # of the matrix: each a call of its own
    function: Callable[..., Any] = field(init=False)
    # The same, but a number without end, or so great that others are lost beside it, is an ArithmeticError.
    strict: Callable[..., Any] = field(init=False)
    # The same as strict, every number that is computed moved a little: one that is well conditioned hardly differs.
    shaken: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        whole = f"{HELPERS}\n\n{self.text}"
        file = f"<fuzz-{next(_numbers)}>"
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        tree = ast.parse(whole)
        self.function = _made(tree, file)
        watched = ast.fix_missing_locations(_Watched().visit(tree))
        self.strict = _made(watched, file, looked_at=_moderate)
        self.shaken = _made(watched, file, looked_at=_moved)

    def arguments(self, size: int = 0) -> tuple[Any, ...]:
        r = np.random.default_rng(self.seed)
        rows, length = self.sizes[size]
        return (
            r.normal(size=length),
            r.normal(size=length),
            r.normal(size=(rows, length)),
            float(r.normal()),
            float(r.normal()),
        )

    def __repr__(self) -> str:
        return f"Generated with seed {self.seed}:\n{self.text}"


def _made(tree: ast.Module, file: str, **known: Any) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": "fuzz", **known}
    exec(compile(tree, file, "exec"), names)
    program: Callable[..., Any] = names["program"]
    return program


def _moderate(value: Any) -> Any:
    """Differences of a program say nothing where the rest of a sum is lost beside one huge term: `a + b - a`."""
    if isinstance(value, float | np.ndarray) and not np.all(np.abs(value) <= GREATEST):
        raise OverflowError(f"{value} is too great for differences")
    return value


def _moved(value: Any) -> Any:
    """The number, or the array in its own memory, moved by what rounding would.

    Equal numbers alike and opposites not, but equal elements apart: what is symmetric in the primal by chance may
    be so only there.
    """
    if isinstance(value, float):
        return value * (1.0 + NOISE * np.cos(1e3 * value + 1.0))
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        place = np.arange(value.size, dtype=float).reshape(value.shape)
        value *= 1.0 + NOISE * np.cos(1e3 * value + 1.0 + place)
    return value


class _Watched(ast.NodeTransformer):
    """Floats become NumPy's, whose overflow can be caught, and what is computed is looked at.

    A name for what another name stands for is not: the two stay equal.
    """

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, float):
            return node
        return ast.Call(ast.parse("np.float64", mode="eval").body, [node], [])

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if isinstance(node.value, ast.Name | ast.Constant):
            self.generic_visit(node)
            return [node]
        return self._looked_at(node, node.targets[0])

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        return self._looked_at(node, node.target)

    def _looked_at(self, node: ast.stmt, target: ast.expr) -> list[ast.stmt]:
        self.generic_visit(node)
        looks = []
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(part, ast.Name):
                looks.append(f"{part.id} = looked_at({part.id})")
            elif isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
                looks.append(f"looked_at({part.value.id})")
        return [node, *(ast.copy_location(ast.parse(look).body[0], node) for look in looks)]


class Writer(Expressions):
    """Draws one program."""

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.lines: list[str] = []

    def program(self) -> str:
        scope = Scope(["s", "t"], {"x": LENGTH, "y": LENGTH}, ["m"], {})
        self.lines = ["def program(x, y, m, s, t):"]
        self.block(scope, 1, self.choices.between(3, 14))
        parts = [
            self.number(scope, 2),
            *(f"np.sum({v})" for v in scope.vectors),
            *scope.numbers,
            *(f"np.sum({a} * {a})" for a in scope.matrices),
            *(f"{p}[0] * {p}[1]" for p in scope.pairs),
            *(f"sum({d}['v']) * {d}['a']" for d in scope.dicts),
            *(f"sum({v}) * {v}[-1]" for v in scope.lists),
            *(f"(0.5 if {o} is None else {o})" for o in scope.optionals),
        ]
        self.line(1, f"return {' + '.join(f'np.tanh({p})' for p in parts)}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, scope: Scope, depth: int, count: int) -> None:
        start = len(self.lines)
        for _ in range(max(1, count)):
            self.statement(scope, depth)
        if len(self.lines) == start:
            self.line(depth, "pass")

    def statement(self, scope: Scope, depth: int) -> None:
        kinds = [*STATEMENTS, *(COMPOUND * 2 if scope.depth < 3 else [])]
        kinds += ["break", "continue"] * 2 if scope.in_loop else []
        kinds = [k for k in kinds if not (scope.in_function and k in REBINDING)]
        getattr(self, f"_write_{self.pick(kinds)}")(scope, depth)

    def a_vector(self, scope: Scope, length: int | None = None) -> str:
        return str(self.pick([v for v, n in scope.vectors.items() if length in (None, n)]))

    # --- numbers -----------------------------------------------------------------------------------------

    def _write_new_number(self, scope: Scope, depth: int) -> None:
        value = self.number(scope)
        name = f"a{next(self.fresh)}"
        self.line(depth, f"{name} = {value}")
        scope.numbers.append(name)

    def _write_rebind_number(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"{self.pick(scope.numbers)} = {self.number(scope)}")

    def _write_augment_number(self, scope: Scope, depth: int) -> None:
        value = self.number(scope)
        self.line(depth, f"{self.pick(scope.numbers)} {self.pick(['+=', '-=', '*='])} np.tanh({value})")

    def _write_tuple(self, scope: Scope, depth: int) -> None:
        a, b = self.pick(scope.numbers), self.pick(scope.numbers)
        if a != b:
            self.line(depth, f"{a}, {b} = {self.number(scope)}, np.sin({a})")

    def _write_delete(self, scope: Scope, depth: int) -> None:
        if scope.depth == 0 and len(scope.numbers) > 2:
            self.line(depth, f"del {scope.numbers.pop()}")

    # --- vectors -----------------------------------------------------------------------------------------

    def _write_new_vector(self, scope: Scope, depth: int) -> None:
        value, n = self.vector(scope, None)
        name = f"v{next(self.fresh)}"
        self.line(depth, f"{name} = {value} * 0.9")
        scope.vectors[name] = n

    def _write_rebind_vector(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        self.line(depth, f"{v} = np.tanh({self.vector(scope, scope.vectors[v])[0]})")

    def _write_augment_vector(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        value = self.vector(scope, scope.vectors[v])[0] if self.coin() else self.number(scope)
        self.line(depth, f"{v} {self.pick(['+=', '-=', '*='])} np.sin({value})")

    def _write_element(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        k = self.index(scope, scope.vectors[v])
        self.line(depth, f"{v}[{k}] {self.pick(['=', '=', '+=', '*='])} np.tanh({self.number(scope)})")

    def _write_slice(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        n = self.choices.between(1, scope.vectors[v])
        value = self.vector(scope, n)[0] if n in scope.vectors.values() else self.number(scope)
        self.line(depth, f"{v}[{self.slice_of(scope.vectors[v], n)}] {self.pick(['=', '+=', '*='])} {value}")

    def _write_mask(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        w = self.vector(scope, scope.vectors[v], 0)[0]
        mask = f"{w} {self.pick('<>')} {self.constant()}"
        value = self.number(scope) if self.coin() else f"np.sin({v}[{mask}])"
        self.line(depth, f"{v}[{mask}] {self.pick(['=', '+=', '*='])} {value}")

    def _write_fancy_write(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        places = list(range(scope.vectors[v]))[:: self.pick([1, 2, -1, -2])]
        value = self.number(scope) if self.coin() else f"np.sin({v}[{places[::-1]}])"
        self.line(depth, f"{v}[{places}] {self.pick(['=', '+=', '*='])} {value}")

    def _write_add_at(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        places = [self.choices.between(0, scope.vectors[v] - 1) for _ in range(3)]
        value = self.vector(scope, 3, 0)[0] if 3 in scope.vectors.values() else self.number(scope)
        self.line(depth, f"np.add.at({v}, {places}, {value})")

    def _write_view(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        n = self.choices.between(1, scope.vectors[v])
        name = f"w{next(self.fresh)}"
        source = f"{v}[{self.slice_of(scope.vectors[v], n)}]"
        if n in (ROWS, LENGTH) and self.coin():
            source = self._row(scope, n) if n == LENGTH else self._column(scope, n)
        self.line(depth, f"{name} = {source}")
        scope.vectors[name] = n

    def _write_copy(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        name = f"c{next(self.fresh)}"
        self.line(depth, f"{name} = {v}.copy()")
        scope.vectors[name] = scope.vectors[v]

    def _write_alias(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        name = f"b{next(self.fresh)}"
        self.line(depth, f"{name} = {v}")
        scope.vectors[name] = scope.vectors[v]

    def _write_swap(self, scope: Scope, depth: int) -> None:
        v = self.a_vector(scope)
        w = self.a_vector(scope, scope.vectors[v])
        if v != w:
            self.line(depth, f"{v}, {w} = {w}, {v}")

    def _write_helper_write(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"decayed({self.a_vector(scope)}, {self.number(scope, 0)})")

    def _write_found(self, scope: Scope, depth: int) -> None:
        v, w = self.a_vector(scope), self.a_vector(scope)
        k = f"k{next(self.fresh)}"
        self.line(depth, f"{k} = first_above({v}, {self.constant()}) % {scope.vectors[w]}")
        self.line(depth, f"{w}[{k}] {self.pick(['=', '+=', '*='])} {self.number(scope)}")

    # --- matrices ----------------------------------------------------------------------------------------

    def _write_matrix_element(self, scope: Scope, depth: int) -> None:
        target = self._matrix_element(scope, 0)
        self.line(depth, f"{target} {self.pick(['=', '+=', '*='])} np.tanh({self.number(scope)})")

    def _write_row(self, scope: Scope, depth: int) -> None:
        target = f"{self.pick(scope.matrices)}[{self.index(scope, ROWS)}]"
        self.line(depth, f"{target} {self.pick(['=', '+='])} {self.vector(scope, LENGTH)[0]}")

    def _write_column(self, scope: Scope, depth: int) -> None:
        target = f"{self.pick(scope.matrices)}[:, {self.index(scope, LENGTH)}]"
        self.line(depth, f"{target} {self.pick(['=', '*='])} np.sin({self.vector(scope, ROWS)[0]})")

    def _write_block(self, scope: Scope, depth: int) -> None:
        a, b = self.pick(scope.matrices), self.pick(scope.matrices)
        target = f"{a}[{self.pick(['1:', ':2', '::2'])}, {self.pick([':3', '1:4', '::2'])}]"
        value = f"{b}[{self.pick([':2', '1:'])}, {self.pick(['2:', ':3', '::-2'])}]"
        self.line(depth, f"{target} {self.pick(['=', '+=', '*='])} {self.pick([value, self.number(scope)])}")

    def _write_matrix(self, scope: Scope, depth: int) -> None:
        value = self.matrix(scope)
        name = f"m{next(self.fresh)}"
        self.line(depth, f"{name} = 0.5 * {value}" if self.coin() else f"{name} = np.tanh({value})")
        scope.matrices.append(name)

    def _write_rebind_matrix(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"{self.pick(scope.matrices)} = np.tanh({self.matrix(scope)})")

    def _write_augment_matrix(self, scope: Scope, depth: int) -> None:
        value = self.pick([self.matrix(scope, 0), self.vector(scope, LENGTH, 0)[0], self.number(scope)])
        self.line(depth, f"{self.pick(scope.matrices)} {self.pick(['+=', '*='])} np.sin({value})")

    # --- containers and functions ------------------------------------------------------------------------

    def _write_pair(self, scope: Scope, depth: int) -> None:
        parts = f"{self.number(scope)}, {self.number(scope)}"
        name = f"p{next(self.fresh)}"
        self.line(depth, f"{name} = ({parts})" if self.coin() else f"{name} = [{parts}]")
        scope.pairs.append(name)

    def _write_change_pair(self, scope: Scope, depth: int) -> None:
        if scope.pairs:
            p = self.pick(scope.pairs)
            self.line(depth, f"{p} = [np.sin({p}[1]), {self.number(scope)}]")
            self.line(depth, f"{p}[{self.pick('01')}] {self.pick(['=', '+='])} np.sin({self.number(scope)})")

    def _write_list(self, scope: Scope, depth: int) -> None:
        name, e = f"g{next(self.fresh)}", f"e{next(self.fresh)}"
        v = self.a_vector(scope)
        made = [
            f"[{self.number(scope)}]",
            f"[{self.constant()}] * len({v})",
            f"[{self.number(scope, 1)}] + [{e} for {e} in {v} if {e} > {self.constant()}]",
            f"sorted({v})",
            f"list({v})",
        ]
        self.line(depth, f"{name} = {self.pick(made)}")
        scope.lists.append(name)

    def _write_append(self, scope: Scope, depth: int) -> None:
        if scope.lists:
            self.line(depth, f"{self.pick(scope.lists)}.append(np.tanh({self.number(scope)}))")

    def _write_change_list(self, scope: Scope, depth: int) -> None:
        if scope.lists:
            target = f"{self.pick(scope.lists)}[{self.pick(['0', '-1'])}]"
            self.line(depth, f"{target} {self.pick(['=', '+=', '*='])} np.sin({self.number(scope)})")

    def _write_pop(self, scope: Scope, depth: int) -> None:
        if scope.lists:
            known, name = self.pick(scope.lists), f"a{next(self.fresh)}"
            self.line(depth, f"{name} = {known}.pop() if len({known}) > 1 else {self.constant()}")
            scope.numbers.append(name)

    def _write_extend(self, scope: Scope, depth: int) -> None:
        if scope.lists:
            known, v = self.pick(scope.lists), self.a_vector(scope)
            more = self.pick([f"[{self.number(scope)}, {self.number(scope, 0)}]", v])
            self.line(depth, f"{known}.extend({more})" if self.coin() else f"{known} += list({more})")

    def _write_rebind_list(self, scope: Scope, depth: int) -> None:
        if scope.lists:
            known, e = self.pick(scope.lists), f"e{next(self.fresh)}"
            made = [
                f"[{self.number(scope)}]",
                f"[0.5 * {e} for {e} in {known}]",
                f"[{e} for {e} in {known} if {e} < {self.constant()}] + [{self.number(scope, 0)}]",
                f"{known}[:2]",
                f"{self.pick(scope.lists)}[::-1]",
            ]
            self.line(depth, f"{known} = {self.pick(made)}")

    def _write_optional(self, scope: Scope, depth: int) -> None:
        name = f"o{next(self.fresh)}"
        self.line(depth, f"{name} = {self.pick(['None', self.number(scope)])}")
        scope.optionals.append(name)

    def _write_set_optional(self, scope: Scope, depth: int) -> None:
        if scope.optionals:
            o = self.pick(scope.optionals)
            if self.coin():
                self.line(depth, f"if {o} is None or {o} > {self.constant()}:")
                self.line(depth + 1, f"{o} = np.tanh({self.number(scope)})")
            else:
                self.line(depth, f"{o} = {self.pick(['None', f'np.sin({self.number(scope)})'])}")

    def _write_chosen_function(self, scope: Scope, depth: int) -> None:
        name = f"f{next(self.fresh)}"
        other = self.pick([f"(lambda u: 0.5 * u + {self.number(scope, 0)})", "np.cos", "np.arctan"])
        self.line(depth, f"{name} = np.tanh if {self.condition(scope)} else {other}")
        scope.functions.append(name)

    def _write_dict(self, scope: Scope, depth: int) -> None:
        name = f"d{next(self.fresh)}"
        vector = self.vector(scope, LENGTH)[0]
        self.line(depth, f"{name} = {{'a': {self.number(scope)}, 'v': {vector} * 1.0}}")
        scope.dicts.append(name)

    def _write_change_dict(self, scope: Scope, depth: int) -> None:
        if scope.dicts:
            d = self.pick(scope.dicts)
            target = self.pick([f"{d}['a']", f"{d}['v'][{self.index(scope, LENGTH)}]"])
            self.line(depth, f"{target} {self.pick(['=', '+=', '*='])} np.tanh({self.number(scope)})")

    def _write_list_filled(self, scope: Scope, depth: int) -> None:
        name, i = f"l{next(self.fresh)}", f"i{next(self.fresh)}"
        trips = self.pick(["3", "x.shape[0]", "len(y)", "1, 4"])
        inner = scope.inner()
        inner.indices[i] = LENGTH
        self.line(depth, f"{name} = []")
        self.line(depth, f"for {i} in range({trips}):")
        if self.coin():
            self.line(depth + 1, f"{self.pick(scope.numbers)} = np.sin({self.number(inner)})")
        self.line(depth + 1, f"{name}.append({self.number(inner)})")
        if self.coin():
            self.line(depth + 1, f"{self.pick(scope.numbers)} += {name}[-1] * 0.5")
        if self.coin():
            self.line(depth, f"{name} = np.array({name})")
            scope.vectors[name] = LENGTH if trips in ("x.shape[0]", "len(y)") else 3
        else:
            self.line(depth, f"{name} = sum({name}) + {name}[{self.pick([0, -1, 2])}] * len({name})")
            scope.numbers.append(name)

    def _write_closure(self, scope: Scope, depth: int) -> None:
        if scope.in_function or scope.in_loop:
            return  # a loop without trips would leave what the function captures without a value
        f, u = f"f{next(self.fresh)}", f"u{next(self.fresh)}"
        inner = scope.inner(in_loop=False)
        inner.numbers.append(u)
        if self.coin():
            self.line(depth, f"{f} = lambda {u}: {self.number(inner)}")
        else:
            inner.in_function, inner.depth = True, 2
            self.line(depth, f"def {f}({u}, scale=0.5):")
            inner.numbers = [u, "scale"]
            inner.functions = []
            self.line(depth + 1, f"{u} = {u} * scale")
            self.block(inner, depth + 1, self.choices.between(1, 2))
            self.line(depth + 1, f"return {self.number(inner)}")
        scope.functions.append(f)

    # --- flow --------------------------------------------------------------------------------------------

    def _write_if(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.block(scope.inner(), depth + 1, self.choices.between(1, 3))
        kind = self.pick(["none", "else", "elif"])
        if kind == "elif":
            self.line(depth, f"elif {self.condition(scope)}:")
            self.block(scope.inner(), depth + 1, 1)
        if kind != "none":
            self.line(depth, "else:")
            self.block(scope.inner(), depth + 1, self.choices.between(1, 2))

    def body(self, scope: Scope, depth: int, **names: Any) -> None:
        """The body of a loop, with the loop's own names, and perhaps an `else`."""
        inner = scope.inner(in_loop=True)
        inner.numbers += names.get("numbers", [])
        inner.vectors.update(names.get("vectors", {}))
        inner.indices.update(names.get("indices", {}))
        self.block(inner, depth + 1, self.choices.between(1, 4))
        if self.choices.between(0, 9) == 0:
            self.line(depth, "else:")
            self.block(scope.inner(), depth + 1, 1)

    def _write_for(self, scope: Scope, depth: int) -> None:
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
                ("len(m)", 3),
                ("5, len(y)", 5),
            ]
        )
        if scope.indices and self.coin():
            outer = self.pick(scope.indices)
            bounds, count = outer, scope.indices[outer]
        self.line(depth, f"for {i} in range({bounds}):")
        self.body(scope, depth, indices={i: count})

    def _write_backwards(self, scope: Scope, depth: int) -> None:
        i = f"i{next(self.fresh)}"
        self.line(depth, f"for {i} in reversed(range({self.pick(['4', 'len(x)', '1, 3'])})):")
        self.body(scope, depth, indices={i: LENGTH})

    def _write_elements(self, scope: Scope, depth: int) -> None:
        e = f"e{next(self.fresh)}"
        self.line(depth, f"for {e} in {self.pick([*scope.vectors, *scope.pairs])}:")
        self.body(scope, depth, numbers=[e])

    def _write_enumerated(self, scope: Scope, depth: int) -> None:
        i, e = f"i{next(self.fresh)}", f"e{next(self.fresh)}"
        v = self.a_vector(scope)
        self.line(depth, f"for {i}, {e} in enumerate({v}):")
        self.body(scope, depth, numbers=[e], indices={i: LENGTH})

    def _write_zipped(self, scope: Scope, depth: int) -> None:
        d, e = f"e{next(self.fresh)}", f"e{next(self.fresh)}"
        self.line(depth, f"for {d}, {e} in zip({self.a_vector(scope)}, {self.a_vector(scope)}):")
        self.body(scope, depth, numbers=[d, e])

    def _write_rows(self, scope: Scope, depth: int) -> None:
        r = f"r{next(self.fresh)}"
        self.line(depth, f"for {r} in {self.pick(scope.matrices)}:")
        self.body(scope, depth, vectors={r: LENGTH})

    def _write_while(self, scope: Scope, depth: int) -> None:
        k = f"k{next(self.fresh)}"
        self.line(depth, f"{k} = 0")
        self.line(depth, f"while {k} < {self.pick('01345')} and {self.condition(scope)}:")
        self.line(depth + 1, f"{k} += 1")
        self.body(scope, depth, indices={k: 6})

    def _write_ping_pong(self, scope: Scope, depth: int) -> None:
        """Time steps that write into one buffer what they read from the other."""
        old, new = f"v{next(self.fresh)}", f"v{next(self.fresh)}"
        step, i = f"i{next(self.fresh)}", f"i{next(self.fresh)}"
        self.line(depth, f"{old}, {new} = {self.vector(scope, LENGTH)[0]} * 1.0, np.zeros({LENGTH})")
        inner = scope.inner(in_loop=False)
        inner.vectors |= {old: LENGTH, new: LENGTH}
        inner.indices[step] = 5
        self.line(depth, f"for {step} in range({self.pick(['2', '5', 'len(m)', '0'])}):")
        if self.coin():
            inner.indices[i] = LENGTH
            self.line(depth + 1, f"for {i} in range(1, {LENGTH - 1}):")
            self.line(
                depth + 2, f"{new}[{i}] = {old}[{i}] + 0.1 * ({old}[{i} - 1] - {self.number(inner, 1)})"
            )
            del inner.indices[i]
        else:
            self.line(depth + 1, f"{new}[1:-1] = {old}[1:-1] * {self.number(inner, 1)} - 0.2 * {old}[2:]")
        if self.coin():
            self.line(depth + 1, f"{new}[{self.pick(['0', '-1'])}] = {self.number(inner, 1)}")
        self.line(depth + 1, f"{old}, {new} = {new}, {old}")
        scope.vectors[old] = LENGTH

    def _write_break(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, "break")

    def _write_continue(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, "continue")

    def _write_return(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.line(depth + 1, f"return {self.number(scope)}")


@st.composite
def programs(draw: Callable[[Any], Any]) -> Generated:
    """Random programs with inputs."""
    return Generated(Writer(Drawn(draw)).program(), draw(st.integers(0, 3)))


def seeded(seed: int) -> Generated:
    """The program of a number."""
    return Generated(Writer(Seeded(seed)).program(), seed)
