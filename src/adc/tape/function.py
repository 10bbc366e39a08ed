"""A user's own operation: a forward and a backward, given together, recorded as one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adc.tape import record
from adc.tape.entry import Pull
from adc.tape.node import Node
from adc.tape.slicing import Need
from adc.tape.state import modes, within
from adc.tape.tensor import Tensor, make


class Context:
    """What `forward` leaves for `backward`; other values may be set as attributes."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[Any, ...] = ()
        self._not_differentiable: set[int] = set()
        self._materialize = True
        self._outputs: tuple[Any, ...] = ()
        self._node: Node | None = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep Tensors, inputs or outputs; a later in-place write to one of them is caught."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The Tensors kept, as part of the graph, so that `backward` can be differentiated again."""
        if self._node is not None and self._node.kept is None:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved "
                "tensors after they have already been freed)."
            )
        return tuple(self._revived(t) for t in self._saved)

    def _revived(self, tensor: Any) -> Any:
        if isinstance(tensor, int) and not isinstance(tensor, bool):
            return make(self._outputs[tensor], self._node)
        return tensor

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Say that these outputs carry no derivative."""
        self._not_differentiable.update(id(output) for output in outputs)

    def set_materialize_grads(self, value: bool) -> None:
        """With False an output that nothing depends on has the adjoint None instead of zeros."""
        self._materialize = value

    def mark_dirty(self, *tensors: Tensor) -> None:
        """In-place forwards are refused: return a new Tensor."""
        raise RuntimeError("adc.autograd.Function does not write to its inputs: return a new Tensor")


class Function:
    """Base of user-defined operations; subclasses give two static methods and are called by `apply`.

    >>> from adc import tape
    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, y_bar):
    ...         (x,) = ctx.saved_tensors
    ...         return y_bar * 3 * x ** 2
    >>> x = tape.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the result; nothing in here is recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return one adjoint (or None) per argument of `forward`."""
        raise NotImplementedError(
            "You must implement the backward function for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward`, and record it if an argument requires a gradient."""
        flags = tuple([a.__class__ is Tensor and a.node is not None for a in args])
        ctx = Context(flags)
        recorded = modes.enabled and any(flags)
        with within({"enabled": False, "plain": False}):
            result = cls.forward(ctx, *args)
        several = isinstance(result, tuple)
        outputs = result if several else (result,)
        if not recorded:
            return result
        arrays = tuple([record.plain(t) for t in ctx._saved])
        # An output among the saved would hold its own node: its number stands for it.
        ctx._saved = tuple(next((k for k, o in enumerate(outputs) if o is t), t) for t in ctx._saved)
        ctx._outputs = tuple([record.plain(o) for o in outputs])
        pull = Pull(f"{cls.__name__}Backward", _reverse(cls, flags, several), (Need.VALUE,), False, flags)
        edges = tuple([a.node for a, flag in zip(args, flags, strict=True) if flag])
        made = record.record(pull, ctx._outputs if several else ctx._outputs[0], edges, (ctx, *arrays))
        parts = made if several else (made,)
        ctx._node = None if several else made.node
        for part, output in zip(parts, outputs, strict=True):
            if id(output) in ctx._not_differentiable:
                part.node = None
        return made


def _reverse(cls: type[Function], flags: tuple[bool, ...], several: bool) -> Any:
    def reverse(z_bar: Any, z: Any, ctx: Context, *_: Any) -> tuple[Any, ...]:
        bars = z_bar if several else (z_bar,)
        recording = any(bar.__class__ is Tensor for bar in bars)
        tensors = [bar if bar.__class__ is Tensor else make(bar) for bar in bars]
        if not ctx._materialize:
            tensors = [None if not np.any(t.primal) else t for t in tensors]  # type: ignore[misc]
        with within({"enabled": recording, "plain": False}):
            answer = cls.backward(ctx, *tensors)
        adjoints: Sequence[Any] = answer if isinstance(answer, tuple) else (answer,)
        if len(adjoints) != len(flags):
            raise RuntimeError(
                f"function {cls.__name__}Backward returned an incorrect number of gradients (expected "
                f"{len(flags)}, got {len(adjoints)})"
            )
        chosen = [a for a, flag in zip(adjoints, flags, strict=True) if flag]
        chosen = [make(np.zeros(())) if a is None else a for a in chosen]
        return tuple(chosen) if recording else tuple([record.plain(a) for a in chosen])

    return reverse


def once_differentiable(backward: Any) -> Any:
    """Decorator of a `backward` that may not be differentiated again; doing so raises."""

    def guarded(ctx: Any, *grad_outputs: Any) -> Any:
        if modes.enabled:
            raise RuntimeError(
                "trying to differentiate twice a function that was marked with @once_differentiable"
            )
        return backward(ctx, *grad_outputs)

    return guarded
