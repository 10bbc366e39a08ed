"""Hooks on a whole backward pass and on what is kept for it, with the names of `torch.autograd.graph`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from adc.tape import hooks, writes
from adc.tape.gradients import GradientEdge as GradientEdge
from adc.tape.node import Node as Node
from adc.tape.saved import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from adc.tape.saved import save_on_cpu as save_on_cpu
from adc.tape.saved import saved_tensors_hooks as saved_tensors_hooks
from adc.tape.state import Callbacks, modes
from adc.tape.tensor import Tensor

__all__ = [
    "GradientEdge",
    "MultiHandle",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place of `tensor` in the graph: `grad` and `backward` take it in place of the Tensor.

    It keeps no array. Raises `RuntimeError` for a Tensor that requires no gradient.

    >>> from adc import tape
    >>> x = tape.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> edge = get_gradient_edge(y)
    >>> tape.autograd.grad(y * 5, edge)
    (tensor(5.),)
    """
    if tensor.node is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(*tensor.node.as_edge(), tensor.node)


def increment_version(tensor: Any) -> None:
    """Say that the memory of a Tensor, or of several, was written to by other means than the tape's.

    >>> from adc import tape
    >>> x = tape.tensor([1.0, 2.0])
    >>> x.numpy()[0] = 5.0
    >>> increment_version(x)
    >>> x._version
    1
    """
    for t in [tensor] if isinstance(tensor, Tensor) else tensor:
        writes.stamp(t.primal)


class allow_mutation_on_saved_tensors(save_on_cpu):
    """Inside, what operations keep may be written to before `backward`: they keep copies.

    >>> from adc import tape
    >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
    >>> with allow_mutation_on_saved_tensors():
    ...     y = x * 1
    ...     z = (y * y).sum()
    ...     y[0] = 7.0
    >>> z.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self) -> None:
        super().__init__()


class MultiHandle:
    """Removes the hooks that it was returned for."""

    def __init__(self, handles: Sequence[hooks.Handle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], function: Callable[..., Any], *, mode: str = "all"
) -> MultiHandle:
    """Call `function(gradients)` once per backward pass, when the gradients of all `tensors` are known.

    The list has None for Tensors that the pass does not reach; it comes at the pass's end then. With `mode="any"`
    the function is called with the first gradient that comes.

    >>> from adc import tape
    >>> x, y = tape.tensor(2.0, requires_grad=True), tape.tensor(3.0, requires_grad=True)
    >>> handle = register_multi_grad_hook((x, y), print)
    >>> (x * y).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    passes: WeakKeyDictionary[Callbacks, dict[int, Any]] = WeakKeyDictionary()

    def finish(running: Callbacks) -> None:
        found = passes.pop(running, None)
        if found is not None and mode == "all":
            function([found.get(k) for k in range(len(tensors))])

    def hook_of(k: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            running = modes.callbacks
            assert running is not None, "a hook is called by a pass"
            if running not in passes:
                passes[running] = {}
                running.append(lambda: finish(running))
                if mode == "any":
                    function(gradient)
            passes[running][k] = gradient
            if len(passes[running]) == len(tensors):
                finish(running)

        return hook

    return MultiHandle([hooks.register(t, hook_of(k)) for k, t in enumerate(tensors)])
