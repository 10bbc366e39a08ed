"""Arrays of texts: another program for other texts, and what is refused of them."""

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.3, 2.2, 3.0])


def product(x, labels):
    return x[labels == "a"].sum() * x[labels == "b"].sum()


def by_hand(labels):
    of_a, of_b = labels == "a", labels == "b"
    return of_a * X[of_b].sum() + of_b * X[of_a].sum()


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
@pytest.mark.parametrize("mode", ("compiled", "python", "tape"))
@pytest.mark.parametrize("dtype", ("U1", object))
def test_other_texts_at_the_next_call(mode, dtype):
    outside = np.array(["b", "a", "c", "a"], dtype=dtype)
    g, of_outside = adc.grad(product, mode=mode), adc.grad(lambda x: product(x, outside), mode=mode)
    for k in range(6):
        outside[k % 4] = "b" if k % 2 else "a"
        assert np.allclose(g(X, outside), by_hand(outside))
        assert np.allclose(of_outside(X), by_hand(outside))


def test_every_transform_takes_them():
    labels = np.array(["b", "a", "c", "a"])
    mapped = adc.vmap(product, in_axes=(0, None), mode="compiled")(np.stack([X, X + 1]), labels)
    assert np.allclose(mapped, [product(X, labels), product(X + 1, labels)])
    held = adc.grad(lambda x, labels: adc.checkpoint(product)(x, labels), mode="compiled")
    assert np.allclose(held(X, labels), by_hand(labels))
    assert adc.hessian(product)(X, labels)[0, 1] == 1.0
    adc.check_grads(product, (X, labels))


def test_the_text_names_the_comparison():
    assert "x[is_a]" in adc.source(adc.grad(product, mode="python"), X, np.array(["b", "a", "c", "a"]))


def chosen(x, labels):
    return sum(v for label, v in zip(labels[x > 1.0], x, strict=False) if label == "a")


def written(x, labels):
    own = np.array(["a"] * 4)
    own[1] = "b"
    return x[own == "a"].sum()


def drawn(x, labels):
    return x[np.random.permutation(labels) == "a"].sum()


@pytest.mark.parametrize(
    ("f", "said"),
    (
        (drawn, "changes a generator of random numbers"),
        (chosen, "which texts of an array are meant is only known at run time"),
        (written, "is written to"),
    ),
)
def test_refused(f, said):
    labels = np.array(["b", "a", "c", "a"])
    with pytest.raises(adc.UnsupportedError, match=said):
        adc.grad(f, mode="compiled")(X, labels)
    assert np.all(np.isfinite(adc.grad(f, mode="tape")(X, labels)))


def test_they_are_not_differentiated():
    with pytest.raises(adc.ArgumentError, match="the argument `labels` has the dtype <U1"):
        adc.grad(product, argnums=1)(X, np.array(["b", "a", "c", "a"]))


def test_a_mask_that_is_written_to():
    labels = np.array(["b", "a", "c", "a"])

    def f(x):
        mask, kept = labels == "a", labels == "a"
        total = 0.0
        for k in range(3):
            total += x[mask].sum() * x[kept].sum()
            mask[k] = not mask[k]
        return total

    expected = adc.grad(f, mode="tape")(X)
    g = adc.grad(f, mode="python")
    assert np.allclose(g(X), expected)
    assert np.allclose(g(X), expected)
