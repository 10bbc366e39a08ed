"""Print IR expressions as Python syntax trees, the way a person would write them."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any

import numpy as np

from adc.compiler.backend.inlining import Inlining
from adc.compiler.backend.naming import Names
from adc.compiler.ir.nodes import Assign, Atom, Const, If, Operand, Slice, Var
from adc.compiler.ir.types import Array, Scalar, is_float, is_integer, of_number
from adc.rules.operation import Operation

BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
UNARY: dict[str, type[ast.unaryop]] = {"-": ast.USub, "+": ast.UAdd, "~": ast.Invert}
COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}


@functools.cache
def _demanded(function: Any) -> frozenset[str]:
    """The parameters without a default of a library's function, in the version that is installed."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a built-in function that says nothing of its parameters
        return frozenset()
    return frozenset(p.name for p in parameters if p.default is inspect.Parameter.empty)


def _is_whole(a: Atom) -> bool:
    return isinstance(a, Const) and type(a.value) in (int, bool)


class ExpressionPrinter:
    """Atoms and operations as `ast` expressions."""

    def __init__(self, names: Names, inlining: Inlining) -> None:
        self.names = names
        self.inlining = inlining

    def atom(self, x: Operand) -> ast.expr:
        if isinstance(x, Var):
            inlined = self.inlining.expression_of(x)
            if isinstance(inlined, Assign):
                return self.operation(inlined)
            if isinstance(inlined, If):
                return self.conditional(inlined)
            return name(self.names[x])
        if isinstance(x, tuple):
            return ast.Tuple([self.atom(i) for i in x], ast.Load())
        assert isinstance(x, Const), x
        return constant(x.value)

    def as_type(self, x: Atom, type: Any) -> ast.expr:
        """An atom to be held by a variable of a type: integer constants become floats where floats are held."""
        if (
            isinstance(x, Const)
            and isinstance(type, Scalar)
            and is_float(type)
            and isinstance(x.value, (int, float))
            and not isinstance(x.value, bool)
        ):
            # What the user made double is so beside float32, which numbers of Python's are not.
            own = not type.weak and (type.dtype != "float64" or isinstance(x.value, np.float64))
            return constant(np.dtype(type.dtype).type(x.value) if own else float(x.value))
        if isinstance(x, Var) and isinstance(type, Scalar) and x.type.dtype != type.dtype:
            return call(_scalar_type(type.dtype, x.type.dtype), [self.atom(x)])
        if isinstance(x, Const) and type is not None and type.dtype == "uint64" and isinstance(x.value, int):
            return constant(np.uint64(x.value))  # which Numba takes for signed otherwise
        return self.atom(x)

    def conditional(self, region: If) -> ast.expr:
        merge = region.merges[0]
        test = self.atom(region.test)
        then, orelse = self._branch(region.then, merge.then), self._branch(region.orelse, merge.orelse)
        if merge.orelse == Const(False):
            return _bool(ast.And(), test, then)
        if merge.then == Const(True):
            return _bool(ast.Or(), test, orelse)
        return ast.IfExp(test, then, orelse)

    def _branch(self, block: list[Any], value: Atom) -> ast.expr:
        """The value of a branch; its last statement may not be marked as inlined, since a merge uses it."""
        for stmt in block:
            if isinstance(stmt, Assign) and stmt.target is value:
                return self.operation(stmt)
            if isinstance(stmt, If) and stmt.merges[0].result is value:
                return self.conditional(stmt)
        return self.atom(value)

    def index(self, items: tuple[Any, ...], keep_all: bool = False) -> ast.expr:
        parts = [self._index_item(i) for i in items]
        if not keep_all:
            while len(parts) > 1 and _is_full(parts[-1]):
                parts.pop()
        return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())

    def _index_item(self, item: Any) -> ast.expr:
        if isinstance(item, Slice):
            return ast.Slice(
                *(
                    None if p is None or p == Const(None) else self.atom(p)
                    for p in (item.start, item.stop, item.step)
                )
            )
        if item == Const(None):
            return attribute("np", "newaxis")
        return self.atom(item)

    def operation(self, stmt: Assign) -> ast.expr:
        if isinstance(stmt.op, str):
            return self._primitive(stmt)
        operation = stmt.op
        special = getattr(self, f"_print_{operation.name.replace('.', '_')}", None)
        if special is not None:
            printed = special(stmt)
            if printed is not None:
                assert isinstance(printed, ast.expr)
                return printed
        if operation.symbol is not None:
            return self._operator(operation.symbol, stmt)
        found = call(dotted(operation.spelling), *self._arguments(operation, stmt.args))
        # The code was made for real values: the numbers in a matrix may say otherwise.
        real = [k for k, t in enumerate(stmt.targets) if "complex" not in t.type.dtype]
        if operation.extra.get("may_be_complex") and real:
            every = len(real) == len(stmt.targets)
            return call(dotted("rt.still_real"), [found] if every else [found, *map(constant, real)])
        return found

    def _arguments(
        self, operation: Operation, args: tuple[Operand, ...]
    ) -> tuple[list[ast.expr], list[ast.keyword]]:
        """Positional arguments up to the last that has no default, the others by keyword where they differ from it.

        A default that only later versions of a library have is written out.
        """
        positional: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        demanded = _demanded(operation.function)
        for parameter, arg in zip(operation.parameters, args, strict=True):
            if parameter.default is inspect.Parameter.empty:
                positional.append(self.atom(arg))
            elif parameter.name in demanded or not (
                isinstance(arg, Const) and (arg.value is parameter.default or arg == Const(parameter.default))
            ):
                if isinstance(operation.function, np.ufunc) or operation.module == "math":
                    positional.append(self.atom(arg))
                else:
                    keywords.append(ast.keyword(parameter.name, self.atom(arg)))
        return positional, keywords

    def _operator(self, symbol: str, stmt: Assign) -> ast.expr:
        args = [self.atom(a) for a in stmt.args]
        if symbol in COMPARE:
            return ast.Compare(args[0], [COMPARE[symbol]()], [args[1]])
        if len(args) == 1:
            return ast.UnaryOp(UNARY[symbol](), args[0])
        return ast.BinOp(args[0], BINARY[symbol](), args[1])

    def _primitive(self, stmt: Assign) -> ast.expr:
        match stmt.op:
            case "getitem":
                return ast.Subscript(self.atom(stmt.args[0]), self.index(stmt.args[1]), ast.Load())
            case "dim":
                return ast.Subscript(
                    ast.Attribute(self.atom(stmt.args[0]), "shape", ast.Load()),
                    self.atom(stmt.args[1]),
                    ast.Load(),
                )
            case "cast":
                x, dtype = stmt.args
                if isinstance(stmt.target.type, Array):
                    return call(
                        ast.Attribute(self.atom(x), "astype", ast.Load()), [_array_dtype(dtype.value)]
                    )
                given = x.type.dtype if isinstance(x, Var) else None
                if given == dtype.value and stmt.target.type.weak:
                    return call(name("complex" if given == "complex128" else "float"), [self.atom(x)])
                if given in ("float32", "float64") and dtype.value == "float64":
                    double = call(attribute("np", "float64"), [self.atom(x)])
                    # Beside float32 a number of Python's is none of NumPy's; to Numba `float` of float32 is float32.
                    return call(name("float"), [double]) if stmt.target.type.weak else double
                if dtype.value == "int64" and given is not None and given != "int64" and is_integer(x.type):
                    whole = call(attribute("np", "int64"), [self.atom(x)])
                    # To Numba `int` of an integer without a sign has none.
                    return call(name("int"), [whole]) if stmt.target.type.weak else whole
                return call(_scalar_type(dtype.value, given), [self.atom(x)])
            case "alias":
                return self.atom(stmt.args[0])
        if isinstance(stmt.op, str) and stmt.op.startswith(("vm.", "rt.")):
            return call(dotted(stmt.op), [self.atom(a) for a in stmt.args])
        if isinstance(stmt.op, str) and stmt.op.startswith("kernel."):
            return call(name(stmt.op.removeprefix("kernel.")), [self.atom(a) for a in stmt.args])
        raise AssertionError(f"unknown primitive {stmt.op}")

    # --- operations with a customary form of their own ----------------------------------------------------------

    def _print_transpose(self, stmt: Assign) -> ast.expr | None:
        return (
            ast.Attribute(self.atom(stmt.args[0]), "T", ast.Load()) if stmt.args[1] == Const(None) else None
        )

    def _print_copy(self, stmt: Assign) -> ast.expr:
        return call(ast.Attribute(self.atom(stmt.args[0]), "copy", ast.Load()), [])

    def _print_where(self, stmt: Assign) -> ast.expr | None:
        condition, *choices = stmt.args
        if isinstance(stmt.target.type, Array):
            return self._print_chosen_numbers(stmt)
        if is_float(stmt.target.type):  # a whole number that is taken is one of floats
            choices = [Const(float(a.value)) if _is_whole(a) else a for a in choices]
        types = [a.type if isinstance(a, Var) else of_number(a.value) for a in choices]
        strong = {t.dtype for t in types if isinstance(t, Scalar) and not t.weak}
        mixed = is_float(stmt.target.type) and not strong <= {stmt.target.type.dtype}
        x, y = (self._cast(a, stmt.target.type) if mixed else self.atom(a) for a in choices)
        return ast.IfExp(self.atom(condition), x, y)

    def _print_chosen_numbers(self, stmt: Assign) -> ast.expr | None:
        """An array of numbers of single precision, where all that is chosen from may be Python's, is made so."""
        dtype, choices = stmt.target.type.dtype, stmt.args[1:]
        if dtype not in ("float32", "complex64") or any(isinstance(a, Var) and a.is_array for a in choices):
            return None
        if any(isinstance(a, Const) and isinstance(a.value, np.generic) for a in choices):
            return None
        given = [self.atom(a) for a in stmt.args]
        k = next((k for k, a in enumerate(choices, 1) if isinstance(a, Const)), 1)
        number = stmt.args[k]
        made = constant(np.dtype(dtype).type(number.value)) if isinstance(number, Const) else None
        given[k] = made or call(attribute("np", dtype), [given[k]])
        return call(attribute("np", "where"), given)

    def _cast(self, x: Atom, type: Scalar) -> ast.expr:
        """A number as one of NumPy's of that type: a choice of Python's has the dtype of the one that it takes."""
        if isinstance(x, Const):
            return constant(np.dtype(type.dtype).type(x.value))
        return self.atom(x) if x.type == type else call(attribute("np", type.dtype), [self.atom(x)])

    def _print_power(self, stmt: Assign) -> ast.expr | None:
        """Of truth values, `x ** 2` is their square, a byte, where `np.power(x, 2)` has 64 bits."""
        x, y = stmt.args
        truths = isinstance(x, Var) and x.is_array and x.type.dtype == "bool"
        return call(attribute("np", "power"), [self.atom(x), self.atom(y)]) if truths else None

    def _print_logical_not(self, stmt: Assign) -> ast.expr | None:
        return None if stmt.target.is_array else ast.UnaryOp(ast.Not(), self.atom(stmt.args[0]))

    def _print_invert(self, stmt: Assign) -> ast.expr | None:
        """Of a truth value that Python's own comparison gives, `~` is a number."""
        truth = not stmt.target.is_array and stmt.target.type.dtype == "bool"
        return ast.UnaryOp(ast.Not(), self.atom(stmt.args[0])) if truth else None

    def _print_logical_and(self, stmt: Assign) -> ast.expr | None:
        return None if stmt.target.is_array else _bool(ast.And(), *(self.atom(a) for a in stmt.args))

    def _print_logical_or(self, stmt: Assign) -> ast.expr | None:
        return None if stmt.target.is_array else _bool(ast.Or(), *(self.atom(a) for a in stmt.args))

    def _print_maximum(self, stmt: Assign) -> ast.expr | None:
        if stmt.target.is_array or is_float(stmt.target.type) or _has_own_width(stmt):
            return None
        return call(name("max"), [self.atom(a) for a in stmt.args])

    def _print_minimum(self, stmt: Assign) -> ast.expr | None:
        if stmt.target.is_array or is_float(stmt.target.type) or _has_own_width(stmt):
            return None
        return call(name("min"), [self.atom(a) for a in stmt.args])

    def _creation(self, stmt: Assign, function: str) -> ast.expr:
        shape, *rest = stmt.args
        if isinstance(shape, tuple) and len(shape) == 1:
            shape = shape[0]
        args = [self.atom(shape)]
        dtype = rest[-1]
        keywords = (
            []
            if np.dtype(dtype.value) == np.float64
            else [ast.keyword("dtype", _array_dtype(str(np.dtype(dtype.value))))]
        )
        return call(attribute("np", function), args, keywords)

    def _print_zeros(self, stmt: Assign) -> ast.expr:
        return self._creation(stmt, "zeros")

    def _print_ones(self, stmt: Assign) -> ast.expr:
        return self._creation(stmt, "ones")

    def _print_empty(self, stmt: Assign) -> ast.expr:
        return self._creation(stmt, "empty")

    def _print_full(self, stmt: Assign) -> ast.expr:
        shape, fill, _dtype = stmt.args
        if isinstance(shape, tuple) and len(shape) == 1:
            shape = shape[0]
        if isinstance(fill, Const) and isinstance(fill.value, int) and is_float(stmt.target.type):
            fill = Const(float(fill.value))
        given = str(np.result_type(fill.value)) if isinstance(fill, Const) else fill.type.dtype
        keywords = (
            []
            if stmt.target.type.dtype == given == "float64"
            else [ast.keyword("dtype", _array_dtype(stmt.target.type.dtype))]
        )
        return call(attribute("np", "full"), [self.atom(shape), self.atom(fill)], keywords)

    def _print_stack(self, stmt: Assign) -> ast.expr | None:
        """Numbers, and rows of them, are listed, as people write a small matrix."""
        listed = self._listed(stmt)
        return call(attribute("np", "array"), [listed]) if listed is not None else None

    def _listed(self, stmt: Assign) -> ast.expr | None:
        items, axis = stmt.args
        if axis != Const(0) or not isinstance(items, tuple):
            return None
        found: list[ast.expr] = []
        for item in items:
            row = self.inlining.expression_of(item) if isinstance(item, Var) and item.is_array else None
            if row is None and isinstance(item, Var) and item.is_array:
                return None
            if isinstance(row, If) or (row is not None and row.name != "stack"):
                return None
            listed = self.atom(item) if row is None else self._listed(row)
            if listed is None:
                return None
            found.append(listed)
        return ast.List(found, ast.Load())

    def _print_real(self, stmt: Assign) -> ast.expr | None:
        """A part of an array is memory of its own in the program, where NumPy gives a view."""
        z = stmt.args[0]
        if not isinstance(z, Var) or not z.is_array or self.inlining.expression_of(z) is not None:
            return None
        assert isinstance(stmt.op, Operation)
        return call(ast.Attribute(call(dotted(stmt.op.spelling), [self.atom(z)]), "copy", ast.Load()), [])

    _print_imag = _print_real

    def _print_reshape(self, stmt: Assign) -> ast.expr:
        shape = stmt.args[1]
        if isinstance(shape, tuple) and len(shape) == 1:
            shape = shape[0]
        return call(ast.Attribute(self.atom(stmt.args[0]), "reshape", ast.Load()), [self.atom(shape)])


def name(text: str) -> ast.expr:
    return ast.Name(text, ast.Load())


def attribute(base: str, attr: str) -> ast.expr:
    return ast.Attribute(name(base), attr, ast.Load())


def dotted(text: str) -> ast.expr:
    first, *rest = text.split(".")
    expression = name(first)
    for part in rest:
        expression = ast.Attribute(expression, part, ast.Load())
    return expression


def call(function: ast.expr, args: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.expr:
    return ast.Call(function, args, keywords or [])


def constant(value: Any) -> ast.expr:
    """A compile-time value as an expression."""
    if isinstance(value, np.generic):
        plain = _shortest(value)
        if isinstance(plain, np.generic):  # Python has no number of extended precision
            plain = str(value)
        return call(attribute("np", type(value).__name__), [constant(plain)])
    if isinstance(value, (np.dtype, type)):
        return _array_dtype(str(np.dtype(value)))
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        text = "nan" if value != value else "inf"
        return ast.UnaryOp(ast.USub(), attribute("np", text)) if value < 0 else attribute("np", text)
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and (value < 0 or str(value).startswith("-"))
    ):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _shortest(value: np.generic) -> Any:
    """A number of Python's that becomes that one of NumPy's, of as few digits as it takes: 0.2 of `np.float32(0.2)`."""
    if isinstance(value, np.float32):
        short = float(str(value))
        return short if np.float32(short) == value else value.item()
    return value.item()


def _array_dtype(dtype: str) -> ast.expr:
    return attribute("np", "bool_" if dtype == "bool" else dtype)


def _scalar_type(dtype: str, given: str | None) -> ast.expr:
    """What makes a number of that dtype of another."""
    plain = {"float64": "float", "int64": "int", "bool": "bool"}
    # Numba's `float` makes no number of a truth value.
    if dtype not in plain or (dtype == "float64" and given == "bool"):
        return attribute("np", dtype)
    return name(plain[dtype])


def _bool(op: ast.boolop, *values: ast.expr) -> ast.expr:
    flat: list[ast.expr] = []
    for v in values:
        flat.extend(v.values if isinstance(v, ast.BoolOp) and type(v.op) is type(op) else [v])
    return ast.BoolOp(op, flat)


def _has_own_width(stmt: Assign) -> bool:
    """Whether an integer is one of NumPy's of few bits, also where Python's would choose the other operand."""
    return bool(np.dtype(stmt.target.type.dtype).itemsize < 8 and stmt.target.type.dtype != "bool")


def _is_full(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None
