"""Rows whose inner loops are short go abreast, in strips, and vectorise where those would not."""

import numpy as np
import pytest

import adc


def smoothed(image, weights, s):
    rows, columns = image.shape
    out = np.zeros((rows, columns))
    for y in range(1, rows - 1):
        for x in range(1, columns - 1):
            total, norm = 0.0, 0.0
            for i in range(-1, 2):
                for j in range(-1, 2):
                    w = weights[0, 0] * np.exp(-s * (image[y + i, x + j] - image[y, x]) ** 2)
                    total += w * image[y + i, x + j]
                    norm += w
            out[y, x] = total / norm
    return np.sum(out**2)


def filtered(image, weights, s):
    rows = image.shape[0] - weights.shape[0] + 1
    columns = image.shape[1] - weights.shape[1] + 1
    loss = 0.0
    for y in range(rows):
        for x in range(columns - 1, -1, -1):
            value = s
            for i in range(weights.shape[0]):
                for j in range(weights.shape[1]):
                    value += weights[i, j] * image[y + i, x + j]
            loss += value**2
    return loss


def mixed(image, weights, s):
    loss = 0.0
    for i in range(image.shape[0]):
        likelihood = 0.0
        for k in range(4):
            distance = 0.0
            for j in range(3):
                distance += (image[i, j] - weights[0, 0] * k) ** 2
            likelihood += np.exp(-s * distance)
        loss -= np.log(likelihood)
    return loss


def decays(image, weights, s):
    times = np.abs(image[:, 0])
    rates = np.abs(weights[0])
    loss = 0.0
    for i in range(times.shape[0]):
        density = s
        for k in range(rates.shape[0]):
            density += rates[k] * np.exp(-rates[k] * times[i])
        loss -= np.log(density)
    return loss


IN_STRIPS = [smoothed, filtered, mixed, decays]


def pairs(image, weights, s):
    x = image[0] * weights[0, 0]
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            total += np.exp(-s * (x[i] - x[j]) ** 2)
    return total


def products(image, weights, s):
    total = 0.0
    for i in range(image.shape[0]):
        value = s * weights[0, 0]
        for j in range(image.shape[1]):
            value += image[i, j] * image[0, j]
        total += value**2
    return total


def of_slices(image, weights, s):
    rows = image.shape[0] - weights.shape[0] + 1
    columns = image.shape[1] - weights.shape[1] + 1
    out = np.zeros((rows, columns))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out += weights[i, j] * image[i : i + rows, j : j + columns]
    return np.sum(np.tanh(s * out))


def units(image, weights, s):
    loss = 0.0
    for i in range(image.shape[0]):
        for k in range(weights.shape[0]):
            value = s
            for j in range(weights.shape[1]):
                value += weights[k, j] * image[i, j]
            loss += np.tanh(value)
    return loss


def of_arrays(image, weights, s):
    total = 0.0
    for i in range(image.shape[1]):
        total += np.sum(np.exp(-s * np.abs(image[0, i] * weights[0]))) ** 2
    return total


def with_a_longest(image, weights, s):
    longest = 0.0
    for y in range(image.shape[0]):
        for x in range(image.shape[1] - 2):
            value = s * weights[0, 0]
            for j in range(3):
                value += np.sin(image[y, x + j])
            longest = max(longest, value)
    return longest


NOT_IN_STRIPS = [pairs, products, units, of_slices, of_arrays, with_a_longest]


def gradient(function, **how):
    return adc.value_and_grad(function, (0, 1, 2), **how)


@pytest.mark.parametrize("function", [*IN_STRIPS, *NOT_IN_STRIPS])
@pytest.mark.parametrize("shape", [(3, 3), (4, 70), (70, 4), (9, 25)])
@pytest.mark.parametrize("window", [(1, 1), (3, 3), (2, 4)])
def test_gradients_are_the_tape_s(function, shape, window):
    random = np.random.default_rng(5)
    window = min(shape[0], window[0]), min(shape[1], window[1])
    given = random.normal(size=shape), random.normal(size=window), 0.7
    if function is mixed:
        given = random.normal(size=(shape[0] * shape[1], 3)), *given[1:]
    value, found = gradient(function, mode="compiled")(*given)
    expected, taped = gradient(function, mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def text(function):
    return adc.source(gradient(function), np.ones((40, 6)), np.ones((3, 3)), 0.6, stage="optimized")


@pytest.mark.parametrize("function", IN_STRIPS)
def test_rows_go_abreast(function):
    assert "_strip[k]" in text(function)


@pytest.mark.parametrize("function", NOT_IN_STRIPS)
def test_other_rows_go_one_by_one(function):
    assert "_strip[" not in text(function)


def test_how_long_a_window_is_is_asked_when_it_runs():
    assert "if less:" in text(filtered)
    assert "if less:" not in text(smoothed)
    assert text(filtered).count("else:") == text(filtered).count("if less:")


def test_sums_that_go_through_inner_loops_lie_in_one_place():
    assert "total_strip_2" not in text(smoothed)


def test_where_a_row_lies_is_computed_not_kept():
    assert "np.int64" not in text(smoothed)
