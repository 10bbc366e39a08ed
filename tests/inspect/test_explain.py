"""The ledger says of each line and loop what was decided, with the bytes, and which engine runs and why."""

from __future__ import annotations

import json

import numpy as np
import pytest

import adc
from adc.inspect.ledger import Ledger, Value

X = np.linspace(0.1, 0.9, 5)


def value(ledger: Ledger, name: str) -> Value:
    return next(v for s in ledger.statements for v in s.values if v.name == name)


def recurrence(x, steps):
    y = x
    for _ in range(steps):
        y = np.sin(y) * x
    return y


def test_what_a_recurrence_carries_is_kept():
    ledger = adc.explain(adc.grad(recurrence), 0.5, 1000)
    y = value(ledger, "y")
    assert (y.fate, y.bytes.formula, y.bytes.number) == ("kept", "8 * max(steps, 0)", 8000)
    assert "`y = np.sin(y) * x` needs it when it is reversed" in y.why
    assert value(ledger, "sin_y").fate == "recomputed"
    (loop,) = ledger.loops
    assert (loop.kind, loop.carried, loop.trips, loop.number_of_trips) == (
        "recurrence",
        ("y",),
        "max(steps, 0)",
        1000,
    )
    assert ledger.kept.number == 8000 and "kept for the reverse sweep: 8 * max(steps, 0) = 8.0 kB" in str(
        ledger
    )


def until_small(x):
    y = x
    while y > 0.1:
        y = y * y * 0.5
    return y


def test_a_while_loop_keeps_on_a_stack():
    ledger = adc.explain(adc.grad(until_small), 0.9)
    assert value(ledger, "y").bytes.number is None and value(ledger, "y").bytes.formula == "8 * trips"
    assert not ledger.loops[0].trips_known and "on a stack" in value(ledger, "y").why


def classes(x, y):
    total = 0.0
    z = np.empty(x.size)
    for i in range(1, x.size - 1):
        z[i] = x[i - 1] + x[i + 1] - 2.0 * x[i]
    for i in range(x.size):
        y[i] = x[i] * 2.0
    for i in range(x.size):
        if x[i] > 0.2:
            total += x[i] * y[i]
    for i in range(2, x.size):
        z[i] = z[i - 1] * x[i]
    for i in range(x.size):
        for j in range(i):
            total += x[i] * x[j]
    return total + z[-1]


def test_classes_of_loops():
    ledger = adc.explain(adc.grad(classes), X, X.copy())
    assert [loop.kind for loop in ledger.loops] == [
        "stencil",
        "independent",
        "reduction",
        "recurrence",
        "reduction",
        "reduction",
    ]
    assert "neighbours in `x`" in ledger.loops[0].why and "`total`" in ledger.loops[2].why
    assert ledger.loops[0].trips == "max(x.shape[0] - 2, 0)" and ledger.loops[0].number_of_trips == 3


def test_why_a_value_is_inactive():
    def f(x, n):
        top = np.max(x)
        label = n + 1
        weight = np.sqrt(2.0 * n)
        unused = x * 3.0
        shape = np.sum(np.floor(unused))
        return top + np.log(np.sum(np.exp(x - top))) * weight + label * shape * 0.0

    ledger = adc.explain(adc.grad(f), X, 3)
    assert value(ledger, "top").why_active == "a shift that cancels" or value(ledger, "top").active
    assert value(ledger, "label").why_active == "int64 carries no derivative"
    assert value(ledger, "weight").why_active == "does not depend on x"
    assert value(ledger, "unused").why_active == "the result does not depend on it"
    assert not value(ledger, "weight").active


def overwriting(x):
    y = x * x
    y[0] = y[0] * y[1]
    for i in range(1, y.size):
        y[i] = y[i - 1] * y[i]
    return np.sum(y * y)


def test_what_is_overwritten():
    ledger = adc.explain(adc.grad(overwriting), X)
    writes = [v for s in ledger.statements for v in s.values if v.name == "y[...]"]
    assert len(writes) == 2 and all(v.type == "float64[x.shape[0]]" for v in writes)
    assert "kept" in {v.fate for s in ledger.statements for v in s.values}


def test_as_data_and_as_html():
    ledger = adc.explain(adc.value_and_grad(recurrence, argnums="x"), 0.5, 10)
    data = json.loads(json.dumps(ledger.as_dict()))
    assert data["mode"] == "compiled" and data["statements"][0]["values"][0]["name"] == "sin_y"
    page = ledger._repr_html_()
    assert (
        page.startswith("<div>") and "y = np.sin(y) * x" in page and page.count("<tr>") == page.count("</tr>")
    )


def test_seconds_and_cache():
    def of_this_test(x):  # whose code no other test has compiled
        return np.sum(x * x * x * 0.8125)

    first = adc.explain(adc.grad(of_this_test), X)
    assert first.cache == "machine code: compiled now, and put into the cache"
    assert {"lower", "reverse", "Numba"} <= set(first.seconds)
    assert adc.explain(adc.grad(of_this_test), X).cache == "machine code: from the cache on disk"


def declined(x):
    def deeper(y, n):
        return y if n == 0 else deeper(y * y, n - 1)

    import fractions

    return deeper(x, int(fractions.Fraction(2)))


def test_a_fallback_is_named_with_its_reason():
    ledger = adc.explain(adc.grad(declined), 1.5)
    assert ledger.mode == "tape" and "declined" in ledger.fallback and ledger.statements == ()
    assert "because: " in str(ledger)


def test_modes_and_methods():
    class Model:
        scale = 2.0

        @adc.grad
        def loss(self, x):
            return self.scale * np.sum(x * x)

    assert adc.explain(Model().loss, X).mode == "compiled"
    assert adc.explain(adc.grad(recurrence, mode="python"), 0.5, 3).mode == "python"


def test_other_transforms_have_loops_mode_and_times():
    ledger = adc.explain(adc.hessian(recurrence), 0.5, 3)
    assert (
        ledger.mode == "compiled" and ledger.loops and ledger.statements == () and "lower" in ledger.seconds
    )


@adc.grad
def squares(x):
    return np.sum(x * x)


def test_a_function_of_a_module_keeps_what_it_has_made():
    squares(X)
    before = dict(squares._specialisations)
    assert adc.explain(squares, X).mode == "compiled"
    assert squares._specialisations == before and squares.shares


@pytest.mark.tiny
def test_what_cannot_be_explained():
    with pytest.raises(adc.ArgumentError, match=r"adc.explain\(adc.grad\(recurrence\), ...\)"):
        adc.explain(recurrence, 1.0)
    with pytest.raises(adc.ArgumentError, match="needs example arguments"):
        adc.explain(adc.grad(recurrence))


def test_a_loop_that_is_a_statement_on_whole_arrays():
    def smoothed(x):
        y = x.copy()
        for _ in range(3):
            for i in range(1, len(x) - 1):
                y[i] = x[i - 1] + x[i + 1]
        return np.sum(y**2)

    ledger = adc.explain(adc.grad(smoothed), np.ones(5))
    outer, inner = ledger.loops
    assert (outer.whole, inner.kind, inner.whole) == (False, "stencil", True)
    assert "a statement on whole arrays" in str(ledger) and inner.number_of_trips == 3
