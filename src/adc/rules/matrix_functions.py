"""Rules of functions of matrices (expm, logm, sqrtm, ...) and of matrix equations (Sylvester, Lyapunov).

For analytic f, f([[A, E], [0, A]]) = [[f(A), L], [0, f(A)]] with L the derivative of f at A in direction E;
the transpose of that map is the derivative at the transpose of A. Source: Mathias (1996).
"""

import numpy as np
from scipy import linalg as sl

from adc.rules.products import transposed
from adc.rules.registry import composite, lowered, pull, push
from adc.rules.sampler import call


def _pair(a, e):
    upper = np.concatenate((a, e), axis=-1)
    lower = np.concatenate((np.zeros_like(a), a), axis=-1)
    return np.concatenate((upper, lower), axis=-2)


def _corner(pair, n):
    return pair[..., :n, n:]


@pull(
    sl.expm,
    wrt="A",
    name="scipy.linalg.expm",
    cost=2000,
    shape=lambda A: A.shape,
    examples=lambda r: [
        0.5 * r.normal(3, 3),
        r.normal(1, 1),
        0.5 * r.normal(2, 2, 2),
        0.3 * r.normal(2, 2) + 0.3j * r.normal(2, 2),
    ],
)
def expm_pull(z_bar, z, A):
    return _corner(sl.expm(_pair(transposed(A), z_bar)), A.shape[-1])


@push(sl.expm)
def expm_push(z, A, *, A_dot):
    return _corner(sl.expm(_pair(A, A_dot)), A.shape[-1])


@lowered(sl.expm)
def expm_by_scaling(A):
    # The Pade approximant of degree 13 of A / 2^s, squared s times. Source: Higham (2005).
    size = np.max(np.sum(np.abs(A), axis=-2))
    squarings = int(np.maximum(np.ceil(np.log2(np.maximum(size, 1e-300) / 5.371920351148152)), 0.0))
    x = A / 2.0**squarings
    one = np.eye(A.shape[-1], dtype=A.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    inner = x6 @ (x6 + 16380.0 * x4 + 40840800.0 * x2)
    odd = x @ (
        inner
        + 33522128640.0 * x6
        + 10559470521600.0 * x4
        + 1187353796428800.0 * x2
        + 32382376266240000.0 * one
    )
    inner = x6 @ (182.0 * x6 + 960960.0 * x4 + 1323241920.0 * x2)
    even = (
        inner
        + 670442572800.0 * x6
        + 129060195264000.0 * x4
        + 7771770303897600.0 * x2
        + 64764752532480000.0 * one
    )
    z = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        z = z @ z
    return z


def _logarithm_moved(z, A, E):
    """The derivative of log(A) = z in direction E."""
    if np.iscomplexobj(z) and not np.iscomplexobj(A):
        # Eigenvalues lie on the cut, where that of a pair would fall on either side: the divided differences.
        w, v = np.linalg.eig(A)
        logs = np.log(w + 0j)
        gaps = np.expand_dims(w, -1) - np.expand_dims(w, -2)
        equal = gaps == 0.0
        ratios = (np.expand_dims(logs, -1) - np.expand_dims(logs, -2)) / np.where(equal, 1.0, gaps)
        slopes = np.where(equal, 1.0 / np.expand_dims(w, -1), ratios)
        return v @ (slopes * np.linalg.solve(v, E @ v)) @ np.linalg.inv(v)
    return _corner(sl.logm(_pair(A, E)), A.shape[-1])


@pull(
    sl.logm,
    wrt="A",
    name="scipy.linalg.logm",
    cost=4000,
    extra={"cores": {"A": 2}, "may_be_complex": True},
    shape=lambda A: A.shape,
    examples=lambda r: [r.positive_definite(3), r.positive_definite(2) + 0.1 * r.normal(2, 2)],
)
def logm_pull(z_bar, z, A):
    return _logarithm_moved(z, A.T, z_bar)


@push(sl.logm)
def logm_push(z, A, *, A_dot):
    return _logarithm_moved(z, A, A_dot)


@pull(
    sl.sqrtm,
    wrt="A",
    name="scipy.linalg.sqrtm",
    cost=4000,
    extra={"cores": {"A": 2}, "may_be_complex": True},
    shape=lambda A: A.shape,
    examples=lambda r: [r.positive_definite(3), r.positive_definite(2) + 0.1 * r.normal(2, 2)],
)
def sqrtm_pull(z_bar, z, A):
    return sl.solve_sylvester(z.T, z.T, z_bar)


@push(sl.sqrtm)
def sqrtm_push(z, A, *, A_dot):
    return sl.solve_sylvester(z, z, A_dot)


@composite(
    sl.expm_frechet,
    wrt="A E",
    name="scipy.linalg.expm_frechet",
    extra={"cores": {"A": 2, "E": 2}, "doubles": True},
    examples=lambda r: [
        (0.5 * r.normal(2, 2), r.normal(2, 2)),
        call(0.5 * r.normal(2, 2), r.normal(2, 2), compute_expm=False),
    ],
)
def expm_frechet(A, E, method=None, compute_expm=True):
    n = A.shape[-1]
    pair = sl.expm(_pair(A, E))
    if compute_expm:
        return pair[:n, :n], pair[:n, n:]
    return pair[:n, n:]


@composite(
    sl.cosm, name="scipy.linalg.cosm", extra={"real_only": True}, examples=lambda r: [0.5 * r.normal(3, 3)]
)
def cosm(A):
    return np.real(sl.expm(1j * A))


@composite(
    sl.sinm, name="scipy.linalg.sinm", extra={"real_only": True}, examples=lambda r: [0.5 * r.normal(3, 3)]
)
def sinm(A):
    return np.imag(sl.expm(1j * A))


@composite(
    sl.tanm, name="scipy.linalg.tanm", extra={"real_only": True}, examples=lambda r: [0.3 * r.normal(3, 3)]
)
def tanm(A):
    exponential = sl.expm(1j * A)
    return np.linalg.solve(np.real(exponential), np.imag(exponential))


@composite(sl.coshm, name="scipy.linalg.coshm", examples=lambda r: [0.5 * r.normal(3, 3)])
def coshm(A):
    return 0.5 * (sl.expm(A) + sl.expm(-A))


@composite(sl.sinhm, name="scipy.linalg.sinhm", examples=lambda r: [0.5 * r.normal(3, 3)])
def sinhm(A):
    return 0.5 * (sl.expm(A) - sl.expm(-A))


@composite(sl.tanhm, name="scipy.linalg.tanhm", examples=lambda r: [0.5 * r.normal(3, 3)])
def tanhm(A):
    growing, falling = sl.expm(A), sl.expm(-A)
    return np.linalg.solve(growing + falling, growing - falling)


@composite(
    sl.fractional_matrix_power,
    wrt="A t",
    name="scipy.linalg.fractional_matrix_power",
    extra={"cores": {"A": 2}, "rtol": 1e-8, "float64_only": True},
    examples=lambda r: [
        (r.positive_definite(3), 0.5),
        (r.positive_definite(2), -1.3),
        (r.well_conditioned(3), 2),
    ],
)
def fractional_matrix_power(A, t):
    if isinstance(t, int):
        return np.linalg.matrix_power(A, t)
    return sl.expm(t * sl.logm(A))


# --- matrix equations ---------------------------------------------------------------------------------------


def _right_side(a, b, q):
    """The right side of an equation; SciPy does not look at it where one of the matrices has no elements."""
    if a.shape[0] != q.shape[0] or b.shape[0] != q.shape[1]:
        raise ValueError(
            "the right side of the equation has not one row for each of a and one column for each of b"
        )
    return q


@pull(
    sl.solve_sylvester,
    wrt="a b q",
    name="scipy.linalg.solve_sylvester",
    extra={"cores": {"a": 2, "b": 2, "q": 2}},
    cost=4000,
    shape=lambda a, b, q: q.shape,
    examples=lambda r: [(r.positive_definite(3), r.positive_definite(2), r.normal(3, 2))],
)
def solve_sylvester_pull(x_bar, x, a, b, q):
    q_bar = sl.solve_sylvester(a.T, b.T, _right_side(a, b, x_bar))
    return -q_bar @ x.T, -x.T @ q_bar, q_bar


@push(sl.solve_sylvester)
def solve_sylvester_push(x, a, b, q, *, a_dot, b_dot, q_dot):
    return sl.solve_sylvester(a, b, _right_side(a, b, q_dot) - a_dot @ x - x @ b_dot)


@composite(
    sl.solve_continuous_lyapunov,
    *(
        (sl.solve_lyapunov,)
        if hasattr(sl, "solve_lyapunov") and sl.solve_lyapunov is not sl.solve_continuous_lyapunov
        else ()
    ),
    wrt="a q",
    name="scipy.linalg.solve_continuous_lyapunov",
    extra={"cores": {"a": 2, "q": 2}},
    examples=lambda r: [(r.positive_definite(3), r.normal(3, 3))],
)
def solve_continuous_lyapunov(a, q):
    return sl.solve_sylvester(a, np.conjugate(a).T, q)


@composite(
    sl.solve_discrete_lyapunov,
    wrt="a q",
    name="scipy.linalg.solve_discrete_lyapunov",
    extra={"cores": {"a": 2, "q": 2}, "rtol": 1e-9, "doubles": True},
    examples=lambda r: [(0.3 * r.well_conditioned(3), r.normal(3, 3))],
)
def solve_discrete_lyapunov(a, q, method=None):
    n = a.shape[0]
    system = np.eye(n * n, dtype=a.dtype) - np.kron(a, np.conjugate(a))
    return np.reshape(np.linalg.solve(system, np.reshape(q, (n * n,))), (n, n))
