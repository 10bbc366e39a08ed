"""Random programs of lists and objects that stand in several places: names, elements, attributes, entries of a dict.

Loops and branches give the places other lists and objects, write to them, copy them, and ask which is which.
"""

from __future__ import annotations

from hypothesis import strategies as st
from tests.fuzz.choices import Choices, Drawn, Seeded
from tests.fuzz.programs import Generated

HEADER = """
class Point:
    def __init__(self, v, k):
        self.v, self.k = v, k


def program(x, y, m, s, t):
    a, b = [x[0], x[1]], [x[2], x[3]]
    p, q = Point(s, a), Point(y[0], [y[1], y[2]])
    d = {"m": b, "n": p}
    e = (a, x[2])
    r = [a, b]
"""
LISTS = ["a", "b", "p.k", "q.k", 'd["m"]', 'd["n"].k', "e[0]", "r[0]", "r[1]"]
OBJECTS = ["p", "q", 'd["n"]']
PLACES = {"list": ["a", "b", "p.k", "q.k", 'd["m"]', "r[0]", "r[1]"], "object": OBJECTS}
SIMPLE = "write write write attribute name name place place copy tuple total total swap".split()
COMPOUND = "if if for".split()


class SecondPlaces:
    """Writes one such program."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.lines: list[str] = []

    def pick(self, options: list[str]) -> str:
        return str(self.choices.pick(options))

    def program(self) -> str:
        self.lines = [HEADER.strip("\n")]
        for _ in range(self.choices.between(2, 6)):
            self.statement(1)
        self.lines.append(
            "    return np.tanh(t) + np.tanh(sum(a) + 2.0 * sum(b)) + 3.0 * np.tanh(p.v) + np.tanh(sum(p.k))\\\n"
            "        + 5.0 * np.tanh(q.v - sum(q.k)) + np.tanh(sum(d['m']) * 2.0 + d['n'].v)\\\n"
            "        + 3.0 * np.tanh(sum(e[0]) - e[1] + sum(r[0]) * 1.5 - sum(r[1]))"
        )
        return "\n".join(self.lines) + "\n"

    def number(self) -> str:
        some = [f"x[{self.choices.between(0, 3)}]", f"{self.pick(LISTS)}[{self.choices.between(0, 1)}]"]
        return self.pick([*some, some[1], f"{self.pick(OBJECTS)}.v", "t", "0.5"])

    def expression(self) -> str:
        a, b = self.number(), self.number()
        return self.pick([a, f"np.tanh({a} * {b})", f"0.5 * {a} + 0.3 * {b}", f"np.sin({a})"])

    def test(self) -> str:
        same = [
            f"{self.pick(kind)} is {self.pick(['', 'not '])}{self.pick(kind)}" for kind in (LISTS, OBJECTS)
        ]
        return self.pick([*same, *[f"x[{self.choices.between(0, 3)}] > {self.pick(['-0.5', '0.1'])}"] * 2])

    def statement(self, depth: int) -> None:
        kind = self.pick([*SIMPLE, *(COMPOUND if depth < 3 else [])])
        space = "    " * depth
        if kind in COMPOUND:
            count = self.pick(["2", "3", "len(x)"])
            self.lines.append(
                f"{space}if {self.test()}:" if kind == "if" else f"{space}for _ in range({count}):"
            )
            for _ in range(self.choices.between(1, 3)):
                self.statement(depth + 1)
            if kind == "if" and self.choices.coin():
                self.lines.append(f"{space}else:")
                self.statement(depth + 1)
            return
        self.lines.append(space + getattr(self, f"_{kind}")())

    def _write(self) -> str:
        return f"{self.pick(LISTS)}[{self.choices.between(0, 1)}] = {self.expression()}"

    def _attribute(self) -> str:
        return f"{self.pick(OBJECTS)}.v = {self.expression()}"

    def _name(self) -> str:
        if self.choices.coin():
            return f"{self.pick(['a', 'b'])} = {self.pick(LISTS)}"
        return f"{self.pick(['p', 'q'])} = {self.pick(OBJECTS)}"

    def _place(self) -> str:
        kind = self.pick(["list", "object"])
        return f"{self.pick(PLACES[kind])} = {self.pick(LISTS if kind == 'list' else OBJECTS)}"

    def _copy(self) -> str:
        some = self.pick(LISTS)
        made = [f"{some}[:]", f"list({some})", f"[{self.expression()}, {self.expression()}]"]
        return f"{self.pick(['a', 'b'])} = {self.pick(made)}"

    def _tuple(self) -> str:
        return f"e = ({self.pick(LISTS)}, {self.expression()})"

    def _total(self) -> str:
        return f"t = 0.9 * t + {self.expression()}"

    def _swap(self) -> str:
        return self.pick(["a, b = b, a", "p, q = q, p", "r[0], r[1] = r[1], r[0]"])


@st.composite
def second_places(draw: object) -> Generated:
    """A program that Hypothesis draws, with the seed of its arguments."""
    choices = Drawn(draw)  # type: ignore[arg-type]
    return Generated(SecondPlaces(choices).program(), choices.between(0, 10_000))


def seeded_places(seed: int) -> Generated:
    """The program of a number."""
    return Generated(SecondPlaces(Seeded(seed)).program(), seed)
