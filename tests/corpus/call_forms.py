"""The same operations in the other forms that NumPy takes: methods, keywords, lists, arrays for sequences."""

import math

import numba
import numpy as np
import scipy.linalg
from scipy import stats
from tests.corpus import program

KEEP = np.array([True, False, True, True])


def matrix(*shape):
    return lambda r: (r.normal(size=shape),)


@program(lambda r: (r.normal(size=4), KEEP.copy()))
def compress_as_a_method(x, keep):
    return np.sum(x.compress(keep) ** 2 * np.array([1.0, 2.0, 3.0]))


@program(lambda r: (r.normal(size=(3, 4)), KEEP.copy()))
def compress_along_an_axis(a, keep):
    return np.sum(a.compress(keep, axis=1) ** 2) + np.sum(np.delete(a, keep, axis=1) ** 3)


@program(lambda r: (r.normal(size=3), r.normal(size=(2, 3)), -1))
def axis_as_an_argument(x, a, axis):
    ordered = np.sum(np.sort(x, axis) * np.cumsum(x, axis) * np.diff(x, axis=axis)[0])
    return ordered + np.sum(np.sort(a, axis) * np.cumsum(a, axis=axis) * np.argsort(a, axis))


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def choose_by_a_list(x, y):
    return np.sum(np.choose([0, 1, 1, 0], (x, y)) * np.arange(4.0))


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def filled_with_an_array(a, x):
    return np.sum(np.full((2, 3), x) * a) + np.sum(np.full_like(a, x**2) * a)


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 3))))
def triangle_of_a_row(x, a):
    return np.sum(np.triu(x) * a) + np.sum(np.tril(x, -1) * a**2)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 1)), r.normal(size=2)))
def insert_at_several_places(a, column, x):
    wide = np.insert(a, [1, 2], column, axis=1)
    return np.sum(wide * np.arange(6.0)) + np.sum(np.insert(x, slice(0, 2), x**2) * np.arange(4.0))


@program(matrix(3, 4))
def methods_with_an_order(a):
    columns = a.reshape((4, 3), order="F")[1] * a.flatten("F")[:3] * a.flatten(order="C")[1:4]
    return np.sum(columns) + np.sum(a.copy(order="C") ** 2)


@program(matrix(2, 3, 4))
def rows_of_an_array_joined(t):
    rows = np.concatenate(t) * np.concatenate(t, axis=1).reshape(6, 4)
    return np.sum(rows * np.arange(4.0)) + np.sum(np.stack(t, axis=-1)[0, 1]) + np.sum(t.mT[0] ** 2)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=2)))
def joined_flat(a, x):
    return np.sum(np.concatenate([a, x], axis=None) ** 2 * np.arange(8.0))


@program(lambda r: (r.normal(size=4), 0.7))
def put_by_lists(x, s):
    y = x.copy()
    np.put(y, [0, 2], [s, s**2])
    y.put([1], s**3)
    return np.sum(y * np.arange(1.0, 5.0))


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(1, 4))))
def positions_of_every_row(a, row):
    b = a * 2.0
    np.put_along_axis(b, np.array([[1, -1]]), np.sum(a**2, axis=1, keepdims=True), 1)
    np.put_along_axis(b, np.array([0, -6]), row[0, :2], None)
    picked = np.take_along_axis(b, np.array([[0, -1]]), axis=1) * np.take_along_axis(
        row, np.array([[0], [3], [-2]]), 1
    )
    return np.sum(picked**2) + np.sum(b**3)


@program(matrix(3, 4))
def open_mesh_of_lists(a):
    return np.sum(a[np.ix_([0, 2], [1, 3])] ** 2) + np.sum(np.take_along_axis(a, np.array([7, 0]), axis=None))


@program(matrix(3, 3))
def results_by_their_names(a):
    m = a @ a.T + np.eye(3)
    return (
        np.linalg.slogdet(m).logabsdet
        + np.sum(np.linalg.eigh(m).eigenvalues ** 2)
        + np.linalg.qr(m).R[0, 0] ** 2
    )


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def close_elements(x, y):
    return np.sum(np.isclose(x, y, atol=0.5) * x * y) + np.allclose(x, x) * np.sum(y)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 4)) > 0.3))
def spread_of_some(a, mask):
    some = np.var(a, where=a > -0.5) + np.sum(np.std(a, axis=1, where=mask | (a > 0), ddof=0.5))
    return some + np.sum(np.var(a, axis=0, mean=np.mean(a, axis=0, keepdims=True)))


@program(lambda r: (np.array([0.3, -0.7, 1.2, 0.9]),))
def one_bound(x):
    return np.sum(x.clip(0.1) ** 2) + np.sum(x.clip(max=1.0) ** 3) + np.finfo(float).eps * x[0]


@program(lambda r: (np.array([0.3, -0.7, 1.2, 0.9, 0.1]),))
def unique_with_its_inverse(x):
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.sum(values[inverse] ** 2 * np.arange(5.0)) + np.sum(values * counts)


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3), 0.4))
def keywords_of_products(a, x, s):
    spread = np.linspace(x, x**2, 3, axis=-1)
    start = np.add.reduce(a, axis=1, initial=s)
    return (
        np.sum(spread * np.arange(3.0)) + np.sum(start**2) + np.sum(np.dot(a, 2)) + np.array(x, ndmin=2)[0, 1]
    )


@np.vectorize
def _branching(v, scale):
    return v * v if v > 0.0 else scale * v


@numba.vectorize
def _compiled(v, scale):
    return math.tanh(v) if v > 0.0 else scale * v


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def vectorized(a, x):
    bent = np.vectorize(lambda v: np.exp(v) if v < 0.0 else 1.0 + v)
    return np.sum(_branching(a, x) * bent(a)) + np.sum(_branching(x, 0.5)) + np.sum(_compiled(a, x))


@program(matrix(3, 4))
def along_an_axis(a):
    best = np.apply_along_axis(lambda row: np.sort(row)[-2:], 1, a)
    return np.sum(best * np.arange(2.0)) + np.sum(np.apply_along_axis(np.cumsum, 0, a) ** 2)


@program(matrix(2, 3, 4))
def over_axes(t):
    return np.sum(np.apply_over_axes(np.sum, t, [0, -1]) ** 2 * np.arange(3.0)[:, None])


@program(lambda r: (r.normal(size=6), np.array([0, 2, 2, 5])))
def sums_of_segments(x, starts):
    return np.sum(np.add.reduceat(x, starts) ** 2) + np.sum(np.maximum.reduceat(x, starts) ** 3)


@program(lambda r: (np.array([0.5, -0.3, 1.4]), -0.4))
def pieces_of_one_condition(x, s):
    one = np.piecewise(s, [s < 0, s >= 0], [lambda v: v**2, np.sin])
    return np.sum(np.piecewise(x, x < 0, [lambda v: s * v, np.exp])) + one


@program(lambda r: (r.normal(size=4),))
def from_an_iterator(x):
    return np.sum(np.fromiter((v * v for v in x if v > -0.5), dtype=float) ** 2)


@program(lambda r: (r.normal(size=5),))
def from_some_of_an_iterator(x):
    half = x.shape[0] // 2
    first = np.fromiter((v * v for v in x), float, 3)
    return np.sum(first * np.fromiter((np.sin(v) for v in x), float, count=len(x))[:3]) + np.sum(
        np.fromiter((v**3 for v in x), float, half)
    )


@program(lambda r: (r.normal(size=(3, 2)), 0.7))
def flat_elements(a, s):
    b = a.copy()
    b.flat[1] = s
    return np.sum(np.array([v * v for v in b.flat])) + a.flat[3] * s


@program(lambda r: (np.zeros(0), np.zeros((0, 3)), 0.6))
def nothing_sorted(x, a, s):
    return np.sum(np.sort(x) * s) + np.sum(np.sort(a, axis=0)) + np.sum(np.sort(a, axis=1)) + s**2


LENGTHS = (np.int64(2), 3)
THREE = np.int64(3)
FIRST = np.int32(0)


@program(lambda r: (r.normal(size=6),))
def options_that_are_integers_of_numpy(x):
    a = np.reshape(x, LENGTHS)
    pieces = np.split(x, THREE) + [x[:THREE]] * np.int64(2)
    padded = np.pad(x, (np.int64(1), 2)) * np.arange(np.int64(9))
    whole = np.tensordot(a, a.T, np.int64(1)) + np.tensordot(a, a.T, (np.int64(1), FIRST))
    along = np.ptp(x, FIRST) + np.logaddexp.reduce(x, FIRST) + np.sum(np.diff(x, axis=FIRST) ** 2)
    return pieces[1] @ pieces[2] + np.sum(pieces[4]) + np.sum(padded) + np.sum(whole**2) + along


@program(lambda r: (r.normal(size=3),))
def type_of_a_number(x):
    return np.sum(x**2).astype(x.dtype) * x[0].astype(np.float64)


@program(lambda r: (r.normal(size=(3, 4)),))
def elements_by_their_positions(a):
    turned = a.T
    return (
        a.item(5) * a.item(-1)
        + a.item((1, 2)) * a.item(2, 3)
        + turned.item(3)
        + a[1].item(2) * a[0, 1].item()
    )


@program(lambda r: (r.normal(size=(3, 3)),))
def functions_of_numbers_that_are_known(a):
    known = np.sum(2.0) + np.prod(3.0) + np.max(1.5) + np.mean(2.5) + np.std(1.0) + np.cumsum(2.0)[0]
    return np.sum(a) * known + np.sum(1.0 * np.median(4.0))


@program(lambda r: (r.normal(size=(3, 3)),))
def the_path_of_a_contraction(a):
    path, _ = np.einsum_path("ij,jk,kl->il", a, a, a, optimize="greedy")
    return np.sum(np.einsum("ij,jk,kl->il", a, a, a, optimize=path)) * len(path)


@program(lambda r: (r.normal(size=(3, 3)),))
def factors_by_their_other_forms(a):
    gram = a @ a.T + 3.0 * np.eye(3)
    lower, upper = scipy.linalg.lu(gram, permute_l=True)
    return np.sum(np.linalg.cholesky(gram, upper=True) ** 3 * a) + np.sum(lower**2 * a) + np.sum(upper**3)


@program(lambda r: (r.normal(size=4), 0.7))
def questions_about_types(x, s):
    """They are answered before the program runs."""
    z = np.zeros(len(x), dtype=np.result_type(x, s, np.float32))
    z[:] = x.astype(np.promote_types(x.dtype, np.float32)) * s
    if np.issubdtype(x.dtype, np.floating):
        z = z * np.ones(4, np.common_type(x))
    return np.sum(z**2) if np.can_cast(x.dtype, np.float64) else 0.0


@program(lambda r: (r.normal(size=(2, 3)),))
def reductions_with_every_parameter_by_position(x):
    total = x.sum(1, None, None, True) * x.max(1, None, True) + x.mean(1, None, None, True)
    return np.sum(total * x.prod(0, None, None, True)) + np.sum(x.min(0, None, True, -1.0))


@program(lambda r: (r.normal(size=3),))
def doubles_of_an_array(x):
    y = np.float64(x)
    y[0] = 2.0 * y[1]
    z = np.float64([x[0], 1.0, x[2] * x[1]])
    return np.sum(y * z * x)


@program(
    lambda r: (r.normal(size=3),),
    refused=dict.fromkeys(("compiled", "python"), "Python calls `__init_subclass__` itself"),
)
def a_class_that_looks_at_those_under_it(x):
    class Base:
        made = 0

        def __init_subclass__(cls, **options):
            super().__init_subclass__(**options)

        def scaled(self, v):
            return 2.0 * v

    class Derived(Base):
        pass

    return Derived().scaled(x[0]) * x[1]


_bounded = np.vectorize(
    lambda v, low, high=1.0: low if v < low else high if v > high else v * v, excluded=["low"]
)


@program(lambda r: (np.array([-1.5, 2.2, 3.0]),))
def vectorized_with_what_is_the_same_for_all(x):
    weighted = np.vectorize(lambda c, v: c[0] + v * c[1], excluded={0})
    bounds = _bounded(x, low=x[0] * 0.5, high=np.array([2.0, 3.0, 2.5]))
    return np.sum(bounds * weighted(x, x)) + _bounded(0.5, low=0.1)


@program(lambda r: (r.normal(size=(2, 3)),))
def vectorized_with_two_results(x):
    s, c = np.vectorize(lambda t: (math.sin(t), math.cos(t) * t))(x)
    return np.sum(s[0] * c[1])


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=3)))
def vectorized_over_batches(x, weights):
    """With a signature the function takes whole rows: each with the weights, each with each, and scaled by a number."""
    weighted = np.vectorize(lambda row, w: np.tanh(row @ w), signature="(n),(n)->()")
    scaled = np.vectorize(lambda row, s: row * s + np.cumsum(row), signature="(n),()->(n)")
    return (
        np.sum(weighted(x, weights) * [1.0, 2.0])
        + np.sum(weighted(x[:, None], x) ** 2)
        + np.sum(scaled(x, x[:, 0]) ** 2)
    )


@program(lambda r: (r.uniform(0.3, 0.8, size=4),))
def counts_in_lists(x):
    of_counts = stats.poisson.logpmf([1, 2, 3, 0], x) + stats.binom.logpmf([1, 2, 3, 1], 4, x)
    both = stats.multivariate_normal.logpdf([[1, 2], [3, 4]], [x[0], x[1]], [2.0, 1.0])
    return np.sum(of_counts + stats.bernoulli.logpmf([1, 0, 0, 1], x)) + np.sum(both)


def namespace_of(*arrays):
    (found,) = {a.__array_namespace__() for a in arrays if hasattr(a, "__array_namespace__")}
    return found


@program(lambda r: (r.normal(size=4),))
def functions_of_the_namespace_of_an_array(x):
    xp = namespace_of(x, x * 2.0, x[0])
    y = xp.zeros(4)
    y[1:] = xp.sin(x[:3])
    return xp.sum(y * xp.where(x > 0.0, x, xp.zeros_like(x))) + x.__array_namespace__(
        api_version="2023.12"
    ).exp(x[1])
