"""`grad(f, check="first")`: the first gradient is compared with the function and with forward mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adc import pytree
from adc.api import taped
from adc.api.derivative import Derivative
from adc.api.derived import Derived
from adc.api.differences import Claim, agreed, direction_of, paired, precision
from adc.api.how import How, how
from adc.errors import ArgumentError, GradientMismatch, UnsupportedError

__all__ = ["Checked"]

ADJOINT_TOLERANCE = {"d": 1e-9, "f": 1e-3}


class Checked(Derivative):
    """A derivative that verifies its first call: by one adjoint test and one difference along a random direction."""

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Any,
        *,
        value: bool,
        has_aux: bool,
        asked: How,
        check: str,
    ) -> None:
        if check != "first":
            raise ArgumentError(f'check={check!r} is not "first" or None')
        super().__init__(function, argnums, value=value, has_aux=has_aux, asked=asked)
        self._verified = False

    def __reduce__(self) -> Any:
        found = super().__reduce__()
        if isinstance(found, str):
            return found
        return _rebuilt, (self._given, self._argnums, self._value, self._has_aux, self._how)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = super().__call__(*args, **kwargs)
        if not self._verified and not taped.carries_tensors((args, kwargs)):
            self._verify(args, kwargs, found)
            self._verified = True
        return found

    def _verify(self, args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> None:
        layout, values, _, _ = self._bound(args, kwargs)
        slots = self._chosen(layout)
        gradient = found[1 if self._value else 0] if self._value or self._has_aux else found
        gradients = gradient if isinstance(self._argnums, tuple) else (gradient,)
        random = np.random.default_rng(0)
        directions = tuple(
            pytree.map_structure(lambda x: _direction(random, x), values[slot], settings=True)
            for slot in slots
        )
        bars, dots = (pytree.flatten(t, settings=True)[0] for t in (gradients, directions))
        products = [paired(g, v) for g, v in zip(bars, dots, strict=True)]
        single = any(precision(g) == "f" for g in bars)
        at = np.zeros((), np.float32 if single else np.float64)
        names = ", ".join(f"`{layout.names[slot]}`" for slot in slots)

        def along(step: NDArray[Any]) -> float:
            return float(self._number(layout, self._moved(values, slots, directions, float(step))))

        value = self._number(layout, self._moved(values, slots, directions, 0.0))
        claim = Claim(at, np.ones(()), float(sum(products)), abs(float(value)))
        difference = agreed(claim, along)
        if difference is not None:
            raise GradientMismatch(
                f"the gradient with respect to {names} disagrees with differences of the function: along a "
                f"random direction it says {claim.slope:.10g}, and differences say {difference:.10g}",
                repair="adc.check_grads names the element. Unless the function has a kink there, or a custom "
                "rule is meant to differ, please report it.",
            )
        self._compare_modes(layout, values, slots, directions, products, "f" if single else "d", names)

    def _compare_modes(
        self,
        layout: Any,
        values: Sequence[Any],
        slots: Sequence[int],
        directions: Any,
        products: Sequence[Any],
        kind: str,
        names: str,
    ) -> None:
        """The adjoint test: forward mode computes the same number."""
        function = self._function
        if self._has_aux:
            return  # forward mode of the number alone would need the function without its auxiliary values
        push = Derived(function, layout, slots, ("fwd",), how("python" if self._ran != "tape" else "tape"))
        try:
            pushed = float(push(*pytree.map_structure(taped.own, tuple(values)), directions))
        except UnsupportedError:
            return  # a custom_vjp has no push; differences have agreed
        size = max(float(np.sum(np.abs(products))), abs(pushed), 1e-300)
        pulled = float(sum(products))
        if not abs(pushed - pulled) <= ADJOINT_TOLERANCE[kind] * size and not (
            np.isnan(pushed) and np.isnan(pulled)
        ):
            raise GradientMismatch(
                f"forward and reverse mode with respect to {names} disagree: along a random direction they say "
                f"{pushed:.17g} and {pulled:.17g}",
                repair="Please report it; a custom rule may have a push and a pull that do not fit.",
            )

    def _number(self, layout: Any, values: Sequence[Any]) -> Any:
        arguments = layout.arguments(values, self._parameters.variadic)
        bound = self._parameters.signature.bind_partial()
        bound.arguments.update(arguments)
        with np.errstate(all="ignore"):
            found = self._function(*bound.args, **bound.kwargs)
        return found[0] if self._has_aux else found

    @staticmethod
    def _moved(values: Sequence[Any], slots: Sequence[int], directions: Any, step: float) -> list[Any]:
        """All values as copies, the differentiated ones moved along their directions."""
        moved = [pytree.map_structure(taped.own, v) for v in values]
        for slot, v in zip(slots, directions, strict=True):
            moved[slot] = pytree.map_structure(
                lambda x, d: _along(x, d, step), values[slot], v, settings=True
            )
        return moved


def _direction(random: np.random.Generator, x: Any) -> Any:
    v = direction_of(random, x)
    if isinstance(x, np.ndarray):
        return np.asarray(v, x.dtype if x.dtype.kind in "fc" else np.float64)
    return x.dtype.type(v) if isinstance(x, np.inexact) else v.item()


def _along(x: Any, v: Any, step: float) -> Any:
    moved = np.asarray(x) + step * np.asarray(v)
    if isinstance(x, np.ndarray):
        return moved.astype(x.dtype)
    return x.dtype.type(moved) if isinstance(x, np.inexact) else moved.item()


def _rebuilt(function: Callable[..., Any], argnums: Any, value: bool, has_aux: bool, asked: How) -> Checked:
    return Checked(function, argnums, value=value, has_aux=has_aux, asked=asked, check="first")
