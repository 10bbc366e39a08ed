"""Linear recurrences of the first order, four trips at a time.

    for k in range(count):
        states[k] = state
        state = factor * state + terms[k]

A trip waits for a product and a sum of the one before it. Four trips together are a product and a sum, too, whose
factor and term wait for no state: so the processor is through with them in the time of one. (Look-ahead computation:
Kogge & Stone, *A parallel algorithm for the efficient solution of a general class of recurrence equations*, 1973; Parhi
& Messerschmitt, *Pipeline interleaving and parallelism in recursive digital filters*, 1989.) Sums are grouped otherwise
than one by one, so that the last bit may be another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

AT_ONCE = 4


def _at(x: Any, k: Any) -> Any:
    """The number of a trip: one for all of them, or each its own."""
    return x[k] if np.ndim(x) else x


@overload(_at)
def _at_of(x: Any, k: Any) -> Any:
    def each(x: Any, k: Any) -> Any:
        return x[np.uint64(k)]

    def one(x: Any, k: Any) -> Any:
        return x

    return each if isinstance(x, types.Array) else one


def _put(states: Any, k: Any, state: Any) -> None:
    """Write the state of a trip, if there is an array for it."""
    if states is not None:
        states[k] = state


@overload(_put)
def _put_into(states: Any, k: Any, state: Any) -> Any:
    def into(states: Any, k: Any, state: Any) -> None:
        states[np.uint64(k)] = state

    def nowhere(states: Any, k: Any, state: Any) -> None:
        pass

    return into if isinstance(states, types.Array) else nowhere


@register_jitable(error_model="numpy", fastmath={"contract"})
def linear_recurrence(states: Any, factors: Any, terms: Any, state: Any, start: Any, stop: Any) -> Any:
    """Write what each of the trips of range(start, stop) begins with to `states`; return what the last one ends with.

    Arrays have a number for each trip, shape (stop,) or longer; factors or terms may be one number for all, and states
    None, where the last one alone is wanted.

    >>> states = np.zeros(4)
    >>> float(linear_recurrence(states, 0.5, np.array([0.0, 1.0, 2.0, 3.0]), 8.0, 1, 4))
    5.25
    >>> states
    array([0. , 8. , 5. , 4.5])
    """
    return _in_steps(states, factors, terms, state, start, stop - start, 1)


@register_jitable(error_model="numpy", fastmath={"contract"})
def linear_recurrence_back(states: Any, factors: Any, terms: Any, state: Any, start: Any, stop: Any) -> Any:
    """The same for the trips of range(start, stop, -1).

    >>> states = np.zeros(4)
    >>> float(linear_recurrence_back(states, 0.5, np.array([0.0, 3.0, 2.0, 1.0]), 8.0, 3, 0))
    5.25
    >>> states
    array([0. , 4.5, 5. , 8. ])
    """
    return _in_steps(states, factors, terms, state, start, start - stop, -1)


@register_jitable(error_model="numpy", fastmath={"contract"})
def _in_steps(states: Any, factors: Any, terms: Any, state: Any, start: Any, count: Any, step: Any) -> Any:
    count = max(count, 0)
    whole = count - count % AT_ONCE
    for trip in range(0, whole, AT_ONCE):
        k = start + step * trip
        f, g, h = _at(factors, k), _at(factors, k + step), _at(factors, k + 2 * step)
        last = _at(factors, k + 3 * step)
        t, v = _at(terms, k), _at(terms, k + 2 * step)
        of_two = g * t + _at(terms, k + step)
        of_four = last * h * of_two + (last * v + _at(terms, k + 3 * step))
        behind_two = g * f * state + of_two
        _put(states, k, state)
        _put(states, k + step, f * state + t)
        _put(states, k + 2 * step, behind_two)
        _put(states, k + 3 * step, h * behind_two + v)
        state = last * h * (g * f) * state + of_four
    for trip in range(whole, count):
        k = start + step * trip
        _put(states, k, state)
        state = _at(factors, k) * state + _at(terms, k)
    return state
