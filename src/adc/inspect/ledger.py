"""The ledger of a derivative: what was decided about each statement and loop, as data that prints itself.

Plain dataclasses; `explain` fills them in.
"""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Bytes", "Fate", "Ledger", "Loop", "LoopClass", "Statement", "Value"]

Fate = Literal["kept", "held", "recomputed", "not needed"]
LoopClass = Literal["independent", "stencil", "reduction", "recurrence"]


@dataclass(frozen=True)
class Bytes:
    """An amount of memory: a formula of the sizes, and a number where the given arguments determine it.

    >>> print(Bytes("8 * n", 8000))
    8 * n = 8.0 kB
    >>> print(Bytes("8 * trips", None))
    8 * trips
    """

    formula: str
    number: int | None

    def __str__(self) -> str:
        if self.number is None:
            return self.formula
        return (
            _amount(self.number)
            if self.formula == str(self.number)
            else f"{self.formula} = {_amount(self.number)}"
        )


@dataclass(frozen=True)
class Value:
    """A value that a statement of the primal makes.

    `fate`: "kept" in a buffer that the forward sweep fills, "held" where the forward sweep left it,
    "recomputed" by the reverse sweep, or "not needed" by it.
    """

    name: str
    type: str
    active: bool
    why_active: str
    fate: Fate
    why: str
    bytes: Bytes | None = None


@dataclass(frozen=True)
class Statement:
    """A line of the user, and the values that it makes."""

    line: str  # model.py:7
    text: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Loop:
    """A loop of the primal.

    `kind`: "independent" trips, a "stencil" (independent, reading neighbours), a "reduction" (independent but
    for sums), or a "recurrence" (a trip reads what an earlier one made). A `whole` one is no loop in the adjoint.
    """

    line: str
    text: str
    kind: LoopClass
    why: str
    carried: tuple[str, ...]
    trips: str  # a formula
    trips_known: bool  # before the loop begins
    number_of_trips: int | None
    whole: bool = False  # one statement on whole arrays, in generated code


@dataclass(frozen=True)
class Ledger:
    """What adc decided about a function; `print` it, show it in a notebook, or take `.as_dict()`."""

    title: str
    mode: str
    fallback: str  # why a later engine runs; empty when the one asked for does
    statements: tuple[Statement, ...]
    loops: tuple[Loop, ...]
    kept: Bytes | None  # by all buffers together
    seconds: dict[str, float] = field(default_factory=dict)
    cache: str = ""
    sizes: str = ""  # of the arguments, where the code holds for those only, and why it does

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists, strings and numbers."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [self.title, f"runs: {self.mode}"]
        if self.fallback:
            lines += [f"because: {self.fallback.splitlines()[0]}"]
        if self.sizes:
            lines += [f"for {self.sizes}"]
        if self.statements:
            lines += ["", "statements"]
        for statement in self.statements:
            lines.append(f"  {statement.line}: {statement.text}")
            for v in statement.values:
                lines.append(
                    f"      {v.name}: {v.type}, {'active' if v.active else f'inactive: {v.why_active}'}"
                )
                lines.append(f"          {v.fate}{f' ({v.bytes})' if v.bytes else ''}: {v.why}")
        if self.loops:
            lines += ["", "loops"]
        for loop in self.loops:
            trips = (
                loop.trips
                if loop.number_of_trips is None or loop.trips == str(loop.number_of_trips)
                else (f"{loop.trips} = {loop.number_of_trips}")
            )
            lines.append(f"  {loop.line}: {loop.text}")
            lines.append(f"      {loop.kind}: {loop.why}")
            if loop.whole:
                lines.append("      in generated code: a statement on whole arrays")
            lines.append(f"      trips: {trips}{'' if loop.trips_known else ', known when it has ended'}")
            if loop.carried:
                lines.append(f"      carries {', '.join(loop.carried)}")
        if self.kept is not None:
            lines += ["", f"kept for the reverse sweep: {self.kept}"]
        if self.seconds:
            slowest = sorted(self.seconds.items(), key=lambda item: -item[1])[:4]
            total = sum(self.seconds.values())
            lines += [
                "",
                f"compiled in {total:.2f} s: {', '.join(f'{k} {s:.2f} s' for k, s in slowest)}",
            ]
        if self.cache:
            lines.append(self.cache)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = "".join(_row(s, v, k == 0) for s in self.statements for k, v in enumerate(s.values))
        head = "".join(f"<th>{h}</th>" for h in ("line", "value", "active", "for the reverse sweep", "bytes"))
        loops = "".join(
            f"<li>{_code(p.text, p.line)}: <b>{p.kind}</b>, {html.escape(f'{p.why}; trips {p.trips}')}</li>"
            for p in self.loops
        )
        why = f" <i>{html.escape(self.fallback)}</i>" if self.fallback else ""
        why += f" for {html.escape(self.sizes)}" if self.sizes else ""
        title = f"<b>{html.escape(self.title)}</b><br>runs: {self.mode}{why}"
        return f"<div>{title}<table><tr>{head}</tr>{rows}</table><ul>{loops}</ul></div>"


def _row(statement: Statement, v: Value, is_first: bool) -> str:
    """A row of the table: the line stands beside its first value."""
    cells = (
        _code(statement.text, statement.line) if is_first else "",
        f"<code>{html.escape(v.name)}</code>: {html.escape(v.type)}",
        _explained("active" if v.active else "inactive", v.why_active),
        _explained(v.fate, v.why),
        html.escape(str(v.bytes or "")),
    )
    return f"<tr>{''.join(f'<td>{c}</td>' for c in cells)}</tr>"


def _code(text: str, line: str) -> str:
    return f"<code>{html.escape(text)}</code> <small>{html.escape(line)}</small>"


def _explained(what: str, why: str) -> str:
    return f"{what}<br><small>{html.escape(why)}</small>"


def _amount(number: int) -> str:
    """Bytes as one says them.

    >>> _amount(24), _amount(8_000_000)
    ('24 B', '8.0 MB')
    """
    if number < 1000:
        return f"{number} B"
    scaled = float(number)
    for unit in ("kB", "MB", "GB"):
        scaled /= 1000.0
        if scaled < 1000.0:
            return f"{scaled:.1f} {unit}"
    return f"{scaled / 1000.0:.1f} TB"
