"""Random programs have the value of the primal and the gradient of its differences, on every engine.

`make fuzz N=5000` is a campaign; without a count, a fixed slice runs. What an engine refuses with
an error that names the line is no finding, unless it refuses many.
"""

from __future__ import annotations

import warnings
from typing import Any

import hypothesis
import numpy as np
import pytest
from tests.fuzz.programs import Generated, programs

import adc

STEPS = (1e-4, 3e-5)
FIXED = 25  # up to this many programs, the same ones every time


def campaign(count: int) -> hypothesis.settings:
    phases = [hypothesis.Phase.generate, *([hypothesis.Phase.shrink] if count > FIXED else [])]
    return hypothesis.settings(
        max_examples=count,
        deadline=None,
        derandomize=count <= FIXED,
        database=None,
        print_blob=False,
        phases=phases,
        suppress_health_check=list(hypothesis.HealthCheck),
        report_multiple_bugs=False,
    )


def directional(program: Generated, direction: list[Any], step: float) -> float:
    """The derivative along a direction, by central differences of fourth order."""

    def at(t: float) -> float:
        moved = [a + t * d for a, d in zip(program.arguments(), direction, strict=True)]
        return float(program.function(*moved))

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def reference(program: Generated) -> tuple[float, list[Any], float]:
    """The value, a direction, and the derivative along it; what is not smooth here is set aside."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = float(program.function(*program.arguments()))
    except (UnboundLocalError, IndexError):
        hypothesis.reject()
    r = np.random.default_rng(7)
    direction = [r.normal(size=np.shape(a)) if np.ndim(a) else float(r.normal()) for a in program.arguments()]
    with np.errstate(all="ignore"):
        slopes = [directional(program, direction, step) for step in STEPS]
    hypothesis.assume(np.isfinite(value) and abs(slopes[0]) < 1e4)
    hypothesis.assume(abs(slopes[0] - slopes[1]) <= 1e-6 * max(1.0, abs(slopes[0])))
    return value, direction, slopes[1]


def compare(program: Generated, mode: str, refusals: list[str]) -> None:
    value, direction, slope = reference(program)
    run = adc.value_and_grad(program.function, (0, 1, 2, 3, 4), mode=mode)  # type: ignore[arg-type]
    arguments = program.arguments()
    try:
        found, bars = run(*arguments)
    except (adc.UnsupportedError, adc.GraphCutError) as error:
        refusals.append(str(error))
        return
    for given, kept in zip(arguments, program.arguments(), strict=True):
        np.testing.assert_array_equal(given, kept, err_msg="the derivative changed its argument")
    np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12, err_msg=f"value, {mode}")
    along = sum(float(np.sum(g * d)) for g, d in zip(bars, direction, strict=True))
    np.testing.assert_allclose(
        along, slope, rtol=2e-5, atol=2e-5, err_msg=f"derivative along a direction, {mode}"
    )
    again, _ = run(*arguments)
    assert again == found, "the second call gives another value"


# The tape is quick, LLVM is not.
@pytest.mark.fuzz
@pytest.mark.parametrize(("mode", "share"), [("python", 1.0), ("tape", 1.0), ("compiled", 0.1)])
def test_random_programs(mode: str, share: float, fuzz_count: int) -> None:
    refusals: list[str] = []
    count = max(2, int(fuzz_count * share))

    @campaign(count)
    @hypothesis.given(programs())
    def check(program: Generated) -> None:
        compare(program, mode, refusals)

    check()
    assert len(refusals) <= 0.35 * count + 2, (
        f"{len(refusals)} of {count} programs refused, the last: {refusals[-1]}"
    )
