"""What is computed of integers, which carry no derivative, is what NumPy and SciPy compute of them."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.rules import registry

SIGNALS = [
    f"scipy.signal.{name}"
    for name in "welch csd periodogram spectrogram stft coherence decimate resample resample_poly "
    "filtfilt detrend savgol_filter hilbert".split()
]
OTHERS = ["distance.cdist", "distance.pdist", "distance.sqeuclidean", "lstsq", "scipy.linalg.pinv", "cond"]
OF_BYTES = [
    "poly",
    "distance.cdist",
    "distance.pdist",
    "distance.braycurtis",
    "distance.cosine",
    "scipy.signal.fftconvolve",
    "scipy.signal.upfirdn",
]


def as_integers(value, dtype, scale):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.rint(scale * (np.abs(value) if dtype is np.uint8 else value)).astype(dtype)
    return value


def size(result):
    if isinstance(result, (tuple, list)):
        return sum(size(part) for part in result)
    return np.sum(np.abs(result))


CASES = [(name, *kind) for name in (*SIGNALS, *OTHERS) for kind in ((np.int64, 9.0), (np.int16, 300.0))]


@pytest.mark.filterwarnings("ignore:nperseg")
@pytest.mark.parametrize(
    ("name", "dtype", "scale"), [*CASES, *((name, np.uint8, 100.0) for name in OF_BYTES)]
)
def test_integers_are_computed_with_as_in_scipy(name, dtype, scale):
    operation = registry.named(name)
    example = operation.example_calls()[0]
    args = [as_integers(a, dtype, scale) for a in example.args]
    wanted = size(operation.function(*args, **example.kwargs))
    assert np.isfinite(wanted)
    for mode in ("python", "tape"):
        value, slope = adc.value_and_grad(
            lambda s: s * size(operation.function(*args, **example.kwargs)), mode=mode
        )(2.0)
        assert value == pytest.approx(2.0 * wanted, rel=1e-4) and slope == pytest.approx(wanted, rel=1e-4)
