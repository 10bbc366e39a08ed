"""What a loop, a comprehension or an unpacking goes over: known items, a range, or as many as the program finds."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from typing import Any

import gast

from adc.compiler.frontend import (
    comprehensions,
    dicts,
    first_found,
    generators,
    grown_reads,
    instances,
    keys_of_run,
    later,
    own_iterators,
    templates,
)
from adc.compiler.frontend.expressions import Expressions
from adc.compiler.frontend.frame import (
    Closure,
    Frame,
    Generator,
    Given,
    Growing,
    Instance,
    Items,
    Iterated,
    ListValue,
    Range,
    RunTimeLength,
)
from adc.compiler.frontend.known import require_known_key
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.values import Value, kind
from adc.compiler.ir.nodes import Check, Const, Var, defined, walk
from adc.errors import UnsupportedError

_LENGTH = templates.later(
    """
def length(items):
    n = len(items)
    try:
        items[n]
    except IndexError:
        return n
    return -1
"""
)
FEW_WRITTEN_OUT = 4  # trips that fill a list which are always written out
LONG = 600  # statements that such a loop may be written out as, where its list could be an array


class Iteration(Expressions):
    """The part of the evaluator that goes over things."""

    def iterable(self, value: Value) -> list[Value] | Range | Items:
        """What a `for` goes over: a list of known items, a range, or something with a run-time length."""
        if isinstance(value, Items) and value.length is None:
            raise self.refuse(
                "this goes on without end", repair="go over it together with something, by zip()"
            )
        if isinstance(value, Generator):
            return self.iterable(generators.listed(self, value))
        if isinstance(value, Range):
            return value if isinstance(value.step, int) else self.counted(value)
        if isinstance(value, Items):
            return value
        if isinstance(value, range):
            return Range(value.start, value.stop, value.step)
        if isinstance(value, ListValue):
            return value  # itself: a loop sees what its trips write
        if isinstance(value, (list, tuple, str, frozenset, set, enum.EnumMeta)):
            return list(value)
        iterator = instances.method(self, value, "__iter__")
        if iterator is not None:
            keys_of_run.refuse_set(self, value)
            return self._gone_over(value, self.call(iterator, [], {}))
        if instances.method(self, value, "__getitem__") and instances.method(self, value, "__len__"):
            return self._by_position(value)
        if isinstance(value, Iterated):
            return self._left(self.iterable(value.over), value.taken)
        if isinstance(value, Instance):
            raise self.refuse(
                f"a `{value.cls.__name__}` cannot be iterated over here", repair="loop over a list of it"
            )
        if isinstance(value, dict):
            return list(value)
        if isinstance(value, (type({}.items()), type({}.keys()), type({}.values()))):
            return dicts.Viewed(self, value)
        if isinstance(value, (enumerate, zip, reversed, map)):
            return list(value)
        if isinstance(value, Growing):
            return grown_reads.items(self, value)
        if isinstance(value, Var) and value.is_array:
            return Items(self.dim_value(value.type.shape[0]), lambda k: self.subscript(value, k))
        self.require_items(value)
        raise self.refuse(
            f"{kind(value)} cannot be iterated over here", repair="iterate over a range, an array or a tuple"
        )

    def _left(self, items: list[Value] | Range | Items, taken: int) -> list[Value] | Range | Items:
        """What is left of items of which the first were taken."""
        if not taken:
            return items
        if isinstance(items, list):
            return items[taken:]
        each = self.counted(items) if isinstance(items, Range) else items
        left = self.extreme("maximum", self.op("subtract", each.length, taken), 0)
        return Items(left, lambda k: each.item(self.op("add", k, taken)), each.lists)

    def _by_position(self, value: Value) -> list[Value] | Items:
        """The items of an object with a `__getitem__` and no `__iter__`: Python asks for them until one is missing."""
        length = self.call(Closure(_LENGTH(), self.frame, {}), [value], {})
        what = "an object is gone over whose `__getitem__` gives more elements than its `__len__` says"
        ends = self.op("greater_equal", length, 0)
        if ends is False:
            raise self.refuse(
                what, "Python goes on until it raises IndexError", "raise it there, or go over a range"
            )
        if ends is not True:
            self.block.append(Check(self.atom(ends), "RuntimeError", (Const(what),), self.origin))

        def item(k: Value) -> Value:
            return self.subscript(value, k)

        return [item(k) for k in range(length)] if isinstance(length, int) else Items(length, item)

    def _gone_over(self, owner: Value, iterator: Value) -> list[Value] | Range | Items:
        """What the `__iter__` of an object gives, of which nothing was taken yet."""
        if instances.class_of(iterator) is None:
            return self.iterable(iterator.over if isinstance(iterator, Iterated) else iterator)
        generator = own_iterators.of(self, iterator)
        if generator is not None:
            return self.iterable(generator)
        cls = instances.class_of(owner)
        assert cls is not None
        raise self.refuse(f"a `{cls.__name__}` cannot be iterated over here", repair="loop over a list of it")

    def counted(self, numbers: Range) -> Items:
        """The numbers of a range by their places: how many, and which comes at each."""
        start, stop, step = numbers.start, numbers.stop, numbers.step
        if isinstance(step, int):
            apart = self.op("subtract", stop, start) if step > 0 else self.op("subtract", start, stop)
            if abs(step) > 1:
                apart = self.op("floor_divide", self.op("add", apart, abs(step) - 1), abs(step))
        else:
            zero = Const("range() arg 3 must not be zero")
            self.block.append(Check(self.op("not_equal", step, 0), "ValueError", (zero,), self.origin))
            apart = self.op("negative", self.op("floor_divide", self.op("subtract", start, stop), step))
        return Items(
            self.extreme("maximum", apart, 0),
            lambda k: self.op(
                "add", start, k if self.is_static(step) and step == 1 else self.op("multiply", k, step)
            ),
        )

    def of_range(self, numbers: Range, index: Value) -> Value:
        """`range(...)[index]`."""
        start, stop, step = numbers.start, numbers.stop, numbers.step
        if self.is_static((start, stop, step, index)):
            return self.subscript(range(start, stop, step), index)
        if isinstance(index, slice):
            return self._part_of_range(numbers, index)
        if self.length(index) is None:
            raise self.refuse("a range is indexed with integers and slices")
        n = self.counted(numbers).length
        below = self.op("less", index, n)
        inside = self.op("logical_and", below, self.op("greater_equal", index, self.op("negative", n)))
        message = Const("range object index out of range")
        self.block.append(Check(self.atom(inside), "IndexError", (message,), self.origin))
        place = self.op("where", self.op("less", index, 0), self.op("add", index, n), index)
        return self.op("add", start, self.op("multiply", place, step))

    def _part_of_range(self, numbers: Range, part: slice) -> Range:
        start, stop, step = numbers.start, numbers.stop, numbers.step
        if part == slice(None, None, -1):
            last = self.op("subtract", self.counted(numbers).length, 1)
            first = self.op("add", start, self.op("multiply", last, step))
            return Range(first, self.op("subtract", start, step), self.op("negative", step))
        if part.start is None and part.stop is None and isinstance(part.step, int) and part.step > 0:
            return Range(start, stop, self.op("multiply", step, part.step))
        if part.step not in (None, 1) or step != 1:
            raise self.refuse("this part of a range is not supported", repair="give the range its ends")
        return Range(self._end(numbers, part.start, start), self._end(numbers, part.stop, stop), 1)

    def _end(self, numbers: Range, end: Value, whole: Value) -> Value:
        """An end of a part of a range that counts in steps of one."""
        if end is None:
            return whole
        if not isinstance(end, int):
            raise self.refuse("this part of a range is not supported", repair="give the range its ends")
        if end < 0:
            return self.extreme("maximum", self.op("add", numbers.stop, end), numbers.start)
        return self.extreme("minimum", self.op("add", numbers.start, end), numbers.stop)

    def static_items(self, value: Value, node: Any) -> list[Value]:
        """All items of an iterable whose length is known now."""
        with self.origin_at(self.locate(node)):
            items = self.iterable(value)
            if isinstance(items, Range):
                if self.is_static((items.start, items.stop, items.step)):
                    return list(range(items.start, items.stop, items.step))
            elif isinstance(items, Items):
                if isinstance(items.length, int):
                    return [items.item(k) for k in range(items.length)]
            else:
                return items
            raise RunTimeLength(
                "the number of items is only known at run time",
                location=self.origin,
                why="What is done with each of them is a statement of its own here.",
                repair="Use an array.",
            )

    def known_length(self, items: Value) -> bool:
        """Whether the number of items of an iterable is known before the program runs."""
        if generators.of(self, items) is not None:
            return False
        found = self.iterable(items)
        if isinstance(found, Range):
            return self.is_static((found.start, found.stop, found.step))
        return not isinstance(found, Items) or isinstance(found.length, int)

    def eval_ListComp(self, node: Any) -> Value:
        items = self.gone_through(node.elt, node.generators)
        return self._listed(node, items)

    def _listed(self, node: Any, items: Value) -> Value:
        """The elements of a comprehension: a list, in an array where the data decides how many there are."""
        if self.known_length(items):
            start, env = len(self.block), dict(self.frame.env)
            try:
                if self._is_long(node, items):
                    mark = Mark(self)
                    try:
                        return self._looped(node, items)
                    except UnsupportedError:
                        mark.back()  # one by one, then
                return self.new_list(self._comprehended(node.elt, node.generators, items))
            except RunTimeLength:
                del self.block[start:]
                self.frame.env = env
        return self._looped(node, items)

    def _is_long(self, node: Any, items: Value) -> bool:
        """Whether a comprehension, with its elements one by one, is too much text."""
        found = self.iterable(items)
        if isinstance(found, list):
            return False  # their elements may be of many kinds
        first = self.static_items(items, node.generators[0].iter)
        return self.is_long(
            node, len(first), lambda k: self._comprehended(node.elt, node.generators, (first[k],))
        )

    def is_long(self, node: Any, trips: int, trip: Callable[[int], object], copies: int = 1) -> bool:
        """Whether so many trips, written out so often, are too much text; found by evaluating two of them, once."""
        if trips < 2 or trips * copies <= FEW_WRITTEN_OUT or self.lists_written_out:
            return False
        asked = node, trips, copies, len(self.stacked), len(self.tabled), len(self.itemwise)
        if asked not in self.found_long:
            mark = Mark(self)
            start = len(self.block)
            trip(0)
            trip(1)
            # Each array statement is a loop in the end.
            text = sum(4 if any(v.is_array for v in defined(s)) else 1 for s in walk(self.block[start:]))
            mark.back()
            self.found_long[asked] = text * trips * copies > 2 * LONG
        return self.found_long[asked]

    def _looped(self, node: Any, items: Value) -> Value:
        """The elements of a comprehension in the order of the loop that it abbreviates."""
        self._refuse_named(node, "over as many items as the data has", "it is a loop with names of its own")
        closure = Closure(comprehensions.as_function(node), self.frame, {})
        with self.origin_at(self.locate(node)):
            return self.call(closure, [items], {})

    def _refuse_named(self, node: Any, what: str, why: str) -> None:
        """Refuse `:=` in a comprehension."""
        named = next((n for n in gast.walk(node) if isinstance(n, gast.NamedExpr)), None)
        if named is not None:
            with self.origin_at(self.locate(named)):
                raise self.refuse(
                    f"`{named.target.id}` is assigned in a comprehension {what}", why, "write a loop"
                )

    def eval_GeneratorExp(self, node: Any) -> Value:
        items = self.gone_through(node.elt, node.generators)
        found = self.generated(node, items)
        later.note(self, found, node, [items])
        return found

    def generated(self, node: Any, items: Value) -> Value:
        """What a generator expression gives, all at once."""
        self._refuse_named(node, "in round brackets", "how far it comes depends on who goes over it")
        found = self._listed(node, items)
        if isinstance(found, Growing):
            found.generated = True
        return Given(found) if isinstance(found, list) else found

    def one_by_one(self, node: Any, items: Value) -> Value:
        """What a generator expression gives, each when it is asked for."""
        self._refuse_named(node, "in round brackets", "how far it comes depends on who goes over it")
        return self.call(Closure(comprehensions.as_generator(node), self.frame, {}), [items], {})

    def eval_DictComp(self, node: Any) -> Value:
        pair = gast.copy_location(gast.Tuple([node.key, node.value], gast.Load()), node)
        items = self.gone_through(pair, node.generators, known=True)
        found = {}
        for key, value in self._comprehended(pair, node.generators, items):
            with self.origin_at(self.locate(node)):
                require_known_key(self, key)
            found[key] = value
        return found

    def eval_SetComp(self, node: Any) -> Value:
        items = self.gone_through(node.elt, node.generators, known=True)
        return self.set_of(self._comprehended(node.elt, node.generators, items), node)

    def _comprehended(self, element: Any, generators: list[Any], items: Value) -> list[Value]:
        """The elements one by one."""
        with self._scope():
            return self._each(element, generators, items)

    def named_in_turn(self, clause: Any, element: Any, item: Value) -> Any:
        """An element of a comprehension, in a tuple; None where a test is false, and UNKNOWN where nobody knows."""
        with self._scope():
            self.bind(clause.target, item)
            for test in clause.ifs:
                known = self.condition(test)
                if not isinstance(known, bool):
                    return first_found.UNKNOWN
                if not known:
                    return None
            return (self.evaluate_maybe(element),)

    @contextlib.contextmanager
    def _scope(self) -> Iterator[None]:
        """A scope of its own: a function made there sees what its names come to be."""
        outer = self.frame
        self.frame = Frame(
            outer.source,
            outer.globals,
            {},
            parent=outer,
            caller=outer.caller,
            liveness=outer.liveness,
            unroll=outer.unroll,
            depth=outer.depth,
            regions=self.region_depth,
        )
        try:
            yield
        finally:
            self.frame = outer

    def _each(self, element: Any, generators: list[Any], items: Value) -> list[Value]:
        generator, *rest = generators
        results: list[Value] = []
        found = self.static_items(items, generator.iter)
        with self.written_out(len(found), generator.iter):
            for item in found:
                self.bind(generator.target, item)
                tests = [self.condition(test) for test in generator.ifs]
                if any(isinstance(t, Var) for t in tests):
                    raise RunTimeLength(
                        "the condition of a comprehension depends on the data",
                        location=self.locate(generator.ifs[0]),
                        why="Which keys or items there are is then only known at run time.",
                        repair="Keep all of them, those that do not count as 0.0; the tape takes it.",
                    )
                if all(tests):
                    results.extend(
                        self._each(element, rest, self.gone_through(element, rest, known=True))
                        if rest
                        else [self.evaluate_maybe(element)]
                    )
        return results
