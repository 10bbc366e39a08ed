"""What the rulebook knows of one operation: its kind, its bodies, its test inputs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from adc.rules.sampler import Example, Sampler, as_examples
from adc.rules.wording import Wording, wording

Kind = Literal["elementwise", "linear", "general", "composite", "constant"]
Body = Callable[..., Any]
Examples = Callable[[Sampler], Sequence[Any]]


def plain_integers(value: Any) -> Any:
    """An option as rules read it: NumPy's integers, also those in tuples, as Python's.

    >>> plain_integers((np.int64(2), 3)), plain_integers("edge")
    ((2, 3), 'edge')
    """
    if isinstance(value, np.integer):
        return int(value)
    if type(value) is tuple:
        return tuple([plain_integers(v) for v in value])
    return value


def floating(*dtypes: Any) -> np.dtype[Any]:
    """The common dtype of what LAPACK is given, which makes doubles of integers.

    >>> floating(np.int64, np.bool_), floating(np.float32)
    (dtype('float64'), dtype('float32'))
    """
    common = np.result_type(*dtypes)
    return common if common.kind in "fc" else np.dtype(np.float64)


def strong(value: Any) -> Any:
    """A number of Python's as an array, which has a dtype of its own beside others; anything else as it is.

    >>> (strong(0.5) * np.float32(2.0)).dtype, strong(np.float32(2.0))
    (dtype('float64'), np.float32(2.0))
    """
    return np.asarray(value) if type(value) in _PYTHONS else value


_PYTHONS = (bool, int, float, complex)

# What each dtype is cast to where a function computes in double precision, whatever it is given.
DOUBLES = {
    np.dtype(np.float16): np.dtype(np.float64),
    np.dtype(np.float32): np.dtype(np.float64),
    np.dtype(np.complex64): np.dtype(np.complex128),
}


def in_double(value: Any) -> Any:
    """An array, or a number of NumPy's, of single precision in double; also in lists. Anything else as it is.

    >>> in_double(np.float32(0.5)).dtype, in_double(3)
    (dtype('float64'), 3)
    """
    if type(value) in (list, tuple):
        return type(value)([in_double(v) for v in value])
    dtype = DOUBLES.get(getattr(value, "dtype", None))
    return value if dtype is None else value.astype(dtype)


def given_doubles(body: Body) -> Body:
    """A body that is handed in double precision what it is given in single."""
    return lambda *args, **kwargs: body(*map(in_double, args), **{k: in_double(v) for k, v in kwargs.items()})


def _said(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """What a call says: NumPy's `np._NoValue`, the default of a parameter, says that nothing is given for it.

    >>> _said((1, None, np._NoValue), {"initial": np._NoValue, "keepdims": True})
    ((1, None), {'keepdims': True})
    """
    while args and args[-1] is np._NoValue:
        args = args[:-1]
    return args, {name: value for name, value in kwargs.items() if value is not np._NoValue}


def has_parts(value: Any, core: Any) -> bool:
    """Whether a value is several operands, for which `core` says how many axes each has, and no nested list."""
    return isinstance(value, tuple) or (isinstance(value, list) and isinstance(core, tuple))


def _deeper(value: Any, core: Any, axes: Callable[[Any], int]) -> bool:
    if has_parts(value, core):
        each = core if isinstance(core, tuple) else (core,) * len(value)
        return any(_deeper(v, c, axes) for v, c in zip(value, each, strict=False))
    return value is not None and axes(value) > core


# What makes doubles of integers before it computes. Others of SciPy compute with them as NumPy does: they wrap around.
_IN_DOUBLES = {
    *("np.poly", "np.polyfit", "np.roots"),
    *(f"np.polynomial.polynomial.poly{name}" for name in ("add", "sub", "mul", "fromroots")),
    *(f"scipy.optimize.rosen{name}" for name in ("", "_der", "_hess", "_hess_prod")),
    *("scipy.signal.fftconvolve", "scipy.signal.upfirdn"),
}

_LENGTHS = {"shape", "dims", "N", "n"}


@dataclass(eq=False)
class Operation:
    """One differentiable operation; `name` is unique and is what the IR, the tape and the tables call it."""

    name: str
    kind: Kind
    function: Callable[..., Any]  # what computes the primal, e.g. np.exp
    aliases: tuple[Callable[..., Any], ...] = ()  # other callables that mean the same operation
    methods: tuple[str, ...] = ()  # names under which ndarray offers it (its first parameter)
    parameters: tuple[inspect.Parameter, ...] = ()
    wrt: tuple[str, ...] = ()  # differentiable parameters, in the order of the adjoints
    partials: Body | None = None  # elementwise: (z, *parameters) -> one partial per wrt parameter
    transpose: Body | None = None  # linear: (z_bar, *parameters) -> adjoint(s)
    pull: Body | None = None  # general: (z_bar, z, *parameters) -> adjoint(s)
    push: Body | None = None  # general: (z, *parameters, <wrt>_dot by keyword) -> z_dot
    body: Body | None = None  # composite: (*parameters) -> z; other kinds: see `lowered`
    shape: Callable[..., Any] | None = None  # symbolic result shape; None: found by trying example shapes
    examples: Examples | None = None
    singular: bool = False  # a partial may be infinite: a zero adjoint contributes zero
    symbol: str | None = None  # infix or prefix operator as printed
    spelling: str = ""  # as printed in generated code, e.g. "np.exp"
    cost: int = 1  # to recompute: 0 free, 1 a few flops, 4 exp, 100 matrices
    notes: str = ""  # choice at singular points; printed in the coverage table
    # "elementwise": applied element by element. "array_like": any parameter may be a list.
    # "positional": the public function takes all parameters by position.
    # "stacked": acts on the last so many axes of stacks. "refuses": parameters without a derivative in
    # closed form.
    # "real_only": the rule is for real operands. "dtype": the parameters whose common dtype the result has,
    # or its dtype; after "floating" those of which integers make a double.
    # "raises": a call that is not looked into, and stays where nobody reads its result.
    # "may_be_complex": the result for real operands, as their values decide.
    # "cores": how many axes of a parameter the operation takes at once (of each element, where it is a tuple); operands
    # of more are stacks, of which SciPy takes one after the other.
    # "ranks": of operands, for which compiled code has the operation itself; the body is for all others.
    # "view": NumPy gives a view of the first operand, or of the one whose position this function of the arguments says;
    # "matrix" where that has two axes.
    # "integers": parameters that stay integers beside float32.
    # "doubles": computes in double precision, whatever it is given.
    # "arrays": parameters of which NumPy makes arrays: a plain number among them counts with a dtype of its own.
    # "least": the length of the shortest array that it takes.
    # "order": how NumPy lays out its arrays in memory, see `order`.
    # "gives_back": NumPy gives the very array that it was given where there is nothing to do (`np.real(x) is x`).
    # "copies": the parameter by which the function is told (False) to write its result to its first operand.
    # "writes": the parameter that the function changes, instead of giving a result. For the kit: "rtol",
    # "float64_only", "up_to_sign", and "directions",
    # which projects the tangents of a parameter on those that are allowed (symmetric matrices).
    extra: dict[str, Any] = field(default_factory=dict)
    # The operation with parameters that its rule leaves away, as a composite of it (`full`).
    full: Operation | None = None
    _wordings: dict[Callable[..., Any], Wording | None] = field(default_factory=dict)
    # What it is of complex operands, where that is another function, as a composite (`of_complex`).
    of_complex: Operation | None = None

    def form(self, count: int, keywords: Iterable[str]) -> Operation:
        """The operation, or its full form where a call with such arguments needs it."""
        if self.full is None:
            return self
        own = [p.name for p in self.parameters]
        other = [p.name for p in self.full.parameters]
        shared = next(
            (k for k, pair in enumerate(zip(own, other, strict=False)) if len(set(pair)) == 2), len(own)
        )
        return self.full if count > shared or any(k not in own for k in keywords) else self

    def takes_stack(self, values: Sequence[Any], axes: Callable[[Any], int]) -> bool:
        """Whether one of these values, one for each parameter, has more axes than the operation takes at once."""
        cores = self.extra.get("cores", {})
        return any(
            _deeper(value, cores[name], axes)
            for name, value in zip(self.names, values, strict=True)
            if name in cores
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)

    @functools.cached_property
    def asked(self) -> tuple[str, ...]:
        """The parameters of a constant that are arrays, of which something is asked; others are lengths and options."""
        if self.kind != "constant":
            return ()
        required = [p.name for p in self.parameters if p.default is inspect.Parameter.empty]
        return tuple(name for name in required if name not in _LENGTHS)

    def ruled(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The arguments of a call of `function`, which is the operation's or an alias, as the rule has them."""
        args, kwargs = _said(args, kwargs)
        found = self._wording(function)
        if found is None or (not kwargs and len(args) <= found.agreed):
            return args, kwargs
        return found.ruled(args, kwargs)

    def _wording(self, function: Callable[..., Any]) -> Wording | None:
        """A ufunc has the parameters of its rule, and those that all have."""
        if isinstance(function, np.ufunc):
            return None
        if function not in self._wordings:
            known = frozenset(self.names if self.full is None else self.names + self.full.names)
            self._wordings[function] = wording(function, self.parameters, known)
        return self._wordings[function]

    def agreed(self) -> int:
        """How many arguments may be given by position and mean the same to the function and to the rule."""
        found = self._wording(self.function)
        return len(self.parameters) if found is None else found.agreed

    def viewed(
        self, args: Sequence[Any], axes: Callable[[Any], int] = lambda x: getattr(x, "ndim", 0)
    ) -> Any:
        """Of a call with these arguments, the one whose memory NumPy's result may share where the body makes a copy."""
        said = self.extra.get("view")
        if said == "matrix":
            said = axes(args[0]) == 2
        position = said(args) if callable(said) else 0 if said else None
        return args[position] if position is not None and position < len(args) else None

    @property
    def in_doubles(self) -> bool:
        """Whether the function makes doubles of integers before it computes, so that short ones do not wrap around."""
        return self.doubles or self.spelling in _IN_DOUBLES

    @property
    def doubles(self) -> bool:
        """Whether the function computes in double precision, also of operands in single."""
        return bool(self.extra.get("doubles"))

    @functools.cached_property
    def formula(self) -> Body | None:
        """The body as it is called on plain arrays."""
        return given_doubles(self.body) if self.doubles and self.body is not None else self.body

    @property
    def order(self) -> str:
        """How new arrays of two or more axes lie: "C" row by row, "K" so where the operands do, "A" nobody says how.

        What LAPACK makes lies column by column.
        """
        return self.extra.get("order") or ("A" if self.module.startswith("scipy.linalg") else "K")

    @property
    def module(self) -> str:
        """The module that the function says it is of; "" where it says nothing, as ufuncs of SciPy do."""
        return getattr(self.function, "__module__", None) or ""

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        return inspect.Signature(list(self.parameters))

    @functools.cached_property
    def all_by_position(self) -> bool:
        """Whether every parameter may be given by position, one argument for each."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return all(p.kind in kinds for p in self.parameters)

    @functools.cached_property
    def sequences(self) -> dict[str, bool]:
        """The parameters that take a sequence of arrays, as the examples show.

        True for those that take sequences of sequences: the rows of np.block, the constants of np.pad.
        """
        found: dict[str, bool] = {}
        for example in self.example_calls() if self.examples else []:
            given = self.signature.bind(*example.args, **example.kwargs).arguments
            for name, value in given.items():
                if isinstance(value, (list, tuple)):
                    inner = any(isinstance(v, (list, tuple)) for v in value)
                    found[name] = found.get(name, False) or inner
        return found

    def __repr__(self) -> str:
        return f"<{self.kind} operation {self.name}>"

    def example_calls(self, seed: int = 0) -> list[Example]:
        """The test inputs of this operation, as (args, kwargs) pairs; the same for the same seed."""
        assert self.examples is not None, f"{self.name} was registered without examples"
        return as_examples(self.examples(Sampler(seed)))
