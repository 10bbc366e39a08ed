"""Programs of the corpus with directions, and what differences say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.corpus import Program, all_programs
from tests.corpus.reference import flat, rebuilt
from tests.in_turn import turn

from adc import pytree
from adc.api.composite import Composite
from adc.api.how import how
from adc.compiler.transforms import nested

STEP = 1e-4

# What differences of gradients cannot say: the second derivative of the text is not that of the limit it approaches.
NOT_TWICE = {"exits.bisection"}


def programs() -> list[Program]:
    """The programs whose differentiated arguments are all float64 or Python floats."""
    return [
        p
        for p in all_programs()
        if "python" not in p.refused
        and not any(
            np.asarray(leaf).dtype == np.float32 for k in p.argnums for leaf in flat(p.arguments()[k])
        )
    ]


def tenth(which: int, chosen: Sequence[Program]) -> list[Any]:
    """Parameters of a test: a tenth of the programs, another with other sources. `-m exhaustive` has the rest."""
    waits = {which: [], None: [pytest.mark.exhaustive]}
    return [
        pytest.param(p, id=p.name, marks=waits[which if turn(p.name, 10) == which else None]) for p in chosen
    ]


def directions(program: Program) -> list[Any]:
    """A direction for each differentiated argument, in its container."""
    random = np.random.default_rng(1)

    def one(x: Any) -> Any:
        return float(random.standard_normal()) if np.ndim(x) == 0 else random.standard_normal(np.shape(x))

    args = program.arguments()
    return [rebuilt(args[k], iter([one(x) for x in flat(args[k])])) for k in program.argnums]


def moved(program: Program, dots: Sequence[Any], step: float) -> list[Any]:
    """The arguments, moved along the directions."""
    args = list(program.arguments())
    for k, dot in zip(program.argnums, dots, strict=True):
        args[k] = rebuilt(
            args[k], iter([x + step * d for x, d in zip(flat(args[k]), flat(dot), strict=True)])
        )
    return args


def slope(function: Callable[..., Any], program: Program, dots: Sequence[Any]) -> list[Any]:
    """The derivative along the directions of everything that a function of the arguments returns."""
    with np.errstate(all="ignore"):
        at = [list(flat(function(*moved(program, dots, s * STEP)))) for s in (2, 1, -1, -2)]
    return [(8 * (b - c) - (a - d)) / (12 * STEP) for a, b, c, d in zip(*at, strict=True)]


class Derived(Composite):
    """A derivative of a program: what `derive` says, of its arguments and the directions behind them."""

    label = "derived"

    def __init__(self, program: Program, derive: Callable[..., Any], mode: str) -> None:
        count = len(program.arguments())
        names = [f"a{k}" for k in range(count)] + [f"d{k}" for k in program.argnums]
        stub: dict[str, Any] = {}
        exec(f"def stub({', '.join(names)}): ...", stub)
        self.program, self.how = program, derive
        wanted = (*program.argnums, *range(count, len(names)))
        super().__init__(stub["stub"], wanted, value=True, has_aux=False, asked=how(mode))  # type: ignore[arg-type]
        self._primal = program.function

    def _request(self, layout: Any, slots: Any) -> Any:
        from dataclasses import replace

        return replace(super()._request(layout, slots), function=self.program.function)

    def derive(self, ev: Any, args: list[Any], kwargs: dict[str, Any], keys: Any) -> Any:
        count = len(self.program.arguments())
        return self.how(ev, self.program.function, args[:count], list(self.program.argnums), args[count:])

    def on_tape(self, args: Any, kwargs: Any, keys: Any) -> Any:
        raise AssertionError("these tests ask for generated code")


def pushed(ev: Any, function: Any, args: list[Any], keys: list[int], dots: list[Any]) -> Any:
    """Forward mode."""
    return nested.pushed(ev, function, args, {}, keys, dots)[1]


def forward_over_reverse(ev: Any, function: Any, args: list[Any], keys: list[int], dots: list[Any]) -> Any:
    """The Hessian times the directions."""
    return nested.pushed(ev, nested.Gradient(function, tuple(keys)), args, {}, keys, dots)[1]


class _Slope:
    def __init__(self, function: Any, keys: list[int], dots: list[Any], reverse: bool) -> None:
        self.function, self.keys, self.dots, self.reverse = function, keys, dots, reverse

    def __adc_inline__(self, ev: Any, args: Any, kwargs: Any) -> Any:
        if not self.reverse:
            return nested.pushed(ev, self.function, args, kwargs, self.keys, self.dots)[1]
        bars = nested.gradient(ev, self.function, args, kwargs, self.keys)[2]
        total: Any = 0.0
        for g, d in zip(
            pytree.leaves(nested.without_lists(bars)),
            pytree.leaves(nested.without_lists(self.dots)),
            strict=True,
        ):
            product = ev.op("multiply", g, d)
            total = ev.op("add", total, ev.op("sum", product) if ev.type_is_array(product) else product)
        return total


def reverse_over_forward(ev: Any, function: Any, args: list[Any], keys: list[int], dots: list[Any]) -> Any:
    """The directions times the Hessian, as the gradient of the slope."""
    return nested.gradient(ev, _Slope(function, keys, dots, False), args, {}, keys)[2]


def reverse_over_reverse(ev: Any, function: Any, args: list[Any], keys: list[int], dots: list[Any]) -> Any:
    """The directions times the Hessian, as the gradient of the gradient's part along them."""
    return nested.gradient(ev, _Slope(function, keys, dots, True), args, {}, keys)[2]
