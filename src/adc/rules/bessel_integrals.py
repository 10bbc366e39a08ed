"""Rules of the integrals of Bessel and Struve functions: the derivative is what is integrated."""

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise, pull, push
from adc.rules.shapes import shape_of


def _two_of_x(x):
    return (shape_of(x),) * 2


def _examples(r):
    return [0.7, r.positive(3)]


@pull(sp.itj0y0, wrt="x", shape=_two_of_x, name="special.itj0y0", cost=60, examples=_examples)
def itj0y0_pull(z_bar, z, x):
    first_bar, second_bar = z_bar
    return first_bar * sp.j0(x) + second_bar * sp.y0(x)


@push(sp.itj0y0)
def itj0y0_push(z, x, *, x_dot):
    return sp.j0(x) * x_dot, sp.y0(x) * x_dot


@pull(sp.iti0k0, wrt="x", shape=_two_of_x, name="special.iti0k0", cost=60, examples=_examples)
def iti0k0_pull(z_bar, z, x):
    first_bar, second_bar = z_bar
    return first_bar * sp.i0(x) + second_bar * sp.k0(x)


@push(sp.iti0k0)
def iti0k0_push(z, x, *, x_dot):
    return sp.i0(x) * x_dot, sp.k0(x) * x_dot


# The second of these two runs from x to infinity.


@pull(sp.it2j0y0, wrt="x", shape=_two_of_x, name="special.it2j0y0", cost=60, examples=_examples)
def it2j0y0_pull(z_bar, z, x):
    first_bar, second_bar = z_bar
    return (first_bar * (1.0 - sp.j0(x)) - second_bar * sp.y0(x)) / x


@push(sp.it2j0y0)
def it2j0y0_push(z, x, *, x_dot):
    return (1.0 - sp.j0(x)) / x * x_dot, -sp.y0(x) / x * x_dot


@pull(sp.it2i0k0, wrt="x", shape=_two_of_x, name="special.it2i0k0", cost=60, examples=_examples)
def it2i0k0_pull(z_bar, z, x):
    first_bar, second_bar = z_bar
    return (first_bar * (sp.i0(x) - 1.0) - second_bar * sp.k0(x)) / x


@push(sp.it2i0k0)
def it2i0k0_push(z, x, *, x_dot):
    return (sp.i0(x) - 1.0) / x * x_dot, -sp.k0(x) / x * x_dot


@elementwise(sp.itstruve0, name="special.itstruve0", domain="positive", cost=60)
def itstruve0(z, x):
    return sp.struve(0.0, x)


@elementwise(sp.itmodstruve0, name="special.itmodstruve0", domain="positive", cost=60)
def itmodstruve0(z, x):
    return sp.modstruve(0.0, x)


@elementwise(sp.it2struve0, name="special.it2struve0", domain="positive", cost=60)
def it2struve0(z, x):
    return np.where(x == 0.0, -2.0 / np.pi, -sp.struve(0.0, x) / np.where(x == 0.0, 1.0, x))
