"""Solutions of SciPy's solvers carry derivatives, with respect to arguments and to what a function has captured."""

import functools
import warnings

import numpy as np
import pytest

import adc
from adc.errors import DerivativeError, UnsupportedError

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")


def slope(f, x, step=1e-5):
    return (8.0 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12.0 * step)


# --- roots --------------------------------------------------------------------------------------------------


def cube_root(k):
    return optimize.brentq(lambda x: x**3 - k, 0.0, 5.0) ** 2


def by_arguments(k):
    return optimize.bisect(lambda x, a, b: a * x - b, 0.0, 9.0, args=(k, k**3))


def newton_of_many(k):
    return np.sum(optimize.newton(lambda x: x**3 - k * np.array([1.0, 2.0, 3.0]), np.ones(3)))


def scalar(k):
    return optimize.root_scalar(lambda x: np.exp(x) - k, bracket=(0.0, 3.0)).root


def fixed(k):
    return np.sum(optimize.fixed_point(lambda x: np.cos(k * x), np.array([0.5, 0.4])))


def system(k):
    solution = optimize.root(lambda x: [x[0] * x[1] - k, x[0] - x[1] ** 2], np.array([1.0, 1.0]), tol=1e-13)
    return solution.x[0] * 3.0 + solution.x[1]


def system_with_its_jacobian(k):
    def f(x):
        return x**3 - k * np.array([1.0, 2.0])

    return np.sum(optimize.fsolve(f, np.ones(2), fprime=lambda x: np.diag(3.0 * x**2), xtol=1e-13))


def minimum(k):
    found = optimize.minimize(lambda x: np.sum((x - k) ** 2) + np.sum(x**4), np.zeros(2), tol=1e-12)
    return found.x[0] + found.fun


def portfolio(k):
    """Bounds and an equation: at k = 1.7 a weight is on its bound."""
    gains = np.array([0.05, 0.1 * k, 0.15])
    found = optimize.minimize(
        lambda w, gains: np.sum(w**2) - 2.0 * (w @ gains) / k**2 + w[0] * w[1],
        np.ones(3) / 3,
        args=(gains,),
        bounds=[(0.3, 1.0), (None, 1.0), (0.0, k)],
        constraints={"type": "eq", "fun": lambda w: np.sum(w) - np.sqrt(k)},
        tol=1e-14,
    )
    return found.x @ np.array([3.0, 1.0, 2.0]) + found.fun


def within_a_circle(k):
    found = optimize.minimize(
        lambda x: (x[0] - 2.0) ** 2 + (x[1] - k) ** 2,
        np.zeros(2),
        bounds=optimize.Bounds([-5.0, -5.0], [5.0, 5.0]),
        constraints=[
            optimize.NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, -np.inf, k),
            optimize.LinearConstraint(np.array([[1.0, 1.0]]), -9.0, 9.0),
        ],
        method="SLSQP",
        tol=1e-14,
    )
    return found.x[0] - found.fun


def scalar_minimum(k):
    found = optimize.minimize_scalar(
        lambda x: (x - k) ** 2 + np.exp(x), bounds=(-3.0, 3.0), options={"xatol": 1e-10}
    )
    by_name = optimize.fmin(lambda x: np.sum((x - k) ** 4 + x**2), np.ones(1), xtol=1e-11, ftol=1e-14, disp=0)
    return found.x + found.fun + by_name[0]


def krylov(k):
    return optimize.newton_krylov(lambda x: x**3 + k * x - np.array([1.0, 2.0]), np.ones(2), f_tol=1e-13)[1]


def of_arrays(k):
    """At k = 1.7 the vertex has an inequality, an equation and a bound; one of the least squares is on its bound."""
    a = np.array([[1.0, 0.3], [0.2, 2.0], [0.5, k]])
    x, apart = optimize.nnls(a, np.array([1.0, k, 0.4]))
    inside = optimize.lsq_linear(a, np.array([k, 2.0, 1.0]), bounds=(-1.0, [0.5 * k, 9.0]))
    vertex = optimize.linprog(
        np.array([-1.0, -k, 0.5]),
        A_ub=np.array([[1.0, k, 0.0]]),
        b_ub=np.array([2.0 + k]),
        A_eq=np.array([[1.0, 1.0, 1.0]]),
        b_eq=[3.0 * k],
        bounds=[(0.0, 0.3), (0.0, None), (0.0, None)],
    )
    return (
        x @ [1.0, 2.0] + apart + inside.x @ [1.0, 3.0] + inside.cost + vertex.x @ [1.0, 2.0, 4.0] + vertex.fun
    )


PLACES = np.linspace(0.0, 2.0, 9)
NOISE = 0.1 * np.sin(17.0 * PLACES)
PRECISE = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def decay(x, a, b):
    return a * np.exp(-b * x)


def fitted(k):
    data = np.exp(-k * PLACES) + NOISE
    popt, pcov = optimize.curve_fit(decay, PLACES, data, sigma=1.0 + k * PLACES, **PRECISE)
    bounded, _ = optimize.curve_fit(decay, PLACES * k, data, bounds=(0.0, [0.8, 9.0]), **PRECISE)
    return popt @ np.array([1.0, 2.0]) + np.sum(np.sqrt(np.diag(pcov))) + bounded[1]


def residuals_squared(k):
    def residuals(x, k):
        return decay(PLACES, x[0], x[1]) - np.exp(-k * PLACES) - NOISE

    found = optimize.least_squares(residuals, np.ones(2), jac="3-point", args=(k,), **PRECISE)
    robust = optimize.least_squares(
        residuals, np.ones(2), loss="soft_l1", f_scale=0.1 * k, args=(k,), **PRECISE
    )
    x, covariance, *_ = optimize.leastsq(residuals, np.ones(2), args=(k,), full_output=True, **PRECISE)
    return found.x[1] + found.cost + found.fun[2] + found.jac[3, 1] + robust.x[0] + x[0] + covariance[0, 1]


ROOTS = [cube_root, by_arguments, newton_of_many, scalar, fixed, system, system_with_its_jacobian, minimum]
ROOTS += [portfolio, within_a_circle, scalar_minimum, krylov, of_arrays, fitted, residuals_squared]
LOOSE = [minimum, portfolio, within_a_circle, scalar_minimum, fitted, residuals_squared]


@pytest.mark.parametrize("f", ROOTS, ids=lambda f: f.__name__)
def test_roots(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loose = 1e-4 if f in LOOSE else 1e-6
        assert f(1.7) == pytest.approx(float(adc.value_and_grad(f, mode="tape")(1.7)[0]), rel=1e-12)
        assert adc.grad(f, mode="tape")(1.7) == pytest.approx(slope(f, 1.7, 1e-3), rel=loose)
        assert adc.jvp(f, (1.7,), (2.0,), mode="tape")[1] == pytest.approx(
            2.0 * slope(f, 1.7, 1e-3), rel=loose
        )


def test_higher_orders():
    def root(k):  # k ** (1 / 3)
        return optimize.brentq(lambda x: x**3 - k, 0.0, 5.0, xtol=1e-14)

    first = adc.grad(root, mode="tape")
    second = adc.grad(first, mode="tape")
    third = adc.grad(second, mode="tape")
    k = 2.0
    assert first(k) == pytest.approx(k ** (-2 / 3) / 3)
    assert second(k) == pytest.approx(-2 / 9 * k ** (-5 / 3))
    assert third(k) == pytest.approx(10 / 27 * k ** (-8 / 3))


def test_the_compiler_leaves_them_to_the_tape():
    with pytest.warns(adc.FallbackWarning, match=r"scipy\.optimize\.brentq calls a function"):
        assert adc.grad(cube_root)(1.7) == pytest.approx(slope(cube_root, 1.7))
    with pytest.raises(UnsupportedError, match="brentq"):
        adc.grad(cube_root, mode="compiled")(1.7)


def test_a_double_root_is_refused():
    def f(k):
        return optimize.newton(lambda x: (x - k) ** 2, 1.7 + 1e-9, tol=1e-3)

    def flat(k):
        return optimize.root(lambda x: (x - k) * np.zeros(1), np.ones(1)).x[0]

    assert np.isfinite(f(1.7))
    with pytest.raises(DerivativeError, match="singular Jacobian"):
        adc.grad(flat, mode="tape")(1.0)


def test_what_a_solver_leaves_that_gave_up_is_refused():
    def stuck(k):
        """hybr makes no progress from here, and returns a point that is no root."""
        found = optimize.root(lambda x: [x[0] + k * x[1] ** 3 - 1.0, x[1] - 1.3 * np.cos(x[0])], np.ones(2))
        return found.x[0]

    def too_few_steps(k):
        return optimize.minimize(
            lambda x: np.sum((x - k) ** 4 + x**2), 9.0 * np.ones(2), options={"maxiter": 1}
        ).x[0]

    for f in (stuck, too_few_steps):
        with pytest.raises(DerivativeError, match="stopped before it found one"):
            adc.grad(f, mode="tape")(0.5)


def test_what_a_solver_reports_beside_the_solution_is_refused():
    def deviation(k):
        return np.sqrt(optimize.minimize(lambda x: np.sum(k * x**2), np.ones(2)).hess_inv[0, 0])

    def factor(k):
        return optimize.fsolve(lambda x: x**3 - k, np.ones(1), full_output=True)[1]["fjac"][0, 0]

    def on_a_bound(k):
        return optimize.minimize_scalar(lambda x: (x - k) ** 2, bounds=(2.0, 3.0)).x

    for f, what in (deviation, "`hess_inv`"), (factor, "`fjac`"), (on_a_bound, "on one of its bounds"):
        with pytest.raises(UnsupportedError, match=what):
            adc.grad(f, mode="tape")(1.0)


# --- trajectories -------------------------------------------------------------------------------------------

TIMES = np.linspace(0.0, 1.5, 6)


def pendulum(k):
    def field(y, t, stiffness):
        return [y[1], -stiffness * np.sin(y[0]) - 0.1 * t]

    return np.sum(integrate.odeint(field, np.array([0.3, k]), TIMES, (k,), rtol=1e-11, atol=1e-11) ** 2)


def captured(k):
    return np.sum(integrate.odeint(lambda y, t: -k * y, 1.0, TIMES, rtol=1e-11, atol=1e-11))


def stiff(k):
    def field(y, t):
        return np.array([y[1], 300.0 * k * (1.0 - y[0] ** 2) * y[1] - y[0]])

    return integrate.odeint(field, np.array([2.0, 0.0]), np.array([0.0, 0.1, 0.2]), rtol=1e-9, atol=1e-11)[
        -1, 0
    ]


def at_the_times(k):
    return np.sum(
        integrate.solve_ivp(
            lambda t, y: -k * y + t, (0.0, 2.0), np.array([1.0, k]), t_eval=TIMES, rtol=1e-10, atol=1e-12
        ).y
        ** 2
    )


def with_dop853(k):
    return integrate.solve_ivp(
        lambda t, y, a: a * y * (1.0 - y),
        (0.0, 1.0),
        [0.2],
        method="DOP853",
        args=(k,),
        rtol=1e-10,
        atol=1e-12,
    ).y[0, -1]


def with_bdf(k):
    return integrate.solve_ivp(
        lambda t, y: -50.0 * (y - np.cos(k * t)), (0.0, 1.0), [0.5], method="BDF", rtol=1e-7, atol=1e-9
    ).y[0, -1]


def until(k):
    return integrate.solve_ivp(lambda t, y: np.sin(y), (0.0, k), np.array([0.4]), rtol=1e-10, atol=1e-12).y[
        0, -1
    ]


def backwards(k):
    return integrate.solve_ivp(lambda t, y: k * y, (1.0, 0.0), np.array([2.0]), rtol=1e-10, atol=1e-12).y[
        0, -1
    ]


def falls(k):
    def ground(t, y):
        return y[0]

    ground.terminal = True
    ground.direction = -1.0
    found = integrate.solve_ivp(
        lambda t, y: [y[1], -k], (0.0, 9.0), [1.0, 0.0], events=ground, rtol=1e-10, atol=1e-12
    )
    return found.t_events[0][0] + found.t[-1] - found.y[1, -1] - found.y_events[0][0, 1]


def passes(k):
    found = integrate.solve_ivp(
        lambda t, y, k: -k * y,
        (0.0, 1.0),
        np.array([1.0, k]),
        args=(k,),
        events=(lambda t, y, k: y[0] - 0.7 * k, lambda t, y, k: y[1] - 9.0),
        dense_output=True,
        t_eval=[0.1, 0.8],
        rtol=1e-10,
        atol=1e-12,
    )
    reached = integrate.solve_ivp(
        lambda t, y: -y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - k / 3.0, rtol=1e-10, atol=1e-12
    )
    times = np.array([0.9, 0.2]) * k
    events = reached.t_events[0][0] ** 2 + found.t_events[0][0]
    return events + np.sum(found.sol(times / 1.3) ** 2) + found.sol(0.4)[1] + np.sum(found.y)


def in_one_buffer(k):
    slopes = np.zeros(2)

    def rhs(t, y):
        slopes[0] = -k * y[0]
        slopes[1] = k**2 * y[0] - y[1]
        return slopes

    found = integrate.solve_ivp(rhs, (0.0, 1.0), [1.0, 0.5], rtol=1e-9, atol=1e-9, first_step=1e-3)
    return found.y[1, -1]


TRAJECTORIES = [
    in_one_buffer,
    pendulum,
    captured,
    stiff,
    at_the_times,
    with_dop853,
    with_bdf,
    until,
    backwards,
    falls,
    passes,
]


@pytest.mark.parametrize("f", TRAJECTORIES, ids=lambda f: f.__name__)
def test_trajectories(f):
    value, gradient = adc.value_and_grad(f, mode="tape")(1.2)
    assert value == pytest.approx(f(1.2), rel=1e-13)
    assert gradient == pytest.approx(slope(f, 1.2, 1e-3), rel=2e-5)
    if f is not stiff:
        assert adc.jvp(f, (1.2,), (1.0,), mode="tape")[1] == pytest.approx(gradient, rel=1e-9)


def test_the_times_of_a_trajectory():
    def f(times):
        return np.sum(
            integrate.odeint(lambda y, t: -y * t, 1.0, times, rtol=1e-11, atol=1e-11)[:, 0] * [1.0, 2.0, 3.0]
        )

    times = np.array([0.2, 0.7, 1.1])
    moved = [slope(lambda x, k=k: f(np.where(np.arange(3) == k, x, times)), times[k]) for k in range(3)]
    assert adc.grad(f, mode="tape")(times) == pytest.approx(moved, rel=1e-6)


# --- what is kept while a solver runs -----------------------------------------------------------------------


class Law:
    """Its factor is computed once: where nobody asked before, by the solver's first call."""

    def __init__(self, k):
        self.k = k

    @functools.cached_property
    def factor(self):
        return self.k**2


def kept_by_a_bracket(k):
    law = Law(k)
    return optimize.brentq(lambda x: x**3 - law.factor, 0.0, 5.0) * law.factor


def kept_by_a_minimum(k):
    law = Law(k)
    found = optimize.minimize(lambda x: np.sum((x - law.factor) ** 2), np.zeros(2), tol=1e-10)
    return np.sum(found.x) * law.factor


def kept_by_a_fit(k):
    law = Law(k)
    return np.sum(optimize.least_squares(lambda x: x - law.factor, np.zeros(2), xtol=1e-15).x) * law.factor


def kept_by_its_slope(k):
    law = Law(k)
    root = optimize.newton(lambda x: x * k - 2.0, 1.0, fprime=lambda x: k + 0.0 * law.factor)
    return root * law.factor


def kept_by_an_integral(k):
    law = Law(k)
    return integrate.quad(lambda x: x * law.factor, 0.0, 2.0)[0] * law.factor


def kept_by_a_trajectory(k):
    law = Law(k)
    return integrate.odeint(lambda y, t: -law.factor * y, [1.0], [0.0, 1.0], rtol=1e-11)[-1, 0] * law.factor


def kept_in_a_dict(k):
    known = {}

    def f(x):
        if "square" not in known:
            known["square"] = k**2
        return x**3 - known["square"]

    return optimize.fsolve(f, np.ones(1), xtol=1e-13)[0] * known["square"]


KEPT = [
    kept_by_a_bracket,
    kept_by_a_minimum,
    kept_by_a_fit,
    kept_by_its_slope,
    kept_by_an_integral,
    kept_by_a_trajectory,
    kept_in_a_dict,
]


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_what_is_kept_while_a_solver_runs_has_a_derivative(f):
    assert adc.grad(f, mode="tape")(1.2) == pytest.approx(slope(f, 1.2, 1e-3), rel=1e-4)
