"""Hooks see, and may replace, the gradient of a Tensor on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from adc.tape.node import UNDEFINED, AccumulateGrad, Node
from adc.tape.state import modes, within
from adc.tape.tensor import Tensor, make

K = TypeVar("K")


class Handle:
    """Removes the hook that it was returned for; also at the end of a `with` block."""

    def __init__(self, hooks: list[Any], hook: Hook) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> None:
        self._hook.removed = True  # a detached Tensor's new node has it too
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Hook:
    """A hook on the gradient."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.removed = False


class PostAccumulate(Hook):
    """A hook on the leaf, after its `.grad` was added to."""


class PreHook(Hook):
    """A hook of a node, before its pull: it is given a tuple of the adjoints of the node's results."""


class AfterHook(Hook):
    """A hook of a node, after its pull: it is given the adjoints of the operands and those of the results."""


class Retained:
    """The gradient of a Tensor that is no leaf, kept on request."""

    def __init__(self) -> None:
        self.grad: Tensor | None = None


def register(tensor: Tensor, function: Callable[[Tensor], Any]) -> Handle:
    """Call `function(grad)` when the gradient of `tensor` is known."""
    return _add(_recorded(tensor), Hook(function))


def _recorded(tensor: Tensor) -> Node:
    if tensor.node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return tensor.node


def register_post_accumulate(tensor: Tensor, function: Callable[[Tensor], Any]) -> Handle:
    """Call `function(tensor)` after a gradient was added to the leaf's `.grad`."""
    if not isinstance(_recorded(tensor), AccumulateGrad):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return _add(_recorded(tensor), PostAccumulate(function))


def register_on_node(node: Node, function: Callable[..., Any], before: bool) -> Handle:
    """Call `function(grad_outputs)` before the pull of a node, or `function(grad_inputs, grad_outputs)` after it."""
    return _add(node, PreHook(function) if before else AfterHook(function))


def _add(node: Node, hook: Hook) -> Handle:
    if node.hooks is None:
        node.hooks = []
    node.hooks.append(hook)
    return Handle(node.hooks, hook)


def of_tensor(node: Node) -> list[Hook]:
    """The hooks on the gradient of a Tensor, among those of its node: they stay with it when it is detached."""
    return [h for h in node.hooks or () if type(h) is Hook and not h.removed]


def retain(node: Node | None) -> None:
    """Keep the gradient of the Tensor behind `node` in `.grad`; that of a leaf is."""
    if node is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not isinstance(node, AccumulateGrad) and retained(node) is None:
        if node.hooks is None:
            node.hooks = []
        node.hooks.append(Retained())


def retained(node: Node | None) -> Retained | None:
    """The place where the gradient of a non-leaf is kept, if it was asked for."""
    return None if node is None else _first(node, Retained)


def rebase(tensor: Tensor, node: Node | None) -> None:
    """The Tensor was written in place, by `node`: the gradient kept on request is that of its new value."""
    kept = retained(tensor.node)
    if kept is not None and node is not None:
        assert tensor.node is not None and tensor.node.hooks is not None
        tensor.node.hooks.remove(kept)
        node.hooks = [*(node.hooks or ()), kept]
    tensor.node = node


class _Metadata(dict[Any, Any]):
    """The user's notes on a node: among its hooks, for few nodes have any."""


def metadata(node: Node) -> dict[Any, Any]:
    """The user's notes on a node."""
    found = _first(node, _Metadata)
    if found is None:
        found = _Metadata()
        node.hooks = [*(node.hooks or ()), found]
    return found


def _first(node: Node, kind: type[K]) -> K | None:
    return next((h for h in node.hooks or () if isinstance(h, kind)), None)


def run(node: Node, bar: Any) -> Any:
    """The gradient after the hooks on it; `bar` is a Tensor when a graph is made of backward."""
    assert node.hooks is not None
    as_tensor = bar.__class__ is Tensor
    for hook in of_tensor(node):
        if not hook.removed:
            with within({"plain": False}):
                answer = hook.function(bar if as_tensor else make(bar))
            if answer is not None:
                _check_answer(answer, bar, hook)
                bar = answer if as_tensor else answer.primal if answer.__class__ is Tensor else answer
    kept = retained(node)
    if kept is not None:
        now = bar if as_tensor else make(bar)
        kept.grad = now if kept.grad is None else kept.grad + now
        if not (modes.enabled and as_tensor):
            kept.grad = kept.grad.detach()
    return bar


def run_before(node: Node, bar: Any) -> Any:
    """What comes to a node after the node's own hooks, one that is removed by another included."""
    as_tensor = bar.__class__ is Tensor
    for hook in list(node.hooks or ()):
        if type(hook) is PreHook:
            bars = _called(hook, _as_tensors(bar))
            if bars is not None:
                bar = bars if isinstance(bar, tuple) else bars[0]
                bar = bar if as_tensor else plain_all(bar)
    return bar


def _check_answer(answer: Any, bar: Any, hook: Hook) -> None:
    if not isinstance(answer, Tensor | np.ndarray | np.generic):
        raise TypeError(f"expected Variable, but hook returned {type(answer).__name__!r}")
    if bar is UNDEFINED or bar is None:
        return
    name = getattr(hook.function, "__name__", type(hook.function).__name__)
    if answer.dtype != bar.dtype:
        raise RuntimeError(
            f"hook {name!r} has changed the type of value (was {bar.dtype} got {answer.dtype})"
        )
    if answer.shape != bar.shape:
        raise RuntimeError(f"hook {name!r} has changed the size of value: from {bar.shape} to {answer.shape}")


def runs_after(node: Node) -> bool:
    """Whether a node has hooks on what its pull returns."""
    return node.hooks is not None and any(type(hook) is AfterHook and not hook.removed for hook in node.hooks)


def run_after(node: Node, adjoints: tuple[Any, ...], bar: Any) -> tuple[Any, ...]:
    """The adjoints of the operands after the node's hooks on them, which see None for one without a gradient."""
    as_tensor = any(a.__class__ is Tensor for a in adjoints)
    active = node.pull.operands if adjoints else ()
    spread = len(active) > len(adjoints) == sum(active)
    if spread:
        rest = iter(adjoints)
        adjoints = tuple([next(rest) if flag else UNDEFINED for flag in active])
    for hook in list(node.hooks or ()):
        if type(hook) is AfterHook and not hook.removed:
            answer = _called(hook, _as_tensors(adjoints), _as_tensors(bar))
            if answer is not None:
                adjoints = answer if as_tensor else plain_all(answer)
    return tuple([a for a, flag in zip(adjoints, active, strict=True) if flag]) if spread else adjoints


def _called(hook: Hook, *bars: tuple[Any, ...]) -> tuple[Any, ...] | None:
    with within({"plain": False}):
        answer = hook.function(*bars)
    if answer is None:
        return None
    present = sum(bar is not None for bar in bars[0])
    if isinstance(answer, Tensor | np.ndarray) and present == 1:
        answer = (answer,)
    if not isinstance(answer, tuple | list):
        raise TypeError(f"expected tuple, but hook returned {type(answer).__name__!r}")
    if len(answer) == present < len(bars[0]):  # those that there are
        given_ones = iter(answer)
        answer = [None if bar is None else next(given_ones) for bar in bars[0]]
    if len(answer) != len(bars[0]):
        raise RuntimeError(
            f"hook has returned an incorrect number of values (got {len(answer)}, but expected {len(bars[0])})"
        )
    for given, bar in zip(answer, bars[0], strict=True):
        if given is not None:
            _check_answer(given, bar, hook)
    return tuple([UNDEFINED if given is None else given for given in answer])


def _as_tensors(bars: Any) -> tuple[Any, ...]:
    listed = bars if isinstance(bars, tuple) else (bars,)
    return tuple([_as_tensor(b) for b in listed])


def _as_tensor(bar: Any) -> Any:
    if bar is None or bar is UNDEFINED:
        return None
    return bar if bar.__class__ is Tensor else make(np.asarray(bar))


def plain_all(bars: Any) -> Any:
    """Arrays in place of Tensors."""
    if isinstance(bars, tuple):
        return tuple([plain_all(b) for b in bars])
    return bars.primal if bars.__class__ is Tensor else bars


def run_post_accumulate(leaf: AccumulateGrad) -> None:
    """The hooks that see a leaf after its gradient came."""
    for hook in list(leaf.hooks or ()):
        if type(hook) is PostAccumulate and not hook.removed:
            answer = hook.function(leaf.variable)
            if answer is not None:
                raise RuntimeError(
                    f"Tensor post accumulate grad hooks should return None. This one returned a {type(answer).__name__}"
                )
