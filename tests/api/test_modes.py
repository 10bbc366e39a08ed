"""Engines fall back in order, once and loudly; what a function reads from outside is read at each call."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.errors import UnsupportedBytecodeError

import adc
from adc import config
from adc.compiler import pipeline

X = np.array([1.0, 2.0, 3.0])
factor = 2.0
power = 2


def helper(x):
    return x * factor


def uses_globals(x):
    return np.sum(helper(x) ** power)


def test_globals_are_read_at_each_call(monkeypatch):
    g = adc.grad(uses_globals, mode="compiled")
    np.testing.assert_allclose(g(X), 2 * 4 * X)
    monkeypatch.setitem(globals(), "factor", 3.0)
    np.testing.assert_allclose(g(X), 2 * 9 * X)
    monkeypatch.setitem(globals(), "factor", np.ones(3))
    np.testing.assert_allclose(g(X), 2 * X)
    monkeypatch.setitem(globals(), "power", 3)
    np.testing.assert_allclose(g(X), 3 * X**2)
    monkeypatch.setitem(globals(), "power", 2)
    np.testing.assert_allclose(g(X), 2 * X)


def test_redefined_helper(monkeypatch):
    g = adc.grad(uses_globals, mode="compiled")
    g(X)
    monkeypatch.setitem(globals(), "helper", lambda x: x + 1.0)
    np.testing.assert_allclose(g(X), 2 * (X + 1))


def test_closures_are_read_at_each_call():
    weights, exponent, offset = np.ones(3), 2, 1.0

    def f(x):
        return np.sum(weights * x**exponent) * offset

    g = adc.grad(f, mode="compiled")
    np.testing.assert_allclose(g(X), 2 * X)
    weights, offset = np.full(3, 2.0), 2.0
    np.testing.assert_allclose(g(X), 8 * X)
    weights[0] = 0.0
    np.testing.assert_allclose(g(X), [0.0, 16.0, 24.0])
    exponent = 3
    np.testing.assert_allclose(g(X), [0.0, 48.0, 108.0])


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_captured_array_without_axes(mode):
    scale = np.array(3.0)
    slope = adc.grad(lambda x: np.sum(x * scale) + scale, mode=mode)
    np.testing.assert_array_equal(slope(np.ones(2)), [3.0, 3.0])
    scale[...] = 5.0
    np.testing.assert_array_equal(slope(np.ones(2)), [5.0, 5.0])


def test_captured_arrays_are_not_changed():
    state = np.zeros(3)

    def f(x):
        y = state
        y = y + x
        return np.sum(y * y)

    np.testing.assert_allclose(adc.grad(f)(X), 2 * X)
    np.testing.assert_array_equal(state, np.zeros(3))


calls = [""]


def unsupported(x):
    calls[0] = "called"
    return np.sum(x**2)


def test_fallback_to_the_tape():
    g = adc.grad(unsupported)
    with pytest.warns(adc.FallbackWarning) as caught:
        np.testing.assert_allclose(g(X), 2 * X)
    assert g.mode == "tape" and len(caught) == 1
    message = str(caught[0].message)
    assert (
        "test_modes.py" in message
        and "`calls` is a list outside" in message
        and caught[0].filename == __file__
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g(X)
        g(np.ones((2, 2)))  # another specialisation: said once per function
    with pytest.raises(adc.UnsupportedError, match="`calls` is a list outside"):
        adc.grad(unsupported, mode="compiled")(X)
    with pytest.raises(adc.UnsupportedError, match="`calls` is a list outside"):
        adc.grad(unsupported, mode="python")(X)


def test_fallback_to_python():
    g = adc.grad(lambda x: np.sum(x * x))
    with pytest.warns(adc.FallbackWarning, match="runs as plain Python: Numba cannot compile"):
        found = g(np.ones(3, np.longdouble))
    assert g.mode == "python" and found.dtype == np.longdouble
    with pytest.raises(adc.UnsupportedError, match="Numba cannot compile"):
        adc.grad(lambda x: np.sum(x * x), mode="compiled")(np.ones(3, np.longdouble))


def test_bytecode_that_numba_cannot_read_is_a_refusal(monkeypatch):
    def refused(dispatcher, signature):
        raise UnsupportedBytecodeError("nothing of the kind")

    monkeypatch.setattr(Dispatcher, "compile", refused)
    g = adc.grad(lambda x: np.sum(np.sinh(x) * x))
    with pytest.warns(adc.FallbackWarning, match="runs as plain Python: Numba cannot compile"):
        g(X)


def test_fault_of_an_optimizing_stage_leaves_python_mode(monkeypatch):
    def broken(program, context):
        raise AssertionError("a fault")

    stages = (pipeline.Stage("broken", broken), *pipeline.OPTIMIZING_STAGES)
    monkeypatch.setattr(pipeline, "OPTIMIZING_STAGES", stages)
    g = adc.grad(lambda x: np.sum(x * x))
    with pytest.warns(adc.FallbackWarning, match="the stage `broken` failed: AssertionError: a fault"):
        np.testing.assert_allclose(g(X), 2 * X)
    assert g.mode == "python"
    with pytest.raises(adc.InternalError, match="report"):
        adc.grad(lambda x: np.sum(x * x), mode="compiled")(X)


def test_default_mode_of_the_environment():
    with config.overridden(mode="python"):
        g = adc.grad(lambda x: np.sum(x * x))
    g(X)
    assert g.mode == "python"


def test_derivative_calls_do_not_warn():
    def f(x):
        return np.sum(np.log(x))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in ("compiled", "python"):
            value, g = adc.value_and_grad(f, mode=mode)(np.array([0.0, 1.0]))
            assert value == -np.inf and g[0] == np.inf


def test_failure_of_the_derivative_alone_goes_to_the_tape():
    # The two lengths are equal or 1 at run time only, and no size says so: the adjoint refuses what NumPy broadcasts.
    def f(x, bound):
        return np.sum(x[x < bound] * x)

    x = np.arange(3.0)
    g = adc.grad(f)
    np.testing.assert_allclose(g(x, 3.0), 2 * x)
    with pytest.warns(adc.FallbackWarning, match="failed where the function itself runs"):
        np.testing.assert_allclose(g(x + 1, 2.0), [2.0 * 1 + 2 + 3, 1.0, 1.0])
    with pytest.raises(adc.DerivativeError, match=r"test_modes.py:\d+:\d+.*failed where"):
        adc.grad(f, mode="compiled")(x + 1, 2.0)


def test_overhead_of_a_call():
    import time

    def f(x):
        return np.sum(x)

    g = adc.grad(f, mode="compiled")
    g(X)
    best = float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(200):
            g(X)
        best = min(best, (time.perf_counter() - begin) / 200)
    assert best < 50e-6  # about 4e-6 on a quiet machine


class Counts:
    """A library's object that is never twice the same: how it works is not the user's fault."""

    reads = 0

    @property
    def power(self):
        Counts.reads += 1
        return Counts.reads


counts = Counts()


def reads_counts(x):
    return x ** (2 + 0 * counts.power)


def test_what_changes_while_code_is_made_for_it_runs_on_the_tape():
    with pytest.warns(adc.FallbackWarning, match="changes while code is generated"):
        assert adc.grad(reads_counts)(3.0) == 6.0
    with pytest.raises(adc.UnsupportedError, match="changes while code is generated"):
        adc.grad(reads_counts, mode="compiled")(3.0)


def halved(v, like):
    return v if v < 0.1 else halved(v / 2.0, like)


def test_a_class_is_given_to_a_function_that_only_the_tape_takes():
    def f(x):
        return np.sum(x * x) * halved(x[0], np.ndarray)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", adc.FallbackWarning)
        np.testing.assert_allclose(adc.grad(f)(np.array([3.0, 1.0])), [0.875, 0.1875])


@pytest.mark.parametrize(
    "inner",
    [
        lambda x: adc.grad(lambda y: x * y * y)(3.0),
        lambda x: adc.jvp(lambda y: x * y * y, (3.0,), (1.0,))[1],
        lambda x: adc.vmap(lambda y: x * y)(np.full(6, 1.0)).sum(),
        lambda x: adc.vjp(lambda y: x * y * y, 3.0)[1](1.0)[0],
    ],
)
def test_a_derivative_of_what_the_tape_runs_around_it_is_not_announced(inner):
    """It reads a value of the record: the tape is the only engine there is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", adc.FallbackWarning)
        assert adc.grad(inner, mode="tape")(2.0) == 6.0
