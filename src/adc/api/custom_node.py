"""A call with a custom rule, on Tensors: one node of the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api.custom import Custom
from adc.errors import DerivativeError, ShapeError
from adc.runtime.copies import copied_together
from adc.tape.as_now import AsNow
from adc.tape.function import Function
from adc.tape.state import modes, within

__all__ = [
    "Later",
    "adjoints",
    "again",
    "applied",
    "as_results",
    "as_tensor",
    "own_plain",
    "plain",
    "watching",
]


def plain(x: Any) -> Any:
    value = x.primal if isinstance(x, tape.Tensor) else x
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def own_plain(structure: pytree.Structure, values: Sequence[Any]) -> Any:
    """The arguments of a recorded call as plain copies: a write to one is not to be seen outside."""
    return pytree.unflatten(structure, copied_together([plain(x) for x in values]))


def again(ctx: Any, leaves: list[Any], structure: pytree.Structure) -> Any:
    """The arguments of a recorded call, its Tensors as parts of the graph."""
    saved = iter(ctx.saved_tensors)
    return pytree.unflatten(structure, [next(saved) if isinstance(x, tape.Tensor) else x for x in leaves])


def as_tensor(x: Any) -> Any:
    return x if x is None or isinstance(x, tape.Tensor) else tape.tensor(np.asarray(x))


def as_results(custom: Custom, output: Any, memory: dict[str, Any]) -> tuple[Any, ...]:
    """The results of a call on constants. Raises DerivativeError where they come from other differentiated values."""
    leaves, memory["structure"] = pytree.flatten(output)
    if any(isinstance(leaf, tape.Tensor) and leaf.node is not None for leaf in leaves):
        raise DerivativeError(
            f"`{custom.__name__}` reads a differentiated value of the function around it",
            why="Derivatives pass a function with a custom rule, or a checkpointed one, through its arguments alone.",
            repair="Pass it as an argument, or adc.stop_gradient of it if no derivative is meant.",
        )
    return tuple(as_tensor(leaf) for leaf in leaves)


class Later:
    """The rules of a call and what they are given first, as they are at the call: for the backward pass."""

    def __init__(self, custom: Custom, args: list[Any], rules: tuple[Any, ...]) -> None:
        self._custom = custom
        self._kept = AsNow((rules, custom.others(args)))

    @property
    def values(self) -> tuple[Any, ...]:
        """All of it."""
        found: tuple[Any, ...] = self._kept.value
        return found

    def read(self) -> tuple[tuple[Any, ...], list[Any]]:
        """Both. Raises RuntimeError where an array that they read has been written to since."""
        self._kept.check(f"what the rule of `{self._custom.__name__}` reads")
        rules, others = self._kept.value
        return rules, others

    def arguments(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of the call, those that have no derivative as they were."""
        others = iter(self._kept.value[1])
        return [next(others) if k in self._custom.nondiff else a for k, a in enumerate(args)]


def watching() -> Any:
    """A context for the forward run of a call: recording, where it is on, to see what its results come from."""
    return within({"enabled": modes.enabled})


def adjoints(custom: Custom, args: list[Any], bars: Any) -> tuple[Any, ...]:
    """One adjoint per leaf of the arguments, from one per differentiable argument."""
    expected = len(args) - len(custom.nondiff)
    if not isinstance(bars, (tuple, list)) or len(bars) != expected:
        what = f"{len(bars)} adjoints" if isinstance(bars, (tuple, list)) else f"a {type(bars).__name__}"
        raise DerivativeError(
            f"the rule of `{custom.__name__}` returns {what}, and the function has {expected} "
            "differentiable arguments",
            repair="Return a tuple with one adjoint per argument.",
        )
    rest = iter(bars)
    found: list[Any] = []
    for k, argument in enumerate(args):
        leaves, structure = pytree.flatten(argument)
        bar = None if k in custom.nondiff else next(rest)
        parts, its_structure = ([None] * len(leaves), structure) if bar is None else pytree.flatten(bar)
        if its_structure != structure:
            raise ShapeError(
                f"the rule of `{custom.__name__}` returns an adjoint of the structure {its_structure} "
                f"for an argument of the structure {structure}"
            )
        for part, leaf in zip(parts, leaves, strict=True):
            if part is not None and np.shape(plain(part)) != np.shape(plain(leaf)):
                raise ShapeError(
                    f"the rule of `{custom.__name__}` returns an adjoint of the shape "
                    f"{np.shape(plain(part))} for an argument of the shape {np.shape(plain(leaf))}"
                )
            found.append(as_tensor(part) if isinstance(leaf, tape.Tensor) else None)
    return tuple(found)


def applied(
    custom: Custom, forward: Any, backward: Any, leaves: list[Any], memory: dict[str, Any], later: Later
) -> Any:
    """Record the call as one node of the tape."""
    name = getattr(custom.function, "__name__", "function")
    rule = {"forward": staticmethod(forward), "backward": staticmethod(backward), "beyond": later.values}
    kind = type(name, (Function,), rule)
    results = kind.apply(*leaves)  # type: ignore[attr-defined]
    return pytree.unflatten(memory["structure"], results)
