"""Lists that grow in a loop whose number of trips is only known at run time are arrays with a place for each element.

    parts = []                      parts = np.zeros(n)
    for i in range(n):              for i in range(n):
        parts.append(x[i] ** 2)         parts[i] = x[i] ** 2

Where every trip adds as many on its only path, as here, the array has all its places before the loop; where it puts
them in front, by `insert(0, ...)`, they are filled from the last on. Otherwise (an
`append` under an `if`, in a `while`, a `pop`) the loop carries the array and the number of elements, and the array
grows by doubling. What is put into such a list is copied, so it may not be written to afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adc import pytree
from adc.compiler.frontend import element_kinds, packed, row_classes, shared_rows
from adc.compiler.frontend.columns import Columns, count, spread
from adc.compiler.frontend.containers import Contents, Differs, exchange
from adc.compiler.frontend.element_kinds import ElementFound, cannot
from adc.compiler.frontend.frame import Growing, ListValue, Room
from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.grown_reads import array, first_place
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.packed import Form
from adc.compiler.frontend.rooms import Added, Irregular
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var, owners
from adc.compiler.ir.types import Array, Scalar, Type, join_dtypes, joined, with_dtype
from adc.errors import Location, UnsupportedError
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


FIRST_ROOM = 16  # places of a list that grows


@dataclass(frozen=True)
class Method:
    """`list.name`, about to be called."""

    owner: Growing
    name: str


def begun(
    ev: Core,
    name: str,
    items: ListValue,
    kind: ElementFound | None,
    trips: Value = None,
    added: Added | None = None,
) -> Growing:
    """The list as it is before a loop or branch changes it: its elements so far, and room for more.

    Room for all that a loop adds, given its `trips` and what each adds.
    """
    known = ev.list_kinds.get(items.made)  # from an earlier attempt
    form = _form_of_all(ev, items, kind, words=added is None)
    if form is not None and known is not None and known[3] is not None:
        form = form.as_wide_as(ev, known[3])
    nested = form is None and (
        all(isinstance(item, (list, tuple)) for item in items) if items else kind is not None and kind.nested
    )
    if nested:
        _take_rows(ev, items)
    elements = [_stored(ev, item, nested, form) for item in items]
    kinds = [ev.type_of(item) for item in elements]
    found = [k for k in (None if kind is None else kind.kept, known) if k is not None]
    # Of elements that are packed, the first tells how: an earlier attempt knows only what they hold.
    unseen = not found or found[0][2] or (form is None and found[0][3] is not None)
    t = None if unseen else found[0][0]
    for each in kinds:
        t = each if t is None else joined_kinds(t, each) if each is not None else None
    if any(each is None for each in kinds) or (items and t is None):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    for other, *_ in found:
        t = t and with_dtype(t, join_dtypes(t, other))
    guessed = kind is not None and kind.guessed
    weak = all(own for _, own, *_ in found)
    weak = weak and all(element_kinds.is_weak(ev, item) for item in items)
    growing = Growing(name, None, len(items), nested, form, weak, id(items), items.made, guessed=guessed)
    for item in items if nested else ():
        row_classes.note(ev, growing, item)
    if added is not None:
        inside = ev.loop_depth + 1, ev.region_depth + 1
        growing.room = Room(added.per_trip, inside, bool(items), added.front)
    if t is not None:
        length = (
            max(FIRST_ROOM, 2 * len(items))
            if added is None
            else ev.op("add", ev.op("multiply", trips, added.per_trip), len(items))
        )
        growing.values = places(ev, name, length, t)
        first = first_place(ev, growing)
        for k, item in enumerate(elements):
            put_at(ev, growing.values, ev.op("add", first, k), item)
    return growing


def _form_of_all(ev: Core, items: ListValue, kind: ElementFound | None, words: bool) -> Form | None:
    """How the elements of a list are packed, also where these are `words` by themselves; None where they are not."""
    if not items:
        return None if kind is None else kind.form
    form, *forms = [_form(ev, items.made, item, words) for item in items]
    others = forms if kind is None or kind.form is None else [kind.form, *forms]
    mixed = [each for each in (form, *others) if each is not None and each.is_mixed]
    same = not mixed or all(mixed[0].fits(each) for each in (form, *others))
    if not same and all(type(item) is tuple and len(item) == len(mixed[0].parts) for item in items):
        ev.taken_for_rows.add(items.made)
        return None
    if form is None:
        return None
    for other in others:
        if other is None or not form.fits(other):
            raise cannot(ev, "some of its elements are tuples unlike the others")
        packed.require_alike(ev, form, other)
        form = form.widened(ev, other)
    return form


def _form(ev: Core, made: Location | None, value: Value, words: bool) -> Form | None:
    """How an element of a list is packed; tuples of numbers are rows of floats where not all have the same kinds."""
    form = packed.form_of(ev, value, words)
    as_row = form is not None and form.is_mixed and made in ev.taken_for_rows
    return None if as_row else form


def _stored(ev: Core, item: Value, nested: bool, form: Form | None) -> Value:
    if form is not None:
        return packed.row(ev, form, item)
    if isinstance(item, Var) and item.is_array:
        put_in(ev, item)
    return ev.array_of(item) if nested else item


def joined_kinds(t: Type, other: Type) -> Type | None:
    """One type for both; that the lengths are equal is checked where the elements are put in.

    Whether the numbers are Python's, the list says.
    """
    wide = joined(t, other)
    if isinstance(wide, Scalar) and wide.weak is None:
        return Scalar(wide.dtype)
    return Array(wide.dtype, t.shape) if isinstance(wide, Array) and isinstance(t, Array) else wide


def _take_rows(ev: Core, rows: ListValue) -> None:
    """The lists in a list become rows of an array: nobody else may know them, as their copies are what changes."""
    contents = Contents(ev.frame)
    for row in rows:
        _refuse_named_fields(ev, row)
        if contents.shared(row):
            raise cannot(ev, "a list in it has another name")


def _refuse_named_fields(ev: Core, row: Value) -> None:
    """A row of numbers has no fields, and no operators but those of a tuple."""
    if hasattr(row, "_fields"):
        raise cannot(ev, "its elements are named tuples")


def of_array(ev: Core, values: Var, weak: bool = False) -> Growing:
    """A list with the elements of an array that nothing else knows; `weak`: as Python's own numbers."""
    values.named = True
    freeze(ev, values)
    weak = weak and element_kinds.stays_weak(ev)
    return Growing(values.name, values, ev.dim_value(values.type.shape[0]), weak=weak, made=ev.origin)


def view(ev: Core, values: Var) -> Growing:
    """A list that shares its elements with an array: neither may be written to afterwards."""
    freeze(ev, values)
    return Growing("items", values, ev.dim_value(values.type.shape[0]), made=ev.origin, fixed=True)


def of_columns(ev: Core, columns: Columns, made: Callable[[list[Value]], Value]) -> Growing:
    """A list of the caller's that was given as arrays; `made` puts the parts of an element together."""
    for values in columns.arrays:
        freeze(ev, values)
    first: Var = columns.arrays[0]
    if columns.form.kinds == ("rows",) and columns.form.element is pytree.LEAF:
        return view(ev, first)
    if columns.form.kinds == ("table",):
        table = Growing(first.name, first, count(ev, columns), nested=True, made=ev.origin, fixed=True)
        row_classes.note(ev, table, [])  # each of its rows is a list
        return table
    return Growing(first.name, first, count(ev, columns), fixed=True, of=spread(ev, columns, made))


def places(ev: Core, name: str, length: Value, kind: Type) -> Var:
    shape = kind.shape if isinstance(kind, Array) else ()
    values: Var = ev.op("zeros", (length, *ev.shape_values(shape)), dtype=kind.dtype)
    values.name, values.named = name, True
    freeze(ev, values)
    return values


def append(ev: Core, growing: Growing, value: Value) -> None:
    """`growing.append(value)`."""
    _add(ev, growing, value, front=False)


def prepend(ev: Core, growing: Growing, value: Value) -> None:
    """`growing.insert(0, value)` in each trip of a loop that fills its places from the last on."""
    _add(ev, growing, value, front=True)


def _add(ev: Core, growing: Growing, value: Value, front: bool) -> None:
    may_change(ev, growing)
    room = growing.room
    if room is not None and (
        room.inside != (ev.loop_depth, ev.region_depth)
        or room.appended == room.per_trip
        or room.front != front
    ):
        raise Irregular(growing.name)
    value = stored(ev, growing, value)
    assert growing.values is not None
    if room is None:
        growing.values = _with_room(ev, growing, growing.values)
    else:
        room.appended += 1
    count = growing.count
    growing.count = ev.op("add", count, 1)
    put_at(ev, growing.values, first_place(ev, growing) if front else count, value)


def stored(ev: Core, growing: Growing, value: Value) -> Value:
    """What lies in the array of a list where a value is an element. Raises ElementFound where another is needed."""
    # Where every trip adds one, trips that are written out know each text.
    form = _form(ev, growing.made, value, words=growing.room is None)
    nested = form is None and isinstance(value, (Growing, list, tuple))
    weak = element_kinds.is_weak(ev, value)
    if form is not None:
        if form.fits(growing.form):
            assert growing.form is not None
            form = growing.form.widened(ev, form)
        else:
            # What comes later may hold more texts: then a row says which.
            known = ev.list_kinds.get(growing.made)
            form = form if known is None or known[3] is None else form.as_wide_as(ev, known[3])
        value = packed.row(ev, form, value)
    elif nested:
        if isinstance(value, (list, tuple)) and any(ev.type_is_array(v) for v in value):
            raise cannot(ev, "its elements have arrays in them")
        if isinstance(value, (list, tuple)) and any(isinstance(v, Growing) for v in value):
            raise cannot(ev, "its elements have lists of any length in them")
        _refuse_named_fields(ev, value)
        row_classes.note(ev, growing, value)
        row = value
        value = array(ev, value) if isinstance(value, Growing) else ev.array_of(value)
    t = ev.type_of(value)
    if t is None or (nested and t.ndim > 1):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    if growing.values is None or growing.guessed:
        _not_of_itself(ev, growing, t)
        kind = _from_outside(ev, growing, t)
        as_found = growing.values is not None and kind_of(growing) == kind and _like(growing, nested, form)
        if not as_found or growing.weak != weak:
            form = form and packed.known_before(ev, form, growing.born)
            raise ElementFound(growing.key, growing.made, kind, nested=nested, form=form, weak=weak)
        growing.guessed = False
    assert growing.values is not None
    if growing.key and not _like(growing, nested, form) and _are_rows(growing, value):
        ev.taken_for_rows.add(growing.made)
        kind = Array("float64", (Dim(len(value)),))
        raise ElementFound(growing.key, growing.made, kind, nested=True, weak=weak)
    if not _like(growing, nested, form) and (form or growing.form or not _is_empty(growing)):
        raise cannot(ev, "some of its elements are lists or tuples, and some are not, or others")
    growing.nested = nested
    if nested and isinstance(row, (Growing, ListValue)):
        shared_rows.take(ev, row, growing)
    if form is not None and growing.form is not None:
        packed.require_alike(ev, growing.form, form)
        if form.said != growing.form.said:
            if not growing.key:
                raise cannot(ev, "some of its elements hold other texts than those of the list it is made of")
            found = _from_outside(ev, growing, t), packed.known_before(ev, form, growing.born)
            raise ElementFound(growing.key, growing.made, found[0], form=found[1], weak=weak)
    kind = kind_of(growing)
    wide = joined_kinds(kind, t)
    if wide is None:
        raise cannot(ev, "its elements are not of one rank")
    if wide.dtype != kind.dtype or (growing.weak and not weak):
        raise ElementFound(
            growing.key,
            growing.made,
            Array(wide.dtype, kind.shape) if isinstance(kind, Array) else Scalar(wide.dtype),
            nested=nested,
            form=growing.form,
            weak=growing.weak and weak,
        )
    if isinstance(value, Var) and value.is_array:
        put_in(ev, value)
    return value


def _like(growing: Growing, nested: bool, form: Form | None) -> bool:
    """Whether what is put into a list is of the kind of its elements."""
    packed_alike = growing.form is None if form is None else form.fits(growing.form)
    return growing.nested == nested and packed_alike


def _are_rows(growing: Growing, value: Value) -> bool:
    """Whether a tuple of numbers and the elements of a list, tuples of other kinds of numbers, are as long."""
    if type(value) is not tuple:
        return False
    if growing.form is None:
        return growing.nested and kind_of(growing).shape[0].known == len(value)
    return growing.form.is_mixed and len(growing.form.parts) == len(value)


def _not_of_itself(ev: Core, growing: Growing, t: Type) -> None:
    """The first element may not have the length that was only guessed, of elements that there are none of."""
    guessed = kind_of(growing).shape if growing.values is not None else ()
    if any(symbol in d.symbols() for each in guessed for symbol in each.symbols() for d in t.shape):
        raise cannot(ev, "nothing says how long its elements are")


def may_change(ev: Core, growing: Growing) -> None:
    ev.refuse_either(growing)
    if growing.fixed:
        raise changed(ev)


def changed(ev: Core) -> UnsupportedError:
    return ev.refuse(
        "a list changes that was put into another list, or whose length is that of its neighbours",
        "a list of lists is a matrix in compiled code, and holds copies",
        "put in a copy: `list(row)`, or use an array",
    )


def kind_of(growing: Growing) -> Type:
    """The type of an element."""
    assert growing.values is not None
    whole = growing.values.type
    return Array(whole.dtype, whole.shape[1:]) if len(whole.shape) > 1 else Scalar(whole.dtype)


def holds_numpys(growing: Growing) -> ElementFound:
    """What tells that a list of Python's own numbers has some of NumPy's, too."""
    kind = kind_of(growing)
    return ElementFound(growing.key, growing.made, kind, nested=growing.nested, form=growing.form)


def _is_empty(growing: Growing) -> bool:
    if growing.room is not None:
        return not growing.room.started and not growing.room.appended
    return isinstance(growing.count, int) and growing.count == 0


def _with_room(ev: Core, growing: Growing, values: Var) -> Var:
    """The array of a list, or, where it is full, one of twice its length."""
    room = ev.dim_value(values.type.shape[0])
    full = ev.op("greater_equal", growing.count, room)
    if full is False:
        return values

    def doubled() -> Var:
        more = places(
            ev, growing.name, ev.op("multiply", ev.extreme("maximum", room, 1), 2), kind_of(growing)
        )
        part = ev.subscript(values, slice(None, growing.count))
        ev.store(more, normalized(ev, more, slice(None, growing.count)), part)
        return more

    if full is True:
        return doubled()
    wider: Var = ev.choose(full, doubled, lambda: values)
    wider.name, wider.named = growing.name, True
    freeze(ev, wider)
    return wider


def converted(ev: Core, items: ListValue) -> Growing:
    """Let a list live in an array that grows, from here on and wherever it is known.

    Raises Differs for the branch that found the list.
    """
    if ev.from_outside(items):
        raise Differs(items, ev.origin)
    name = next((n for n, value in ev.frame.env.items() if value is items), "items")
    growing = begun(ev, name, items, None)
    if not exchange(ev.frame, items, growing):
        raise cannot(ev, "it is held by something that is not looked into")
    return growing


def put_at(ev: Core, values: Var, k: Value, value: Value) -> None:
    t = ev.type_of(value)
    assert t is not None and isinstance(values.type, Array)
    for a, b in zip(values.type.shape[1:], t.shape, strict=True):
        if (a - b).known or (not ev.equal.same(a, b) and any(owner in ev.varying for owner in owners(b))):
            raise cannot(ev, "its elements have different lengths")
        ev.require_equal(a, b, "the elements of a list have different shapes")
    freeze(ev, values)
    ev.store(values, normalized(ev, values, k), ev.cast(value, values.type.dtype))


def _from_outside(ev: Core, growing: Growing, t: Type) -> Type:
    """The type of an element, if its lengths are known where the list begins to grow."""
    if not isinstance(t, Array):
        return Scalar(t.dtype)
    shape = tuple(ev.equal.find(d) for d in t.shape)
    if any(owner.order > growing.born for d in shape for owner in owners(d)):
        raise cannot(ev, "the lengths of its elements are only known inside the loop")
    return Array(t.dtype, shape)
