"""Find the result types of an operation from the types of its operands.

Dtypes are NumPy's own answer: the operation is tried on tiny arrays. Lengths come from the operation's shape rule, or,
where it has none, from trying two sets of distinct example lengths and recognising which lengths reappear.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from adc.compiler.ir.creation import CREATION
from adc.compiler.ir.nodes import Const, Operand, Slice, Var, variables
from adc.compiler.ir.types import Array, Layout, Scalar, Type, of_number
from adc.rules import shapes
from adc.rules.dims import Dim, Shape, Symbol
from adc.rules.operation import Operation, floating

SAME_DTYPE = {"reshape", "ravel", "transpose", "broadcast_to", "expand_dims", "squeeze", "copy"}
AXES = {"axis", "axes"}
EXAMPLE_LENGTHS = ((3, 5, 7, 11, 13, 17, 19, 23), (4, 6, 10, 14, 15, 21, 22, 26))
SCALES = (
    1,
    4,
    16,
    64,
)  # of the example lengths, of which a half or a third is to be told apart from other lengths
MOST_ELEMENTS = 10**6  # of an array of example lengths


def type_of(operand: Operand) -> Type | None:
    """The type of an atom; None for constants that are not numbers."""
    if isinstance(operand, Var):
        return operand.type
    value = operand.value if isinstance(operand, Const) else None
    return of_number(value) if isinstance(value, (bool, int, float, complex, np.generic)) else None


def is_elementwise(operation: Operation) -> bool:
    return (
        operation.kind == "elementwise"
        or bool(operation.extra.get("elementwise"))
        or operation.name == "where"
    )


def result_types(operation: Operation, args: tuple[Operand, ...], require: shapes.Require) -> list[Type]:
    """One type per result. Raises ValueError or TypeError, with NumPy's own message, when the operands do not fit."""
    _refuse_unknown_axes(operation, args)
    if is_elementwise(operation):
        types = [t for t in map(type_of, args) if t is not None]
        shape = shapes.broadcast([t.shape for t in types], require)
        dtype, weak = _elementwise_dtype(operation.function, tuple(_sample_key(a) for a in args))
        # A new array with one axis lies in a row, whatever its operands do.
        return [
            Array(dtype, shape, layout_of(types) if len(shape) > 1 else "C") if shape else Scalar(dtype, weak)
        ]
    if operation.name in CREATION:
        return [_created(operation, args, require)]
    if operation.name == "arange":
        return [_counted(operation, args)]
    arrays = {*operation.wrt, *operation.asked}  # a number among them is an array without axes, not a length
    views = tuple(
        _view(a) if p.name not in arrays else type_of(a) or _view(a)
        for p, a in zip(operation.parameters, args, strict=True)
    )
    if operation.name in SAME_DTYPE:
        assert operation.shape is not None
        first = type_of(args[0])
        if first is None:
            raise TypeError("its operand is no number, and no array of numbers")
        shape = tuple(operation.shape(*views))
        layout = (
            "A"
            if (operation.name == "transpose" and len(shape) > 1) or operation.name == "broadcast_to"
            else (first.layout if isinstance(first, Array) else "C")
        )
        return [Array(first.dtype, shape, layout) if shape else Scalar(first.dtype)]
    if operation.shape is not None:
        takes_require = "require" in inspect.signature(operation.shape).parameters
        ruled = operation.shape(*views, require=require) if takes_require else operation.shape(*views)
        if ruled is not None:
            return _with_tiny_operands(operation, args, ruled)
    return _by_example(operation, args)


def _refuse_unknown_axes(operation: Operation, args: tuple[Operand, ...]) -> None:
    """Which axis is meant decides the shapes of the result: it is a constant, not a number of the call."""
    for parameter, operand in zip(operation.parameters, args, strict=True):
        if parameter.name in AXES and any(True for _ in variables((operand,))):
            raise TypeError(f"its `{parameter.name}` is only known at run time")


def _with_tiny_operands(operation: Operation, args: tuple[Operand, ...], ruled: Any) -> list[Type]:
    """The dtypes as the rule says, or by a call on the smallest arrays that it takes; the shapes by the rule."""
    said = operation.extra.get("dtype")
    if said is not None:
        return [_typed(np.zeros((1,) * len(ruled), _said_dtype(operation, args, said)), tuple(ruled))]
    least = operation.extra.get("least", 1)
    result = _call(operation, tuple(concrete(a, lambda symbol: 1, tiny=least) for a in args))
    results = result if isinstance(result, tuple) else (result,)
    many = ruled if isinstance(result, tuple) else (ruled,)
    return [_typed(r, tuple(shape)) for r, shape in zip(results, many, strict=True)]


def _said_dtype(operation: Operation, args: tuple[Operand, ...], said: str) -> np.dtype[Any]:
    """A dtype given by its name, or as the common one of some parameters."""
    named = dict(zip((p.name for p in operation.parameters), args, strict=True))
    names = said.removeprefix("floating ").split()
    if not all(name in named for name in names):
        return np.dtype(said)
    types = [type_of(named[name]) for name in names]
    dtypes = [t.dtype for t in types if t is not None]
    return floating(*dtypes) if said.startswith("floating ") else np.result_type(*dtypes)


def _call(operation: Operation, args: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(operation, args)


def called(operation: Operation, args: tuple[Any, ...]) -> Any:
    """The operation itself of values, one for each parameter: options by name, as NumPy may order them otherwise."""
    if operation.function in EXACT and all(type(x) is int for x in args):
        return EXACT[operation.function](*args)
    by_position = isinstance(operation.function, np.ufunc) or operation.name == "arange"
    if by_position or operation.module == "math":
        return operation.function(*args)
    required: list[Any] = []
    options: dict[str, Any] = {}
    for parameter, value in zip(operation.parameters, args, strict=True):
        if parameter.kind is parameter.VAR_POSITIONAL:
            required.extend(value)
        elif parameter.default is parameter.empty:
            required.append(value)
        else:
            options[parameter.name] = value
    return operation.function(*required, **options)


def layout_of(types: list[Type]) -> Layout:
    return "C" if all(t.layout == "C" for t in types if isinstance(t, Array)) else "A"


def _created(operation: Operation, args: tuple[Operand, ...], require: shapes.Require) -> Type:
    named = dict(zip((p.name for p in operation.parameters), args, strict=True))
    said = named["dtype"]
    if not isinstance(said, Const):
        raise TypeError("its dtype has fields, or is only known at run time: use an array for each field")
    dtype = said.value
    if dtype is None:
        like = next((named[name] for name in ("a", "prototype", "fill_value") if name in named), None)
        known = None if like is None else type_of(like)
        dtype = float if known is None else known.dtype  # np.zeros(3, None)
    assert operation.shape is not None
    shape = tuple(operation.shape(_view(args[0])))
    return Array(str(np.dtype(dtype)), shape) if shape else Scalar(str(np.dtype(dtype)))


def _counted(operation: Operation, args: tuple[Operand, ...]) -> Type:
    """The numbers between two ends: as many as the constants say, or the integers; else only the call knows."""
    start, stop, step, _ = args
    if all(isinstance(a, Const) for a in args):
        return _typed(np.arange(*(a.value for a in args)), (Dim(len(np.arange(*(a.value for a in args)))),))
    one = _call(operation, tuple(concrete(a, lambda symbol: 1, tiny=1) for a in args))
    if stop == Const(None):
        start, stop = Const(0), start
    ends = [_view(a) for a in (start, stop)]
    stride = 1 if step == Const(None) else _view(step)
    if not all(isinstance(v, (int, Dim)) for v in ends) or not isinstance(stride, int) or stride == 0:
        return _typed(one, (Dim(-1),))
    if start == Const(0) and stride == 1:
        return _typed(one, (Dim.of(ends[1]),))
    span = ends[1] - Dim.of(ends[0]) if stride > 0 else ends[0] - Dim.of(ends[1])
    return _typed(one, (((span + (abs(stride) - 1)) // abs(stride)).clamped(),))


def _view(operand: Operand) -> Any:
    """An operand as a shape rule sees it: types for arrays, lengths for integers, plain values for constants."""
    if isinstance(operand, tuple):
        return tuple(_view(item) for item in operand)
    if isinstance(operand, Const):
        if isinstance(operand.value, np.integer):
            return int(operand.value)
        return (
            operand.value
            if type_of(operand) is None or isinstance(operand.value, (bool, int))
            else type_of(operand)
        )
    if isinstance(operand, Var) and operand.dim is not None:
        return operand.dim
    return operand.type if isinstance(operand, Var) else operand


def _sample_key(operand: Operand) -> Any:
    if isinstance(operand, Const):
        known = type_of(operand)
        return known if known is not None else operand
    return operand.type if isinstance(operand.type, Scalar) else (operand.type.dtype, operand.type.ndim)


_PYTHON: dict[Callable[..., Any], Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.absolute: operator.abs,
    np.invert: operator.invert,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.logical_and: lambda a, b: bool(a and b),
    np.logical_or: lambda a, b: bool(a or b),
    np.logical_not: operator.not_,
}


_MOST_BITS = 4096


def _too_long() -> int:
    raise OverflowError(f"an integer of more than {_MOST_BITS} bits")


# Of Python's integers, which have no limit: NumPy's have 64 bits, and no negative powers.
EXACT: dict[Callable[..., Any], Callable[..., Any]] = {
    **{f: _PYTHON[f] for f in (np.add, np.subtract, np.multiply, np.negative, np.floor_divide, np.remainder)},
    **{f: _PYTHON[f] for f in (np.right_shift, np.bitwise_and, np.bitwise_or, np.bitwise_xor)},
    np.divide: lambda a, b: a / b if b else np.divide(a, b),
    np.power: lambda a, b: a**b if a.bit_length() * b <= _MOST_BITS else _too_long(),
    np.left_shift: lambda a, b: a << b if b <= _MOST_BITS else _too_long(),
}


@lru_cache(maxsize=4096)
def _elementwise_dtype(function: Callable[..., Any], keys: tuple[Any, ...]) -> tuple[str, bool]:
    samples = [_sample(key) for key in keys]
    if function in _PYTHON and all(type(x) in (bool, int, float, complex) for x in samples):
        function = _PYTHON[function]  # which leaves a plain number a plain number
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*samples)
    weak = type(result) in (bool, int, float, complex)
    return str(np.asarray(result).dtype), weak


def sample(type: Scalar) -> Any:
    """A number of that type: a plain one where it is weak."""
    one = np.dtype(type.dtype).type(1)
    return one.item() if type.weak else one


def _sample(key: Any) -> Any:
    if isinstance(key, Const):
        return key.value
    if isinstance(key, Scalar):
        return sample(key)
    dtype, ndim = key
    # One element in 1-d, so that a function of scalars (math.erf) still accepts it when it must.
    return np.ones((1,) * ndim, dtype)


def _by_example(operation: Operation, args: tuple[Operand, ...]) -> list[Type]:
    symbols: dict[Symbol, None] = {}
    for v in variables(args):
        for d in (*v.type.shape, *((v.dim,) if v.dim is not None else ())):
            _collect(d, symbols)
    tables, told_apart = _told_apart(args, symbols)
    outcomes = []
    for table in tables:
        result = _call(operation, tuple(concrete(a, table.__getitem__) for a in args))
        outcomes.append(result if isinstance(result, tuple) else (result,))
    (table_1, table_2), (first, second) = tables, outcomes
    known = _known_lengths(args, symbols)
    types = []
    for one, two in zip(first, second, strict=True):
        shape = tuple(
            _recognised(n1, n2, known, table_1, table_2) if told_apart else Dim(-1)
            for n1, n2 in zip(np.shape(one), np.shape(two), strict=True)
        )
        types.append(_typed(one, shape))
    return types


def _told_apart(
    args: tuple[Operand, ...], symbols: dict[Symbol, None]
) -> tuple[list[dict[Symbol, int]], bool]:
    """Two example lengths for each symbol, and whether quotients of them have two lengths that are not tiny.

    Of 3 // 2 and 4 // 2 rows the pairs would be taken for one less than the rows.
    """
    lengths = [d for v in variables(args) for d in (*v.type.shape, *((v.dim,) if v.dim is not None else ()))]
    quotients = [d for d in lengths if any(s.kind == "floordiv" for s in d.symbols())]
    first: list[dict[Symbol, int]] = []
    for tables in _tables(symbols, lengths):
        first = first or tables
        sizes = [shapes.size(v.type.shape).evaluate(tables[1].__getitem__) for v in variables(args)]
        values = [[d.evaluate(table.__getitem__) for table in tables] for d in quotients]
        if max(sizes, default=0) <= MOST_ELEMENTS and all(
            one != two and min(one, two) > 2 for one, two in values
        ):
            return tables, True
    return first, not quotients


def _tables(symbols: dict[Symbol, None], lengths: list[Dim]) -> Iterator[list[dict[Symbol, int]]]:
    """Pairs of example lengths; x[i:j] has rows where j is the larger one, so later symbols are smaller ones, too."""
    found = 0
    for scale, order in itertools.product(SCALES, ([*symbols], [*symbols][::-1])):
        tables = [{s: n[k % len(n)] * scale for k, s in enumerate(order)} for n in EXAMPLE_LENGTHS]
        if all(d.evaluate(table.__getitem__) >= 0 for d in lengths for table in tables):
            found += 1
            yield tables
    if not found:  # the operation says that they do not fit
        yield [{s: n[k % len(n)] for k, s in enumerate(symbols)} for n in EXAMPLE_LENGTHS]


def _typed(result: Any, shape: Shape) -> Type:
    dtype = str(np.asarray(result).dtype)
    return Array(dtype, shape) if shape else Scalar(dtype, type(result) in (bool, int, float, complex))


def _collect(d: Dim, symbols: dict[Symbol, None]) -> None:
    for symbol, _ in d.terms:
        inner = [p for p in symbol.payload if isinstance(p, Dim)]
        if symbol.kind in ("product", "clamp", "cut", "floordiv", "quotient"):
            for p in inner:
                _collect(p, symbols)
        else:
            symbols.setdefault(symbol)


def concrete(operand: Operand, value: Callable[[Symbol], int], tiny: int = 0) -> Any:
    """A value of the type of an operand, with the lengths that `value` gives for symbols."""
    if isinstance(operand, tuple):
        return tuple(concrete(item, value, tiny) for item in operand)
    if isinstance(operand, Slice):
        return slice(
            *(
                None if p is None else concrete(p, value, tiny)
                for p in (operand.start, operand.stop, operand.step)
            )
        )
    if isinstance(operand, Const):
        return operand.value
    if operand.dim is not None:
        return sample(operand.type) if tiny else operand.dim.evaluate(value)
    if isinstance(operand.type, Scalar):
        return _sample(operand.type)
    lengths = tuple(tiny or d.evaluate(value) for d in operand.type.shape)
    if np.dtype(operand.type.dtype).kind in "iu":
        return np.zeros(lengths, operand.type.dtype)  # positions in arrays of any length
    filled = np.ones(lengths, operand.type.dtype)
    if len(lengths) == 2 and lengths[0] == lengths[1]:
        filled = np.eye(lengths[0], dtype=operand.type.dtype)  # factorizations need a regular matrix
    return filled


def _known_lengths(args: tuple[Operand, ...], symbols: dict[Symbol, None]) -> list[Dim]:
    found: dict[Dim, None] = {}
    for v in variables(args):
        for d in (*v.type.shape, *((v.dim,) if v.dim is not None else ())):
            found.setdefault(d)
    for symbol in symbols:
        found.setdefault(Dim(0, ((symbol, 1),)))
    products = [shapes.size(v.type.shape) for v in variables(args) if v.type.ndim > 1]
    return [*found, *products]


def _recognised(
    n1: int, n2: int, known: list[Dim], table_1: dict[Symbol, int], table_2: dict[Symbol, int]
) -> Dim:
    if n1 == n2:
        return Dim(n1)
    for offset in (0, -1, 1, -2, 2):
        for d in known:
            if (
                d.evaluate(table_1.__getitem__) + offset == n1
                and d.evaluate(table_2.__getitem__) + offset == n2
            ):
                return d + offset
    return Dim(-1)  # an unknown length: the builder replaces it by a symbol of the result
