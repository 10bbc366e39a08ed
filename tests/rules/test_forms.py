"""Forms of calls beside those of the examples: computed as NumPy computes them, or refused on the user's line."""

import numpy as np
import pytest

import adc

MODES = ("tape", "python")


def by_columns(a, x):
    return np.sum(np.reshape(a, (-1, 2), order="F")[1] ** 2) + a.ravel(order="F")[1] ** 3 * x[0]


def several_axes(a, x):
    return np.sum(np.moveaxis(a, [0, 1], [-1, -2])[0] ** 2) * x[1]


def from_below(a, x):
    return np.sum(np.clip(a, 0.1, None) ** 2) + np.sum(np.clip(x, None, 0.2) ** 3)


def without_a_slice(a, x):
    return np.sum(np.delete(a, slice(0, 1), axis=0) ** 2) + np.sum(x)


def ramp(a, x):
    return np.sum(np.pad(x, 2, mode="linear_ramp") ** 2)


def mean(a, x):
    return np.sum(np.pad(a, 1, mode="mean"))


def memory_order(a, x):
    return np.sum(np.ravel(a.T, order="K") * np.arange(4.0))


ARGUMENTS = np.array([[0.3, -0.7], [1.1, 0.4]]), np.array([0.6, -0.2])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [by_columns, several_axes, from_below], ids=lambda f: f.__name__)
def test_forms(f, mode):
    adc.check_grads(f, ARGUMENTS, order=1, mode=mode)


def test_a_slice_is_deleted():
    adc.check_grads(without_a_slice, ARGUMENTS, order=1, mode="tape")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f, what", [(ramp, "linear_ramp"), (mean, "mean"), (memory_order, 'order="K"')])
def test_refused_forms(f, what, mode):
    with pytest.raises(adc.UnsupportedError, match=what) as caught:
        adc.grad(f, argnums=(0, 1), mode=mode)(*ARGUMENTS)
    assert caught.value.location is not None and caught.value.location.line == f.__code__.co_firstlineno + 1
