"""Emit typed IR statements one by one: constants folded, operands checked, result types found.

Everything that makes IR goes through here: the evaluator of user code, the inlined bodies of rules, the adjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from adc.compiler.frontend import infer, lapack, named_again, python_integers, simplify, spoken, stretching
from adc.compiler.frontend.default_names import default_name
from adc.compiler.frontend.indexing import indexed_type
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.measures import Measures
from adc.compiler.frontend.tally import Tally
from adc.compiler.frontend.values import ZERO, Undefined, Value, Zero, holds_array
from adc.compiler.frontend.widths_by_path import WidthsByPath
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, Index, Operand, Stmt, Store, Var
from adc.compiler.ir.types import DTYPES, Array, Scalar, Type, is_integer, is_long, of_number
from adc.errors import AdcError, Location, ShapeError, UnsupportedError
from adc.rules import registry
from adc.rules.dims import Dim, Shape
from adc.rules.operation import Operation
from adc.rules.shapes import broadcast as broadcast_shapes

T = TypeVar("T", bound=Atom)

VIEW_OPERATIONS = {"transpose", "expand_dims", "squeeze", "broadcast_to"}

_OF_TRUTHS = {"add": "logical_or", "multiply": "logical_and"}  # what they are of NumPy's booleans
# What Python does with its booleans as with 0 and 1, while NumPy has an answer of its own or none.
_COUNTING = {"add", "multiply", "subtract", "negative", "power", "floor_divide", "remainder"}


def _is_finite(value: Value) -> bool:
    return not isinstance(value, (float, complex)) or bool(np.isfinite(value))


class Builder(Measures):
    """Appends statements to `block`. One builder serves one program; `at` redirects it to an inner block."""

    region_depth: int = 0  # branches and loops around the statement
    sweeps: int = 0  # reverse sweeps that go over the statement

    def __init__(self, equal: EqualLengths | None = None) -> None:
        self.arrays_without_axes: dict[int, Value] = {}  # by identity
        self.views_without_axes: list[Var] = []
        self.block = []
        self.origin = None
        self.equal, self.ever_equal = equal or EqualLengths(), EqualLengths()
        self.ranges, self.throughout, self.shape_source = {}, set(), {}
        self.broadcast_of: dict[Var, Value] = {}  # result of broadcast_to -> what was broadcast
        self.mutated: dict[Var, Location | None] = {}  # root -> first store
        self.given: set[Var] = set()  # arguments that are not differentiated
        self.laid_flat: set[Var] = set()  # `x.flat`, of which NumPy reads copies
        self.named_again: set[Var] = set()  # arrays that stand for views of themselves: `x.T` of a vector
        self.snapshots: dict[Var, Var] = {}  # a copy where NumPy gives a view -> what it would be a view of
        # New arrays that NumPy may not lay out as compiled code does -> their types there.
        self.order_of_numpy: dict[Var, Array] = {}
        # The real or imaginary part of a complex array -> of what, and which.
        self.part_of: dict[Var, tuple[Var, str]] = {}
        self.in_step: dict[
            Stmt, tuple[Var, str]
        ] = {}  # writes by way of a part: that part has them, the other none
        self.joined_roots: dict[Var, set[Var]] = {}  # phi or merge result -> roots that it may be
        self.integer_on_a_path: set[Var] = set()  # floats that Python makes an integer of on one path
        self.widths = WidthsByPath()
        # Arrays that no trip of some loops leaves to another: the counters of these loops.
        self.within_trips: dict[Var, set[Var]] = {}
        self.laid_out: set[Var] = set()  # arrays whose layout was chosen for the loops that use them
        self.over_axes: set[Var] = set()  # counters of loops that were statements of arrays
        # What the reverse sweep makes or restores -> what it is of the forward sweep, in the same trips.
        self.again: dict[Var, Var] = {}
        # Adjoints of what nobody has read.
        self.zero_adjoints: set[Var] = set()
        self.branch_adjoints: set[Var] = set()  # what the sides of a branch leave of an adjoint
        self.most: int | None = None  # assignments and calls of the user's; more of them are refused
        self.lengths_outside = False  # whether those of arrays outside the function are taken as they are now
        self.shapes_outside: list[str] = []  # of those that were met, as a reader knows them
        self.spent = 0
        self.tally = Tally()
        self.trying = 0  # `try` statements with handlers around

    def earlier(self, v: Atom) -> Iterator[Var]:
        """What a value of the reverse sweep is made again, or restored, of: the forward sweep's own is the last."""
        while isinstance(v, Var) and v in self.again:
            v = self.again[v]
            yield v

    def first(self, v: T) -> T | Var:
        """What a value of the reverse sweep is of the forward sweep; any other is itself."""
        found: T | Var = v
        for one in self.earlier(v):
            found = one
        return found

    @contextmanager
    def at(self, block: Block) -> Iterator[Block]:
        """Statements go to `block` inside the `with`."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    @contextmanager
    def origin_at(self, origin: Location | None) -> Iterator[None]:
        outer, self.origin = self.origin, origin or self.origin
        try:
            yield
        finally:
            self.origin = outer

    def rebuilt(self, block: Block, statement: Callable[[Stmt], None]) -> Block:
        """A block anew: `statement` appends what stands in the place of each of its statements."""
        out: Block = []
        with self.at(out):
            for stmt in block:
                with self.origin_at(stmt.origin):
                    statement(stmt)
        return out

    @property
    def in_user_code(self) -> bool:
        """Whether the statements being made are the user's own, rather than a rule's or the adjoint's."""
        return False

    @property
    def in_a_trip(self) -> bool:
        """Whether the statements being made are of a trip, or may be moved to one."""
        return True

    # --- errors ---------------------------------------------------------------------------------------------

    def refuse(self, what: str, why: str = "", repair: str = "") -> UnsupportedError:
        return UnsupportedError(what, location=self.origin, why=_sentence(why), repair=_sentence(repair))

    def refuse_behind(self, branch: Location | None, what: str, why: str, repair: str) -> UnsupportedError:
        """Of what a branch left, where its paths need not meet."""
        error = self.refuse(what, why, repair)
        error.branches = frozenset([branch])
        return error

    def refuse_leaving(self, what: str, repair: str) -> UnsupportedError:
        """Of a change to something outside the function."""
        error = self.refuse(what, "what the function leaves behind is not part of its derivative", repair)
        error.leaves_behind = True
        return error

    # --- values ---------------------------------------------------------------------------------------------

    def atom(self, value: Value) -> Atom:
        """A value as an IR atom."""
        return value if isinstance(value, (Var, Const)) else Const(value)

    def operand(self, value: Value) -> Operand:
        if isinstance(value, (list, tuple)):
            return tuple(self.operand(v) for v in value)
        return self.atom(value)

    def said(self, value: Value) -> Operand:
        """What is printed, or said by an exception."""
        return self.operand(spoken.said(value))

    def type_of(self, value: Value) -> Type | None:
        """The type of a numeric value; None for other constants."""
        if isinstance(value, Const):
            value = value.value
        if isinstance(value, Var):
            return value.type
        return of_number(value) if isinstance(value, (bool, int, float, complex, np.generic)) else None

    def is_static(self, value: Value) -> bool:
        if getattr(value, "run_time", False):
            return False
        if isinstance(value, (list, tuple)):
            return all(self.is_static(v) for v in value)
        if isinstance(value, dict):
            return all(self.is_static(v) for v in value.values())
        if isinstance(value, slice):
            return all(self.is_static(v) for v in (value.start, value.stop, value.step))
        return not isinstance(value, (Var, Undefined, Zero))

    def type_is_array(self, value: Value) -> bool:
        return isinstance(value, Var) and value.is_array

    # --- statements -----------------------------------------------------------------------------------------

    def assign(
        self,
        op: Operation | str,
        args: tuple[Operand, ...],
        type: Type,
        name: str = "",
        *,
        named: bool = False,
        dim: Dim | None = None,
        view_of: Var | None = None,
    ) -> Var:
        self.require_numbers(type.dtype)
        if isinstance(type, Array) and any(d == Dim(-1) for d in type.shape):
            placeholder = Var(name, type)
            type = Array(
                type.dtype,
                tuple(
                    Dim.symbol("shape", placeholder, k) if d == Dim(-1) else d
                    for k, d in enumerate(type.shape)
                ),
                type.layout,
            )
            target = placeholder
            target.type = type
        else:
            target = Var(name, type)
        target.name = name or default_name(op, args)
        target.named = named
        target.dim = (
            dim
            if dim is not None or isinstance(type, Array) or not is_integer(type)
            else Dim.symbol("value", target)
        )
        if target.dim is not None and not self.in_a_trip:
            self.throughout.add(target)
        if view_of is not None:
            target.view_of, target.root = view_of, view_of.root
        self.spend()
        self.block.append(Assign((target,), op, args, self.origin))
        return target

    @property
    def for_some_sizes(self) -> bool:
        """Whether the code need only hold for the sizes of one call: then a copy of it for each trip is welcome."""
        return self.most is not None

    def spend(self) -> None:
        """Count what the program becomes longer by. Raises UnsupportedError where it may not."""
        self.spent += 1
        self.tally.add()
        if self.most is not None and self.spent > self.most:
            raise self.refuse(f"the program for these sizes has more than {self.most} statements")

    def any_complex(self, operands: Iterable[Value]) -> bool:
        return any(_is_complex(self.type_of(v)) for v in operands)

    def check_real(self, operation: Operation, operands: Iterable[Value]) -> None:
        """Refuse complex operands of an operation whose rule is for real ones."""
        if operation.extra.get("real_only") and self.any_complex(operands):
            raise self.refuse(
                f"{operation.spelling} of complex numbers is not supported", "its rule is for real operands"
            )

    def op(self, operation: Operation | str, *args: Value, **kwargs: Value) -> Value:
        """The value of an operation: folded when everything is known, a new variable otherwise."""
        if isinstance(operation, str):
            operation = registry.named(operation)
        bound = self._bind(operation, args, kwargs)
        self.check_real(operation, bound)
        if any(v is ZERO for v in bound):
            return simplify.with_zero(self, operation, bound)
        if (
            (operation.kind != "constant" or operation.extra.get("elementwise") or operation.module == "math")
            and all(self.is_static(v) for v in bound)
            and all(not isinstance(v, np.ndarray) for v in bound)
        ):
            folded = self._fold(operation, tuple([v.value if isinstance(v, Const) else v for v in bound]))
            if not holds_array(folded):  # an array is made by the program, not printed into it
                return folded
        if operation.name in _COUNTING and all(
            t is not None and t.dtype == "bool" for t in map(self.type_of, bound)
        ):
            if all(isinstance(t, Scalar) and t.weak for t in map(self.type_of, bound)):
                bound = tuple(self.cast(v, "int64", weak=True) for v in bound)
            else:
                self._require_owner(bound)
                if operation.name in _OF_TRUTHS:
                    return self.op(_OF_TRUTHS[operation.name], *bound)
        if operation.name in ("logical_and", "logical_or"):
            bound = self._as_truths(bound)
        if infer.is_elementwise(operation):
            bound = self._plain_doubles(python_integers.operands(self, operation, bound))
            bound = stretching.operands(self, self._without_broadcasts(bound))
        elif lapack.takes(operation):
            bound = lapack.operands(self, bound)
        elif operation.name == "squeeze":
            bound = stretching.squeezed(self, *bound)
            if bound[1] == ():
                return bound[0]
        elif operation.name == "broadcast_to":
            bound = stretching.to_shape(self, *bound)
        simplified = simplify.simplified(self, operation, bound)
        if simplified is not None and not (
            self.in_user_code
            and infer.is_elementwise(operation)
            and self.type_is_array(simplified)
            and not simplify.makes_anew(operation, bound, simplified)
        ):
            named_again.note(self, operation, bound, simplified)
            return simplified  # in the user's code `x + 0` is a new array, which may be written to
        operands = tuple(self.operand(v) for v in bound)
        types = self._result_types(operation, operands)
        by_path = self.widths.differ(operation, operands) if self.widths.of else ()
        if by_path and self.widths.may_wrap(operation):
            raise self._depends_on_path(operation, by_path)
        if len(types) > 1:
            targets = tuple(
                self._target(t, f"{operation.name.split('.')[-1]}_{k}") for k, t in enumerate(types)
            )
            self.block.append(Assign(targets, operation, operands, self.origin))
            return targets
        (type,) = types
        first = bound[0] if bound and isinstance(bound[0], Var) and bound[0].is_array else None
        views = operation.name in VIEW_OPERATIONS or (
            operation.name in ("reshape", "ravel") and first is not None
        )
        result = self.assign(
            operation,
            operands,
            type,
            dim=self.integer_value(operation, bound, type),
            view_of=first if views and isinstance(type, Array) else None,
        )
        if operation.name == "broadcast_to":
            self.broadcast_of[result] = bound[0]
        elif operation.name == "expand_dims" and first in self.broadcast_of:
            number = self.broadcast_of[first]
            if not self.type_is_array(number):
                self.broadcast_of[result] = number
        self.widths.note(result, by_path)
        return result

    def _depends_on_path(self, operation: Operation, kinds: Iterable[Type]) -> UnsupportedError:
        return self.refuse(
            f"{operation.spelling} of these operands is {' or '.join(t.dtype for t in kinds)}, by the path",
            "an operand has another dtype on each of two paths, and integers wrap where their dtype ends",
            "give it one dtype on both, as with int(...) or .astype",
        )

    def _plain_doubles(self, bound: tuple[Value, ...]) -> tuple[Value, ...]:
        """Constants np.float64(...) as plain numbers, unless they are what makes the result double."""
        if not any(isinstance(v, np.float64) for v in bound):
            return bound
        others = [t for v in bound if not isinstance(v, np.float64) and (t := self.type_of(v)) is not None]
        strong = [t.dtype for t in others if not (isinstance(t, Scalar) and t.weak)]
        if not strong or any(dtype in ("float16", "float32", "complex64") for dtype in strong):
            return bound
        return tuple(float(v) if isinstance(v, np.float64) else v for v in bound)

    def _require_owner(self, truths: Iterable[Value]) -> None:
        """Refuse to count with truth values, none of which is NumPy's on every path."""
        owners = [t.weak if isinstance(t, Scalar) else False for t in map(self.type_of, truths)]
        if None in owners and False not in owners:
            raise self.refuse(
                "a truth value that is Python's on one path and NumPy's on another is counted with",
                "True + True is 2, and np.True_ + np.True_ is true",
                "write int(...) of it, `or`, or `and`",
            )

    def _as_truths(self, bound: tuple[Value, ...]) -> tuple[Value, ...]:
        """Numbers as truth values: of two of them Python's own `and` and `or` give one of the numbers."""
        types = [self.type_of(v) for v in bound]
        if any(t is None or isinstance(t, Array) for t in types):
            return bound
        return tuple(
            v if t is not None and t.dtype == "bool" else self.op("not_equal", v, 0)
            for v, t in zip(bound, types, strict=True)
        )

    def _without_broadcasts(self, bound: tuple[Value, ...]) -> tuple[Value, ...]:
        """Operands that were broadcast explicitly, as they were before, where the others give the same shape anyway."""
        for k, v in enumerate(bound):
            source = self.broadcast_of.get(v) if isinstance(v, Var) else None
            if source is None or self.type_of(source) is None:
                continue
            rest = [self.type_of(o) for j, o in enumerate(bound) if j != k]
            shapes_of = [t.shape for t in (*rest, self.type_of(source)) if t is not None]
            without = broadcast_shapes(shapes_of, lambda a, b: None)
            lengths = zip(reversed(v.type.shape), reversed(without), strict=False)
            if len(v.type.shape) <= len(without) and all(
                own.known == 1 or self.equal.same(own, length) for own, length in lengths
            ):
                bound = (*bound[:k], source, *bound[k + 1 :])
        return bound

    def _target(self, type: Type, name: str) -> Var:
        target = Var(name, type, named=False)
        if isinstance(type, Array):
            target.type = Array(
                type.dtype,
                tuple(
                    Dim.symbol("shape", target, k) if d == Dim(-1) else d for k, d in enumerate(type.shape)
                ),
                type.layout,
            )
        elif is_integer(type):
            target.dim = Dim.symbol("value", target)
        return target

    def _bind(
        self, operation: Operation, args: tuple[Value, ...], kwargs: dict[str, Value]
    ) -> tuple[Value, ...]:
        if not kwargs and len(args) == len(operation.parameters) and operation.all_by_position:
            return args
        unknown = [k for k in kwargs if k not in {p.name for p in operation.parameters}]
        if unknown:
            raise self.refuse(
                f"argument `{unknown[0]}` of {operation.spelling} is not supported",
                f"the rule of {operation.spelling} has the parameters "
                f"({', '.join(p.name for p in operation.parameters)})",
                "leave the argument out, or write the operation with others",
            )
        try:
            bound = operation.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.refuse(f"call of {operation.spelling}: {error}") from error
        bound.apply_defaults()
        return tuple(bound.arguments[p.name] for p in operation.parameters)

    def _fold(self, operation: Operation, bound: tuple[Value, ...]) -> Value:
        try:
            with np.errstate(all="ignore"):
                numbers = all(isinstance(v, bool) for v in bound) and operation.name in _COUNTING
                result = infer.called(operation, tuple(map(int, bound)) if numbers else bound)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise self.refuse(f"{operation.spelling} of constants: {error}") from error
        if self.trying and all(map(_is_finite, bound)) and not _is_finite(result):
            raise self.refuse(
                f"a `try` has {operation.spelling} of constants in it that gives infinity or NaN",
                "of Python's numbers it raises",
                "test for it with `if`",
            )
        if isinstance(result, np.ndarray) and result.ndim == 0:
            result = result[()]
        # A folded constant stays a plain number where the operands were: dtype rules of NumPy scalars still apply.
        if isinstance(result, np.generic) and all(not isinstance(v, np.generic) for v in bound):
            return (
                result.item() if result.dtype in (np.float64, np.int64, np.bool_, np.complex128) else result
            )
        return result

    def _result_types(self, operation: Operation, operands: tuple[Operand, ...]) -> list[Type]:
        def require(a: Dim, b: Dim, message: str = "", error: str = "ValueError") -> None:
            spelled = operation.symbol or operation.spelling
            self.require_equal(
                a, b, message or f"operands of {spelled} could not be broadcast together", error
            )

        try:
            return infer.result_types(operation, operands, require)
        except AdcError:
            raise  # it says already what does not fit, and where
        except (ValueError, IndexError) as error:
            raise ShapeError(
                str(error),
                location=self.origin,
                why=f"{operation.spelling} is given operands that do not fit",
                repair="check the shapes of the operands",
            ) from error
        except TypeError as error:
            raise self.refuse(
                f"{operation.spelling} is not defined for these operands", str(error)
            ) from error

    def fit(self, shapes: list[Shape], unfit: str) -> Shape:
        """The shape that several broadcast to; what says that they do not, now or when the program runs, is NumPy's."""
        try:
            return broadcast_shapes(shapes, lambda a, b: self.require_equal(a, b, unfit))
        except ValueError as error:
            raise ShapeError(
                unfit, location=self.origin, why=str(error), repair="check the shapes of the arrays"
            ) from error

    # --- primitives -----------------------------------------------------------------------------------------

    def require_numbers(self, dtype: str) -> None:
        """Refuse arrays of what compiled code has no numbers for; a dtype with fields is spelled in brackets."""
        if dtype in DTYPES:
            return
        if dtype[0] in "[({":
            raise self.refuse(
                f"an array of dtype {dtype} is not supported",
                "its elements have fields",
                "use an array for each field, in a dict or a dataclass",
            )
        if not is_long(dtype):
            raise self.refuse(
                f"an array of dtype {dtype} is not supported",
                "its elements are no numbers that compiled code has",
                "use an array of floats, or a list",
            )

    def cast(self, value: Value, dtype: str, weak: bool = False) -> Value:
        """A value as one of another dtype; a number is `weak` where Python's own conversion makes it."""
        self.require_numbers(dtype)
        t = self.type_of(value)
        if t is None:
            raise self.refuse(f"cannot convert {value!r} to {dtype}")
        if isinstance(t, Array):
            return (
                value
                if t.dtype == dtype
                else self.assign("cast", (value, Const(dtype)), Array(dtype, t.shape, t.layout))
            )
        if isinstance(value, Var):
            if t.dtype == dtype:
                return value
            return self.assign("cast", (value, Const(dtype)), Scalar(dtype, weak))
        return (
            value if np.dtype(dtype).kind == "f" and isinstance(value, float) else np.dtype(dtype).type(value)
        )

    def to_subtract(self, value: Value, dtype: str) -> Value:
        """What is added to an array of some dtype to subtract a value: bytes without a sign have no negative."""
        t = self.type_of(value)
        if t is not None and np.dtype(t.dtype).kind in "biu" and not (isinstance(t, Scalar) and t.weak):
            value = self.cast(value, str(np.result_type(t.dtype, dtype)))
        return self.op("negative", value)

    def plain(self, x: T) -> T | Var:
        """A number of NumPy's as one of Python's, of the same dtype."""
        if isinstance(x, Var) and isinstance(x.type, Scalar) and not x.type.weak:
            return self.assign("alias", (x,), Scalar(x.type.dtype, True), dim=x.dim)
        return x

    def strong(self, x: Value) -> Value:
        """A number of Python's with the dtype that it has as an array."""
        if isinstance(x, Var):
            weak = isinstance(x.type, Scalar) and x.type.weak
            return self.assign("cast", (x, Const(x.type.dtype)), Scalar(x.type.dtype)) if weak else x
        known = self.type_of(x)
        return x if known is None or isinstance(x, np.generic) else np.dtype(known.dtype).type(x)

    def without_axes(self, value: Value) -> Value:
        """A number in place of an array without axes that the program makes; what it is written to is known by it."""
        t = self.type_of(value)
        assert t is not None
        if isinstance(value, Var):
            value = self.assign("alias", (value,), Scalar(t.dtype))
        else:
            value = np.dtype(t.dtype).type(value)
        self.arrays_without_axes[id(value)] = value
        return value

    def view_without_axes(self, value: Var, source: Var) -> Var:
        """A number for a view without axes: nobody may write to it, nor to what it lies in while it is in use."""
        self.snapshots[value] = source
        self.views_without_axes.append(value)
        self.arrays_without_axes[id(value)] = value
        return value

    def is_without_axes(self, value: Value) -> bool:
        return id(value) in self.arrays_without_axes

    def stands_for(self, result: Var, *values: Value) -> None:
        """What a region gives, or carries, for numbers that stand for arrays without axes stands for one, too."""
        if any(map(self.is_without_axes, values)):
            self.arrays_without_axes[id(result)] = result

    def zeros_like(self, x: Var) -> Var:
        """A fresh array of zeros with the shape and dtype of `x`."""
        assert isinstance(x.type, Array)
        return self.assign(registry.named("zeros_like"), (x, Const(None)), Array(x.type.dtype, x.type.shape))

    def getitem(self, array: Var, index: Index, name: str = "") -> Var:
        """Read an element (a scalar), a view (integers and slices), or a copy (integer arrays, masks)."""

        type, view = indexed_type(self, array, index)
        return self.assign("getitem", (array, index), type, name, view_of=array if view else None)

    def store(self, array: Var, index: Index, value: Value, accumulate: bool = False) -> None:
        self.mutated.setdefault(array.root, self.origin)
        self.block.append(Store(array, index, self.atom(value), accumulate, self.origin))


def _sentence(text: str) -> str:
    """A reason or a piece of advice as a whole sentence."""
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def _is_complex(t: Type | None) -> bool:
    return t is not None and np.dtype(t.dtype).kind == "c"
