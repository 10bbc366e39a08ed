"""Transforms agree with JAX on the programs of the corpus that JAX can run, where JAX is installed."""

from __future__ import annotations

import functools
import inspect
import types

import numpy as np
import pytest
from tests.corpus.reference import flat
from tests.transforms.directions import Derived, directions, forward_over_reverse, programs, pushed

import adc

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def translated(function, known=None):
    """The same text with JAX's NumPy, in the functions that it calls, too."""
    known = {} if known is None else known
    if function not in known:
        table = {}
        known[function] = types.FunctionType(
            function.__code__, table, function.__name__, function.__defaults__, function.__closure__
        )
        for name, value in function.__globals__.items():
            if name in function.__code__.co_names:  # attributes, too: `np.linalg.solve` in a function `solve`
                own = isinstance(value, types.FunctionType)
                table[name] = jax.numpy if value is np else translated(value, known) if own else value
    return known[function]


# JAX takes the bounds of arange for constants, and its unique has no derivative.
ELSEWHERE = {
    "gathering.a_range_whose_length_the_data_decides",
    "call_forms.unique_with_its_inverse",
    "complex_numbers.points_on_the_unit_circle",  # the derivative of the sign of complex numbers is 0 there
    "complex_numbers.inverse_functions_in_every_quadrant",  # arccosh left of the imaginary axis
    "handlers.index_outside",  # an index beyond the end is the last one there: the loop has no end
    "small_integers.statistics_of_a_mask",  # means of truth values are float32 there
}


@functools.cache
def of_chosen(program):
    """The program in JAX as a function of its differentiated arguments, and those; or why JAX cannot run it."""
    if program.name in ELSEWHERE:
        return "it means something else in JAX"
    args = program.arguments()
    f = translated(program.function)

    def function(*chosen):
        full = list(args)
        for k, x in zip(program.argnums, chosen, strict=True):
            full[k] = x
        return f(*full)

    chosen = tuple(jax.tree_util.tree_map(jax.numpy.asarray, args[k]) for k in program.argnums)
    try:
        value = float(function(*chosen))
    # Item assignment, data-dependent branches, lists in place of arrays: not JAX's language.
    except Exception as error:
        return f"JAX cannot run it: {type(error).__name__}"
    with np.errstate(all="ignore"):
        if not np.allclose(value, program.function(*program.arguments()), rtol=1e-9):
            return "it means something else in JAX"
    if ".item(" in inspect.getsource(program.function):
        return "JAX takes what `item` gives for a constant"
    try:
        jax.grad(function, tuple(range(len(chosen))))(*chosen)
    except Exception as error:  # control flow on traced values
        return f"JAX cannot differentiate it: {type(error).__name__}"
    return function, chosen


def by_derived(derive):
    """Of generated code that takes the directions behind the arguments."""
    return lambda program, args, dots: Derived(program, derive, MODE)(*args, *dots)


def of_gradient(jacobian):
    """A Jacobian of the gradient: the corpus returns numbers."""

    def run(program, args, dots):
        gradient = adc.grad(program.function, argnums=program.argnums, mode=MODE)
        return jacobian(gradient, argnums=program.argnums, mode=MODE)(*args)

    return run


def every(function, xs):
    return tuple(range(len(xs)))


MODE = "python"
TRANSFORMS = {
    "grad": (
        lambda p, args, dots: adc.grad(p.function, argnums=p.argnums, mode=MODE)(*args),
        lambda f, xs, dots: jax.grad(f, every(f, xs))(*xs),
    ),
    "vjp": (
        lambda p, args, dots: adc.vjp(p.function, *args, argnums=p.argnums, mode=MODE)[1](1.5),
        lambda f, xs, dots: jax.vjp(f, *xs)[1](jax.numpy.asarray(1.5, jax.eval_shape(f, *xs).dtype)),
    ),
    "jvp": (by_derived(pushed), lambda f, xs, dots: jax.jvp(f, xs, dots)[1]),
    "hvp": (
        by_derived(forward_over_reverse),
        lambda f, xs, dots: jax.jvp(jax.grad(f, every(f, xs)), xs, dots)[1],
    ),
    "jacrev": (
        of_gradient(adc.jacrev),
        lambda f, xs, dots: jax.jacrev(jax.grad(f, every(f, xs)), every(f, xs))(*xs),
    ),
    "jacfwd": (
        of_gradient(adc.jacfwd),
        lambda f, xs, dots: jax.jacfwd(jax.grad(f, every(f, xs)), every(f, xs))(*xs),
    ),
    "hessian": (
        lambda p, args, dots: adc.hessian(p.function, argnums=p.argnums, mode=MODE)(*args),
        lambda f, xs, dots: jax.hessian(f, every(f, xs))(*xs),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in programs()])
def test_transform(program, transform):
    known = of_chosen(program)
    if isinstance(known, str):
        pytest.skip(known)
    function, chosen = known
    mine, reference = TRANSFORMS[transform]
    dots = directions(program)
    as_jax = tuple(jax.tree_util.tree_map(jax.numpy.asarray, d) for d in dots)
    try:
        wanted = reference(function, chosen, as_jax)
    except Exception as error:
        pytest.skip(f"JAX has no {transform} of it: {type(error).__name__}")
    try:
        found = mine(program, program.arguments(), dots)
    except adc.UnsupportedError as error:
        assert transform == "jacrev" and "a second reverse sweep over a loop" in str(error)
        pytest.skip(error.what)
    for got, leaf in zip(flat(found), jax.tree_util.tree_leaves(wanted), strict=True):
        if np.all(np.isfinite(leaf)):
            scale = max(1.0, float(np.max(np.abs(leaf), initial=0.0)))
            np.testing.assert_allclose(got, leaf, rtol=1e-9, atol=1e-11 * scale)


def test_jax_runs_most_of_what_it_could():
    assert sum(not isinstance(of_chosen(p), str) for p in programs()) >= 100
