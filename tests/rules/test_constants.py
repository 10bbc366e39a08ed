"""What the table calls constant does not move: a derivative that is zero by nature is zero by measurement."""

import numpy as np
import pytest

from adc.rules import registry
from adc.testing import kit

# The spacing of floating-point numbers, and what stands for a value that carries no derivative by intent.
MOVES_BY_DESIGN = {"held", "spacing", "ulp"}


def moved(case, name, value, step):
    """The slope of the result along one parameter, by a difference; None where it jumps or is not a number."""
    try:
        ahead = kit.primal(case, {**case.values, name: value + step})
        behind = kit.primal(case, {**case.values, name: value - step})
    except (TypeError, ValueError, NotImplementedError):
        return None  # the parameter takes integers only
    slopes = []
    for a, b in zip(kit.leaves(ahead), kit.leaves(behind), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.kind not in "fc" or a.shape != b.shape:
            continue
        slopes.append(np.ravel(a - b) / (2.0 * step))
    return np.concatenate(slopes) if slopes else None


def constants():
    return [o for o in registry.operations() if o.kind == "constant" and o.examples is not None]


def test_there_are_constants():
    assert len(constants()) > 80


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operation", constants(), ids=lambda o: o.name)
def test_a_constant_does_not_move(operation):
    if operation.name in MOVES_BY_DESIGN:
        pytest.skip("moves by design")
    for case in kit.cases(operation):
        for name, value in case.values.items():
            number = isinstance(value, (int, float, np.ndarray)) and not isinstance(value, bool)
            if not number or np.asarray(value).dtype.kind not in "iuf":
                continue
            with np.errstate(all="ignore"):
                # Away from the integers, where what is piecewise constant jumps.
                near, far = (moved(case, name, value + 0.123, h) for h in (1e-6, 1e-5))
            if near is None or far is None or near.shape != far.shape:
                continue
            finite = np.isfinite(near) & np.isfinite(far)
            steady = finite & (np.abs(near - far) <= 1e-3 * np.abs(near)) & (np.abs(near) > 1e-4)
            assert not steady.any(), f"{case}: {operation.spelling} moves with `{name}`: {near[steady][:3]}"
