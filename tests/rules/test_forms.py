"""Forms of calls beside those of the examples: computed as NumPy computes them, or refused on the user's line."""

import numpy as np
import pytest
import scipy.linalg
import scipy.special
from tests.interpreted import interpreted

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


def undefined(a, x):
    return np.sum(np.pad(a, 1, mode="empty")) + np.sum(x)


def memory_order(a, x):
    return np.sum(np.ravel(a.T, order="K") * np.arange(4.0))


def of_a_pair(a, x):
    w, v = scipy.linalg.eigh(a + a.T, x[0] * np.eye(2) + a.T @ a)
    smallest = scipy.linalg.eigh(a + a.T, eigvals_only=True, subset_by_index=[0, 0])
    return np.sum(w**3) + np.sum(v**4) + smallest[0] ** 2


def signed_sum(a, x):
    logarithm, sign = scipy.special.logsumexp(a, axis=1, b=x, return_sign=True)
    return np.sum(sign * np.exp(2.0 * logarithm))


def written_to_out(a, x):
    sums, bounded = np.ones(2), np.zeros(2)
    np.sum(a * a, axis=0, out=sums)
    np.clip(x, -0.1, 0.5, bounded)
    product = np.einsum("ij,jk->ik", a, a, out=np.zeros((2, 2)))
    return np.sum(sums**2) + np.sum(bounded**2) + np.sum(product**2) + np.sum(np.exp([x[0], x[1] * 2.0]))


def cross_products_in_the_plane(a, x):
    wide = np.stack([x, x**2, a[0], a[1]])
    flat = np.cross(wide[:, :2], wide[::-1, :2])
    return np.cross(x[:2], a[0, :2]) ** 2 + np.sum(flat**2 * x[0])


WIDTHS = np.array([[1, 0], [0, 2]])


def widths_in_an_array(a, x):
    lengths = np.array(a.shape)
    around = np.pad(a, np.stack([lengths, lengths - 1], axis=1), "edge")
    return (
        np.sum(np.pad(a, WIDTHS) ** 2)
        + around[0, 0] * around[3, 2] ** 2
        + np.pad(x, np.array([1, 2]), "reflect")[4]
    )


def joined_subarrays(a, x):
    """An array in place of a sequence of its rows, joined along axes that are counted from the back, or along none."""
    blocks = a[:, :, None] * x
    back = np.concatenate(blocks, axis=-1)
    front = np.concatenate(blocks, axis=-2)
    return back[0, 3] * back[1, 0] + front[3, 1] ** 2 + np.concatenate(blocks, axis=None)[5] ** 3


def determinants_of_one_row(a, x):
    return np.linalg.det(x[:1, None] - 0.6) * x[1] + np.sum(np.linalg.det(a[:, :1, None] * x[1]) ** 2)


ARGUMENTS = np.array([[0.3, -0.7], [1.1, 0.4]]), np.array([0.6, -0.2])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f",
    [
        by_columns,
        several_axes,
        from_below,
        ramp,
        mean,
        of_a_pair,
        signed_sum,
        written_to_out,
        widths_in_an_array,
        joined_subarrays,
        determinants_of_one_row,
    ],
    ids=lambda f: f.__name__,
)
def test_forms(f, mode):
    adc.check_grads(f, ARGUMENTS, order=1, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) >= "2.5.0",
    reason="NumPy itself takes vectors of three components only",
)
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_cross_products_in_the_plane(mode):
    adc.check_grads(cross_products_in_the_plane, ARGUMENTS, order=1, mode=mode)


def test_a_slice_is_deleted():
    adc.check_grads(without_a_slice, ARGUMENTS, order=1, mode="tape")


def made_longer(a, x):
    a.resize((3, 2))
    return np.sum(a) * x[0]


def by_a_loop_of_integers(a, x):
    return np.sum(np.multiply(a, a, signature="qq->q", casting="unsafe")) * x[0]


def twice_along_an_axis(a, x):
    return np.sum(np.fft.fftn(a, s=(3, 4), axes=(0, 0)).real) * x[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f, what",
    [
        (undefined, 'mode="empty"'),
        (memory_order, 'order="K"'),
        (made_longer, "resize"),
        (by_a_loop_of_integers, "signature"),
        (twice_along_an_axis, "named twice"),
    ],
)
def test_refused_forms(f, what, mode):
    with pytest.raises(adc.UnsupportedError, match=what) as caught:
        adc.grad(f, argnums=(0, 1), mode=mode)(*ARGUMENTS)
    assert caught.value.location is not None and caught.value.location.line == f.__code__.co_firstlineno + 1


def more_taken_off_than_there_is(a, s):
    """NumPy divides by zero then: infinities, which a comparison tells."""
    some = np.var(a, axis=0, ddof=3) + np.std(a, axis=0, ddof=4) + np.var(a, axis=0, where=a < 9.0, ddof=5)
    found = np.isinf(np.var(a, ddof=8)) * 2.0 + np.isinf(np.std(a, ddof=6)) * 4.0
    lost = np.sum(np.isnan(np.nanvar(a, axis=0, ddof=3))) + np.sum(np.isnan(np.nanstd(a, axis=0, ddof=2)))
    return s * (found + lost + np.sum(np.isinf(some)) + np.sum(np.isinf(np.cov(a, ddof=4))))


@pytest.mark.parametrize("mode", (*MODES, "compiled"))
@pytest.mark.filterwarnings("ignore")
def test_more_taken_off_than_there_is(mode):
    with interpreted():
        value, slope = adc.value_and_grad(more_taken_off_than_there_is, argnums=1, mode=mode)(
            ARGUMENTS[0], 0.7
        )
    assert value == more_taken_off_than_there_is(ARGUMENTS[0], 0.7) == 0.7 * slope


def skipping_nan(a, x):
    b = np.where(a > 1.0, np.nan, a)
    some = b > -0.5
    total = np.nansum(b, axis=0, initial=2.0) @ x + np.nanprod(b, where=some, initial=3.0)
    ends = np.nanmax(b, initial=-1.0) * np.nanmin(b, axis=1, where=some, initial=1.5)[1]
    return total + ends + np.nanmean(b, where=some) * np.nanvar(b) + np.nanstd(b, axis=1, where=some)[1]


def lengths(a, x):
    return np.hypot.reduce(x[1:]) * x[0] + np.sum(np.hypot.reduce(a, axis=0) ** 3)


def running_from_the_start(a, x):
    none = x[:0]
    sums = np.cumulative_sum(a, axis=-1, include_initial=True)
    products = np.cumulative_prod(none, include_initial=True)
    return np.sum(sums**2) + products[0] * x[0] * np.sum(np.diff(x, 0, prepend=1.0))


def turned(a, x):
    return np.sum(a.transpose(None)[0] * a.transpose()[1]) * x[0]


def one_element(a, x):
    return x[:1].item() * a[1:, 1:].item() ** 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f", [skipping_nan, lengths, running_from_the_start, turned, one_element], ids=lambda f: f.__name__
)
def test_more_forms(f, mode):
    if not hasattr(np, "cumulative_sum") and f is running_from_the_start:
        pytest.skip("NumPy 2.1")
    value, gradients = adc.value_and_grad(f, argnums=(0, 1), mode=mode)(*ARGUMENTS)
    np.testing.assert_allclose(value, f(*ARGUMENTS), rtol=1e-12)
    for k, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            step = np.zeros_like(gradient)
            step[place] = 1e-6
            ahead, behind = (
                [v + s * step if j == k else v for j, v in enumerate(ARGUMENTS)] for s in (1, -1)
            )
            assert abs(gradient[place] - (f(*ahead) - f(*behind)) / 2e-6) < 1e-6


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [np.cov, np.corrcoef])
def test_the_dtype_of_a_covariance(f, mode):
    single = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]], dtype=np.float32)

    def spread(x):
        return f(x, dtype=np.float32)

    value, pullback = adc.vjp(spread, single, mode=mode)
    assert value.dtype == pullback(value)[0].dtype == spread(single).dtype == np.float32


def test_the_other_byte_order():
    other = np.dtype(float).newbyteorder().str

    def f(x):
        return np.sum(x.astype(other) ** 2)

    with pytest.raises(adc.UnsupportedError, match="an array of dtype"):
        adc.grad(f, mode="python")(ARGUMENTS[1])
    np.testing.assert_array_equal(adc.grad(f, mode="tape")(ARGUMENTS[1]), 2.0 * ARGUMENTS[1])


def item_of_several(a, x):
    return x.item() * np.sum(a)


def cross_of_four(a, x):
    wide = np.concatenate((x, x))
    return np.sum(np.cross(wide, wide[::-1])) * a[0, 0]


def no_axis(a, x):
    return np.sum(np.cumulative_sum(a)) * x[0]


@pytest.mark.parametrize("mode", ["compiled", *MODES])
@pytest.mark.parametrize("f", [item_of_several, cross_of_four, no_axis], ids=lambda f: f.__name__)
def test_what_numpy_refuses(f, mode):
    if not hasattr(np, "cumulative_sum") and f is no_axis:
        pytest.skip("NumPy 2.1")
    with pytest.raises((ValueError, adc.AdcError)):
        adc.grad(f, mode=mode)(*ARGUMENTS)


def test_numbers_that_choose_elements():
    """A truth value is no operand with an adjoint: what a number chooses is chosen once for each call."""

    def f(x):
        return np.sum(x, where=x > 0.5) + np.mean(x * x, where=x < 5.0)

    for value in (np.float64(0.7), np.array(0.7)):
        np.testing.assert_allclose(adc.grad(f, mode="tape")(value), 2.4)
    np.testing.assert_allclose(adc.grad(f, mode="tape")(np.float64(0.2)), 0.4)


def in_single_precision(a):
    slopes, uneven = np.gradient(a), np.gradient(a, np.array([0.0, 1.0, 3.0]))
    edges = np.histogram(a, bins=3, range=(0.0, 2.0))[1] * a[0]
    return np.concatenate((slopes, uneven, edges, np.histogram(a, bins=2)[1]))


@pytest.mark.parametrize("mode", (*MODES, "compiled"))
def test_arrays_beside_single_precision(mode):
    """Where points and edges are of double precision NumPy gives what the data are."""
    a = np.array([0.3, 1.7, 0.9], np.float32)
    with interpreted():
        found, pull = adc.vjp(in_single_precision, a, mode=mode)
    expected = in_single_precision(a)
    assert found.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert pull(expected)[0].dtype == np.float32
