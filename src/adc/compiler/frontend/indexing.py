"""Normalise an index expression: ellipsis spelled out, constants folded, the result's type and view-ness found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.frame import SurelyRaised
from adc.compiler.ir.nodes import Const, Index, Slice, Var
from adc.compiler.ir.types import Array, Layout, Scalar, Type, is_integer
from adc.errors import ShapeError
from adc.rules.dims import Dim, Shape

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder

FULL = Slice(None, None, None)


def located(builder: Builder, array: Var, index: Any) -> tuple[Var, Index]:
    """The array and the normalised index that `array[index]` is, for an index as the program has it.

    What is read and written at positions may be a view of the array:

        x[:, i, ..., j]    x.transpose(1, 2, 0)[i, j]    an ellipsis for no axes keeps positions apart, too
        x[3::-2, i]        x[3::-2][:, i]                only the view knows its length
    """
    array, found = _kept_apart(builder, array, index)
    if not any(map(_is_array, found)):
        return array, found
    cut: list[Any] = []
    behind: list[Any] = []
    for item in found:
        length = array.type.shape[len(cut)] if isinstance(item, Slice) else None
        is_open = length is not None and slice_length(builder, item, length) == Dim(-1)
        cut += [item if is_open else FULL] * _consumes(item)
        behind.append(FULL if is_open else item)
    if all(part == FULL for part in cut):
        return array, found
    return builder.getitem(array, tuple(cut)), tuple(behind)


def _kept_apart(builder: Builder, array: Var, index: Any) -> tuple[Var, Index]:
    items = index if isinstance(index, tuple) else (index,)
    consumed = [_consumes(item) for item in items if item is not Ellipsis]
    where = next((k for k, item in enumerate(items) if item is Ellipsis), None)
    if where is None or sum(consumed) != array.type.ndim or not any(map(_is_array, items)):
        return array, normalized(builder, array, index)
    if not any(map(_gathers, items[:where])) or not any(map(_gathers, items[where + 1 :])):
        return array, normalized(builder, array, index)
    rest = [item for item in items if item is not Ellipsis]
    axes = [sum(consumed[:k]) for k in range(len(rest))]
    first = [k for k, item in enumerate(rest) if _gathers(item)]
    behind = [k for k in range(len(rest)) if k not in first]
    order = tuple(axes[k] for k in (*first, *behind) if consumed[k])
    turned = builder.op("transpose", array, order)
    return turned, normalized(builder, turned, tuple(rest[k] for k in (*first, *behind)))


def _is_array(item: Any) -> bool:
    return isinstance(item, Var) and item.is_array


def _gathers(item: Any) -> bool:
    """Whether an item is a position or an array of them: beside arrays, NumPy takes positions for arrays, too."""
    return _consumes(item) > 0 and not isinstance(item, (slice, Slice)) and item is not Ellipsis


def normalized(builder: Builder, array: Var, index: Any) -> Index:
    """The index as one item per axis (plus newaxes): atoms, `Slice`s, integer or mask arrays, `Const(None)`."""
    items = list(index) if isinstance(index, tuple) else [index]
    ndim = array.type.ndim
    consumed = sum(_consumes(item) for item in items if item is not Ellipsis)
    if sum(item is Ellipsis for item in items) > 1:
        raise ShapeError("an index can only have a single ellipsis ('...')", location=builder.origin)
    missing = ndim - consumed
    if missing < 0:
        raise ShapeError(
            f"too many indices for array: array is {ndim}-dimensional, but {consumed} were indexed",
            location=builder.origin,
            why="the index has more items than the array has axes",
            repair="drop an index",
        )
    where = next((k for k, item in enumerate(items) if item is Ellipsis), None)
    if where is None:
        items = items + [slice(None)] * missing
    else:
        items[where : where + 1] = [slice(None)] * missing
    return tuple(_item(builder, item) for item in items)


def _consumes(item: Any) -> int:
    if item is None or (isinstance(item, Const) and item.value is None):
        return 0
    if isinstance(item, Var) and isinstance(item.type, Array) and item.type.dtype == "bool":
        return item.type.ndim
    return 1


def _item(builder: Builder, item: Any) -> Any:
    if isinstance(item, slice):
        return Slice(*(None if p is None else builder.atom(p) for p in (item.start, item.stop, item.step)))
    if isinstance(item, (Slice, Const, Var)):
        return item
    if item is None or (isinstance(item, (int, np.integer)) and not isinstance(item, bool)):
        return Const(item)
    raise builder.refuse(
        f"an index of type {type(item).__name__} is not supported",
        repair="index with integers, slices, newaxis, integer arrays or masks",
    )


def indexed_type(builder: Builder, array: Var, index: Index) -> tuple[Type, bool]:
    """The type of `array[index]` and whether it is a view."""
    assert isinstance(array.type, Array)
    advanced = [i for i in index if isinstance(i, Var) and i.is_array]
    shape: list[Dim] = []
    layout: Layout = array.type.layout
    advanced_at: list[int] = []
    axis = 0
    # C-contiguity survives while only leading integers (and then one slice) cut the array.
    leading_kept = True
    for item in index:
        if isinstance(item, Const) and item.value is None:
            shape.append(Dim(1))
            continue
        if isinstance(item, Slice):
            length = array.type.shape[axis]
            whole = item.start is None and item.stop is None and item.step is None
            shape.append(length if whole else slice_length(builder, item, length))
            if not whole and (not leading_kept or item.step is not None):
                layout = "A"
            leading_kept = leading_kept and length.known == 1
            axis += 1
            continue
        if isinstance(item, Var) and item.is_array:
            advanced_at.append(len(shape))
            masked = item.type.shape if item.type.dtype == "bool" else ()
            for a, b in zip(masked, array.type.shape[axis:], strict=False):
                builder.require_equal(a, b, "boolean index did not match indexed array along an axis")
            axis += len(masked) or 1
            continue
        if isinstance(item, Const) and builder.is_static(item.value):
            _check_bounds(builder, item.value, array.type.shape[axis])
        elif isinstance(item, Var) and not is_integer(item.type):
            raise builder.refuse(
                "only integers, slices (`:`), ellipsis, newaxis and integer or boolean arrays are valid indices"
            )
        if advanced:
            advanced_at.append(len(shape))
        elif not leading_kept:
            layout = "A"
        axis += 1
    if advanced:
        gathered = _gathered(builder, advanced)
        together = all(p == advanced_at[0] for p in advanced_at) and _adjacent(index)
        at = advanced_at[0] if together else 0
        full = (*shape[:at], *gathered, *shape[at:])
        # NumPy lays the gathered axes out first: the rows of `a[:, k]` are columns in memory.
        in_rows = len(full) == 1 or (at == 0 and array.type.layout == "C")
        return Array(array.type.dtype, full, "C" if in_rows else "A"), False
    if not shape:
        return Scalar(array.type.dtype), False
    return Array(array.type.dtype, tuple(shape), layout), True


def _adjacent(index: Index) -> bool:
    """Whether the integer and array items stand next to each other, so that their axes stay in place."""
    kinds = [not isinstance(i, Slice) and not (isinstance(i, Const) and i.value is None) for i in index]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    return all(kinds[first : last + 1])


def _gathered(builder: Builder, advanced: list[Var]) -> Shape:
    shapes: list[Shape] = []
    for item in advanced:
        shapes.append((Dim(-1),) if item.type.dtype == "bool" else item.type.shape)
    if any(s == (Dim(-1),) for s in shapes):
        assert len(shapes) == 1, "masks beside other items are positions"
        return shapes[0]
    return builder.fit(shapes, "shape mismatch: indexing arrays could not be broadcast together")


def _check_bounds(builder: Builder, k: int, length: Dim) -> None:
    if length.known is not None and not -length.known <= k < length.known:
        what = f"index {k} is out of bounds for axis with size {length.known}"
        if builder.region_depth:  # it need not be reached
            raise SurelyRaised(IndexError(what), builder.region_depth, builder.origin)
        raise ShapeError(
            what,
            location=builder.origin,
            why="the length is known before the program runs",
            repair="correct the index",
        )


def slice_length(builder: Builder, item: Slice, length: Dim) -> Dim:
    """How many elements `start:stop:step` selects from an axis of `length`."""
    step = 1 if item.step is None else _static_step(builder, item.step)
    if step == -1 and item.start is None and item.stop is None:
        return length
    if step < 0:
        return (
            Dim(-1)
            if length.known is None or not _known_ends(item)
            else Dim(len(range(*slice(_plain(item.start), _plain(item.stop), step).indices(length.known))))
        )
    start = _end(builder, item.start, length, Dim(0), is_stop=False)
    stop = _end(builder, item.stop, length, length, is_stop=True)
    if start is None or stop is None:
        return Dim(-1)
    if length.known is not None and start.known is not None and stop.known is not None:
        return Dim(len(range(max(start.known, 0), min(stop.known, length.known), step)))
    span = stop - start
    if span.within(0):
        return Dim(0)
    count = span if step == 1 else (span + (step - 1)) // step
    return count if builder.never_negative(span) else count.clamped()


def _known_ends(item: Slice) -> bool:
    return all(p is None or isinstance(p, Const) for p in (item.start, item.stop))


def _plain(part: Any) -> int | None:
    return None if part is None else int(part.value)


def _static_step(builder: Builder, step: Any) -> int:
    if isinstance(step, Const):
        if step.value is None:
            return 1
        if step.value == 0:
            raise ShapeError(
                "slice step cannot be zero",
                location=builder.origin,
                why="no element comes after the first",
                repair="correct the step",
            )
        return int(step.value)
    raise builder.refuse(
        "a slice step that is not a constant is not supported", repair="write the step as a number"
    )


def _end(builder: Builder, part: Any, length: Dim, default: Dim, *, is_stop: bool) -> Dim | None:
    """A slice end as a length from the start of the axis; None when only the trip of a loop knows it.

    Starts past the end and stops before the start need no clipping here: the clamp of the difference does the same.
    """
    if part is None or (isinstance(part, Const) and part.value is None):
        return default
    if isinstance(part, Const):
        k = int(part.value)
        if k < 0:
            return length + k if is_stop else (length + k).clamped()
        return length.at_most(k) if is_stop else Dim(k)
    end = builder.length(part)
    if end is None:
        raise builder.refuse("slice ends must be integers")
    if (end - length).known in (-1, -2):  # below zero, they leave as much as when they count from the front
        return end if is_stop else end.clamped()
    if end in (length, Dim(0)):
        return end
    if not builder.never_negative(end):
        return length.cut(end) if builder.is_throughout(end) else None
    return end if not is_stop or builder.never_negative(length - end) else length.at_most(end)


def gains_axes(builder: Builder, base: Any, index: Any) -> bool:
    """Whether a number of NumPy's is indexed by None, which gives it axes."""
    kind = builder.type_of(base) if isinstance(base, (Var, np.generic)) else None
    items = index if isinstance(index, tuple) else (index,)
    return (
        isinstance(kind, Scalar)
        and not kind.weak
        and any(item is None for item in items)
        and all(item is None or item is Ellipsis for item in items)
    )
