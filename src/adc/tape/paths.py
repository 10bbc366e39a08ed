"""A trajectory may be asked for its state at any time, and for the times of its events, with derivatives.

The states at the nodes are taken once, on Tensors. The time of an event is a root of the event's function along the
trajectory, and moves with whatever that depends on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import implicit, record
from adc.tape.tensor import make

Field = Callable[[Any, Any], Any]  # of time and state
Stepper = Callable[[Field, Any, Any, Any], Any]  # of field, time, state, step: the next state


class Path:
    """The states of a trajectory, on Tensors: whole steps from node to node, and from the last one to a time."""

    def __init__(self, field: Field, y: Any, start: Any, nodes: Any, step: Stepper) -> None:
        self._field = field
        self._nodes = [start, *nodes[1:]]
        self._states = [y]
        self._step = step
        self._direction = 1.0 if nodes[-1] >= nodes[0] else -1.0
        self._plain = self._direction * np.asarray(nodes, np.float64)

    def at(self, time: Any) -> Any:
        """The state at a time, which may carry a derivative."""
        at = float(record.plain(time))
        passed = int(np.searchsorted(self._plain[1:-1], self._direction * at))
        while len(self._states) <= passed:
            k = len(self._states)
            t = self._nodes[k - 1]
            self._states.append(self._step(self._field, t, self._states[-1], self._nodes[k] - t))
        t, y = self._nodes[passed], self._states[passed]
        return y if at == float(record.plain(t)) else self._step(self._field, t, y, time - t)


class Continuous:
    """`found.sol`: the states at any times, which SciPy interpolates, with the derivative of steps to them."""

    def __init__(self, sol: Any, path: Path) -> None:
        self._sol = sol
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __call__(self, t: Any) -> Any:
        t = implicit.as_array(t)
        value = self._sol(record.plain(t))
        if np.ndim(record.plain(t)) == 0:
            return joined([self._path.at(t)], value[None])[0]
        return joined([self._path.at(each) for each in t], value, axis=1)


def listed(events: Any) -> list[Callable[..., Any]]:
    """The functions of events: SciPy takes one, or several."""
    return [] if events is None else [events] if callable(events) else list(events)


def events_for_scipy(events: list[Callable[..., Any]]) -> list[Callable[..., Any]] | None:
    """The functions of events as SciPy calls them, with what it asks of each."""
    plain = [implicit.for_scipy(event) for event in events]
    for function, event in zip(plain, events, strict=True):
        function.__dict__.update(
            {name: getattr(event, name) for name in ("terminal", "direction") if hasattr(event, name)}
        )
    return plain or None


def moved(
    event: Callable[..., Any], path: Path, times: Any, given: tuple[Any, ...]
) -> tuple[list[Any], list[Any]]:
    """The times of an event, and the states at them."""
    what = "the time of an event"
    roots = [implicit.corrected(lambda t: event(t, path.at(t), *given), t, what) for t in times]
    return roots, [path.at(t) for t in roots]


def joined(numbers: list[Any], like: Any, axis: int = 0) -> Any:
    """Numbers or arrays found for what SciPy gave, as one Tensor with SciPy's values."""
    if not record.is_active(numbers):
        return like
    alike = [n if record.is_active(n) else make(np.asarray(record.plain(n))) for n in numbers]
    return implicit.valued(like, np.stack(alike, axis=axis))
