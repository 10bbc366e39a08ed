"""Functions of Python and NumPy that are written in C are differentiated as they are given."""

import functools
import operator

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.0, 2.0])
A = np.arange(6.0).reshape(2, 3) + 0.5
MASK = np.array([True, False, True])
SECOND = operator.itemgetter(1)
TOTAL = operator.methodcaller("sum", axis=0)
MODES = ["compiled", "python", "tape"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "args", "wanted"),
    [
        (sum, ([2.0, 3.0],), [1.0, 1.0]),
        (max, ([2.0, 3.0],), [0.0, 1.0]),
        (SECOND, (X,), [0.0, 1.0, 0.0]),
        (operator.methodcaller("dot", X), (X,), X),
        (operator.getitem, (X, 1), [0.0, 1.0, 0.0]),
        (X.dot, (X,), X),
    ],
    ids=["sum", "max", "itemgetter", "methodcaller", "getitem", "dot of an array"],
)
def test_gradient(function, args, wanted, mode):
    np.testing.assert_allclose(adc.grad(function, mode=mode)(*args), wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "x", "wanted"),
    [
        (np.array, X, np.ones(3)),
        (np.asarray, [2.0, 3.0], [1.0, 1.0]),
        (operator.attrgetter("T"), A, np.ones((2, 3))),
        (TOTAL, A, np.ones((2, 3))),
        (A.dot, X, A.sum(axis=0)),
    ],
    ids=["array", "asarray", "attrgetter", "methodcaller", "dot of an array"],
)
def test_pullback(function, x, wanted, mode):
    value, pullback = adc.vjp(function, x, mode=mode)
    np.testing.assert_allclose(value, function(x))
    np.testing.assert_allclose(pullback(np.ones_like(value))[0], wanted)


def elements(x):
    return TOTAL(x) @ X + sum(map(SECOND, [(a, a * a) for a in x[0]]))


@pytest.mark.parametrize("mode", MODES)
def test_what_operator_makes_outside_is_called_inside(mode):
    np.testing.assert_allclose(adc.grad(elements, mode=mode)(A), [X + 2.0 * A[0], X])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (functools.partial(np.sum, where=MASK), [1.0, 0.0, 1.0]),
        (functools.partial(np.max, initial=1.5), [0.0, 0.0, 1.0]),
        (functools.partial(np.median, overwrite_input=False), [0.0, 1.0, 0.0]),
    ],
    ids=["where", "initial", "overwrite_input"],
)
def test_keywords_that_the_rule_has_no_parameter_for(function, wanted, mode):
    np.testing.assert_allclose(adc.grad(function, mode=mode)(X), wanted)


@pytest.mark.parametrize("function", [len, print, [].append])
def test_what_gives_no_number_is_refused(function):
    with pytest.raises(adc.SourceError, match="cannot read the source of"):
        adc.grad(function)
