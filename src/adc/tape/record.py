"""Any operation of the rule table is applied to Tensors and, if one of them requires a gradient, recorded.

This is the general path: arguments by keyword, sequences of arrays, several results, composites. The
operators in tensor.py are its short cut.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from adc.errors import GraphCutError, UnsupportedError
from adc.rules.objects_beside_arrays import PYTHONS_OPERATORS, is_left_to_the_object
from adc.rules.repairs import repair_of
from adc.tape import operators, views
from adc.tape.entry import Entry, Pull, any_complex
from adc.tape.node import IndexNode, Node, Part, Whole, here, is_users_file, orders, user_frame
from adc.tape.slicing import Need
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make

# Classes of objects that hold Tensors as their `entries`, and say what is `plain()`.
CARRIERS: set[type] = set()


def carries(value: Any) -> bool:
    """Whether a value is such an object."""
    return value.__class__ in CARRIERS


ATOMS = frozenset({int, float, bool, type(None), str, np.ndarray, np.float64})
# Of which NumPy makes arrays, also of classes derived from these.
SEQUENCES = (tuple, list, collections.deque)
_OPERANDS = (Tensor, np.ndarray, np.generic, list, tuple, range, int, float, complex)


def plain(value: Any) -> Any:
    """The value with every Tensor in it replaced by its array."""
    kind = value.__class__
    if kind is Tensor:
        return value.primal
    if kind is tuple:
        return tuple([plain(v) for v in value])
    if kind is list:
        return [plain(v) for v in value]
    if kind is dict:
        return {k: plain(v) for k, v in value.items()}
    if kind is slice:
        return slice(plain(value.start), plain(value.stop), plain(value.step))
    return value.plain() if kind in CARRIERS else value


def is_active(value: Any) -> bool:
    """Whether a Tensor that requires a gradient is in `value`."""
    kind = value.__class__
    if kind is Tensor:
        return value.node is not None
    if kind is tuple or kind is list:
        return any(is_active(v) for v in value)
    if kind is dict:
        return any(is_active(v) for v in value.values())
    if kind is slice:
        return is_active((value.start, value.stop, value.step))
    if kind not in ATOMS and isinstance(value, SEQUENCES):
        return any(is_active(v) for v in value)
    return kind in CARRIERS and is_active(value.entries)


def ordinary(value: Any) -> Any:
    """Named tuples, deques and lists of classes of their own as NumPy reads them: as tuples and lists.

    >>> ordinary([collections.deque([1.0, 2.0])])
    [[1.0, 2.0]]
    """
    kind = value.__class__
    if kind in ATOMS or kind is Tensor or not isinstance(value, SEQUENCES):
        return value
    parts = [ordinary(v) for v in value]
    return tuple(parts) if isinstance(value, tuple) else parts


def spared(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a call that leaves its operands as they are: other operations may have kept them.

    >>> spared({"lower": True, "overwrite_b": True})
    {'lower': True, 'overwrite_b': False}
    """
    return {name: False if name.startswith("overwrite_") else value for name, value in kwargs.items()}


FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def has_functions(values: Iterable[Any]) -> bool:
    """Whether a function is one of the values, or in a list or tuple among them, as np.piecewise takes them."""
    return any(
        isinstance(v, FUNCTIONS)
        or (v.__class__ in (list, tuple) and any(isinstance(p, FUNCTIONS) for p in v))
        for v in values
    )


def wrap(z: Any, sources: Sequence[Any] = ()) -> Any:
    """Tensors around the arrays of a result that needs no gradient; shapes and ints stay."""
    if isinstance(z, np.ndarray):
        if z.dtype == object or z.dtype.kind in "USVMm":
            return z
        result = make(z)
        if z.base is not None or is_operand(z, sources):
            views.note(result, sources)
        return result
    if isinstance(z, np.generic):
        return make(z)
    if isinstance(z, tuple | list) and any(isinstance(part, np.ndarray | np.generic) for part in z):
        return rebuild(z, [wrap(part, sources) for part in z])
    return z


def rebuild(like: Any, parts: list[Any]) -> Any:
    """A tuple, namedtuple or list like the one that NumPy returned."""
    kind = type(like)
    if hasattr(kind, "_make"):
        return kind._make(parts)
    if hasattr(kind, "_extra_fields"):  # of scipy.stats, which has names beside those of the tuple
        made = tuple.__new__(kind, parts)
        made.__dict__.update(vars(like))
        return made
    return kind(parts)


def apply(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any], function: Any = None) -> Any:
    """The result of an operation on Tensors, recorded if it carries a derivative.

    `function` computes the primal; by default `entry.function` (ndarray's method may be faster).
    """
    for value in args:
        if value.__class__ in CARRIERS:
            raise no_rule(f"{entry.operation.spelling} of a sparse matrix")
        if value.__class__ not in ATOMS and isinstance(value, SEQUENCES):
            args = tuple(map(ordinary, args))
        if value.__class__ is range:  # positions or axes, which rules ask for their numbers
            args = tuple([(*a,) if a.__class__ is range else a for a in args])
    if entry.kind != "constant":  # which the function itself computes of the values, with all its parameters
        if kwargs or len(args) > entry.agreed:
            ruled, options = entry.operation.ruled(function or entry.function, args, kwargs)
            args, kwargs = tuple(ruled), dict(options)
        if entry.has_full and (kwargs or len(args) > 1):
            entry = entry.form(args, kwargs)
    if kwargs:
        kwargs = {name: ordinary(value) for name, value in spared(kwargs).items()}
    if entry.overwriting:
        args = tuple([False if k in entry.overwriting else a for k, a in enumerate(args)])
    if entry.of_complex is not None and any_complex(plain(args)):
        entry = entry.of_complex
    function = function or entry.function
    if entry.of_one and stacks.given(entry, args, kwargs):
        return stacks.one_by_one(entry, function, args, kwargs)
    if entry.writes is not None:
        return _write(entry, args, kwargs)
    if entry.copies is not None:
        values = entry.bind(args, kwargs)
        if not values[entry.copies] and isinstance(plain(values[0]), np.ndarray):
            return _in_place(entry, values, function)
    if entry.kind == "constant" or not modes.enabled:
        return wrap(_of_plain(function, args, kwargs), args)
    if entry.kind == "composite":
        if is_active(args) or is_active(kwargs) or has_functions((*args, *kwargs.values())):
            return composites.run(entry, args, kwargs)
        return wrap(function(*plain(args), **plain(kwargs)), args)
    values = entry.bind(args, kwargs)
    pattern: list[Any] = []
    edges: list[Node] = []
    for k in entry.wrt:
        value = values[k]
        kind = value.__class__
        if kind is Tensor:
            node = value.node
            pattern.append(node is not None)
            if node is not None:
                edges.append(node)
        elif kind is tuple or kind is list:
            own = _row(value, edges) if k == entry.sequence else None
            if own is None:
                value = _operands(value, k == entry.sequence)
                own = value, _pattern(value)
                _collect(value, edges)
            values = (*values[:k], own[0], *values[k + 1 :])
            pattern.append(own[1])
        else:
            pattern.append(False)
    for k in entry.fixed:
        kind = values[k].__class__
        if kind not in ATOMS and is_active(values[k]):
            _refuse_unless_form(entry, k)
        if entry.kind == "elementwise" and (kind is list or kind is tuple):
            values = (*values[:k], np.asarray(values[k]), *values[k + 1 :])
    if not edges:
        return wrap(_of_plain(function, args, kwargs), args)
    if entry.sequence is not None and values[entry.sequence].__class__ is Tensor:
        return apply(entry, *_with_rows(entry, args, kwargs), function)
    arrays = [v if v.__class__ in ATOMS else plain(v) for v in values]
    if entry.real_only:
        refuse_complex(entry, arrays)
    if kwargs or entry.most is None or any(getattr(a, "dtype", None) in operators.NARROW for a in arrays):
        z = _of_plain(function, args, kwargs)
    else:
        z = function(*arrays[: len(args)])
    pythons = z.__class__ is float
    if pythons:  # of a function of `math`
        z = np.float64(z)
    if getattr(z, "dtype", _FLOAT64).kind in "iub":  # `np.full(n, x, dtype=int)` cuts the fractions off
        return wrap(z, args)
    pull = entry.pull(tuple(pattern))
    if pythons:
        pull = pull.of_pythons()
    return record(pull, z, tuple(edges), pull.pack(*arrays), args)


def _of_plain(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of the values, where a number of Python's leaves single precision beside it what it is."""
    given = (*args, *kwargs.values())
    narrow = next((x for x in map(_primal, given) if getattr(x, "dtype", None) in operators.NARROW), None)
    if narrow is None:
        return function(*plain(args), **plain(kwargs))
    values = [operators.beside(x, narrow) if x.__class__ is Tensor else plain(x) for x in given]
    return function(*values[: len(args)], **dict(zip(kwargs, values[len(args) :], strict=True)))


def _primal(value: Any) -> Any:
    return value.primal if value.__class__ is Tensor else value


# Arrays by whose rules an operation means another function than the rule table says.
_OF_OTHER_MEANING = (np.ma.MaskedArray, np.matrix)
_FLOAT64 = np.dtype(np.float64)


def _write(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function that changes one of its arguments (`np.copyto`): the assignments of its body."""
    assert entry.writes is not None
    values = entry.bind(args, kwargs)
    if values[entry.writes].__class__ is Tensor:
        return composites.run(entry, args, kwargs)
    if modes.enabled and is_active(values):
        raise GraphCutError(
            f"{entry.operation.spelling} cannot write a Tensor that requires a gradient into a plain array",
            here(),
            "The array would carry no derivative, in silence.",
            "Make it a Tensor (adc.tensor(array)), or write adc.stop_gradient(x) if the cut is meant.",
        )
    return entry.function(*plain(args), **plain(kwargs))


def _in_place(entry: Entry, values: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """A function that is told to make no copy (`np.nan_to_num(x, copy=False)`): its result is written to `x`."""
    from adc.tape import dispatch  # dispatch imports this module

    copying = tuple(True if k == entry.copies else value for k, value in enumerate(values))
    return dispatch.into((values[0],), apply(entry, copying, {}, function))


def operator(entry: Entry, left: Any, right: Any) -> Any:
    """A binary operator with an operand that is neither a Tensor nor one of the plain classes."""
    for value in (left, right):
        if not isinstance(value, _OPERANDS):
            if value is right:
                function = PYTHONS_OPERATORS.get(entry.operation.name)
                if (found := by_elements(function, left, right)) is not NotImplemented:
                    return found
            return (
                sparse.operator(entry.operation.name, left, right)
                if sparse.is_sparse(value) or value.__class__ in CARRIERS
                else NotImplemented
            )
    if operators.asks_the_other(left, right) or operators.asks_the_other(right, left):
        return NotImplemented
    left, right = (
        np.asarray(plain(v)) if isinstance(v, list | tuple | range) and not is_active(v) else v
        for v in (left, right)
    )
    left, right = (np.stack(v) if isinstance(v, list | tuple) else v for v in (left, right))
    return operators.own(apply(entry, (left, right), {}), left, right)


def by_elements(function: Callable[[Any, Any], Any] | None, left: Any, right: Any) -> Any:
    """An operator of an array and an object of the user's, which NumPy asks for each element of the array.

    NotImplemented where the array leaves it to the object.
    """
    cls = type(right)
    if np.ndim(left) == 0 or sparse.is_sparse(right) or cls in CARRIERS or is_left_to_the_object(cls):
        return NotImplemented
    found = []
    if function is not None and not hasattr(cls, "__array__") and not hasattr(cls, "__len__"):
        found = [function(left[index], right) for index in np.ndindex(left.shape)]
    if not found or not all(
        isinstance(v, Tensor | np.generic | int | float) and np.ndim(v) == 0 for v in found
    ):
        raise UnsupportedError(
            f"an array stands before a `{cls.__name__}` in an operator",
            here(),
            "NumPy makes an array of the object, or asks it for each element of the array.",
            "Write the object first, or `__array_ufunc__ = None` into its class, which leaves it to the object.",
        )
    return np.reshape(np.stack(found), left.shape)


def record(
    pull: Pull,
    z: Any,
    edges: tuple[Node, ...],
    kept: tuple[Any, ...],
    sources: Sequence[Any] = (),
    frame: Any = None,
) -> Any:
    """A Tensor (or several) for the result `z` of an operation with the given pull."""
    if z.__class__ is not np.ndarray:
        refuse_special_arrays(z)
    node = new_node(pull, z, edges, kept, frame=frame)
    if isinstance(node, Whole):
        return rebuild(z, _parts(node, z))
    if z.__class__ is np.ndarray:
        if pull.entry is not None and pull.entry.gives_back and pull.entry.copies is None:
            for source in sources:
                if source.__class__ is Tensor and source.primal is z:
                    return source
        if z.base is not None or is_operand(z, sources):
            result = make(z, node)
            views.note(result, sources)
            return result
    return make(z, node)


def refuse_special_arrays(z: Any, spoken: str = "an operand") -> None:
    """Raise UnsupportedError for a masked array or a matrix."""
    if isinstance(z, _OF_OTHER_MEANING):
        raise UnsupportedError(
            f"{spoken} is a `{type(z).__name__}`, whose operators mean something else than an array's",
            here(),
            repair="Use np.asarray(x), and for masked arrays the mask beside it.",
        )


def is_operand(z: np.ndarray[Any, Any], sources: Sequence[Any]) -> bool:
    """Whether an operation gave back what it was given, as `np.real` of real numbers does."""
    return any(source.__class__ is Tensor and source.primal is z for source in sources)


def new_node(
    pull: Pull,
    z: Any,
    edges: tuple[Node, ...],
    kept: tuple[Any, ...],
    of: type[Node] | None = None,
    frame: types.FrameType | None = None,
) -> Node:
    """A node of the general path, or one of the class `of`; `frame` is a guess where the user stands."""
    node: Node
    kind = z.__class__
    several = kind is not np.ndarray and isinstance(z, tuple | list)
    if of is not None:
        node = of()
    else:
        node = Whole() if several else IndexNode() if hasattr(pull, "run") else Node()
    node.pull = pull
    node.edges = edges
    node.kept = kept
    node.z = z if pull.keeps_z else None
    if several:
        node.shape = tuple([np.shape(part) for part in z])  # a Whole has one of each per part
        node.dtype = tuple([np.asarray(part).dtype for part in z])
    else:
        node.shape = z.shape
        node.dtype = z.dtype
    node.order = next(orders)
    if frame is None or not is_users_file.get(frame.f_code.co_filename):
        frame = user_frame()
    node.code, node.lasti = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)
    node.hooks = None
    return node


def _parts(whole: Node, values: Sequence[Any]) -> list[Any]:
    """The results of an operation with several, each behind a node that hands its adjoint to the whole."""
    results = []
    for index, value in enumerate(values):
        array = np.asarray(value)
        # A rank, a sign or an index has no derivative.
        results.append(part(whole, index, array) if array.dtype.kind in "fc" else wrap(value))
    return results


def part(whole: Node, index: int, value: Any) -> Any:
    """One result of an operation with several, behind a node that hands its adjoint to the whole."""
    node = Part()
    node.pull = whole.pull
    node.edges = (whole,)
    node.kept = ()
    node.z = None
    node.shape = value.shape
    node.dtype = value.dtype
    node.order = next(orders)
    node.code, node.lasti = whole.code, whole.lasti
    node.hooks = None
    node.index = index
    return make(value, node)


def _collect(value: Any, edges: list[Node]) -> None:
    if value.__class__ is Tensor:
        if value.node is not None:
            edges.append(value.node)
    elif isinstance(value, list | tuple):
        for v in value:
            _collect(v, edges)


def _row(values: Any, edges: list[Node]) -> tuple[list[Any], Any] | None:
    """The arrays of a plain sequence of operands and its pattern, in one pass; None for one that is nested."""
    arrays, pattern, found = [], [], []
    for v in values:
        if v.__class__ is Tensor:
            arrays.append(v.primal)
            pattern.append(v.node is not None)
            if v.node is not None:
                found.append(v.node)
        elif v.__class__ in ATOMS:
            arrays.append(v)
            pattern.append(False)
        else:
            return None
    edges += found
    return arrays, tuple(pattern) if found else False


def _pattern(value: Any) -> Any:
    if value.__class__ is Tensor:
        return value.node is not None
    if isinstance(value, list | tuple) and is_active(value):
        return tuple([_pattern(v) for v in value])
    return False


def _with_rows(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """An array given where a rule expects a sequence of arrays (`np.stack(x)`) becomes a list of its rows."""
    assert entry.sequence is not None
    if entry.sequence < len(args):
        k = entry.sequence
        return (*args[:k], list(args[k]), *args[k + 1 :]), kwargs
    name = entry.names[entry.sequence]
    return args, {**kwargs, name: list(kwargs[name])}


def _operands(values: Any, is_sequence: bool) -> Any:
    """Lists given where arrays are expected become arrays, or Tensors if there are any in them."""
    return [operand(v) for v in values] if is_sequence else operand(values)


def operand(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return value
    return np.stack([operand(v) for v in value]) if is_active(value) else np.asarray(plain(value))


def _refuse_unless_form(entry: Entry, k: int) -> None:
    """Raise for a Tensor that requires a gradient in a place that the rule has no derivative for.

    A linear operation whose transpose reads no value there depends on none: `np.full_like(x, 3.0)`.
    """
    every = entry.pull((True,) * len(entry.wrt))
    if entry.kind == "linear" and every.keeps[k] is not Need.VALUE:
        return
    name = entry.names[k]
    raise UnsupportedError(
        f"adc has no derivative of {entry.operation.spelling} with respect to `{name}`",
        here(),
        f"Its rule is for {', '.join(f'`{w}`' for w in entry.operation.wrt) or 'no parameter'}.",
        f"If `{name}` is meant to be constant, pass adc.stop_gradient({name}).",
    )


def refuse_complex(entry: Entry, arrays: Sequence[Any]) -> None:
    """Raise for complex operands of an operation whose rule is for real ones: it would give a wrong gradient."""
    if any_complex(arrays):
        raise UnsupportedError(
            f"{entry.operation.spelling} of complex numbers is not supported",
            here(),
            "Its rule is for real operands.",
        )


def no_rule(spelling: str) -> UnsupportedError:
    """The refusal of a function that the rule table does not have."""
    known = repair_of(spelling)
    return UnsupportedError(
        f"adc has no rule for {spelling}",
        here(),
        "The derivative of its result is not known.",
        f"{known[0].upper()}{known[1:]}."
        if known
        else "Register one with adc.custom_vjp or adc.rules, or pass adc.stop_gradient(x) if it carries no derivative.",
    )


def call_as_node(
    name: str,
    function: Callable[..., Any],
    pull: Callable[..., Sequence[Any]],
    args: Sequence[Any],
    pull_on_tensors: Callable[..., Sequence[Any]] | None = None,
) -> Any:
    """One node for a whole function, e.g. a compiled derivative called on Tensors.

    `function(*arrays)` gives the value, `pull(z_bar, z, *arrays)` one adjoint per argument.
    `pull_on_tensors` is the same on Tensors, for derivatives of derivatives; without it those raise
    `GraphCutError`.

    >>> from adc import tape
    >>> x = tape.tensor(3.0, requires_grad=True)
    >>> y = call_as_node("Cube", lambda x: x**3, lambda y_bar, y, x: (3 * x**2 * y_bar,), [x])
    >>> y.backward()
    >>> y.grad_fn.name(), x.grad
    ('CubeBackward', tensor(27.))
    """
    flags = tuple([is_active(a) for a in args])
    arrays = plain(tuple(args))
    z = function(*arrays)
    if not any(flags) or not modes.enabled:
        return wrap(z)

    def reverse(z_bar: Any, z: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if not any(v.__class__ is Tensor for v in (z_bar, *values)):
            adjoints = pull(z_bar, z, *values)
        elif pull_on_tensors is not None:
            adjoints = pull_on_tensors(z_bar, z, *values)
        else:
            raise GraphCutError(
                f"adc cannot differentiate the pull of {name} again",
                here(),
                "It runs outside the tape.",
                f"Ask for the second derivative of {name} by adc.grad(adc.grad(...)).",
            )
        return tuple([adjoint for adjoint, flag in zip(adjoints, flags, strict=True) if flag])

    made = Pull(f"{name}Backward", reverse, (Need.VALUE,) * len(arrays), True, flags, flags)
    edges: list[Node] = []
    _collect(tuple(args), edges)
    if z.__class__ is float:
        return record(made.of_pythons(), np.float64(z), tuple(edges), arrays)
    return record(made, z, tuple(edges), arrays)


# Needs this module whole.
from adc.tape import composites, sparse, stacks  # noqa: E402
