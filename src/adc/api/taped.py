"""The tape engine behind `grad`: the user's function runs on Tensors, and its record is walked backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.compiler import results
from adc.errors import DerivativeError, Location
from adc.runtime.copies import copied, copied_together
from adc.tape import trace
from adc.tape.lent import Lent
from adc.tape.writes import version

__all__ = ["carries_tensors", "closes_over_tensors", "on_copies", "own", "owned", "value_and_gradients"]


def value_and_gradients(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    keys: Sequence[int | str],
    has_aux: bool,
    where: Location | None,
) -> tuple[Any, Any, tuple[Any, ...]]:
    """The value, the auxiliary data (None without), and the gradients with respect to the arguments `keys`.

    `where` is the place that an error about the result points to. Raises DerivativeError unless the result is one real
    number.
    """
    with np.errstate(all="ignore"):  # as in the other modes: values say inf and NaN
        try:
            value, pull, *rest = trace.vjp_of_lent(
                function, *args, kwargs=kwargs, argnums=keys, has_aux=has_aux
            )
        except DerivativeError as error:
            raise error.at(where) from error
        plain = value.primal if isinstance(value, tape.Tensor) else value
        shape = np.shape(plain) if isinstance(plain, np.ndarray) else ()
        value, plain = trace.only_element(value), trace.only_element(plain)
        plain = plain[()] if isinstance(plain, np.ndarray) and plain.ndim == 0 else plain
        if not _is_real_number(plain):
            raise results.not_a_number(plain, where, has_aux)
        gradients = pull(np.ones(shape, getattr(plain, "dtype", np.float64)))
    return value if isinstance(value, tape.Tensor) else plain, rest[0] if rest else None, gradients


def own(value: Any) -> Any:
    """The value, an array copied with its strides: what the function does may depend on them."""
    return copied(value) if isinstance(value, np.ndarray) else value


def owned(trees: Any) -> Any:
    """A container with its arrays copied; those that share memory do so again, and containers that are one."""
    leaves, _ = pytree.flatten(trees, attributes=True)
    return pytree.refilled(trees, copied_together(leaves))


def on_copies(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What the function gives for copies of its arguments, to which it may write.

    Plain arrays that share memory do so again. Copies of Tensors do not: raises ArgumentError for a write to one.
    """
    arguments: dict[int | str, Any] = dict(enumerate(args))
    arguments.update(kwargs)
    lent = Lent(function, arguments)
    leaves, structure = pytree.flatten(list(arguments.values()), attributes=True)
    tensors = [k for k, x in enumerate(leaves) if isinstance(x, tape.Tensor) and x.ndim]
    own = copied_together(leaves)
    for k in tensors:
        own[k] = np.copy(leaves[k])
    before = {k: (own[k].primal, version(own[k].primal)) for k in tensors}
    given = pytree.unflatten(structure, own)
    result = function(*given[: len(args)], **dict(zip(kwargs, given[len(args) :], strict=True)))
    for k, (array, written) in before.items():
        if own[k].primal is not array or version(array) != written:
            lent.writes(leaves[k].primal)
    return result


def carries_tensors(value: Any) -> bool:
    """Whether the tape is differentiating an argument already: then this derivative is part of its record."""
    return any(isinstance(leaf, tape.Tensor) for leaf in pytree.leaves(value))


def closes_over_tensors(function: Any) -> bool:
    """Whether a function reads such values from functions around it, which the tape runs."""
    seen: list[Any] = []
    todo = [function]
    while todo:
        found = todo.pop()
        found = getattr(found, "__adc_primal__", found)
        if any(found is known for known in seen):
            continue
        seen.append(found)
        for cell in getattr(found, "__closure__", None) or ():
            try:
                held = cell.cell_contents
            except ValueError:  # a name that has no value yet
                continue
            if any(isinstance(x, tape.Tensor) for x in (held if isinstance(held, (list, tuple)) else [held])):
                return True
            todo.append(held)
    return False


def _is_real_number(value: Any) -> bool:
    return isinstance(value, (float, int, np.floating)) and not isinstance(value, bool)
