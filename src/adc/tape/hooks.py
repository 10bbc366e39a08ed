"""Hooks see, and may replace, the gradient of a Tensor on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape.node import Leaf, Node
from adc.tape.state import modes, within
from adc.tape.tensor import Tensor, make


class Handle:
    """Removes the hook that it was returned for; also at the end of a `with` block."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> None:
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
    if tensor.node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return _add(tensor.node, Hook(function))


def register_post_accumulate(tensor: Tensor, function: Callable[[Tensor], Any]) -> Handle:
    """Call `function(tensor)` after a gradient was added to the leaf's `.grad`."""
    if not isinstance(tensor.node, Leaf):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return _add(tensor.node, PostAccumulate(function))


def register_on_node(node: Node, function: Callable[..., Any], before: bool) -> Handle:
    """Call `function(grad_outputs)` before the pull of a node, or `function(grad_inputs, grad_outputs)` after it."""
    return _add(node, PreHook(function) if before else AfterHook(function))


def _add(node: Node, hook: Hook) -> Handle:
    if node.hooks is None:
        node.hooks = []
    node.hooks.append(hook)
    return Handle(node.hooks, hook)


def retain(tensor: Tensor) -> None:
    """Keep the gradient of `tensor` in `.grad`."""
    if tensor.node is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf and retained(tensor.node) is None:
        if tensor.node.hooks is None:
            tensor.node.hooks = []
        tensor.node.hooks.append(Retained())


def retained(node: Node | None) -> Retained | None:
    """The place where the gradient of a non-leaf is kept, if it was asked for."""
    if node is None or node.hooks is None:
        return None
    return next((h for h in node.hooks if isinstance(h, Retained)), None)


def run(node: Node, bar: Any) -> Any:
    """The gradient after all hooks of a node; `bar` is a Tensor when a graph is made of backward."""
    assert node.hooks is not None
    as_tensor = bar.__class__ is Tensor
    for hook in list(node.hooks):
        if type(hook) is Hook:
            with within({"plain": False}):
                answer = hook.function(bar if as_tensor else make(bar))
            if answer is not None:
                if not isinstance(answer, Tensor | np.ndarray | np.generic):
                    raise TypeError(f"expected a Tensor, but hook returned {type(answer).__name__!r}")
                if answer.shape != node.shape:
                    raise RuntimeError(
                        f"hook returned a gradient of shape {answer.shape}, where {node.shape} is expected"
                    )
                bar = answer if as_tensor else answer.primal if answer.__class__ is Tensor else answer
        elif type(hook) is PreHook:
            bars = _called(hook, _as_tensors(bar))
            if bars is not None:
                bar = bars if isinstance(bar, tuple) else bars[0]
                bar = bar if as_tensor else plain_all(bar)
    kept = retained(node)
    if kept is not None:
        now = bar if as_tensor else make(bar)
        kept.grad = now if kept.grad is None else kept.grad + now
        if not (modes.enabled and as_tensor):
            kept.grad = kept.grad.detach()
    return bar


def runs_after(node: Node) -> bool:
    """Whether a node has hooks on what its pull returns."""
    return node.hooks is not None and any(type(hook) is AfterHook for hook in node.hooks)


def run_after(node: Node, adjoints: tuple[Any, ...], bar: Any) -> tuple[Any, ...]:
    """The adjoints of the operands after the node's hooks on them."""
    as_tensor = any(a.__class__ is Tensor for a in adjoints)
    for hook in list(node.hooks or ()):
        if type(hook) is AfterHook:
            answer = _called(hook, _as_tensors(adjoints), _as_tensors(bar))
            if answer is not None:
                adjoints = answer if as_tensor else plain_all(answer)
    return adjoints


def _called(hook: Hook, *bars: tuple[Any, ...]) -> tuple[Any, ...] | None:
    with within({"plain": False}):
        answer = hook.function(*bars)
    if answer is None:
        return None
    listed = answer if isinstance(answer, tuple | list) else (answer,)
    if len(listed) != len(bars[0]):
        raise RuntimeError(f"hook returned {len(listed)} gradients, where {len(bars[0])} are expected")
    return tuple(listed)


def _as_tensors(bars: Any) -> tuple[Any, ...]:
    listed = bars if isinstance(bars, tuple) else (bars,)
    return tuple([b if b is None or b.__class__ is Tensor else make(np.asarray(b)) for b in listed])


def plain_all(bars: Any) -> Any:
    """Arrays in place of Tensors."""
    if isinstance(bars, tuple):
        return tuple([plain_all(b) for b in bars])
    return bars.primal if bars.__class__ is Tensor else bars


def run_post_accumulate(leaf: Leaf) -> None:
    """The hooks that see a leaf after its gradient came."""
    for hook in list(leaf.hooks or ()):
        if type(hook) is PostAccumulate:
            hook.function(leaf.variable)
