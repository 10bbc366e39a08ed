"""`check_grads`: a function's derivative against the function, by differences along random directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adc import pytree
from adc.api import Derivative, value_and_grad
from adc.api.arguments import Parameters
from adc.config import Mode
from adc.errors import AdcError, ArgumentError

__all__ = ["GradientMismatch", "check_grads"]

# Steps of the central differences: around the cube root of the machine precision, where the errors of
# truncation and
# of rounding meet. Two of them, because a kink or a steep place may lie within one.
_STEPS = {"d": (6e-6, 1e-4), "f": (5e-3, 2e-2)}
_TOLERANCE = {"d": 1e-5, "f": 2e-2}


class GradientMismatch(AdcError, AssertionError):
    """A derivative disagrees with differences of the function; the message names argument and element."""


@dataclass(frozen=True)
class _Leaf:
    """A differentiated leaf: where it stands, its value and its gradient."""

    path: str
    value: NDArray[Any]
    gradient: NDArray[Any]


def check_grads(
    function: Callable[..., Any],
    args: Sequence[Any],
    argnums: Any = None,
    *,
    directions: int = 3,
    rtol: float | None = None,
    atol: float | None = None,
    mode: Mode | None = None,
    seed: int = 0,
) -> None:
    """Compare the value and the gradient of `function` at `args` with the function itself.

    Parameters
    ----------
    function: a function that returns one real number, or a derivative made by `grad` or `value_and_grad`,
    whose
        function is then checked.
    argnums: as for `grad`; by default every argument that holds floats only.
    directions: how many random directions of each argument are compared with central differences.
    rtol, atol: by default 1e-5 relative for float64 and 2e-2 for float32, and as much absolute in units of
    the value.

    Returns nothing. Raises `GradientMismatch` (an AssertionError) that says which argument, and which
    element of it, disagrees; and what `grad` raises. Near a kink of the function differences mean little,
    and the check may fail.

    >>> check_grads(lambda x: np.sum(np.sin(x)), (np.arange(3.0),))
    """
    primal = function.__adc_primal__ if isinstance(function, Derivative) else function
    args = tuple(args)
    parameters = Parameters(primal)
    layout, values = parameters.bind(args, {})
    if argnums is None:
        argnums = tuple(k for k in range(layout.positional) if _all_floats(values[k]))
        if not argnums:
            raise ArgumentError(
                "none of the arguments holds floats", repair="Pass floats, or say argnums=..."
            )
    chosen = argnums if isinstance(argnums, tuple) else (argnums,)
    slots = parameters.wanted(chosen, layout, f"{getattr(primal, '__name__', 'the function')}()")
    value, gradients = value_and_grad(primal, chosen, mode=mode)(*args)
    expected = primal(*_copied(args))
    if not np.allclose(value, expected, rtol=1e-6 if _is_single(values) else 1e-10, atol=0, equal_nan=True):
        raise GradientMismatch(
            f"the derivative computes the value {value!r}, the function {expected!r}",
            why="The gradient is that of another function.",
            repair="Please report it.",
        )

    def at(slot: int, position: int, moved: NDArray[Any]) -> float:
        changed = list(_copied(values))
        leaves, structure = pytree.flatten(changed[slot])
        leaves[position] = moved if isinstance(leaves[position], np.ndarray) else moved[()]
        changed[slot] = pytree.unflatten(structure, leaves)
        with np.errstate(all="ignore"):
            return float(
                primal(
                    *changed[: layout.positional],
                    **dict(zip(layout.names[layout.positional :], changed[layout.positional :], strict=True)),
                )
            )

    random = np.random.default_rng(seed)
    for slot, gradient in zip(slots, gradients, strict=True):
        items = pytree.flatten_with_paths(values[slot])[0]
        for position, ((path, x), g) in enumerate(zip(items, pytree.leaves(gradient), strict=True)):
            leaf = _Leaf(layout.names[slot] + path, _as_floats(x), np.asarray(g))
            _check_form(leaf, x)

            def along(moved: NDArray[Any], slot: int = slot, position: int = position) -> float:
                return at(slot, position, moved)

            for _ in range(directions):
                _check_direction(
                    leaf, along, random.standard_normal(leaf.value.shape), float(expected), rtol, atol
                )


def _all_floats(value: Any) -> bool:
    leaves = pytree.leaves(value)
    return bool(leaves) and all(
        not isinstance(x, (bool, str, bytes))
        and isinstance(x, (float, np.floating, np.ndarray))
        and np.asarray(x).dtype.kind == "f"
        for x in leaves
    )


def _is_single(values: Sequence[Any]) -> bool:
    return any(
        np.asarray(x).dtype == np.float32
        for x in pytree.leaves(tuple(values))
        if isinstance(x, (np.ndarray, np.floating))
    )


def _as_floats(x: Any) -> NDArray[Any]:
    array = np.array(x)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _copied(values: Sequence[Any]) -> tuple[Any, ...]:
    """The function may write to its arguments: each evaluation gets its own."""
    return tuple(
        pytree.map_structure(lambda x: x.copy() if isinstance(x, np.ndarray) else x, v) for v in values
    )


def _check_form(leaf: _Leaf, x: Any) -> None:
    if leaf.gradient.shape != leaf.value.shape or leaf.gradient.dtype != leaf.value.dtype:
        raise GradientMismatch(
            f"the gradient with respect to `{leaf.path}` has the shape {leaf.gradient.shape} and dtype "
            f"{leaf.gradient.dtype}, the argument {leaf.value.shape} and {leaf.value.dtype}"
        )


def _check_direction(
    leaf: _Leaf,
    along: Callable[[NDArray[Any]], float],
    v: Any,
    value: float,
    rtol: float | None,
    atol: float | None,
) -> None:
    kind = leaf.value.dtype.char if leaf.value.dtype.char in _STEPS else "d"
    relative = _TOLERANCE[kind] if rtol is None else rtol
    slope = float(np.sum(np.asarray(leaf.gradient, np.float64) * v))
    found = []
    for step in _STEPS[kind]:
        difference = _slope(leaf, along, v, step)
        scale = max(abs(slope), abs(difference))
        # A difference of two values is exact only to the rounding of the values.
        absolute = relative * max(1.0, abs(value)) * 1e-2 if atol is None else atol
        if abs(slope - difference) <= relative * scale + absolute or (
            np.isnan(slope) and np.isnan(difference)
        ):
            return
        found.append(difference)
    raise _mismatch(leaf, along, slope, found[0], kind)


def _slope(leaf: _Leaf, along: Callable[[NDArray[Any]], float], v: Any, step: float) -> float:
    up = (leaf.value + step * v).astype(leaf.value.dtype)
    down = (leaf.value - step * v).astype(leaf.value.dtype)
    # The step that was really taken: `x + step` rounds.
    taken = float(np.sum(np.asarray(up - down, np.float64) * v)) / max(float(np.sum(v * v)), 1e-300)
    return (along(up) - along(down)) / taken if taken else 0.0


def _mismatch(
    leaf: _Leaf, along: Callable[[NDArray[Any]], float], slope: float, difference: float, kind: str
) -> GradientMismatch:
    """Name the element that disagrees most, among a hundred at most."""
    worst, worst_error = "", -1.0
    indices = list(np.ndindex(leaf.value.shape))
    for index in indices[:: max(1, len(indices) // 100)]:
        unit = np.zeros(leaf.value.shape)
        unit[index] = 1.0
        wanted = _slope(leaf, along, unit, _STEPS[kind][0])
        error = abs(float(leaf.gradient[index]) - wanted)
        if not error <= worst_error:
            place = f"{leaf.path}[{', '.join(map(str, index))}]" if index else leaf.path
            worst_error = error
            says = float(leaf.gradient[index])
            worst = f"Worst at `{place}`: the gradient says {says:.10g}, differences {wanted:.10g}."
    return GradientMismatch(
        f"the gradient with respect to `{leaf.path}` disagrees with differences of the function: "
        f"along a random "
        f"direction it says {slope:.10g}, and differences say {difference:.10g}",
        why=worst,
        repair="Unless the function has a kink there, please report it.",
    )
