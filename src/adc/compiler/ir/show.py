"""Print a program of the IR as Python-like text, each value with its type: dumps and `source(stage="ir")`.

A loop's carried values appear as the assignments that they stand for: `phi = init` before the loop, `phi =
out` at the end of the body, `result = phi` after it. The text is for reading; the backend prints the one
that runs.
"""

from __future__ import annotations

from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Buffer,
    Check,
    Const,
    For,
    If,
    Keep,
    Mark,
    NewBuffer,
    Operand,
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
)
from adc.errors import InternalError

__all__ = ["show"]


def show(program: Program) -> str:
    """The text of a program; the same program always gives the same text.

    >>> from adc.compiler.ir.types import Scalar
    >>> x, y = Var("x", Scalar("float64")), Var("y", Scalar("float64"))
    >>> print(show(Program("f", [x], [Assign((y,), "cast", (x, Const("float64")))], [y])))
    def f(x: float64):
        y = cast(x, 'float64')  # float64
        return y
    """
    return _Printer(program).text()


class _Printer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[Var | Buffer, str] = {}
        self.taken: set[str] = set()
        self.lines: list[str] = []

    def text(self) -> str:
        program = self.program
        params = ", ".join(f"{self.name(p)}: {p.type}" for p in program.params)
        self.lines.append(f"def {program.name}({params}):")
        self._block(program.body, 1)
        self._line("return " + ", ".join(self.operand(r) for r in program.results), 1)
        return "\n".join(self.lines)

    def name(self, v: Var | Buffer) -> str:
        if v not in self.names:
            base = v.name or "t"
            name, k = base, 1
            while name in self.taken:
                k += 1
                name = f"{base}_{k}"
            self.taken.add(name)
            self.names[v] = name
        return self.names[v]

    def operand(self, x: Operand) -> str:
        if isinstance(x, Var):
            return self.name(x)
        if isinstance(x, Const):
            return repr(x.value)
        if isinstance(x, Slice):
            parts = ["" if p is None else self.operand(p) for p in (x.start, x.stop, x.step)]
            return ":".join(parts[:2] if not parts[2] else parts)
        if isinstance(x, tuple):
            inner = ", ".join(self.operand(i) for i in x)
            return f"({inner},)" if len(x) == 1 else f"({inner})"
        return str(x)

    def _line(self, text: str, depth: int, comment: str = "") -> None:
        self.lines.append("    " * depth + text + (f"  # {comment}" if comment else ""))

    def _block(self, block: Block, depth: int) -> None:
        if not block:
            self._line("pass", depth)
        for stmt in block:
            self._statement(stmt, depth)

    def _statement(self, stmt: Stmt, depth: int) -> None:
        match stmt:
            case Assign():
                targets = ", ".join(self.name(t) for t in stmt.targets)
                types = ", ".join(str(t.type) for t in stmt.targets)
                view = stmt.targets[0].view_of if stmt.targets else None
                note = f", a view of {self.name(view)}" if view is not None else ""
                self._line(f"{targets} = {self._operation(stmt)}", depth, types + note)
            case Store():
                sign = "+=" if stmt.accumulate else "="
                self._line(
                    f"{self.name(stmt.array)}[{self._index(stmt.index)}] {sign} {self.operand(stmt.value)}",
                    depth,
                    stmt.role,
                )
            case For():
                for c in stmt.carried:
                    self._line(
                        f"{self.name(c.phi)} = {self.operand(c.init)}", depth, f"{c.phi.type}, carried"
                    )
                bounds = ", ".join(self.operand(b) for b in (stmt.start, stmt.stop, stmt.step))
                self._line(f"for {self.name(stmt.index)} in range({bounds}):", depth, stmt.note)
                self._loop_body(stmt, depth)
            case While():
                for c in stmt.carried:
                    self._line(
                        f"{self.name(c.phi)} = {self.operand(c.init)}", depth, f"{c.phi.type}, carried"
                    )
                self._line("while True:", depth)
                for inner in stmt.test_block:
                    self._statement(inner, depth + 1)
                self._line(f"if not {self.operand(stmt.test)}: break", depth + 1)
                self._loop_body(stmt, depth)
            case If():
                self._line(f"if {self.operand(stmt.test)}:", depth)
                self._branch(stmt.then, [(m.result, m.then) for m in stmt.merges], depth + 1)
                if stmt.orelse or stmt.merges:
                    self._line("else:", depth)
                    self._branch(stmt.orelse, [(m.result, m.orelse) for m in stmt.merges], depth + 1)
            case Check():
                message = ", ".join(self.operand(m) for m in stmt.message)
                self._line(f"if not {self.operand(stmt.test)}: raise {stmt.error}({message})", depth)
            case Print():
                said = ", ".join([repr(stmt.text), *map(self.operand, stmt.args)])
                self._line(f"print({said})", depth)
            case NewBuffer():
                self._line(f"{self.name(stmt.buffer)} = {self._buffer(stmt.buffer)}", depth)
            case Keep():
                name = self.name(stmt.buffer)
                if stmt.index is None:
                    self._line(f"{name}.push({self.operand(stmt.value)})", depth)
                else:
                    self._line(f"{name}[{self._index(stmt.index)}] = {self.operand(stmt.value)}", depth)
            case Room():
                room = f"{self.name(stmt.buffer)}.room({self.operand(stmt.lengths)})"
                self._line(f"{self.name(stmt.target)} = {room}", depth, str(stmt.target.type))
            case Restore():
                name = self.name(stmt.buffer)
                source = (
                    f"{name}.pop({self.operand(stmt.lengths) if stmt.lengths else ''})"
                    if stmt.index is None
                    else f"{name}[{self._index(stmt.index)}]"
                )
                self._line(f"{self.name(stmt.target)} = {source}", depth, str(stmt.target.type))
            case Settle():
                self._line(f"{self.name(stmt.buffer)}.settle()", depth)
            case Mark():
                self._line(f"# {stmt.text}", depth)
            case _:
                raise InternalError(f"the IR printer does not know the statement {type(stmt).__name__}")

    def _operation(self, stmt: Assign) -> str:
        if stmt.op == "getitem":
            return f"{self.operand(stmt.args[0])}[{self._index(stmt.args[1])}]"
        symbol = None if isinstance(stmt.op, str) else stmt.op.symbol
        if symbol is not None and len(stmt.args) == 2:
            return f"{self.operand(stmt.args[0])} {symbol} {self.operand(stmt.args[1])}"
        if symbol is not None and len(stmt.args) == 1:
            return f"{symbol}{self.operand(stmt.args[0])}"
        return f"{stmt.name}({', '.join(self.operand(a) for a in stmt.args)})"

    def _index(self, items: tuple[Operand, ...]) -> str:
        return ", ".join(self.operand(i) for i in items) or "()"

    def _buffer(self, buffer: Buffer) -> str:
        lengths = self.operand(tuple(buffer.lengths))
        if buffer.trips is None:
            return f"stack({buffer.dtype!r}, {lengths})"
        return f"buffer({buffer.dtype!r}, {self.operand(tuple(buffer.trips))}, {lengths})"

    def _loop_body(self, stmt: For | While, depth: int) -> None:
        if stmt.body or not stmt.carried:
            self._block(stmt.body, depth + 1)
        if stmt.carried:
            phis = ", ".join(self.name(c.phi) for c in stmt.carried)
            self._line(f"{phis} = {', '.join(self.operand(c.out) for c in stmt.carried)}", depth + 1)
        for c in stmt.carried:
            self._line(f"{self.name(c.result)} = {self.name(c.phi)}", depth, str(c.result.type))

    def _branch(self, block: Block, merges: list[tuple[Var, Operand]], depth: int) -> None:
        if block or not merges:
            self._block(block, depth)
        for result, value in merges:
            self._line(f"{self.name(result)} = {self.operand(value)}", depth, str(result.type))
