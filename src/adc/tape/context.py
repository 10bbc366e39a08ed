"""What the `forward` of a user's operation leaves for its `backward` and its `jvp`."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np

from adc.tape import record, saved
from adc.tape.backward import part_of
from adc.tape.node import FREED, AccumulateGrad, Node, Whole
from adc.tape.tensor import Tensor, make

__all__ = ["Context", "Saved", "SavedOfFunction"]


class Context:
    """What `forward` leaves for `backward`; other values may be set as attributes."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[Any, ...] = ()
        self._not_differentiable: set[int] = set()
        self._materialize = True
        self._dirty: tuple[Any, ...] = ()
        self._outputs: tuple[Any, ...] = ()
        self._saved_for_forward: tuple[Any, ...] = ()
        self._pushing = False
        self._forms: list[Any] = []  # shape and dtype of each argument that is a Tensor
        self._node: weakref.ref[Node] | None = None  # weak: the node keeps this context

    def __getattr__(self, name: str) -> Any:
        """What was set on the node of the call."""
        reference = self.__dict__.get("_node")
        node = None if reference is None else reference()
        try:
            return vars(node)[name]
        except (KeyError, TypeError):  # TypeError: no node yet
            raise AttributeError(f"the context of the Function has no attribute {name!r}") from None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep Tensors, inputs or outputs; a later in-place write to one of them is caught."""
        for k, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor | np.ndarray | np.generic):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {k} is of type {type(t).__name__}"
                )
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The Tensors kept, as part of the graph, so that `backward` can be differentiated again."""
        if self._pushing:
            return self._saved_for_forward
        return tuple(t.revived(self) if t.__class__ is Saved else t for t in self._saved)

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep Tensors that `jvp` reads as `saved_tensors`; those of `save_for_backward` it does not see."""
        self._saved_for_forward = tensors

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The former name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Say that these outputs carry no derivative."""
        self._not_differentiable.update(id(output) for output in outputs)

    def set_materialize_grads(self, value: bool) -> None:
        """With False an output that nothing depends on has the adjoint None instead of zeros."""
        self._materialize = value

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say that `forward` has written to these inputs, and returns them."""
        for t in tensors:
            if isinstance(t.node, AccumulateGrad):
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
        self._dirty = tensors


class Saved:
    """A Tensor kept by `save_for_backward` that is an output, or that `saved_tensors_hooks` have packed."""

    def __init__(self, tensor: Any, output: int | None) -> None:
        self.output = output  # which: the Tensor itself would hold its own node
        self.node = tensor.node if output is None and tensor.__class__ is Tensor else None
        self.form = saved.packed(record.plain(tensor)) if output is None or saved.packing() else None

    def revived(self, ctx: Context) -> Tensor:
        """The Tensor as part of the graph again."""
        if self.output is None:
            return make(saved.unpacked(self.form), self.node)
        value = ctx._outputs[self.output] if self.form is None else saved.unpacked(self.form)
        assert ctx._node is not None
        node = ctx._node()
        if node is None:  # the context was kept, and the graph was not
            raise RuntimeError(FREED)
        return part_of(node, self.output, value) if isinstance(node, Whole) else make(value, node)


class SavedOfFunction:
    """One of the Tensors that `save_for_backward` was given: hooks may be set on it alone."""

    def __init__(self, context: Context, position: int) -> None:
        self._context = context
        self._position = position

    def register_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Keep `pack_hook(tensor)` from now on, and read it by `unpack_hook`."""
        before = self._context._saved[self._position]
        kept = before if before.__class__ is Saved else Saved(before, None)
        value = kept.form
        if kept.output is not None and value is None:
            value = self._context._outputs[kept.output]
        kept.form = saved.hooked(value, pack_hook, unpack_hook)
        every = self._context._saved
        self._context._saved = (*every[: self._position], kept, *every[self._position + 1 :])
