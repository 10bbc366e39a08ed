"""A derivative called on Tensors is one node of their graph: compiled code computes the value, and its pull.

The pull is compiled when a backward pass first asks for it. A pass that is itself recorded
(`create_graph=True`) runs the function on Tensors instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api import taped
from adc.api.pullback import vjp
from adc.errors import AdcError
from adc.tape import plain_types, record
from adc.tape.entry import Pull
from adc.tape.tensor import Tensor

__all__ = ["call"]

_NUMPYS: dict[type, Any] = {float: np.float64, complex: np.complex128}


def call(
    transform: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    on_tape: Callable[[Sequence[Any], dict[str, Any]], Any],
) -> Any:
    """`transform(*args, **kwargs)` as one node. `on_tape` is the same by operator recording."""
    leaves, structure = pytree.flatten((tuple(args), kwargs))
    active = [k for k, leaf in enumerate(leaves) if isinstance(leaf, tape.Tensor) and leaf.node is not None]

    def rebuilt(values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        own = [taped.own(v) for v in values]
        found: tuple[tuple[Any, ...], dict[str, Any]] = pytree.unflatten(structure, own)
        return found

    form: list[Any] = []  # the leaves of the result and their structure

    def function(*values: Any) -> Any:
        positional, named = rebuilt(values)
        form[:] = pytree.flatten(transform(*positional, **named))
        floats = [_NUMPYS[type(x)](x) if type(x) in _NUMPYS else x for x in form[0] if _is_float(x)]
        return floats[0] if len(floats) == 1 else tuple(floats)

    def bars_of(z_bar: Any) -> Any:
        rest = iter(z_bar if isinstance(z_bar, tuple) else (z_bar,))
        return pytree.unflatten(form[1], [next(rest) if _is_float(x) else x for x in form[0]])

    def of_leaves(*chosen: Any, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        full = list(values)
        for k, v in zip(active, chosen, strict=True):
            full[k] = v
        return rebuilt(full)

    def pull(z_bar: Any, z: Any, *values: Any) -> Sequence[Any]:
        positional, named = rebuilt(values)
        keys: list[int | str] = [*_with_active(args), *(k for k, v in kwargs.items() if _is_active(v))]
        try:
            trees = vjp(transform, *positional, argnums=tuple(keys), **named)[1](bars_of(z_bar))
        except AdcError:  # no compiled pull of this kind; the tape has one, or says why not
            return by_recording(z_bar, values)
        found: dict[int, Any] = {}
        for key, tree in zip(keys, trees, strict=True):
            places = _places(structure, key, len(args), args, kwargs)
            found.update(zip(places, pytree.leaves(tree), strict=True))
        return [np.asarray(found[k]) if k in found else None for k in range(len(leaves))]

    def by_recording(z_bar: Any, values: Sequence[Any]) -> Sequence[Any]:
        def of_active(*chosen: Any) -> Any:
            positional, named = of_leaves(*chosen, values=values)
            result = pytree.leaves(on_tape(positional, named))
            return tuple(x for x, y in zip(result, form[0], strict=True) if _is_float(y))

        bars = z_bar if isinstance(z_bar, tuple) else (z_bar,)
        found = dict(zip(active, tape.vjp(of_active, *[values[k] for k in active])[1](bars), strict=True))
        return [found.get(k) for k in range(len(leaves))]

    name = type(transform).__name__
    z = record.call_as_node(
        name, function, pull, leaves, lambda z_bar, z, *values: by_recording(z_bar, values)
    )
    rest = iter(z if isinstance(z, tuple) else (z,))
    return pytree.unflatten(form[1], [_as(x, next(rest)) if _is_float(x) else x for x in form[0]])


def _as(given: Any, recorded: Any) -> Any:
    """What was recorded, as a number of Python's where that was given; the record keeps its name."""
    if type(given) not in _NUMPYS:
        return recorded
    if isinstance(recorded, Tensor) and recorded.node is not None and isinstance(recorded.node.pull, Pull):
        recorded.node.pull = recorded.node.pull.of_pythons()
    return plain_types.as_pythons(recorded)


def _is_float(x: Any) -> bool:
    return isinstance(x, (float, complex, np.ndarray, np.inexact)) and np.asarray(x).dtype.kind in "fc"


def _is_active(tree: Any) -> bool:
    return any(isinstance(leaf, tape.Tensor) and leaf.node is not None for leaf in pytree.leaves(tree))


def _with_active(args: Sequence[Any]) -> list[int]:
    return [k for k, a in enumerate(args) if _is_active(a)]


def _places(
    structure: pytree.Structure, key: int | str, count: int, args: Sequence[Any], kwargs: dict[str, Any]
) -> list[int]:
    """The positions of the leaves of one argument among those of all."""
    marked = pytree.unflatten(structure, range(structure.size))
    tree = marked[0][key] if isinstance(key, int) else marked[1][key]
    return pytree.leaves(tree)
