"""`backward` and `grad`: gradients added to leaves, or returned; with PyTorch's arguments and refusals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from adc.tape import hooks
from adc.tape.node import AccumulateGrad, Dual, Node, Whole, leads_on
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make

from adc.tape.backward import collect, part_of, propagate  # isort: skip  # needs Tensor


# What adc.tape.forward_ad does with a gradient that needs no graph, while tangents are propagated.
on_tangents: list[Callable[[Tensor], Tensor]] = []


class GradientEdge(NamedTuple):
    """What stands for a Tensor in `grad` and `backward` when the Tensor itself is not to be kept."""

    node: Node  # as `tensor.grad_fn` shows it
    output_nr: int
    ownership_token: Node | None = None  # the node behind the Tensor

    @property
    def recorded(self) -> Node:
        """The node whose adjoint is meant."""
        if self.ownership_token is not None:
            return self.ownership_token
        if isinstance(self.node, Whole):
            shape, dtype = self.node.shape[self.output_nr], self.node.dtype[self.output_nr]
            zero: Any = np.broadcast_to(np.zeros((), dtype), shape)
            found: Node = part_of(self.node, self.output_nr, zero).node
            return found
        return self.node


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves that they were computed from.

    Parameters: `grad_tensors` are the adjoints of `tensors`, of their shapes, and may be left out for single
    numbers. `retain_graph` keeps the graph for another pass; `create_graph` makes the gradients
    differentiable. With `inputs` only those collect a gradient.

    Raises `RuntimeError`, with PyTorch's texts, for a missing or ill-shaped adjoint, a tensor without a
    graph, a graph that was freed, or a kept value that was written to.

    >>> from adc import tape
    >>> x = tape.tensor([3.0], requires_grad=True)
    >>> backward((x * x).sum())
    >>> x.grad
    tensor([6.])
    """
    outputs = _listed(tensors)
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient, which Python's collector alone frees. autograd.grad makes none; or set the .grad fields to "
            "None after use.",
            stacklevel=3,
        )
    seeds = _seeds(outputs, grad_tensors, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    keep = keep or modes.level is not None  # tangents may be asked for later
    if inputs is None:
        propagate(seeds, keep=keep, create_graph=create_graph, targets=None)
        return
    chosen = _listed(inputs)
    if not chosen:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    nodes = [_differentiable(x) for x in chosen]
    for node in nodes:
        hooks.retain(node)  # the pass adds to it; a leaf does not need it
    captured = propagate(seeds, keep=keep, create_graph=create_graph, targets=set(nodes), collects=True)
    for node in nodes:
        if isinstance(node, AccumulateGrad) and node in captured:
            collect(node, captured.pop(node))


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs` (any Tensors of the graph), one per input.

    Nothing is added to `.grad`. An input that the outputs do not depend on is an error unless `allow_unused`,
    then its gradient is None; `materialize_grads` gives zeros instead. `is_grads_batched` takes a stack of
    adjoints along the first axis and returns stacked gradients.

    >>> from adc import tape
    >>> x = tape.tensor(2.0, requires_grad=True)
    >>> (first,) = grad(x ** 3, x, create_graph=True)
    >>> grad(first, x)
    (tensor(12.),)
    """
    listed = _listed(outputs)
    sources = _listed(inputs)
    if not sources:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(
            listed, sources, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads
        )
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    cut = modes.level is not None and not create_graph
    if cut:  # the gradients are to have tangents
        create_graph, retain_graph = True, True
    seeds = _seeds(listed, grad_outputs, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    nodes = [_differentiable(x) for x in sources]
    captured = propagate(seeds, keep=keep, create_graph=create_graph, targets=set(nodes))
    gradients: list[Tensor | None] = []
    for k, node in enumerate(nodes):
        bar = captured.get(node)
        if bar is None and materialize_grads:
            bar = np.zeros(node.shape, node.dtype)
            if create_graph:  # the next derivative of it is zero, too
                bar = make(bar).requires_grad_()
        elif bar is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {k} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        # Not the array itself: two inputs may share it, and it may be a read-only broadcast.
        gradients.append(bar if bar is None or bar.__class__ is Tensor else make(np.array(bar)))
    if cut:
        (keeping,) = on_tangents
        gradients = [g if g is None else keeping(g) for g in gradients]
    return tuple(gradients)


def _batched(
    outputs: list[Tensor],
    inputs: list[Tensor],
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool | None,
    materialize_grads: bool,
) -> tuple[Tensor | None, ...]:
    stacks = _listed(grad_outputs)
    for k, (stack, output) in enumerate(zip(stacks, outputs, strict=False)):
        node = _node(output, "outputs")
        if stack is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if node is not None and (stack.ndim == 0 or stack.shape[1:] != node.shape):
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{k}] has a shape of {stack.shape} and output[{k}] "
                f"has a shape of {node.shape}."
            )
    sizes = [len(stack) for stack in stacks]
    count = sizes[0]
    if any(size != count for size in sizes):
        raise ValueError(
            f"The stacks of grad_outputs have {sizes} adjoints: there must be as many for each output."
        )
    if count == 0:
        raise ValueError("The stacks of grad_outputs hold no adjoint, so that there is no gradient to give.")
    rows = []
    for k in range(count):
        keep = retain_graph if k == count - 1 else True
        rows.append(
            grad(
                outputs,
                inputs,
                [stack[k] for stack in stacks],
                keep,
                create_graph,
                allow_unused,
                materialize_grads=materialize_grads,
            )
        )
    return tuple(
        None if column[0] is None else np.stack(column)  # type: ignore[misc]
        for column in zip(*rows, strict=True)
    )


def _listed(tensors: Any) -> list[Any]:
    if isinstance(tensors, Sequence) and not isinstance(tensors, Tensor | GradientEdge | str):
        return list(tensors)
    return [tensors]


def _differentiable(x: Any) -> Node:
    node = _node(x, "inputs")
    if node is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return node


def _node(x: Any, what: str) -> Node | None:
    if isinstance(x, GradientEdge):
        return x.recorded
    if x.__class__ is not Tensor:
        raise TypeError(f"{what} can be either Tensors or GradientEdges, but got {type(x).__name__}")
    node: Node | None = x.node
    return node


def _seeds(outputs: list[Tensor], given: Any, create_graph: bool) -> list[tuple[Node, Any]]:
    adjoints = [None] * len(outputs) if given is None else _listed(given)
    if len(adjoints) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(adjoints)} gradients")
    seeds = []
    for k, (output, adjoint) in enumerate(zip(outputs, adjoints, strict=True)):
        node = _node(output, "outputs")
        if node is None or (Dual.made and not modes.plain and not leads_on(node)):  # in a pull all go on
            raise RuntimeError(f"element {k} of tensors does not require grad and does not have a grad_fn")
        seeds.append((node, _seed(node, adjoint, k, create_graph)))
    return seeds


def _seed(output: Node, adjoint: Any, position: int, create_graph: bool) -> Any:
    if adjoint is None:
        if output.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if output.dtype.kind == "c":
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {output.dtype}"
            )
        ones = np.ones(output.shape, output.dtype)
        return make(ones) if create_graph else ones
    if adjoint.__class__ is not Tensor:
        if not isinstance(adjoint, np.ndarray | np.generic | int | float | complex):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(adjoint).__name__}")
        adjoint = make(np.asarray(adjoint))
    if adjoint.shape != output.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {adjoint.shape} and "
            f"output[{position}] has a shape of {output.shape}."
        )
    if (adjoint.dtype.kind == "c") != (output.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
            f"dtype: grad_output[{position}] has a dtype of {adjoint.dtype} and output[{position}] has a dtype of "
            f"{output.dtype}."
        )
    return adjoint if create_graph else adjoint.primal
