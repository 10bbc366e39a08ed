"""`check_grads`: derivatives of a function against the function and against each other, along random directions.

Reverse mode and forward mode are each compared with central differences, and with each other: `<bar, J v>`
and `<J.T bar, v>` are one number to rounding (the adjoint, or dot-product, test). Orders above the first take
the derivatives themselves as the function.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adc import pytree
from adc.api import Derivative, value_and_grad
from adc.api.arguments import refuse_foreign_among
from adc.api.derived import Chain, Derived, Step
from adc.api.differences import STEPS, Claim, agreed, direction_of, paired, precision, slope
from adc.api.functions import location, written_out
from adc.api.how import how
from adc.api.parameters import Layout, Parameters
from adc.config import Mode
from adc.errors import ArgumentError, DerivativeError, GradientMismatch

__all__ = ["GradientMismatch", "check_grads"]

ADJOINT_TOLERANCE = {"d": 1e-9, "f": 1e-3}  # of two computations of one number, in units of what was added up
ROUNDING = 1e-3  # of the value: what is smaller than the tolerance of this part of it may be rounding
COMPLEX_STEP = 1e-30
_MODE_NAMES = {"fwd": "forward", "rev": "reverse"}


def check_grads(
    function: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[Step] = ("fwd", "rev"),
    argnums: Any = None,
    *,
    directions: int = 3,
    rtol: float | None = None,
    atol: float | None = None,
    mode: Mode | None = None,
    seed: int = 0,
) -> None:
    """Compare the derivatives of `function` at `args` with the function itself, and with each other.

    Args:
        function: a function of a number, an array or a container of them, or a derivative made by `grad` or
            `value_and_grad`, whose function is then checked.
        order: up to which order of derivatives. Order 2 checks the derivatives of those of order 1, in all combinations
            of `modes`; each combination compiles a program.
        modes: "fwd" checks `jvp`, "rev" checks `grad` or, where the result is not one number, `vjp`. With both, the
            adjoint test compares them to rounding.
        argnums: as for `grad`; by default every argument that holds floats only.
        directions: how many random directions of each argument are compared with central differences. Where differences
            are too coarse to decide and the function takes complex numbers, the complex step decides.
        rtol: by default 1e-5 for float64 and 2e-2 for float32.
        atol: by default as much, in units of the value.
        mode: as for `grad`.

    Returns nothing. Raises `GradientMismatch` (an AssertionError) that says which argument, and which element of it,
    disagrees; and what `grad` and `jvp` raise. Near a kink of the function differences mean little, and the check may
    fail.

    >>> check_grads(lambda x: np.sum(np.sin(x)), (np.arange(3.0),), order=1)
    """
    if not isinstance(order, int) or order < 1:
        raise ArgumentError(f"order={order!r} is not a positive integer")
    if not isinstance(directions, int) or directions < 1:
        raise ArgumentError(f"directions={directions!r} is not a positive integer")
    if not isinstance(args, (tuple, list)):
        raise ArgumentError(
            "check_grads takes a tuple of arguments", repair="For one argument: check_grads(f, (x,))."
        )
    if not modes or not set(modes) <= {"fwd", "rev"}:
        raise ArgumentError(f"modes={modes!r} is not a selection of 'fwd' and 'rev'")
    primal = function.__adc_primal__ if isinstance(function, Derivative) else function
    primal = _written_out(primal)
    parameters = Parameters(primal)
    layout, values = parameters.bind(tuple(args), {})
    if argnums is None:
        argnums = tuple(k for k in range(layout.positional) if _all_floats(values[k]))
        if not argnums:
            raise ArgumentError(
                "none of the arguments holds floats",
                location(primal),
                repair="Pass floats, or say argnums=...",
            )
    chosen = tuple(argnums) if isinstance(argnums, (tuple, list)) else (argnums,)
    slots = parameters.wanted(chosen, layout, f"{getattr(primal, '__name__', 'the function')}()")
    try:
        refuse_foreign_among(layout.names, values, [k in slots for k in range(len(values))])
    except ArgumentError as error:
        error.at(location(primal))
        raise
    values = tuple(pytree.map_structure(_as_number, v) if k in slots else v for k, v in enumerate(values))
    settings = _Settings(tuple(dict.fromkeys(modes)), directions, rtol, atol, mode)
    check = _Check(primal, chosen, layout, values, slots, settings, np.random.default_rng(seed))
    try:
        check.run((), (), order)
    except (GradientMismatch, DerivativeError) as error:
        error.at(location(primal))
        raise


def _written_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a library, or a partial application of one, with the parameters that its rule takes."""
    if isinstance(function, functools.partial):
        return functools.partial(_written_out(function.func), *function.args, **function.keywords)
    return written_out(function) or function


@dataclass(frozen=True)
class _Settings:
    modes: tuple[Step, ...]
    directions: int
    rtol: float | None
    atol: float | None
    mode: Mode | None


@dataclass(frozen=True)
class _Leaf:
    """A differentiated leaf: how it is called, where it stands, and its value."""

    name: str
    slot: int
    position: int
    value: NDArray[Any]


@dataclass(frozen=True)
class _Check:
    primal: Callable[..., Any]
    chosen: tuple[int | str, ...]
    layout: Layout
    values: tuple[Any, ...]
    slots: tuple[int, ...]
    settings: _Settings
    random: np.random.Generator
    programs: dict[Chain, Derived] = field(default_factory=dict)

    def run(self, chain: Chain, given: tuple[Any, ...], order: int) -> None:
        """Check the derivatives of the derivative `chain` along `given`, up to `order` more."""
        base = self.evaluated(chain, given, self.values)
        bars = self._bars(base)
        pulled = None
        if "rev" in self.settings.modes:
            pulled = self._reverse(chain, given, base, bars)
        if "fwd" in self.settings.modes:
            self._forward(chain, given, base, bars, pulled)
        if order > 1:
            for step in self.settings.modes:
                direction = self._dots(None, None) if step == "fwd" else bars
                self.run((*chain, step), (*given, direction), order - 1)

    # --- the function, its derivatives ----------------------------------------------------------------------

    def evaluated(self, chain: Chain, given: tuple[Any, ...], values: Sequence[Any]) -> Any:
        """The function, or its derivative, at these arguments. Each evaluation gets arrays of its own."""
        if chain:
            return self._program(chain)(*_copied(values), *given)
        args, kwargs = self._program(()).call_of(_copied(values))
        with np.errstate(all="ignore"):
            return self.primal(*args, **kwargs)

    def _program(self, chain: Chain) -> Derived:
        if chain not in self.programs:
            self.programs[chain] = Derived(
                self.primal, self.layout, self.slots, chain, how(self.settings.mode)
            )
        return self.programs[chain]

    def _leaves(self) -> list[_Leaf]:
        return [
            _Leaf(self.layout.names[slot] + path, slot, position, np.array(x))
            for slot in self.slots
            for position, (path, x) in enumerate(
                pytree.flatten_with_paths(self.values[slot], settings=True)[0]
            )
            if np.size(x)
        ]

    def _dots(self, leaf: _Leaf | None, direction: NDArray[Any] | None) -> tuple[Any, ...]:
        """A tangent of the chosen arguments: `direction` at one leaf, or random at all."""
        trees = []
        for slot in self.slots:
            leaves, structure = pytree.flatten(self.values[slot], settings=True)
            parts = []
            for position, x in enumerate(leaves):
                mine = leaf is not None and (slot, position) == (leaf.slot, leaf.position)
                v: Any = direction_of(self.random, x) if leaf is None else np.zeros(np.shape(x))
                parts.append(_like(direction if mine else v, x))
            trees.append(pytree.unflatten(structure, parts))
        return tuple(trees)

    def _bars(self, base: Any) -> Any:
        leaves, structure = pytree.flatten(base)
        floats = [x for x in leaves if _is_float(x)]
        if not floats:
            raise DerivativeError(
                f"a function that returns {type(base).__name__} has no derivative", repair="Return floats."
            )
        if len(leaves) == 1 and np.ndim(leaves[0]) == 0 and not np.iscomplexobj(leaves[0]):
            return pytree.unflatten(structure, [_like(np.ones(()), leaves[0])])
        return pytree.unflatten(
            structure,
            [_like(direction_of(self.random, x), x) if _is_float(x) else 0.0 for x in leaves],
        )

    # --- one mode -------------------------------------------------------------------------------------------

    def _reverse(self, chain: Chain, given: tuple[Any, ...], base: Any, bars: Any) -> dict[str, Any]:
        name = self._name((*chain, "rev"), base)
        if name == "the gradient":
            value, gradients = value_and_grad(self.primal, self.chosen, mode=self.settings.mode)(
                *self._call()[0], **self._call()[1]
            )
            self._compare_values(value, base)
        else:
            gradients = self._program((*chain, "rev"))(*_copied(self.values), *given, bars)
        found = {}
        parts = {
            slot: pytree.flatten(g, settings=True)[0] for slot, g in zip(self.slots, gradients, strict=True)
        }
        for leaf in self._leaves():
            gradient = np.asarray(parts[leaf.slot][leaf.position])
            if gradient.shape != leaf.value.shape or gradient.dtype != leaf.value.dtype:
                raise GradientMismatch(
                    f"{name} with respect to `{leaf.name}` has the shape {gradient.shape} and dtype "
                    f"{gradient.dtype}, the argument {leaf.value.shape} and {leaf.value.dtype}"
                )
            found[leaf.name] = gradient

            def claim(v: NDArray[Any], gradient: NDArray[Any] = gradient) -> float:
                return paired(gradient, v)

            for _ in range(self.settings.directions):
                v = direction_of(self.random, leaf.value)
                self._compare(name, leaf, v, claim, self._along(chain, given, leaf, bars), base, bars)
        return found

    def _forward(
        self, chain: Chain, given: tuple[Any, ...], base: Any, bars: Any, pulled: dict[str, Any] | None
    ) -> None:
        name = self._name((*chain, "fwd"), base)
        program = self._program((*chain, "fwd"))
        for leaf in self._leaves():

            def claim(v: NDArray[Any], leaf: _Leaf = leaf) -> float:
                dot = program(*_copied(self.values), *given, self._dots(leaf, v))
                return float(_product(bars, dot))

            for _ in range(self.settings.directions):
                v = direction_of(self.random, leaf.value)
                pushed = claim(v)
                if pulled is not None:
                    self._compare_modes(leaf, v, pushed, pulled[leaf.name], name, base)
                self._compare(name, leaf, v, claim, self._along(chain, given, leaf, bars), base, bars)

    def _name(self, chain: Chain, base: Any) -> str:
        leaves = pytree.leaves(base)
        number = len(leaves) == 1 and leaves[0] is base and np.ndim(base) == 0 and not np.iscomplexobj(base)
        if chain == ("rev",) and number:
            return "the gradient"
        return f"the derivative by {' over '.join(_MODE_NAMES[step] for step in reversed(chain))} mode"

    def _call(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self._program(()).call_of(_copied(self.values))

    # --- comparing ------------------------------------------------------------------------------------------

    def _along(
        self, chain: Chain, given: tuple[Any, ...], leaf: _Leaf, bars: Any
    ) -> Callable[[NDArray[Any]], Any]:
        def along(moved: NDArray[Any]) -> Any:
            changed = list(_copied(self.values))
            leaves, structure = pytree.flatten(changed[leaf.slot], settings=True)
            leaves[leaf.position] = (
                moved
                if isinstance(leaves[leaf.position], np.ndarray)
                else type(leaves[leaf.position])(moved[()])
                if moved.dtype.kind == "f"
                else moved[()]
            )
            changed[leaf.slot] = pytree.unflatten(structure, leaves)
            return _product(bars, self.evaluated(chain, given, changed))

        return along

    def _compare_values(self, value: Any, expected: Any) -> None:
        single = any(
            np.asarray(x).dtype == np.float32
            for x in pytree.leaves(self.values)
            if isinstance(x, (np.ndarray, np.floating))
        )
        if not np.allclose(value, expected, rtol=1e-6 if single else 1e-10, atol=0, equal_nan=True):
            raise GradientMismatch(
                f"the derivative computes the value {value!r}, the function {expected!r}",
                why="The gradient is that of another function.",
                repair="Please report it.",
            )

    def _compare_modes(
        self, leaf: _Leaf, v: NDArray[Any], pushed: float, gradient: NDArray[Any], name: str, base: Any
    ) -> None:
        """The adjoint test: both modes compute one number, which may be a zero that rounding has left."""
        pulled = paired(gradient, v)
        value = sum(float(np.sum(np.abs(x))) for x in pytree.leaves(base) if _is_float(x))
        size = max(float(np.sum(np.abs(gradient * v))), abs(pushed), ROUNDING * value)
        if not abs(pushed - pulled) <= ADJOINT_TOLERANCE[precision(leaf.value)] * size and not (
            np.isnan(pushed) and np.isnan(pulled)
        ):
            raise GradientMismatch(
                f"{name} with respect to `{leaf.name}` disagrees with reverse mode: <bar, J v> is {pushed:.17g}, "
                f"and <J.T bar, v> is {pulled:.17g}",
                repair="Please report it; a custom rule may have a push and a pull that do not fit.",
            )

    def _compare(
        self,
        name: str,
        leaf: _Leaf,
        v: NDArray[Any],
        claim: Callable[[NDArray[Any]], float],
        along: Callable[[NDArray[Any]], Any],
        base: Any,
        bars: Any,
    ) -> None:
        size = sum(float(np.sum(np.abs(x))) for x in pytree.leaves(base) if _is_float(x))
        made = Claim(leaf.value, v, claim(v), size, self.settings.rtol, self.settings.atol)
        difference = agreed(made, along)
        if difference is None or _complex_step_agrees(made, along, difference):
            return
        raise GradientMismatch(
            f"{name} with respect to `{leaf.name}` disagrees with differences of the function: along a random "
            f"direction it says {made.slope:.10g}, and differences say {difference:.10g}",
            why=_worst(made, leaf, claim, along),
            repair="Unless the function has a kink there, please report it.",
        )


def _complex_step_agrees(claim: Claim, along: Callable[[NDArray[Any]], Any], difference: float) -> bool:
    """Whether the complex step, where the function takes complex numbers, confirms a claim to rounding.

    Only a witness for what differences are too coarse to tell: `abs` of a complex number has no imaginary part.
    """
    if np.iscomplexobj(claim.at):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an imaginary part was discarded
            found = along(claim.at + 1j * COMPLEX_STEP * claim.direction)
    except Exception:  # whatever the user's function says of complex numbers: it does not take them
        return False
    said = float(np.imag(found)) / COMPLEX_STEP
    near = abs(said - difference) <= 1e-2 * max(abs(said), abs(difference))
    return near and abs(said - claim.slope) <= 1e-9 * max(abs(said), abs(claim.slope))


def _worst(
    claim: Claim, leaf: _Leaf, claimed: Callable[[NDArray[Any]], float], along: Callable[[NDArray[Any]], Any]
) -> str:
    """The element that disagrees most, among a hundred at most."""
    worst, worst_error = "", -1.0
    indices = list(np.ndindex(leaf.value.shape))
    units = (1.0, 1.0j) if np.iscomplexobj(leaf.value) else (1.0,)
    for index, one in itertools.product(indices[:: max(1, len(indices) // 100)], units):
        unit = np.zeros(leaf.value.shape, type(one))
        unit[index] = one
        wanted = slope(leaf.value, unit, along, STEPS[claim.kind][0])
        says = claimed(unit)
        error = abs(says - wanted)
        if not error <= worst_error:
            place = f"{leaf.name}[{', '.join(map(str, index))}]" if index else leaf.name
            worst_error = error
            worst = f"Worst at `{place}`: the derivative says {says:.10g}, differences {wanted:.10g}."
    return worst


# --- values -------------------------------------------------------------------------------------------------


def _product(bars: Any, y: Any) -> Any:
    """The sum of all products of two containers; of complex results, which have complex adjoints, its real part."""
    total = 0.0
    for bar, x in zip(pytree.leaves(bars), pytree.leaves(y), strict=True):
        if _is_float(x):
            total = total + (paired(bar, x) if np.iscomplexobj(bar) else np.sum(np.asarray(bar) * x))
    return total if np.iscomplexobj(total) else float(total)


def _is_float(x: Any) -> bool:
    return isinstance(x, (float, complex, np.ndarray, np.inexact)) and np.asarray(x).dtype.kind in "fc"


def _all_floats(value: Any) -> bool:
    leaves = pytree.leaves(value)
    return bool(leaves) and all(map(_is_float, leaves))


def _as_number(x: Any) -> Any:
    """An integer that is differentiated moves between the integers."""
    return float(x) if isinstance(x, int) and not isinstance(x, bool) else x


def _like(v: Any, x: Any) -> Any:
    """A direction with the type of what it moves."""
    if isinstance(x, np.ndarray):
        return np.asarray(v, x.dtype)
    return x.dtype.type(v) if isinstance(x, np.inexact) else type(x)(v)


def _copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """The function may write to its arguments: each evaluation gets its own."""
    return tuple(
        pytree.map_structure(lambda x: x.copy() if isinstance(x, np.ndarray) else x, v) for v in values
    )
