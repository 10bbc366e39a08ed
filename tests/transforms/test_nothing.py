"""What is added of adjoints that are zeros, as those of results that nobody reads, is left out."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(4)
TALL = R.normal(size=(5, 3))
SYMMETRIC = TALL.T @ TALL + np.eye(3)


def nuclear(a):
    return np.linalg.norm(a, "nuc")


def two_norms(a):
    return np.linalg.norm(a, "nuc") + np.linalg.norm(a, 2) ** 2


def values_alone(a):
    return np.sum(np.linalg.eigh(a)[0] ** 3)


def vectors_alone(a):
    return np.sum(np.linalg.eigh(a)[1] ** 4)


def right_vectors_alone(a):
    return np.sum(np.linalg.svd(a, full_matrices=False)[2] ** 4)


def both(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w**2) + np.sum(v**4)


def triangle_alone(a):
    return np.sum(np.linalg.qr(a)[1] ** 3)


FUNCTIONS = [
    (nuclear, TALL),
    (nuclear, TALL.T.copy()),
    (two_norms, TALL),
    (values_alone, SYMMETRIC),
    (vectors_alone, SYMMETRIC),
    (right_vectors_alone, TALL),
    (both, SYMMETRIC),
    (triangle_alone, TALL),
]


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(("function", "a"), FUNCTIONS)
def test_gradient(function, a, mode):
    value, bar = adc.value_and_grad(function, mode=mode)(a)
    assert value == pytest.approx(function(a), rel=1e-12)
    np.testing.assert_allclose(bar, adc.grad(function, mode="tape")(a), rtol=1e-9, atol=1e-11)


def test_the_adjoint_reads_as_by_hand():
    assert adc.source(adc.grad(nuclear), TALL).endswith(
        "    a_bar = u * np.expand_dims(terms_bar, -2) @ vt\n    return a_bar\n"
    )
    text = adc.source(adc.grad(values_alone), SYMMETRIC)
    assert "np.zeros" not in text
    assert text.count("@") == 1


def test_singular_values_of_one_matrix_are_found_once():
    assert adc.source(adc.grad(two_norms), TALL).count("np.linalg.svd(") == 1


def test_zeros_of_the_user_stay_and_meet_infinity():
    def f(a, b):
        none = np.zeros_like(a)
        return np.sum((a + none * b) ** 2)

    value, bar = adc.value_and_grad(f, mode="compiled")(np.ones(3), np.array([1.0, np.inf, 2.0]))
    assert np.isnan(value)
    np.testing.assert_array_equal(np.isnan(bar), [False, True, False])


def test_two_gradients_that_are_one_sum_have_memory_of_their_own():
    def f(a, b):
        w, _ = np.linalg.eigh(a + b)
        return np.sum(w**2)

    a_bar, b_bar = adc.grad(f, argnums=(0, 1), mode="compiled")(SYMMETRIC, SYMMETRIC)
    assert not np.shares_memory(a_bar, b_bar)
    np.testing.assert_allclose(a_bar, b_bar)
