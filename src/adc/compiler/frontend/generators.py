"""What generator functions give: a loop over it is written out, anything else takes a list of it, or its first item."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import inlined_generators as inlined
from adc.compiler.frontend import instances, iteration_generators, own_iterators, reductions, templates
from adc.compiler.frontend.frame import Closure, Evaluated, Generator, Instance
from adc.compiler.frontend.scan import Liveness
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core
    from adc.compiler.frontend.loops import Loops


def loop(self: Loops, node: Any, generator: Generator) -> None:
    """`for target in generator: body`, in the frame of the loop."""
    frame = self.frame
    assert frame.liveness is not None
    if generator.state.get("taken"):
        raise self.refuse(
            "a generator is gone over once, and is gone over again here",
            "what is left of it depends on who took what",
            "make a list of it",
        )
    generator.state["taken"] = True
    bad = inlined.unsupported(generator.tree)
    if bad is not None:
        raise _refused_yield(self, generator, bad)
    around = frame.names | frame.lent | set(frame.env)
    statements, names = inlined.written_out(node, generator.tree, generator.frame, around)
    frame.env.update(inlined.given(names, generator.frame.env))
    lent, frame.lent = frame.lent, frame.lent | set(names.values())
    shared = frame.liveness
    found = Liveness(statements, shared.after[id(node)] | shared.captured)
    shared.after.update(found.after)
    shared.head.update(found.head)
    try:
        with self.running_as(generator.tree, generator.frame):
            self.execute_all(statements)
    finally:
        frame.lent = lent
        for kept, made in ((shared.after, found.after), (shared.head, found.head)):
            for key in made:
                kept.pop(key, None)
    for name in names.values():
        if name not in found.captured:  # by a function that may be called later
            frame.env.pop(name, None)


def _refused_yield(self: Loops, generator: Generator, node: Any) -> Exception:
    outer, self.frame = self.frame, generator.frame
    try:
        with self.origin_at(self.locate(node)):
            return self.refuse(
                "a `yield` whose value is used is not supported",
                "a loop over the generator sends it nothing",
                "yield in a statement of its own",
            )
    finally:
        self.frame = outer


def of(self: Core, value: Value) -> Generator | None:
    """The generator that a loop over a value goes over, if there is one."""
    if isinstance(value, Generator):
        return value
    if isinstance(value, Instance):
        iterator = instances.method(self, value, "__iter__")
        tree = None if iterator is None else self.tree_of(iterator)
        if tree is not None and inlined.is_generator(tree):
            found = self.call(iterator, [], {})
            assert isinstance(found, Generator)
            return found
        if tree is not None and "__adc_model__" not in value.cls.__dict__:
            own = self.call(iterator, [], {})
            return own_iterators.of(self, own) if isinstance(own, Instance) else None
    return None


LISTED = templates.later(
    """
def listed(items):
    found = []
    for item in items:
        found.append(item)
    return found
"""
)
_FIRST = templates.later(
    """
def first(items, *default):
    for item in items:
        return item
    if default:
        return default[0]
    raise StopIteration
"""
)
_ENUMERATED = templates.later(
    """
def enumerated(items, start):
    number = start
    for item in items:
        yield number, item
        number += 1
"""
)
_ZIPPED = templates.later(
    """
def zipped(items, before, after, length):
    number = 0
    for item in items:
        if number == length:
            return
        yield (*before(number), item, *after(number))
        number += 1
"""
)
_MAPPED = templates.later(
    """
def mapped(function, items):
    for item in items:
        yield function(item)
"""
)
_MAPPED_TOGETHER = templates.later(
    """
def mapped(function, *sequences):
    for items in zip(*sequences):
        yield function(*items)
"""
)
_YIELDED = templates.later(
    """
def yielded(items):
    for item in items:
        yield item
"""
)
_FILTERED = templates.later(
    """
def filtered(function, items):
    for item in items:
        if item if function is None else function(item):
            yield item
"""
)
_SLICED = templates.later(
    """
def sliced(items, start, stop):
    number = 0
    if stop is None or start < stop:
        for item in items:
            if number >= start:
                yield item
            number += 1
            if stop is not None and number >= stop:
                return
"""
)
_CHAINED = templates.later(
    """
def chained(*sequences):
    for sequence in sequences:
        for item in sequence:
            yield item
"""
)
_FLATTENED = templates.later(
    """
def flattened(sequences):
    for sequence in sequences:
        for item in sequence:
            yield item
"""
)
_PAIRED = templates.later(
    """
def paired(items):
    before = None
    first = True
    for item in items:
        if first:
            first = False
        else:
            yield before, item
        before = item
"""
)


def listed(self: Core, generator: Value) -> Value:
    """A list of what a generator gives."""
    return self.call(Closure(LISTED(), self.frame, {}), [generator], {})


def opened(self: Calls, function: Any, args: list[Value]) -> list[Value]:
    """The arguments, with the generators of those objects that the function goes over; `start` and the like stay."""
    if function in (builtins.max, builtins.min) and len(args) > 1:
        return args
    first = 1 if function in _AFTER_A_FUNCTION else 0
    last = None if function in _OVER_ALL else first + 1
    return [
        (of(self, a) or a) if isinstance(a, Instance) and k in range(len(args))[first:last] else a
        for k, a in enumerate(args)
    ]


def one_by_one(self: Calls, function: Any, args: list[Value]) -> list[Value]:
    """The arguments of `map` and the like, with which it asks for an item when it needs the next one."""
    place = 0 if function is itertools.accumulate else 1
    if function not in _ALL_AT_ONCE or len(args) <= place or any(isinstance(a, Generator) for a in args):
        return args
    given = self.call(Closure(_YIELDED(), self.frame, {}), [args[place]], {})
    return [*args[:place], given, *args[place + 1 :]]


def _map(self: Calls, function: Value, *sequences: Value) -> Value:
    tree = _MAPPED if len(sequences) == 1 else _MAPPED_TOGETHER
    return self.call(Closure(tree(), self.frame, {}), [function, *sequences], {})


def _template(tree: Callable[[], Any]) -> Callable[..., Value]:
    def called(self: Calls, *args: Value, **kwargs: Value) -> Value:
        return self.call(Closure(tree(), self.frame, {}), list(args), kwargs)

    return called


def _enumerate(self: Calls, iterable: Value, start: Value = 0) -> Value:
    return self.call(Closure(_ENUMERATED(), self.frame, {}), [iterable, start], {})


def _zip(self: Calls, *sequences: Value, strict: Value = False) -> Value:
    places = [k for k, s in enumerate(sequences) if isinstance(s, Generator)]
    if len(places) > 1 or strict is not False:
        raise self.refuse(
            "several generators are gone over together"
            if len(places) > 1
            else "zip() of a generator is strict",
            "how far each comes depends on the others",
            "make a list of one",
        )
    place = places[0]
    sides = [list(sequences[:place]), list(sequences[place + 1 :])]
    each = [self.call(zip, side, {}) if side else None for side in sides]
    lengths = [e.length for e in each if e is not None and e.length is not None]
    length: Value = None
    for other in lengths:
        length = other if length is None else self.extreme("minimum", length, other)
    before, after = (Evaluated((lambda k: ()) if e is None else e.item) for e in each)
    return self.call(Closure(_ZIPPED(), self.frame, {}), [sequences[place], before, after, length], {})


def _islice(self: Calls, items: Value, *bounds: Value) -> Value:
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    if len(bounds) == 3 and bounds[2] not in (None, 1):
        raise self.refuse("itertools.islice with a step is not supported here", repair="use a slice")
    return self.call(Closure(_SLICED(), self.frame, {}), [items, start or 0, stop], {})


def _reduced(function: Callable[..., Any]) -> Callable[..., Value]:
    """The loop of a reduction, so that what it goes over need not be kept."""

    def called(self: Calls, items: Value, *start: Value, **kwargs: Value) -> Value:
        if start or kwargs:  # of a sum; the others have a `key`, or more items to compare
            return self.call(function, [listed(self, items), *start], kwargs)
        beside = [0] if function is builtins.sum else []
        return self.call(Closure(reductions.over_items(function), self.frame, {}), [items, *beside], {})

    return called


_AFTER_A_FUNCTION: tuple[Any, ...] = (
    builtins.map,
    builtins.filter,
    itertools.starmap,
    itertools.takewhile,
    itertools.dropwhile,
    itertools.filterfalse,
)
_ALL_AT_ONCE: tuple[Any, ...] = (builtins.map, builtins.filter, itertools.starmap, itertools.accumulate)
_OVER_ALL: tuple[Any, ...] = (
    builtins.zip,
    builtins.map,
    itertools.chain,
    itertools.compress,
    itertools.zip_longest,
)
LAZY: dict[Any, Callable[..., Value]] = {
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.filter: _template(_FILTERED),
    builtins.iter: lambda self, items: items,
    builtins.next: _template(_FIRST),
    **{f: _reduced(f) for f in (builtins.sum, builtins.max, builtins.min, builtins.any, builtins.all)},
    **iteration_generators.TABLE,
    **iteration_generators.OF_GENERATORS,
    itertools.islice: _islice,
    itertools.chain: _template(_CHAINED),
    itertools.chain.from_iterable: _template(_FLATTENED),
    itertools.pairwise: _template(_PAIRED),
}
