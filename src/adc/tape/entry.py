"""What the tape knows of an operation: how its arguments bind, and one pull per set of active operands.

Built from the rule table on first use, so that a new rule works on the tape without a line here.
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.fitting import refuse_unfit
from adc.rules.operation import Operation
from adc.tape.node import here
from adc.tape.quick import quickened
from adc.tape.slicing import Need, slice_adjoints, slice_partials

# For each differentiable operand True, False, or, where the operand is a sequence of arrays, a tuple of them.
Pattern = tuple[Any, ...]


class Form:
    """Stands in for an array of which the pull reads only shape, ndim, dtype or size."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Pull:
    """The reverse of an operation for one pattern of active operands."""

    __slots__ = (
        "active",
        "body",
        "entry",
        "keeps",
        "keeps_left",
        "keeps_right",
        "keeps_z",
        "name",
        "nothing",
        "operands",
        "pack",
        "pythons",
        "retains",
        "reverse",
        "traced",
        "twin",
        "whole",
    )

    def __init__(
        self,
        name: str,
        reverse: Callable[..., tuple[Any, ...]],  # (z_bar, z, kept) -> one adjoint per edge
        keeps: tuple[Need, ...],
        keeps_z: bool,
        operands: tuple[bool, ...],
        active: Pattern = (),
        entry: Entry | None = None,
        body: Callable[..., tuple[Any, ...]] | None = None,  # what `reverse` is a quick version of
        retains: bool
        | None = None,  # whether a second backward needs retain_graph, if `keeps` does not say it
    ) -> None:
        self.name = name
        self.body = body or reverse
        self.reverse = reverse
        self.keeps = keeps
        self.keeps_z = keeps_z
        self.operands = operands
        self.active = active
        self.entry = entry
        self.traced: Callable[..., tuple[Any, ...]] | None = None  # `reverse` as it runs on Tensors
        self.pack = _packer(keeps)
        # What a node keeps if it keeps nothing: one tuple for all of them.
        self.nothing = (None,) * len(keeps) if set(keeps) == {Need.NOTHING} else None
        # For the operators: nothing is kept in part, so what is kept needs no `pack`.
        self.whole = Need.FORM not in keeps
        self.keeps_left, self.keeps_right = ([need is Need.VALUE for need in keeps] + [False, False])[:2]
        self.retains = keeps_z or Need.VALUE in keeps if retains is None else retains
        self.pythons = False  # whether the result is a number of Python's, which leaves float32 what it is
        self.twin: Pull | None = None

    def of_pythons(self) -> Pull:
        """The same pull, where the result is a number of Python's in the function as NumPy runs it."""
        if self.pythons:
            return self
        if self.twin is None:
            twin = copy.copy(self)
            twin.pythons, twin.twin = True, self
            self.twin = twin
        return self.twin

    def of_numpys(self) -> Pull:
        """The same pull, where the result is NumPy's."""
        return self.twin if self.pythons and self.twin is not None else self


def _packer(keeps: tuple[Need, ...]) -> Callable[..., tuple[Any, ...]]:
    """What a node keeps of the operation's arguments (arrays, not Tensors), one argument per parameter."""
    known = _PACKERS.get(keeps)
    if known is not None:
        return known

    # A text, because it runs once per recorded operation: no loop, nothing for what is not kept.
    names = [f"x{k}" for k in range(len(keeps))]
    parts = {Need.NOTHING: "None", Need.FORM: "form({})", Need.VALUE: "{}"}
    kept = "".join(parts[need].format(name) + ", " for name, need in zip(names, keeps, strict=True))
    pack: Callable[..., tuple[Any, ...]] = eval(f"lambda {', '.join(names)}: ({kept})", {"form": form})
    _PACKERS[keeps] = pack
    return pack


_NO, _YES = Need.NOTHING, Need.VALUE
_PACKERS: dict[tuple[Need, ...], Callable[..., tuple[Any, ...]]] = {
    (_NO,): lambda x: (None,),
    (_YES,): lambda x: (x,),
    (_NO, _NO): lambda x, y: (None, None),
    (_YES, _NO): lambda x, y: (x, None),
    (_NO, _YES): lambda x, y: (None, y),
    (_YES, _YES): lambda x, y: (x, y),
}


def form(value: Any) -> Any:
    """What stands in for an argument of which the pull reads no values."""
    if value.__class__ is np.ndarray:
        made = Form.__new__(Form)
        made.shape = value.shape
        made.dtype = value.dtype
        return made
    if isinstance(value, np.ndarray):
        return Form(value.shape, value.dtype)
    if isinstance(value, list | tuple):
        return [form(v) for v in value]
    return value


class Entry:
    """An operation of the rule table, as the tape uses it."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.kind = operation.kind
        self.function = operation.function
        self.name = f"{_TORCH_NAMES.get(operation.name) or _camel(operation.name)}Backward"
        self.names = tuple(p.name for p in operation.parameters)
        self.positions = {name: k for k, name in enumerate(self.names)}
        self.wrt = tuple(self.positions[name] for name in operation.wrt)
        self.fixed = tuple(k for k in range(len(self.names)) if k not in self.wrt)
        # The parameter that the function changes, if it is one that does: np.copyto(dst, src).
        self.writes = self.positions.get(operation.extra.get("writes", ""))
        # By these SciPy is told that it may compute in the memory of an operand, which may be kept.
        self.overwriting = tuple(k for k, name in enumerate(self.names) if name.startswith("overwrite_"))
        self.gives_back = bool(operation.extra.get("gives_back"))
        self.copies = self.positions.get(operation.extra.get("copies", ""))
        # Of these parameters NumPy makes arrays, also where they are plain numbers.
        self.arrays = frozenset(self.positions[name] for name in operation.extra.get("arrays", "").split())
        self.real_only = bool(operation.extra.get("real_only"))
        self.of_one = "cores" in operation.extra  # stacks are taken apart: adc.tape.stacks
        self.pulls: dict[Pattern, Pull] = {}
        self.has_full = operation.full is not None
        self.of_complex = None if operation.of_complex is None else Entry(operation.of_complex)
        self._forms: dict[Any, Entry] = {}
        self.defaults = tuple(() if p.kind is p.VAR_POSITIONAL else p.default for p in operation.parameters)
        self.positional = sum(
            p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in operation.parameters
        )
        self.agreed = operation.agreed()
        self.least = sum(d is inspect.Parameter.empty for d in self.defaults)
        self.star = next((k for k, p in enumerate(operation.parameters) if p.kind is p.VAR_POSITIONAL), None)
        self.most = len(self.names) if self.star is None else None  # positional arguments
        self.traced_body: Callable[..., Any] | None = None  # a composite's body as it runs on Tensors
        self.asked: dict[Any, Any] = {}  # adc.tape.asked: what its function answered, by the kind of call
        self.recipes: Any = None  # adc.tape.recipes.Recipes: how a composite is recorded as one node
        # Filled on first use; the operators read them without a look-up.
        self.both: Pull | None = None
        self.left: Pull | None = None
        self.right: Pull | None = None

    def form(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        """The entry of what is called: of the full form where there are parameters that the rule has not."""
        key = (len(args), *kwargs)
        known = self._forms.get(key)
        if known is None:
            known = self._forms[key] = entry_of(self.operation.form(len(args), kwargs))
        if known is not self:
            out = known.positions.get("out", len(args))
            if kwargs.get("out") is not None or (out < len(args) and args[out] is not None):
                raise self._refused("`out`")
        return known

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """One value per parameter, as `inspect.signature(...).bind` would, in a tenth of the time.

        Raises `UnsupportedError` for a parameter that the rule does not have, unless it is given as None, and TypeError
        for one that the function does not have.
        """
        if not kwargs and self.least <= len(args) <= self.positional and self.star is None:
            return args + self.defaults[len(args) :]
        bound = list(self.defaults)
        if len(args) > self.positional and self.star is None:
            if any(a is not None for a in args[self.positional :]):
                refuse_unfit(self.function, len(args), kwargs)
                raise self._refused(f"{len(args)} positional arguments")
            args = args[: self.positional]
        bound[: min(len(args), self.positional)] = args[: self.positional]
        if self.star is not None:
            bound[self.star] = tuple(args[self.positional :])
        for name, value in kwargs.items():
            position = self.positions.get(name)
            if position is not None:
                if position < min(len(args), self.positional):
                    raise TypeError(f"{self.operation.spelling}() got multiple values for argument '{name}'")
                bound[position] = value
            elif value is not None and value is not np._NoValue:
                refuse_unfit(self.function, len(args), kwargs)
                raise self._refused(f"the parameter `{name}`")
        for name, value in zip(self.names, bound, strict=True):
            if value is inspect.Parameter.empty:
                raise TypeError(f"{self.operation.spelling}() missing the argument '{name}'")
        return tuple(bound)

    @functools.cached_property
    def sequence(self) -> int | None:
        """The position of the operand that is a sequence of arrays (`np.stack(arrays)`)."""
        for example in self.operation.example_calls()[:1]:
            values = self.bind(example.args, example.kwargs)
            return next((k for k in self.wrt if isinstance(values[k], list | tuple)), None)
        return None

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"adc has no derivative of {self.operation.spelling} with {what}",
            here(),
            f"Its rule knows ({', '.join(self.names)}).",
            "Write the operation without it.",
        )

    def pull(self, pattern: Pattern) -> Pull:
        """The pull for a pattern of active operands, made on first use."""
        known = self.pulls.get(pattern)
        if known is None:
            known = self.pulls[pattern] = self._make_pull(pattern)
        return known

    def _make_pull(self, pattern: Pattern) -> Pull:
        operation = self.operation
        wanted = tuple(k for k, p in enumerate(pattern) if _any(p))
        arity = len(operation.wrt)
        if operation.kind == "elementwise":
            assert operation.partials is not None
            cut = slice_partials(
                operation.partials, wanted, arity, strong_scale if operation.singular else None
            )
        elif operation.kind == "linear":
            assert operation.transpose is not None
            cut = slice_adjoints(operation.transpose, wanted, arity, reads_z=False)
        else:
            assert operation.kind == "general" and operation.pull is not None, operation
            cut = slice_adjoints(operation.pull, wanted, arity, reads_z=True)
        keeps = tuple(cut.needs.values())
        assert len(keeps) == len(self.names), operation
        # An axis that the pull reads is no kept value: optional parameters are static.
        kept = [k for k, d in enumerate(self.defaults) if d is inspect.Parameter.empty or d == ()]
        return Pull(
            self.name,
            _flattened(quickened(cut.function), pattern, wanted),
            keeps,
            cut.reads_z,
            tuple(_flags(pattern)),
            pattern,
            self,
            _flattened(cut.function, pattern, wanted),
            cut.reads_z or any(keeps[k] is Need.VALUE for k in {*kept, *self.wrt}),
        )


def _any(pattern: Any) -> bool:
    return any(map(_any, pattern)) if isinstance(pattern, tuple) else pattern


def _flags(pattern: Any) -> list[bool]:
    return [flag for p in pattern for flag in _flags(p)] if isinstance(pattern, tuple) else [pattern]


def _flattened(
    function: Callable[..., Any], pattern: Pattern, wanted: tuple[int, ...]
) -> Callable[..., tuple[Any, ...]]:
    """A slice's function with the adjoints of sequence operands put in line, active ones only."""
    chosen = [pattern[k] for k in wanted]
    if not any(isinstance(p, tuple) for p in chosen):
        return function

    def reverse(z_bar: Any, z: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        adjoints: list[Any] = []
        for p, adjoint in zip(chosen, function(z_bar, z, values), strict=True):
            _put_in_line(p, adjoint, adjoints)
        return tuple(adjoints)

    return reverse


def _put_in_line(pattern: Any, adjoint: Any, out: list[Any]) -> None:
    if isinstance(pattern, tuple):
        for p, a in zip(pattern, adjoint, strict=True):
            _put_in_line(p, a, out)
    elif pattern:
        out.append(adjoint)


def strong_scale(z_bar: Any, partial: Any) -> Any:
    """z_bar * partial where a zero z_bar contributes zero, even if the partial is infinite or NaN.

    >>> with np.errstate(invalid="ignore"):
    ...     strong_scale(np.array([0.0, 1.0]), np.array([np.inf, 2.0]))
    array([0., 2.])
    """
    product = z_bar * partial
    if product.__class__ is np.ndarray:
        flat = product if product.ndim == 1 else product.ravel()
        square = flat.dot(flat)  # NaN if any element is: half the time of isnan(...).any() on small arrays
        if square == square:
            return product
    elif product.__class__ is np.float64 and product == product:  # the cheap test first
        return product
    elif hasattr(product, "primal"):  # of Tensors
        if np.isfinite(product.primal).all():
            return product
        from adc.tape.scales import scaled  # builds Tensors

        return scaled(z_bar, partial)
    elif not np.isnan(product).any():
        return product
    return z_bar * np.where((z_bar == 0) & ~np.isfinite(partial), 0.0, partial)


_entries: dict[Operation, Entry] = {}


def any_complex(values: Iterable[Any]) -> bool:
    return any(isinstance(v, np.ndarray | np.generic | complex) and np.iscomplexobj(v) for v in values)


def entry_of(operation: Operation) -> Entry:
    """The tape's view of an operation."""
    known = _entries.get(operation)
    if known is None:
        known = _entries[operation] = Entry(operation)
    return known


def find(function: Any) -> Entry | None:
    """The entry of the operation that a callable means, or None."""
    operation = registry.find(function)
    return None if operation is None else entry_of(operation)


def find_method(name: str) -> Entry | None:
    """The entry of the operation that `array.name` means, or None."""
    operation = registry.find_method(name)
    return None if operation is None else entry_of(operation)


def _camel(name: str) -> str:
    """The name of an operation as a class name.

    >>> _camel("broadcast_to"), _camel("linalg.solve")
    ('BroadcastTo', 'LinalgSolve')
    """
    return "".join(part[:1].upper() + part[1:] for part in name.replace(".", "_").split("_"))


_TORCH_NAMES = {
    "multiply": "Mul",
    "divide": "Div",
    "subtract": "Sub",
    "power": "Pow",
    "negative": "Neg",
    "absolute": "Abs",
    "matmul": "Mm",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "arctan2": "Atan2",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "copy": "Clone",
    "concatenate": "Cat",
    "expand_dims": "Unsqueeze",
    "broadcast_to": "Expand",
    "reshape": "View",
    "ravel": "View",
    "transpose": "Permute",
    "square": "Pow",
}
