"""Reading elements gathers and its pull scatters; a write ends the derivative of what was there.

In a first-order backward both work in place on one buffer per array, so that a loop over n elements costs n,
not n^2.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import GraphCutError
from adc.tape import hooks, record, views
from adc.tape.entry import Pull
from adc.tape.node import AccumulateGrad, IndexNode, Node, here, orders
from adc.tape.slicing import Need
from adc.tape.state import modes, off
from adc.tape.tensor import Tensor, make
from adc.tape.writes import stamp


class IndexPull(Pull):
    """A pull that a first-order backward may run in place: `run(engine, node, bar, owned)`."""

    __slots__ = ("run",)

    def __init__(
        self, name: str, reverse: Callable[..., Any], operands: tuple[bool, ...], run: Callable[..., None]
    ) -> None:
        super().__init__(name, reverse, (Need.NOTHING,), False, operands)
        self.run = run


# Tensors that stand for `x.flat`, of which NumPy reads copies, by identity.
flat: dict[int, weakref.ref[Tensor]] = {}


def read_by_copies(t: Tensor) -> Tensor:
    """A Tensor whose parts are copies, while what is written to it is written to what it is a view of."""
    key = id(t)
    flat[key] = weakref.ref(t, lambda _: flat.pop(key, None))
    return t


# Reading ----------------------------------------------------------------------------------------------------


def read(t: Tensor, index: Any) -> Any:
    """`t[index]`: a view for basic indices, a copy for arrays and masks, as in NumPy."""
    if index.__class__ is not int:
        index = record.plain(index)
    z = t.primal[index]
    if flat and z.__class__ is np.ndarray and id(t) in flat:
        z = z.copy()
    if t.node is None or (off.count and not modes.enabled):
        if isinstance(z, np.ndarray):
            result = make(z)
            if z.base is not None:
                views.note(result, (t,))
            return result
        # Elements of constants are NumPy's own scalars to a plain function: hashable, and cheap.
        if modes.plain:
            return z
        result = make(z)
        result.extra = (t, index)
        return result
    node = IndexNode()
    node.pull = _SELECT if index.__class__ is int else _SLICE if index.__class__ is slice else READ
    node.edges = (t.node,)
    node.kept = (frozen(index), t.primal.shape)
    node.z = None
    node.shape = z.shape
    node.dtype = z.dtype
    node.order = next(orders)
    frame = sys._getframe(2)
    node.code = frame.f_code
    node.lasti = frame.f_lasti
    node.hooks = None
    result = make(z, node)
    if z.__class__ is np.ndarray and z.base is not None:
        views.note_one(result, t)
    elif not modes.plain and z.__class__ is not np.ndarray:
        result.extra = (t, index)
    return result


def as_window(element: Tensor) -> None:
    """Before a write to a Tensor without axes: what was read as an element becomes a window of where it was read.

    To NumPy `x[0]` is a number, to PyTorch a view: `x[0].zero_()` writes to x.
    """
    if element.extra.__class__ is tuple:
        source, index = element.extra
        window = read(source, (*index, ...) if index.__class__ is tuple else (index, ...))
        element.primal, element.node, element.extra = window.primal, window.node, None
        views.note(element, (source,))
    elif not isinstance(element.primal, np.ndarray):
        element.primal = np.array(element.primal)


def frozen(index: Any) -> Any:
    """The index with arrays copied: the user may change them before backward."""
    if isinstance(index, np.ndarray):
        return index.copy()
    if isinstance(index, tuple):
        return tuple([frozen(part) for part in index])
    if isinstance(index, list):
        return np.array(index) if index else np.zeros(0, np.intp)  # an empty array is one of floats
    return index


def _has_repeats(index: Any) -> bool:
    """Whether an index may name an element twice: only lists and arrays of integers can."""
    if isinstance(index, tuple):
        return any(map(_has_repeats, index))
    if isinstance(index, list):
        return True
    return isinstance(index, np.ndarray) and index.dtype != np.bool_


def add_at(buffer: np.ndarray[Any, Any], index: Any, values: Any) -> None:
    """buffer[index] += values, also where an element is named several times."""
    if _has_repeats(index):
        np.add.at(buffer, index, values)
    else:
        buffer[index] += values


def scatter(bar: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """An array of zeros with `bar` added at `index`: the transpose of reading."""
    if bar.__class__ is not Tensor:
        out = np.zeros(shape, bar.dtype)
        add_at(out, index, bar)
        return out
    out = np.zeros(shape, bar.dtype)
    add_at(out, index, bar.primal)
    if bar.node is None or not modes.enabled:
        return make(out)
    return make(out, record.new_node(_SCATTER, out, (bar.node,), (index,)))


def _gather_reverse(bar: Any, z: Any, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    index, shape = kept
    return (scatter(bar, index, shape),)


def _gather_in_place(engine: Any, node: Node, bar: Any, owned: bool) -> None:
    target = node.edges[0]
    if engine.wants(target):
        assert node.kept is not None
        add_at(engine.buffer(target), node.kept[0], bar)


def _scatter_reverse(bar: Any, z: Any, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    return (bar[kept[0]],)


_SELECT = IndexPull("SelectBackward", _gather_reverse, (True,), _gather_in_place)
_SLICE = IndexPull("SliceBackward", _gather_reverse, (True,), _gather_in_place)
READ = IndexPull("IndexBackward", _gather_reverse, (True,), _gather_in_place)
_SCATTER = Pull("ScatterBackward", _scatter_reverse, (Need.NOTHING,), False, (True,))


# Writing ----------------------------------------------------------------------------------------------------


def write(t: Tensor, index: Any, value: Any) -> None:
    """`t[index] = value`, recorded if either carries a derivative.

    Raises `RuntimeError` for a leaf that requires a gradient, `GraphCutError` for a derivative written to
    integers.
    """
    index = frozen(record.plain(index))
    if isinstance(value, record.SEQUENCES) and record.is_active(value):
        value = _stacked(record.ordinary(value))
    new = record.plain(value)
    root = views.root_of(t)
    check_writable(t, root, value)
    same_root = value.__class__ is Tensor and views.is_view(value) and views.root_of(value) is root
    if same_root and views.same_window(value.primal, t.primal[index]):
        return  # the second half of `t[index] += ...`, which wrote in place already
    if views.is_part(t, root):
        _write_part(t, root, index, value)
        return
    if modes.plain:
        views.spare_kept(t)
    t.primal[index] = new
    stamp(t.primal)
    active = value.node if value.__class__ is Tensor else None
    if modes.enabled and (root.node is not None or active is not None):
        put(root, index if root is t else _within(root, t, index), active)
    else:
        refresh_views(root)


def _stacked(values: Any) -> Any:
    """Nested lists of Tensors and numbers as NumPy takes them where it writes them to an array."""
    return np.stack([_stacked(v) if isinstance(v, list | tuple) else v for v in values])


def _write_part(t: Tensor, root: Tensor, index: Any, value: Any) -> None:
    """Write to the real or imaginary part of complex elements: these are made anew."""
    region = _within(root, t, index)
    old: Any = root[region]
    if np.iscomplexobj(record.plain(value)):
        value = np.real(value)
    whole = value + 1j * np.imag(old) if views.is_real_part(t, root) else np.real(old) + 1j * value
    write(root, region, whole)


def check_writable(t: Tensor, root: Tensor, value: Any) -> None:
    """Raise if a write to `t` would change a leaf or lose a derivative."""
    if root.is_inference() and not modes.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to "
            "get a normal tensor before doing inplace update."
        )
    if not modes.enabled:
        return
    if hasattr(t, "unrecorded") and (
        root.node is not None or (value.__class__ is Tensor and value.node is not None)
    ):
        raise _of_unrecorded(t.unrecorded)
    # A root without a node and a view with one: either the view was made a leaf, or the root was detached since.
    if root.node.__class__ is AccumulateGrad if root.node is not None else t.node is not None:
        what = "a leaf Variable" if t.node.__class__ is AccumulateGrad else "a view of a leaf Variable"
        raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
    if value.__class__ is Tensor and value.node is not None and t.primal.dtype.kind not in "fc":
        raise GraphCutError(
            f"adc cannot write a value with a derivative into an array of {t.primal.dtype}",
            here(),
            "Rounding to integers would lose the derivative.",
            "Make the array of floats.",
        )


def _of_unrecorded(mode: str) -> RuntimeError:
    now, block = ("with grad mode enabled", mode) if mode == "no_grad" else ("in normal mode", f"{mode}_mode")
    return RuntimeError(
        f"A view was created in {mode} mode and is being modified inplace {now}. Given that this use case is "
        "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the "
        f"inplace either both inside the {block} block (if you don't want the inplace to be tracked) or both "
        "outside (if you want the inplace to be tracked)."
    )


def _within(root: Tensor, t: Tensor, index: Any) -> Any:
    """The index into the root of what `index` is in its view `t`."""
    if _is_basic(index):
        whole = index if isinstance(index, tuple) else (index,)
        if not any(part is Ellipsis for part in whole):
            whole = (*whole, Ellipsis)  # so that a single element stays a window
        return views.positions(root.primal, t.primal[whole])
    return tuple([axis[index] for axis in views.positions(root.primal, t.primal)])


def _is_basic(index: Any) -> bool:
    if isinstance(index, tuple):
        return all(map(_is_basic, index))
    return index is None or index is Ellipsis or isinstance(index, slice | int | np.integer)


def put(root: Tensor, region: Any, value: Node | None) -> None:
    """Record that a region of `root` was replaced, and read its views anew."""
    edges = tuple(edge for edge in (root.node, value) if edge is not None)
    pull = _PUT[root.node is not None, value is not None]
    hooks.rebase(root, record.new_node(pull, root.primal, edges, (region,)))
    refresh_views(root)


def refresh_views(root: Tensor) -> None:
    """Every view of a root follows its new values, also constants; hooks on what they were before stay there."""
    for view in views.views_of(root):
        if root.node is not None:
            hooks.rebase(view, _read_anew(view, root))
        elif not isinstance(view.node, AccumulateGrad):  # a leaf is one, also where it lies in a constant
            hooks.rebase(view, None)


def _read_anew(view: Tensor, root: Tensor) -> Node:
    index = views.positions(root.primal, view.primal)
    if views.is_part(view, root):
        values = root.primal[index]
        whole = make(values, record.new_node(READ, values, (root.node,), (index, root.primal.shape)))  # type: ignore[arg-type]
        found: Any = np.real(whole) if views.is_real_part(view, root) else np.imag(whole)
        return found.node  # type: ignore[no-any-return]
    return record.new_node(READ, view.primal, (root.node,), (index, root.primal.shape))  # type: ignore[arg-type]


def unheard(t: Tensor) -> Node | None:
    """Where the value that an in-place operation reads came from: for a view the root, past the hooks on views.

    As in PyTorch, whose CopySlices goes from the root's new value to its old one.
    """
    root = views.root_of(t)
    if root is t or root.node is None or t.node is None:
        return t.node
    direct = t.node.hooks is None and t.node.edges == (root.node,)  # no view with hooks between
    return t.node if direct else _read_anew(t, root)


def _last_named(index: Any, shape: tuple[int, ...]) -> Any:
    """Where an index names an element several times the last one is what stays: True at those."""
    order = np.full(shape, -1)
    numbers = np.arange(order[index].size).reshape(order[index].shape)
    order[index] = numbers
    return order[index] == numbers


def _cleared(bar: Any, region: Any) -> Any:
    rest = np.copy(bar)
    rest[region] = 0.0
    return rest


def _value_bar(bar: Any, region: Any) -> Any:
    taken = bar[region]
    if _has_repeats(region):
        return np.where(_last_named(region, bar.shape), taken, 0.0)
    return taken


def _put_in_place(engine: Any, node: Node, bar: Any, owned: bool) -> None:
    assert node.kept is not None
    region = node.kept[0]
    has_base, has_value = node.pull.operands
    if has_value and engine.wants(node.edges[-1]):
        value_bar = _value_bar(bar, region)
        engine.add(node.edges[-1], value_bar.copy() if has_base else value_bar)
    if has_base and engine.wants(node.edges[0]):
        rest = bar if owned else np.array(bar)
        rest[region] = 0.0
        engine.give(node.edges[0], rest)


_PUT = {
    (True, True): IndexPull(
        "CopySlicesBackward",
        lambda bar, z, kept: (_cleared(bar, kept[0]), _value_bar(bar, kept[0])),
        (True, True),
        _put_in_place,
    ),
    (True, False): IndexPull(
        "CopySlicesBackward", lambda bar, z, kept: (_cleared(bar, kept[0]),), (True, False), _put_in_place
    ),
    (False, True): IndexPull(
        "CopySlicesBackward", lambda bar, z, kept: (_value_bar(bar, kept[0]),), (False, True), _put_in_place
    ),
}
