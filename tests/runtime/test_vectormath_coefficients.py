"""The constants of the vector maths are what their script derives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

mp = pytest.importorskip("mpmath")
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "vectormath"))
import derive  # noqa: E402
import derive_single  # noqa: E402
from remez import fit, value_at  # noqa: E402

from adc.runtime.vectormath import coefficients, coefficients_single  # noqa: E402

# What derives the constants of a file, the file, and the bits that its polynomials have at least.
FILES = [(derive, coefficients, 54), (derive_single, coefficients_single, 26)]


def test_the_exchange_finds_a_known_best_approximation():
    # The line nearest to x**2 on [0, 1] is x - 1/8, with the error 1/8 at both ends and in the middle.
    found = fit(lambda x: x * x, lambda x: mp.mpf(1), 0.0, 1.0, 2)
    assert found.coefficients == pytest.approx((-0.125, 1.0), abs=1e-3)
    assert found.error == pytest.approx(0.125, abs=1e-3)


@pytest.mark.parametrize(("script", "written"), [files[:2] for files in FILES], ids=["float64", "float32"])
def test_constants_are_the_ones_derived(script, written):
    for name, value in script.constants().items():
        assert getattr(written, name) == value, name


@pytest.mark.parametrize(
    ("approximation", "written", "bits"),
    [
        pytest.param(a, written, bits, id=f"{a.name}_{bits}")
        for script, written, bits in FILES
        for a in script.APPROXIMATIONS
    ],
)
def test_a_polynomial_is_as_near_as_promised(approximation, written, bits):
    a = approximation
    terms = [mp.mpf(float(c)) for c in getattr(written, a.name)]
    assert len(terms) == a.terms
    bound = 2.0**-17 if a.name == "INVERSE_CBRT" else 2.0**-bits
    with mp.workprec(200):
        for k in range(25):
            # Inside the range, and off zero, where the functions are limits.
            x = mp.mpf(a.low) + (mp.mpf(a.high) - mp.mpf(a.low)) * (k + mp.mpf("0.37")) / 25
            error = a.weight(x) * abs(a.function(x) - value_at(x, terms))
            assert error < bound
