"""Cut the text of a large function into functions of its own: what compiles it takes more than linear time.

@rt.section
def f_grad_section(x, s):
    ...                                     # some hundred lines of f_grad
    return a, b

def f_grad(x, s):
    a, b = f_grad_section(x, s)

A section is a run of statements at the top: in a loop, calls would be many. It takes what it reads of the names bound
before it, and returns what it binds and others read. It begins and ends where few names cross, near the size wanted.
Where so many cross that calls would cost more than they save, the function stays in one piece. What a section returns
and binds on some ways only (the forward sweep in a branch, for the reverse sweep in the same branch) is bound to
something else first, which nothing reads.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adc.compiler.backend import liveness
from adc.compiler.backend.lines import Line
from adc.compiler.backend.naming import Kind

LARGE = 1500  # statements of a function that is cut
SECTION = 50  # statements of a section, about: what it returns costs more than linear time, too
MOST_CROSSING = 1.0  # names that sections take and return, for each statement of the function
WIDTH = 110  # of a line that is printed here
_SWEEPS = ("# forward", "# reverse")  # headings, which stay in the function


def cut(
    lines: Sequence[str], kinds: Mapping[str, Kind] | None = None, decorators: Sequence[str] = ()
) -> list[str]:
    """The lines of a function under its decorators, behind those of its sections, which have them too.

    `kinds` says what names stand for, where they stand for one kind of value.

    >>> cut(["def f(x):", "    return x"])
    ['def f(x):', '    return x']
    """
    function = ast.parse("\n".join(lines)).body[0]
    assert isinstance(function, ast.FunctionDef)
    if _size(function) < LARGE:
        return [*decorators, *lines]
    cutter = _Cutter(list(lines), function, kinds or {})
    cutter.find()
    if cutter.crossing() > MOST_CROSSING * _size(function):
        return [*decorators, *lines]
    return cutter.printed(decorators)


@dataclass
class _Section:
    """The lines from `begin` to before `end`."""

    begin: int
    end: int
    takes: list[str]
    returns: list[str]
    first: list[str]  # names that it binds to what nothing reads


@dataclass
class _Place:
    """A statement: where its lines begin, comments among them, and what is live before it and behind it."""

    stmt: ast.stmt
    begin: int
    headed: bool  # a heading of a sweep stands before `begin`
    live: frozenset[str]
    after: frozenset[str]
    size: int  # in statements

    @property
    def whole(self) -> bool:
        """Whether it may stand in a section."""
        return self.size <= SECTION and not any(isinstance(n, ast.Return) for n in ast.walk(self.stmt))


class _Cutter:
    def __init__(self, lines: list[str], function: ast.FunctionDef, kinds: Mapping[str, Kind]) -> None:
        self.lines = lines
        self.function = function
        self.kinds = kinds
        self.names = liveness.Names(function, [n for n, kind in kinds.items() if kind.ndim is not None])
        self.sections: list[_Section] = []
        # The names that are bound by now on every way, and on some.
        self.bound = {a.arg for a in function.args.args}
        self.perhaps = set(self.bound)

    def crossing(self) -> int:
        """How many names sections take and return."""
        return sum(len(s.takes) + len(s.returns) for s in self.sections)

    def find(self) -> None:
        """Find the sections."""
        run: list[_Place] = []
        for place in self._places():
            if place.headed:
                self._divide(run)
                run = []
            if place.whole:
                run.append(place)
                continue
            self._divide(run)
            run = []
            self._pass(place)
        self._divide(run)

    def _pass(self, place: _Place) -> None:
        self.bound |= self.names.surely_bound(place.stmt)
        self.perhaps |= self.names.bound_in([place.stmt])

    def _places(self) -> list[_Place]:
        body = self.function.body
        live = self.names.live_before_each(body, frozenset())
        places = []
        for stmt, before, behind in zip(body, live, [*live[1:], frozenset[str]()], strict=True):
            begin = first = stmt.lineno - 1
            while self.lines[begin - 1].lstrip().startswith("#"):
                begin -= 1
            headings = [k for k in range(begin, first) if self.lines[k].strip() in _SWEEPS]
            begin = headings[-1] + 1 if headings else begin
            places.append(_Place(stmt, begin, bool(headings), before, behind, _size(stmt)))
        return places

    def _divide(self, run: list[_Place]) -> None:
        """Make sections of a run of statements: as many as its size asks for, where few names cross."""
        sizes = [p.size for p in run]
        start = 0
        left = round(sum(sizes) / SECTION)
        while left and start < len(run):
            stop = len(run) if left == 1 else _best_stop(run, sizes, start, sum(sizes[start:]) / left)
            self._take(run[start:stop])
            start, left = stop, left - 1
        for place in run[start:]:
            self._pass(place)

    def _take(self, run: list[_Place]) -> None:
        """Make a section of statements, unless it would read what is not bound on every way there."""
        stmts = [p.stmt for p in run]
        returns = run[-1].after & self.names.bound_in(stmts)
        surely = frozenset().union(*map(self.names.surely_bound, stmts))
        first = {name for name in returns - surely - self.perhaps if name in self.kinds}
        takes = self.names.live_before_each(stmts, returns)[0] - first
        if takes <= self.bound:
            end = max(s.end_lineno or s.lineno for s in stmts)
            names = (sorted(takes), sorted(returns), sorted(first))
            self.sections.append(_Section(run[0].begin, end, *names))
            self.bound |= first
        for place in run:
            self._pass(place)

    # --- text ---------------------------------------------------------------------------------------------------

    def printed(self, decorators: Sequence[str]) -> list[str]:
        """The sections, and then the function that calls them."""
        out: list[str] = []
        rest: list[str] = []
        at = 0
        for k, section in enumerate(self.sections):
            name = f"{self.function.name}_section" + (f"_{k + 1}" if k else "")
            body = self.lines[section.begin : section.end]
            out += ["@rt.section", *decorators, *_wrapped(f"def {name}(", section.takes, "):", "")]
            out += [_of(body, f"    {first} = {_any_value(self.kinds[first])}") for first in section.first]
            out += body
            if section.returns:
                out += _wrapped("return ", section.returns, "", "    ")
            out += ["", ""]
            call = _wrapped(f"{name}(", section.takes, ")", "    ")
            if section.returns:
                *targets, last = _wrapped("", section.returns, " = ", "    ")
                call = [*targets, last + call[0].lstrip(), *call[1:]]
            rest += [*self.lines[at : section.begin], *(_of(body, line) for line in call)]
            at = section.end
        return [*out, *decorators, *rest, *self.lines[at:]]


def _best_stop(run: list[_Place], sizes: list[int], start: int, wanted: float) -> int:
    """Where a section that begins at `start` ends: near the size wanted, where the fewest names are live."""
    best, fewest = len(run), float("inf")
    size = 0
    for k in range(start, len(run) - 1):
        size += sizes[k]
        if size > 1.25 * wanted and best < len(run):
            break
        if size >= 0.75 * wanted and len(run[k + 1].live) < fewest:
            best, fewest = k + 1, len(run[k + 1].live)
    return best


def _size(stmt: ast.stmt) -> int:
    return sum(isinstance(n, ast.stmt) for n in ast.walk(stmt))


def _wrapped(begin: str, names: Sequence[str], end: str, indent: str) -> list[str]:
    """`begin`, names between commas, `end`: on one line if they fit, else in lines inside brackets."""
    listed = ", ".join(names)
    line = f"{indent}{begin}{listed}{end}"
    if len(line) <= WIDTH:
        return [line]
    inner = indent + "    "
    bracket, closing = ("", "") if begin.endswith("(") else ("(", ")")
    body = textwrap.wrap(listed, WIDTH, initial_indent=inner, subsequent_indent=inner)
    return [f"{indent}{begin}{bracket}", *body, f"{indent}{closing}{end}"]


def _any_value(kind: Kind) -> str:
    """A value of a kind, as text."""
    number = {"float64": "0.0", "int64": "0", "bool": "False", "complex128": "0j"}
    if kind.ndim is None:
        return number.get(kind.dtype, f"np.{kind.dtype}(0)")
    lengths = "0" if kind.ndim == 1 else repr((0,) * kind.ndim)
    return f"np.empty({lengths}, np.{'bool_' if kind.dtype == 'bool' else kind.dtype})"


def _of(lines: Sequence[str], text: str) -> str:
    """A line of text that comes from where the first of some lines does."""
    made = Line(text)
    made.origin = next((o for line in lines if (o := getattr(line, "origin", None)) is not None), None)
    return made
