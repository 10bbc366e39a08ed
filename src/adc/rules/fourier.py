"""Rules of the discrete Fourier transforms.

The matrix of the transform is symmetric, so the transpose of fft is fft; padding and cropping to `n` are
transposed by cropping and padding back. Adjoints are transposes, not conjugates.
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.dims import Dim
from adc.rules.registry import composite, linear, static
from adc.rules.sampler import call


def _complex(r, *shape):
    return r.normal(*shape) + 1j * r.normal(*shape)


def fitted(a, n, axis):
    """Cropped, or padded with zeros, to n elements along an axis."""
    before = (slice(None),) * (axis % np.ndim(a))
    lengths = np.shape(a)
    k = axis % np.ndim(a)
    cropped = a[before + (slice(0, n),)]
    missing = np.maximum(n - lengths[k], 0)
    return np.concatenate(
        (cropped, np.zeros(lengths[:k] + (missing,) + lengths[k + 1 :], dtype=a.dtype)), axis=k
    )


@static
def opposite(norm):
    """The normalisation of the inverse transform, put on this one."""
    return {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}[norm]


def resized(a, n=None, axis=-1, norm=None):
    k = axis % a.ndim
    return tuple(a.shape[:k]) + (a.shape[k] if n is None else Dim.of(n),) + tuple(a.shape[k + 1 :])


def _halved(a, n=None, axis=-1, norm=None):
    full = resized(a, n, axis)
    k = axis % a.ndim
    return full[:k] + (full[k] // 2 + 1,) + full[k + 1 :]


def _inverse_halved(a, n=None, axis=-1, norm=None):
    k = axis % a.ndim
    return resized(a, 2 * a.shape[k] - 2 if n is None else n, axis)


def _examples(r):
    return [
        _complex(r, 4),
        r.normal(5),
        call(_complex(r, 4), n=3),
        call(_complex(r, 4), n=6),
        call(_complex(r, 3, 4), axis=0),
        call(r.normal(2, 4), norm="ortho"),
        call(r.normal(4), norm="forward"),
        call(r.normal(4), 6),
    ]


@linear(np.fft.fft, wrt="a", cost=100, shape=resized, examples=_examples)
def fft(z_bar, a, n=None, axis=-1, norm=None):
    full = np.fft.fft(z_bar, None, axis, norm)
    return full if n is None else fitted(full, a.shape[axis], axis)


@linear(np.fft.ifft, wrt="a", cost=100, shape=resized, examples=_examples)
def ifft(z_bar, a, n=None, axis=-1, norm=None):
    full = np.fft.ifft(z_bar, None, axis, norm)
    return full if n is None else fitted(full, a.shape[axis], axis)


@linear(
    np.fft.rfft,
    wrt="a",
    cost=100,
    shape=_halved,
    examples=lambda r: [
        r.normal(4),
        r.normal(5),
        call(r.normal(4), n=3),
        call(r.normal(4), n=6),
        call(r.normal(3, 4), axis=0),
        call(r.normal(2, 4), norm="ortho"),
        call(r.normal(4), norm="forward"),
    ],
)
def rfft(z_bar, a, n=None, axis=-1, norm=None):
    length = a.shape[axis] if n is None else n
    full = np.fft.irfft(_weighed(np.conjugate(z_bar), length, axis, 0.5), length, axis, opposite(norm))
    return full if n is None else fitted(full, a.shape[axis], axis)


def _weighed(z, n, axis, weight):
    """The coefficients that an inverse transform of real data counts twice times `weight`: all but the first and,
    for even n, the last.
    """
    k = axis % np.ndim(z)
    half = z.shape[k]
    position = np.arange(half)
    once = (position == 0) | (2 * position == n)
    lengths = (1,) * k + (half,) + (1,) * (np.ndim(z) - 1 - k)
    return np.where(np.reshape(once, lengths), z, weight * z)


@linear(
    np.fft.irfft,
    wrt="a",
    cost=100,
    shape=_inverse_halved,
    extra={"least": 2},
    examples=lambda r: [
        _complex(r, 3),
        _complex(r, 4),
        call(_complex(r, 3), n=5),
        call(_complex(r, 4), n=4),
        call(_complex(r, 3), n=8),
        call(_complex(r, 3, 2), axis=0),
        call(_complex(r, 3), norm="ortho"),
        call(_complex(r, 3), norm="forward"),
    ],
)
def irfft(z_bar, a, n=None, axis=-1, norm=None):
    length = 2 * (a.shape[axis] - 1) if n is None else n
    half = _weighed(np.conjugate(np.fft.rfft(z_bar, None, axis, opposite(norm))), length, axis, 2.0)
    return half if n is None else fitted(half, a.shape[axis], axis)


@composite(
    np.fft.hfft,
    examples=lambda r: [_complex(r, 3), call(_complex(r, 3), n=5), call(_complex(r, 3), norm="ortho")],
)
def hfft(a, n=None, axis=-1, norm=None):
    return np.fft.irfft(np.conjugate(a), n, axis, opposite(norm))


@composite(
    np.fft.ihfft, examples=lambda r: [r.normal(4), call(r.normal(4), n=5), call(r.normal(4), norm="ortho")]
)
def ihfft(a, n=None, axis=-1, norm=None):
    return np.conjugate(np.fft.rfft(a, n, axis, opposite(norm)))


# --- several axes -------------------------------------------------------------------------------------------


@static
def axes_of(s, axes, ndim):
    if axes is not None:
        if s is not None and len({k % ndim for k in axes}) < len(axes):
            raise UnsupportedError(
                "a transform to a given length along an axis that is named twice",
                repair="Transform along one axis after the other.",
            )
        return tuple(axes)
    return tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))


def _length(s, k):
    return None if s is None else s[k]


def _all_fft(a, s, axes, norm):
    result = a
    for k in range(len(axes)):
        result = np.fft.fft(result, _length(s, k), axes[k], norm)
    return result


def _all_ifft(a, s, axes, norm):
    result = a
    for k in range(len(axes)):
        result = np.fft.ifft(result, _length(s, k), axes[k], norm)
    return result


def _several(r):
    return [
        r.normal(3, 4),
        _complex(r, 3, 4),
        call(_complex(r, 3, 4), norm="ortho"),
        call(_complex(r, 3, 4), s=(2, 5), axes=(0, 1)),
    ]


@composite(np.fft.fft2, examples=_several)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    return _all_fft(a, s, axes, norm)


@composite(np.fft.ifft2, examples=_several)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return _all_ifft(a, s, axes, norm)


@composite(
    np.fft.fftn, examples=lambda r: [*_several(r), r.normal(2, 3, 2), call(r.normal(2, 3, 2), axes=(0, 2))]
)
def fftn(a, s=None, axes=None, norm=None):
    return _all_fft(a, s, axes_of(s, axes, np.ndim(a)), norm)


@composite(
    np.fft.ifftn, examples=lambda r: [*_several(r), r.normal(2, 3, 2), call(r.normal(2, 3, 2), axes=(0, 2))]
)
def ifftn(a, s=None, axes=None, norm=None):
    return _all_ifft(a, s, axes_of(s, axes, np.ndim(a)), norm)


def _all_rfft(a, s, axes, norm):
    last = len(axes) - 1
    half = np.fft.rfft(a, _length(s, last), axes[last], norm)
    return _all_fft(half, None if s is None else s[:last], axes[:last], norm)


def _all_irfft(a, s, axes, norm):
    last = len(axes) - 1
    half = _all_ifft(a, None if s is None else s[:last], axes[:last], norm)
    return np.fft.irfft(half, _length(s, last), axes[last], norm)


def _several_real(r):
    return [r.normal(3, 4), call(r.normal(3, 4), norm="ortho"), call(r.normal(3, 4), s=(2, 5), axes=(0, 1))]


def _several_half(r):
    return [
        _complex(r, 3, 3),
        call(_complex(r, 3, 3), norm="ortho"),
        call(_complex(r, 3, 3), s=(2, 5), axes=(0, 1)),
    ]


@composite(np.fft.rfft2, examples=_several_real)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return _all_rfft(a, s, axes, norm)


@composite(np.fft.irfft2, examples=_several_half)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return _all_irfft(a, s, axes, norm)


@composite(np.fft.rfftn, examples=lambda r: [*_several_real(r), r.normal(2, 3, 2)])
def rfftn(a, s=None, axes=None, norm=None):
    return _all_rfft(a, s, axes_of(s, axes, np.ndim(a)), norm)


@composite(np.fft.irfftn, examples=lambda r: [*_several_half(r), _complex(r, 2, 3, 2)])
def irfftn(a, s=None, axes=None, norm=None):
    return _all_irfft(a, s, axes_of(s, axes, np.ndim(a)), norm)


@static
def _chosen(axes, ndim):
    if axes is None:
        return tuple(range(ndim))
    return tuple(axes) if isinstance(axes, (list, tuple)) else (axes,)


@composite(
    np.fft.fftshift, wrt="x", examples=lambda r: [r.normal(5), r.normal(4, 3), call(r.normal(4, 3), axes=1)]
)
def fftshift(x, axes=None):
    result = x
    for k in _chosen(axes, np.ndim(x)):
        result = np.roll(result, x.shape[k] // 2, k)
    return result


@composite(
    np.fft.ifftshift, wrt="x", examples=lambda r: [r.normal(5), r.normal(4, 3), call(r.normal(4, 3), axes=1)]
)
def ifftshift(x, axes=None):
    result = x
    for k in _chosen(axes, np.ndim(x)):
        result = np.roll(result, -(x.shape[k] // 2), k)
    return result


@composite(np.fft.fftfreq, name="fft.fftfreq", wrt="d", examples=lambda r: [5, (4, 0.3), (1, 2.0)])
def fftfreq(n, d=1.0):
    position = np.arange(n)
    return np.where(position < (n + 1) // 2, position, position - n) * (1.0 / (n * d))


@composite(np.fft.rfftfreq, name="fft.rfftfreq", wrt="d", examples=lambda r: [5, (4, 0.3), (1, 2.0)])
def rfftfreq(n, d=1.0):
    return np.arange(n // 2 + 1) * (1.0 / (n * d))
