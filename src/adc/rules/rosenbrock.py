"""Rules of the functions on which minimisers are tried: Rosenbrock's, with its gradient and its second derivatives."""

import numpy as np
from scipy import optimize

from adc.rules.registry import composite


def _scipy(function, wrt, examples):
    name = f"optimize.{function.__name__}"
    return composite(function, wrt=wrt, name=name, spelling=f"scipy.{name}", examples=examples)


@_scipy(optimize.rosen, "x", lambda r: [r.normal(4), r.normal(3, 2)])
def rosen(x):
    apart, rest = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    return np.sum(100.0 * apart**2 + rest**2, axis=0)


@_scipy(optimize.rosen_der, "x", lambda r: [r.normal(4)])
def rosen_der(x):
    apart, rest = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    nothing = np.zeros_like(x[:1])
    ahead = np.concatenate((-400.0 * apart * x[:-1] - 2.0 * rest, nothing))
    return ahead + np.concatenate((nothing, 200.0 * apart))


@_scipy(optimize.rosen_hess, "x", lambda r: [r.normal(4)])
def rosen_hess(x):
    nothing = np.zeros_like(x[:1])
    beside = np.diag(-400.0 * x[:-1], 1)
    curves = np.concatenate((1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, nothing))
    return beside + beside.T + np.diag(curves + np.concatenate((nothing, 200.0 + 0.0 * x[1:])))


@_scipy(optimize.rosen_hess_prod, "x p", lambda r: [(r.normal(4), r.normal(4))])
def rosen_hess_prod(x, p):
    return optimize.rosen_hess(x) @ p
