"""What the graph says of a Tensor: whether it requires a gradient, what made it, its gradient, its hooks."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from adc.tape import operators
from adc.tape.node import AccumulateGrad, Dual, Node, leads_on, orders
from adc.tape.state import modes

if TYPE_CHECKING:
    from adc.tape.hooks import Handle
    from adc.tape.tensor import Tensor

T = TypeVar("T", bound="Graphed")

# What builds on Tensors comes later (`complete`).
make: Any = None
gradients: Any = None
hooks: Any = None
views: Any = None
writes: Any = None


def complete(make_tensor: Any, **modules: Any) -> None:
    """Tell what is here how Tensors are made, and of the modules that build on them."""
    globals().update(modules, make=make_tensor)


def leaf_node(variable: Graphed) -> AccumulateGrad:
    """The node at which the gradient of `variable` collects."""
    node = AccumulateGrad()
    node.pull = None
    node.edges = ()
    node.kept = ()
    node.z = None
    node.shape = variable.primal.shape
    node.dtype = variable.primal.dtype
    node.order = next(
        orders
    )  # before all that uses it, after what it does not wait for: hooks see it at once
    node.code = None
    node.lasti = 0
    node.hooks = None
    node.grad = None
    node.leaf = weakref.ref(variable)
    return node


class Graphed:
    """The part of a Tensor that is about derivatives."""

    __slots__ = ("inference", "node", "primal", "resting", "unrecorded")

    primal: Any
    node: Node | None  # None: needs no gradient
    # These are left unset in nearly all Tensors:
    inference: bool  # True: made in inference mode
    unrecorded: str  # of a view that was made while nothing was recorded: the mode that said so
    resting: AccumulateGrad  # the node of a leaf while it requires no gradient: its gradient and its hooks
    shape: Any
    dtype: Any

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient can come to this Tensor."""
        return self.node is not None and (not Dual.made or leads_on(self.node))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Make this Tensor a leaf that collects a gradient, or one that does not; return it.

        Raises `RuntimeError` for integers, and for the result of a recorded operation.
        """
        if requires_grad and self.node is None:
            if not np.issubdtype(self.dtype, np.inexact):
                raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
            if self.is_inference() and not modes.inference:
                raise RuntimeError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                )
            self.node = getattr(self, "resting", None) or leaf_node(self)
        elif not requires_grad and self.node is not None:
            if not self.is_leaf:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a "
                    "computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
                    "var.detach()."
                )
            self.resting, self.node = self.node, None  # type: ignore[assignment]  # a leaf
        return self

    def is_inference(self) -> bool:
        """Whether this Tensor was made in inference mode, or is a view of one that was."""
        return getattr(self, "inference", False) or getattr(views.root_of(self), "inference", False)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this Tensor: gradients collect at leaves."""
        return self.node is None or self.node.__class__ is AccumulateGrad or not self.requires_grad

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this Tensor; None for a leaf."""
        return None if self.node is None or self.is_leaf else self.node.as_edge()[0]

    @property
    def grad(self) -> Tensor | None:
        """The sum of the gradients of all `backward` calls since it was last None; None before the first."""
        if isinstance(self.node, AccumulateGrad):
            return self.node.grad  # type: ignore[no-any-return]
        if self.node is not None:
            kept = hooks.retained(self.node)
            if kept is not None:
                return kept.grad  # type: ignore[no-any-return]
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
                "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
                "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.",
                stacklevel=2,
            )
            return None
        resting = getattr(self, "resting", None)
        return None if resting is None else resting.grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Graphed):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type "
                    f"{type(value).__name__}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.dtype != self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor with dtype "
                    f"'{self.dtype}'. Please ensure that the gradient and the tensor have the same dtype"
                )
            if value.shape != self.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        kept: Any = self.node if isinstance(self.node, AccumulateGrad) else hooks.retained(self.node)
        if kept is None and self.node is None:
            kept = getattr(self, "resting", None)
            if kept is None and value is not None:
                kept = self.resting = leaf_node(self)
        if kept is not None:
            kept.grad = value
        elif value is not None:
            raise RuntimeError(
                "adc keeps the .grad of a Tensor that is no leaf only after retain_grad(): call that first"
            )

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def data(self) -> Tensor:
        """The same memory without the graph."""
        return make(self.primal)  # type: ignore[no-any-return]

    @data.setter
    def data(self, value: Any) -> None:
        given = np.asarray(value.primal if isinstance(value, Graphed) else value)
        if self.node is not None and given.dtype.kind not in "fc":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype, "
                f"not {given.dtype}"
            )
        self.primal = given
        if isinstance(self.node, AccumulateGrad):
            self.node.shape, self.node.dtype = self.primal.shape, self.primal.dtype

    @property
    def _base(self) -> Tensor | None:
        return views.root_of(self) if views.is_view(self) else None

    def _is_view(self) -> bool:
        return views.is_view(self)  # type: ignore[no-any-return]

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.")
        return writes.version(self.primal)  # type: ignore[no-any-return]

    @property
    def output_nr(self) -> int:
        """Which result of its operation this Tensor is."""
        return getattr(self.node, "index", 0)

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradient of this Tensor to the `.grad` of the leaves that it was computed from.

        `gradient` is the adjoint of this Tensor, of its shape; it may be left out for a single number.
        """
        given = None if gradient is None else [gradient]
        gradients.backward([self], given, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> Handle:
        """Call `hook(grad)` when this Tensor's gradient is known; what it returns replaces it."""
        return hooks.register(self, hook)  # type: ignore[no-any-return]

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Handle:
        """Call `hook(tensor)` after a gradient was added to this leaf's `.grad`."""
        return hooks.register_post_accumulate(self, hook)  # type: ignore[no-any-return]

    def retain_grad(self) -> None:
        """Keep the gradient of this Tensor in `.grad` although it is no leaf."""
        hooks.retain(self.node)

    @property
    def retains_grad(self) -> bool:
        return not self.is_leaf and hooks.retained(self.node) is not None

    def detach(self) -> Tensor:
        """The same memory without the graph: what is computed from it has no derivative."""
        result: Tensor = make(self.primal)
        if operators.is_pythons(self):
            result.extra = operators.PYTHONS
        if self.is_inference():
            result.inference = True
        return result

    def detach_(self: T) -> T:
        """Cut this Tensor from the graph that made it."""
        if views.is_view(self):
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        if isinstance(self.node, AccumulateGrad):
            self.resting = self.node
        elif self.node is not None:
            kept, held = hooks.of_tensor(self.node), hooks.retained(self.node)
            if kept or held is not None:
                self.resting = leaf_node(self)
                self.resting.hooks = kept or None
                self.resting.grad = None if held is None else held.grad
        self.node = None
        return self
