"""Of nothing a function raises, or gives, what NumPy's does, in each engine."""

import numpy as np
import pytest
import scipy.signal
from numpy.polynomial import chebyshev, polynomial
from scipy import integrate, linalg, stats

import adc

NONE = np.zeros(0)
NO_ROWS = np.zeros((0, 3))
REFUSED = {
    "hstack": (lambda x: np.hstack(x), NO_ROWS),
    "vstack": (lambda x: np.vstack(x), NO_ROWS),
    "dstack": (lambda x: np.dstack(x), NO_ROWS),
    "column_stack": (lambda x: np.column_stack(x), NO_ROWS),
    "concatenate": (lambda x: np.concatenate(x), np.zeros((0, 3, 2))),
    "vstack_of_a_list": (lambda x: np.vstack([v * x for v in x]), NONE),
    "polyadd": (lambda x: polynomial.polyadd(x, np.ones(2)), NONE),
    "polysub": (lambda x: polynomial.polysub(np.ones(2), x), NONE),
    "chebadd": (lambda x: chebyshev.chebadd(x, x), NONE),
    "polyfit": (lambda x: np.polyfit(x, x, 1), NONE),
    "cumulative_trapezoid": (lambda x: integrate.cumulative_trapezoid(x), NONE),
    "simpson": (lambda x: integrate.simpson(x), NONE),
    "pearsonr": (lambda x: stats.pearsonr(x, x)[0], np.ones(1)),
    "wasserstein_distance": (lambda x: stats.wasserstein_distance(x, np.ones(2)), NONE),
    "energy_distance": (lambda x: stats.energy_distance(np.ones(2), x), NONE),
}
GIVEN = {
    "lu": (lambda x: linalg.lu(x), np.zeros((3, 0))),
    "lu_without_rows": (lambda x: linalg.lu(x), NO_ROWS),
    "lu_positions": (lambda x: linalg.lu(x, p_indices=True), np.zeros((3, 0))),
    "entropy": (lambda x: stats.entropy(x), NONE),
    "entropy_of_columns": (lambda x: stats.entropy(x, x), NO_ROWS),
}


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, mode):
    f, x = REFUSED[name]
    with pytest.raises((TypeError, ValueError, IndexError)) as numpys:
        f(x)
    with pytest.raises(numpys.type):
        adc.value_and_grad(lambda x: np.sum(f(x)), mode=mode)(x)


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("name", GIVEN)
def test_given(name, mode):
    f, x = GIVEN[name]
    _, found = adc.value_and_grad(lambda s, x: (s, f(x)), has_aux=True, mode=mode)(1.0, x)[0]
    wanted = f(x)
    for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (found, wanted)), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_array_equal(a, b)


@pytest.mark.machine_code
def test_compiled():
    derivative = adc.grad(lambda x: np.sum(np.vstack(x) ** 2), mode="compiled")
    np.testing.assert_array_equal(derivative(np.ones((2, 3))), np.full((2, 3), 2.0))
    with pytest.raises(ValueError, match="need at least one array"):
        derivative(NO_ROWS)


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_a_spectrum_of_nothing_is_refused(mode):
    with pytest.raises((ValueError, adc.AdcError)):
        adc.grad(lambda x: np.sum(scipy.signal.welch(x, nperseg=4)[1]), mode=mode)(np.zeros((0, 8)))
