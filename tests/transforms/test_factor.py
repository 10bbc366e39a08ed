"""A matrix is factored once for all that is done with it, in both sweeps."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(0)


def kriging(p, x, y):
    apart = np.sqrt(np.sum((x[:, None] - x) ** 2, axis=2) + 1e-12)
    K = p[1] * np.exp(-apart / p[0]) + p[2] * np.eye(len(y))
    F = np.column_stack([np.ones(len(y)), x])
    weighted = np.linalg.solve(K, F)
    trend = np.linalg.solve(F.T @ weighted, weighted.T @ y)
    rest = y - F @ trend
    return 0.5 * rest @ np.linalg.solve(K, rest) + 0.5 * np.linalg.slogdet(K)[1]


def likelihood(K, y):
    return y @ np.linalg.inv(K) @ y + np.log(np.linalg.det(K)) + y @ np.linalg.solve(K.T, y)


def process(K, y):
    factor = np.linalg.cholesky(K)
    return (
        y @ np.linalg.solve(K, y) + np.sum(np.log(np.diag(factor))) + np.sum(np.linalg.solve(factor, y) ** 2)
    )


def implicit(c, D, u, h, steps):
    for _ in range(steps):
        J = D + np.diag(c * (1.0 - 2.0 * u))
        u = u + np.linalg.solve(np.eye(len(u)) - h * J, h * (D @ u + c * u * (1.0 - u)))
    return np.sum(u * u)


def newton(c, D, u, h, steps):
    for t in range(2, 2 * steps, 2):
        z = u
        for k in range(3, 0, -1):
            J = np.zeros(D.shape)
            for i in range(len(u)):
                for j in range(len(u)):
                    J[i, j] = -h * D[i, j] * k
                J[i, i] += 1.0 + 2.0 * h * c[i] * z[i]
            z = z - np.linalg.solve(J, z - u - h * (D @ z - c * z * z))
        u = z + 0.01 * t
    return np.sum(u * u)


def until(c, D, u, h, most):
    while np.sum(u * u) > most:
        u = np.linalg.solve(np.eye(len(u)) + h * np.diag(c * u), u - h * D @ u)
    return np.sum(u * u)


def crank(c, D, u, h, steps):
    A = np.eye(len(u)) - h * D
    for _ in range(steps):
        u = np.linalg.solve(A, u + h * c * np.sin(u))
    return np.sum(u * u)


def written(A, b):
    A = A.copy()
    x = np.linalg.solve(A, b)
    A[0] += x
    y = np.linalg.solve(A, b)
    return x @ y + np.linalg.slogdet(A)[1]


def written_in_a_trip(A, b, steps):
    A = A.copy()
    for _ in range(steps):
        b = np.linalg.solve(A, b)
        A[0] += b
        b = np.linalg.solve(A, b)
    return np.sum(b * b)


def of_a_branch(A, b):
    if b[0] > 0.0:
        x = np.linalg.solve(A, b)
    else:
        x = b * 2.0
    return np.sum(x * np.linalg.solve(A, x))


def of_either_branch(A, b):
    total = 0.0
    for k in range(len(b)):
        if b[k] > 0.0:
            total += np.linalg.solve(A, b)[k]
        else:
            total += np.linalg.det(A) * b[k]
    return total


def in_branches_of_trips(c, D, u, h, steps):
    for t in range(steps):
        if t % 2 == 0:
            A = np.eye(len(u)) - h * np.diag(c * u)
            u = np.linalg.solve(A, u) / np.linalg.det(A)
        else:
            u = u + h * D @ u
    return np.sum(u * u)


def spd(n):
    a = R.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def steps_of(n):
    """c, D, u for n equations."""
    return R.uniform(0.5, 1.0, n), 0.3 * R.normal(size=(n, n)), R.uniform(0.5, 1.0, n)


def negative(n):
    return -np.abs(R.normal(size=n))


# The calls of the forward and of the reverse sweep: `rt.lu` makes factors, rt.solve, rt.inv, rt.det as well.
CASES = {
    "kriging": (kriging, (np.array([0.3, 1.0, 0.1]), R.random((12, 2)), R.normal(size=12)), 0, (2, 0)),
    "likelihood": (likelihood, (spd(5), R.normal(size=5)), (0, 1), (1, 0)),
    "process": (process, (spd(5), R.normal(size=5)), 1, (1, 0)),
    "implicit": (implicit, (*steps_of(4), 0.05, 5), (0, 1, 2), (1, 0)),
    "implicit, large": (implicit, (*steps_of(11), 0.05, 5), (0, 1, 2), (1, 0)),
    "no trip": (implicit, (*steps_of(4), 0.05, 0), (0, 1, 2), (1, 0)),
    "newton": (newton, (*steps_of(3), 0.05, 4), (0, 1, 2), (1, 0)),
    "until": (until, (*steps_of(3), 0.3, 0.4), (0, 1, 2), (1, 1)),
    "crank": (crank, (*steps_of(4), 0.05, 6), (0, 1, 2), (1, 0)),
    "written": (written, (spd(4), R.normal(size=4)), (0, 1), (2, 1)),
    "written in a trip": (written_in_a_trip, (spd(4), R.normal(size=4), 3), (0, 1), (2, 2)),
    "of a branch": (of_a_branch, (spd(4), np.abs(R.normal(size=4))), (0, 1), (2, 0)),
    "of the other branch": (of_a_branch, (spd(4), negative(4)), (0, 1), (2, 0)),
    "of either branch": (of_either_branch, (spd(4), R.normal(size=4)), (0, 1), (2, 2)),
    "in branches of trips": (in_branches_of_trips, (*steps_of(4), 0.05, 5), (0, 1, 2), (1, 0)),
}


def factorizations(text):
    """How many calls that factor a matrix stand in the forward sweep, and how many in the reverse sweep."""
    body = text[text.index("# forward") :]
    return tuple(
        sum(sweep.count(f"rt.{name}(") for name in ("lu", "solve", "inv", "det", "slogdet"))
        for sweep in body.split("# reverse")
    )


@pytest.mark.parametrize("name", CASES)
def test_factored_once(name):
    f, args, argnums, counts = CASES[name]
    with interpreted():
        gradient = adc.value_and_grad(f, argnums=argnums, mode="compiled")
        value, found = gradient(*args)
        assert factorizations(adc.source(gradient, *args, stage="optimized")) == counts
    wanted_value, wanted = adc.value_and_grad(f, argnums=argnums, mode="python")(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-10)
    np.testing.assert_allclose(value, wanted_value, rtol=1e-10)
    for g, w in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, wanted)), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-11)
    last = argnums[-1] if isinstance(argnums, tuple) else argnums
    direction, step = np.cos(np.arange(args[last].size)).reshape(args[last].shape), 1e-6
    ahead, behind = (
        f(*(a + s * direction if k == last else a for k, a in enumerate(args))) for s in (step, -step)
    )
    slope = np.sum(direction * (found[-1] if isinstance(argnums, tuple) else found))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["kriging", "implicit, large"])
@pytest.mark.machine_code
def test_compiled(name):
    f, args = CASES[name][:2]
    found = adc.grad(f, argnums=0, mode="compiled")(*args)
    np.testing.assert_allclose(found, adc.grad(f, argnums=0, mode="python")(*args), rtol=1e-9)


def test_second_derivatives_share_the_factors():
    K, y = spd(3), R.normal(size=3)

    def of_y(y):
        return kriging_like(K, y)

    def kriging_like(K, y):
        return y @ np.linalg.solve(K, y) + np.linalg.slogdet(K + np.outer(y, y))[1]

    for f, x in ((of_y, y), (lambda K: kriging_like(K, y), K)):
        found = adc.hessian(f, mode="compiled")(x)
        np.testing.assert_allclose(found, adc.hessian(f, mode="python")(x), rtol=1e-8, atol=1e-10)


def test_single_precision_and_complex_numbers():
    def single(K, y):
        return y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1]

    K, y = spd(9).astype(np.float32), R.normal(size=9).astype(np.float32)
    found = adc.grad(single, mode="compiled")(K, y)
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found, adc.grad(single)(K.astype(float), y.astype(float)), rtol=1e-3, atol=1e-4
    )

    def of_complex(a, b):
        z = a + 1j * b
        return np.abs(np.linalg.solve(z, z[0])).sum() + np.linalg.slogdet(z)[1]

    args = spd(9), spd(9)
    for g, w in zip(
        *(adc.grad(of_complex, argnums=(0, 1), mode=m)(*args) for m in ("compiled", "python")), strict=True
    ):
        np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-11)


def singular_system(A, b):
    if np.linalg.det(A) == 0.0:
        return np.sum(b)
    return np.sum(np.linalg.solve(A, b))


def test_singular_matrices():
    b, A = np.ones(3), np.ones((3, 3))
    values = adc.value_and_grad(singular_system, argnums=1, mode="compiled")
    value, found = values(A, b)
    assert value == 3.0
    assert found.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(np.linalg.LinAlgError):
        adc.grad(crank, mode="compiled")(b, np.eye(3) / 0.5, b, 0.5, 2)
    # A loop without trips divides by nothing.
    found = adc.grad(crank, argnums=2, mode="compiled")(b, np.eye(3) / 0.5, b, 0.5, 0)
    assert found.tolist() == [2.0, 2.0, 2.0]
    # Of the determinant alone the value is there, and of more than three rows the derivative is not.
    A = np.ones((4, 4))
    assert adc.value_and_grad(likelihood_of_determinant, argnums=1, mode="compiled")(A, 2.0) == (0.0, 0.0)
    with pytest.raises(adc.DerivativeError, match="Singular matrix"):
        adc.grad(likelihood_of_determinant, mode="compiled")(A, 2.0)


def likelihood_of_determinant(A, s):
    return np.linalg.det(A) * s


def test_no_rows():
    def f(A, b):
        return np.sum(np.linalg.solve(A, b)) + np.linalg.slogdet(A)[1]

    value, (A_bar, b_bar) = adc.value_and_grad(f, argnums=(0, 1), mode="compiled")(
        np.ones((0, 0)), np.ones(0)
    )
    assert value == 0.0
    assert A_bar.shape == (0, 0)
    assert b_bar.shape == (0,)
