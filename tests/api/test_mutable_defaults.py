"""A list or dict that is a default keeps what the function writes to it, as in Python; nothing runs twice unseen."""

from __future__ import annotations

import numpy as np
import pytest

import adc

pytestmark = pytest.mark.filterwarnings("ignore::adc.FallbackWarning")


def appends(x, seen=[]):  # noqa: B006
    seen.append(x[0])
    return sum(seen) * x[1]


def counts(x, *, state={"n": 0}):  # noqa: B006
    state["n"] += 1
    return state["n"] * x[0]


def only_reads(x, weights=[2.0, 3.0]):  # noqa: B006
    return weights[0] * x[0] + weights[1] * x[1]


def noted(v, seen=[]):  # noqa: B006
    seen.append(v)
    return len(seen)


def by_a_helper(x):
    return noted(x[0]) * x[0] + noted(x[1]) * x[1]


X = np.array([1.5, 2.5])


@pytest.fixture(autouse=True)
def anew():
    yield
    appends.__defaults__[0].clear()
    noted.__defaults__[0].clear()
    counts.__kwdefaults__["state"]["n"] = 0


@pytest.mark.parametrize("mode", ["auto", "tape"])
@pytest.mark.parametrize(
    ("function", "values"),
    [(appends, [3.75, 7.5, 11.25]), (counts, [1.5, 3.0, 4.5]), (by_a_helper, [6.5, 14.5, 22.5])],
)
def test_a_default_keeps_what_is_written_to_it(function, values, mode):
    gradient = adc.value_and_grad(function, mode=mode)
    assert [float(gradient(X)[0]) for _ in values] == values


@pytest.mark.parametrize(
    ("function", "values"), [(counts, [1.5, 3.0, 4.5]), (by_a_helper, [6.5, 14.5, 22.5])]
)
def test_generated_code_keeps_it_there(function, values):
    gradient = adc.value_and_grad(function, mode="python")
    assert [float(gradient(X)[0]) for _ in values] == values


def test_compiled_code_refuses_to_read_what_gets_longer():
    with pytest.raises(adc.UnsupportedError, match="a list outside the function, to which it appends"):
        adc.grad(appends, mode="compiled")(X)


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_a_list_that_is_given_is_copied(mode):
    gradient = adc.value_and_grad(appends, mode=mode)
    given = [1.0]
    assert [float(gradient(X, given)[0]) for _ in range(2)] == [6.25, 6.25]
    assert given == [1.0]
    assert appends.__defaults__ == ([],)


def test_what_a_default_holds_is_read_anew():
    gradient = adc.grad(only_reads, mode="compiled")
    assert gradient(X).tolist() == [2.0, 3.0]
    assert gradient(X, [5.0, 6.0]).tolist() == [5.0, 6.0]
    only_reads.__defaults__[0][0] = 7.0
    assert gradient(X).tolist() == [7.0, 3.0]
    only_reads.__defaults__[0][0] = 2.0
    assert adc.grad(only_reads, argnums="weights", mode="compiled")(X) == [1.5, 2.5]
    assert adc.hessian(only_reads, mode="compiled")(X).tolist() == [[0.0, 0.0], [0.0, 0.0]]
