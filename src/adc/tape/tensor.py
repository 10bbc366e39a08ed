"""A Tensor is an ndarray that remembers what made it; NumPy's functions and operators apply to it.

What it does is thin here and done in other modules: operators in operators.py, functions in dispatch.py,
methods in methods.py, indexing in indexing.py, derivatives in gradients.py.
"""

from __future__ import annotations

import operator
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, final

import numpy as np

from adc.errors import GraphCutError
from adc.tape import operators
from adc.tape.node import AccumulateGrad, Node, here
from adc.tape.state import modes

_short_cuts = operators.short_cuts


def make(primal: Any, node: Node | None = None) -> Tensor:
    """A Tensor around an array or NumPy scalar, with the node that made it."""
    result = new()
    result.primal = primal
    result.node = node
    result.extra = None
    return result


@final
class Tensor:
    """An array whose operations are recorded; made with `adc.tensor`.

    `primal` is the ndarray (or NumPy scalar); `shape`, `dtype`, `ndim` and `size` are its own. Methods carry
    NumPy's names, and PyTorch's where NumPy has none.

    >>> from adc import tape
    >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ("__weakref__", "extra", "inference", "node", "primal", "resting")

    primal: Any
    node: Node | None  # None: needs no gradient
    extra: Any  # adc.tape.views: what shares this Tensor's memory
    # These two are left unset in nearly all Tensors:
    inference: bool  # True: made in inference mode
    resting: AccumulateGrad  # the node of a leaf while it requires no gradient: its gradient and its hooks

    __array_priority__ = 1000.0
    __hash__ = object.__hash__  # identity, as in PyTorch: == compares elements

    __add__ = operators.binary("add", operator.add)
    __radd__ = operators.reflected("add", operator.add)
    __iadd__ = operators.in_place("add", operator.add)
    __sub__ = operators.binary("subtract", operator.sub)
    __rsub__ = operators.reflected("subtract", operator.sub)
    __isub__ = operators.in_place("subtract", operator.sub)
    __mul__ = operators.binary("multiply", operator.mul)
    __rmul__ = operators.reflected("multiply", operator.mul)
    __imul__ = operators.in_place("multiply", operator.mul)
    __truediv__ = operators.binary("divide", operator.truediv)
    __rtruediv__ = operators.reflected("divide", operator.truediv)
    __itruediv__ = operators.in_place("divide", operator.truediv)
    __pow__ = operators.binary("power", operator.pow)
    __rpow__ = operators.reflected("power", operator.pow)
    __ipow__ = operators.in_place("power", operator.pow)
    __mod__ = operators.binary("remainder", operator.mod)
    __rmod__ = operators.reflected("remainder", operator.mod)
    __imod__ = operators.in_place("remainder", operator.mod)
    __matmul__ = operators.binary("matmul", operator.matmul)
    __rmatmul__ = operators.reflected("matmul", operator.matmul)
    __neg__ = operators.unary("negative", operator.neg)
    __pos__ = operators.unary("positive", operator.pos)
    __abs__ = operators.unary("absolute", operator.abs)

    __lt__ = operators.constant(operator.lt)
    __le__ = operators.constant(operator.le)
    __gt__ = operators.constant(operator.gt)
    __ge__ = operators.constant(operator.ge)
    __eq__ = operators.constant(operator.eq)
    __ne__ = operators.constant(operator.ne)
    __floordiv__ = operators.constant(operator.floordiv)
    __rfloordiv__ = operators.constant(lambda x, y: y // x)
    __and__ = operators.constant(operator.and_)
    __rand__ = operators.constant(lambda x, y: y & x)
    __or__ = operators.constant(operator.or_)
    __ror__ = operators.constant(lambda x, y: y | x)
    __xor__ = operators.constant(operator.xor)
    __rxor__ = operators.constant(lambda x, y: y ^ x)
    __lshift__ = operators.constant(operator.lshift)
    __rshift__ = operators.constant(operator.rshift)

    def __invert__(self) -> Tensor:
        return make(~self.primal)

    def __imatmul__(self, other: Any) -> Any:  # type: ignore[misc]  # __matmul__ is made by a factory
        return self @ other

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __round__(self, digits: int = 0) -> Any:
        return np.round(self, digits)

    # NumPy's protocols --------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs:
            return _short_cuts[ufunc](*inputs)
        return dispatch.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        table = dispatch.short_cuts.get(function)
        if table is not None:
            short = table.get((len(args), *kwargs) if kwargs else len(args))
            if short is not None:
                return short(*args, **kwargs)
        return dispatch.array_function(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into a plain array",
            "Keep the Tensor (np.stack joins Tensors; np.zeros(...) to be written to: adc.tensor; a function of "
            "scipy: adc.tape.call(f, x))",
        )
        array = np.asarray(self.primal, dtype=dtype)
        return array.copy() if copy else array

    def __float__(self) -> float:
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into a float",
            "Keep the Tensor (np.sin in place of math.sin)",
        )
        return float(self._single())

    def _single(self) -> Any:
        """The one element; of an array of one element, too, as in PyTorch."""
        return self.primal.item() if self.primal.size == 1 and not modes.plain else self.primal

    def __int__(self) -> int:
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into an int",
            "np.floor(x) has the same value and keeps the Tensor",
        )
        return int(self._single())

    def __complex__(self) -> complex:
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into a complex number", "Keep the Tensor"
        )
        return complex(self.primal)

    def __index__(self) -> int:
        return operator.index(self.primal)

    def __bool__(self) -> bool:
        if self.primal.size > 1 and not modes.plain:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.primal)  # a branch: the derivative is that of the branch taken

    def __len__(self) -> int:
        return len(self.primal)

    def __iter__(self) -> Iterator[Any]:
        if self.primal.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (self[k] for k in range(len(self.primal)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).primal.any())

    def __getitem__(self, index: Any) -> Any:
        return indexing.read(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        indexing.write(self, index, value)

    def _refuse_cut(self, what: str, repair: str) -> None:
        if self.node is not None and modes.enabled:
            raise GraphCutError(
                what,
                here(),
                "The result would carry no derivative, in silence.",
                f"{repair}, or say that the cut is meant: x.detach().",
            )

    # What NumPy says of an array ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.primal.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.primal.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self.primal.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self.primal.size  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        return self.primal.nbytes  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        return self.primal.itemsize  # type: ignore[no-any-return]

    @property
    def flags(self) -> Any:
        return self.primal.flags

    @property
    def strides(self) -> tuple[int, ...]:
        return self.primal.strides  # type: ignore[no-any-return]

    @property
    def T(self) -> Any:
        return np.transpose(self)

    @property
    def mT(self) -> Any:
        return np.swapaxes(self, -1, -2)

    def __getattr__(self, name: str) -> Any:
        return methods.look_up(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *methods.names()})

    def __repr__(self) -> str:
        text = np.array2string(np.asarray(self.primal), separator=", ", prefix="tensor(")
        if self.dtype not in (np.float64, np.int64, np.bool_):
            text += f", dtype={self.dtype.name}"
        if self.grad_fn is not None:
            text += f", grad_fn=<{self.grad_fn.name()}>"
        elif self.node is not None:
            text += ", requires_grad=True"
        return f"tensor({text})"

    def __format__(self, spec: str) -> str:
        return format(self.primal.item() if self.ndim == 0 else self.primal, spec) if spec else str(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment."
            )
        copy = make(np.array(self.primal)).requires_grad_(self.requires_grad)
        if isinstance(self.node, AccumulateGrad) and self.node.grad is not None:
            copy.grad = self.node.grad.detach().clone()
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> Any:
        if not self.is_leaf:
            raise RuntimeError("only leaves of the graph can be pickled; pickle x.detach()")
        return _rebuilt, (np.array(self.primal), self.requires_grad)

    # What the graph says of it ------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this Tensor are recorded."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
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
        """Whether this Tensor was made in inference mode."""
        return getattr(self, "inference", False)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this Tensor: gradients collect at leaves."""
        return self.node is None or self.node.__class__ is AccumulateGrad

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
                return kept.grad
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
            if value.__class__ is not Tensor:
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
        return make(self.primal)

    @data.setter
    def data(self, value: Any) -> None:
        self.primal = np.asarray(value.primal if value.__class__ is Tensor else value)
        if isinstance(self.node, AccumulateGrad):
            self.node.shape, self.node.dtype = self.primal.shape, self.primal.dtype

    @property
    def _base(self) -> Tensor | None:
        return views.root_of(self) if views.is_view(self) else None

    def _is_view(self) -> bool:
        return views.is_view(self)

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.")
        return writes.version(self.primal)

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

    def register_hook(self, hook: Callable[[Tensor], Any]) -> hooks.Handle:
        """Call `hook(grad)` when this Tensor's gradient is known; what it returns replaces it."""
        return hooks.register(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> hooks.Handle:
        """Call `hook(tensor)` after a gradient was added to this leaf's `.grad`."""
        return hooks.register_post_accumulate(self, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this Tensor in `.grad` although it is no leaf."""
        hooks.retain(self)

    @property
    def retains_grad(self) -> bool:
        return not self.is_leaf and hooks.retained(self.node) is not None

    def detach(self) -> Tensor:
        """The same memory without the graph: what is computed from it has no derivative."""
        result = make(self.primal)
        if self.is_inference():
            result.inference = True
        return result

    def detach_(self) -> Tensor:
        """Cut this Tensor from the graph that made it."""
        if views.is_view(self):
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        if isinstance(self.node, AccumulateGrad):
            self.resting = self.node
        self.node = None
        return self


new: Callable[[], Tensor] = Tensor  # adc.tape.inference: another one in inference mode


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A Tensor with a copy of `data`: a number, a nested list, an array, or a Tensor (without its graph).

    `dtype` is NumPy's: floats are float64 unless said otherwise. Raises `RuntimeError` when integers are to
    require a gradient.

    >>> tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    """
    made = make(np.array(record.plain(data), dtype=dtype))
    return made.requires_grad_() if requires_grad else made


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """A Tensor that shares the memory of an ndarray, of its shape and dtype: writes to one are seen in the other.

    Raises `TypeError` for anything else than an ndarray.

    >>> array = np.zeros(2)
    >>> x = from_numpy(array)
    >>> x[0] = 1.0
    >>> array
    array([1., 0.])
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return make(array)


def leaf_node(variable: Tensor) -> AccumulateGrad:
    """The node at which the gradient of `variable` collects."""
    node = AccumulateGrad()
    node.pull = None
    node.edges = ()
    node.kept = ()
    node.z = None
    node.shape = variable.primal.shape
    node.dtype = variable.primal.dtype
    node.order = 0  # before everything, so that a leaf is reached after all that leads to it
    node.code = None
    node.lasti = 0
    node.hooks = None
    node.grad = None
    node.leaf = weakref.ref(variable)
    return node


def _rebuilt(primal: Any, requires_grad: bool) -> Tensor:
    return make(primal).requires_grad_(requires_grad)


# These complete the class and build Tensors themselves, so they can only be imported once it exists.
from adc.tape import dispatch, gradients, hooks, indexing, inplace, methods, record, views, writes  # noqa: E402

operators.complete(Tensor, record, inplace, dispatch)
