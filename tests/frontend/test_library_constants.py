"""What a library gives for constants is computed while the program is compiled."""

import re

import numpy as np
import pytest

import adc

signal = pytest.importorskip("scipy.signal")
special = pytest.importorskip("scipy.special")


def filtered(x):
    b, a = signal.butter(3, 0.3)
    window = signal.get_window("hann", x.shape[0] // x.shape[0] + 5)
    return np.sum(signal.lfilter(b, a, x) ** 2) + np.sum(window * x[:6])


def quadrature(x):
    nodes, weights = special.roots_legendre(5)
    return np.sum(weights * np.exp(-x[0] * nodes**2)) + x[1]


def read(x):
    total = 0.0
    for word in re.findall(r"[a-z]+|\d+", "first 3 second 4"):
        total = total + (x[0] if word == "first" else x[1] if word == "second" else float(word)) ** 2
    return total


@pytest.mark.parametrize("mode", ("compiled", "python", "tape"))
@pytest.mark.parametrize("f", (filtered, quadrature, read), ids=lambda f: f.__name__)
def test_constants(f, mode):
    x = np.linspace(0.2, 1.3, 8)
    adc.check_grads(f, (x,), order=1, mode=mode)
    assert np.allclose(adc.value_and_grad(f, mode=mode)(x)[0], f(x))


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
@pytest.mark.parametrize("mode", ("auto", "tape"))
def test_what_the_library_refuses(mode):
    def f(x):
        b, a = signal.butter(3, 1.3)
        return np.sum(signal.lfilter(b, a, x))

    with pytest.raises(ValueError, match="critical frequencies"):
        adc.grad(f, mode=mode)(np.ones(8))
    with pytest.raises(adc.UnsupportedError, match="critical frequencies"):
        adc.grad(f, mode="compiled")(np.ones(8))


def test_large_tables_are_not_written_into_the_program():
    def f(x):
        return np.sum(signal.firwin(1001, 0.3)[: x.shape[0]] * x)

    g = adc.grad(f, mode="python")
    for mode in ("python", "tape"):
        assert np.allclose(adc.grad(f, mode=mode)(np.ones(8)), signal.firwin(1001, 0.3)[:8])
    assert len(adc.source(g, np.ones(8))) < 10_000  # it is made at each call, by SciPy's own code


def test_arrays_of_compiled_code_compute_at_once():
    """What code of SciPy's asks of arrays that it was handed."""
    asked = pytest.importorskip("scipy._lib._array_api")
    is_lazy = getattr(asked, "is_lazy_array", None)
    if is_lazy is None:
        pytest.skip("this SciPy does not ask")

    def f(x):
        width = np.asarray(2.0)
        return x[0] * width * (1.0 if is_lazy(width) or is_lazy(x) else 3.0)

    assert adc.grad(f, mode="python")(np.ones(2)).tolist() == [6.0, 0.0]
