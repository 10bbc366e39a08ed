"""A user's own operation: a forward and a backward, given together, recorded as one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adc.tape import record, views
from adc.tape.backward import UNDEFINED
from adc.tape.entry import Pull
from adc.tape.node import Leaf, Node
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
        self._dirty: tuple[Any, ...] = ()
        self._outputs: tuple[Any, ...] = ()
        self._node: Node | None = None

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
        """Say that `forward` has written to these inputs, and returns them."""
        for t in tensors:
            if isinstance(t.node, Leaf):
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
            if views.is_view(t):
                raise RuntimeError("adc.autograd.Function does not write to a view: write to a clone of it")
        self._dirty = tensors


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
            "You must implement either the backward or vjp method for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What `forward` leaves for `backward`, where forward takes no ctx: called after it, if it is given."""
        raise NotImplementedError("setup_context is not implemented.")

    def __call__(self, *args: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
            "autograd function with static forward method, and call it by `apply`."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward`, and record it if an argument requires a gradient."""
        flags = tuple([a.__class__ is Tensor and a.node is not None for a in args])
        ctx = Context(flags)
        recorded = modes.enabled and any(flags)
        with within({"enabled": False, "plain": False}):
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
        several = isinstance(result, tuple)
        outputs = result if several else (result,)
        if not recorded:
            return result
        arrays = tuple([record.plain(t) for t in ctx._saved])
        # An output among the saved would hold its own node: its number stands for it.
        ctx._saved = tuple(next((k for k, o in enumerate(outputs) if o is t), t) for t in ctx._saved)
        ctx._outputs = tuple([record.plain(o) for o in outputs])
        shapes = [a.shape if flag else None for a, flag in zip(args, flags, strict=True)]
        pull = Pull(
            f"{cls.__name__}Backward", _reverse(cls, flags, several, shapes), (Need.VALUE,), False, flags
        )
        edges = tuple([a.node for a, flag in zip(args, flags, strict=True) if flag])
        made = record.record(pull, ctx._outputs if several else ctx._outputs[0], edges, (ctx, *arrays))
        parts = made if several else (made,)
        ctx._node = None if several else made.node
        for part, output in zip(parts, outputs, strict=True):
            if id(output) in ctx._not_differentiable:
                part.node = None
        if ctx._dirty:
            parts = [
                _written(o, part) if any(o is d for d in ctx._dirty) else part
                for part, o in zip(parts, outputs, strict=True)
            ]
            return type(result)(parts) if several else parts[0]
        return made


def _written(target: Tensor, part: Tensor) -> Tensor:
    """An input that was written to and returned: its derivative is the result's from now on."""
    target.node = part.node
    return target


def _reverse(
    cls: type[Function], flags: tuple[bool, ...], several: bool, shapes: list[tuple[int, ...] | None]
) -> Any:
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
        for k, (a, shape) in enumerate(zip(adjoints, shapes, strict=True)):
            if a is not None and shape is not None and not _reduces_to(np.shape(record.plain(a)), shape):
                raise RuntimeError(
                    f"Function {cls.__name__}Backward returned an invalid gradient at index {k} - got "
                    f"{list(np.shape(record.plain(a)))} but expected shape compatible with {list(shape)}"
                )
        chosen = [a for a, flag in zip(adjoints, flags, strict=True) if flag]
        chosen = [UNDEFINED if a is None else a if recording else record.plain(a) for a in chosen]
        return tuple(chosen)

    return reverse


def _reduces_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether summing over broadcast axes turns one shape into the other.

    >>> _reduces_to((3, 2), (2,)), _reduces_to((3,), (2,))
    (True, False)
    """
    if shape == wanted:
        return True
    aligned = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) >= len(wanted) and all(m in (n, 1) for n, m in aligned)


def once_differentiable(backward: Any) -> Any:
    """Decorator of a `backward` that may not be differentiated again; doing so raises."""

    def guarded(ctx: Any, *grad_outputs: Any) -> Any:
        active = [g for g in grad_outputs if g is not None and g.node is not None]
        with within({"enabled": False}):
            answer = backward(ctx, *grad_outputs)
        if not modes.enabled or not active:
            return answer
        pull = Pull("DelayedErrorBackward", _refuse_twice, (Need.NOTHING,), False, (True,) * len(active))
        edges = tuple([g.node for g in active])
        answers = answer if isinstance(answer, tuple) else (answer,)
        found = [a if a is None else record.record(pull, record.plain(a), edges, (None,)) for a in answers]
        return tuple(found) if isinstance(answer, tuple) else found[0]

    return guarded


def _refuse_twice(*_: Any) -> Any:
    raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
