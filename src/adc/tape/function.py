"""A user's own operation: a forward and a backward, given together, recorded as one node."""

from __future__ import annotations

import inspect
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from adc.tape import hooks, indexing, record, saved, views
from adc.tape.context import Context, Saved, SavedOfFunction
from adc.tape.entry import Pull
from adc.tape.node import FREED, UNDEFINED, Node, Whole
from adc.tape.slicing import Need
from adc.tape.state import modes, within
from adc.tape.tensor import Tensor, make
from adc.tape.writes import owner_of


class _OfFunction:
    """What the nodes of Functions add: they show the attributes of their context."""

    __slots__ = ()

    kept: Any
    function: type[Function]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `forward` has kept; `RuntimeError` when the graph was freed."""
        if self.kept is None:
            raise RuntimeError(FREED)
        found: tuple[Any, ...] = self.kept[0].saved_tensors
        return found

    @property
    def _raw_saved_tensors(self) -> tuple[SavedOfFunction, ...]:
        context = None if self.kept is None else self.kept[0]
        if context is None:
            raise RuntimeError(FREED)
        return tuple([SavedOfFunction(context, k) for k in range(len(context._saved))])

    @property
    def has_jvp(self) -> bool:
        """Whether the Function says how tangents pass it."""
        return self.function.jvp is not Function.jvp

    def push(self, dots: list[Any]) -> Any:
        """The tangents of the results, by the Function's `jvp`, from those of the operands that nodes lead to."""
        if self.kept is None:
            raise RuntimeError(FREED)
        context, name = self.kept[0], f"{self.function.__name__}.jvp"
        given = iter(dots)
        tangents = [next(given) if flag else None for flag in context.needs_input_grad]
        if context._materialize:
            tangents = [
                make(np.zeros(*form)) if t is None and form is not None else t
                for t, form in zip(tangents, context._forms, strict=True)
            ]
        context._pushing = True
        try:
            with within({"enabled": True, "plain": False}):
                answer = self.function.jvp(context, *tangents)
        finally:
            context._pushing = False
        several = isinstance(self, Whole)
        answers = list(answer) if isinstance(answer, tuple | list) else [answer]
        if len(answers) != len(context._outputs):
            raise RuntimeError(
                f"{name} returned {len(answers)} tangents, and forward {len(context._outputs)} results"
            )
        for k, (dot, output) in enumerate(zip(answers, context._outputs, strict=True)):
            if dot is not None and dot.shape != np.shape(output):
                raise RuntimeError(
                    f"{name} returned a tangent of shape {list(dot.shape)} for result {k} of shape "
                    f"{list(np.shape(output))}"
                )
        return answers if several else answers[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self.kept is None:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return getattr(self.kept[0], name)


class FunctionNode(_OfFunction, Node):
    """A call of a Function with one result."""

    __slots__ = ()


class FunctionWhole(_OfFunction, Whole):
    """A call of a Function with several results, not all of them Tensors."""

    __slots__ = ()

    def filled(self, bars: dict[int, Any]) -> tuple[Any, ...]:
        """None for results that are no Tensors; zeros, or None if the user wants that, where nothing came."""
        assert self.kept is not None
        context = self.kept[0]
        return tuple(
            [
                bars[k]
                if k in bars
                else np.zeros(value.shape, value.dtype)
                if context._materialize and isinstance(value, np.ndarray | np.generic)
                else None
                for k, value in enumerate(context._outputs)
            ]
        )


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

    _nodes: tuple[type[Node], type[Node]]  # of calls with one result, and with several
    beyond: tuple[Any, ...] | None = None  # what `backward` reads and is no argument; None: it says itself
    _least = 0  # with fewer arguments `setup_context` is given defaults of `forward`

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.setup_context is not Function.setup_context:
            parameters = inspect.signature(cls.forward).parameters.values()
            cls._least = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        name = f"{cls.__name__}Backward"
        cls._nodes = (
            type(name, (FunctionNode,), {"function": cls}),  # without slots: a user may set attributes
            type(name, (FunctionWhole,), {"function": cls}),
        )

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
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Return one tangent (or None) per result, from one per argument of `forward`.

        Without it `backward` is transposed.
        """
        raise NotImplementedError("jvp is not implemented.")

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
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, and record it if an argument requires a gradient.

        Arguments by keyword are put in their places: `backward` gives one adjoint per parameter.
        """
        if kwargs or len(args) < cls._least:
            leading = (None,) if cls.setup_context is Function.setup_context else ()  # ctx
            bound = inspect.signature(cls.forward).bind(*leading, *args, **kwargs)
            bound.apply_defaults()
            args = bound.args[len(leading) :]
        flags = tuple([a.__class__ is Tensor and a.node is not None for a in args])
        ctx = Context(flags)
        recorded = modes.enabled and any(flags)
        with within({"enabled": False, "plain": False}):
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
        several = isinstance(result, tuple | list)
        outputs = list(result) if several else [result]
        if not recorded:  # an argument that is given back has its graph, the result has none
            free = [
                o.detach() if record.is_active(o) and not isinstance(o, tuple | list) else o for o in outputs
            ]
            return record.rebuild(result, free) if several else free[0]
        if result is None:
            return None
        if not several and not isinstance(result, Tensor | np.ndarray | np.generic):
            raise TypeError(
                f"{cls.__name__}.forward returned a {type(result).__name__}, which carries no derivative. "
                "Return a Tensor, or a tuple in which Tensors may stand beside other things."
            )
        if not all(any(a is d for a in args) for d in ctx._dirty):
            warnings.warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty().",
                stacklevel=2,
            )
        if not all(any(o is d for o in outputs) for d in ctx._dirty):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )
        for written in ctx._dirty:
            indexing.check_writable(written, views.root_of(written), None)
        node = _node_of(cls, ctx, args, outputs, several)
        parts: list[Any] = []
        for k, output in enumerate(outputs):
            first = next((j for j in range(k) if outputs[j] is output), None)  # given twice, it stays one
            parts.append(
                _returned(ctx, output, node, k if several else None, ctx._outputs[k])
                if first is None
                else parts[first]
            )
        return record.rebuild(result, parts) if several else parts[0]


def _node_of(
    cls: type[Function], ctx: Context, args: tuple[Any, ...], outputs: list[Any], several: bool
) -> Node:
    """The node of one call, which keeps the context and what it has saved."""
    flags = ctx.needs_input_grad
    given = [owner_of(a.primal) for a in args if a.__class__ is Tensor and isinstance(a.primal, np.ndarray)]
    ctx._outputs = tuple([_own_memory(o, given, ctx._dirty) for o in outputs])
    packs = saved.packing()
    arrays = () if packs else tuple([record.plain(t) for t in ctx._saved])
    ctx._saved = tuple([_kept(t, outputs, packs) for t in ctx._saved])
    shapes = [a.shape if flag else None for a, flag in zip(args, flags, strict=True)]
    operands = tuple([flag for a, flag in zip(args, flags, strict=True) if a.__class__ is Tensor])
    variables = [isinstance(a, Tensor | np.ndarray | np.generic) for a in args]
    reverse = _reverse(cls, flags, several, shapes, variables)
    # Without saved Tensors there is nothing to free: a second pass is none through freed values.
    pull = Pull(f"{cls.__name__}Backward", reverse, (Need.VALUE,), False, operands, retains=bool(ctx._saved))
    edges = tuple([a.node for a, flag in zip(args, flags, strict=True) if flag])
    if several:
        node = record.new_node(pull, ctx._outputs, edges, (ctx, *arrays), cls._nodes[1])
    else:
        node = record.new_node(pull, ctx._outputs[0], edges, (ctx, *arrays), cls._nodes[0])
    ctx._node = weakref.ref(node)
    ctx._forms = [(a.shape, a.dtype) if a.__class__ is Tensor else None for a in args]
    return node


def _own_memory(output: Any, given: list[Any], dirty: tuple[Any, ...]) -> Any:
    """The array of a result. One in an argument's memory is copied: a later write to it is no write to the argument."""
    value = record.plain(output)
    if isinstance(value, np.ndarray) and not any(output is d for d in dirty):
        owner = owner_of(value)
        if any(owner is memory for memory in given):
            return value.copy()
    return value


def _kept(tensor: Any, outputs: list[Any], packs: bool) -> Any:
    """A saved Tensor as the context holds it."""
    number = next((k for k, o in enumerate(outputs) if o is tensor), None)
    return tensor if tensor is None or (number is None and not packs) else Saved(tensor, number)


def _returned(ctx: Context, output: Any, node: Node, index: int | None, value: Any) -> Any:
    """What `apply` gives back for one result of `forward`."""
    if not isinstance(output, Tensor | np.ndarray | np.generic):
        return output
    if id(output) in ctx._not_differentiable or value.dtype.kind not in "fc":
        return make(value)
    made: Tensor = make(value, node) if index is None else record.part(node, index, value)
    if not isinstance(output, Tensor) or not any(output is d for d in ctx._dirty):
        return made
    # An input that was written to and returned: its derivative is the result's from now on.
    assert made.node is not None
    root = views.root_of(output)
    if root is not output:
        indexing.put(root, views.positions(root.primal, value), made.node)
    else:
        hooks.rebase(output, made.node)
        indexing.refresh_views(output)
    return output


def _reverse(
    cls: type[Function],
    flags: tuple[bool, ...],
    several: bool,
    shapes: list[tuple[int, ...] | None],
    variables: list[bool],
) -> Any:
    other = getattr(cls, "vjp", None)  # PyTorch's second name of it
    if other is not None and cls.backward is not Function.backward:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
            "implement one of them."
        )
    backward = cls.backward if other is None else other

    def reverse(z_bar: Any, z: Any, kept: tuple[Any, ...]) -> tuple[Any, ...]:
        ctx: Context = kept[0]
        bars = z_bar if several else (z_bar,)
        recording = any(bar.__class__ is Tensor for bar in bars)
        tensors = [bar if bar is None or bar.__class__ is Tensor else make(bar) for bar in bars]
        with within({"enabled": recording, "plain": False}):
            answer = backward(ctx, *tensors)
        adjoints: Sequence[Any] = answer if isinstance(answer, tuple | list) else (answer,)
        if len(adjoints) > len(flags) and all(a is None for a in adjoints[len(flags) :]):
            adjoints = adjoints[: len(flags)]
        if len(adjoints) != len(flags):
            raise RuntimeError(
                f"function {cls.__name__}Backward returned an incorrect number of gradients (expected "
                f"{len(flags)}, got {len(adjoints)})"
            )
        for k, (a, shape) in enumerate(zip(adjoints, shapes, strict=True)):
            if a is not None and not variables[k]:
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned a gradient different than None at position {k + 1}, "
                    "but the corresponding forward input was not a Variable"
                )
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
