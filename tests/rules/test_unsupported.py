"""A name without a rule is refused on the user's line: the name, a caret, what to use or how to add a rule."""

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")


def counted(x):
    return np.sum(np.histogramdd(x[:, np.newaxis])[0])


def parabolic(x):
    return special.pbdv(0.5, x[0])[0]


def one_sided(x):
    return special.smirnov(3, 0.1 * x[0])


def polynomial(x):
    return special.legendre(2)(x[0])


def correlated(x):
    return stats.kendalltau(x, x**2)[0]


def density(x):
    return stats.tukeylambda.logpdf(x[0], 1.5)


def frequent(x):
    return np.sum(stats.mode(x).mode * x)


def triangular(x):
    return np.sum(linalg.schur(np.outer(x, x))[0])


NAMES = {
    counted: "numpy.histogramdd",
    parabolic: "scipy.special.pbdv",
    one_sided: "scipy.special.smirnov",
    polynomial: "scipy.special.legendre",
    correlated: "scipy.stats.kendalltau",
    density: "logpdf",
    frequent: "scipy.stats.mode",
    triangular: "scipy.linalg.schur",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", NAMES, ids=lambda f: f.__name__)
def test_a_name_without_a_rule(f):
    with pytest.raises(UnsupportedError) as caught:
        adc.grad(f, mode="compiled")(np.array([1.0, 2.0, 3.0]))
    text = str(caught.value)
    line = f.__code__.co_firstlineno + 1
    assert f"test_unsupported.py:{line}:" in text.splitlines()[0], text
    assert "has no rule for" in text and NAMES[f] in text, text
    assert "^^^" in text, text
    assert "register a rule (docs/adding_a_rule.md)" in text, text
