"""Rules of NumPy's functions of polynomials, given by their coefficients, the highest power first."""

import numpy as np

from adc.rules.least_squares import precision_of
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call, corner


def _pair(r):
    return [(r.normal(4), r.normal(2)), (r.normal(2), r.normal(4)), (r.normal(3), r.normal(3))]


@composite(
    np.polyval,
    wrt="p x",
    extra={"arrays": "x"},
    examples=lambda r: [
        (r.normal(4), 0.7),
        (r.normal(3), r.normal(2, 3)),
        (r.normal(1), r.normal(3)),
        (r.normal(0), r.normal(3)),
    ],
)
def polyval(p, x):
    value = np.zeros(1, dtype=p.dtype)[0] + 0.0 * x
    for k in range(p.shape[0]):
        value = value * x + p[k]
    return in_dtype(value, np.result_type(p, x))


def _padded(p, n):
    """Zeros before the coefficients, up to n of them."""
    return np.concatenate((np.zeros(n - p.shape[0], dtype=p.dtype), p))


@composite(np.polyadd, wrt="a1 a2", examples=_pair)
def polyadd(a1, a2):
    one, two = np.atleast_1d(a1), np.atleast_1d(a2)
    n = np.maximum(one.shape[0], two.shape[0])
    return _padded(one, n) + _padded(two, n)


@composite(np.polysub, wrt="a1 a2", examples=_pair)
def polysub(a1, a2):
    one, two = np.atleast_1d(a1), np.atleast_1d(a2)
    n = np.maximum(one.shape[0], two.shape[0])
    return _padded(one, n) - _padded(two, n)


def trimmed(p):
    """The coefficients from the first that is not zero; of zeros alone the last."""
    left = np.append(np.flatnonzero(p), p.shape[0] - 1)
    return p[left[0] :]


@composite(
    np.polymul,
    wrt="a1 a2",
    examples=lambda r: [*_pair(r), corner(np.array([0.0, 0.0, 1.5, 0.5]), np.array([0.0, 2.0, 0.0]))],
    notes="NumPy leaves out leading coefficients that are zero: how many is piecewise constant",
)
def polymul(a1, a2):
    return np.convolve(trimmed(np.atleast_1d(a1)), trimmed(np.atleast_1d(a2)))


@composite(
    np.polydiv,
    wrt="u v",
    notes="NumPy leaves out leading coefficients of the remainder below 1e-8: how many is piecewise constant",
    examples=lambda r: [
        (r.normal(5), r.nonzero(2)),
        (r.normal(4), r.nonzero(3)),
        (r.normal(3), r.nonzero(3)),
        (r.nonzero(2), r.nonzero(3)),
        (r.normal(3), r.nonzero(1)),
    ],
)
def polydiv(u, v):
    dtype = np.result_type(u, v, 0.0)
    steps = u.shape[0] - v.shape[0] + 1
    quotient = np.zeros(np.maximum(steps, 1), dtype=dtype)
    rest = np.copy(in_dtype(u, dtype))
    for k in range(steps):
        factor = rest[k] / v[0]
        quotient[k] = factor
        rest[k : k + v.shape[0]] -= factor * v
    left = np.append(np.flatnonzero(np.abs(rest) > 1e-8), u.shape[0] - 1)
    return quotient, rest[left[0] :]


@composite(np.polyder, wrt="p", examples=lambda r: [r.normal(4), (r.normal(4), 2)])
def polyder(p, m=1):
    result = p
    for _ in range(m):
        n = result.shape[0] - 1
        result = result[:-1] * np.arange(n, 0, -1)
    return result


@composite(
    np.polyint,
    wrt="p k",
    examples=lambda r: [r.normal(4), (r.normal(3), 2), (r.normal(3), 1, 0.5)],
    extra={"float64_only": True},
)
def polyint(p, m=1, k=None):
    result = p
    for step in range(m):
        n = result.shape[0]
        constant = 0.0 if k is None else (k if np.ndim(k) == 0 else k[step])
        result = np.concatenate((result / np.arange(n, 0, -1), np.zeros(1) + constant))
    return result


def _characteristic(a):
    """The characteristic polynomial of a matrix without its eigenvalues, which equal ones leave open."""
    # Faddeev and LeVerrier: Gantmacher, The Theory of Matrices, 1959, chapter IV.
    n = a.shape[0]
    result = np.zeros(n + 1, dtype=np.result_type(a, 0.0))
    result[0] = 1.0
    power = np.zeros_like(a)
    for k in range(n):
        power = a @ power + result[k] * np.eye(n, dtype=a.dtype)
        result[k + 1] = -np.trace(a @ power) / (k + 1)
    return result


def from_zeros(zeros):
    """The coefficients of a polynomial with these zeros; of none they are that of 1 (NumPy has a number then)."""
    n = zeros.shape[0]
    zero = np.zeros(1, dtype=zeros.dtype)
    result = np.concatenate((np.ones_like(zero), np.zeros_like(zeros)))
    for k in range(n):
        result = result - zeros[k] * np.concatenate((zero, result[:n]))
    return result


@composite(
    np.poly,
    wrt="seq_of_zeros",
    extra={"float64_only": True},
    examples=lambda r: [r.normal(3), r.normal(3, 3), np.eye(3), r.normal(1)],
    notes="of a sequence of zeros, or of a matrix",
)
def poly(seq_of_zeros):
    return _characteristic(seq_of_zeros) if np.ndim(seq_of_zeros) == 2 else from_zeros(seq_of_zeros)


@static
def _is_unscaled(cov):
    return cov == "unscaled"


@composite(
    np.polyfit,
    wrt="x y w",
    examples=lambda r: [
        (np.array([0.0, 0.5, 1.1, 1.8, 2.4]), r.normal(5), 2),
        (np.array([0.0, 0.5, 1.1, 1.8]), r.normal(4, 2), 1),
        call(np.array([0.0, 0.5, 1.1, 1.8]), r.normal(4), 1, w=r.positive(4)),
        (np.array([0.0, 0.5, 1.1, 1.8, 2.4]), r.normal(5), 3, 0.2),
        (np.array([0.0, 0.5, 1.1, 1.8]), r.normal(4), 1, None, True),
        call(np.array([0.0, 0.5, 1.1, 1.8]), r.normal(4), 1, cov=True),
        call(np.array([0.0, 0.5, 1.1, 1.8]), r.normal(4), 2, w=r.positive(4), cov="unscaled"),
        call(np.array([0.0, 0.5, 1.1, 1.8, 2.4]), r.normal(5, 2), 1, cov=True),
    ],
    extra={"float64_only": True, "rtol": 1e-9},
)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if np.size(x) == 0:
        raise TypeError("expected non-empty vector for x")
    matrix = np.vander(x + 0.0, int(deg) + 1)
    right = y
    if w is not None:
        matrix = matrix * np.expand_dims(w, 1)
        right = y * (w if np.ndim(y) == 1 else np.expand_dims(w, 1))
    # As NumPy does: of the many polynomials through few points it is the one that is smallest in these units.
    lengths = np.sqrt(np.sum(matrix * matrix, axis=0))
    units = np.where(lengths == 0.0, 1.0, lengths)
    scaled = matrix / units
    if full:
        least = x.shape[0] * precision_of(scaled.dtype) if rcond is None else rcond
        fitted, residuals, rank, s = np.linalg.lstsq(scaled, right, least)
    else:
        fitted = (np.linalg.pinv(scaled) if rcond is None else np.linalg.pinv(scaled, rcond)) @ right
    coefficients = fitted / (units if np.ndim(y) == 1 else np.expand_dims(units, 1))
    if full:
        return coefficients, residuals, rank, s, least
    if not cov:
        return coefficients
    covariance = np.linalg.inv(scaled.T @ scaled) / units / np.expand_dims(units, 1)
    if not _is_unscaled(cov):
        freedom = x.shape[0] - int(deg) - 1
        if freedom <= 0:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        residue = right - scaled @ fitted
        covariance = covariance if np.ndim(y) == 1 else np.expand_dims(covariance, 2)
        covariance = covariance * (np.sum(residue * residue, axis=0) / freedom)
    elif np.ndim(y) == 2:
        covariance = np.expand_dims(covariance, 2)
    return coefficients, covariance


# From NumPy 2.5 on, eigvals is always complex; np.roots makes its numbers real where it can, which no type can say.
ALWAYS_COMPLEX = np.linalg.eigvals(np.eye(2)).dtype.kind == "c"


@composite(
    np.roots,
    wrt="p",
    extra={"float64_only": True, "rtol": 1e-9},
    examples=lambda r: (
        [np.array([1.0, -6.5, 11.0, -4.0])] * (not ALWAYS_COMPLEX) + [np.array([2.0, 1.0, 3.0])]
    ),
    notes="simple roots; the first and the last coefficient are not zero; from NumPy 2.5 on they are complex",
)
def roots(p):
    n = p.shape[0] - 1
    first_row = np.expand_dims(-p[1:] / p[0], 0)
    below = np.eye(n, k=-1, dtype=p.dtype)[1:]
    return np.linalg.eigvals(np.concatenate((first_row, below), axis=0))
