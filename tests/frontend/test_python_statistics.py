"""Python's statistics of NumPy's integers are integers of NumPy's: compiled code has floats there, and refuses them."""

import statistics

import numpy as np
import pytest

import adc

X, N = np.array([1.5, 2.5]), np.array([3, 1, 4])


@pytest.mark.tiny
@pytest.mark.parametrize("of", [statistics.mean, statistics.variance, statistics.pvariance])
@pytest.mark.parametrize("data", [lambda n: n, lambda n: [n[0], 2], list, lambda n: n[1:]])
def test_integers_of_numpys(of, data):
    def f(x, n):
        return x[0] * of(data(n))

    with pytest.raises(adc.UnsupportedError, match="NumPy's integers"):
        adc.value_and_grad(f, mode="python")(X, N)
    value, x_bar = adc.value_and_grad(f, mode="tape")(X, N)
    assert value == f(X, N)
    assert x_bar[0] == of(data(N))


@pytest.mark.tiny
@pytest.mark.parametrize("data", [lambda n: n.tolist(), lambda n: [int(v) for v in n], lambda n: [len(n), 2]])
def test_integers_of_pythons(data):
    def f(x, n):
        return x[0] * statistics.mean(data(n))

    assert adc.value_and_grad(f, mode="python")(X, N)[0] == f(X, N)
