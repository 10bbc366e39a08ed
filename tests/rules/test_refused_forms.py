"""Forms of SciPy's functions that have no derivative here are refused in words of the program's, on every engine."""

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

distance = pytest.importorskip("scipy.spatial.distance")
linalg = pytest.importorskip("scipy.linalg")
ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")

REFUSED = {
    "the metric 'hamming'": lambda x: np.sum(distance.cdist(x, x, "hamming")),
    "the metric 'jensenshannon'": lambda x: np.sum(distance.pdist(x, "jensenshannon")),
    "with `structure`": lambda x: np.sum(ndimage.grey_erosion(x, structure=((0.0, 1.0), (1.0, 0.0)))),
    "with `axes`": lambda x: np.sum(ndimage.median_filter(x, 3, axes=(0,))),
    'domain="freq"': lambda x: np.sum(signal.resample(x, 4, domain="freq")),
    'mode="magnitude"': lambda x: np.sum(signal.spectrogram(x, nperseg=4, mode="magnitude")[2]),
    "otherwise than with zeros": lambda x: np.sum(signal.upfirdn((1.0, 2.0), x, 2, mode="wrap")),
    'boundary="odd"': lambda x: np.sum(np.abs(signal.stft(x, nperseg=4, boundary="odd")[2])),
    "chooses its frequencies": lambda x: np.sum(np.abs(signal.freqs(x[0], x[1])[1])),
    'select="i"': lambda x: np.sum(linalg.eigvalsh_tridiagonal(x[0], x[1, 1:], "i", (0, 1))),
}


@pytest.mark.parametrize("engine", ["python", "tape"])
@pytest.mark.parametrize("what", REFUSED)
def test_forms(what, engine):
    with pytest.raises(UnsupportedError, match=what):
        adc.grad(REFUSED[what], mode=engine)(np.random.default_rng(0).normal(size=(5, 6)))
