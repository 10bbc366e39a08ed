"""Functions of NumPy and SciPy without a rule run by their own code on the tape, or say why not."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats
from numpy.polynomial import chebyshev, polynomial

import adc
from adc.tape.library_code import only_counts


def series(x):
    slope = chebyshev.chebval(0.3, chebyshev.chebder(x, 2)) + np.sum(chebyshev.chebint(x))
    return slope + polynomial.polyfit(np.arange(4.0), x, 2) @ x[:3] + polynomial.polyvander(x, 2)[1, 2]


def statistics(x):
    found = scipy.stats.describe(x)
    return found.variance + found.minmax[1] * scipy.stats.gstd(np.abs(x)) + scipy.stats.tstd(x)


def several(x):
    rows = scipy.interpolate.pchip_interpolate(np.arange(4.0), x, np.array([0.3, 2.2]))
    return np.sum(rows) + scipy.special.jvp(1, x[0]) * x[1] + np.sum(scipy.special.diric(x, 5))


def called_again(x):
    """A function that is looked up twice, and met within another that has no rule either."""
    first, second = (chebyshev.chebline(x[0] * k, x[1]) for k in (1.0, 2.0))
    return np.sum(first * second) + np.sum(chebyshev.chebfromroots(x) ** 2)


def of_normality(x):
    """They call others with a keyword by which SciPy leaves out what looks after axes and NaN."""
    y = np.concatenate((x, x * x, x + 0.5, x - 0.3, 2.0 * x))  # 20 numbers: SciPy warns of fewer
    return scipy.stats.jarque_bera(y).statistic + scipy.stats.normaltest(y).statistic * x[0]


def window(x):
    """SciPy takes the module of the functions that it calls from a function of its own."""
    return scipy.signal.windows.kaiser(5, x[0] * 4) @ np.append(x, 1.0) + np.sum(
        scipy.signal.windows.chebwin(6, 50 + x[1])
    )


@pytest.mark.parametrize(
    "f", (series, statistics, several, called_again, of_normality, window), ids=lambda f: f.__name__
)
def test_their_own_code(f):
    x = np.array([0.4, 0.9, -1.7, 0.2])
    adc.check_grads(f, (x,), order=2, modes=("rev",), mode="tape")
    assert adc.value_and_grad(f, mode="tape")(x)[0] == pytest.approx(f(x), rel=1e-12)


def test_an_error_of_the_library_is_the_user_s():
    with pytest.raises(ValueError, match="order of derivation must be non-negative"):
        adc.grad(lambda x: chebyshev.chebder(x, -1)[0], mode="tape")(np.ones(3))


def test_why_their_own_code_is_refused():
    with pytest.raises(
        adc.UnsupportedError, match=r"no rule for scipy\.linalg\.ldl[^!]*its own code is refused"
    ):
        adc.grad(lambda x: np.sum(scipy.linalg.ldl(x)[1]), mode="tape")(np.eye(2))


@pytest.mark.parametrize(
    "search",
    (
        lambda a: scipy.optimize.golden(lambda x: (x - a) ** 2),
        lambda a: scipy.optimize.golden(lambda x, a: (x - a) ** 2, args=(a,)),
        lambda a: scipy.optimize.line_search(
            lambda x: np.sum((x - a) ** 2), lambda x: 2.0 * (x - a), np.zeros(2), np.ones(2)
        )[0],
    ),
)
def test_what_a_search_finds_is_no_constant(search):
    with pytest.raises(adc.UnsupportedError, match=r"no rule for scipy\.optimize\."):
        adc.grad(search, mode="tape")(1.3)


def test_what_a_function_answers_where_the_array_has_no_derivative():
    t = np.linspace(0.0, 1.0, 4)

    def f(a):
        pieces = np.piecewise(t, [t < 0.5], [lambda v: v * a, lambda v: v**2 * a])
        return np.sum(pieces) + np.sum(np.apply_along_axis(lambda row: np.sum(row * a), 1, np.ones((2, 3))))

    adc.check_grads(f, (1.3,), mode="tape")


def test_an_error_over_such_an_answer_is_a_refusal():
    with pytest.raises(adc.UnsupportedError, match=r"no rule for scipy\.linalg\.funm"):
        adc.grad(lambda a: np.sum(scipy.linalg.funm(np.diag([1.0, 2.0]), lambda v: v * a)), mode="tape")(1.3)

    def raises(v):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        adc.grad(lambda a: a * np.sum(scipy.linalg.funm(np.eye(2), raises)), mode="tape")(1.3)


def test_view_of_another_type():
    x = np.array([0.4, 0.9])
    assert list(adc.grad(lambda x: np.sum(x.view(float) * x.view(dtype=np.float64)), mode="tape")(x)) == [
        0.8,
        1.8,
    ]
    with pytest.raises(adc.UnsupportedError, match=r"\.view` of an array of float64 as one of complex128"):
        adc.grad(lambda x: np.sum(np.abs(x.view(complex))), mode="tape")(x)


@pytest.mark.parametrize("formula", ["_cdf", "_pdf", "_logcdf", "_ppf"])
def test_the_formula_of_a_distribution_runs_by_its_own_code(formula):
    def f(x):
        return getattr(scipy.stats.norm, formula)(x)

    slope = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
    assert adc.grad(f, mode="tape")(0.3) == pytest.approx(slope, rel=1e-6)


def test_filters_of_a_frequency_with_a_derivative():
    signal = pytest.importorskip("scipy.signal")
    x, weights = np.sin(np.arange(12.0) ** 1.5), np.cos(np.arange(12.0))

    def f(frequency):
        b, a = signal.butter(3, frequency, btype="high")
        sections = signal.cheby1(2, 1.0, [0.5 * frequency, 2.0 * frequency], btype="band", output="sos")
        return np.sum((signal.lfilter(b, a, x) + signal.sosfilt(sections, x)) * weights)

    expected = (f(0.3 + 1e-5) - f(0.3 - 1e-5)) / 2e-5
    assert adc.grad(f, mode="tape")(0.3) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("kind", ["cheby1", "cheby2", "ellip", "kaiser"])
def test_functions_that_a_library_finds_in_a_table(kind):
    signal = pytest.importorskip("scipy.signal")
    x, weights = np.sin(np.arange(12.0) ** 1.5), np.cos(np.arange(12.0))
    filters = {
        "cheby1": lambda ripple: signal.cheby1(3, ripple, 0.3),
        "cheby2": lambda ripple: signal.cheby2(3, 40.0 * ripple, 0.3),
        "ellip": lambda frequency: signal.ellip(3, 1.0, 40.0, frequency),
        "kaiser": lambda beta: (signal.firwin(5, 0.3, window=("kaiser", beta)), 1.0),
    }

    def f(parameter):
        b, a = filters[kind](parameter)
        return np.sum(signal.lfilter(b, a, x) * weights)

    expected = (f(0.3 + 1e-5) - f(0.3 - 1e-5)) / 2e-5
    assert adc.grad(f, mode="tape")(0.3) == pytest.approx(expected, rel=1e-6)


def test_what_counts_moves_by_steps():
    costs = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 0.5], [2.0, 2.5, 1.0]])

    def f(x):
        distances = costs * x
        rows, columns = scipy.optimize.linear_sum_assignment(distances)
        return np.sum(distances[rows, columns] ** 2)

    x = np.array([1.0, 2.0, 3.0])
    expected = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(adc.grad(f, mode="tape")(x), expected, rtol=1e-7)
    with pytest.warns(adc.FallbackWarning):
        np.testing.assert_allclose(adc.grad(f)(x), expected, rtol=1e-7)


def test_what_counts_and_writes_is_not_constant():
    """A number of errors beside results that are written to an argument: the results move."""

    def divided(x, out):
        out[...] = 1.0 / x
        return int(np.sum(x == 0))

    x = np.array([1.0, 2.0])
    assert only_counts(divided, (x, np.zeros(2)), {}) is None
    assert only_counts(divided, (x, 1.0 / x), {}) == 0  # it has left what there was


@pytest.mark.parametrize(
    "constant",
    (
        lambda v: scipy.stats.ttest_1samp(v, 0.2).confidence_interval().low,
        lambda v: scipy.stats.ttest_1samp(v, 0.2).df,
        lambda v: scipy.stats.pearsonr(v, v**2).confidence_interval().high,
        lambda v: scipy.stats.linregress(v, v**2).intercept_stderr,
    ),
)
def test_results_of_constants_have_all_their_attributes(constant):
    v = np.array([0.1, 0.5, 0.3, 0.9])
    slope = adc.grad(lambda x: constant(v) * x, mode="tape")(2.0)
    assert slope == pytest.approx(constant(v))


@pytest.mark.parametrize("mode", ("compiled", "tape"))
@pytest.mark.parametrize(
    ("f", "name"),
    (
        (lambda x: scipy.stats.linregress(x, x**2).intercept_stderr, "intercept_stderr"),
        (lambda x: scipy.stats.ttest_1samp(x, 0.1).df * x[0], "df"),
        (lambda x: scipy.stats.pearsonr(x, x**2).confidence_interval().low, "confidence_interval"),
    ),
)
def test_attributes_that_the_result_of_a_rule_lacks_are_named(f, name, mode):
    with pytest.raises(
        adc.UnsupportedError, match=rf"test_library_code.*`\.{name}` of this object of a library"
    ):
        adc.grad(f, mode=mode)(np.array([0.1, 0.5, 0.3, 0.9]))
