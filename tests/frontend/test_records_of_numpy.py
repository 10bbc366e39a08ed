"""Arrays with fields, masked arrays and matrices are refused, with what may be written in their place."""

import numpy as np
import pytest

import adc

FIELDS = np.dtype([("a", float), ("b", float)])
X = np.array([0.5, -1.5, 2.0])


def of_pairs(x):
    r = np.array([(x[0], 2.0), (3.0, x[1])], dtype=FIELDS)
    return np.sum(r["a"] * r["b"])


def a_buffer(x):
    r = np.zeros(3, dtype=FIELDS)
    r["a"] = x
    return np.sum(r["a"] ** 2)


def like_another(x):
    r = np.zeros_like(x, dtype=FIELDS)
    r["a"] = x
    return np.sum(r["a"] ** 2)


def converted(x):
    return np.sum(x.astype(FIELDS)["a"])


def filled(x):
    return np.sum(np.full(3, x[0], dtype=FIELDS)["a"])


def records(x):
    r = np.rec.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", float), ("b", float)])
    return np.sum(r.a) * x[0]


def masked(x):
    return np.ma.masked_where(x < 0, x).mean()


def matrix(x):
    m = np.matrix([[x[0], x[1]], [x[2], 1.0]])
    return np.sum(m * m)


@pytest.mark.parametrize(
    "f", [of_pairs, a_buffer, like_another, converted, filled, records], ids=lambda f: f.__name__
)
def test_fields_are_refused(f):
    with pytest.raises(adc.UnsupportedError, match="Use an array for each field, in a dict or a dataclass"):
        adc.grad(f, mode="compiled")(X)


@pytest.mark.parametrize("f", [a_buffer, like_another], ids=lambda f: f.__name__)
def test_a_field_that_is_written_to_on_the_tape(f):
    with pytest.raises(adc.GraphCutError, match=r"of elements with fields, to an array for each field"):
        adc.grad(f, mode="tape")(X)


def test_constant_records_on_the_tape():
    np.testing.assert_array_equal(adc.grad(records, mode="tape")(X), [4.0, 0.0, 0.0])


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_masked_arrays_are_refused(mode):
    with pytest.raises(adc.UnsupportedError, match=r"Keep the mask beside the array: np\.mean\(x\[~mask\]\)"):
        adc.grad(masked, mode=mode)(X)


def test_matrices_are_refused():
    with pytest.raises(adc.UnsupportedError, match=r"Use np\.array, and `a @ b` for the product"):
        adc.grad(matrix, mode="compiled")(X)
