"""What a node keeps can be packed when it is kept and unpacked when it is read: `saved_tensors_hooks`.

Recording looks up no hooks. While there are any, new nodes are of classes whose `kept` and `z` go through them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import indexing, operators, record
from adc.tape.entry import Entry
from adc.tape.node import FREED, AccumulateGrad, IndexNode, Node, Whole
from adc.tape.recorders import namespaces
from adc.tape.state import of_threads
from adc.tape.tensor import Tensor, make
from adc.tape.writes import version

__all__ = ["disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class _Local(threading.local):
    """The hooks of the running thread, innermost last, and why there may be none."""

    def __init__(self) -> None:
        self.hooks: list[tuple[Callable[[Tensor], Any], Callable[[Any], Any]]] = []
        self.refusals: list[str] = []


_local = _Local()
of_threads.append(_local)


class _Packed:
    """A value in the form that `pack` gave it."""

    __slots__ = ("form", "unpack")

    def __init__(self, form: Any, unpack: Callable[[Any], Any]) -> None:
        self.form = form
        self.unpack = unpack


def packing() -> bool:
    """Whether this thread has hooks on what is kept."""
    return bool(_local.hooks)


def packed(value: Any) -> Any:
    """An array, or the arrays of a tuple or list, as the innermost `pack` gives them."""
    if not _local.hooks:
        return value
    if isinstance(value, np.ndarray):
        return value if operators.is_number(value) else _packed_by(value, *_local.hooks[-1])
    if value.__class__ is tuple or value.__class__ is list:
        return value.__class__(packed(v) for v in value)
    return value


def _packed_by(value: Any, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> _Packed:
    before = version(value)
    form = pack(make(value))
    if version(value) != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
            "hook cannot be modified by in-place operations as this can lead to unexpected side-effects."
        )
    return _Packed(form, unpack)


def unpacked(value: Any) -> Any:
    """What `packed` was given, by the `unpack` of the same hooks."""
    if value.__class__ is _Packed:
        found = value.unpack(value.form)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        return found.primal
    if value.__class__ is tuple or value.__class__ is list:
        return value.__class__(unpacked(v) for v in value)
    return value


_KEPT: Any = vars(Node)["kept"]
_Z: Any = vars(Node)["z"]


class Packing:
    """`kept` and `z` of a node, packed."""

    __slots__ = ()

    kept = property(
        lambda node: unpacked(_KEPT.__get__(node)), lambda node, v: _KEPT.__set__(node, packed(v))
    )
    z = property(lambda node: unpacked(_Z.__get__(node)), lambda node, v: _Z.__set__(node, packed(v)))


class PackingNode(Packing, Node):
    __slots__ = ()


class PackingIndexNode(Packing, IndexNode):
    __slots__ = ()


class PackingWhole(Packing, Whole):
    __slots__ = ()


# What one node keeps ------------------------------------------------------------------------------------------


def hooked(value: Any, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> _Packed:
    """A kept value in the form that hooks of its own give it."""
    if value.__class__ is _Packed:
        raise RuntimeError(
            "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair "
            "of hooks is allowed at a time."
        )
    if value is None:
        raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
    return _packed_by(value, pack, unpack)


class SavedTensor:
    """A value that a node keeps, as `node._raw_saved_self` gives it: hooks may be set on it alone."""

    def __init__(self, node: Node, position: int | None) -> None:
        self._node = node
        self._position = position  # in what is kept of the operands; None: the result

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Keep `pack_hook(tensor)` from now on, and read it by `unpack_hook`."""
        node, kept = self._node, _KEPT.__get__(self._node)
        if kept is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of "
                "the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
                "you need to backward through the graph a second time or if you need to access saved tensors "
                "after calling backward."
            )
        value = _Z.__get__(node) if self._position is None else kept[self._position]
        form = hooked(value, pack_hook, unpack_hook)
        node.__class__ = _PACKING.get(type(node).__name__, type(node))
        if self._position is None:
            _Z.__set__(node, form)
        else:
            _KEPT.__set__(node, (*kept[: self._position], form, *kept[self._position + 1 :]))


def attribute(node: Node, name: str) -> Any:
    """`node._saved_self` and the like: what a node keeps of its first operand, its second, or its result."""
    raw, _, word = name[1:].rpartition("saved_")
    pull = node.pull
    entry = None if pull is None else pull.entry
    position = None if entry is None else _position(entry, word)
    if entry is None or (position is None and word != "result"):
        raise AttributeError(f"{node.name()} keeps no {word!r}")
    if raw:
        return SavedTensor(node, position)
    if node.kept is None:
        raise RuntimeError(FREED)
    value = node.z if position is None else node.kept[position]
    if not isinstance(value, np.ndarray | np.generic):
        return value
    if position is None:
        return make(value, node)
    edges = iter(node.edges)
    of = {k: next(edges) for k, active in zip(entry.wrt, pull.active, strict=True) if active}
    source = of.get(position)
    leaf = source.variable if isinstance(source, AccumulateGrad) else None
    return leaf if leaf is not None and leaf.primal is value else make(value, source)


def _position(entry: Entry, word: str) -> int | None:
    """Where a node keeps what PyTorch calls by this name."""
    if word in entry.positions:
        return entry.positions[word]
    order = {"self": 0, "other": 1, "exponent": 1}.get(word, len(entry.wrt))
    return entry.wrt[order] if order < len(entry.wrt) else None


# The classes of nodes -----------------------------------------------------------------------------------------

_PLAIN = {"Node": Node, "IndexNode": IndexNode, "Whole": Whole}
_PACKING: dict[str, Any] = {"Node": PackingNode, "IndexNode": PackingIndexNode, "Whole": PackingWhole}
_lock = threading.Lock()
_active = 0


def _switch(change: int) -> None:
    """Let the modules that record make nodes of the one kind or the other."""
    global _active
    with _lock:
        _active += change
        namespaces["new"] = classes = _PACKING if _active else _PLAIN
        for namespace in (vars(operators), vars(indexing), vars(record), *namespaces["recorders"]):
            namespace.update({name: cls for name, cls in classes.items() if name in namespace})


class saved_tensors_hooks:
    """Inside, what operations keep for their pulls is kept as `pack(tensor)` and read as `unpack(...)`.

    `pack` is given a Tensor and returns anything (a file name, a compressed copy); `unpack` is given that and returns a
    Tensor of the same values. Hooks inside hooks: the innermost are used. Raises `RuntimeError` inside
    `disable_saved_tensors_hooks`.

    >>> from adc import tape
    >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
    >>> with saved_tensors_hooks(lambda t: t.numpy().astype("f4"), lambda a: tape.tensor(a.astype("f8"))):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if _local.refusals:
            raise RuntimeError(_local.refusals[-1])
        _local.hooks.append(self._hooks)
        _switch(1)

    def __exit__(self, *_: object) -> None:
        _local.hooks.pop()
        _switch(-1)


class save_on_cpu(saved_tensors_hooks):
    """Inside, what operations keep is a copy of its own, so that later in-place writes do not matter."""

    def __init__(self, pin_memory: bool = False) -> None:
        super().__init__(lambda t: t.numpy().copy(), make)


class disable_saved_tensors_hooks:
    """Inside, `saved_tensors_hooks` raises `RuntimeError` with this message."""

    def __init__(self, error_message: str) -> None:
        self._message = error_message

    def __enter__(self) -> None:
        if _local.hooks:
            raise RuntimeError(self._message)
        _local.refusals.append(self._message)

    def __exit__(self, *_: object) -> None:
        _local.refusals.pop()
