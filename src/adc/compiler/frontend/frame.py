"""What the evaluator knows while it runs a piece of user code: names, scopes, containers, iterables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol

import gast

from adc.compiler.frontend.scan import Liveness, loaded_names
from adc.compiler.frontend.source import Source
from adc.compiler.ir.nodes import Var, newest
from adc.compiler.ir.types import Array
from adc.errors import Location, UnsupportedError
from adc.pytree import whole

if TYPE_CHECKING:
    from adc.compiler.frontend.columns import Spread
    from adc.compiler.frontend.outside import Place
    from adc.compiler.frontend.packed import Form
    from adc.compiler.frontend.reached import Reached


class ListValue(list[Any]):
    """A Python list known element by element; `depth` is the region that made it and may change it."""

    depth = 0
    original: ListValue | None = None  # the list that this one stands for in the body of a loop
    made: Location | None = None  # where it was written down
    grows = False  # an array that grows stands in its place: it does not have what is put in from then on
    taken = False  # its elements were copied into an array: they may not change any more
    taken_in: tuple[Growing, ...] = ()  # the lists of lists whose rows these are
    outside: str | None = None  # the name of a list of the user's, which is not written to
    users: list[Any] | None = None  # that list itself: each mention of it is known anew


class Instance(dict[str, Any]):
    """An object of a user's class that the program makes: its attributes by their names."""

    run_time = True  # whatever its attributes are: what its text or its hash is, the class says
    outside: str | None = None  # the name of an object of the user's, which is not written to
    kept = False  # it lies in a row of a list

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, cls: type, attributes: Mapping[str, Any] | None = None) -> None:
        super().__init__(attributes or {})
        self.cls = cls

    def __bool__(self) -> bool:
        return True

    def copy(self) -> Instance:
        return self.holding(self)

    def holding(self, attributes: Mapping[str, Any]) -> Instance:
        """The object with other attributes."""
        made = Instance(self.cls, attributes)
        made.outside, made.kept = self.outside, self.kept
        return made


class Kept(dict[Any, Any]):
    """A dict that lies in a row of a list: neither may change any more, as the row is a copy."""

    def copy(self) -> Kept:
        return Kept(self)


def is_kept(value: Any) -> bool:
    """Whether a list, dict or object lies in a row of a list."""
    marked = (isinstance(value, Instance) and value.kept) or (isinstance(value, ListValue) and value.taken)
    return marked or isinstance(value, Kept)


@dataclass(eq=False)
class Iterated:
    """`iter(over)`: what an `__iter__` may return. A loop of its own would have to know what others took from it."""

    over: Any
    depth: int = 0  # branches and loops around where it was made
    taken: int = 0  # items that next() has taken
    reads: dict[str, Any] = field(default_factory=dict)
    run_time = True


@whole
@dataclass(eq=False)
class Generator:
    """What a call of a generator function gives: its tree, and its frame with the arguments. Nothing was run yet."""

    tree: Any
    frame: Frame
    state: dict[str, bool] = field(default_factory=dict)  # changes as a dict of the program does
    run_time = True


class Given(list[Any]):
    """The items of what is gone over once, where all are known: those of map() or filter()."""

    @cached_property
    def reads(self) -> dict[str, Any]:
        return {}


@dataclass(eq=False)
class Once:
    """What a name holds that is gone over once: a generator, or what zip(), map() and the like give.

    The generator is evaluated where its items are asked for, as Python does.
    """

    items: Callable[[], Any]
    state: dict[str, Any] = field(default_factory=dict)  # changes as a dict of the program does
    of: Generator | None = None
    iterated: Iterated | None = None
    in_turn: Callable[[], Any] | None = None  # its items one by one, as a loop asks for them
    sees: Reached | None = None  # what they are computed from, which may change before they are
    run_time = True


def reads_of(value: Any) -> dict[str, Any] | None:
    """What was done to a value that is gone over once, whatever holds it; None of others."""
    if isinstance(value, Growing):
        return value.reads if value.generated else None
    return value.reads if isinstance(value, (Items, Given, Iterated)) else None


def once(value: Any, shared: bool = True) -> Any:
    """A value as a name holds it. Where it is not `shared`, the name is one of the compiler's own."""
    if isinstance(value, Generator):
        return Once(lambda: value, of=value)
    reads = reads_of(value)
    if reads is None:
        return value
    return Once(
        lambda: value, reads if shared else {}, iterated=value if isinstance(value, Iterated) else None
    )


@dataclass(eq=False)
class SuperOf:
    """`super()` in a method of `cls`."""

    cls: type
    owner: Any  # an object of the program or from outside; in a class method a class


@dataclass(eq=False)
class Growing:
    """A list whose length is only known at run time: an array with a place for each element, and how many there are.

    `values` is None as long as nobody knows what kind of elements it will have. A list with `room` was given all its
    places before the loop that fills them; any other grows when it is full, and may have more places than elements.
    """

    name: str
    values: Var | None
    count: Any
    nested: bool = False  # its elements are lists of numbers, all as long: rows of a matrix
    form: Form | None = None  # or tuples that are packed in rows
    weak: bool = False  # the numbers in it are Python's own
    key: int = 0  # which list of the user it came from
    made: Location | None = None  # where that was written down
    fixed: bool = False  # one row of a list of lists, or a list whose elements were copied into one
    guessed: bool = False  # nothing but a read has said what its elements are
    generated: bool = False  # what a generator gives, which is gone over once
    of: Spread | None = None  # where its elements are found, if they lie in several arrays
    reads: dict[str, Any] = field(default_factory=dict)
    room: Room | None = None
    row_of: Growing | None = (
        None  # the list of lists that it was read from: what is written to it is written there
    )
    # And where in the array of that one, whose rows are read as copies if it becomes shorter.
    row_at: Any = None
    is_row: bool = False  # it was read from one, or may have been
    row_made: Any = None  # where that one was written down
    copied: tuple[
        ListValue, ...
    ] = ()  # the lists of which it is one, or is in one, as they were when it was read
    rows_shared: bool = False  # its elements are lists that stand elsewhere, too
    rows_written: bool = False
    rows_from: list[Any] = field(default_factory=list)  # lists that became its rows
    # Variables made later are not there where its places are allocated.
    born: str = field(default_factory=newest)
    run_time = True

    def __bool__(self) -> bool:
        raise UnsupportedError(
            f"the list `{self.name}` is used as a condition, and its length is only known at run time",
            repair=f"Write `len({self.name}) > 0`.",
        )

    def state(self) -> tuple[Any, ...]:
        return self.values, self.count, self.nested, self.guessed, self.form, self.weak

    def become(self, state: tuple[Any, ...]) -> None:
        self.values, self.count, self.nested, self.guessed, self.form, self.weak = state

    def copy(self) -> Growing:
        return replace(self)

    def like(self, other: Growing) -> bool:
        """Whether a place has an element of the same kind in both."""
        packed_alike = other.form is None
        if self.form is not None and other.form is not None:
            packed_alike = self.form.fits(other.form) and self.form.choices == other.form.choices
        return self.nested == other.nested and packed_alike and self.of is other.of

    @property
    def changes(self) -> bool:
        """Whether a loop that goes on with it takes its array and its length round."""
        return self.room is None and self.of is None


@dataclass(eq=False)
class Room:
    """How a loop fills a list whose places are all there: each trip adds as many elements, on its only path."""

    per_trip: int
    inside: tuple[int, int]  # loops and regions around what adds them
    started: bool  # it had elements before the loop
    front: bool  # each comes in front of the others: the places are filled from the last on
    appended: int = 0  # in this trip


@whole
@dataclass(eq=False)
class Closure:
    """A function defined in the code being compiled: a nested def or a lambda, with the scope it was made in."""

    tree: Any
    frame: Frame
    defaults: dict[str, Any]
    cls: type | None = None  # of which it is a method, where its code says `super()`

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names that it may look up in the scope it was made in."""
        return frozenset(loaded_names(self.tree))

    @property
    def __name__(self) -> str:
        return str(self.tree.name)

    @property
    def __signature__(self) -> inspect.Signature:
        """How it takes its arguments: what `inspect` finds behind a transform of it, too."""
        arguments = self.tree.args
        p = inspect.Parameter
        positional = {p.POSITIONAL_ONLY: arguments.posonlyargs, p.POSITIONAL_OR_KEYWORD: arguments.args}
        parameters = [
            p(a.id, kind, default=self.defaults.get(a.id, p.empty))
            for kind, named in positional.items()
            for a in named
        ]
        if arguments.vararg is not None:
            parameters.append(p(arguments.vararg.id, p.VAR_POSITIONAL))
        parameters += [
            p(a.id, p.KEYWORD_ONLY, default=self.defaults.get(a.id, p.empty)) for a in arguments.kwonlyargs
        ]
        if arguments.kwarg is not None:
            parameters.append(p(arguments.kwarg.id, p.VAR_KEYWORD))
        return inspect.Signature(parameters)


class Bound(partial[Any]):
    """A function with values of the program that is being built; another `functools.partial` is from outside."""


@whole
@dataclass(frozen=True, eq=False)
class Partial:
    """What functools.partial makes in the code being compiled: its function may be a `Closure`."""

    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]

    @property
    def __signature__(self) -> inspect.Signature:
        """What is left of the function's own: what `inspect` finds behind a transform of it, too."""
        said = getattr(self.func, "__signature__", None)

        def function() -> None: ...

        function.__signature__ = inspect.signature(self.func) if said is None else said  # type: ignore[attr-defined]
        return inspect.signature(partial(function, *self.args, **self.keywords))


class Outside(Protocol):
    """Functions whose calls are not looked into."""

    @property
    def namespace(self) -> dict[str, Any]:
        """What the text reads beside modules."""

    def get(self, function: Callable[..., Any]) -> Any:
        """What says, in `__adc_inline__`, what a call with arguments by name means; None for other functions."""


@whole
@dataclass(frozen=True, eq=False)
class Evaluated:
    """A function of values that the compiler itself carries out."""

    function: Callable[..., Any]


@dataclass(eq=False)
class Frame:
    """One activation: the names of a function body, and where other names are looked up."""

    source: Source | None  # None for rule bodies, whose lines are not the user's
    globals: dict[str, Any]
    closure: dict[str, Any]  # name -> cell
    env: dict[str, Any] = field(default_factory=dict)
    parent: Frame | None = None  # the enclosing function, for nested defs
    caller: Frame | None = None
    stored: set[str] = field(default_factory=set)  # names that its statements assign
    of_module: set[str] = field(default_factory=set)  # names that it says are `global`
    left: dict[str, Place] = field(default_factory=dict)  # names outside the function that it assigns
    leaves: dict[str, Any] | None = (
        None  # what stands outside the program where it writes to (left_outside.py)
    )
    tree: Any = None  # the function whose body it is
    liveness: Liveness | None = None
    lent: frozenset[str] = frozenset()  # names of the generators that its loops are going over
    unroll: bool = False  # rule bodies: loops over constant ranges are unrolled
    # Of a comprehension, which has names of its own: the regions around it. What `:=` assigns is its parent's.
    regions: int | None = None
    depth: int = 0  # nesting of calls
    of_adc: bool = False  # adc's own text, lowered as the user's: its lines are not the user's all the same

    def cell(self, name: str) -> Any:
        """The cell in which this function, or the next one around it that has one, finds a name; or None."""
        frame: Frame | None = self
        while frame is not None and name not in frame.closure:
            frame = frame.parent
        return None if frame is None else frame.closure[name]

    def named(self, name: str) -> Any:
        """What this function, or the next one around it that does, gives a name; or None."""
        frame: Frame | None = self
        while frame is not None and name not in frame.env:
            frame = frame.parent
        return None if frame is None else frame.env[name]

    @cached_property
    def names(self) -> set[str]:
        """The names in the code of the function."""
        found = {n.id for n in gast.walk(self.tree) if isinstance(n, gast.Name)}
        return found | set(self.stored) | ({self.tree.name} if hasattr(self.tree, "name") else set())


@whole
@dataclass(eq=False)
class Range:
    start: Any
    stop: Any
    step: Any


@whole
@dataclass(eq=False)
class Items:
    """Something iterated over: `length` trips, `item(k)` gives the value of trip k."""

    length: Any
    item: Callable[[Any], Any]
    # Those gone over, and tuples, with their lengths.
    lists: list[tuple[Any, int]] = field(default_factory=list)
    reads: dict[str, Any] = field(default_factory=dict)  # changes as a dict of the program does


class SurelyRaised(UnsupportedError):
    """The code here raises an exception whenever it is reached: a `try` around it goes on with its handler."""

    def __init__(self, exception: BaseException, depth: int, location: Location | None) -> None:
        super().__init__(f"{type(exception).__name__}: {exception}", location=location)
        self.exception = exception
        self.depth = depth  # branches and loops around it


class FirstTripDiffers(UnsupportedError):
    """A loop gives `name` something that a region cannot carry from what it was before: a list or dict at first."""

    frame: Frame
    name: str
    does = "has its first value"


class RankChanges(FirstTripDiffers):
    """A loop gives `name` another number of axes than it had before: a region carries one type."""

    does = "becomes an array"
    array: Array | None  # what a trip makes of a number, where its lengths are known before the loop
    narrow: bool  # a trip makes values of less than double precision


class RunTimeLength(UnsupportedError):
    """Items are needed one by one, and their number is only known at run time."""


class TestWrites(Exception):
    """Raised inside a `while` whose condition changes a list, dict or object: it is evaluated in the body, then."""


class NeedsUnrolling(Exception):
    """Raised inside a loop whose trips must be spelled out because its body uses the index at compile time.

    `container`, where it is known: the list or tuple that is changed, or `read` at that index. `display`: its place in
    the syntax tree, where it is written out at the index.
    """

    def __init__(self, container: Any = None, read: bool = False) -> None:
        super().__init__()
        self.container = container
        self.read = read
        self.display: Any = None
        self.refusal: UnsupportedError | None = None  # why the loop cannot carry what it changes
