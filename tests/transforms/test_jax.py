"""Transforms agree with JAX on the programs of the corpus that JAX can run, where JAX is installed."""

from __future__ import annotations

import types

import numpy as np
import pytest
from tests.corpus.reference import flat
from tests.transforms.directions import Derived, directions, forward_over_reverse, programs, pushed

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


def of_chosen(program):
    """The program in JAX as a function of its differentiated arguments, and those; skips what JAX cannot run."""
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
    except (
        Exception
    ) as error:  # item assignment, data-dependent branches, lists in place of arrays: not JAX's language
        pytest.skip(f"JAX cannot run it: {type(error).__name__}")
    with np.errstate(all="ignore"):
        if not np.allclose(value, program.function(*program.arguments()), rtol=1e-9):
            pytest.skip("it means something else in JAX")
    return function, chosen


CASES = [pytest.param(p, id=p.name) for p in programs()]


def compare(program, derive, reference):
    function, chosen = of_chosen(program)
    dots = directions(program)
    as_jax = tuple(jax.tree_util.tree_map(jax.numpy.asarray, d) for d in dots)
    try:
        wanted = reference(function, chosen, as_jax)
    except Exception as error:  # control flow on traced values
        pytest.skip(f"JAX cannot differentiate it: {type(error).__name__}")
    found = Derived(program, derive, "python")(*program.arguments(), *dots)
    for got, leaf in zip(flat(found), jax.tree_util.tree_leaves(wanted), strict=True):
        if np.all(np.isfinite(leaf)):
            scale = max(1.0, float(np.max(np.abs(leaf), initial=0.0)))
            np.testing.assert_allclose(got, leaf, rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("program", CASES)
def test_push(program):
    compare(program, pushed, lambda f, xs, dots: jax.jvp(f, xs, dots)[1])


@pytest.mark.slow
@pytest.mark.parametrize("program", CASES)
def test_forward_over_reverse(program):
    argnums = tuple(range(len(program.argnums)))
    compare(program, forward_over_reverse, lambda f, xs, dots: jax.jvp(jax.grad(f, argnums), xs, dots)[1])
