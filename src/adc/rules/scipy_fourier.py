"""Rules of scipy.fft: its transforms are those of numpy.fft; and the cosine and sine transforms of types 1 to 4.

A cosine or sine transform is a real matrix. Without factors those of types 1 and 4 are symmetric and those of types 2
and 3 are transposes of each other, but for the weight of the elements at the ends.
"""

import numpy as np
from scipy import fft

from adc.rules.fourier import axes_of, fitted, opposite, resized
from adc.rules.registry import composite, linear, lowered, named, static
from adc.rules.sampler import call

# --- twins of numpy.fft -------------------------------------------------------------------------------------


def _examples(name):
    found = named(name).examples
    assert found is not None
    return found


def _twin(name, parameter="x", examples=None):
    """How scipy.fft's function of a name is registered, and numpy.fft's."""
    other = getattr(np.fft, name)
    return composite(
        getattr(fft, name),
        wrt=parameter,
        name=f"scipy.fft.{name}",
        spelling=f"scipy.fft.{name}",
        notes="as numpy.fft",
        examples=_examples(examples or name),
    ), other


def _along_one_axis(name):
    register, other = _twin(name)

    @register
    def transform(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
        return other(x, n, axis, norm)


def _along_two_axes(name):
    register, other = _twin(name)

    @register
    def transform(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
        return other(x, s, axes, norm)


def _each(value):
    """One axis or length, which SciPy takes for a tuple of one."""
    return (value,) if isinstance(value, (int, np.integer)) else value


def _along_all_axes(name):
    register, other = _twin(name)

    @register
    def transform(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
        return other(x, _each(s), _each(axes), norm)


def _shift(name):
    register, other = _twin(name)

    @register
    def shifted(x, axes=None):
        return other(x, axes)


def _frequencies(name):
    register, other = _twin(name, "d", f"fft.{name}")

    @register
    def frequencies(n, d=1.0):
        return other(n, d)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _along_one_axis(_name)
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    _along_two_axes(_name)
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    _along_all_axes(_name)
for _name in ("fftshift", "ifftshift"):
    _shift(_name)
for _name in ("fftfreq", "rfftfreq"):
    _frequencies(_name)


# --- of arrays that are real, or symmetric, in several dimensions -------------------------------------------


def _hermitian(r):
    return [
        r.normal(3, 4) + 1j * r.normal(3, 4),
        call(r.normal(3, 3) + 1j * r.normal(3, 3), s=(3, 5)),
        call(r.normal(3, 4) + 1j * r.normal(3, 4), norm="ortho"),
    ]


def _real(r):
    return [r.normal(3, 4), call(r.normal(3, 5), norm="forward"), call(r.normal(3, 4), s=(4, 3))]


def _several(name, examples):
    return composite(
        getattr(fft, name), wrt="x", name=f"scipy.fft.{name}", spelling=f"scipy.fft.{name}", examples=examples
    )


@_several("hfftn", _hermitian)
def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return np.fft.irfftn(np.conjugate(x), _each(s), _each(axes), opposite(norm))


@_several("hfft2", _hermitian)
def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return np.fft.irfftn(np.conjugate(x), s, axes, opposite(norm))


@_several("ihfftn", _real)
def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return np.conjugate(np.fft.rfftn(x, _each(s), _each(axes), opposite(norm)))


@_several("ihfft2", _real)
def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    return np.conjugate(np.fft.rfftn(x, s, axes, opposite(norm)))


# --- cosine and sine transforms -----------------------------------------------------------------------------

ROOT = 2.0**0.5
_TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}


@static
def _turned(type):
    """The type of the transpose and of the inverse."""
    return _TRANSPOSED[type]


@static
def _ends(kind, type, norm):
    """What an orthonormal transform multiplies the first and last elements with, before and after."""
    if norm != "ortho" or type == 4 or (kind, type) == ("sine", 1):
        return (1.0, 1.0), (1.0, 1.0)
    if type == 1:
        return (ROOT, ROOT), (1.0 / ROOT, 1.0 / ROOT)
    first = kind == "cosine"
    if type == 2:
        return (1.0, 1.0), (1.0 / ROOT if first else 1.0, 1.0 if first else 1.0 / ROOT)
    return (ROOT if first else 1.0, 1.0 if first else ROOT), (1.0, 1.0)


@static
def _transposed_ends(kind, type, norm):
    """What the transpose multiplies the first and last elements with, before and after: it sums over them once."""
    if norm == "ortho" or type == 4 or (kind, type) == ("sine", 1):
        return (1.0, 1.0), (1.0, 1.0)
    if type == 1:
        return (2.0, 2.0), (0.5, 0.5)
    first = kind == "cosine"
    if type == 2:
        return (2.0 if first else 1.0, 1.0 if first else 2.0), (1.0, 1.0)
    return (1.0, 1.0), (0.5 if first else 1.0, 1.0 if first else 0.5)


def _weighed(x, ends, axis):
    """Its first and last elements along an axis multiplied."""
    first, last = ends
    if first == 1.0 and last == 1.0:
        return x
    k = axis % np.ndim(x)
    n = x.shape[k]
    position = np.arange(n)
    factors = np.where(position == 0, first, 1.0) * np.where(position == n - 1, last, 1.0)
    return x * np.reshape(_alike(factors, x), (1,) * k + (n,) + (1,) * (np.ndim(x) - 1 - k))


def _alike(factors, x):
    """Real factors in the precision of x."""
    return factors.astype(np.float32) if x.dtype == np.float32 else factors


def _turns(x, angles):
    """exp(-1j angles), in the precision of x."""
    turns = np.exp(-1j * angles)
    return turns.astype(np.complex64) if x.dtype == np.float32 else turns


def _cosines(x, type):
    """The cosine transform along the last axis, without factors."""
    n = x.shape[-1]
    k = np.arange(n)
    if type == 1:
        mirrored = np.concatenate((x, np.flip(x[..., 1 : n - 1], -1)), axis=-1)
        return np.real(np.fft.rfft(mirrored))
    if type == 2:
        mirrored = np.concatenate((x, np.flip(x, -1)), axis=-1)
        return np.real(np.fft.rfft(mirrored)[..., :n] * _turns(x, np.pi / (2 * n) * k))
    if type == 3:
        turned = x * np.conjugate(_turns(x, np.pi / (2 * n) * k))
        padded = np.concatenate((turned, np.zeros_like(turned[..., :1])), axis=-1)
        return np.fft.irfft(padded, 2 * n, norm="forward")[..., :n]
    turned = np.fft.fft(x * _turns(x, np.pi / (2 * n) * k), 2 * n)[..., :n]
    return 2.0 * np.real(turned * _turns(x, np.pi / (4 * n) * (2 * k + 1)))


def _alternating(x):
    """The signs of every other element turned."""
    return x * _alike(1.0 - 2.0 * (np.arange(x.shape[-1]) % 2), x)


def _sines(x, type):
    """The sine transform along the last axis, without factors: a cosine transform of the elements in another order."""
    if type == 1:
        n = x.shape[-1]
        zero = np.zeros_like(x[..., :1])
        mirrored = np.concatenate((zero, x, zero, -np.flip(x, -1)), axis=-1)
        return -np.imag(np.fft.rfft(mirrored)[..., 1 : n + 1])
    if type == 2:
        return np.flip(_cosines(_alternating(x), 2), -1)
    return _alternating(_cosines(np.flip(x, -1), type))


def _period(n, kind, type):
    """Twice the number of intervals, by which `norm` divides."""
    return 2.0 * (n if type != 1 else n - 1 if kind == "cosine" else n + 1)


def _transform(x, kind, type, n, axis, norm):
    """A cosine or sine transform with the factors of `norm`, by way of the Fourier transform."""
    before, after = _ends(kind, type, norm)
    moved = np.moveaxis(x if n is None else fitted(x, n, axis), axis, -1)
    given = _weighed(moved, before, -1)
    y = _weighed(_cosines(given, type) if kind == "cosine" else _sines(given, type), after, -1)
    if norm == "forward":
        y = y / _period(moved.shape[-1], kind, type)
    elif norm == "ortho":
        y = y / _period(moved.shape[-1], kind, type) ** 0.5
    return np.moveaxis(y, -1, axis)


def _adjoint(transform, kind, z_bar, x, type, n, axis, norm):
    before, after = _transposed_ends(kind, type, norm)
    full = _weighed(transform(_weighed(z_bar, before, axis), _turned(type), None, axis, norm), after, axis)
    return full if n is None else fitted(full, x.shape[axis], axis)


def _typed(r):
    return [
        r.normal(4),
        r.normal(2, 5),
        *(call(r.normal(5), t) for t in (1, 3, 4)),
        *(call(r.normal(4), t, norm="ortho") for t in (1, 2, 3, 4)),
        *(call(r.normal(3, 2), t, axis=0, norm="forward") for t in (1, 2, 3, 4)),
        call(r.normal(4), 2, 6),
        call(r.normal(4), 3, n=3),
    ]


def _resized(x, type=2, n=None, axis=-1, norm=None):
    return resized(x, n, axis)


REAL = {"real_only": True, "least": 2}  # one element has no transform of type 1


@linear(
    fft.dct,
    wrt="x",
    cost=100,
    name="scipy.fft.dct",
    spelling="scipy.fft.dct",
    shape=_resized,
    extra=REAL,
    examples=_typed,
)
def dct(z_bar, x, type=2, n=None, axis=-1, norm=None):
    return _adjoint(fft.dct, "cosine", z_bar, x, type, n, axis, norm)


@lowered(fft.dct)
def dct_by_fft(x, type=2, n=None, axis=-1, norm=None):
    return _transform(x, "cosine", type, n, axis, norm)


@linear(
    fft.dst,
    wrt="x",
    cost=100,
    name="scipy.fft.dst",
    spelling="scipy.fft.dst",
    shape=_resized,
    extra=REAL,
    examples=_typed,
)
def dst(z_bar, x, type=2, n=None, axis=-1, norm=None):
    return _adjoint(fft.dst, "sine", z_bar, x, type, n, axis, norm)


@lowered(fft.dst)
def dst_by_fft(x, type=2, n=None, axis=-1, norm=None):
    return _transform(x, "sine", type, n, axis, norm)


@composite(fft.idct, wrt="x", name="scipy.fft.idct", spelling="scipy.fft.idct", extra=REAL, examples=_typed)
def idct(x, type=2, n=None, axis=-1, norm=None):
    return fft.dct(x, _turned(type), n, axis, opposite(norm))


@composite(fft.idst, wrt="x", name="scipy.fft.idst", spelling="scipy.fft.idst", extra=REAL, examples=_typed)
def idst(x, type=2, n=None, axis=-1, norm=None):
    return fft.dst(x, _turned(type), n, axis, opposite(norm))


def _over_axes(name):
    one = getattr(fft, name)

    @composite(
        getattr(fft, f"{name}n"),
        wrt="x",
        name=f"scipy.fft.{name}n",
        spelling=f"scipy.fft.{name}n",
        extra=REAL,
        examples=lambda r: [
            r.normal(3, 4),
            call(r.normal(3, 4), norm="ortho"),
            call(r.normal(3, 4), 3, axes=(0,)),
            call(r.normal(3, 4), s=5, axes=-1),
            call(r.normal(3, 4), 2, (2, 5)),
        ],
    )
    def transform(x, type=2, s=None, axes=None, norm=None):
        result = x
        lengths = _each(s)
        chosen = axes_of(lengths, _each(axes), np.ndim(x))
        for k in range(len(chosen)):
            result = one(result, type, None if lengths is None else lengths[k], chosen[k], norm)
        return result


for _name in ("dct", "idct", "dst", "idst"):
    _over_axes(_name)
