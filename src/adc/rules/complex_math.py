"""Rules of `cmath`: NumPy's functions, of numbers that are complex whatever they are given."""

import cmath

import numpy as np

from adc.rules.registry import composite, constant


def _register(name, function):
    spelling = f"cmath.{name}"

    @composite(
        getattr(cmath, name),
        wrt="z",
        name=spelling,
        spelling=spelling,
        examples=lambda r: [(0.3 + 0.4j,), (0.7,)],
    )
    def of_a_number(z):
        return function(z + 0j)


for _name, _function in {
    "exp": np.exp,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "log10": np.log10,
    "phase": np.angle,
}.items():
    _register(_name, _function)


@composite(
    cmath.log,
    wrt="z",
    name="cmath.log",
    spelling="cmath.log",
    examples=lambda r: [(0.3 + 0.4j,), (0.7,)],
)
def log(z, base=None):
    if base is None:
        return np.log(z + 0j)
    return np.log(z + 0j) / np.log(base + 0j)


@composite(
    cmath.rect,
    wrt="r phi",
    name="cmath.rect",
    spelling="cmath.rect",
    examples=lambda r: [(0.7, 0.4), (1.2, -2.0)],
)
def rect(r, phi):
    return r * np.cos(phi) + 1j * (r * np.sin(phi))


@composite(
    cmath.polar,
    wrt="z",
    name="cmath.polar",
    spelling="cmath.polar",
    examples=lambda r: [(0.3 + 0.4j,), (-0.7 - 0.1j,)],
)
def polar(z):
    return np.abs(z), np.angle(z + 0j)


for _question in (cmath.isnan, cmath.isinf, cmath.isfinite):
    constant(
        _question,
        parameters="z",
        name=f"cmath.{_question.__name__}",
        spelling=f"np.{_question.__name__}",
        examples=lambda r: [0.3 + 0.4j, 0.5],
    )
