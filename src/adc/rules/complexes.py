"""Rules of the functions that lead between real and complex numbers.

An adjoint pairs with a tangent as Re(x_bar * x_dot), and what belongs to a real value is made real by the
accumulator. So `imag` has the partial -1j: its tangent is Re(-1j * x_dot), and the adjoint of a real
operand is Re(-1j * z_bar) = 0.
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import shapes
from adc.rules.registry import composite, elementwise, linear, lowered, pull, push, static
from adc.rules.sampler import corner

_SHORT = (np.int8, np.int16, np.uint8, np.uint16)  # integers that NumPy sorts as complex64


def _complex(r, *shape):
    return r.normal(*shape) + 1j * r.normal(*shape)


@elementwise(
    np.real,
    methods="real",
    cost=0,
    extra={"gives_back": True},
    examples=lambda r: [1.5 + 0.5j, _complex(r, 3), _complex(r, 2, 3), r.normal(3)],
)
def real(z, val):
    return 1.0


@elementwise(
    np.imag, methods="imag", cost=0, examples=lambda r: [1.5 + 0.5j, _complex(r, 3), _complex(r, 2, 3)]
)
def imag(z, val):
    if np.iscomplexobj(val):
        return -1j
    return 0.0


@linear(
    np.conjugate,
    wrt="x",
    methods="conj conjugate",
    shape=lambda x: shapes.shape_of(x),
    name="conjugate",
    spelling="np.conj",
    extra={"elementwise": True},
    examples=lambda r: [1.5 + 0.5j, _complex(r, 3), _complex(r, 2, 3), r.normal(3)],
)
def conjugate(z_bar, x):
    return np.conjugate(z_bar)


@elementwise(
    np.angle,
    wrt="z",
    cost=4,
    singular=True,
    notes="0 for real operands",
    examples=lambda r: [1.5 + 0.5j, _complex(r, 3) + 2.0, r.positive(3)],
)
def angle(result, z, deg=False):
    if not np.iscomplexobj(z):
        return 0.0
    return -1j / z * (180.0 / np.pi if deg else 1.0)


@pull(
    np.real_if_close,
    wrt="a",
    shape=lambda a, tol=100: shapes.shape_of(a),
    extra={"ranks": (), "gives_back": True},  # Numba does not have it
    examples=lambda r: [r.normal(3), 1.5],
    notes="whether a complex operand becomes real depends on its values: those are the tape's",
)
def real_if_close_pull(z_bar, z, a, tol=100):
    return z_bar


@push(np.real_if_close)
def real_if_close_push(z, a, tol=100, *, a_dot):
    return a_dot if np.iscomplexobj(z) else np.real(a_dot)


@static
def _refuse_complex(is_complex):
    if is_complex:
        raise UnsupportedError(
            "np.real_if_close of complex numbers is not supported",
            why="their values decide whether the result is real",
            repair="Use np.real, or leave the choice of the engine to adc: the tape takes it.",
        )


@lowered(np.real_if_close)
def real_if_close_of_real(a, tol=100):
    _refuse_complex(np.iscomplexobj(a))
    return a


@composite(
    np.sort_complex,
    examples=lambda r: [
        _complex(r, 5),
        _complex(r, 2, 3),
        corner(np.array([1.0 + 2.0j, 1.0 - 1.0j, 0.5 + 3.0j, 1.0 + 0.5j])),
        r.distinct(4),
        r.distinct(2, 3),
        _complex(r, 0),
    ],
    notes="by the real part, then by the imaginary part; a tie keeps the order that argsort gives",
)
def sort_complex(a):
    ordered = np.sort(a)
    if np.iscomplexobj(ordered):
        return ordered
    return ordered.astype(np.complex64 if ordered.dtype in _SHORT else np.complex128)
