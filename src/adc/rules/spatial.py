"""Rules of scipy.spatial.distance: distances of vectors, and of the rows of matrices, in the metrics that are smooth.

A distance is written once, over the last axis of two arrays that broadcast; all functions are forms of it.
"""

import numpy as np
from scipy import special as sp
from scipy.spatial import distance

from adc.errors import UnsupportedError
from adc.rules import special as special
from adc.rules.elementary import root
from adc.rules.reductions import as_floats, in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _metric(metric):
    """The name of a metric that the rules know, in the spelling of its function."""
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    known = {"mahal": "mahalanobis", "mi": "mahalanobis", "cheb": "chebyshev", "cheby": "chebyshev"}
    name = known.get(name.lower(), name.lower())
    if name not in _METRICS:
        raise UnsupportedError(
            f"distances by the metric {name!r} are not supported",
            repair=f"Take one of {', '.join(_METRICS)}, or write the distance with NumPy.",
        )
    return name


_METRICS = (
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "minkowski",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
    "seuclidean",
    "mahalanobis",
)


def _floats(a):
    """Integers in double precision: their squares would wrap around."""
    return a if a is None or isinstance(a, (list, tuple)) else as_floats(a)


def _summed(terms, w):
    return np.sum(terms, axis=-1) if w is None else np.sum(w * terms, axis=-1)


def _mean(u, w):
    if w is None:
        return np.mean(u, axis=-1, keepdims=True)
    return np.sum(w * u, axis=-1, keepdims=True) / np.sum(w)


def _largest(step, w):
    size = np.abs(step)
    return np.max(size if w is None else np.where(w > 0.0, size, 0.0), axis=-1)


def _by_power(step, p, w):
    size = as_floats(np.abs(step))
    power = in_dtype(np.where(p == np.inf, 2.0, p), size.dtype)
    total = _summed(size**power, w)
    length = np.where(total == 0.0, 0.0, np.where(total == 0.0, 1.0, total) ** (1.0 / power))
    return np.where(p == np.inf, _largest(step, w), length)


def minkowski_along(step, p):
    """The length of steps along the last axis, for a power that is known."""
    return np.linalg.norm(step, axis=-1) if p == 2.0 else _by_power(step, p, None)


def _cosine(u, v, w):
    size = np.sqrt(_summed(u * u, w)) * np.sqrt(_summed(v * v, w))
    return 1.0 - _summed(u * v, w) / size


def _cosine_of_two(u, v, w):
    """As SciPy computes it: squares of short integers wrap around, and what is no cosine is cut off."""
    uw, vw = (u, v) if w is None else (u * (w / np.sum(w)), v * (w / np.sum(w)))
    apart = 1.0 - np.dot(u, vw) / np.sqrt(as_floats(np.dot(u, uw) * np.dot(v, vw)))
    return np.where(np.abs(apart - 1.0) > 1.0 + 1e-9, np.clip(apart, 0.0, 2.0), apart)


def _variances(u, v, V):
    """The sample variances of all rows, where none are given."""
    if V is not None:
        return V
    rows = np.concatenate((np.reshape(u, (-1, u.shape[-1])), np.reshape(v, (-1, v.shape[-1]))), axis=0)
    return np.var(rows, axis=0, ddof=1)


def _apart(u, v, metric, p, w, V, VI):
    """The distance along the last axis of two arrays that broadcast."""
    w = w if w is None else np.array(w, dtype=np.float64)
    if metric == "sqeuclidean":
        u, v = _floats(u), _floats(v)
    if metric == "cosine":
        return _cosine(u, v, w)
    if metric == "correlation":
        return _cosine(u - _mean(u, w), v - _mean(v, w), w)
    step = u - v
    if metric == "euclidean":
        return np.linalg.norm(step if w is None else step * np.sqrt(w), axis=-1)
    if metric == "sqeuclidean":
        return _summed(step * step, w)
    if metric == "cityblock":
        return _summed(np.abs(step), w)
    if metric == "chebyshev":
        return _largest(step, w)
    if metric == "minkowski":
        return _by_power(step, p, w)
    if metric == "canberra":
        both = np.abs(u) + np.abs(v)
        return _summed(np.abs(step) / np.where(both == 0.0, 1.0, both), w)
    if metric == "braycurtis":
        return _summed(np.abs(step), w) / _summed(np.abs(u + v), w)
    if metric == "seuclidean":
        return np.linalg.norm(step / np.sqrt(V), axis=-1)
    return np.sqrt(np.sum((step @ VI) * step, axis=-1))


# --- two vectors --------------------------------------------------------------------------------------------


@static
def _two_vectors(u_ndim, v_ndim):
    if u_ndim != 1 or v_ndim != 1:
        raise ValueError("Input vector should be 1-D.")


# Of complex numbers SciPy leaves the imaginary parts out, or refuses them.
_OF_REAL_PARTS = ("braycurtis", "canberra", "correlation", "cosine")


def _of_two(name):
    metric = name

    @composite(
        getattr(distance, name),
        wrt="u v w",
        name=f"distance.{name}",
        spelling=f"scipy.spatial.distance.{name}",
        extra={
            "float64_only": True,
            "real_only": name in _OF_REAL_PARTS,
            "doubles": name in ("braycurtis", "canberra"),
        },
        examples=lambda r: [(r.normal(3), r.normal(3)), call(r.normal(3), r.normal(3), w=r.positive(3))],
    )
    def apart(u, v, w=None):
        _two_vectors(np.ndim(u), np.ndim(v))
        if metric == "correlation" and np.size(u) != np.size(v):
            raise ValueError("the vectors of a correlation have different lengths")
        if metric == "cosine":
            return _cosine_of_two(u, v, w if w is None else np.array(w, dtype=np.float64))
        return _apart(u, v, metric, 2, w, None, None)


for _name in (
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "correlation",
    "canberra",
    "braycurtis",
    "cosine",
):
    _of_two(_name)


@composite(
    distance.minkowski,
    wrt="u v p w",
    name="distance.minkowski",
    spelling="scipy.spatial.distance.minkowski",
    extra={"float64_only": True},
    examples=lambda r: [
        (r.normal(3), r.normal(3)),
        (r.normal(3), r.normal(3), 3.0),
        (r.normal(3), r.normal(3), 1.5, r.positive(3)),
        (r.normal(3), r.normal(3), np.inf),
    ],
)
def minkowski(u, v, p=2, w=None):
    _two_vectors(np.ndim(u), np.ndim(v))
    return _apart(u, v, "minkowski", p, w, None, None)


@composite(
    distance.seuclidean,
    wrt="u v V",
    name="distance.seuclidean",
    spelling="scipy.spatial.distance.seuclidean",
    extra={"float64_only": True, "real_only": True},
    examples=lambda r: [(r.normal(3), r.normal(3), r.positive(3))],
)
def seuclidean(u, v, V):
    _two_vectors(np.ndim(u), np.ndim(v))
    if np.size(V) != np.size(u) or np.size(V) != np.size(v):
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return _apart(u, v, "seuclidean", 2, None, V, None)


@composite(
    distance.mahalanobis,
    wrt="u v VI",
    name="distance.mahalanobis",
    spelling="scipy.spatial.distance.mahalanobis",
    extra={"float64_only": True},
    examples=lambda r: [(r.normal(3), r.normal(3), r.positive_definite(3))],
)
def mahalanobis(u, v, VI):
    _two_vectors(np.ndim(u), np.ndim(v))
    return _apart(u, v, "mahalanobis", 2, None, None, VI)


@composite(
    distance.jensenshannon,
    wrt="p q",
    name="distance.jensenshannon",
    spelling="scipy.spatial.distance.jensenshannon",
    extra={"float64_only": True, "real_only": True},
    examples=lambda r: [
        (r.positive(3), r.positive(3)),
        (r.positive(3), r.positive(3), 2.0),
        call(r.positive(2, 3), r.positive(2, 3), axis=1, keepdims=True),
    ],
)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (p + q)
    terms = sp.rel_entr(p, middle) + sp.rel_entr(q, middle)
    divergence = 0.5 * np.sum(terms, axis=axis, keepdims=keepdims)
    return root(divergence if base is None else divergence / np.log(base))


# --- the rows of matrices -----------------------------------------------------------------------------------


def _metrics(draw):
    """An example of each metric: the arguments of `draw`, then what the metric takes."""

    def examples(r):
        return [
            call(*draw(r)),
            *(
                call(*draw(r), name)
                for name in ("sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra")
            ),
            call(*draw(r), "braycurtis"),
            call(*draw(r), metric="minkowski", p=3.0),
            call(*draw(r), "minkowski", p=1.5, w=r.positive(3)),
            call(*draw(r), "seuclidean", V=r.positive(3)),
            call(*draw(r), "seuclidean"),
            call(*draw(r), "mahalanobis", VI=r.positive_definite(3)),
        ]

    return examples


def _inverse_covariance(u, v, VI):
    """The inverse covariance of all rows, where none is given."""
    if VI is not None:
        return VI
    rows = np.concatenate((np.reshape(u, (-1, u.shape[-1])), np.reshape(v, (-1, v.shape[-1]))), axis=0)
    return np.linalg.inv(np.cov(rows.T)).T


@composite(
    distance.cdist,
    wrt="XA XB p w V VI",
    name="distance.cdist",
    spelling="scipy.spatial.distance.cdist",
    extra={"doubles": True, "real_only": True, "rtol": 1e-9},
    examples=_metrics(lambda r: (r.normal(4, 3), r.normal(3, 3))),
    notes="the smooth metrics, by name; 0 where a Euclidean distance is 0",
)
def cdist(XA, XB, metric="euclidean", *, p=2, w=None, V=None, VI=None):
    chosen = _metric(metric)
    XA, XB = _floats(XA), _floats(XB)
    u, v = np.expand_dims(XA, 1), np.expand_dims(XB, 0)
    if u.shape[-1] != v.shape[-1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    if chosen == "seuclidean":
        V = _variances(XA, XB, V)
    if chosen == "mahalanobis":
        VI = _inverse_covariance(XA, XB, VI)
    return _apart(u, v, chosen, p, w, V, VI)


@composite(
    distance.pdist,
    wrt="X p w V VI",
    name="distance.pdist",
    spelling="scipy.spatial.distance.pdist",
    extra={"doubles": True, "real_only": True, "rtol": 1e-9},
    examples=_metrics(lambda r: (r.normal(5, 3),)),
    notes="the smooth metrics, by name; 0 where a Euclidean distance is 0",
)
def pdist(X, metric="euclidean", *, p=2, w=None, V=None, VI=None):
    chosen = _metric(metric)
    X = _floats(X)
    first, second = np.triu_indices(X.shape[0], 1)
    if chosen == "seuclidean":
        V = np.var(X, axis=0, ddof=1) if V is None else V
    if chosen == "mahalanobis":
        VI = np.linalg.inv(np.cov(X.T)).T if VI is None else VI
    return _apart(X[first], X[second], chosen, p, w, V, VI)


@composite(
    distance.directed_hausdorff,
    wrt="u v",
    name="distance.directed_hausdorff",
    spelling="scipy.spatial.distance.directed_hausdorff",
    extra={"float64_only": True, "real_only": True},
    examples=lambda r: [(r.normal(4, 3), r.normal(3, 3)), (r.normal(2, 2), r.normal(5, 2))],
    notes="of several pairs that are as far apart the first",
)
def directed_hausdorff(u, v, rng=0):
    u, v = _floats(u), _floats(v)
    step = np.expand_dims(u, 1) - np.expand_dims(v, 0)
    apart = np.sum(step * step, axis=-1)
    nearest = np.argmin(apart, axis=1)
    i = np.argmax(np.min(apart, axis=1))
    j = nearest[i]
    return np.linalg.norm(u[i] - v[j]), i, j


@composite(
    distance.squareform,
    wrt="X",
    name="distance.squareform",
    spelling="scipy.spatial.distance.squareform",
    examples=lambda r: [r.normal(6), call(_symmetric(r.normal(4, 4)), checks=False)],
    notes="of a matrix: the elements above the diagonal",
)
def squareform(X, force="no", checks=True):
    if np.ndim(X) == 2:
        return X[np.triu_indices(X.shape[0], 1)]
    n = _rows(X.shape[0])
    square = np.zeros((n, n), dtype=X.dtype)
    square[np.triu_indices(n, 1)] = X
    return square + square.T


def _symmetric(a):
    return (a + a.T) * (1.0 - np.eye(a.shape[0]))


def _rows(pairs):
    """How many rows have so many pairs."""
    return int(np.sqrt(8 * pairs + 1) + 1.5) // 2
