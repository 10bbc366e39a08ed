"""Random kernels: short loops and array statements of the kind that the optimiser takes apart and puts together.

A random program of all constructs seldom leaves a loop plain enough to be merged, turned, split or blocked. These are
plain: running totals, recurrences, stencils, gathers, time steps over vectors; read and written at the counter, beside
it and from the other end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st
from tests.fuzz.choices import Choices, Drawn, Seeded
from tests.fuzz.programs import Generated

# A loop's header, and how far from its counter an element may be read: lowest and highest distance.
HEADERS = (
    ("for {k} in range(n):", 0, 0),
    ("for {k} in range(n):", 0, 0),
    ("for {k} in range(1, n):", -1, 0),
    ("for {k} in range(n - 1):", 0, 1),
    ("for {k} in range(1, n - 1):", -1, 1),
    ("for {k} in range(2, n - 1):", -2, 1),
    ("for {k} in range(n - 1, -1, -1):", 0, 0),
    ("for {k} in range(n - 2, 0, -1):", -1, 1),
    ("for {k} in range(0, n - 1, 2):", 0, 1),
)
# Of these a kernel has a few (swarm testing: Groce et al., ISSTA 2012): one statement of another kind is enough to keep
# an optimisation from what is around it.
SCALAR = "total total_read state shift local branch extreme".split()
WRITES = "write add_to write_matrix".split()
ARRAY = "reduce whole interior shifted swapped matrix_row matrix_whole".split()
MAPS = (
    "np.sin({})",
    "np.tanh({})",
    "np.cos({})",
    "np.exp(-({}) ** 2)",
    "({}) ** 2",
    "1.0 / (2.0 + np.sin({}))",
)


@dataclass
class Place:
    """What a statement may use: the counter of the loop around it and the distances that stay inside."""

    counters: list[tuple[str, int, int]] = field(default_factory=list)  # over the columns, innermost last
    rows: list[str] = field(default_factory=list)  # counters over the rows of matrices
    depth: int = 1

    def deeper(self) -> Place:
        return Place(list(self.counters), list(self.rows), self.depth + 1)


class Kernels:
    """Draws one kernel."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.lines: list[str] = []
        self.numbers: list[str] = []
        self.inputs = ["x", "y"]
        self.vectors: list[str] = []
        self.matrices: list[str] = []
        self.fresh = 0
        self.scalar = [self.pick(SCALAR) for _ in range(choices.between(1, 3))]
        self.writes = [self.pick(WRITES) for _ in range(choices.between(0, 2))]
        self.array = [self.pick(ARRAY) for _ in range(choices.between(1, 3))]
        self.plain = choices.coin()  # reads at the counter alone, which is what loops are merged at

    def pick(self, options: object) -> str:
        return str(self.choices.pick(options))  # type: ignore[arg-type]

    def name(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def program(self) -> str:
        self.lines = ["def program(x, y, m, s, t):", "    n = x.shape[0]", "    rows = m.shape[0]"]
        for _ in range(self.choices.between(1, 3)):
            number = self.name("a")
            self.line(1, f"{number} = {self.pick(['0.0', '0.1', 's', 't'])}")
            self.numbers.append(number)
        for _ in range(self.choices.between(0, 2)):
            vector = self.name("u")
            self.line(1, f"{vector} = {self.pick(['np.zeros(n)', 'x.copy()', 'np.full(n, s)', 'np.sin(y)'])}")
            self.vectors.append(vector)
        if self.choices.coin():
            matrix = self.name("w")
            self.line(
                1, f"{matrix} = {self.pick(['np.zeros((rows, n))', 'm.copy()', 'np.outer(m[:, 0], x)'])}"
            )
            self.matrices.append(matrix)
        for _ in range(self.choices.between(1, 4)):
            self.outer(Place())
        parts = [
            *self.numbers,
            *(f"np.sum({v} * {self.pick(self.inputs)})" for v in self.vectors),
            *(f"np.sum(np.tanh({w}) * m)" for w in self.matrices),
        ]
        self.line(1, f"return {' + '.join(f'np.tanh({p})' for p in parts)}")
        return "\n".join(self.lines) + "\n"

    def outer(self, place: Place) -> None:
        kinds = ["loop"] * 4 + ["array"] * 3 + ["rows"] + (["steps"] * 2 if place.depth == 1 else [])
        getattr(self, f"_{self.pick(kinds)}")(place)

    # --- loops --------------------------------------------------------------------------------------------------

    def _loop(self, place: Place) -> None:
        header, low, high = self.choices.pick(HEADERS)
        k = self.name("k")
        self.line(place.depth, header.format(k=k))
        inside = place.deeper()
        inside.counters.append((k, low, high))
        self.body(inside)

    def _rows(self, place: Place) -> None:
        j = self.name("j")
        self.line(place.depth, f"for {j} in range(rows):")
        inside = place.deeper()
        inside.rows.append(j)
        if self.choices.coin():
            self._loop(inside)
        else:
            self.body(inside)
            self._loop(inside)

    def _steps(self, place: Place) -> None:
        """Steps in time: nothing is read at their counter."""
        self.line(place.depth, f"for {self.name('step')} in range({self.pick([2, 3])}):")
        inside = place.deeper()
        for _ in range(self.choices.between(1, 3)):
            self.outer(inside)

    def body(self, place: Place) -> None:
        local = len(self.numbers)
        for _ in range(self.choices.between(1, 3)):
            self.statement(place)
        del self.numbers[local:]  # a local of the loop's body has no value after a loop of no trips

    def statement(self, place: Place) -> None:
        possible = set(SCALAR)
        possible |= {"write", "add_to"} if self.vectors and place.counters else set()
        possible |= {"write_matrix"} if self.matrices and place.rows and place.counters else set()
        kinds = [k for k in (*self.scalar, *self.writes, *self.writes) if k in possible]
        getattr(self, f"_{self.pick(kinds)}")(place)

    def _total(self, place: Place) -> None:
        self.line(
            place.depth, f"{self.pick(self.numbers)} {self.pick(['+=', '+=', '-='])} {self.term(place)}"
        )

    def _total_read(self, place: Place) -> None:
        a, b = self.pick(self.numbers), self.pick(self.numbers)
        self.line(place.depth, f"{a} += {self.term(place)}")
        self.line(place.depth, f"{b} += {self.atom(place)} * {a}")

    def _state(self, place: Place) -> None:
        a = self.pick(self.numbers)
        forms = ["{a} = {a} + 0.3 * {e}", "{a} = 0.5 * {a} + {e}", "{a} = np.tanh({a} * {e})", "{a} = {e}"]
        forms += ["{a} = {a} + 0.2 * np.sin({a}) * {e}", "{a} *= np.cos({e})", "{a} = {e} - {a}"]
        self.line(place.depth, self.pick(forms).format(a=a, e=self.term(place)))

    def _shift(self, place: Place) -> None:
        a, b = self.pick(self.numbers), self.pick(self.numbers)
        if a != b:
            self.line(place.depth, f"{a}, {b} = {b}, {self.pick([a, f'{a} + {self.term(place)}'])}")
        else:
            self._total(place)

    def _local(self, place: Place) -> None:
        e = self.term(place)
        name = self.name("e")
        self.line(place.depth, f"{name} = {e}")
        self.numbers.append(name)

    def _branch(self, place: Place) -> None:
        test = f"{self.atom(place)} {self.pick('<>')} {self.pick(['0.1', '0.4', '-0.3'])}"
        self.line(place.depth, f"if {test}:")
        a = self.pick(self.numbers)
        self.line(place.depth + 1, f"{a} {self.pick(['+=', '=', '*='])} {self.term(place)}")
        if self.choices.coin():
            self.line(place.depth, "else:")
            self.line(place.depth + 1, f"{self.pick(self.numbers)} += {self.term(place)}")

    def _extreme(self, place: Place) -> None:
        a = self.pick(self.numbers)
        self.line(place.depth, f"{a} = {self.pick(['max', 'min'])}({a}, {self.term(place)})")

    def _write(self, place: Place) -> None:
        self.line(place.depth, f"{self.pick(self.vectors)}[{self.at(place)}] = {self.term(place)}")

    def _add_to(self, place: Place) -> None:
        sign = self.pick(["+=", "-=", "*="])
        self.line(place.depth, f"{self.pick(self.vectors)}[{self.at(place)}] {sign} {self.term(place)}")

    def _write_matrix(self, place: Place) -> None:
        at = f"{self.pick(self.matrices)}[{self.pick(place.rows)}, {self.at(place)}]"
        self.line(place.depth, f"{at} {self.pick(['=', '+='])} {self.term(place)}")

    # --- numbers ------------------------------------------------------------------------------------------------

    def at(self, place: Place) -> str:
        k, low, high = self.choices.pick(place.counters)
        distance = 0 if self.plain else self.choices.between(low, high)
        if not self.plain and self.choices.between(0, 5) == 0:
            return f"n - 1 - {k}"
        return k if distance == 0 else f"{k} {'+' if distance > 0 else '-'} {abs(distance)}"

    def atom(self, place: Place) -> str:
        kinds = ["number", "number", "constant"]
        if place.counters:
            kinds += ["element"] * 4
            kinds += ["matrix"] * 3 if place.rows else []
        match self.pick(kinds):
            case "number":
                return self.pick(self.numbers)
            case "element":
                return f"{self.pick([*self.inputs, *self.vectors, *self.vectors])}[{self.at(place)}]"
            case "matrix":
                return f"{self.pick(['m', *self.matrices])}[{self.pick(place.rows)}, {self.at(place)}]"
        return self.pick(["0.5", "0.7", "s", "t"])

    def term(self, place: Place) -> str:
        match self.pick(["atom", "product", "sum", "map", "map_product"]):
            case "product":
                return f"{self.atom(place)} * {self.atom(place)}"
            case "sum":
                return f"({self.atom(place)} {self.pick('+-')} {self.atom(place)})"
            case "map":
                return self.pick(MAPS).format(self.atom(place))
            case "map_product":
                return f"{self.pick(MAPS).format(self.atom(place))} * {self.atom(place)}"
        return self.atom(place)

    # --- array statements ---------------------------------------------------------------------------------------

    def _array(self, place: Place) -> None:
        possible = {"reduce"} | ({"whole", "interior", "shifted", "swapped"} if self.vectors else set())
        possible |= {"matrix_row", "matrix_whole"} if self.matrices else set()
        kinds = [k for k in self.array if k in possible] or ["made"]
        getattr(self, f"_array_{self.pick(kinds)}")(place)

    def vector(self) -> str:
        one, other = (self.pick([*self.inputs, *self.vectors]) for _ in range(2))
        forms = ["{one} * {other}", "np.sin({one})", "{one} + {a} * {other}", "np.tanh({one} - {other})"]
        forms += ["np.cumsum({one})", "{one}[::-1]", "np.where({one} > {other}, {one}, {a})", "m[1] * {one}"]
        return self.pick(forms).format(one=one, other=other, a=self.pick(self.numbers))

    def _array_made(self, place: Place) -> None:
        if place.depth > 1:
            self._array_reduce(place)
            return
        name = self.name("u")
        self.line(1, f"{name} = {self.vector()} * 0.9")
        self.vectors.append(name)

    def _array_reduce(self, place: Place) -> None:
        over = self.pick(["np.sum", "np.mean", "np.max"])
        a = self.pick(self.numbers)
        self.line(place.depth, f"{a} = {self.pick([a, '0.1'])} + 0.3 * {over}({self.vector()})")

    def _array_whole(self, place: Place) -> None:
        u = self.pick(self.vectors)
        self.line(place.depth, f"{u}{self.pick([' =', '[:] =', ' +=', ' *='])} np.tanh({self.vector()})")

    def _array_interior(self, place: Place) -> None:
        u, v = self.pick(self.vectors), self.pick([*self.inputs, *self.vectors])
        self.line(
            place.depth,
            f"{u}[1:-1] {self.pick(['=', '+='])} 0.3 * ({v}[2:] - 2.0 * {v}[1:-1] + {v}[:-2]) * {self.atom(Place())}",
        )

    def _array_shifted(self, place: Place) -> None:
        u, v = self.pick(self.vectors), self.pick([*self.inputs, *self.vectors])
        to, source = self.choices.pick([("1:", ":-1"), (":-1", "1:"), ("::2", "::-2"), ("1:4", ":3")])
        self.line(
            place.depth,
            f"{u}[{to}] {self.pick(['=', '+=', '*='])} {self.pick(MAPS).format(f'{v}[{source}]')}",
        )

    def _array_swapped(self, place: Place) -> None:
        one, other = self.pick(self.vectors), self.pick(self.vectors)
        if one != other:
            self.line(place.depth, f"{one}, {other} = {other}, {one}")
        else:
            self._array_whole(place)

    def _array_matrix_row(self, place: Place) -> None:
        w = self.pick(self.matrices)
        at = self.pick([*place.rows, "0", "-1", "rows - 1"])
        self.line(place.depth, f"{w}[{at}] {self.pick(['=', '+=', '*='])} np.tanh({self.vector()})")

    def _array_matrix_whole(self, place: Place) -> None:
        w, v = self.pick(self.matrices), self.pick([*self.inputs, *self.vectors])
        forms = [
            f"{w} * {v}",
            f"np.sin(m) + {v}",
            f"{w} - np.mean({w}, axis=1)[:, None]",
            f"np.cumsum({w}, axis=1)",
        ]
        self.line(place.depth, f"{w}{self.pick([' =', '[:] ='])} 0.5 * ({self.pick(forms)})")


@st.composite
def kernels(draw: object) -> Generated:
    """A kernel that Hypothesis draws, with the seed of its arguments."""
    choices = Drawn(draw)  # type: ignore[arg-type]
    return Generated(Kernels(choices).program(), choices.between(0, 10_000))


def seeded_kernel(seed: int) -> Generated:
    """The kernel of a number."""
    return Generated(Kernels(Seeded(seed)).program(), seed)
