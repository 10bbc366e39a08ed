"""A rule that passes the kit agrees with differences, with its own transpose, and with NumPy, on all its
examples.

No engine takes part: rule bodies are plain NumPy functions and are called as such. The kit does what an
engine's accumulator does (un-broadcast, real part of what belongs to a real value, dtype of the operand)
and nothing more.

    python -m adc.testing.kit matmul 2        # every check of example 2 of the rule `matmul`

The pairing of an adjoint with a tangent is Re(sum(x_bar * x_dot)), without conjugation: for a real loss L
of complex x, dL = Re(sum(x_bar * dx)). It is the convention of JAX and of HIPS autograd; PyTorch's gradient
is its conjugate.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.rules import registry
from adc.rules.operation import Operation
from adc.rules.sampler import Example

STEP = 2e-4


@dataclass(frozen=True)
class Case:
    """One example of one operation, its parameters bound to values."""

    operation: Operation
    index: int
    values: dict[str, Any]
    smooth: bool = True

    @property
    def active(self) -> tuple[str, ...]:
        """The parameters that carry a derivative in this call."""
        return tuple(name for name in self.operation.wrt if is_active(self.values[name]))

    def reproduce(self) -> str:
        return f"python -m adc.testing.kit {self.operation.name} {self.index}"

    def __str__(self) -> str:
        return f"{self.operation.name}-{self.index}"


class KitError(AssertionError):
    """A rule disagrees with what it is tested against; the message ends with the command to repeat it."""


def cases(operation: Operation) -> list[Case]:
    """The examples of an operation, numbered."""
    return [
        Case(operation, k, bound(operation, example), example.smooth)
        for k, example in enumerate(operation.example_calls())
    ]


def bound(operation: Operation, example: Example) -> dict[str, Any]:
    """The parameters of an operation by name, defaults filled in.

    >>> from adc.rules.sampler import call
    >>> bound(registry.named("reshape"), call(np.ones(4), (2, 2)))["shape"]
    (2, 2)
    """
    arguments = operation.signature.bind(*example.args, **example.kwargs)
    arguments.apply_defaults()
    values: dict[str, Any] = {}
    for parameter in operation.parameters:
        values[parameter.name] = arguments.arguments[parameter.name]
    return values


def is_active(value: Any) -> bool:
    """Whether a value can carry a derivative: a float or complex number, an array of them, a sequence of
    such.
    """
    if isinstance(value, (list, tuple)):
        return any(is_active(item) for item in value)
    if isinstance(value, (bool, int, str)) or value is None:
        return False
    return bool(np.asarray(value).dtype.kind in "fc")


# --- values as trees of arrays ------------------------------------------------------------------------------


def mapped(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """`function` on every number or array of nested sequences."""
    if isinstance(value, (list, tuple)):
        items = [mapped(function, v, *(o[k] for o in others)) for k, v in enumerate(value)]
        return items if isinstance(value, list) else tuple(items)
    return function(value, *others)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def paired(x_bar: Any, x_dot: Any) -> float:
    """<x_bar, x_dot>, over all leaves that carry a derivative."""
    total = 0.0
    for a, b in zip(leaves(x_bar), leaves(x_dot), strict=True):
        if is_active(b):
            total += float(np.real(np.sum(np.asarray(a) * np.asarray(b))))
    return total


def random_like(value: Any, generator: np.random.Generator) -> Any:
    """Normal numbers with the structure, shape and kind of a value; zeros where no derivative is carried."""

    def draw(leaf: Any) -> Any:
        array = np.asarray(leaf)
        if array.dtype.kind not in "fc":
            return np.zeros(array.shape) if array.dtype.kind in "biu" else leaf
        drawn: Any = generator.normal(size=array.shape)
        if array.dtype.kind == "c":
            drawn = drawn + 1j * generator.normal(size=array.shape)
        return drawn.astype(array.dtype)[()]

    return mapped(draw, value)


def directions(case: Case, generator: np.random.Generator) -> dict[str, Any]:
    """A random tangent for every active parameter, within what the operation allows (symmetric matrices,
    ...).
    """
    allowed = case.operation.extra.get("directions", {})
    dots = {name: random_like(case.values[name], generator) for name in case.active}
    return {name: allowed[name](dot) if name in allowed else dot for name, dot in dots.items()}


def accumulated(bar: Any, like: Any) -> Any:
    """What an engine adds to the adjoint of `like`: un-broadcast, real for a real operand, in the operand's
    dtype.
    """

    def one(leaf: Any, adjoint: Any) -> Any:
        array = np.asarray(leaf)
        adjoint = np.asarray(adjoint)
        if array.dtype.kind not in "fc":
            return np.zeros(array.shape)
        if adjoint.dtype.kind == "c" and array.dtype.kind == "f":
            adjoint = adjoint.real
        extra = adjoint.ndim - array.ndim
        if extra > 0:
            adjoint = adjoint.sum(axis=tuple(range(extra)))
        stretched = tuple(
            k for k, n in enumerate(array.shape) if n == 1 and adjoint.ndim > k and adjoint.shape[k] != 1
        )
        if stretched:
            adjoint = adjoint.sum(axis=stretched, keepdims=True)
        return np.array(np.broadcast_to(adjoint, array.shape), dtype=array.dtype)

    return mapped(one, like, bar)


# --- what the rule says -------------------------------------------------------------------------------------


def primal(case: Case, values: dict[str, Any] | None = None) -> Any:
    """The operation itself, by NumPy or SciPy."""
    return called(case.operation, case.operation.function, case.values if values is None else values)


def called(operation: Operation, function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """A callable with the parameters of an operation; parameters at their default are left out.

    The public function may not know a parameter by the rule's name, so what stands first goes by position.
    """
    if "writes" in operation.extra:
        return _written(operation, function, values)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = values[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.default is parameter.empty and not keywords:
            positional.append(value)
        elif not is_default(value, parameter.default):
            keywords[parameter.name] = value
    if operation.extra.get("positional"):
        return function(*values.values())
    if isinstance(function, np.ufunc) or operation.module == "math":
        only = [p.name for p in operation.parameters if p.kind is p.KEYWORD_ONLY]
        positional += [value for name, value in keywords.items() if name not in only]
        keywords = {name: value for name, value in keywords.items() if name in only}
    return function(*positional, **keywords)


def _written(operation: Operation, function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """What a function that writes to a parameter leaves there; the caller's array stays as it was."""
    name = operation.extra["writes"]
    target = np.array(values[name])
    function(*[target if key == name else value for key, value in values.items()])
    return target


def is_default(value: Any, default: Any) -> bool:
    return value is default or (
        isinstance(value, (bool, int, float, str)) and type(value) is type(default) and value == default
    )


def pulled(case: Case, z_bar: Any, z: Any) -> dict[str, Any]:
    """The adjoints of the active parameters, as the rule gives them before accumulation."""
    operation = case.operation
    arguments, keywords = _arguments(case)
    if operation.kind == "elementwise":
        assert operation.partials is not None
        partials = operation.partials(z, *arguments, **keywords)
        factors = dict(
            zip(operation.wrt, partials if isinstance(partials, tuple) else (partials,), strict=True)
        )
        return {name: _strong(operation, z_bar, factors[name]) for name in case.active}
    if operation.kind == "linear":
        assert operation.transpose is not None
        bars = operation.transpose(z_bar, *arguments, **keywords)
    else:
        assert operation.pull is not None
        bars = operation.pull(z_bar, z, *arguments, **keywords)
    single = len(operation.wrt) == 1
    named = {operation.wrt[0]: bars} if single else dict(zip(operation.wrt, bars, strict=True))
    return {name: named[name] for name in case.active}


def _arguments(case: Case) -> tuple[list[Any], dict[str, Any]]:
    """The values as a rule body takes them: by position, and by keyword where it must be."""
    keyword_only = {p.name for p in case.operation.parameters if p.kind is p.KEYWORD_ONLY}
    positional = [value for name, value in case.values.items() if name not in keyword_only]
    return positional, {name: case.values[name] for name in case.values if name in keyword_only}


def pushed(case: Case, dots: dict[str, Any], z: Any) -> Any:
    """The tangent of the result, given tangents of the active parameters."""
    operation, values = case.operation, case.values
    arguments, keywords = _arguments(case)
    if operation.kind == "elementwise":
        assert operation.partials is not None
        partials = operation.partials(z, *arguments, **keywords)
        factors = dict(
            zip(operation.wrt, partials if isinstance(partials, tuple) else (partials,), strict=True)
        )
        total: Any = 0.0
        for name in case.active:
            total = total + _strong(operation, dots[name], factors[name])
        result = np.broadcast_to(total, np.shape(z))
        return result.real if np.isrealobj(z) else result
    zeros = {
        name: mapped(lambda v: np.zeros(np.shape(v)), values[name])
        for name in operation.wrt
        if values[name] is not None
    }
    tangents = {**zeros, **dots}
    if operation.kind == "linear":
        return called(operation, operation.function, {**values, **tangents})
    assert operation.push is not None, f"{operation.name} has a pull and no push"
    named = {f"{name}_dot": tangents.get(name) for name in operation.wrt}
    z_dot = operation.push(z, *arguments, **keywords, **named)
    return mapped(lambda leaf, dot: np.real(dot) if np.isrealobj(leaf) else dot, z, z_dot)


def _strong(operation: Operation, z_bar: Any, partial: Any) -> Any:
    """z_bar * partial, where a zero adjoint contributes zero to operations with singular partials."""
    if operation.singular:
        return np.where(
            np.asarray(z_bar) == 0.0, 0.0, z_bar * np.where(np.asarray(z_bar) == 0.0, 0.0, partial)
        )
    return z_bar * partial


def aligned(case: Case, z: Any) -> Any:
    """Columns whose sign LAPACK chooses for every matrix, with the sign that they have in the example."""
    chosen = case.operation.extra.get("up_to_sign")
    if chosen is None:
        return z
    signs = np.sign(np.sum(primal(case)[chosen] * z[chosen], axis=-2, keepdims=True))
    return tuple(part * signs if k == chosen else part for k, part in enumerate(z))


# --- checks -------------------------------------------------------------------------------------------------


def require_close(case: Case, what: str, got: Any, wanted: Any, rtol: float) -> None:
    """Raise KitError unless two values agree relative to their largest element."""
    for g, w in zip(leaves(got), leaves(wanted), strict=True):
        g, w = np.asarray(g), np.asarray(w)
        if w.dtype.kind in "OU":  # a function or a text among the arguments
            continue
        if g.shape != w.shape:
            raise KitError(f"{case}: {what}: shape {g.shape}, expected {w.shape}\n    {case.reproduce()}")
        scale = (
            max(1.0, float(np.max(np.abs(w[np.isfinite(w)]), initial=0.0))) if w.dtype.kind in "fc" else 1.0
        )
        if not np.allclose(g, w, rtol=rtol, atol=rtol * scale, equal_nan=True):
            raise KitError(f"{case}: {what}\n    got      {g}\n    expected {w}\n    {case.reproduce()}")


def differences(case: Case, dots: dict[str, Any]) -> Any:
    """dz/dh of z(x + h x_dot) by central differences of fourth order."""

    def shifted(h: float) -> Any:
        moved = {
            name: mapped(lambda v, d: v + h * d if is_active(v) else v, case.values[name], dots[name])
            for name in case.active
        }
        return aligned(case, primal(case, {**case.values, **moved}))

    near, far = (shifted(STEP), shifted(-STEP)), (shifted(2 * STEP), shifted(-2 * STEP))

    def slope(p1: Any, m1: Any, p2: Any, m2: Any) -> Any:
        p1, m1, p2, m2 = (np.asarray(v) for v in (p1, m1, p2, m2))
        if p1.dtype.kind not in "fc":
            return np.zeros(p1.shape)
        return (8.0 * (p1 - m1) - (p2 - m2)) / (12.0 * STEP)

    return mapped(slope, near[0], near[1], far[0], far[1])


def check(case: Case) -> None:
    """Every check that applies to one example."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before = copy.deepcopy(case.values)
        if case.operation.kind == "constant":
            primal(case)
            if case.operation.body is not None:
                check_value(case)
        elif case.operation.kind == "composite":
            check_value(case)
        else:
            check_derivatives(case)
            if case.operation.body is not None:
                check_value(case)
        for name, value in before.items():
            if is_active(value):
                require_close(case, f"input {name} was changed", case.values[name], value, 0.0)
        check_float32(case)


def check_value(case: Case) -> None:
    """A body that computes the operation gives the value, shape and dtype that NumPy gives."""
    assert case.operation.body is not None
    got = called(case.operation, case.operation.body, case.values)
    wanted = primal(case)
    if isinstance(wanted, (list, tuple)) and len(got) != len(wanted):
        raise KitError(f"{case}: {len(got)} results, expected {len(wanted)}\n    {case.reproduce()}")
    require_close(
        case, "value", aligned(case, sequence(got)), sequence(wanted), case.operation.extra.get("rtol", 1e-11)
    )


def sequence(value: Any) -> Any:
    """A namedtuple or list of results as a tuple."""
    return tuple(value) if isinstance(value, (list, tuple)) else value


def check_derivatives(case: Case) -> None:
    """Pull and push agree with differences and with each other; a second call gives the same."""
    generator = np.random.default_rng(case.index + 1)
    z = sequence(primal(case))
    z_bar = random_like(z, generator)
    kept = copy.deepcopy((z, z_bar))
    dots = directions(case, generator)
    if not dots:
        raise KitError(f"{case}: no parameter of {case.operation.wrt} is active in this example")
    x_bars = {name: accumulated(bar, case.values[name]) for name, bar in pulled(case, z_bar, z).items()}
    z_dot = sequence(pushed(case, dots, z))
    slope = sequence(differences(case, dots))
    rtol = case.operation.extra.get("difference_rtol", 1e-6)
    require_close(case, "push against differences", mapped(np.asarray, z_dot), slope, rtol)
    through_pull = sum(paired(x_bars[name], dots[name]) for name in case.active)
    require_close(case, "pull against differences", through_pull, paired(z_bar, slope), rtol)
    require_close(case, "adjointness of pull and push", through_pull, paired(z_bar, z_dot), 1e-9)
    require_close(case, "the result was changed", z, kept[0], 0.0)
    require_close(case, "the adjoint of the result was changed", z_bar, kept[1], 0.0)
    again = {name: accumulated(bar, case.values[name]) for name, bar in pulled(case, z_bar, z).items()}
    for name, x_bar in x_bars.items():
        require_close(case, f"second call, {name}", again[name], x_bar, 0.0)


def check_float32(case: Case) -> None:
    """With float32 arrays, values and adjoints are float32 wherever NumPy's own result is."""
    operation = case.operation
    if operation.kind == "constant" or operation.extra.get("float64_only"):
        return
    values = {
        name: mapped(_single, value) if is_active(value) else value for name, value in case.values.items()
    }
    single = Case(operation, case.index, values)
    z = sequence(primal(single))
    dtypes = [np.asarray(leaf).dtype for leaf in leaves(z)]
    if operation.formula is not None:
        got = sequence(called(operation, operation.formula, values))
        for g, dtype in zip(leaves(got), dtypes, strict=True):
            g = np.asarray(g)
            if g.dtype != dtype and g.dtype.kind in "fc" and g.ndim:
                raise KitError(
                    f"{case}: float32 gives {g.dtype}, NumPy gives {dtype}\n    {case.reproduce()}"
                )
    if operation.kind in ("composite", "elementwise") or any(
        d not in (np.float32, np.complex64) for d in dtypes
    ):
        return
    z_bar = random_like(z, np.random.default_rng(0))
    for name, bar in pulled(single, z_bar, z).items():
        for leaf, adjoint in zip(leaves(values[name]), leaves(bar), strict=True):
            if (
                np.ndim(leaf)
                and np.ndim(adjoint)
                and np.asarray(adjoint).dtype in (np.float64, np.complex128)
            ):
                raise KitError(
                    f"{case}: the adjoint of float32 {name} is {np.asarray(adjoint).dtype}"
                    f"\n    {case.reproduce()}"
                )


def _single(leaf: Any) -> Any:
    array = np.asarray(leaf)
    if array.ndim and array.dtype.kind in "fc":
        return array.astype(np.float32 if array.dtype.kind == "f" else np.complex64)
    return np.float32(leaf) if isinstance(leaf, float) else leaf


def main(arguments: list[str]) -> None:
    """Check one rule, or one example of it, and say what was checked."""
    operation = registry.named(arguments[0])
    chosen = cases(operation)
    for case in chosen if len(arguments) == 1 else [chosen[int(arguments[1])]]:
        check(case)
        print(f"{case}: ok ({', '.join(case.active) or 'no active parameter'})")


if __name__ == "__main__":
    import adc.rules  # noqa: F401  (registers every rule)

    main(sys.argv[1:])
