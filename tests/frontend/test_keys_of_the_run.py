"""Dicts whose keys only the run knows: what cannot be had of them is refused, and never something else."""

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import adc

X, LABELS = np.array([0.4, 0.7, 1.1, 0.9]), np.array([2, 0, 2, 1])


def sums(x, labels, made):
    for label, v in zip(labels, x, strict=True):
        made[label] = made.get(label, 0.0) + v * v
    return made


def returned(x, labels):
    made = sums(x, labels, {})
    return np.sum(x), made


def returned_with_a_default(x, labels):
    made = sums(x, labels, defaultdict(float))
    return np.sum(x), made


def returned_in_order(x, labels):
    made = sums(x, labels, OrderedDict())
    return np.sum(x), made


@pytest.mark.parametrize("program", [returned, returned_with_a_default, returned_in_order])
def test_it_is_not_returned(program):
    with pytest.raises(adc.UnsupportedError):
        adc.grad(program, has_aux=True, mode="python")(X, LABELS)
    gradient, made = adc.grad(program, has_aux=True, mode="tape")(X, LABELS)
    np.testing.assert_allclose(gradient, 1.0)
    assert made == program(X, LABELS)[1]


def copied(x, labels):
    return sum(dict(sums(x, labels, {})).values())


def joined(x, labels):
    return sum({**sums(x, labels, {}), 7: x[0]}.values())


def gone_over_as_a_set(x, labels):
    seen, s = set(), 0.0
    for label in labels:
        seen.add(label)
    for n, label in enumerate(seen):
        s += (n + 1) * x[label]
    return s


def printed(x, labels):
    seen = set()
    for label in labels:
        seen.add(label)
    print(seen)
    return np.sum(x)


def lists_in_it(x, labels):
    groups = {}
    for label, v in zip(labels, x, strict=True):
        groups.setdefault(label, []).append(v)
    return sum(np.mean(group) ** 2 for group in groups.values())


def with_a_handler(x, labels):
    made = {5: x[0]}
    for label in labels:
        try:
            made[label] += x[label]
        except KeyError:
            made[label] = x[label] ** 2
    return sum(made.values())


@pytest.mark.parametrize("program", [copied, joined, gone_over_as_a_set, printed, lists_in_it])
def test_is_refused(program):
    with pytest.raises(adc.UnsupportedError):
        adc.grad(program, mode="python")(X, LABELS)


@pytest.mark.parametrize("program", [copied, joined, gone_over_as_a_set, lists_in_it, with_a_handler])
@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_the_tape_takes_it(program):
    value, gradient = adc.value_and_grad(program)(X, LABELS)
    wanted, wanted_gradient = adc.value_and_grad(program, mode="tape")(X, LABELS)
    np.testing.assert_allclose(value, wanted)
    np.testing.assert_allclose(gradient, wanted_gradient)


def test_a_key_that_is_not_there_raises():
    def read(x, labels):
        made = sums(x, labels, {})
        return made[labels[0] + 7]

    with pytest.raises(KeyError):
        adc.grad(read, mode="python")(X, LABELS)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
def test_equal_dicts():
    def equal(x, labels):
        one, other = sums(x, labels, {}), sums(x, labels[::-1], {})
        return np.sum(x) * (2.0 if one == other else 3.0) * (5.0 if one != {} else 7.0)

    for labels in (LABELS, np.array([1, 2, 2, 1])):
        gradient = adc.grad(equal)(X, labels)
        np.testing.assert_allclose(gradient, adc.grad(equal, mode="tape")(X, labels))


@pytest.mark.parametrize("n", [1, 4])
def test_one_code_serves_all_lengths(n):
    def total(x, labels):
        return sum(v * v for v in sums(x, labels, {}).values())

    gradient = adc.grad(total, mode="python")
    gradient(X, LABELS)
    x, labels = np.tile(X, n), np.tile(LABELS, n)
    np.testing.assert_allclose(gradient(x, labels), adc.grad(total, mode="tape")(x, labels))
