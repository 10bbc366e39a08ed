"""What stands beside small integers, truth values or unsigned integers has the derivative that it has beside floats.

Integers of few bits wrap around where floats do not: a rule that negates or multiplies an operand as it came gives a
derivative of something else.
"""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc import tape
from adc.rules import registry
from adc.testing import kit

VALUES = {
    np.uint8: [1, 200, 3, 0, 17, 255],
    np.int8: [-128, 100, 3, -7, 0, 127],
    np.uint16: [300, 2, 40000, 0],
    np.uint64: [1, 2, 3, 0],
    np.bool_: [True, False, True, True],
}
REFUSED = {
    ("polydiv", "v"),  # how much of the rest is left is in the data
    ("lstsq", "a"),  # of a matrix of lower rank there are no residuals
    ("polyint", "p"),
    ("recurrence", "b"),  # no function of NumPy's
    ("trapezoid", "x"),  # truth values have no difference
    ("trapz", "x"),
    ("ndimage.shift", "shift"),  # SciPy negates it, also unsigned, and reads outside of the image
    ("special.voigt_profile", "sigma"),  # NaN at zero, of floats as well
}


def _several_operands():
    return [
        o for o in registry.operations() if o.kind != "constant" and o.examples is not None and len(o.wrt) > 1
    ]


def _number_or_array(value):
    return not isinstance(value, list | tuple) and np.asarray(value).dtype.kind == "f"


def _derivatives(case, name, integers, rest):
    def beside(*others):
        return kit.primal(case, {**case.values, name: integers, **dict(zip(rest, others, strict=True))})

    value, pull = tape.vjp(beside, *[case.values[other] for other in rest])
    return value, pull(kit.random_like(value, np.random.default_rng(1)))


def _numpy_wraps(case, name, integers):
    """Whether the function itself computes something else of these integers, or refuses them."""
    try:
        small = kit.primal(case, {**case.values, name: integers})
        wide = kit.primal(case, {**case.values, name: integers.astype(float)})
    except (TypeError, ValueError, IndexError, OverflowError, NotImplementedError, np.linalg.LinAlgError):
        return True
    return not all(
        np.shape(a) == np.shape(b)
        and np.asarray(a).dtype.kind == np.asarray(b).dtype.kind
        and np.allclose(a, b, rtol=1e-3, equal_nan=True)
        for a, b in zip(kit.leaves(small), kit.leaves(wide), strict=True)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operation", _several_operands(), ids=lambda o: o.name)
def test_derivatives_beside_integers(operation):
    for case in kit.cases(operation):
        for name in case.active:
            value = case.values[name]
            rest = [n for n in case.active if n != name and _number_or_array(case.values[n])]
            if (operation.name, name) in REFUSED or not rest or not _number_or_array(value):
                continue
            for dtype, numbers in VALUES.items():
                integers = np.sort(np.resize(np.array(numbers, dtype), np.size(value))).reshape(
                    np.shape(value)
                )
                with np.errstate(all="ignore"):
                    if _numpy_wraps(case, name, integers):
                        continue
                    try:
                        wanted = _derivatives(case, name, integers.astype(float), rest)
                    except (adc.AdcError, ValueError, TypeError, IndexError, np.linalg.LinAlgError):
                        continue
                    found = _derivatives(case, name, integers, rest)
                for a, b in zip(kit.leaves(found), kit.leaves(wanted), strict=True):
                    finite = np.isfinite(b)
                    close = np.allclose(np.asarray(a)[finite], np.asarray(b)[finite], rtol=1e-3, atol=1e-9)
                    assert close, f"{case} beside {name} of {integers.dtype}: {a} is not {b}"


def angle(x, y):
    return np.sum(np.arctan2(y, x) * x)


def between(x, y):
    return np.sum(np.interp(x, np.sort(y), y * 0.5) * np.interp(x, [0.0, 300.0], y[:2]))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("f", [angle, between])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_in_every_mode(f, dtype, mode):
    x, y = np.array([1.5, 2.5, 90.0]), np.array([120, 7, 100], dtype)
    value, gradient = adc.value_and_grad(f, mode=mode)(x, y)
    wanted = adc.value_and_grad(f, mode="tape")(x, y.astype(float))
    np.testing.assert_allclose(value, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-12)
