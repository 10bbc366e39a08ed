"""What the parts of the evaluator share: where it is, and what each part may ask of the others.

The evaluator is one object. Its parts, from the bottom: `Measures`, `Builder`, `Merging`, `Core`, `Names`, `Operators`,
`Expressions`, `Iteration`, `Calls`, `Assignments`, `Branches`, `Carrying`, `Loops`, `Statements`; `lower.Evaluator` is
all of them.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gast

from adc.compiler.frontend import element_kinds, frozen, grown_reads, row_classes
from adc.compiler.frontend import source as sources
from adc.compiler.frontend.containers import Container, Contents, references
from adc.compiler.frontend.draws import Draws
from adc.compiler.frontend.frame import (
    Closure,
    Frame,
    Growing,
    Instance,
    Items,
    ListValue,
    Outside,
    Range,
    SurelyRaised,
    is_kept,
)
from adc.compiler.frontend.left_places import Left
from adc.compiler.frontend.merging import Merging
from adc.compiler.frontend.outside import Capture, Guard, Place
from adc.compiler.frontend.provenance import Chosen, Copied, Origins
from adc.compiler.frontend.tally import TooLong
from adc.compiler.frontend.values import Maybe, PartlyDefined, Value, kind
from adc.compiler.ir.nodes import Block, Check, Const, Stmt, Var, newest
from adc.errors import Location, Table, Tables, UnsupportedError


class Core(Merging):
    """The state of the evaluator, and what its upper parts do for the lower ones."""

    frame: Frame
    trips: list[Frame]  # what each loop around the statement found when its trip began, outermost first
    loop_depth: int  # loops around it
    sides: list[Contents]  # what each branch around it found, outermost first
    # Lists and the like that may be one of two, and these two.
    origins: Origins
    # What `raise` and `assert` raise where a check fails, and when they did among the variables.
    raised_by_user: dict[Check, tuple[BaseException, str]]
    # When names, lists, dicts and objects were changed, of what a `try` evaluates.
    effects: list[tuple[str, Container | None]]
    # Statements that would raise such an exception, which handlers were put in the way of.
    tested_for: set[tuple[Stmt, type[BaseException]]]
    moving: frozenset[str]  # the names of integers outside the function that are read at each call
    captures: list[Capture]
    guards: list[Guard]
    functions: dict[types.FunctionType, types.CodeType]  # the user's, that were looked into
    defaults: dict[
        types.FunctionType, Any
    ]  # those of them that were called with fewer arguments than they take
    records: list[tuple[Place, Instance]]
    returned_later: Any = None  # a call whose result may be an iterator of which nothing is evaluated yet
    gives_later = False  # whether the function that runs next is the one that it calls
    stand_ins_of: dict[
        Any, Closure
    ]  # functions of classes that the program makes, by what Python has in their place
    draws: Draws  # from generators that the program seeds
    itemwise: dict[int, ListValue]  # lists whose items a loop carries one by one, by their id
    table_rows: dict[int, Any]  # tuples read at such a position, by their id
    copies_read: list[weakref.ref[Growing]]  # lists read at such a position, as long as the program has them
    tabled: dict[int, Items]  # lists of alike elements that a loop reads at such a position, by their id
    settled: dict[int, Container]  # lists, dicts and objects that were copied and do not change any more
    stacked: dict[int, Any]  # sequences of numbers that a loop reads at a run-time position, by their id
    left_outside: Left  # what the function leaves outside
    is_appended_to = False  # whether what is evaluated is that: of a list outside no element is read then
    outside: Outside | None  # functions whose calls are not looked into
    # The functions being inlined, with the regions around their calls.
    running: list[tuple[tuple[Any, ...], int]]
    spent_before: dict[tuple[Any, ...], int]  # `spent` when the outermost call of each began
    frozen: dict[Var, Location | None]  # arrays that are elements of lists, and the arrays of such lists
    varying: set[Var]  # arrays that loops carry and whose lengths change on the way
    dicts_made: dict[int, tuple[dict[Any, Any], Location | None]]  # that the program makes, and where
    keys_of_run: set[Table]  # that this attempt finds
    tables: Tables  # that an earlier attempt found
    statement_block: Block | None  # where the statement that is executed stands
    lists_shrink: bool  # whether some list loses elements
    copies: int  # of the code that is evaluated, as the loops around it are written out
    # Whether so many trips of a loop, written out so often, are too much text, as far as that was asked.
    found_long: dict[tuple[Any, ...], bool]
    long_lists: bool  # whether a list that could be written out became an array
    lists_written_out: bool  # whether none may, as an earlier attempt found
    # What lists hold that are written down there, as an earlier attempt found.
    list_kinds: dict[Location | None, element_kinds.Kept]
    # Lists of tuples of several kinds of numbers, whose kinds are not alike.
    taken_for_rows: set[Location | None]
    # Of lists of such: whether tuples or lists were put in, and what one was taken for.
    row_classes: dict[object, set[type]]
    classes_of_dicts: dict[
        int, tuple[dict[Any, Any], type]
    ]  # of dicts that stand for OrderedDicts and the like
    rows_taken_as: dict[object, type]

    def from_outside(self, items: ListValue) -> bool:
        """Whether a branch around the statement found a list: the other side has it, too, and the code behind it."""
        return any(id(items) in side.held for side in self.sides)

    @contextmanager
    def written_out(self, trips: int, node: Any) -> Iterator[None]:
        """While so many trips of a loop are evaluated one by one."""
        outer, self.copies = self.copies, self.copies * max(trips, 1)
        tally = self.tally
        around = tally.loop
        if around is None and self.in_user_code:
            tally.loop = self.locate(node)
        try:
            yield
        except TooLong:
            around = tally.loop
            raise
        finally:
            self.copies, tally.loop = outer, around

    def note_rows(self, a: Growing, b: Growing, merged: Growing) -> None:
        """What a branch chose among two lists may be a row of another, and has the rows of both."""
        row_classes.chosen(self, a, b, merged)

    def remember(self, merged: Value, origin: Chosen | Copied, *among: Value) -> None:
        """What the run chose among containers is evaluated as one of its own: see `refuse_either`."""
        if isinstance(merged, ListValue):
            merged.original = None
        self.origins.note(merged, origin)
        if isinstance(merged, (list, dict, Growing)):
            self.origins.chosen(merged, *among)

    def refuse_two_names(self, array: Value) -> None:
        """Refuse to write to an array without axes that has another name, or is a view: it is a number here."""
        if any(array is view for view in self.views_without_axes):
            raise self.refuse(
                "this writes to a view without axes",
                "it is a number in compiled code, and what it lies in would not see the write",
                "write to the element that it is (`x[0] += 1`), or to the name (`y = y + 1`)",
            )
        if references(self.frame, array) > 1:
            raise self.refuse(
                "an array without axes is written to under one of two names",
                "it is a number in compiled code, which the other name keeps",
                "give it an axis, or use one name",
            )

    def note_effect(self, container: Container | None = None) -> None:
        """Something is changed here that a handler would find changed, if it knows it."""
        if self.trying:
            self.effects.append((newest(), container))

    def raise_as_python(self, function: Callable[..., Any], *args: Value) -> None:
        """Raise what a function raises of constants that are numbers of Python's: a handler may be for that."""
        if not all(type(a) in (bool, int, float, complex) for a in args):
            return
        try:
            function(*args)
        except (ArithmeticError, ValueError) as error:
            raise SurelyRaised(error, self.region_depth, self.origin) from error

    def refuse_either(self, container: Container) -> None:
        """Refuse to write to what may be one of two containers while either is known, or to one of the two.

        `h = g if x > 0 else k` makes a container of its own here: neither would see what is written to the other.
        """
        self.note_effect(container)
        self.origins.told_apart(container)
        if is_kept(container) or any(id(each) in self.settled for each in self.origins.stood_for(container)):
            raise frozen.changed(self, _noun(container))
        if self._is_copied(container):
            raise self.refuse(
                "this writes to a list that was read at a position which only the run knows, and has a name",
                "what the name holds in compiled code is a copy, which does not see the write",
                "write before, or read it by its position again",
            )
        if self._knows_another(container):
            error = self.refuse(
                f"{_noun(container)} is written to that has another name on one path only",
                "what a name stands for must be known before the program runs",
                "write to it within the branch, or give the name a copy",
            )
            among = (container, *self.origins.others(container))
            error.branches = frozenset(
                origin.region.origin for one in among if isinstance(origin := self.origins.of(one), Chosen)
            )
            raise error

    def note_copied(self, row: Growing, among: tuple[ListValue, ...]) -> None:
        """A list was read at a position of the run, and is a copy of one of these or of what they hold."""
        row.copied = among
        self.copies_read.append(weakref.ref(row))

    def _is_copied(self, container: Value) -> bool:
        """Whether the program still has a row of a table that may be this list: somewhere, or on its way there."""
        original = self.origins.original(container)
        self.copies_read = [ref for ref in self.copies_read if ref() is not None]
        copies = [copy for ref in self.copies_read if (copy := ref()) is not None]
        frame: Frame | None = self.frame
        while frame is not None:
            copies += [each for each, _ in Contents(frame).held.values() if isinstance(each, Growing)]
            frame = frame.caller
        return any(self.origins.original(row) is original for copy in copies for row in copy.copied)

    def _knows_another(self, container: Value) -> bool:
        """Whether the program can reach a container that may be this one."""
        others = {id(other) for other in self.origins.others(container)}
        asked: dict[tuple[int, int], bool] = {}
        frame: Frame | None = self.frame
        while others and frame is not None:
            for held, _ in Contents(frame).held.values():
                if held is container or others.isdisjoint((id(held), id(self.origins.original(held)))):
                    continue
                if self.origins.may_be_one(container, held, asked):
                    return True
            frame = frame.caller
        return False

    @property
    def in_user_code(self) -> bool:
        return self.frame.source is not None

    @property
    def in_a_trip(self) -> bool:
        return bool(self.loop_depth) or not self.in_user_code

    def locate(self, node: Any) -> Location | None:
        """Where a node stands in the user's source; inside rule bodies, the place that called the rule."""
        if self.frame.source is None or self.frame.of_adc or not hasattr(node, "lineno"):
            return self.origin
        # A generator is written out where a loop goes over it, and keeps its lines.
        return sources.location(node, getattr(node, "source", None) or self.frame.source)

    def evaluate(self, node: Any) -> Value:
        """The value of an expression."""
        return self.there(node, self.evaluate_maybe(node))

    def there(self, node: Any, value: Value) -> Value:
        """The value that was found for an expression, which must have one on every path."""
        if isinstance(value, PartlyDefined):
            with self.origin_at(self.locate(node)):
                raise self.partly_defined(value, f"`{_spoken(node)}`")
        if not isinstance(value, Maybe):
            return value
        with self.origin_at(self.locate(node)):
            found = self.required(value, node.id if isinstance(node, gast.Name) else "value")
        if isinstance(node, gast.Name):
            self.now_present(self.frame, node.id, value, found)
        return found

    def partly_defined(self, value: PartlyDefined, what: str) -> UnsupportedError:
        """What to say of a value that is no number and no text on some path."""
        return self.refuse_behind(
            value.branch,
            f"{what} has a value on some paths only, or of different kinds",
            "what it holds is not a number on every path",
            "assign it on every path",
        )

    def now_present(self, frame: Frame, name: str, value: Maybe, found: Value) -> None:
        """A name was found to have a value: from here on it has, unless this is not always reached."""
        if self.block is self.statement_block and frame.env.get(name) is value:
            frame.env[name] = found

    def required(self, value: Maybe, name: str) -> Value:
        """A value that must be there."""
        error, what = (
            ("TypeError", f"`{name}` is None")
            if value.absent is None
            else ("UnboundLocalError", f"`{name}` has no value on this path")
        )
        if value.present is not True:
            self.block.append(Check(self.atom(value.present), error, (Const(what),), self.origin, user=True))
        return value.value

    def evaluate_maybe(self, node: Any) -> Value:
        """The value of an expression, which may be None on some paths."""
        method = getattr(self, f"eval_{type(node).__name__}", None)
        if method is None:
            with self.origin_at(self.locate(node)):
                raise self.refuse(
                    f"`{_spoken(node)}` is not supported here",
                    "the compiler does not take this expression",
                    "write it with plain assignments and loops",
                )
        return method(node)

    def execute_all(self, nodes: list[Any]) -> None:
        for node in nodes:
            self.execute(node)

    def new_list(self, items: list[Value]) -> ListValue:
        result = ListValue(items)
        result.depth, result.made = self.loop_depth, self.origin
        return result

    def array_of(self, value: Value) -> Value:
        """`np.array(value)` for numbers, arrays, ranges and nested sequences of them."""
        if isinstance(value, Maybe):
            return self.required(value, "value")
        if isinstance(value, (Range, range)):
            counted = self.is_static((value.start, value.step)) and (value.start, value.step) == (0, 1)
            return self.op("arange", *((value.stop,) if counted else (value.start, value.stop, value.step)))
        if isinstance(value, (list, tuple)):
            if not value:
                return self.op("zeros", 0)
            parts = [self.array_of(v) for v in value]
            odd = next((p for p in parts if self.type_of(p) is None), parts)
            if odd is not parts:
                raise self.refuse(
                    f"{kind(odd)} is put into an array",
                    "compiled code has arrays of numbers",
                    "keep it in a list or tuple of its own",
                )
            return self.op("stack", tuple(parts))
        return grown_reads.array(self, value) if isinstance(value, Growing) else value

    # --- what the upper parts do ----------------------------------------------------------------------------

    def execute(self, node: Any) -> None:
        raise AssertionError("statements.Statements executes")

    def attempted(self, node: Any) -> None:
        raise AssertionError("statements.Statements attempts")

    def opened(self, value: Value) -> Value:
        raise AssertionError("names.Names opens what is outside")

    def now(self, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
        raise AssertionError("calls.Calls calls")

    def call(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
        raise AssertionError("calls.Calls calls")

    def model(self, owner: Any) -> Instance:
        raise AssertionError("calls.Calls models")

    def choose_in(self, node: Any, test: Value, then: Any, orelse: Any) -> Value:
        raise AssertionError("branches.Branches chooses")

    def chosen(self, test: Value, then: Any, orelse: Any) -> Value:
        raise AssertionError("branches.Branches chooses")

    def chosen_in_turn(self, test: Value, then: Any, orelse: Any) -> Value:
        raise AssertionError("branches.Branches chooses")

    def binary(self, function: Any, x: Value, y: Value) -> Value:
        raise AssertionError("operators.Operators applies operators")

    def both(self, test: Value, other: Callable[[], Value]) -> Value:
        raise AssertionError("operators.Operators tests one value after the other")

    def compare(self, op: Any, x: Value, y: Value) -> Value:
        raise AssertionError("operators.Operators compares")

    def tree_of(self, function: Value) -> Any:
        raise AssertionError("functions.Functions sees into functions")

    def with_tree(self, function: Callable[..., Any], tree: Any) -> Closure:
        raise AssertionError("functions.Functions sees into functions")

    def item_of(self, node: Any, base: Value, index: Value) -> Value:
        raise AssertionError("expressions.Expressions reads items")

    def taken(self, place: Place, label: str) -> Value:
        raise AssertionError("names.Names guards what is taken from outside")

    def attribute(self, base: Value, name: str) -> Value:
        raise AssertionError("expressions.Expressions reads attributes")

    def captured_as(self, place: Place, label: str, moves: bool = False) -> Value:
        raise AssertionError("names.Names reads what is outside")

    def bind_attribute(self, owner: Value, name: str, value: Value, target: Any = None) -> None:
        raise AssertionError("assignments.Assignments writes")

    def named_value(self, value: Value, name: str) -> Value:
        raise AssertionError("expressions.Expressions gives names")

    def array_methods(self) -> dict[str, Any]:
        raise AssertionError("calls.Calls provides the methods")

    def gone_through(self, element: Any, clauses: list[Any], known: bool = False) -> Value:
        raise AssertionError("calls.Calls evaluates what a comprehension goes over")

    def bind(self, target: Any, value: Value) -> None:
        raise AssertionError("assignments.Assignments binds targets")

    def set_item(self, base: Value, index: Value, value: Value) -> None:
        raise AssertionError("assignments.Assignments writes")

    def augmented(self, function: Any, old: Value, value: Value) -> Value:
        raise AssertionError("assignments.Assignments writes")

    def write(self, array: Var, index: Any, value: Value, accumulate: bool = False) -> None:
        raise AssertionError("assignments.Assignments writes")

    def subscript(self, base: Value, index: Value) -> Value:
        raise AssertionError("expressions.Expressions reads elements")

    def is_itemwise(self, container: ListValue) -> bool:
        """Whether a loop carries the items of a list one by one, or of the list for which it stands in the body."""
        each: ListValue | None = container
        while each is not None:
            if id(each) in self.itemwise:
                return True
            each = each.original
        return False

    def known_length(self, items: Value) -> bool:
        raise AssertionError("iteration.Iteration goes over things")

    def static_items(self, value: Value, node: Any) -> list[Value]:
        raise AssertionError("iteration.Iteration goes over things")


def _spoken(node: Any) -> str:
    import ast

    try:
        return ast.unparse(gast.gast_to_ast(node)).splitlines()[0][:60]
    except (AttributeError, TypeError, ValueError, IndexError):
        return type(node).__name__


def _noun(container: Container) -> str:
    if isinstance(container, Instance):
        return "an object"
    return "a dict" if isinstance(container, dict) else kind(container)
