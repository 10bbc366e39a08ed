"""What a node keeps can be packed when it is kept and unpacked when it is read: `saved_tensors_hooks`.

Recording looks up no hooks. While there are any, new nodes are of classes whose `kept` and `z` go through them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import indexing, operators, record
from adc.tape.node import IndexNode, Node, Whole
from adc.tape.recorders import namespaces
from adc.tape.tensor import Tensor, make
from adc.tape.writes import version

__all__ = ["disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class _Local(threading.local):
    """The hooks of the running thread, innermost last, and why there may be none."""

    def __init__(self) -> None:
        self.hooks: list[tuple[Callable[[Tensor], Any], Callable[[Any], Any]]] = []
        self.refusals: list[str] = []


_local = _Local()


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
        pack, unpack = _local.hooks[-1]
        before = version(value)
        form = pack(make(value))
        if version(value) != before:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                "hook cannot be modified by in-place operations as this can lead to unexpected side-effects."
            )
        return _Packed(form, unpack)
    if value.__class__ is tuple or value.__class__ is list:
        return value.__class__(packed(v) for v in value)
    return value


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


class _Packing:
    """`kept` and `z` of a node, packed."""

    __slots__ = ()

    kept = property(
        lambda node: unpacked(_KEPT.__get__(node)), lambda node, v: _KEPT.__set__(node, packed(v))
    )
    z = property(lambda node: unpacked(_Z.__get__(node)), lambda node, v: _Z.__set__(node, packed(v)))


class PackingNode(_Packing, Node):
    __slots__ = ()


class PackingIndexNode(_Packing, IndexNode):
    __slots__ = ()


class PackingWhole(_Packing, Whole):
    __slots__ = ()


_PLAIN = {"Node": Node, "IndexNode": IndexNode, "Whole": Whole}
_PACKING = {"Node": PackingNode, "IndexNode": PackingIndexNode, "Whole": PackingWhole}
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
