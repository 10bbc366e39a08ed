"""Rules of the derivatives of Bessel functions that scipy.special has: sums of functions of neighbouring orders."""

from scipy import special as sp

from adc.rules import bessel as bessel
from adc.rules.registry import composite
from adc.rules.sampler import call
from adc.rules.special_refusals import refuses


def _summed(function, v, z, n, phase):
    """The n-th derivative: DLMF 10.6.7 with phase -1, 10.29.5 with phase 1."""
    if n == 0:
        return function(v, z)
    weight = 1.0
    total = function(v - n, z)
    for i in range(1, n + 1):
        weight = phase * weight * (n - i + 1) / i
        total = total + weight * function(v - n + 2 * i, z)
    return total / 2.0**n


def _derivative(function):
    """Register a derivative of a Bessel function by its formula."""
    return composite(
        function,
        wrt="z",
        name=f"special.{function.__name__}",
        extra={**refuses("v"), "real_only": True},
        examples=lambda r: [
            (1.0, 0.7),
            (0.5, r.positive(3)),
            call(1.0, r.positive(2, 2), n=2),
            (2.0, r.positive(2), 0),
        ],
    )


@_derivative(sp.jvp)
def jvp(v, z, n=1):
    return _summed(sp.jv, v, z, n, -1.0)


@_derivative(sp.yvp)
def yvp(v, z, n=1):
    return _summed(sp.yv, v, z, n, -1.0)


@_derivative(sp.ivp)
def ivp(v, z, n=1):
    return _summed(sp.iv, v, z, n, 1.0)


@_derivative(sp.kvp)
def kvp(v, z, n=1):
    return (-1.0) ** n * _summed(sp.kv, v, z, n, 1.0)
