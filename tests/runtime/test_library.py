"""What Numba learns from adc.runtime gives what NumPy and SciPy give."""

import math
import warnings

import numba
import numpy as np
import pytest

from adc import runtime as rt
from adc.runtime import fft as fft  # Numba learns numpy.fft
from adc.runtime import numpy_gaps as numpy_gaps  # and what else it lacks


@numba.njit(error_model="numpy")
def transforms(a):
    return (
        np.fft.fft(a),
        np.fft.ifft(a),
        np.fft.fft(a, norm="ortho"),
        np.fft.fft(a, n=6, axis=0),
        np.fft.irfft(a),
        np.fft.irfft(a, n=7, axis=0, norm="forward"),
    )


@numba.njit(error_model="numpy")
def real_transforms(a):
    return np.fft.rfft(a), np.fft.rfft(a, n=5, axis=0), np.fft.fft(a)


# Powers of two, small factors, primes, one element.
@pytest.mark.parametrize("length", [1, 2, 8, 12, 45, 64, 97, 121, 1021])
def test_transforms(length):
    generator = np.random.default_rng(length)
    a = generator.normal(size=(3, length)) + 1j * generator.normal(size=(3, length))
    if length > 1:
        for got, wanted in zip(transforms(a), transforms.py_func(a), strict=True):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=0, atol=4e-15 * max(1.0, np.abs(wanted).max()))
    for got, wanted in zip(
        real_transforms(a.real.copy()), real_transforms.py_func(a.real.copy()), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=4e-15 * max(1.0, np.abs(wanted).max()))


@numba.njit
def along(a, x):
    return (
        np.fft.fft(a, axis=1),
        np.fft.ifft(a.T, axis=1),
        np.fft.rfft(x, axis=1),
        np.fft.rfft(x[::2], n=9, axis=1),
        np.fft.rfft(x, n=14, axis=1),
        np.fft.irfft(a, n=7, axis=1),
        np.fft.irfft(a[:, ::-1], n=12, axis=1),
        np.fft.rfft(np.broadcast_to(x, (2, *x.shape)), axis=2),
    )


# More rows than a block has, side by side and one behind the other, and an odd number of them.
@pytest.mark.parametrize("shape", [(37, 8, 1), (1, 8, 37), (3, 6, 19), (2, 97, 2), (9, 210, 1), (11, 1, 2)])
def test_transforms_of_many_rows(shape):
    generator = np.random.default_rng(0)
    a = generator.normal(size=shape) + 1j * generator.normal(size=shape)
    for got, wanted in zip(along(a, a.real.copy()), along.py_func(a, a.real.copy()), strict=True):
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=0, atol=4e-15 * max(1.0, np.abs(wanted).max()))


def test_transforms_of_nothing():
    assert transforms(np.zeros((0, 3), complex))[0].shape == (0, 3)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        transforms(np.zeros((3, 0), complex))


def test_single_precision_stays_single():
    assert real_transforms(np.ones((2, 6), np.float32))[0].dtype == np.complex64


@numba.njit
def orders(a):
    return np.argsort(a), np.argsort(a, axis=0), np.argsort(a, axis=1, kind="stable")


def test_argsort_of_complex_numbers_along_an_axis():
    a = np.random.default_rng(0).integers(0, 5, size=(4, 3, 6)) + 1j
    for axis, got in zip((-1, 0, 1), orders(a), strict=True):
        assert np.array_equal(got, np.argsort(a, axis=axis, kind="stable"))


@pytest.mark.parametrize("dtype", [float, np.float32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("n", [0, 1, 2, 13, 100, 400, 401, 3000])  # merged up to 400, then distributed
def test_argsort(dtype, n):
    generator = np.random.default_rng(n)
    a = np.abs(np.round(20 * generator.normal(size=(2, n, 3)))).astype(dtype)
    if np.dtype(dtype).kind in "if":
        a = a - a.dtype.type(5)
    if np.dtype(dtype).kind == "f" and n > 2:
        a.flat[generator.integers(0, a.size, 5)] = [np.nan, -np.nan, np.inf, -np.inf, -0.0]
    for x, axis in ((a[0, :, 1].copy(), -1), (a, 1)):
        assert np.array_equal(rt.argsort(x, axis), np.argsort(x, axis=axis, kind="stable"))


def test_argsort_of_what_is_not_contiguous():
    a = np.random.default_rng(0).normal(size=(6, 500)).T
    for axis in (0, -1):
        assert np.array_equal(rt.argsort(a[::-2], axis), np.argsort(a[::-2], axis=axis))


def test_argsort_of_the_furthest_integers():
    a = np.array([2**63 - 1, -(2**63), 0, 5, -1])
    assert np.array_equal(rt.argsort(a, 0), np.argsort(a))


@numba.njit
def views(a, count):
    turned = rt.transpose(a, (2, 0, 1))
    total = 0.0
    for k in range(count):  # each of them releases what it is a view of
        total += rt.transpose(np.full((2, 3), float(k)), (1, 0))[2, 1]
    return turned, np.ascontiguousarray(turned), total


def test_transpose():
    a = np.random.default_rng(0).normal(size=(3, 4, 5))
    for x in (a, a[::-1, :, ::2], np.asfortranarray(a), a[:0]):
        view, copy, total = views(x, 10)
        assert np.array_equal(view, np.transpose(x, (2, 0, 1))) and np.array_equal(copy, view)
        assert np.shares_memory(view, x) or x.size == 0
        assert total == 45.0


@numba.njit
def mantissas(a, x):
    return np.frexp(a), np.frexp(x)


def test_frexp():
    a = np.random.default_rng(0).normal(size=(3, 2))
    parts, part = mantissas(a, 2.5)
    assert all(np.array_equal(g, w) for g, w in zip(parts, np.frexp(a), strict=True))
    assert part == math.frexp(2.5)


def test_kernels_of_scipy():
    special = pytest.importorskip("scipy.special")
    from adc.runtime import scipy_special

    assert {"psi", "gammainc", "jv", "betainc", "xlogy", "hyp2f1", "ndtri"} <= set(scipy_special.KERNELS)

    @numba.njit
    def values(x):
        return (
            special.psi(x),
            special.gammainc(1.5, x),
            special.jv(2, x),
            special.xlogy(x, 2.5),
            special.expit(x),
            special.hyp2f1(1.5, 2.5, 3.5, 0.1 * x),
            special.zeta(2.5, x),
            special.polygamma(2, x),
        )

    for x in (0.1, 0.7, 2.0, 9.5, 40.0):
        np.testing.assert_allclose(values(x), values.py_func(x), rtol=1e-12)
    assert values(np.float32(0.7))[0] == np.float32(special.psi(np.float32(0.7)))


def test_kernels_of_complex_numbers_and_of_several_results():
    special = pytest.importorskip("scipy.special")
    from adc.runtime import scipy_special  # noqa: F401

    @numba.njit
    def values(x):
        return special.wofz(x + 0.3j), special.hankel1(1.5, x), special.gamma(x + 1j), special.expi(x)

    @numba.njit
    def several(x):
        return special.sici(x), special.airy(x), special.airy(x + 1j)

    for x in (0.1, 0.7, 2.0, 9.5):
        np.testing.assert_allclose(values(x), values.py_func(x), rtol=1e-12)
    for x in (0.7, np.arange(1.0, 7.0).reshape(2, 3), np.arange(1.0, 7.0).reshape(2, 3).T):
        for got, wanted in zip(several(x), several.py_func(x), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert several(np.ones(2, np.float32))[0][1].dtype == np.float32


def test_lambert_w():
    special = pytest.importorskip("scipy.special")
    from adc.runtime import scipy_special  # noqa: F401

    @numba.njit
    def value(z, k):
        return special.lambertw(z, k)

    generator = np.random.default_rng(0)
    spread = 10.0 ** generator.uniform(-12, 300, 40) * np.exp(1j * generator.uniform(-np.pi, np.pi, 40))
    real = [0.0, 1.0, -0.2, -0.367, -5.0, 1e-300, np.inf, -np.inf]
    for z in np.concatenate([spread, generator.normal(size=40) + 1j * generator.normal(size=40), real]):
        for k in (-2, -1, 0, 1, 2):
            np.testing.assert_allclose(value(complex(z), k), special.lambertw(z, k), rtol=1e-13)


def test_products_of_matrices_and_vectors_in_any_order():
    from adc.runtime.products import dot

    generator = np.random.default_rng(0)

    def orders(x):
        if x.dtype == np.float32:  # as doubles are: the same loops
            return x, x[..., ::-1, :].copy()[..., ::-1, :]
        wide = np.zeros((*x.shape[:-2], 2 * x.shape[-2], x.shape[-1] + 3), x.dtype)
        wide[..., ::2, 1:-2] = x
        tall = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        tall[..., ::2] = x
        columns = np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2)
        return x, columns, wide[..., ::2, 1:-2], tall[..., ::2], x[..., ::-1, :].copy()[..., ::-1, :]

    def strides(x):
        return x, np.repeat(x, 3)[::3], x[::-1].copy()[::-1], np.stack([x, x], 1)[:, 0]

    for dtype in (np.float64, np.float32):
        for n, m in ((3, 4), (9, 8), (1, 80), (80, 1), (0, 3), (3, 0)):
            a, x, y = (generator.normal(size=shape).astype(dtype) for shape in ((n, m), m, n))
            for matrix in orders(a):
                for right in strides(x):
                    np.testing.assert_allclose(dot(matrix, right), a @ x, rtol=1e-4, atol=1e-5)
                for left in strides(y):
                    np.testing.assert_allclose(dot(left, matrix), y @ a, rtol=1e-4, atol=1e-5)
            for left in strides(x):
                for right in strides(x[::-1]):
                    np.testing.assert_allclose(dot(left, right), x @ x[::-1], rtol=1e-4, atol=1e-5)
        for lengths in ((3, 4, 5), (9, 8, 7), (1, 30, 2), (30, 1, 4), (2, 0, 3), (0, 2, 3)):
            for batch in ((), (4,), (0,), (300,)):
                a = generator.normal(size=(*batch, *lengths[:2])).astype(dtype)
                b = generator.normal(size=(*batch, *lengths[1:])).astype(dtype)
                for x in orders(a):
                    for y in orders(b):
                        found = dot(x, y)
                        assert found.dtype == dtype
                        np.testing.assert_allclose(
                            found, a @ b, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5
                        )


def test_complex_products_in_any_order_of_memory_warn_of_nothing():
    z = np.arange(24.0).reshape(4, 6) * (1.0 + 0.5j)
    product = numba.njit(lambda a, b: rt.dot(a, b))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for a, b in [(z[:, ::2], z[::2, :3].T[:3]), (z[::-1], z.T), (z[0, ::2], z[:3, ::-1]), (z.T, z[:, 0])]:
            np.testing.assert_allclose(product(a, b[: a.shape[-1]]), a @ b[: a.shape[-1]])


def test_one_function_reads_matrices_in_any_order():
    x = np.random.default_rng(2).normal(size=(6, 5))
    every = numba.njit(lambda x: (rt.dot(x, x.T), rt.dot(x.T, x), rt.dot(x[:, ::2], x[:, ::2].T)))
    for got, wanted in zip(every(x), every.py_func(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    of_matrices = [
        kinds
        for kinds in rt.dot._dispatcher.overloads
        if all(k.ndim == 2 and k.dtype == numba.float64 for k in kinds)
    ]
    assert len(of_matrices) == 1


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.int64, np.float32, np.complex128])
def test_rooms_of_every_dtype(dtype):
    made = numba.njit(
        lambda n: (rt.empty_of(n, dtype), rt.empty_of((n, 2), dtype), rt.zeros_of((2, n), dtype))
    )(3)
    assert [(x.dtype, x.shape) for x in made] == [(dtype, (3,)), (dtype, (3, 2)), (dtype, (2, 3))]
    np.testing.assert_array_equal(made[2], np.zeros((2, 3), dtype))


def test_rooms_of_any_number_of_lengths():
    made = numba.njit(
        lambda n: (
            rt.zeros(n),
            rt.zeros((n, 1)),
            rt.zeros((2, n, 1, n, 2)),
            rt.zeros_of((n, 2, 1, 2, n, 0), np.int8),
        )
    )(3)
    for got, wanted in zip(
        made, map(np.zeros, [3, (3, 1), (2, 3, 1, 3, 2), (3, 2, 1, 2, 3, 0)]), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)
        assert got.flags.c_contiguous and got.flags.writeable and got.nbytes == got.size * got.itemsize
        assert got.size == 0 or got.strides == tuple(n // (8 // got.itemsize) for n in wanted.strides)


@pytest.mark.parametrize(("n", "said"), [(-1, "negative dimensions"), (2**21, "array is too big")])
def test_rooms_of_impossible_lengths(n, said):
    for made in (lambda n: rt.empty((n, n, n)), lambda n: rt.zeros((n, n, n, 1, n, n))):
        with pytest.raises(ValueError, match=said):
            numba.njit(made)(n)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 4)])
def test_singular_vectors(shape):
    a = np.random.default_rng(3).normal(size=shape)
    k = min(shape)
    u, s, vt = numba.njit(lambda a: rt.svd(a))(a)
    assert (u.shape, vt.shape) == ((shape[0],) * 2, (shape[1],) * 2)
    np.testing.assert_allclose(u[:, :k] * s @ vt[:k], a, atol=1e-14)
    u, s, vt = numba.njit(lambda a: rt.thin_svd(a))(a)
    assert (u.shape, vt.shape) == ((shape[0], k), (k, shape[1]))
    np.testing.assert_allclose(u * s @ vt, a, atol=1e-14)


@pytest.mark.parametrize("side", ("left", "right"))
@pytest.mark.parametrize("n", (0, 1, 2, 7, 64, 1000))
def test_searches_side_by_side_find_what_numpy_finds(n, side):
    r = np.random.default_rng(n)
    a = np.sort(np.round(r.normal(size=n), 1))
    a[n - n // 5 :] = np.nan
    v = np.concatenate((np.round(r.normal(size=600), 1), a, [np.nan, np.inf, -np.inf, -0.0]))
    wanted = np.searchsorted(a, v, side=side)
    assert np.array_equal(rt.searchsorted(a, v, side == "right"), wanted)
    assert np.array_equal(rt.searchsorted(np.repeat(a, 2)[::2], v[::-1], side == "right"), wanted[::-1])


CONVOLUTIONS = {"full": rt.convolve, "same": rt.convolve_same, "valid": rt.convolve_valid}


@pytest.mark.parametrize("mode", CONVOLUTIONS)
@pytest.mark.parametrize(
    ("n", "m"), ((1, 1), (5, 2), (2, 5), (7, 7), (600, 9), (9, 600), (300, 290), (40, 31))
)
def test_convolutions_are_numpys(n, m, mode):
    r = np.random.default_rng(n + m)
    a, v = r.normal(size=2 * n)[::-2], r.normal(size=m)
    assert np.allclose(CONVOLUTIONS[mode](a, v), np.convolve(a, v, mode), rtol=0, atol=1e-12)


@pytest.mark.parametrize("mode", CONVOLUTIONS)
@pytest.mark.parametrize("taps", ([1.0, np.inf, 2.0], [np.nan, 1.0, 2.0, 0.5]))
def test_infinite_taps_reach_no_further_than_numpys(taps, mode):
    a, v = np.arange(1.0, 9.0), np.array(taps)
    for left, right in ((a, v), (v, a)):
        assert np.array_equal(CONVOLUTIONS[mode](left, right), np.convolve(left, right, mode), equal_nan=True)


def test_convolutions_of_nothing_raise():
    with pytest.raises(ValueError, match="v cannot be empty"):
        rt.convolve(np.ones(2), np.ones(0))


@numba.njit(error_model="numpy")
def positions_but_nan(a):
    return np.nanargmax(a), np.nanargmin(a), np.nanargmax(a, axis=1), np.nanargmin(a, axis=0)


def test_positions_of_extremes_that_are_not_nan():
    a = np.random.default_rng(3).integers(-2, 3, size=(5, 6)).astype(float)
    a[0, 2] = a[3, :4] = np.nan
    a[4] = -np.inf
    for got, wanted in zip(positions_but_nan(a), positions_but_nan.py_func(a), strict=True):
        np.testing.assert_array_equal(got, wanted)
    a[3] = np.nan
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        positions_but_nan(a)
