"""Numbers beside single precision: values, dtypes and the branch that is taken are those of NumPy and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special as sp
from scipy import stats as st
from scipy.spatial import distance as sd
from tests.written import written

import adc

X = np.array([0.1, 0.3, 0.7, 0.7, 0.3, 2.5], np.float32)
GIVEN = {
    "x": X,
    "y": X.astype(float) * 0.9,
    "p": np.float32(0.7),
    "q": 0.7,
    "i": np.arange(1, 7, dtype=np.int32),
    "b": X > 0.5,
}
EXPRESSIONS = """
np.where(p > 0.5, q, 2.0) * x
np.where(p > 0.5, 1.0, 2.0) * p
np.heaviside(q, 0.5) * p
np.add(q, q) * p
np.abs(q) * p
np.sum(q) * p
np.power(q, 2) * p
np.maximum(i[0], 3) * p
(q + q) * p
abs(q) * p
q ** np.float32(2)
q ** 2 * x
q ** np.float64(2) * x
np.select([b, ~b], [x, 2.0])
np.select([b, ~b], [q, 2.0], x)
np.select([b, ~b], [x, True])
np.full(3, p, float)
np.zeros((), np.float32) + x[0]
np.ones((), x.dtype) * p
np.zeros_like(x, shape=()) + p
np.full((2,), x[0], dtype=float) * x[0]
np.sum(x, initial=y[0])
np.prod(x, initial=y[0])
np.max(x, initial=y[0])
np.min(x, initial=y[0], where=b)
np.sum(i, initial=2.7) * q
math.hypot(p, p)
math.hypot(x[0], x[1], q) * y
math.dist([p, p], [1, 2])
math.fsum(x)
math.fsum([p, q])
math.fsum(v * 2 for v in x)
math.log(p, 3)
np.histogram(x, 3)[0] * q
np.histogram(x, 3)[1]
np.histogram(x, 10, (0, 1))[0] * q
np.histogram(x, 7, (0.1, 3.3))[1]
np.histogram2d(x, x, 3)[1]
np.histogram2d(x, i, 3)[1]
np.histogram2d(x, x, 3, range=((0.1, 3.3), (0, 4)))[2]
sp.comb(x + 4, 2)
sp.perm(p + 4, 2)
st.linregress(x, x[::-1] * x)[0]
x[0] * 2 if p == q else x[0] * 3
x[0] * 2 if p < q else x[0] * 3
x[0] * 2 if q <= p else x[0] * 3
x[0] * 2 if p == np.float64(q) else x[0] * 3
x[0] * 2 if p > q - 0.6 else x[0] * 3
x[0] * 2 if x[2] < q else x[0] * 3
x[0] * 2 if float(x[2]) < q else x[0] * 3
np.where(x > q, x * 2, x)
np.where(x > np.float64(0.7), x * 2, x)
""".strip().splitlines()


def of(expression):
    text = f"def f({', '.join(GIVEN)}):\n    r = {expression}\n    return r, 2.0 * q\n"
    return written(text, f"<beside single: {expression}>", np=np, math=math, sp=sp, st=st, sd=sd)


def check(expression, mode):
    f = of(expression)
    wanted = f(*GIVEN.values())[0]
    i, b = GIVEN["i"], GIVEN["b"]
    (found, _), pull = adc.vjp(lambda x, y, p, q: f(x, y, p, q, i, b), *list(GIVEN.values())[:4], mode=mode)
    # Machine code gives a number in double precision as one of Python's.
    plain = mode == "compiled" and type(found) in (bool, int, float)
    assert np.asarray(found).dtype == np.asarray(np.asarray(wanted).item() if plain else wanted).dtype
    np.testing.assert_allclose(found, wanted, rtol=3e-7)
    adjoint = np.ones_like(wanted) if np.ndim(wanted) else type(wanted)(1.0)
    for bar, given in zip(pull((adjoint, 0.0)), GIVEN.values(), strict=False):
        assert np.asarray(bar).dtype == np.asarray(given).dtype


@pytest.mark.parametrize("mode", ["tape", "python"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_value_and_dtype_are_numpys(expression, mode):
    check(expression, mode)


@pytest.mark.parametrize("expression", EXPRESSIONS[::6])
@pytest.mark.machine_code
def test_value_and_dtype_are_numpys_in_machine_code(expression):
    check(expression, "compiled")


@pytest.mark.parametrize("mode", ["tape", "python"])
def test_gradient_of_a_distance_of_a_power_has_the_dtype_of_its_input(mode):
    def f(x, p):
        return sd.minkowski(x, x[::-1], p + 1)

    _, pull = adc.vjp(f, X, np.float32(0.7), mode=mode)
    assert [np.asarray(g).dtype for g in pull(np.float32(1.0))] == [np.float32, np.float32]
