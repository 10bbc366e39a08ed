"""What NumPy makes of arrays and numbers of mixed dtypes has NumPy's value and dtype in generated code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.written import written

import adc

X = np.array([0.5, 1.5, 2.5, 3.5], np.float32)
GIVEN = {
    "x": X,
    "y": X.astype(float),
    "z": (X + 1j * X).astype(np.complex64),
    "i": np.arange(1, 5, dtype=np.int32),
    "h": np.arange(4, dtype=np.int8),
    "b": np.array([True, False, True, True]),
    "A": np.arange(1, 17, dtype=np.float32).reshape(4, 4) / 7 + np.eye(4, dtype=np.float32),
}
EXPRESSIONS = """
np.empty_like(i)*0
np.zeros_like(i)
np.zeros_like(x)
np.ones_like(b)
np.ones_like(z)
np.full_like(i, 2.7)
np.full_like(x, 2)
np.full(3, np.float32(2))
np.full(3, 2)
np.full((2,2), True)
np.full(3, 2.5, dtype=np.float32)
np.zeros(x.shape, x.dtype)
np.ones(3, dtype=np.int8)
np.eye(3, dtype=np.float32)
np.identity(3, dtype=np.int64)
np.tri(3, dtype=np.float32)
np.tril(A)
np.arange(4, dtype=np.float32)
np.arange(np.float32(4))
np.linspace(x[0], x[1], 5)
np.linspace(0, 1, 5, dtype=np.float32)
np.logspace(x[0], x[1], 5)
np.geomspace(x[0], x[1], 5)
np.asarray(x)
np.array([x[0], 2.0])
np.array([x[0], x[1]])
np.array([1, x[1]])
np.array([x[0], 1j])
np.array([1, 2.5], dtype=np.float32)
np.stack([x, i])
np.concatenate([x, h])
np.concatenate([x, i])
np.concatenate([h, i])
np.hstack([x, x[0]])
np.where(b, x, 0)
np.where(b, x, 0.0)
np.where(b, i, 0.5)
np.where(b, h, 1)
np.where(b, x, i)
np.where(b, 1, 0)
np.clip(x, 0, 1)
np.clip(i, 0, 2)
np.clip(h, 0.5, 2.5)
np.maximum(x, i)
np.maximum(x, 1)
np.minimum(h, 2)
x * h
x * i
x * b
x / i
i / h
i // h.clip(1)
h * h
h + 1
h ** 2
x ** i
x ** h
i ** 2
i ** 0.5
np.power(x, 2)
np.sqrt(h)
np.sqrt(i)
np.exp(b)
np.sin(h)
np.float32(2) * i
np.float32(2) * h
np.int32(2) * x
x + np.int64(1)
x + np.int8(1)
x + 1
x + True
i + True
np.mean(x)
np.mean(i)
np.mean(h)
np.mean(b)
np.sum(h)
np.sum(b)
np.sum(x, dtype=np.float64)
np.prod(h)
np.prod(b)
np.cumsum(h)
np.cumsum(b)
np.cumprod(i)
np.diff(h)
np.diff(b)
np.std(i)
np.var(x)
np.var(h)
np.median(x)
np.median(i)
np.percentile(x, 40)
np.quantile(i, 0.3)
np.average(x, weights=i)
np.average(i, weights=x)
np.ptp(h)
np.max(h)
np.argmax(x)
np.sort(h)
np.argsort(x)
np.unique(h)
np.dot(x, i)
np.dot(h, h)
np.dot(x, x)
A @ i
A @ h
A @ y
h @ h
np.outer(x, h)
np.outer(i, h)
np.kron(h, i)
np.inner(x, i)
np.vdot(x, i)
np.vdot(z, x)
np.tensordot(A, x, 1)
np.einsum('ij,j', A, i)
np.einsum('i,i', h, h)
np.trace(A)
np.trace(np.outer(h, h))
np.cross(x[:3], i[:3])
np.linalg.norm(x)
np.linalg.norm(i)
np.linalg.norm(h)
np.linalg.norm(A, 'fro')
np.linalg.norm(A, 2)
np.linalg.norm(x, np.inf)
np.linalg.norm(i, 1)
np.linalg.det(A)
np.linalg.inv(A)
np.linalg.solve(A, i)
np.linalg.solve(A, x)
np.linalg.solve(A, y)
np.linalg.lstsq(A, x, rcond=None)[0]
np.linalg.eigvalsh(A + A.T)
np.linalg.svd(A)[1]
np.linalg.cholesky(A @ A.T + np.eye(4))
np.linalg.cholesky(A @ A.T + np.eye(4, dtype=np.float32))
np.linalg.pinv(A)
np.linalg.matrix_power(A, 2)
np.linalg.matrix_rank(A)
np.linalg.cond(A)
np.linalg.slogdet(A)[1]
np.linalg.qr(A)[1]
np.fft.fft(x)
np.abs(np.fft.fft(i))
np.fft.rfft(x)
np.fft.irfft(z)
np.convolve(x, i)
np.convolve(h, h)
np.correlate(x, x)
np.interp(x, i, i)
np.interp(x, x, x)
np.trapezoid(x)
np.trapezoid(i)
np.trapezoid(x, y)
np.gradient(x)
np.gradient(i)
np.polyval([1, 2], x)
np.polyval(x, 2)
np.polyval(x, 2.0)
np.polyfit(x, x, 1)
np.vander(x)
np.vander(i)
np.histogram(x, 3)[0]
np.histogram(x, 3)[1]
np.bincount(i)
np.bincount(i, weights=x)
np.digitize(x, i)
np.searchsorted(x, x)
np.round(x, 1)
np.round(i, 1)
np.floor(x)
np.floor(i)
np.trunc(h)
np.rint(i)
np.sign(h)
np.sign(x)
np.abs(h)
np.abs(z)
np.angle(z)
z.real
np.real(x)
np.imag(x)
np.conj(x)
z * x
z * y
z * i
z * 2
z * 2.0
z * 1j
x * 1j
i * 1j
np.exp(z)
np.mod(x, 2)
np.mod(i, 2)
np.mod(h, x + 1)
np.fmod(x, 2)
np.remainder(i, 2.5)
np.floor_divide(x, 2)
np.divmod(x, 2)[0]
np.hypot(x, i)
np.arctan2(x, i)
np.arctan2(h, h)
np.logaddexp(x, i)
np.heaviside(x, 0.5)
np.copysign(i, x)
np.nextafter(x, 1)
np.isfinite(x)
np.nan_to_num(x)
np.nan_to_num(i)
np.nansum(x)
np.nanmean(x)
np.nanmean(i)
np.pad(x, 1)
np.pad(h, 1)
np.pad(x, 1, constant_values=2)
np.roll(h, 1)
np.repeat(h, 2)
np.tile(h, 2)
np.take(h, i % 4)
np.choose(h % 2, [x, i])
np.select([b], [x], 0)
np.select([b], [h], 0.5)
np.piecewise(x, [b], [1, 2])
np.piecewise(i, [b], [1.5, 2.5])
np.diag(h)
np.meshgrid(x, i)[1]
np.broadcast_to(h, (2, 4))
np.insert(x, 0, 1)
np.append(x, 1)
np.append(h, 1)
np.append(x, y)
np.delete(x, 0)
np.cov(x)
np.cov(A)
np.corrcoef(A)
np.bitwise_and(i, 3)
np.left_shift(h, 1)
np.logical_and(x, i)
np.count_nonzero(x)
np.nonzero(x)[0]
np.ediff1d(x)
np.cbrt(x)
np.cbrt(h)
np.square(h)
np.reciprocal(x)
np.deg2rad(x)
np.deg2rad(i)
np.sinc(x)
np.sinc(i)
np.i0(x)
np.unwrap(x)
np.float64(x[0]) * x
float(x[0]) * x
x[0] * x
x[0] * y
x[0] * i
x[0] * 2.0
x[0] * i[0]
i[0] * 2.0
i[0] / i[1]
h[0] + h[1]
h[0] * 2
i[0] * h[1]
x.astype(float)
x.astype(np.int32)
i.astype(np.float32)
b.astype(np.float32)
x.sum()
x.mean()
h.sum()
h.mean()
x.dot(i)
x.cumsum()
h.prod()
x.std()
x.max()
x.round(1)
np.sum([x[0], x[1]])
sum(x)
sum(h)
sum([x[0], 2.0])
max(h)
abs(h)
round(x[0], 1)
pow(x[0], 2)
divmod(x[0], 2)[1]
x[0] ** 2
x[0] ** 0.5
i[0] ** 2
i[0] ** -1.0
2 ** x
2.0 ** i
2 ** i
-h
~h
1 - x
1 / x
1.0 / i
1 / h.clip(1)
np.add.reduce(h)
np.multiply.outer(h, x)
np.add.accumulate(h)
np.maximum.reduce(x)
np.add.reduceat(x, [0, 2])
np.float32(np.pi) * y
np.pi * x
np.sqrt(2) * x
np.sqrt(np.float32(2)) * x
np.exp(-1) * x
np.log(2.0) * i
(2.0 * np.ones(4)) * x
np.ones(4) * x
np.zeros(4) + x
np.eye(4) @ x
[1.0, 2.0, 3.0, 4.0] * x
np.array([1, 2, 3, 4]) * x
np.arange(4) * x
np.linspace(0, 1, 4) * x
np.any(x)
np.sum(x[0] > 0)
np.mean(h[1])
np.prod(b[0])
np.sum(np.int8(100)) * np.sum(np.int8(100))
""".strip().splitlines()


STATEMENTS = """
r = max(v for v in h) * h[3] * 100
r = max(v for v in i) + h[3]
r = max(v * 0.5 for v in h)
r = min(v for v in i if v > 1) + h[3]
r = max(h[3], 300)
r = max(i[0], 10**10)
r = max(h[3], 5) * x
r = 300 if w > 0.0 else h[0]
r = -1 if w > 0.0 else h[0]; r = r > 100
r = h[3] if w > 0.0 else i[0]; r = r * i
r = math.pow(h[3] * 30, 2)
r = math.sqrt(h[3] * 30)
r = math.hypot(h[3] * 30, h[3] * 30)
r = math.pow(i[3], 20)
r = math.fmod(h[3], 2)
r = math.fabs(i[0])
r = math.comb(h[3] * 10, 4)
r = math.dist(h * 30, [1, 2, 3, 4])
r = math.dist(x, y)
r = math.fsum([x[0], x[1]])
u = h.astype(np.uint8); r = x.copy(); r -= u
u = h.astype(np.uint8); r = y.copy(); r[0] -= u[3]
u = h.astype(np.uint8); r = y.copy(); np.subtract.at(r, [0, 1, 1, 3], u)
u = h.astype(np.uint8); r = i.copy(); np.subtract.at(r, [0, 1, 1, 3], u)
r = y.copy(); r -= b
r = y.copy(); r -= (h - 127) - 1
u = h.astype(np.uint8); r = x + -u
u = h.astype(np.uint8); r = w + -u[3]
u = h.astype(np.uint8); r = x - u * -1.0
r = (i * 1.0) * 2000000000 * x
r = np.indices((2, 2), dtype=float)
r = np.fromfunction(lambda a: a * 2, (3,))
r = np.ones_like(x[0])
r = np.outer(h, 100)
r = np.select([b, i > 2], [x, 0.1], 1)
r = np.select([b, i > 2], [h, 5], 1)
r = np.select([b, i > 2], [0.1, 0.2], 1)
""".strip().splitlines()
BY_PATH = """
n = h[3] if w > 0.0 else i[0]; r = n + h[3]
n = 5 if w > 0.0 else h[0]; r = n * 100
n = h[3] if w > 0.0 else 0.5; r = n * 100
n = b[0] if w > 0.0 else 1; r = n + True
n = h if w > 0.0 else i; r = n * h
n = h if w > 0.0 else x; r = n * h
n = b if w > 0.0 else i; r = n + b
n = max(h[3], i[0]); r = -n - 100
n = max(h[3], 2); r = n * 100
n = 300 if w > 0.0 else h[0]; m = n if w > 1.0 else 2; r = m + 1
""".strip().splitlines()


def of(statements):
    """The sum of what statements leave in `r`, and a number to differentiate."""
    lines = [f"    {statement.strip()}\n" for statement in statements.split(";")]
    text = f"def f(w, {', '.join(GIVEN)}):\n{''.join(lines)}    return np.sum(r), 2.0 * w\n"
    return written(text, f"<{statements}>", math=math, np=np)


def check(statements, mode):
    f = of(statements)
    with np.errstate(all="ignore"):
        wanted = f(1.0, *GIVEN.values())[0]
        (found, _), _ = adc.vjp(lambda w: f(w, *GIVEN.values()), 1.0, mode=mode)
    # Machine code gives a number in double precision as one of Python's.
    plain = mode == "compiled" and type(found) in (bool, int, float, complex)
    assert np.asarray(found).dtype == (np.asarray(wanted.item()) if plain else wanted).dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_value_and_dtype_are_numpys(expression):
    check(f"r = {expression}", "python")


@pytest.mark.parametrize("expression", EXPRESSIONS[1::12])
@pytest.mark.machine_code
def test_value_and_dtype_are_numpys_in_machine_code(expression):
    check(f"r = {expression}", "compiled")


@pytest.mark.parametrize("statements", STATEMENTS)
@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_statements_have_numpys_value_and_dtype(statements, mode):
    check(statements, mode)


@pytest.mark.parametrize("statements", BY_PATH)
def test_narrow_arithmetic_whose_dtype_the_path_decides_is_refused(statements):
    f = of(statements)
    with pytest.raises(adc.UnsupportedError, match="by the path"):
        adc.vjp(lambda w: f(w, *GIVEN.values()), 1.0, mode="compiled")
    (found, _), _ = adc.vjp(lambda w: f(w, *GIVEN.values()), 1.0, mode="tape")
    np.testing.assert_array_equal(found, f(1.0, *GIVEN.values())[0])
