"""Print a program as the text of a Python function, with the primal line above each piece of the reverse sweep."""

from __future__ import annotations

import ast
import functools
import os
from typing import Any

from adc.compiler.analysis.positions import all_different, differ
from adc.compiler.backend import sections
from adc.compiler.backend.expressions import attribute, call, name
from adc.compiler.backend.inlining import Inlining
from adc.compiler.backend.keeping import KeepingPrinter
from adc.compiler.backend.naming import Names
from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    If,
    Keep,
    Mark,
    NewBuffer,
    Print,
    Program,
    Restore,
    Room,
    Settle,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    all_blocks,
)
from adc.errors import Location


def run(program: Program) -> str:
    """The text of the function that a program is."""
    return with_origins(program)[0]


def with_origins(program: Program, *, in_sections: bool = False) -> tuple[str, list[Location | None]]:
    """The text of a program, and for each of its lines the line of the user that it comes from.

    `in_sections`: as it is compiled, a large function in several.
    """
    lines: list[str] = []
    for kernel in program.meta.get("kernels", ()):
        emitter = Emitter(kernel)
        emitter.text()
        lines.append("@rt.inner_kernel" if kernel.meta["often"] else "@rt.kernel")
        lines += [*_marks(kernel), *emitter.lines, "", ""]
    emitter = Emitter(program)
    emitter.text()
    if in_sections:
        lines += sections.cut(emitter.lines, emitter.names.kinds(), _marks(program))
    else:
        lines += [*_marks(program), *emitter.lines]
    return "\n".join(lines) + "\n", [getattr(line, "origin", None) for line in lines]


def _marks(program: Program) -> list[str]:
    return [f"@rt.{mark}" for mark in ("wide", "strided", "whole_vectors") if program.meta.get(mark)]


class Emitter(KeepingPrinter):
    """Prints statements, one program at a time."""

    def __init__(self, program: Program) -> None:
        inlining = Inlining(program)
        super().__init__(Names(program, inlining), inlining)
        self.program = program
        self.sweep = program.meta.get("sweep", "")
        self.headings: dict[Stmt, Location | None] = {}
        self.comments: dict[int, tuple[str, int]] = {}  # depth -> the primal line named last there

    @functools.cached_property
    def _different(self) -> set[Var]:
        return all_different(self.program, self.inlining.memory)

    def text(self) -> str:
        params = ", ".join(p.name for p in self.program.params)
        self.lines = [f"def {self.program.name}({params}):"]
        if self.program.doc:
            self.lines.append(f'    """{self.program.doc}"""')
        for block in all_blocks(self.program.body):
            self._find_headings(block)
        self._block(self.program.body, 1)
        self._strike_empty_headings()
        if not self.program.results:
            return "\n".join(self.lines) + "\n"
        results = [self.atom(r) for r in self.program.results]
        value = results[0] if len(results) == 1 else ast.Tuple(results, ast.Load())
        self._line(ast.Return(value), 1)
        return "\n".join(self.lines) + "\n"

    def _strike_empty_headings(self) -> None:
        """`# forward` and `# reverse` tell two sweeps apart: with one of them empty, neither heading says anything."""
        marks = [k for k, line in enumerate(self.lines) if line in ("    # forward", "    # reverse")]
        if len(marks) == 2 and (marks[1] == marks[0] + 1 or marks[1] == len(self.lines) - 1):
            for k in reversed(marks):
                del self.lines[k]

    # --- lines --------------------------------------------------------------------------------------------------

    def _comment(self, origin: Location | None, depth: int) -> None:
        if origin is None or self.sweep in ("", "forward"):
            return
        key = (origin.file, origin.line)
        nearest = max((d for d in self.comments if d <= depth), default=None)
        if nearest is not None and self.comments[nearest] == key:
            return  # the line stands above already, here or at the head of the loop
        self.comments = {d: k for d, k in self.comments.items() if d < depth}
        self.comments[depth] = key
        code = origin.text.strip()
        self._header(f"# {os.path.basename(origin.file)}:{origin.line}: {code}", depth)

    def _leave(self, depth: int) -> None:
        """A region has ended: what was named inside it no longer stands above."""
        self.comments = {d: k for d, k in self.comments.items() if d <= depth}

    # --- statements ---------------------------------------------------------------------------------------------

    def _block(self, block: Block, depth: int) -> None:
        start = len(self.lines)
        for stmt in block:
            self._statement(stmt, depth)
        if all(line.lstrip().startswith("#") for line in self.lines[start:]) and depth > 1:
            self._header("pass", depth)

    def _find_headings(self, block: Block) -> None:
        """What the reverse sweep makes again stands under the line whose reverse asks for it: the next one."""
        heading: Location | None = None
        for stmt in reversed(block):
            if self._is_printed(stmt) and _is_of_adjoints(stmt):
                heading = stmt.origin
            self.headings[stmt] = heading or stmt.origin

    def _is_printed(self, stmt: Stmt) -> bool:
        """Whether a statement has a line, or lines, of its own."""
        if isinstance(stmt, Assign) and stmt.targets:
            return not (stmt.targets[0] in self.inlining.definition or stmt in self.inlining.unread)
        inlined = isinstance(stmt, If) and len(stmt.merges) == 1
        return not (inlined and stmt.merges[0].result in self.inlining.definition)  # type: ignore[union-attr]

    def _statement(self, stmt: Stmt, depth: int) -> None:
        if not self._is_printed(stmt):
            return
        if not isinstance(stmt, Mark):
            self._comment(self.headings[stmt], depth)
        self.origin = stmt.origin
        match stmt:
            case Assign():
                self._assign(stmt, depth)
            case Store():
                self._store(stmt, depth)
            case For():
                self._for(stmt, depth)
            case While():
                self._while(stmt, depth)
            case If():
                self._if(stmt, depth)
            case Check():
                self._check(stmt, depth)
            case Print():
                if "kernels" in self.program.meta:  # the text that Numba compiles
                    self._say(stmt, depth)
                else:
                    self._print(stmt, depth)
            case NewBuffer():
                self._new_buffer(stmt, depth)
            case Keep():
                self._keep(stmt, depth)
            case Room():
                self._room(stmt, depth)
            case Restore():
                self._restore(stmt, depth)
            case Settle():
                self._settle(stmt, depth)
            case Mark():
                self.sweep = stmt.text
                self.comments = {}
                self._header(f"# {stmt.text}", depth)
            case _:
                raise AssertionError(f"{stmt!r} cannot be printed")

    def _assign(self, stmt: Assign, depth: int) -> None:
        if not stmt.targets:
            self._line(ast.Expr(self.operation(stmt)), depth)
            return
        targets = [ast.Name(self.names[t], ast.Store()) for t in stmt.targets]
        target: ast.expr = targets[0] if len(targets) == 1 else ast.Tuple(list(targets), ast.Store())
        value = self.operation(stmt)
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.left, ast.Name)
            and isinstance(target, ast.Name)
            and value.left.id == target.id
            and not stmt.target.is_array
        ):
            self._line(ast.AugAssign(target, value.op, value.right), depth)
            return
        self._line(ast.Assign([target], value), depth)

    def _store(self, stmt: Store, depth: int) -> None:
        value = self.as_type(stmt.value, None)
        whole = all(i == FULL for i in stmt.index)
        array = self.atom(stmt.array)
        if stmt.accumulate and not differ(stmt.index, self._different):
            # `+=` would add only once where a position is repeated.
            self._line(
                ast.Expr(
                    call(
                        ast.Attribute(attribute("np", "add"), "at", ast.Load()),
                        [array, self._as_argument(stmt.index), value],
                    )
                ),
                depth,
            )
            return
        if stmt.accumulate:
            negative = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub)
            op: ast.operator = ast.Sub() if negative else ast.Add()
            value = value.operand if isinstance(value, ast.UnaryOp) and negative else value
            if whole and isinstance(array, (ast.Name, ast.Subscript)):
                self._line(ast.AugAssign(_written(array), op, value), depth)
                return
            self._line(
                ast.AugAssign(ast.Subscript(array, self.index(stmt.index), ast.Store()), op, value), depth
            )
            return
        target = (
            _written(array)
            if whole and isinstance(array, ast.Subscript)
            else ast.Subscript(array, self.index(stmt.index), ast.Store())
        )
        self._line(ast.Assign([target], value), depth)

    def _as_argument(self, index: tuple[Any, ...]) -> ast.expr:
        """An index where no brackets stand around it: slices through np.s_."""
        printed = self.index(index)
        sliced = any(isinstance(i, Slice) for i in index) and any(
            isinstance(n, ast.Slice) for n in ast.walk(printed)
        )
        return ast.Subscript(attribute("np", "s_"), printed, ast.Load()) if sliced else printed

    def _copies(self, pairs: list[tuple[Var, Atom]], depth: int) -> None:
        """Assign several variables at once, as a phi does."""
        wanted = []
        for target, value in pairs:
            if (
                isinstance(value, Var)
                and value not in self.inlining.definition
                and self.names[value] == self.names[target]
            ):
                continue
            wanted.append((self.names[target], self.as_type(value, target.type)))
        targets = {t for t, _ in wanted}
        reads = {n.id for _, v in wanted for n in ast.walk(v) if isinstance(n, ast.Name)}
        if len(wanted) > 1 and targets & reads:
            self._line(
                ast.Assign(
                    [ast.Tuple([ast.Name(t, ast.Store()) for t, _ in wanted], ast.Store())],
                    ast.Tuple([v for _, v in wanted], ast.Load()),
                ),
                depth,
            )
            return
        for text, expression in wanted:
            self._line(ast.Assign([ast.Name(text, ast.Store())], expression), depth)

    def _for(self, stmt: For, depth: int) -> None:
        self._copies([(c.phi, c.init) for c in stmt.carried], depth)
        self._header(
            f"for {self.names[stmt.index]} in {self._range(stmt)}:{'  # ' + stmt.note if stmt.note else ''}",
            depth,
        )
        inner = len(self.lines)
        self._block(stmt.body, depth + 1)
        if self.lines[inner:] == ["    " * (depth + 1) + "pass"] and self._has_copies(stmt):
            self.lines.pop()
        self._copies([(c.phi, c.out) for c in stmt.carried], depth + 1)
        self._leave(depth)

    def _has_copies(self, stmt: For | While) -> bool:
        return any(
            not isinstance(c.out, Var) or self.names.names.get(c.out) != self.names[c.phi]
            for c in stmt.carried
        )

    def _range(self, stmt: For) -> str:
        step = stmt.step
        args = [self.atom(stmt.start), self.atom(stmt.stop)]
        if step != Const(1):
            args.append(self.atom(step))
        elif stmt.start == Const(0):
            args = args[1:]
        return self._expression(call(name("range"), args))

    def _while(self, stmt: While, depth: int) -> None:
        self._copies([(c.phi, c.init) for c in stmt.carried], depth)
        inlined = all(isinstance(s, (Assign, If)) and self._is_inlined(s, stmt.test) for s in stmt.test_block)
        if inlined:
            test = self._test_expression(stmt)
            self._header(f"while {self._expression(test)}:", depth)
        else:
            self._header("while True:", depth)
            self._block(stmt.test_block, depth + 1)
            self._header(f"if not {self._expression(self.atom(stmt.test))}:", depth + 1)
            self._header("break", depth + 2)
        inner = len(self.lines)
        self._block(stmt.body, depth + 1)
        if self.lines[inner:] == ["    " * (depth + 1) + "pass"] and self._has_copies(stmt):
            self.lines.pop()
        self._copies([(c.phi, c.out) for c in stmt.carried], depth + 1)
        self._leave(depth)

    def _is_inlined(self, stmt: Assign | If, test: Atom) -> bool:
        if isinstance(stmt, Assign):
            v = stmt.targets[0]
            return v in self.inlining.definition or (
                v is test and not v.named and self.inlining.count.get(v) == 1
            )
        if len(stmt.merges) != 1:
            return False
        v = stmt.merges[0].result
        return v in self.inlining.definition or (
            v is test and self.inlining.count.get(v) == 1 and self.inlining.is_expression(stmt)
        )

    def _test_expression(self, stmt: While) -> ast.expr:
        return self._branch(stmt.test_block, stmt.test)

    def _if(self, stmt: If, depth: int) -> None:
        if len(stmt.merges) == 1 and self.inlining.is_expression(stmt):
            target = ast.Name(self.names[stmt.merges[0].result], ast.Store())
            self._line(ast.Assign([target], self.conditional(stmt)), depth)
            return
        test = self.atom(stmt.test)
        then = self._branch_lines(stmt.then, [(m.result, m.then) for m in stmt.merges], depth + 1)
        orelse = self._branch_lines(stmt.orelse, [(m.result, m.orelse) for m in stmt.merges], depth + 1)
        if not then and orelse:
            self._header(f"if not {self._expression_operand(test)}:", depth)
            self.lines.extend(orelse)
        else:
            self._header(f"if {self._expression(test)}:", depth)
            self.lines.extend(then or ["    " * (depth + 1) + "pass"])
            if orelse:
                self._header("else:", depth)
                self.lines.extend(orelse)
        self._leave(depth)

    def _expression_operand(self, node: ast.expr) -> str:
        text = self._expression(node)
        return text if isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({text})"

    def _branch_lines(self, block: Block, copies: list[tuple[Var, Atom]], depth: int) -> list[str]:
        outer, self.lines = self.lines, []
        comments = dict(self.comments)
        for stmt in block:
            self._statement(stmt, depth)
        self._copies(copies, depth)
        lines, self.lines = self.lines, outer
        self.comments = comments
        return lines if any(not line.lstrip().startswith("#") for line in lines) else []

    def _check(self, stmt: Check, depth: int) -> None:
        message = [self.atom(m) for m in stmt.message]
        if stmt.user and stmt.error == "AssertionError":
            self._line(ast.Assert(self.atom(stmt.test), message[0] if message else None), depth)
            return
        error = call(name(stmt.error), message)
        if stmt.test == Const(False):
            self._line(ast.Raise(error, None), depth)
            return
        self._header(f"if {self._expression(_negation(self.atom(stmt.test)))}:", depth)
        self._line(ast.Raise(error, None), depth + 1)


_NEGATED = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _is_of_adjoints(stmt: Stmt) -> bool:
    """Whether a statement is a step of the reverse sweep, rather than something that such a step reads."""
    if isinstance(stmt, Assign):
        return any(t.name.endswith("_bar") for t in stmt.targets)
    return isinstance(stmt, (Store, For, While, If))


def _negation(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return ast.Compare(node.left, [_NEGATED[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def _written(array: ast.Name | ast.Subscript) -> ast.Name | ast.Subscript:
    """An array, or a view spelled out, as what a statement writes to."""
    if isinstance(array, ast.Name):
        return ast.Name(array.id, ast.Store())
    return ast.Subscript(array.value, array.slice, ast.Store())
