"""A Tensor is an ndarray that remembers what made it; NumPy's functions and operators apply to it.

What it does is thin here and done in other modules: operators in operators.py, functions in dispatch.py,
methods in methods.py, indexing in indexing.py, what it knows of its graph in graphed.py.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, final

import numpy as np

from adc.errors import GraphCutError, UnsupportedError
from adc.rules.repairs import repair_of
from adc.tape import constant_writes, formatting, graphed, operators, said
from adc.tape.graphed import Graphed
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
class Tensor(Graphed):
    """An array whose operations are recorded; made with `adc.tensor`.

    `primal` is the ndarray (or NumPy scalar); `shape`, `dtype`, `ndim` and `size` are its own. Methods carry
    NumPy's names, and PyTorch's where NumPy has none.

    >>> from adc import tape
    >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ("__weakref__", "extra")

    extra: Any  # adc.tape.views: what shares this Tensor's memory

    __array_priority__ = 1000.0

    def __hash__(self) -> int:
        """By identity, as in PyTorch, where == compares elements; a number of a NumPy function by its value."""
        if not modes.plain or self.primal.ndim:
            return object.__hash__(self)
        if self.node is not None and modes.enabled:
            raise GraphCutError(
                "a number with a derivative is a key of a dict, or an element of a set",
                here(),
                "It is found by its value: what stands there carries the derivative of another number.",
                "Use a key that no gradient goes through, as np.floor(x) or x > 0.",
            )
        return hash(self.primal[()])

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
    __imatmul__ = operators.in_place("matmul", operator.matmul)
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
    __ifloordiv__ = operators.constant_in_place(operator.floordiv)
    __and__ = operators.constant(operator.and_)
    __rand__ = operators.constant(lambda x, y: y & x)
    __iand__ = operators.constant_in_place(operator.and_)
    __or__ = operators.constant(operator.or_)
    __ror__ = operators.constant(lambda x, y: y | x)
    __ior__ = operators.constant_in_place(operator.or_)
    __xor__ = operators.constant(operator.xor)
    __rxor__ = operators.constant(lambda x, y: y ^ x)
    __ixor__ = operators.constant_in_place(operator.xor)
    __lshift__ = operators.constant(operator.lshift)
    __rlshift__ = operators.constant(lambda x, y: y << x)
    __ilshift__ = operators.constant_in_place(operator.lshift)
    __rshift__ = operators.constant(operator.rshift)
    __rrshift__ = operators.constant(lambda x, y: y >> x)
    __irshift__ = operators.constant_in_place(operator.rshift)

    def __invert__(self) -> Tensor:
        return make(~self.primal)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None and self.ndim == 0 and self.dtype.kind == "f":
            whole = round(float(self.primal))  # raises where no integer is near
            if modes.plain:
                return whole
        found: Any = np.round(self, digits or 0)
        if digits is not None and operators.is_pythons(self):
            exact = round(float(self.primal), digits)  # of what the number is; NumPy rounds a rounded product
            if exact != found.primal:
                found = found + (exact - float(found.primal))
        return operators.own(found, self)

    if TYPE_CHECKING:  # methods.py gives the class what is not written here

        def __getattr__(self, name: str) -> Any: ...

    # NumPy's protocols --------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, x: Any, *rest: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs:
            return _short_cuts[ufunc](x, *rest) if rest else _short_cuts[ufunc](x)
        return dispatch.array_ufunc(ufunc, method, (x, *rest), kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        table = dispatch.short_cuts.get(function)
        if table is not None:
            short = table.get((len(args), *kwargs) if kwargs else len(args))
            if short is not None:
                return short(*args, **kwargs)
        return dispatch.array_function(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.node is not None and sparse.asks_for_product(sys._getframe(1)):
            return np.array(None)  # SciPy's question whether the operand multiplies itself
        if self.node is not None and modes.enabled and constant_writes.is_one(sys._getframe(1)):
            raise constant_writes.refusal(here())
        of_library = repair_of(sys._getframe(1).f_globals.get("__name__", ""))
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into a plain array",
            "Keep the Tensor (np.stack joins Tensors; np.zeros(...) to be written to: adc.tensor; a function of "
            "scipy: adc.tape.call(f, x))"
            if of_library is None
            else of_library[0].upper() + of_library[1:],
        )
        array = np.asarray(self.primal, dtype=dtype)
        return array.copy() if copy else array

    def __float__(self) -> float:
        if not formatting.is_asked_for():
            self._refuse_cut(
                "adc cannot turn a Tensor that requires a gradient into a float",
                "Keep the Tensor (x[0] in place of float(x[0]), np.sin of math.sin)",
            )
        said.note(self.node, self.primal)
        return float(self._single())

    def _single(self) -> Any:
        """The one element; of an array of one element, too, as in PyTorch."""
        return self.primal.item() if self.primal.size == 1 and not modes.plain else self.primal

    def __int__(self) -> int:
        return int(self._single())  # a step, as floor is: it carries no derivative

    def __complex__(self) -> complex:
        self._refuse_cut(
            "adc cannot turn a Tensor that requires a gradient into a complex number", "Keep the Tensor"
        )
        return complex(self.primal)

    def __index__(self) -> int:
        # Of Python's floats a comparison is a truth value of Python's, which is an index.
        return operator.index(bool(self.primal) if self.dtype.kind == "b" else self.primal)

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
                f"{repair}, or say that the cut is meant: adc.stop_gradient(x).",
            )

    # What NumPy says of an array ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.primal.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: Any) -> None:
        if modes.plain:
            views.take_shape(self, shape)
            return
        raise UnsupportedError(
            "the attribute `shape` of an array is written to",
            here(),
            "A value on the tape keeps its shape.",
            "Make another array: `y = y.reshape(...)`.",
        )

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

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The module of functions for arrays."""
        if modes.plain:
            from adc.tape.substitute import numpy_of_traced_code  # it takes Tensors

            return numpy_of_traced_code()
        return np

    @property
    def strides(self) -> tuple[int, ...]:
        return self.primal.strides  # type: ignore[no-any-return]

    @property
    def T(self) -> Any:
        return np.transpose(self)

    @property
    def mT(self) -> Any:
        return np.swapaxes(self, -1, -2)

    def __str__(self) -> str:
        said.note(self.node, self.primal)
        return str(plain_types.sample(self)) if modes.lent is not None else repr(self)

    def __repr__(self) -> str:
        said.note(self.node, self.primal)
        if modes.lent is not None:  # in a plain NumPy function
            return repr(plain_types.sample(self))
        text = np.array2string(np.asarray(self.primal), separator=", ", prefix="tensor(")
        if self.dtype not in (np.float64, np.int64, np.bool_):
            text += f", dtype={self.dtype.name}"
        if self.grad_fn is not None:
            text += f", grad_fn=<{self.grad_fn.name()}>"
        elif self.requires_grad:
            text += ", requires_grad=True"
        if modes.level is not None and self.node is not None:
            tangent = modes.level.tangent(self.node)
            text += "" if tangent is None else f", tangent={tangent.detach()}"
        return f"tensor({text})"

    def __format__(self, spec: str) -> str:
        said.note(self.node, self.primal)
        return format(self.primal.item() if self.ndim == 0 else self.primal, spec) if spec else str(self)

    def __copy__(self) -> Any:
        if modes.plain:  # of an array of NumPy's it is a copy, not a second name
            return np.copy(self)
        rebuilt, parts = self.__reduce__()
        return rebuilt(*parts)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if modes.plain:
            memo[id(self)] = np.copy(self)
            return memo[id(self)]
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


new: Callable[[], Tensor] = Tensor  # adc.tape.inference: another one in inference mode


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A Tensor with a copy of `data`: a number, a nested list, an array, or a Tensor (without its graph).

    `dtype` is NumPy's: floats are float64 unless said otherwise. Raises `RuntimeError` when integers are to
    require a gradient.

    >>> tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    """
    record.refuse_special_arrays(data, "what a Tensor is to hold")
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
    record.refuse_special_arrays(array, "what a Tensor is to hold")
    return make(array)


def _rebuilt(primal: Any, requires_grad: bool) -> Tensor:
    return make(primal).requires_grad_(requires_grad)


# These complete the class and build Tensors themselves, so they can only be imported once it exists.
from adc.tape import (  # noqa: E402
    dispatch,
    gradients,
    hooks,
    indexing,
    inplace,
    methods,  # noqa: F401
    plain_types,
    record,
    sparse,
    views,
    writes,
)

graphed.complete(make, gradients=gradients, hooks=hooks, views=views, writes=writes)
operators.complete(Tensor, record, inplace, dispatch)
