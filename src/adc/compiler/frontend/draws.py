"""Random numbers from a generator that the program seeds are drawn before it runs, in the order in which it asks.

    rng = np.random.default_rng(0)          z_2 = draws of all trips, an input
    for k in range(12):                     for k in range(12):
        z = rng.normal(size=n)                  z = z_2[k]

So there have to be known: the seed, the lengths, the trips of the loops around; and no branch or `while` may stand
around a draw but one in which the generator begins as well: what it gives there is the same whenever it is entered.
Loops and branches are evaluated several times until they come to rest: what counts is what the final program reads.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import constant_arrays
from adc.compiler.frontend.frame import RunTimeLength
from adc.compiler.frontend.outside import Place, itself
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Block, For, If, Var, While, blocks, uses, walk
from adc.compiler.ir.types import Array
from adc.pytree import whole
from adc.rules import random_generators as models
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core

MOST_NUMBERS = 20_000_000  # that a program holds, 160 MB


@whole
@dataclass(eq=False)
class Source:
    """A generator: how it is made, and the loops around that, in each trip of which it begins anew."""

    make: Callable[[Any], Any]
    seed: Any
    inside: tuple[For, ...]
    block: Block  # where it is made
    depth: int  # the loops and branches around that
    level: int  # of transforms within transforms


@dataclass(eq=False)
class Counted:
    """A loop that is being evaluated: its trips, where these are known, and the number of the trip."""

    region: For
    outer: Block  # the code that it is part of
    trips: int | None
    number: Callable[[], Value]


@dataclass(eq=False)
class Draw:
    """A call of a method of a generator, and where what it gives is put, for each trip of the loops around."""

    source: Source
    method: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    held: np.ndarray


@dataclass(eq=False)
class Draws:
    """What a program draws."""

    of: dict[Var, Draw] = field(default_factory=dict)
    around: list[Counted] = field(default_factory=list)
    trips: dict[For, int] = field(default_factory=dict)
    done: set[Var] = field(default_factory=set)  # of which the numbers are there
    level: int = 0
    in_a_loop: bool = False  # the transform around
    closed: bool = False  # the inputs of the program are all there

    @contextlib.contextmanager
    def of_a_call(self) -> Iterator[None]:
        """While a call is evaluated that will be differentiated: its own draws are carried out before."""
        outer = self.in_a_loop
        self.level, self.in_a_loop = self.level + 1, outer or bool(self.around)
        try:
            yield
        finally:
            self.level, self.in_a_loop = self.level - 1, outer

    @contextlib.contextmanager
    def inside(
        self, region: For, outer: Block, trips: int | None, number: Callable[[], Value]
    ) -> Iterator[None]:
        """While the body of a `for` is evaluated."""
        self.around.append(Counted(region, outer, trips, number))
        try:
            yield
        finally:
            self.around.pop()


def _begun(self: Calls, maker: Any, seed: Value) -> Source:
    if not self.is_static(seed):
        raise RunTimeLength(
            "the seed of a generator is only known at run time",
            location=self.origin,
            why="What it gives is drawn before the program runs.",
            repair="Pass the numbers.",
        )
    if seed is None:
        raise self.refuse(
            "a generator without a seed gives other numbers at each call",
            "a derivative of what is random is that of another function each time",
            "give it a seed, or pass the numbers",
        )
    inside = tuple(each.region for each in self.draws.around)
    return Source(maker, _plain(seed), inside, self.block, self.region_depth, self.draws.level)


def _drawn(
    self: Calls, source: Value, method: str, args: Value, kwargs: dict[str, Value], size: Value
) -> Value:
    args, given = constant_arrays.known(self, (args, tuple(kwargs.values())))
    kwargs = dict(zip(kwargs, given, strict=True))
    _refuse_unknown(self, source, args, kwargs, size)
    draws = self.draws
    around = tuple(draws.around)
    given = {k: _plain(v) for k, v in kwargs.items()} | ({} if size is ... else {"size": _plain(size)})
    numbers = tuple(_plain(a) for a in args)
    sample = np.asarray(self.now(getattr(source.make(0), method), list(numbers), given))
    trips = tuple(each.trips or 0 for each in around)
    shape = (*trips, *sample.shape) or (1,)
    if math.prod(shape) > MOST_NUMBERS:
        raise self.refuse(f"{math.prod(shape)} random numbers are drawn", repair="pass them as an argument")
    held = np.zeros(shape, sample.dtype)
    param = self.captured(Place(itself, held), method)
    param.type = Array(str(held.dtype), tuple(map(Dim, shape)), "C")
    draws.of[param] = Draw(source, method, numbers, given, held)
    draws.trips.update((each.region, each.trips or 0) for each in around)
    places = tuple(each.number() for each in around)
    if not sample.ndim:
        return self.subscript(param, places or (0,))
    return self.op("copy", self.subscript(param, places) if places else param)


def _refuse_unknown(self: Calls, source: Value, *values: Value) -> None:
    """Refuse a draw of which more than its numbers is only known at run time."""
    if self.draws.closed:
        raise self.refuse(
            "a function that the reverse sweep evaluates again draws random numbers",
            "what is drawn is an input, and these are known by then",
            "draw them before it",
        )
    if self.draws.in_a_loop or (isinstance(source, Source) and source.level != self.draws.level):
        raise self.refuse(
            "a function that is differentiated draws random numbers, in a loop or from a generator of its caller",
            "which of them come next depends on what else is drawn",
            "draw them before it",
        )
    if self.region_depth != len(self.draws.around) and not _begins_around(self, source):
        raise self.refuse(
            "random numbers are drawn in a branch or a `while`",
            "whether they are decides which numbers come next",
            "draw them before it",
        )
    if (
        not isinstance(source, Source)
        or not self.is_static(values)
        or any(each.trips is None for each in self.draws.around)
    ):
        raise RunTimeLength(
            "how many random numbers are drawn, or of what kind, is only known at run time",
            location=self.origin,
            why="They are drawn before the program runs.",
            repair="Pass them as an argument, or write what they are drawn with as numbers and arrays of numbers.",
        )


def _begins_around(self: Calls, source: Value) -> bool:
    """Whether only loops stand between a draw and the place where its generator is made."""
    if not isinstance(source, Source):
        return False
    around = [*(each.outer for each in self.draws.around), self.block]
    others = len(around) - 1 - len(source.inside)
    return around[len(source.inside)] is source.block and self.region_depth == source.depth + others


def _plain(value: Any) -> Any:
    """A value as NumPy takes it."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return tuple(_plain(v) for v in value) if type(value) is tuple else value


def carry_out(ev: Core, body: Block) -> None:
    """Draw what a block reads, in its order; what was drawn for code that is not part of it is not."""
    draws = ev.draws
    drawn: set[tuple[Var, tuple[int, ...]]] = set()
    generators: dict[Source, Any] = {}

    def wanted(block: Block) -> bool:
        return any(v in draws.of and v not in draws.done for s in walk(block) for v in uses(s))

    def run(block: Block, places: tuple[int, ...]) -> None:
        for statement in block:
            for param in uses(statement):
                draw = draws.of.get(param)
                if draw is not None and param not in draws.done and (param, places) not in drawn:
                    drawn.add((param, places))
                    generator = generators.get(draw.source)
                    if generator is None:
                        generator = generators[draw.source] = draw.source.make(draw.source.seed)
                    draw.held[places or ...] = getattr(generator, draw.method)(*draw.args, **draw.kwargs)
            if isinstance(statement, For) and statement in draws.trips:
                for k in range(draws.trips[statement]):
                    for source in [s for s in generators if statement in s.inside]:
                        del generators[source]
                    run(statement.body, (*places, k))
            elif isinstance(statement, (If, While)):
                for inner in blocks(statement):
                    run(inner, places)
            elif any(wanted(inner) for inner in blocks(statement)):
                with ev.origin_at(getattr(statement, "origin", None)):
                    raise ev.refuse(
                        "random numbers are drawn within a transform", repair="draw them before it"
                    )

    run(body, ())
    draws.done |= {param for param, _ in drawn}


def forget(ev: Core) -> None:
    """Of what was drawn for code that is not part of the program there are no numbers."""
    draws = ev.draws
    draws.closed = True
    ev.captures[:] = [c for c in ev.captures if c.param not in draws.of or c.param in draws.done]


TABLE: dict[Any, Callable[..., Value]] = {
    models.begun: _begun,
    models.drawn: _drawn,
    models.known: lambda self, *values: self.is_static(values),
    models.constant: lambda self, *values: self.is_static(constant_arrays.known(self, values)),
}
