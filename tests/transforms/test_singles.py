"""Single precision is simplified as double precision is: the texts differ in what the numbers are called alone."""

from __future__ import annotations

import ast
import math
import re

import numpy as np
import pytest

import adc
from adc.compiler.backend.expressions import constant

R = np.random.default_rng(5)


def energy(x, y):
    apart = x - y
    distance = np.sqrt(apart * apart + 0.01)
    return -0.5 * np.sum(x * y / distance) + np.sum(0.2 * apart**2)


def wave(x, y):
    for _ in range(4):
        x = x[1:-1] - 0.2 * x[1:-1] * (x[2:] - x[:-2]) + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return 0.5 * np.sum((x - y[4:-4]) ** 2)


def by_elements(x, y):
    total = x[0] * y[0]
    for i in range(1, x.shape[0]):
        total += x[i] / (1.0 + y[i] * y[i]) if x[i] > 0.3 else 2.0 * x[i] * y[i]
    return total / 4.0


def plainly(text: str) -> str:
    """A text with the numbers and arrays of single precision as those of double precision are written."""
    text = re.sub(r"np\.float32\((-?(?:np\.)?[\w.]+(?:e-?\d+)?)\)", r"\1", text)
    return re.sub(r"rt\.(empty|zeros)_of\((.+), np\.float32\)", r"rt.\1(\2)", text)


@pytest.mark.parametrize("f", (energy, wave, by_elements), ids=lambda f: f.__name__)
def test_the_texts_of_single_and_double_precision_are_one(f):
    x, y = R.uniform(0.5, 1.5, size=(2, 20))
    single = x.astype(np.float32), y.astype(np.float32)
    gradient = adc.grad(f, argnums=(0, 1))
    texts = [gradient.source(*args, stage="optimized").split("def ")[1:] for args in ((x, y), single)]
    double, plain = (["def " + part.split("import")[0] for part in text] for text in texts)
    assert [plainly(part) for part in plain] == double
    for found, expected in zip(gradient(*single), gradient(x, y), strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=3e-5, atol=1e-5)


def marked(x, levels, bound):
    return np.sum(np.where(levels == 0.1, 3.0 * x, x)) + np.sum(x[levels <= bound])


@pytest.mark.parametrize("mode", ("compiled", "python", "tape"))
def test_a_number_of_pythons_is_compared_as_one_of_single_precision(mode):
    levels = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    gradient = adc.grad(marked, mode=mode)
    np.testing.assert_array_equal(gradient(np.ones(3), levels, 0.2), [4.0, 2.0, 1.0])
    np.testing.assert_array_equal(gradient(np.ones(3), levels, np.float64(0.2)), [4.0, 1.0, 1.0])


def of_a_computed_bound(x, s):
    bound = math.exp(s) / math.exp(s) * 0.1
    return np.sum(np.where(x <= bound, 3.0 * x, x)) + (2.0 * x[0] if x[0] == bound else x[0])


@pytest.mark.parametrize("mode", ("compiled", "python", "tape"))
def test_so_is_one_that_the_run_computes(mode):
    x = np.array([0.1, 0.2], dtype=np.float32)
    np.testing.assert_array_equal(adc.grad(of_a_computed_bound, mode=mode)(x, 1.0), [5.0, 1.0])


@pytest.mark.parametrize("value", (0.1, 0.2, 1e-7, 16777217.0, 3.4e38, 1 / 3, 2.0**-149))
def test_a_number_of_single_precision_is_printed_with_few_digits(value):
    single = np.float32(value)
    printed = ast.unparse(constant(single))
    assert eval(printed) == single
    assert len(printed) <= len(f"np.float32({single})")


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_the_adjoint_of_a_mean_is_one_number(mode):
    x = np.linspace(-1.0, 1.0, 5, dtype=np.float32)

    def loss(x):
        return np.mean(np.maximum(x, 0.0) ** 2) + np.sum(1.0 * x)

    gradient = adc.grad(loss, mode=mode)
    found = gradient(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 0.4 * np.maximum(x, 0.0) + 1.0, rtol=1e-6)
    assert "broadcast_to" not in adc.source(gradient, x)
