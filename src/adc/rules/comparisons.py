"""Operations whose derivative is zero by nature: comparisons, logic, rounding, tests."""

import math
import operator

import numpy as np

from adc.rules.registry import constant, lowered, of_complex, static
from adc.rules.sampler import call
from adc.rules.shapes import shape_of

for function, alias, symbol in (
    (np.less, operator.lt, "<"),
    (np.less_equal, operator.le, "<="),
    (np.greater, operator.gt, ">"),
    (np.greater_equal, operator.ge, ">="),
    (np.equal, operator.eq, "=="),
    (np.not_equal, operator.ne, "!="),
    (np.floor_divide, operator.floordiv, "//"),
    (np.bitwise_and, operator.and_, "&"),
    (np.bitwise_or, operator.or_, "|"),
    (np.bitwise_xor, operator.xor, "^"),
    (np.left_shift, operator.lshift, "<<"),
    (np.right_shift, operator.rshift, ">>"),
):
    constant(function, alias, parameters="x, y", symbol=symbol, elementwise=True, examples=lambda r: [(5, 2)])

constant(
    np.invert, operator.invert, parameters="x", symbol="~", elementwise=True, examples=lambda r: [(True,)]
)
for binary in (np.logical_and, np.logical_or, np.logical_xor, np.gcd, np.lcm):
    constant(binary, parameters="x, y", elementwise=True, examples=lambda r: [(6, 4)])
for unary in (np.logical_not, np.sign, np.rint, np.signbit, np.isnan, np.isinf, np.isfinite):
    constant(unary, parameters="x", elementwise=True, examples=lambda r: [0.5, r.normal(3)])
if np.sign(2j) == 1j:  # NumPy 2.0: a point on the unit circle

    @of_complex(np.sign)
    def sign(x):
        real, imag = np.real(x), np.imag(x)
        far = np.isinf(real) | np.isinf(imag)
        none = far | (x == 0.0)  # derivative 0 there
        near = np.where(none, 1.0, x)
        along_real = np.where(np.isinf(imag), np.nan, np.copysign(1.0, real) + 0j)
        edge = np.where(np.isinf(real), along_real, 1j * np.copysign(1.0, imag))
        return np.where(far, edge, np.where(none, 0.0, near / np.abs(near)))


for question in (np.isneginf, np.isposinf, np.iscomplex, np.isreal):
    constant(question, parameters="x", elementwise=True, examples=lambda r: [r.normal(3)])
constant(np.floor, math.floor, parameters="x", elementwise=True, examples=lambda r: [0.5, r.normal(3)])
constant(np.ceil, math.ceil, parameters="x", elementwise=True, examples=lambda r: [0.5, r.normal(3)])
constant(
    np.trunc, np.fix, math.trunc, parameters="x", elementwise=True, examples=lambda r: [0.5, r.normal(3)]
)
constant(
    np.round,
    np.around,
    round,
    parameters="a, decimals=0",
    methods="round",
    shape=lambda a, decimals=0: shape_of(a),
    examples=lambda r: [(r.normal(3), 1)],
)


def _close(r):
    x = r.normal(3)
    return [(r.normal(3), 0.5), (x, x + 1e-9), (x, np.array([np.inf, 1.0, np.nan])), (r.normal(2, 3), x)]


constant(
    np.isclose,
    parameters="a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    extra={"positional": True},
    examples=_close,
)
constant(
    np.allclose,
    parameters="a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    examples=_close,
)


@lowered(np.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    c = b * 1.0  # of integers a difference would wrap
    near = np.isfinite(c) & (np.abs(a - c) <= atol + rtol * np.abs(c)) | (a == b)
    return near | (np.isnan(a) & np.isnan(b)) if equal_nan else near


@lowered(np.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


constant(
    np.array_equal, parameters="a1, a2, equal_nan=False", examples=lambda r: [(r.normal(3), r.normal(3))]
)
constant(
    np.array_equiv, parameters="a1, a2", examples=lambda r: [(r.normal(3), r.normal(3)), (np.ones(3), 1.0)]
)


@lowered(np.array_equiv)
def array_equiv(a1, a2):
    return bool(np.all(a1 == a2))


def _memberships(r):
    x = r.normal(2, 3)
    return [
        (r.normal(3), r.normal(2)),
        (x, x[:, 1]),
        call(x, x[:1], invert=True),
        (np.array([1, 4, 2, np.nan]), [4, 1, 7]),
        (np.array([1, 4, 2]), np.array([4, 1, 7])),
        (x, np.zeros(0)),
        (0.5, [0.5, 1.0]),
    ]


constant(
    np.isin,
    parameters="element, test_elements, assume_unique=False, invert=False",
    examples=_memberships,
)


@lowered(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False):
    ordered = np.sort(np.ravel(test_elements))
    place = np.searchsorted(ordered, element)
    # One more behind the last, which any element may be compared with: there may be no other.
    padded = np.concatenate((ordered, np.ravel(element)[:1]))
    found = (place < np.shape(ordered)[0]) & (padded[place] == element)
    return np.logical_not(found) if invert else found


constant(np.iscomplexobj, parameters="x")
constant(np.isrealobj, parameters="x")
constant(np.shape, parameters="a")
constant(np.ndim, parameters="a")
constant(np.size, parameters="a, axis=None")
constant(
    np.lib.array_utils.normalize_axis_index,
    parameters="axis, ndim, msg_prefix=None",
    examples=lambda r: [(-1, 3), (0, 2)],
)


@static
def _axis(axis, ndim, msg_prefix):
    return np.lib.array_utils.normalize_axis_index(axis, ndim, msg_prefix)


@lowered(np.lib.array_utils.normalize_axis_index)
def normalize_axis_index(axis, ndim, msg_prefix=None):
    return _axis(axis, ndim, msg_prefix)
