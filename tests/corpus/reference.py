"""Gradients by differences: five points along each coordinate, with errors far below the 1e-6 that is asked.

Fourth-order central differences (Abramowitz & Stegun 25.3.6) with a step of 1e-4: truncation 1e-16, rounding
1e-12, times the size of the values. float32 inputs are promoted: the primal is evaluated in double precision.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from tests.corpus import Program

STEP = 1e-4


def flat(value: Any) -> Iterator[Any]:
    """The arrays and floats in an argument, in the order of its structure (dicts by key)."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from flat(value[key])
    elif is_dataclass(value):
        for f in fields(value):
            yield from flat(getattr(value, f.name))
    else:
        yield value


def rebuilt(value: Any, leaves: Iterator[Any]) -> Any:
    """The structure of `value` with other leaves."""
    if isinstance(value, (list, tuple)):
        items = [rebuilt(item, leaves) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        items = {key: rebuilt(value[key], leaves) for key in sorted(value)}
        return {key: items[key] for key in value}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: rebuilt(getattr(value, f.name), leaves) for f in fields(value)})
    return next(leaves)


@functools.cache
def gradient(program: Program) -> list[Any]:
    """The derivative of the result with respect to each leaf of the differentiated arguments."""
    result = []
    for argnum in program.argnums:
        for leaf, x in enumerate(flat(program.arguments()[argnum])):
            g = np.zeros(np.shape(x))
            for where in np.ndindex(g.shape):
                g[where] = _difference(program, argnum, leaf, where)
            result.append(g)
    return result


def _difference(program: Program, argnum: int, leaf: int, where: tuple[int, ...]) -> float:
    near = _moved(program, argnum, leaf, where, STEP) - _moved(program, argnum, leaf, where, -STEP)
    far = _moved(program, argnum, leaf, where, 2 * STEP) - _moved(program, argnum, leaf, where, -2 * STEP)
    return float((8 * near - far) / (12 * STEP))


def _moved(program: Program, argnum: int, leaf: int, where: tuple[int, ...], step: float) -> Any:
    """The result with one number moved."""
    args = [_promoted(a) for a in program.arguments()]
    leaves = list(flat(args[argnum]))
    if isinstance(leaves[leaf], np.ndarray):
        leaves[leaf][where] += step
    else:
        leaves[leaf] += step
    args[argnum] = rebuilt(args[argnum], iter(leaves))
    with np.errstate(all="ignore"):
        return program.function(*args)


def _promoted(value: Any) -> Any:
    def one(x: Any) -> Any:
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float32:
            return x.astype(np.float64)
        return x

    return rebuilt(value, iter([one(x) for x in flat(value)]))
