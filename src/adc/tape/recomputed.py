"""A call keeps nothing but its arguments for the backward pass, which runs it again: the tape's `checkpoint`.

The call is recorded as any other, edges and all, so what it reads of outer Tensors carries its derivative. But what its
nodes keep is packed as tickets (adc.tape.saved). When a pull reads the first of them, the function runs again, and what
it keeps then, in the same order, is what the tickets stand for. A ticket's value goes when its node lets go of it.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import DerivativeError
from adc.runtime.copies import overlap
from adc.tape import saved
from adc.tape.as_now import AsNow
from adc.tape.lent import Lent
from adc.tape.saved import saved_tensors_hooks
from adc.tape.state import modes, plain_numpy, within
from adc.tape.substitute import traced
from adc.tape.tensor import Tensor, make
from adc.tape.trace import as_argument
from adc.tape.writes import check_unchanged, version

__all__ = ["recomputed"]


# Takes functions and arguments, and gives what lets all that they reach hold again what it holds now.
Snapshot = Callable[..., Callable[[], None]]


def recomputed(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    snapshot: Snapshot = lambda *roots: lambda: None,
) -> Any:
    """The result of a function written for NumPy on Tensors, of which nothing but the arguments is kept.

    Its arguments stay as they are when it writes to them. Random numbers of `np.random` are drawn again as they were.
    By `snapshot` the second run finds names and objects outside as the first one did, and leaves nothing there.
    Raises `DerivativeError` in the backward pass when the function keeps other values the second time.

    >>> x = make(np.array([0.0, 1.0])).requires_grad_()
    >>> recomputed(lambda x: np.exp(x * x), (x,), {}).sum().backward()
    >>> x.grad
    tensor([0.        , 5.43656366])
    """
    if not modes.enabled:
        return _run(function, *_taken(*pytree.flatten((list(args), kwargs), attributes=True)))
    call = _Call(function, *pytree.flatten((list(args), kwargs), attributes=True), snapshot)
    with saved_tensors_hooks(call.pack, call.unpack):
        return call.run(function)


class _Ticket:
    """Stands for a kept value."""

    __slots__ = ("__weakref__", "dtype", "shape")

    def __init__(self, value: Tensor) -> None:
        self.shape = value.shape
        self.dtype = value.dtype


class _Enough(BaseException):
    """The second run has come to the last value that is asked for."""


class _Call:
    """One call, and what its tickets stand for while a pass reads them."""

    def __init__(
        self,
        function: Callable[..., Any],
        leaves: list[Any],
        structure: pytree.Structure,
        snapshot: Snapshot,
    ) -> None:
        self._function = function
        self._as_now = AsNow(function)
        self._snapshot = functools.partial(
            snapshot, function, self._as_now.value, *[x for x in leaves if not _is_array(x)]
        )
        self._as_before = self._snapshot()
        self._structure = structure
        self._nodes = [leaf.node if leaf.__class__ is Tensor else None for leaf in leaves]
        self._tensors = [leaf.__class__ is Tensor for leaf in leaves]
        # A call inside another one forgets its arguments, too: they are the other's tickets.
        self._arrays = [saved.packed(leaf.primal if leaf.__class__ is Tensor else leaf) for leaf in leaves]
        self._versions = [version(a) for a in self._arrays]
        self._drawn = np.random.get_state()
        self._tickets: list[weakref.ref[_Ticket]] = []
        self._values: weakref.WeakKeyDictionary[_Ticket, Tensor] = weakref.WeakKeyDictionary()

    def run(self, function: Callable[..., Any]) -> Any:
        """The result, from the arguments as they were."""
        leaves = [
            make(saved.unpacked(a), node) if tensor else saved.unpacked(a)
            for a, node, tensor in zip(self._arrays, self._nodes, self._tensors, strict=True)
        ]
        return _run(function, *_taken(leaves, self._structure))

    def pack(self, value: Tensor) -> _Ticket:
        """A ticket in place of a value that is kept."""
        ticket = _Ticket(value)
        self._tickets.append(weakref.ref(ticket))
        return ticket

    def unpack(self, ticket: _Ticket) -> Tensor:
        """The value; the first one that is asked for brings all."""
        if ticket not in self._values:
            for array, before in zip(self._arrays, self._versions, strict=True):
                check_unchanged(array, before, "an argument of a checkpointed function")
            self._as_now.check("what a checkpointed function reads")
            self._again()
            if modes.callbacks is not None:  # a pass is running
                modes.callbacks.append(self._values.clear)
        value = self._values[ticket]
        if modes.callbacks is None:
            self._values.clear()
        return value

    def _again(self) -> None:
        """Run the function once more, up to the last value that was kept."""
        found = 0

        def put(value: Tensor) -> Tensor:
            nonlocal found
            ticket = self._tickets[found]()
            if ticket is not None:
                if (ticket.shape, ticket.dtype) != (value.shape, value.dtype):
                    raise self._other(
                        f"{_kind(value)} in place of {_kind(ticket)}, the value {found + 1} of {len(self._tickets)}"
                    )
                # What was written to is copied: to its node the memory would be stale.
                array = value.primal
                self._values[ticket] = make(array.copy() if version(array) else array)
            found += 1
            if found == len(self._tickets):
                raise _Enough
            return value

        as_left = self._snapshot()
        self._as_before()
        try:
            with (
                saved_tensors_hooks(put, lambda value: value),
                _drawing(self._drawn),
                within({"enabled": True}),
            ):
                self.run(self._as_now.value)
        except _Enough:
            return
        finally:
            as_left()
        raise self._other(f"{found} values in place of {len(self._tickets)}")

    def _other(self, what: str) -> DerivativeError:
        name = getattr(self._function, "__name__", type(self._function).__name__)
        return DerivativeError(
            f"the checkpointed function `{name}` kept {what} when it ran again",
            why="The backward pass reads the values of the second run: they must be those of the first.",
            repair="Let it depend on its arguments alone.",
        )


def _is_array(leaf: Any) -> bool:
    return leaf.__class__ is Tensor or isinstance(leaf, np.ndarray)


def _taken(leaves: list[Any], structure: pytree.Structure) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as a function that may write to them gets them."""
    args, kwargs = pytree.unflatten(structure, [as_argument(leaf) for leaf in leaves])
    return args, kwargs


def _run(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    recording = modes.enabled
    arguments: dict[int | str, Any] = dict(enumerate(args))
    arguments.update(kwargs)
    with plain_numpy(Lent(function, arguments)), within({"enabled": recording}):
        return _each_apart(traced(function)(*args, **kwargs))


def _each_apart(output: Any) -> Any:
    """The results in memory of their own, as those of one operation are: a write to one does not show in another."""
    leaves, structure = pytree.flatten(output)
    arrays = [leaf.primal if leaf.__class__ is Tensor else leaf for leaf in leaves]
    if not overlap(arrays):
        return output
    shared = [any(overlap([array, other]) for other in arrays[:k]) for k, array in enumerate(arrays)]
    return pytree.unflatten(
        structure, [leaf.copy() if again else leaf for leaf, again in zip(leaves, shared, strict=True)]
    )


@contextmanager
def _drawing(state: Any) -> Iterator[None]:
    """Random numbers from a state of `np.random`, which is as before afterwards."""
    before = np.random.get_state()
    np.random.set_state(state)
    try:
        yield
    finally:
        np.random.set_state(before)


def _kind(value: Any) -> str:
    return f"{value.dtype} of shape {value.shape}"
