"""Rules of the waveforms of scipy.signal: sweeps, pulses and what repeats itself."""

import numpy as np
from scipy import signal

from adc.errors import UnsupportedError
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@static
def _kind(method):
    kinds = {
        "linear": ("linear", "lin", "li"),
        "quadratic": ("quadratic", "quad", "q"),
        "logarithmic": ("logarithmic", "log", "lo"),
        "hyperbolic": ("hyperbolic", "hyp"),
    }
    for kind, names in kinds.items():
        if method in names:
            return kind
    raise ValueError(
        f"method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of {method!r} was given."
    )


def _phase(t, f0, t1, f1, kind, vertex_zero):
    """The phase of a sweep from f0 at time 0 to f1 at t1: 2 pi times the integral of the frequency."""
    if kind == "linear":
        return 2.0 * np.pi * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    if kind == "quadratic":
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return 2.0 * np.pi * (f0 * t + beta * t**3 / 3.0)
        return 2.0 * np.pi * (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3.0)
    if kind == "logarithmic":
        return 2.0 * np.pi * (f0 * t * _mean_of_exponential(np.log(f1 / f0) * t / t1))
    return 2.0 * np.pi * (f0 * t * _mean_of_reciprocal((f1 - f0) / (f1 * t1) * t))


def _mean_of_exponential(x):
    """The mean of exp from 0 to x, (exp(x) - 1) / x; its series where that would cancel, derivatives more so."""
    small = np.abs(x) < 0.02
    near = 1.0
    for k in range(8, 1, -1):
        near = 1.0 + x / k * near
    return np.where(small, near, np.expm1(x) / np.where(small, 1.0, x))


def _mean_of_reciprocal(x):
    """The mean of 1 / (1 - s) for s from 0 to x, -log|1 - x| / x; likewise."""
    small = np.abs(x) < 0.02
    near = 1.0 / 11.0
    for k in range(10, 0, -1):
        near = 1.0 / k + x * near
    return np.where(small, near, -np.log(np.abs(1.0 - x)) / np.where(small, 1.0, x))


@composite(
    signal.chirp,
    wrt="t f0 t1 f1 phi",
    name="scipy.signal.chirp",
    spelling="scipy.signal.chirp",
    notes="`phi` in degrees",
    extra={"doubles": True, "float64_only": True},
    examples=lambda r: [
        (r.positive(4), 1.0, 2.0, 3.0),
        call(r.positive(4), 1.0, 2.0, 3.0, "quadratic", 30.0),
        call(r.positive(4), 1.0, 2.0, 3.0, "q", vertex_zero=False),
        call(r.positive(4), 1.0, 2.0, 3.0, "log", 10.0),
        call(r.positive(4), 1.0, 2.0, 3.0, "hyperbolic"),
        call(r.positive(4), 2, 2, 2, "log"),
        call(r.positive(4), 2, 2, 2, "hyperbolic"),
        call(r.positive(4), 1.0, 2.0, 3.0, complex=True),
    ],
)
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    phase = _phase(t, f0, t1, f1, _kind(method), vertex_zero) + phi * (np.pi / 180.0)
    return np.exp(1j * phase) if complex else np.cos(phase)


@composite(
    signal.sawtooth,
    wrt="t width",
    name="scipy.signal.sawtooth",
    spelling="scipy.signal.sawtooth",
    notes="of its jumps nothing is known",
    extra={"doubles": True, "float64_only": True},
    examples=lambda r: [
        r.normal(5),
        (9.0 * r.normal(5), 0.3),
        (9.0 * r.normal(4), r.uniform(0.2, 0.8, 4)),
        (r.positive(3), 0),
    ],
)
def sawtooth(t, width=1):
    phase = np.remainder(t, 2.0 * np.pi)
    end = width * (2.0 * np.pi)
    rising = phase < end
    up = phase / (np.pi * np.where(rising, width, 1.0)) - 1.0
    down = (np.pi * (width + 1.0) - phase) / (np.pi * np.where(rising, 1.0, 1.0 - width))
    return np.where((width < 0) | (width > 1), np.nan, np.where(rising, up, down))


@composite(
    signal.square,
    wrt="t duty",
    name="scipy.signal.square",
    spelling="scipy.signal.square",
    notes="jumps: its derivative is 0",
    extra={"doubles": True, "float64_only": True},
    examples=lambda r: [r.normal(5), (9.0 * r.normal(5), 0.3)],
)
def square(t, duty=0.5):
    high = np.remainder(t, 2.0 * np.pi) < duty * (2.0 * np.pi)
    return np.where((duty < 0) | (duty > 1), np.nan, np.where(high, 1.0, -1.0))


@static
def _results(t, retquad, retenv):
    if isinstance(t, str):
        raise UnsupportedError(
            'scipy.signal.gausspulse("cutoff") is not supported', repair="Compute it before."
        )
    return retquad, retenv


@composite(
    signal.gausspulse,
    wrt="t fc bw bwr",
    name="scipy.signal.gausspulse",
    spelling="scipy.signal.gausspulse",
    extra={"doubles": True, "float64_only": True},
    examples=lambda r: [
        (r.normal(4), 2.0),
        call(r.normal(4), 1.5, 0.4, -5.0),
        call(r.normal(4), 1.5, retquad=True, retenv=True),
        call(r.normal(4), 1.5, retenv=True),
    ],
)
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    quadrature, envelope = _results(t, retquad, retenv)
    rate = -((np.pi * fc * bw) ** 2) / (4.0 * np.log(np.power(10.0, bwr / 20.0)))
    bell = np.exp(-rate * t * t)
    wave = bell * np.cos(2.0 * np.pi * fc * t)
    if not quadrature:
        return (wave, bell) if envelope else wave
    turned = bell * np.sin(2.0 * np.pi * fc * t)
    return (wave, turned, bell) if envelope else (wave, turned)
