"""Derivatives with respect to complex numbers: dL is the real part of sum(gradient * dz), in every mode and engine."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc import pytree

MODES = ["compiled", "python", "tape"]
GENERATOR = np.random.default_rng(5)


def normal(*shape):
    return GENERATOR.normal(size=shape) + 1j * GENERATOR.normal(size=shape)


Z, W, MATRIX = normal(3), normal(3), normal(3, 3)
X = GENERATOR.normal(size=3)


def in_a_loop(z):
    total, state = 0.0, z.copy()
    for k in range(len(z)):
        state[k] = state[k] * state[k - 1] + 1j * k
        total += abs(state[k]) ** 2
    return total


def by_cases(z):
    if z[0].real > z[1].real:
        return np.real(z[0] * z[1])
    return np.imag(z[0] * np.exp(z[2]))


def of_a_container(p):
    return np.sum(np.abs(p["z"] * p["x"]) ** 3) + p["c"].imag


PROGRAMS = {
    "squares": (lambda z: np.sum(np.abs(z) ** 2), (Z,)),
    "holomorphic": (lambda z: np.sum(np.imag(np.exp(z) * z)), (Z,)),
    "conjugates": (lambda z: np.sum(np.real(np.conj(z) * z * z)), (Z,)),
    "two": (lambda a, z: np.real(np.vdot(a @ z, a @ z)), (MATRIX, Z)),
    "beside real ones": (lambda x, z: np.sum(np.abs(x * z) ** 3), (X, Z)),
    "numbers": (lambda c, x: (c * c * x).real, (1.0 + 2.0j, 3.0)),
    "one for all": (lambda c, z: np.sum(np.abs(c * z + c) ** 2), (1.0 + 2.0j, Z)),
    "solve": (lambda a, z: np.sum(np.abs(np.linalg.solve(a, z)) ** 2), (MATRIX, Z)),
    "spectrum": (lambda z: np.sum(np.abs(np.fft.fft(z)) ** 3), (Z,)),
    "loop": (in_a_loop, (Z,)),
    "branch": (by_cases, (Z,)),
    "container": (of_a_container, ({"z": Z, "x": X, "c": 1.0 - 1.0j},)),
}


def direction(values):
    leaves, structure = pytree.flatten(values)
    dots = [
        GENERATOR.normal(size=np.shape(x))
        + (1j * GENERATOR.normal(size=np.shape(x)) if np.iscomplexobj(x) else 0)
        for x in leaves
    ]
    return pytree.unflatten(structure, [d if np.ndim(d) else d.item() for d in dots])


def moved(values, dots, step):
    return pytree.map_structure(lambda x, d: x + step * d, values, dots)


def paired(bars, dots):
    pairs = zip(pytree.leaves(bars), pytree.leaves(dots), strict=True)
    return sum(np.real(np.sum(bar * dot)) for bar, dot in pairs)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_along_a_direction(name, mode):
    f, values = PROGRAMS[name]
    every = tuple(range(len(values)))
    dots, others = direction(values), direction(values)
    gradient = adc.grad(f, every, mode=mode)
    bars, step = gradient(*values), 1e-5
    for bar, x in zip(pytree.leaves(bars), pytree.leaves(values), strict=True):
        assert np.asarray(bar).dtype == np.asarray(x).dtype
        assert np.shape(bar) == np.shape(x)
    slope = (f(*moved(values, dots, step)) - f(*moved(values, dots, -step))) / (2 * step)
    assert paired(bars, dots) == pytest.approx(slope, rel=1e-6)
    assert adc.jvp(f, values, dots, mode=mode)[1] == pytest.approx(slope, rel=1e-6)
    assert paired(adc.vjp(f, *values, mode=mode)[1](1.0), dots) == pytest.approx(slope, rel=1e-6)
    assert adc.linearize(f, *values, mode=mode)[1](*dots) == pytest.approx(slope, rel=1e-6)
    above, below = gradient(*moved(values, dots, step)), gradient(*moved(values, dots, -step))
    second = (paired(above, others) - paired(below, others)) / (2 * step)
    for product in (adc.hvp, adc.vhp):
        assert paired(product(f, values, dots, mode=mode), others) == pytest.approx(
            second, rel=1e-5, abs=1e-8
        )


@pytest.mark.parametrize("mode", MODES)
def test_complex_results(mode):
    _, pull = adc.vjp(lambda z: z * z * 1j, Z, mode=mode)
    np.testing.assert_allclose(pull(W)[0], 2j * Z * W)
    np.testing.assert_allclose(
        adc.jvp(lambda z: np.conj(z) * z, (Z,), (W,), mode=mode)[1], 2 * (Z.conj() * W).real
    )
    squares = adc.vmap(adc.grad(lambda c: abs(c) ** 2), mode=mode)(Z)
    np.testing.assert_allclose(squares, 2 * Z.conj())
    adc.check_grads(lambda z: np.conj(z) * z * z, (Z,), order=2, mode=mode)
    assert adc.grad(lambda c: c.real, mode=mode)(np.complex64(1j)).dtype == np.complex64
    assert isinstance(adc.grad(lambda c: c.real, mode=mode)(1j), complex)
    value, pull = adc.vjp(lambda c: 2j, 1j, mode=mode)
    assert value == 2j and pull(1j) == (0j,) and isinstance(pull(1j)[0], complex)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("matrix", [adc.jacfwd, adc.jacrev, adc.jacobian, adc.hessian])
def test_no_matrix_with_respect_to_complex_numbers(matrix, mode):
    with pytest.raises((adc.ArgumentError, adc.UnsupportedError), match="with respect to complex numbers"):
        matrix(lambda z: np.sum(np.abs(z) ** 2), mode=mode)(Z)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: adc.jvp(np.sin, (x,), (1j * x,))[1],
        lambda x: adc.vjp(np.sin, x)[1](1j * x)[0],
    ],
)
def test_a_complex_direction_of_real_numbers_is_refused(f, mode):
    with pytest.raises((adc.ArgumentError, adc.UnsupportedError), match="is complex, its primal real"):
        adc.grad(lambda x: np.sum(np.real(f(x))), mode=mode)(X)
    with pytest.raises((adc.ArgumentError, adc.UnsupportedError), match="is complex, its primal real"):
        adc.jvp(np.sin, (X,), (1j * X,), mode=mode)


def test_a_wrong_rule_is_seen_along_the_imaginary_axis():
    turned = adc.custom_vjp(lambda z: z * 1.0)
    turned.defvjp(lambda z: (z * 1.0, None), lambda _, bar: (np.conj(bar),))
    with pytest.raises(adc.GradientMismatch, match="Worst at"):
        adc.check_grads(lambda z: np.sum(np.imag(turned(z))), (Z,), order=1, modes=("rev",))
