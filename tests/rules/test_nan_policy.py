"""`nan_policy="omit"` leaves NaN out of samples, as SciPy does; the gradient there is zero."""

import warnings

import numpy as np
import pytest
from scipy import stats

import adc

NAN = np.nan
SAMPLES = [
    np.array([1.0, 2.5, NAN, 3.0, 0.7, 1.9, NAN]),
    np.array([NAN, 2.5, 1.1, 3.0, 0.7, 1.9, 0.4]),
    np.array([1.0, 2.5, 1.1, 3.0, 0.7, 1.9, 0.4]),
]
STATISTICS = {
    "gmean": lambda x: stats.gmean(x, nan_policy="omit"),
    "hmean": lambda x: stats.hmean(x, axis=None, nan_policy="omit"),
    "pmean": lambda x: stats.pmean(x, 2.5, nan_policy="omit"),
    "gstd": lambda x: stats.gstd(x, nan_policy="omit"),
    "skew": lambda x: stats.skew(x, bias=False, nan_policy="omit"),
    "kurtosis": lambda x: stats.kurtosis(x, nan_policy="omit", keepdims=True)[0],
    "kstat": lambda x: stats.kstat(x, 3, nan_policy="omit"),
    "sem": lambda x: stats.sem(x, nan_policy="omit"),
    "moment": lambda x: stats.moment(x, 3, nan_policy="omit"),
    "variation": lambda x: stats.variation(x, ddof=1, nan_policy="omit"),
    "iqr": lambda x: stats.iqr(x, nan_policy="omit"),
    "median_abs_deviation": lambda x: stats.median_abs_deviation(x, nan_policy="omit"),
    "zscore": lambda x: np.nansum(stats.zscore(x, nan_policy="omit") ** 3),
}


def differences(function, x, step=1e-6):
    moved = [x + sign * step * unit for unit in np.eye(x.size) for sign in (1.0, -1.0)]
    values = np.array([function(v) for v in moved]).reshape(-1, 2)
    return np.where(np.isnan(x), 0.0, (values[:, 0] - values[:, 1]) / (2.0 * step))


def checked(name, mode):
    function = STATISTICS[name]
    derivative = adc.value_and_grad(function, mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in SAMPLES:
            value, gradient = derivative(x)
            assert value == pytest.approx(function(x), rel=1e-12)
            np.testing.assert_allclose(gradient, differences(function, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("name", STATISTICS)
def test_as_scipy(name, mode):
    checked(name, mode)


@pytest.mark.machine_code
def test_compiled():
    checked("skew", "compiled")


def test_other_samples_are_refused_by_name():
    x, w = np.ones((2, 3)), np.ones(3)
    for mode in ("tape", "python"):
        with pytest.raises(adc.UnsupportedError, match="of an array of several axes is not supported"):
            adc.grad(lambda x: np.sum(stats.skew(x, nan_policy="omit")), mode=mode)(x)
        with pytest.raises(adc.UnsupportedError, match="of weights is not supported"):
            adc.grad(lambda x: stats.gmean(x, weights=w, nan_policy="omit"), mode=mode)(x[0])
