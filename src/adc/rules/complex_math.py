"""Rules of `cmath`: NumPy's functions, of numbers that are complex whatever they are given."""

import cmath

import numpy as np

from adc.rules.registry import composite


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
