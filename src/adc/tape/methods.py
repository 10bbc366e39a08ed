"""A Tensor has the methods of an ndarray, by the rule table, and PyTorch's common ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from adc.errors import GraphCutError, UnsupportedError
from adc.rules import registry
from adc.rules.fitting import refuse_cast
from adc.rules.operation import Operation
from adc.tape import dispatch, indexing, inplace, operators, plain_types, record, said, torchlike, views
from adc.tape.entry import Entry, entry_of, find, find_method
from adc.tape.node import Node, here
from adc.tape.recorders import Recorders
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make
from adc.tape.torchshared import axes_of


class _Late:
    """A method that is made when it is first asked for, and stands in the class from then on.

    Not by `__getattr__`: a class that has it is slower in every attribute.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, t: Tensor | None, owner: type) -> Any:
        name = self._name
        made = (
            _OWN.get(name)
            or torchlike.METHODS.get(name)
            or _by_rule(name)
            or _in_place(name)
            or _by_function(name)
        )
        assert made is not None, name
        setattr(owner, name, made)
        return getattr(owner if t is None else t, name)

    def __set__(self, t: Tensor, value: Any) -> None:
        getattr(
            type(t), self._name
        )  # makes it: `t.imag = value` is a write, where nobody has read `t.imag` yet
        setattr(t, self._name, value)


def _announce(names: Iterable[str]) -> None:
    """Give the class the methods of these names, but for those that it has."""
    for name in names:
        if name not in vars(Tensor) and not name.startswith("__") and not hasattr(Tensor, name):
            setattr(Tensor, name, _Late(name))


def _of_operation(operation: Operation) -> Iterator[str]:
    """The methods that an operation of the rule table gives Tensors."""
    functions = (operation.function, *operation.aliases)
    named = [n for n in _names_in_numpy(functions) if _may_be_called(operation, n)]
    for method in (*operation.methods, *named):
        for spelled in (method, *(old for old, new in _SYNONYMS.items() if new == method)):
            yield spelled
            yield f"{spelled}_"


def _names_in_numpy(functions: tuple[Any, ...]) -> list[str]:
    return [name for function in functions for name in _numpy_names.get(id(function), ())]


def _may_be_called(operation: Operation, name: str) -> bool:
    # `t.exp()`, as in PyTorch; but not `t.zeros()`, nor `t.append(x)`, which means a list, and writes to it.
    if hasattr(list, name) and not hasattr(np.ndarray, name):
        return False
    return bool(operation.parameters) and (operation.kind != "constant" or hasattr(np.ndarray, name))


def _entry(name: str) -> Entry | None:
    """The operation that a method's name means, by the rule table or by the function of that name."""
    name = _SYNONYMS.get(name, name)
    entry = find_method(name)
    if entry is None:
        candidate = getattr(np, name, None)
        entry = find(candidate) if callable(candidate) else None
        if entry is None or not _may_be_called(entry.operation, name):
            return None
    return entry


def _by_rule(name: str) -> Any:
    """The method of an operation of the rule table; a property where ndarray has an attribute."""
    entry = _entry(name)
    if entry is None:
        return None
    attribute = getattr(np.ndarray, name, None)
    if attribute is not None and not callable(attribute):

        def read(t: Tensor) -> Any:
            return operators.own(record.apply(entry, (t,), {}), t)

        def overwrite(t: Tensor, value: Any) -> None:
            indexing.write(read(t), Ellipsis, value)

        return property(read, overwrite)  # `t.real`

    recorders = Recorders(entry, entry.function)

    reduces, axis_at = "keepdims" in entry.positions, entry.positions.get("axis")

    def method(t: Tensor, *args: Any, **kwargs: Any) -> Any:
        if reduces and len(args) == 2 and args[1].__class__ is bool:  # PyTorch's order: sum(dim, keepdim)
            kwargs["keepdims"] = args[1]
            args = args[:1]
        if args and args[-1].__class__ is list and len(args) == axis_at and not modes.plain:
            args = (*args[:-1], tuple(args[-1]))  # PyTorch takes a list of axes
        if not kwargs:
            short = recorders.get(1 + len(args))
            if short is not None:
                return short(t, *args)
        elif not kwargs.keys().isdisjoint(_TORCH_KEYWORDS):
            kwargs = {_TORCH_KEYWORDS.get(k, k): axes_of(v) if k == "dim" else v for k, v in kwargs.items()}
        if kwargs.get("out") is not None:
            return dispatch.array_function(entry.function, (t, *args), kwargs)
        return recorders.of((t, *args), kwargs)(t, *args, **kwargs)

    return method


def _in_place(name: str) -> Any:
    """`t.mul_(other)`, `t.exp_()`: the operation written over the Tensor."""
    entry = _entry(name[:-1]) if name.endswith("_") else None
    if entry is None:
        return None

    return torchlike.in_place(lambda t, *args, **kwargs: record.apply(entry, (t, *args), kwargs))


def _by_function(name: str) -> Any:
    """A method of ndarray without a rule: its function, which refuses where a derivative would be lost."""
    function = getattr(np, name, None)
    if not callable(function) or not hasattr(np.ndarray, name):
        return None
    return lambda t, *args, **kwargs: function(t, *args, **kwargs)


_TORCH_KEYWORDS = {"dim": "axis", "dim1": "axis1", "dim2": "axis2", "keepdim": "keepdims"}

# PyTorch's names for what NumPy calls otherwise.
_SYNONYMS = {
    "mul": "multiply",
    "neg": "negative",
    "pow": "power",
    "mm": "matmul",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "amax": "max",
    "amin": "min",
    "unsqueeze": "expand_dims",
    "abs": "absolute",
    "mv": "matmul",
    "bmm": "matmul",
    "true_divide": "divide",
}


def _item(t: Tensor, *index: Any) -> Any:
    if not modes.plain:
        if not index and t.primal.size != 1:
            raise RuntimeError(f"a Tensor with {t.primal.size} elements cannot be converted to Scalar")
        return t.primal.item(*index)
    if not _stays_recorded(t, "number"):
        return t.primal.item(*index)
    t.primal.item(*index)  # what NumPy refuses
    place = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
    if len(place) < t.ndim:  # a position among all elements, or none of the only one
        place = np.unravel_index(place[0] % t.size if place else 0, t.shape)
    return plain_types.number_of_pythons(t[tuple(map(int, place))] if t.ndim else t)


def _tolist(t: Tensor) -> Any:
    if not modes.plain or not _stays_recorded(t, "list"):
        return t.primal.tolist()
    return [_tolist(t[k]) for k in range(len(t))] if t.ndim else plain_types.number_of_pythons(t)


def _stays_recorded(t: Tensor, what: str) -> bool:
    """Whether the elements carry a derivative, which numbers of Python's do in double precision alone."""
    if t.node is None or not modes.enabled:
        return False
    if t.dtype not in (np.float64, np.complex128):
        t._refuse_cut(
            f"adc cannot turn a Tensor of {t.dtype} that requires a gradient into a plain {what}",
            "Keep the Tensor",
        )
    return True


def _numpy(t: Tensor, *, force: bool = False) -> Any:
    if t.node is not None and modes.enabled and not force:
        raise GraphCutError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",  # PyTorch's words
            here(),
        )
    return np.asarray(t.primal)


def _bytes_of(t: Tensor, *args: Any) -> Any:
    said.refuse_bytes(t.node)
    return t.primal.tobytes(*args)


def _astype(
    t: Tensor,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Tensor:
    dtype = np.dtype(dtype)
    refuse_cast(t.dtype, dtype, casting)
    if dtype == t.dtype:
        return _copied(t, order) if copy or not lies_in(t, order) else t
    if dtype.kind in "OVMm" and t.node is not None and modes.enabled:
        raise GraphCutError(
            f"adc cannot make an array of dtype {dtype} of a Tensor that requires a gradient",
            here(),
            "The elements would carry no derivative, in silence.",
            "Use an array of floats, or a list; say that the cut is meant with adc.stop_gradient(x).",
        )
    if t.node is None or not modes.enabled or dtype.kind not in "fc":  # to integers it is a step, as floor is
        return make(t.primal.astype(dtype, order=order))
    return _as_copy(t.primal.astype(dtype, order=order), t.node)  # the accumulator casts the adjoint back


def lies_in(t: Tensor, order: Any) -> bool:
    """Whether an array of that order in memory, row by row or column by column, is the array itself."""
    flags = np.asarray(t.primal).flags
    return flags.c_contiguous if order == "C" else flags.f_contiguous if order == "F" else True


def recopied(t: Tensor, order: str | None) -> Tensor:
    """A copy that lies in memory as it is told, on which no derivative depends."""
    z = np.array(t.primal, order=order or "K")  # type: ignore[call-overload]
    return make(z) if t.node is None or not modes.enabled else _as_copy(z, t.node)


def _as_copy(z: Any, node: Node) -> Tensor:
    pull = entry_of(registry.named("copy")).pull((True,))
    return record.record(pull, z, (node,), (None,) * len(pull.keeps))  # type: ignore[no-any-return]


def _conjugated(t: Tensor) -> Any:
    """The method: of real numbers it gives the array itself, where np.conj gives a copy."""
    return np.conj(t) if t.dtype.kind == "c" else t


def _clone(t: Tensor) -> Tensor:
    copied: Any = np.copy(t)
    return copied  # type: ignore[no-any-return]


def _copied(t: Tensor, order: Any = "C") -> Any:
    """The method: row by row unless told otherwise, where np.copy keeps the order in memory."""
    own = recopied(t, order)
    return own if isinstance(t.primal, np.ndarray) else own[()]


def _view(t: Tensor, *shape: Any) -> Any:
    """The array itself once more, by its own dtype or class as well; with lengths it is PyTorch's."""
    if shape and not isinstance(shape[0], int | np.integer | tuple | list):
        if shape[0] is not np.ndarray and np.dtype(shape[0]) != t.dtype:
            raise UnsupportedError(
                f"`.view` of an array of {t.dtype} as one of {np.dtype(shape[0])} is not supported",
                here(),
                repair="Write z.real, z.imag or x[::2] + 1j * x[1::2], and x.astype(...) for other numbers.",
            )
        return t[...]
    return views.required(t, _reshape(t, *shape)) if shape else t[...]


def _reshape(t: Tensor, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    if order != "C" or copy is not None:
        return dispatch.array_function(np.reshape, (t, _lengths(shape)), {"order": order, "copy": copy})
    lengths = shape[0] if len(shape) == 1 and shape[0].__class__ is tuple else _lengths(shape)
    return _RESHAPE.of((t, lengths), {})(t, lengths)


_RESHAPE = Recorders(entry_of(registry.named("reshape")), np.reshape)


def _lengths(shape: tuple[Any, ...]) -> Any:
    shape = record.plain(shape)
    return shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list | range) else shape


def _transpose(t: Tensor, *axes: Any) -> Any:
    if not axes or axes == (None,):
        return np.transpose(t)
    two = len(axes) == 2
    axes = _lengths(axes)
    if two and not modes.plain:
        return np.swapaxes(t, *axes)  # PyTorch: transpose(dim0, dim1); of two axes NumPy's would do nothing
    return np.transpose(t, tuple(axes))


def _diagonal(t: Tensor, offset: int = 0, *args: Any, **kwargs: Any) -> Any:
    """A view that may be written to, as in PyTorch; NumPy's may not."""
    names = {k.replace("dim", "axis"): v for k, v in kwargs.items()}
    found: Any = np.diagonal(t, offset, *args, **names)
    if not modes.plain and found.primal.base is not None:
        found.primal.flags.writeable = t.primal.flags.writeable
    return found


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """`std` and `var`: over n - 1 as in PyTorch, over n in a plain NumPy function."""

    def method(
        t: Tensor,
        axis: Any = None,
        *args: Any,
        ddof: Any = None,
        dim: Any = None,
        keepdim: Any = None,
        correction: Any = None,
        unbiased: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        if args and args[0].__class__ is bool:  # PyTorch's order: std(dim, unbiased, keepdim)
            unbiased, *rest = args
            keepdim, args = (rest[0] if rest else keepdim), ()
        if correction is not None and modes.plain:
            getattr(np.zeros(2), function.__name__)(
                correction=0
            )  # raises where NumPy's method does not take it
        if ddof is None:
            ddof = correction
        if ddof is None:
            ddof = int(unbiased) if unbiased is not None else 0 if modes.plain else 1
        if keepdim is not None:
            kwargs["keepdims"] = keepdim
        axis = axis if dim is None else dim
        return function(t, *args, axis=axis if modes.plain else axes_of(axis), ddof=ddof, **kwargs)

    return method


def _to(t: Tensor, dtype: Any = None, non_blocking: bool = False, copy: bool = False) -> Any:
    """The Tensor itself where it is of that dtype, or that of the Tensor given in its place, unless told to copy."""
    if dtype is None:
        return _clone(t) if copy else t
    return _astype(t, dtype.dtype if dtype.__class__ is Tensor else dtype, copy=copy)


def _as_type(dtype: Any) -> Callable[[Tensor], Tensor]:
    """`t.double()`: as in PyTorch the Tensor itself where it is of that dtype."""
    return lambda t: _astype(t, dtype, copy=False)


def _contiguous(t: Tensor) -> Any:
    """The Tensor itself where it lies row by row, else a copy that does."""
    return t if lies_in(t, "C") else _copied(t)


def _fill(t: Tensor, value: Any) -> Tensor:
    indexing.as_window(t)
    indexing.write(t, Ellipsis, value)
    return t


def _numpy_fill(t: Tensor, value: Any) -> None:
    _fill(t, value)  # ndarray.fill returns nothing


def _resize(t: Tensor, *new_shape: Any, refcheck: bool = True) -> None:
    raise UnsupportedError(
        "`.resize()` of a Tensor is not supported",
        here(),
        "It would change the length of an array that others may look at.",
        "Use np.resize, np.reshape or np.pad, which return another array.",
    )


def _copy(t: Tensor, source: Any, non_blocking: bool = False) -> Tensor:
    return _fill(t, source)


def _plain_question(name: str) -> Callable[..., Any]:
    def method(t: Tensor, *args: Any, **kwargs: Any) -> Any:
        return getattr(t.primal, name)(*args, **kwargs)

    return method


def _flat(t: Tensor) -> Any:
    if not t.primal.flags.c_contiguous:
        raise UnsupportedError(
            "`flat` of a Tensor that does not lie row by row in memory",
            here(),
            "What is written there would not be written to the Tensor.",
            "Use np.ravel, or copy the Tensor first.",
        )
    laid_flat: Any = np.ravel(t)
    return indexing.read_by_copies(t[:] if laid_flat is t else laid_flat)


def _set_flat(t: Tensor, value: Any) -> None:
    t[...] = np.resize(value, t.shape)  # its elements over and over


_OWN: dict[str, Any] = {
    "flat": property(_flat, _set_flat),
    "item": _item,
    "is_integer": lambda t: t.primal.is_integer(),
    "tolist": _tolist,
    "numpy": _numpy,
    "astype": _astype,
    "conj": _conjugated,
    "conjugate": _conjugated,
    "to": _to,
    "type": lambda t, dtype: _astype(t, dtype, copy=False),
    "float": _as_type(np.float32),
    "double": _as_type(np.float64),
    "half": _as_type(np.float16),
    "int": _as_type(np.int32),
    "long": _as_type(np.int64),
    "byte": _as_type(np.uint8),
    "char": _as_type(np.int8),
    "short": _as_type(np.int16),
    "cfloat": _as_type(np.complex64),
    "cdouble": _as_type(np.complex128),
    "bool": _as_type(np.bool_),
    "clone": _clone,
    "copy": _copied,
    "contiguous": _contiguous,
    "reshape": _reshape,
    "view": lambda t, *shape, **named: _view(t, *shape, *named.values()),
    "transpose": _transpose,
    "permute": lambda t, *axes: np.transpose(t, tuple(_lengths(axes))),
    "std": _spread(np.std),
    "var": _spread(np.var),
    "fill_": _fill,
    "fill": _numpy_fill,
    "resize": _resize,
    "sort": lambda t, *args, **kwargs: inplace.replace(t, np.sort(t, *args, **kwargs)),
    "partition": lambda t, *args, **kwargs: inplace.replace(t, np.partition(t, *args, **kwargs)),
    "clip": lambda t, min=None, max=None, *out, **kwargs: np.clip(t, min, max, *out, **kwargs),
    "diagonal": _diagonal,
    "compress": lambda t, condition, axis=None: np.compress(condition, t, axis),
    "zero_": lambda t: _fill(t, 0.0),
    "copy_": _copy,
    "dim": lambda t: t.ndim,
    "numel": lambda t: t.size,
    "nelement": lambda t: t.size,
    "is_floating_point": lambda t: t.dtype.kind == "f",
    "is_complex": lambda t: t.dtype.kind == "c",
    "tobytes": _bytes_of,
    "data_ptr": lambda t: t.primal.__array_interface__["data"][0],
}


_numpy_names: dict[int, list[str]] = {}
for _name, _function in vars(np).items():
    _numpy_names.setdefault(id(_function), []).append(_name)
_announce([*_OWN, *torchlike.METHODS])
_announce(n for n in dir(np.ndarray) if _entry(n) is not None or callable(getattr(np, n, None)))
_announce(n for operation in registry.known() for n in _of_operation(operation))
registry.listeners.append(lambda operation: _announce(_of_operation(operation)))
