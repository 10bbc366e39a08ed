"""A callee that the compiler refuses is one operation of the tape inside code that is otherwise generated."""

import functools
import itertools
import random
import warnings

import numpy as np
import pytest

import adc

X = np.array([0.3, 1.2, 0.7])


def picked(x):
    """`next` with a default is not known to the compiler."""
    first = next(iter(x), None)
    return np.sin(x) * first


def loss(x, a):
    total = 0.0
    for k in range(3):
        y = picked(x * a)
        total = total + np.sum(y * y) * k
    return total


def quietly(transform, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", adc.FallbackWarning)
        return transform(*args, **kwargs)


def test_gradient_and_its_text():
    g = adc.grad(loss, argnums=(0, 1))
    with pytest.warns(adc.FallbackWarning) as caught:
        found = g(X, 2.0)
    assert g.mode == "python" and len(caught) == 1
    message = str(caught[0].message)
    assert "picked(x * a)" in message and "`picked` runs on the tape" in message and "next" in message
    for mine, its in zip(found, adc.grad(loss, argnums=(0, 1), mode="tape")(X, 2.0), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-13)
    text = adc.source(g, X, 2.0)
    assert (
        "product = x * a\n" in text and "y = taped.picked(product)" in text and "taped.picked_pull(" in text
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g(np.ones(5), 1.0)


def test_explain_tells_where_and_why():
    ledger = adc.explain(adc.grad(loss), X, 2.0)
    assert ledger.mode == "python" and "`picked` runs on the tape" in str(ledger)
    assert any("picked(x * a)" in s.text for s in ledger.statements)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_other_modes_refuse(mode):
    with pytest.raises(adc.UnsupportedError, match="next"):
        adc.grad(loss, mode=mode)(X, 2.0)


def transforms():
    direction = np.array([1.0, -2.0, 0.5])
    yield "value_and_grad", lambda f, m: adc.value_and_grad(f, mode=m)(X, 2.0)
    yield "jvp", lambda f, m: adc.jvp(f, (X, 2.0), (direction, 1.0), mode=m)
    yield "vjp", lambda f, m: adc.vjp(f, X, 2.0, mode=m)[1](1.5)
    yield "hvp", lambda f, m: adc.hvp(lambda x: f(x, 2.0), X, direction, mode=m)
    yield "hessian", lambda f, m: adc.hessian(f, mode=m)(X, 2.0)
    yield "jacfwd", lambda f, m: adc.jacfwd(adc.grad(f, mode=m), mode=m)(X, 2.0)
    yield "third", lambda f, m: adc.grad(lambda x: np.sum(adc.hessian(f, mode=m)(x, 2.0)), mode=m)(X)
    yield (
        "vmap",
        lambda f, m: adc.vmap(adc.grad(f, mode=m), in_axes=(0, None), mode=m)(np.stack([X, 2 * X]), 2.0),
    )


@pytest.mark.parametrize("name, run", list(transforms()), ids=lambda v: v if isinstance(v, str) else "")
def test_transforms(name, run):
    found, expected = quietly(run, loss, None), run(loss, "tape")
    for mine, its in zip(adc.pytree.leaves(found), adc.pytree.leaves(expected), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-10, atol=1e-12)


def test_hessian_is_generated():
    h = adc.hessian(loss)
    quietly(h, X, 2.0)
    assert h.mode == "python" and "taped.picked_pull_p" in adc.source(h, X, 2.0)


# --- what goes in, and what comes out ---------------------------------------------------------------------------


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.names = ["w"]

    def layer(self, x, *, power=2, options=None):
        first = next(iter(self.names), None)
        factor = {"w": self.scale}[first]
        y = x**power * factor
        return {"y": y, "large": bool(y.max() > 1.0), "count": x.size, "parts": (y[0], float(power))}


def test_method_with_keywords_and_containers():
    model = Model(1.5)

    def f(x):
        found = model.layer(x[1:], power=3)
        total = np.sum(found["y"]) * found["count"] + found["parts"][0]
        if found["large"]:
            total = total * found["parts"][1]
        return total

    g = adc.grad(f)
    for x in (X, 3 * X, np.array([0.1, 0.2, 0.3, 0.4])):
        np.testing.assert_allclose(quietly(g, x), adc.grad(f, mode="tape")(x), rtol=1e-13)
        assert g.mode == "python"


def test_float32_and_integers():
    def counted(x, k):
        position = next(iter([k]), None)
        return x[position], x.argmax()

    def f(x, k):
        y, best = counted(x, k)
        return y * x[best]

    g = adc.grad(f)
    x = X.astype(np.float32)
    found = quietly(g, x, 2)
    assert found.dtype == np.float32 and g.mode == "python"
    np.testing.assert_allclose(found, adc.grad(f, mode="tape")(x, 2), rtol=1e-6)


def test_refusal_of_the_results_moves_outwards():
    def named(x):
        return [object(), x * next(iter(x), None)]

    def inner(x):
        return named(x)[1]

    def f(x):
        return np.sum(inner(x) ** 2)

    g = adc.grad(f)
    np.testing.assert_allclose(quietly(g, X), adc.grad(f, mode="tape")(X), rtol=1e-13)
    assert g.mode == "python" and "taped.inner(" in adc.source(g, X)


def test_two_callees():
    def other(x):
        return np.cos(x) * next(iter(x), None)

    def f(x):
        return np.sum(picked(x) * other(x))

    g = adc.grad(f)
    with pytest.warns(adc.FallbackWarning):
        found = g(X)
    np.testing.assert_allclose(found, adc.grad(f, mode="tape")(X), rtol=1e-13)
    text = adc.source(g, X)
    assert "taped.picked(" in text and "taped.other(" in text


# --- what must not be run twice, or not apart -------------------------------------------------------------------


def whole(f, *args):
    """The gradient by the tape alone, said aloud."""
    g = adc.grad(f)
    with pytest.warns(adc.FallbackWarning):
        found = g(*args)
    assert g.mode == "tape"
    np.testing.assert_allclose(found, adc.grad(f, mode="tape")(*args), rtol=1e-13)


def test_callee_that_writes_to_its_argument():
    def doubled(y):
        first = next(iter([2.0]), None)
        y *= first
        return y.sum()

    def f(x):
        y = x * x
        total = doubled(y)
        return total + y[0]

    whole(f, X)


def test_callee_that_returns_a_view_of_its_argument():
    def tail(y):
        return y[next(iter([1]), None) :]

    def f(x):
        y = x * x
        z = tail(y)
        z[0] = 0.0
        return np.sum(y)

    whole(f, X)


def test_callee_that_counts():
    counts = {"calls": 0}

    def counted(x):
        counts["calls"] += next(iter([1]), None)
        return x * counts["calls"]

    def f(x):
        return np.sum(counted(x))

    g = adc.grad(f)
    with pytest.warns(adc.FallbackWarning):
        found = g(X)
    assert g.mode == "tape"
    np.testing.assert_allclose(found, np.full(3, float(counts["calls"])))


def test_callee_that_appends_to_its_argument():
    def logged(x, log):
        log.append(next(iter([1.0]), None))
        return x * 2.0

    def f(x):
        log = []
        y = logged(x, log)
        return np.sum(y) * len(log)

    whole(f, X)


def test_callee_that_returns_other_values():
    ticks = itertools.count(1)

    def noisy(x):
        return x * next(iter([next(ticks)]), None)

    g = adc.grad(lambda x: np.sum(noisy(x)))
    with pytest.warns(adc.FallbackWarning) as caught:
        g(X)
    assert "other values when it runs again" in str(caught[-1].message)
    assert g.mode == "tape"


def drawn_by_numpy(x):
    return x * np.random.normal(size=3)


def drawn_by_python(x):
    return x * np.array([random.random() for _ in range(3)])


@pytest.mark.parametrize("noisy", [drawn_by_numpy, drawn_by_python])
def test_random_callee_sees_the_numbers_of_one_run(noisy):
    """A run to look at its results would leave the generator elsewhere."""

    def twice(function):
        np.random.seed(0)
        random.seed(0)
        return [function(np.ones(3)) for _ in range(2)]

    g = adc.grad(lambda x: np.sum(noisy(x)))
    np.testing.assert_allclose(twice(lambda x: quietly(g, x)), twice(noisy))
    assert g.mode == "tape"


def test_result_of_another_type_later():
    def either(x):
        return next(iter([x.sum()]), None) if x[0] > 0 else x

    def f(x):
        return np.sum(either(x))

    g = adc.grad(f)
    np.testing.assert_allclose(quietly(g, X), np.ones(3))
    assert g.mode == "python"
    with pytest.warns(adc.FallbackWarning, match="`either` returns"):
        np.testing.assert_allclose(g(-X), np.ones(3))
    assert g.mode == "tape"


def test_generator_and_recursion():
    def halves(x):
        while x > 0.1:
            yield x
            x = x * 0.5

    def series(x):
        return sum(halves(x))

    def deep(x):
        return x if x < 0.1 else x * deep(x * 0.7)

    def f(x):
        return series(x[0]) * deep(x[1])

    g = adc.grad(f)
    np.testing.assert_allclose(quietly(g, X), adc.grad(f, mode="tape")(X), rtol=1e-12)
    assert g.mode == "python"


def test_error_of_the_callee_is_the_users():
    def checked(x):
        if next(iter(x), None) < 0:
            raise ValueError("negative")
        return x * 2.0

    g = adc.grad(lambda x: np.sum(checked(x)))
    np.testing.assert_allclose(quietly(g, X), np.full(3, 2.0))
    with pytest.raises(ValueError, match="negative"):
        g(-X)


def test_partial_and_default_arguments():
    def scaled(x, factor=3.0, *more, offset=0.5, **rest):
        return x * next(iter([factor]), None) + offset + sum(more) + rest.get("shift", 0.0)

    bound = functools.partial(scaled, offset=0.25)

    def f(x):
        return np.sum(bound(x, 2.0, x[0], shift=x[1]) ** 2)

    g = adc.grad(f)
    np.testing.assert_allclose(quietly(g, X), adc.grad(f, mode="tape")(X), rtol=1e-13)
    assert g.mode == "python"
