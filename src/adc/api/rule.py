"""Derivative rules for functions of other libraries, by the same door as the built-in ones.

The kinds are those of the rulebook: `elementwise` (partials), `linear` (the transpose), `pull` and `push` (the rest).
A rule is an ordinary NumPy function; the compiler inlines it, the tape calls it.

# shapes.py
import adc
import numba
import numpy as np


@numba.njit
def smoothstep(x):
    t = np.minimum(np.maximum(x, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@adc.rule.elementwise(smoothstep)
def smoothstep_partial(z, x):
    t = np.clip(x, 0.0, 1.0)
    return 6.0 * t * (1.0 - t)

How: docs/adding_a_rule.md.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable
from typing import Any

from adc.errors import ArgumentError
from adc.rules import registry
from adc.rules.sampler import call as call

__all__ = ["call", "elementwise", "linear", "module_of", "pull", "push"]

Register = Callable[[Callable[..., Any]], Callable[..., Any]]


def elementwise(function: Callable[..., Any], *aliases: Callable[..., Any], **options: Any) -> Register:
    """Give the partial derivatives of a function that is applied element by element. A decorator.

    The body takes `(z, *parameters)`, where z is the result, and returns one partial per parameter, or per name in
    `wrt="x y"`. `domain` ("real", "positive", "nonzero", "unit", or an interval) says where `adc.testing` draws test
    inputs. The function must be one that Numba can call, as one under `numba.njit`, or derivatives of it run as plain
    Python.

    Raises `ArgumentError` for a function that cannot be imported by name, or that has a rule already.

    >>> import math
    >>> from adc.api import rule
    >>> rule.elementwise(math.cos)
    Traceback (most recent call last):
    adc.errors.ArgumentError: `math.cos` has a rule already...
    """
    return registry.elementwise(function, *aliases, **_options(function, options))


def linear(function: Callable[..., Any], *aliases: Callable[..., Any], **options: Any) -> Register:
    """Give the transpose of a function that is linear in its parameters `wrt`. A decorator.

    The body takes `(z_bar, *parameters)` and returns the adjoints of the `wrt` parameters. `examples` is a function
    that is given a sampler and returns test inputs; `shape` gives the symbolic shape of the result. Raises as
    `elementwise`.
    """
    return registry.linear(function, *aliases, **_options(function, options))


def pull(function: Callable[..., Any], *aliases: Callable[..., Any], **options: Any) -> Register:
    """Give the pull of any other function: `(z_bar, z, *parameters)` -> adjoints of `wrt`. A decorator.

    `examples` and `shape` are as for `linear`. Register the push next to it with `push`. Raises as `elementwise`.
    """
    return registry.pull(function, *aliases, **_options(function, options))


def push(function: Callable[..., Any]) -> Register:
    """Give the push of a function whose pull is registered: `(z, *parameters, x_dot=...)` -> z_dot. A decorator."""
    return registry.push(function)


def module_of(function: Callable[..., Any]) -> str:
    """The module from which generated code imports a function. Raises `ArgumentError` where it cannot."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__name__", None)
    if module is not None and name is not None:
        with contextlib.suppress(ImportError):
            found = sys.modules.get(module) or importlib.import_module(module)
            if getattr(found, name, None) is function:
                return str(module)
    raise ArgumentError(
        f"generated code cannot import {function!r} by name",
        repair="Define it at the top level of a module, under its own name.",
    )


def _options(function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    if registry.find(function) is not None:
        raise ArgumentError(
            f"`{registry.spell(function)}` has a rule already",
            repair="Use adc.custom_vjp on a function of your own that calls it.",
        )
    module = module_of(function)
    registry.user_modules.add(module)
    # The module is part of the name: two libraries may use one.
    return {"name": f"{module}.{function.__name__}", "spelling": f"{module}.{function.__name__}", **options}
