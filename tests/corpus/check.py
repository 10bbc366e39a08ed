"""One program on one engine: the value of the primal, the gradient of differences, and nothing else changed.

python -m tests.corpus views.ping_pong compiled
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from tests.corpus import Program
from tests.corpus.reference import flat, gradient

import adc

MODES = ("python", "compiled", "tape")
# The generated text may sum in another order than the primal does.
VALUE_TOLERANCE = 1e-11
FLOAT32_VALUE_TOLERANCE = 1e-5


@functools.lru_cache(maxsize=len(MODES))
def derivative(program: Program, mode: str) -> Any:
    """The program's value and gradient on one engine. The tests of one program share it: they follow each other."""
    return adc.value_and_grad(program.function, program.argnums, mode=mode)


def check(program: Program, mode: str) -> None:
    """Raise AssertionError, with the numbers, where an engine is wrong about a program."""
    with np.errstate(all="ignore"):
        wanted_value = program.function(*program.arguments())
    wanted = gradient(program)
    run = derivative(program, mode)
    arguments = program.arguments()
    value, bars = run(*arguments)
    _unchanged(arguments, program.arguments(), "the derivative changed its argument")
    single = program.tolerance > 1e-6
    np.testing.assert_allclose(
        value,
        wanted_value,
        rtol=FLOAT32_VALUE_TOLERANCE if single else VALUE_TOLERANCE,
        atol=1e-300,
        err_msg="value",
    )
    kinds = np.asarray(value).dtype, np.asarray(wanted_value).dtype
    assert kinds[0] == kinds[1], f"the value is a {kinds[0]}, of the primal a {kinds[1]}"
    inputs = [leaf for k in program.argnums for leaf in flat(arguments[k])]
    found = list(flat(bars))
    assert len(found) == len(wanted), f"{len(found)} gradients for {len(wanted)} inputs"
    for k, (x, g, reference) in enumerate(zip(inputs, found, wanted, strict=True)):
        _agrees(x, g, reference, program.tolerance, f"gradient of input {k}")
    owned(found, list(flat(arguments)))
    again_value, again = run(*arguments)
    np.testing.assert_array_equal(again_value, value, err_msg="value of the second call")
    for first, second in zip(found, flat(again), strict=True):
        np.testing.assert_array_equal(second, first, err_msg="gradient of the second call")


def _agrees(x: Any, g: Any, reference: Any, tolerance: float, what: str) -> None:
    assert np.shape(g) == np.shape(x), f"{what} has the shape {np.shape(g)}, the input {np.shape(x)}"
    if isinstance(x, (np.ndarray, np.generic)):
        assert np.asarray(g).dtype == x.dtype, (
            f"{what} has the dtype {np.asarray(g).dtype}, the input {x.dtype}"
        )
    scale = max(1.0, float(np.max(np.abs(reference), initial=0.0)))
    np.testing.assert_allclose(g, reference, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def owned(found: list[Any], given: list[Any]) -> None:
    """A gradient is the caller's: it may be written to, and nothing else changes with it."""
    arrays = [g for g in found if isinstance(g, np.ndarray)]
    for k, g in enumerate(arrays):
        assert g.flags.writeable, f"gradient {k} is read-only"
        others = [*arrays[:k], *(x for x in given if isinstance(x, np.ndarray))]
        assert not any(np.shares_memory(g, x) for x in others), f"gradient {k} shares its memory"
        once = g.size == 0 or all(n == 1 or step for n, step in zip(g.shape, g.strides, strict=True))
        assert once, f"gradient {k} has one element for many"


def _unchanged(now: Any, before: Any, what: str) -> None:
    for a, b in zip(flat(now), flat(before), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=what)
