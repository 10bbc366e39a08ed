"""Rules of the algebraic Riccati equations: a change of the solution solves a Lyapunov equation of the closed loop.

With the gain k of the solution x, the closed loop is a - b k; both pulls and pushes are linear equations in it.
"""

from scipy import linalg as sl

from adc.rules.linear_systems import symmetric
from adc.rules.registry import pull, push
from adc.runtime import riccati as kernels

__all__ = ["kernels"]  # Numba learns them


def _systems(r):
    return [
        (r.normal(3, 3), r.normal(3, 2), r.positive_definite(3), r.positive_definite(2)),
        (r.normal(2, 2), r.normal(2, 1), r.positive_definite(2), r.positive_definite(1)),
    ]


RICCATI = {
    "cores": {"a": 2, "b": 2, "q": 2, "r": 2},
    "real_only": True,
    "float64_only": True,
    "order": "A",
    "directions": {"q": symmetric, "r": symmetric},
}


def _gain(x, b, r):
    return sl.solve(r, b.T @ x)


@pull(
    sl.solve_continuous_are,
    wrt="a b q r",
    name="scipy.linalg.solve_continuous_are",
    cost=10000,
    shape=lambda a, b, q, r: tuple(a.shape),
    extra=RICCATI,
    notes="without `e` and `s`",
    examples=_systems,
)
def solve_continuous_are_pull(x_bar, x, a, b, q, r):
    k = _gain(x, b, r)
    q_bar = -sl.solve_continuous_lyapunov(a - b @ k, symmetric(x_bar))
    a_bar = 2.0 * x @ q_bar
    return a_bar, -a_bar @ k.T, q_bar, k @ q_bar @ k.T


@push(sl.solve_continuous_are)
def solve_continuous_are_push(x, a, b, q, r, *, a_dot, b_dot, q_dot, r_dot):
    k = _gain(x, b, r)
    half = x @ (a_dot - b_dot @ k)
    forced = q_dot + k.T @ r_dot @ k + half + half.T
    return -sl.solve_continuous_lyapunov((a - b @ k).T, forced)


def _discrete_gain(x, a, b, r):
    return sl.solve(r + b.T @ x @ b, b.T @ x @ a)


@pull(
    sl.solve_discrete_are,
    wrt="a b q r",
    name="scipy.linalg.solve_discrete_are",
    cost=10000,
    shape=lambda a, b, q, r: tuple(a.shape),
    extra=RICCATI,
    notes="without `e` and `s`",
    examples=_systems,
)
def solve_discrete_are_pull(x_bar, x, a, b, q, r):
    k = _discrete_gain(x, a, b, r)
    closed = a - b @ k
    q_bar = sl.solve_discrete_lyapunov(closed, symmetric(x_bar))
    a_bar = 2.0 * x @ closed @ q_bar
    return a_bar, -a_bar @ k.T, q_bar, k @ q_bar @ k.T


@push(sl.solve_discrete_are)
def solve_discrete_are_push(x, a, b, q, r, *, a_dot, b_dot, q_dot, r_dot):
    k = _discrete_gain(x, a, b, r)
    closed = a - b @ k
    half = closed.T @ x @ (a_dot - b_dot @ k)
    return sl.solve_discrete_lyapunov(closed.T, q_dot + k.T @ r_dot @ k + half + half.T)
