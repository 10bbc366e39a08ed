"""Hooks see, and may replace, the gradient of a Tensor on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

    def __init__(self, function: Callable[[Tensor], Any]) -> None:
        self.function = function


class PostAccumulate(Hook):
    """A hook on the leaf, after its `.grad` was added to."""


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
                if getattr(answer, "shape", None) != node.shape:
                    raise RuntimeError(
                        f"hook returned a gradient of shape {getattr(answer, 'shape', None)}, where "
                        f"{node.shape} is expected"
                    )
                bar = answer if as_tensor else answer.primal if answer.__class__ is Tensor else answer
    kept = retained(node)
    if kept is not None:
        now = bar if as_tensor else make(bar)
        kept.grad = now if kept.grad is None else kept.grad + now
        if not (modes.enabled and as_tensor):
            kept.grad = kept.grad.detach()
    return bar


def run_post_accumulate(leaf: Leaf) -> None:
    """The hooks that see a leaf after its gradient came."""
    for hook in list(leaf.hooks or ()):
        if type(hook) is PostAccumulate:
            hook.function(leaf.variable())  # type: ignore[arg-type]
