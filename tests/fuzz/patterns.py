"""Random programs of the patterns that stages of the optimiser look for, and of what only resembles these.

A piece is a text with choices, `{a|b}`: a search, a shift that cancels, a recurrence, a stencil, a product of matrices
by loops, a place that moves. Any of the choices may break what a stage asks for. Pieces follow each other, in a loop of
steps, in a branch, or along the rows of a matrix, and each program is called with arrays of several lengths.
"""

# ruff: noqa: E501  (a choice stands on the line that it is part of)

from __future__ import annotations

import re

from hypothesis import strategies as st
from tests.fuzz import pieces, pieces_of_arrays, pieces_of_branches
from tests.fuzz.choices import Choices, Drawn, Seeded
from tests.fuzz.programs import Generated

# $V, $A: a vector, a matrix that is read; $W, $B: one that is written; $N: a number that is written, $n: one that is
# read; $e: a term at i; $x: a vector's; $R: a range of i; $o: how to write. $Wa is the same in all of a piece.
MACROS = {
    "R": "{range(n)|range(n)|range(1, n)|range(n - 1)|range(n - 1, -1, -1)|range(0, n, 2)|range(n // 2)|range(1, n - 1)|range(2, n)}",
    "z": "{0.0|0.1|s|t|x[0]|$N}",
    "e": "{$V[i]|$V[i] * $V[i]|$V[i] + $n|np.sin($V[i])|$n * $V[i]|np.tanh($V[i] * $n)|$V[i] * i|$V[i] ** 2|0.5|($V[i] - $V[-1])|$V[i] * $V[n - 1 - i]|np.exp(-$V[i] ** 2)}",
    "o": "{=|+=|+=|-=|*=}",
    "x": "{$V|$V * $V|np.sin($V)|$V + $n|$V - $V|np.tanh($V) * $n|$V[::-1]|np.abs($V)|$V ** 2}",
    "d": "{0.3|0.5|np.sin($n)|np.tanh($V[i])|0.0|1.0}",
}
PIECES = pieces.PIECES | pieces_of_arrays.PIECES | pieces_of_branches.PIECES
STARTS = ("x.copy()", "np.sin(y)", "np.zeros(n)", "np.full(n, s)", "x * y", "np.cos(x) * 0.5", "np.ones(n)")
MATRIX_STARTS = ("m.copy()", "np.zeros((rows, n))", "np.sin(m)", "m * x", "np.outer(m[:, 0], x)")
SQUARE_STARTS = (
    "np.outer(x, y)",
    "np.outer(x, x) * 0.3",
    "np.zeros((n, n))",
    "0.2 * np.sin(x[:, None] - y)",
    "m.T @ m * 0.1",
)
# Rows and columns of the matrix. Lengths of one have code of their own.
SIZES = ((3, 5), (2, 9), (7, 3))
ODD_SIZES = ((1, 2), (1, 1), (4, 1), (9, 13), (2, 37), (3, 2), (0, 3), (3, 0))


class Patterns:
    """Draws one program."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.named: dict[str, str] = {}
        self.row: str | None = None

    def pick(self, options: object) -> str:
        return str(self.choices.pick(options))  # type: ignore[arg-type]

    def program(self) -> str:
        lines = ["def program(x, y, m, s, t):", "    n = x.shape[0]", "    rows = m.shape[0]", "    k0 = 1"]
        lines += [f"    {name} = {self.pick(STARTS)}" for name in ("u", "v")]
        lines += [f"    c = {self.pick(MATRIX_STARTS)}", f"    qq = {self.pick(SQUARE_STARTS)}"]
        lines += [f"    g = {self.pick(['0.0', 's', '0.1'])}", f"    h = {self.pick(['0.0', 't'])}"]
        for _ in range(self.choices.between(1, 3)):
            lines += self.group()
        # Not all that was made is returned: what nobody reads may be left out, and what one part of is read made smaller.
        parts = [
            "g",
            "h",
            "np.sum(u * np.cos(y))",
            "np.sum(v * x)",
            "np.sum(np.tanh(c) * m)",
            "np.sum(np.tanh(qq)) * 0.1",
        ]
        kept = [p for p in parts[1:] if self.choices.coin()]
        lines.append(f"    return {' + '.join(f'np.tanh(0.5 * ({p}))' for p in [parts[0], *kept])}")
        return "\n".join(lines) + "\n"

    def group(self) -> list[str]:
        kind = self.pick(["plain"] * 5 + ["steps"] * 3 + ["branch", "rows", "rows"])
        self.row = "r" if kind == "rows" else None
        pieces = [
            line
            for _ in range(self.choices.between(1, 1 if kind == "plain" else 2))
            for line in self.piece(self.pick(list(PIECES)))
        ]
        self.row = None
        if kind == "plain":
            return ["    " + p for p in pieces]
        head = {
            "steps": f"for step in range({self.pick(['2', '3', '1', '0', 'rows', 'len(y) // 2'])}):",
            "branch": f"if {self.pick(['s > 0.0', 'x[0] < y[-1]', 'n > 3', 'np.sum(u) > v[0]'])}:",
            "rows": "for r in range(rows):",
        }[kind]
        return ["    " + head, *("        " + p for p in pieces)]

    def piece(self, kind: str) -> list[str]:
        self.named = {}
        return [line for line in self.expand(PIECES[kind]).split("\n") if line.strip()]

    def expand(self, text: str) -> str:
        """The text with each choice made, from the outside in, and each `$` put in."""
        done = ""
        while True:
            found = re.search(r"\{|\$([A-Za-z])([ab](?![a-z]))?", text)
            if found is None:
                return done + text
            done, rest = done + text[: found.start()], text[found.end() :]
            if found[1] is None:
                options, rest = _options(rest)
                text = self.pick(options) + rest
            else:
                text = self.symbol(found[1], found[2] or "") + rest

    def symbol(self, kind: str, name: str) -> str:
        if not name:
            return self.new(kind)
        if kind + name not in self.named:
            self.named[kind + name] = self.new(kind)
        return self.named[kind + name]

    def new(self, kind: str) -> str:
        rows = [f"m[{self.row}]", f"c[{self.row}]"] if self.row else []
        match kind:
            case "V":
                return self.pick(["x", "y", "u", "v", "u", "v", *rows])
            case "W":
                return self.pick(["u", "v", *(rows[1:] * 2)])
            case "A":
                return self.pick(["m", "c"])
            case "B":
                return "c"
            case "N":
                return self.pick(["g", "h"])
            case "n":
                return self.pick(["s", "t", "g", "h", "0.5", "x[0]", "y[-1]"])
        return MACROS[kind]


def _options(text: str) -> tuple[list[str], str]:
    """The choices up to the brace that ends them, and what stands behind."""
    options, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        match letter:
            case "{":
                depth += 1
            case "}" if depth == 0:
                return [*options, text[start:k]], text[k + 1 :]
            case "}":
                depth -= 1
            case "|" if depth == 0:
                options.append(text[start:k])
                start = k + 1
    raise AssertionError(f"no end of choices: {text}")


@st.composite
def patterns(draw: object) -> Generated:
    """A program that Hypothesis draws, with the seed of its arguments."""
    choices = Drawn(draw)  # type: ignore[arg-type]
    return _generated(choices, choices.between(0, 10_000))


def seeded_pattern(seed: int) -> Generated:
    """The program of a number."""
    return _generated(Seeded(seed), seed)


def _generated(choices: Choices, seed: int) -> Generated:
    text = Patterns(choices).program()
    return Generated(text, seed, (*SIZES, choices.pick(ODD_SIZES)))
