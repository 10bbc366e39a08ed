"""Random programs have the value of the primal and the gradient of its differences, on every engine.

`make fuzz N=5000` is a campaign that Hypothesis draws and shrinks; without a count, a fixed slice runs. What an
engine refuses with an error that names the line is no finding, unless it refuses many.
"""

from __future__ import annotations

import warnings
from typing import Any

import hypothesis
import numpy as np
import pytest
from tests.corpus.check import owned
from tests.fuzz.kernels import kernels, seeded_kernel
from tests.fuzz.patterns import patterns, seeded_pattern
from tests.fuzz.programs import Generated, programs, seeded
from tests.fuzz.second_places import second_places, seeded_places
from tests.interpreted import interpreted

import adc

STEPS = (1e-4, 3e-5, 3e-6)
FIXED = 25  # up to this many programs, the same ones every time
# "optimized" is the text that Numba would compile, run by CPython: all of the optimiser without LLVM, which is slow.
# "transforms" runs jvp, vjp and hvp in that way.
SHARES = {"python": 1.0, "tape": 1.0, "optimized": 1.0, "transforms": 0.4, "compiled": 0.1}
ALL = (0, 1, 2, 3, 4)


def campaign(count: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        print_blob=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
        report_multiple_bugs=False,
    )


def reference(program: Generated, size: int = 0) -> tuple[float, list[Any], float] | None:
    """The value, a direction, and the derivative along it; None for what is not smooth here, or no program."""
    given = program.arguments(size)
    r = np.random.default_rng(7)
    direction = [r.normal(size=np.shape(a)) if np.ndim(a) else float(r.normal()) for a in given]

    def at(t: float) -> float:
        # Of Python's floats a product without end would pass as inf, and come back from tanh as a plain 1.
        moved = [np.add(a, t * d) for a, d in zip(program.arguments(size), direction, strict=True)]
        return float(program.strict(*moved))

    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise"):
        warnings.simplefilter("ignore")
        try:
            value = at(0.0)
            shaken = float(program.shaken(*program.arguments(size)))
            near = {h: (at(-2 * h), at(-h), at(h), at(2 * h)) for h in STEPS}
        # A name without a value, also a local one; floats added to integers in place; an array that is too short.
        except (NameError, TypeError, IndexError, ValueError):
            return None
        except (ArithmeticError, np.linalg.LinAlgError):  # huge numbers
            return None
        slopes = [(8 * (c - b) - (d - a)) / (12 * h) for h, (a, b, c, d) in near.items()]
        h = STEPS[-1]
        bend = (near[h][2] - 2 * value + near[h][1]) / h  # of the order of h, but not at a kink
    scale = max(1.0, abs(slopes[0]))
    if not np.isfinite(value) or not abs(slopes[0]) < 1e4:
        return None
    if not abs(shaken - value) <= 1e-9 * max(1.0, abs(value)):
        return None  # chaos: rounding decides
    if all(at_step == value for steps in near.values() for at_step in steps):
        return None  # a step is lost beside huge numbers, or behind a tanh of them: differences say nothing
    # Where the derivative is that of tanh far out, all of it may lie between the first two steps.
    if any(abs(slopes[1] - other) > 1e-6 * scale for other in slopes) or not abs(bend) <= 0.02 * scale:
        return None
    return value, direction, slopes[1]


def compare(program: Generated, mode: str, refusals: list[str]) -> bool:
    """Check one program on one engine; False when there is nothing to compare with."""
    if mode == "optimized":
        with interpreted():
            return compare(program, "compiled", refusals)
    if mode == "transforms":
        with interpreted():
            return compare_transforms(program, refusals)
    run = adc.value_and_grad(program.function, ALL, mode=mode)  # type: ignore[arg-type]
    compared = [compare_at(program, size, run, mode, refusals) for size in range(len(program.sizes))]
    return any(compared)


def compare_at(program: Generated, size: int, run: Any, mode: str, refusals: list[str]) -> bool:
    """Check one program with arguments of one size; False when there is nothing to compare with."""
    known = reference(program, size)
    if known is None:
        return False
    value, direction, slope = known
    arguments = program.arguments(size)
    try:
        found, bars = run(*arguments)
    except (adc.UnsupportedError, adc.GraphCutError) as error:
        refusals.append(f"{error}\n{program}")
        return True
    for given, kept in zip(arguments, program.arguments(size), strict=True):
        np.testing.assert_array_equal(given, kept, err_msg="the derivative changed its argument")
    owned(list(bars), list(arguments))
    np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12, err_msg=f"value, {mode}")
    along = sum(float(np.sum(g * d)) for g, d in zip(bars, direction, strict=True))
    np.testing.assert_allclose(
        along, slope, rtol=2e-5, atol=2e-5, err_msg=f"derivative along a direction, {mode}"
    )
    again, _ = run(*arguments)
    assert again == found, "the second call gives another value"
    return True


def flat(bars: Any) -> Any:
    return np.concatenate([np.ravel(np.asarray(g, float)) for g in bars])


def compare_transforms(program: Generated, refusals: list[str]) -> bool:
    """Check the tangent, the pullback and, where differences of gradients say it, the Hessian times a direction."""
    known = reference(program)
    if known is None:
        return False
    value, direction, slope = known
    arguments, dots = tuple(program.arguments()), tuple(direction)
    try:
        found, dot = adc.jvp(program.function, arguments, dots, mode="compiled")
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12, err_msg="value, jvp")
        np.testing.assert_allclose(dot, slope, rtol=2e-5, atol=2e-5, err_msg="tangent")
        found, pull = adc.vjp(program.function, *arguments, mode="compiled")
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12, err_msg="value, vjp")
        np.testing.assert_allclose(flat(pull(1.0)) @ flat(dots), slope, rtol=2e-5, atol=2e-5, err_msg="vjp")
        bend = adc.hvp(program.function, arguments, dots, mode="compiled")
    except (adc.UnsupportedError, adc.GraphCutError) as error:
        refusals.append(f"{error}\n{program}")
        return True
    gradient = adc.grad(program.function, ALL, mode="python")

    def at(t: float) -> Any:
        return flat(gradient(*[a + t * d for a, d in zip(program.arguments(), direction, strict=True)]))

    with np.errstate(all="ignore"):
        slopes = [(8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h) for h in STEPS[:2]]
    scale = max(1.0, float(np.max(np.abs(slopes[1]))))
    if scale < 1e4 and float(np.max(np.abs(slopes[0] - slopes[1]))) <= 1e-5 * scale:
        np.testing.assert_allclose(flat(bend), slopes[1], rtol=1e-4, atol=1e-4 * scale, err_msg="hvp")
    return True


def refused_few(refusals: list[str], count: int) -> None:
    assert len(refusals) <= 0.35 * count + 2, (
        f"{len(refusals)} of {count} programs refused, the last: {refusals[-1]}"
    )


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "drawn, numbered",
    [
        (programs, seeded),
        (kernels, seeded_kernel),
        (second_places, seeded_places),
        (patterns, seeded_pattern),
    ],
    ids=["programs", "kernels", "second places", "patterns"],
)
@pytest.mark.parametrize("mode", SHARES)
def test_random(mode: str, drawn: Any, numbered: Any, fuzz_count: int) -> None:
    count = max(5, int(fuzz_count * SHARES[mode]))
    refusals: list[str] = []
    if fuzz_count <= FIXED:
        compared = 0
        for seed in range(count):
            program = numbered(seed)
            try:
                compared += compare(program, mode, refusals)
            except Exception as error:
                raise AssertionError(f"{error}\n\n{program}") from error
        assert 2 * compared > count, "most programs are not smooth"
    else:

        @campaign(count)
        @hypothesis.given(drawn())
        def check(program: Generated) -> None:
            if not compare(program, mode, refusals):
                hypothesis.reject()

        check()
    refused_few(refusals, count)
