"""A call that the compiler cannot look into is one operation of the program; the tape computes its derivatives.

The forward sweep calls the function as it is. The reverse sweep runs it again on Tensors and pulls the adjoints back,
so that a call in a loop keeps its arguments and nothing else. The types of the results were seen in a run of the whole
function (observed.py), and every later call is held to them: what comes back with another type, shares memory with
something else, changes an argument or leaves another trace raises, and `auto` hands the whole function to the tape.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api.reachable import state
from adc.api.taped_results import Kind, Results, exact_key, key_of, kind_of
from adc.compiler.frontend.frame import Closure, Growing, Items, Partial, Range
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Assign, Const, Var
from adc.compiler.ir.types import Array, Scalar, is_float, is_integer
from adc.compiler.leaves import without_lists
from adc.compiler.transforms import opaque
from adc.compiler.transforms.opaque import Inlined
from adc.errors import UnsupportedError
from adc.rules.dims import Dim
from adc.rules.operation import Operation
from adc.runtime.detours import own_signature
from adc.tape.substitute import traced

__all__ = ["TapedCalls"]

_OWN_VALUES = (Closure, Items, Partial, Range, Growing, Inlined)  # which exist only while a program is built


class TapedCalls:
    """The functions whose calls are not looked into, and the operations that stand for them in a text."""

    def __init__(self, seen: dict[Callable[..., Any], dict[Any, Results | None]]) -> None:
        self.callees = {function: TapedCallee(function, known, self) for function, known in seen.items()}
        self.operations = types.SimpleNamespace()

    def get(self, function: Callable[..., Any]) -> TapedCallee | None:
        """What stands for a function in a program, if it is one of these."""
        return self.callees.get(function)

    @property
    def namespace(self) -> dict[str, Any]:
        """What a generated text reads beside modules."""
        return {"taped": self.operations}

    def named(self, name: str, site: _Site) -> str:
        """The name of an operation in a text."""
        known = vars(self.operations)
        free, k = name, 1
        while free in known:
            k += 1
            free = f"{name}_{k}"
        known[free] = site
        return f"taped.{free}"


class TapedCallee:
    """A function of the user's whose calls are not looked into; what was seen of them tells the types."""

    def __init__(
        self, function: Callable[..., Any], seen: dict[Any, Results | None], calls: TapedCalls
    ) -> None:
        self.function = function
        self.calls = calls
        self.sites: dict[Any, _Site] = {}
        self.name = function.__name__
        self.signature = own_signature(function)
        self.seen = seen

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call with the arguments by name, as the evaluator has bound them."""
        plain = {k: without_lists(v) for k, v in kwargs.items()}
        leaves, structure = pytree.flatten(plain)
        strange = next((x for x in leaves if isinstance(x, _OWN_VALUES) or hasattr(x, "run_time")), None)
        if strange is not None:
            raise ev.refuse(
                f"`{self.name}` can only run on the tape, and is given a {type(strange).__name__.lower()}",
                "that exists only in the code that is being compiled",
            )
        results = self.seen.get(key_of(plain))
        if results is None:
            raise ev.refuse(
                f"`{self.name}` can only run on the tape, and what this call returns is not known to be numbers",
                "the types of its results are taken from a run on the example arguments",
            )
        if not results.kinds:
            raise ev.refuse(f"`{self.name}` can only run on the tape, and returns no number")
        key = structure, tuple([exact_key(x) for x in leaves])
        site = self.sites.get(key)
        if site is None:
            site = self.sites[key] = _Site(
                _Primal(self, structure), self.name, leaves, results.leaves, self.calls
            )
        values = site.placed(ev, leaves)
        return with_lists(pytree.unflatten(results.structure, values), ev)


class _Primal:
    """The call itself, from leaf to leaf: plainly, and on Tensors."""

    def __init__(self, callee: TapedCallee, structure: pytree.Structure) -> None:
        self.callee = callee
        self.structure = structure

    def plainly(self, leaves: Sequence[Any]) -> list[Any]:
        own = [x.copy() if isinstance(x, np.ndarray) else x for x in leaves]
        arguments = pytree.unflatten(self.structure, own)
        roots = [self.callee.function, *[x for x in own if kind_of(x) is None]]
        before = state(roots)
        output = self._called(self.callee.function, arguments)
        after = state(roots)
        if not before.complete or not before.same(after):
            raise self._refused("changes something that outlives the call")
        now, structure = pytree.flatten(arguments)
        if structure != self.structure or any(
            a is not b or (isinstance(a, np.ndarray) and not _same(a, given))
            for a, b, given in zip(now, own, leaves, strict=True)
        ):
            raise self._refused("changes its arguments")
        found = pytree.leaves(output)
        held = [*after.arrays, *[x for x in own if isinstance(x, np.ndarray)]]
        for k, x in enumerate(found):
            if isinstance(x, np.ndarray) and any(np.may_share_memory(x, y) for y in [*held, *found[:k]]):
                raise self._refused("returns memory that it was given, or that something else holds")
        return found

    def on_tape(self, *leaves: Any) -> list[Any]:
        arguments = pytree.unflatten(self.structure, leaves)
        found: list[Any] = pytree.leaves(self._called(traced(self.callee.function), arguments))
        return found

    def _called(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        bound = inspect.BoundArguments(self.callee.signature, arguments)
        return function(*bound.args, **bound.kwargs)

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"`{self.callee.name}` {what}", why="Its reverse sweep would have to run it a second time."
        )


class _Pulled:
    """The adjoints of the float arguments of a call, from those of its float results."""

    def __init__(self, site: _Site) -> None:
        self.site = site

    def on_tape(self, *leaves: Any) -> list[Any]:
        count = len(self.site.float_results)
        bars, before, values = leaves[:count], leaves[count : 2 * count], leaves[2 * count :]
        output, pull = tape.vjp(self.site.call.on_tape, *values, argnums=self.site.wrt)
        self.site.hold_to(before, output)
        full = list(output)
        for k, bar in zip(self.site.float_results, bars, strict=True):
            full[k] = bar
        return list(pull(full))

    def plainly(self, leaves: Sequence[Any]) -> list[Any]:
        return self.on_tape(*leaves)


class _Pushed:
    """The tangents of the float results of a call, from those of its float arguments."""

    def __init__(self, site: _Site) -> None:
        self.site = site

    def on_tape(self, *leaves: Any) -> list[Any]:
        dots, rest = leaves[: len(self.site.wrt)], leaves[len(self.site.wrt) :]
        before, values = rest[: len(self.site.float_results)], rest[len(self.site.float_results) :]
        output, tangents = tape.jvp(self.site.call.on_tape, values, dots, argnums=self.site.wrt)
        self.site.hold_to(before, output)
        return [tangents[k] for k in self.site.float_results]

    def plainly(self, leaves: Sequence[Any]) -> list[Any]:
        return self.on_tape(*leaves)


class _Site:
    """One operation: a call from leaves to leaves, of which some are known and some given at run time."""

    def __init__(
        self,
        call: _Primal | _Pulled | _Pushed,
        name: str,
        leaves: Sequence[Any],
        results: Sequence[Any],
        calls: TapedCalls,
    ) -> None:
        self.call = call
        self.name = name
        self.calls = calls
        self.derived: dict[Any, _Derived] = {}
        self.operation: Operation | None = None
        self.fixed = [None if isinstance(x, Var) else x for x in leaves]
        self.given = [k for k, x in enumerate(leaves) if isinstance(x, Var)]
        self.wrt = [k for k, x in enumerate(leaves) if isinstance(x, Var) and is_float(x.type)]
        self.results = results
        self.float_results = [
            k for k, r in enumerate(results) if isinstance(r, Kind) and np.dtype(r.dtype).kind == "f"
        ]

    # At run time ------------------------------------------------------------------------------------------------

    def __call__(self, *values: Any) -> Any:
        leaves = list(self.fixed)
        for k, value in zip(self.given, values, strict=True):
            leaves[k] = value
        output = self.call.plainly(leaves)
        try:
            found = Results(_row(len(self.results)), tuple(self.results)).taken(output, leaves)
        except TypeError as error:
            raise UnsupportedError(f"`{self.name}` returns {error}") from error
        return found[0] if len(found) == 1 else tuple(found)

    def hold_to(self, before: Sequence[Any], output: Sequence[Any]) -> None:
        """The run on the tape must have the results of the first one."""
        for k, value in zip(self.float_results, before, strict=True):
            now = np.asarray(_plain(output[k]))
            tolerance = float(np.finfo(now.dtype).eps ** 0.5)
            if now.shape != np.shape(_plain(value)) or not np.allclose(
                now,
                _plain(value),
                rtol=tolerance,
                atol=tolerance * float(np.abs(now).max(initial=0.0)),
                equal_nan=True,
            ):
                raise UnsupportedError(
                    f"`{self.name}` returns other values when it runs again on the same arguments",
                    why="Its derivative would be that of another call.",
                )

    # While the program is built -----------------------------------------------------------------------------------

    def placed(self, ev: Evaluator, leaves: Sequence[Any], like: Sequence[Var] = ()) -> list[Any]:
        """The operation in the current block: all its results, known ones included; `like` has their lengths."""
        if self.operation is None:
            self.operation = self._made()
        kinds = [r for r in self.results if isinstance(r, Kind)]
        targets = (
            tuple(Var(self.name, x.type, named=False) for x in like)
            if like
            else tuple(_target(kind, self.name, leaves) for kind in kinds)
        )
        given = tuple(leaves[k] for k in self.given)
        ev.block.append(Assign(targets, self.operation, given, ev.origin))
        rest = iter(targets)
        return [next(rest) if isinstance(r, Kind) else r for r in self.results]

    def _made(self) -> Operation:
        names = [f"x{k}" for k in range(len(self.given))]
        wrt = tuple(n for n, k in zip(names, self.given, strict=True) if k in self.wrt)
        differentiable = bool(wrt and self.float_results)
        spelling = self.calls.named(self.name, self)
        return Operation(
            spelling,
            "general" if differentiable else "constant",
            function=self,
            parameters=tuple(inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names),
            wrt=wrt if differentiable else (),
            pull=Inlined(self._pull),
            push=Inlined(self._push),
            spelling=spelling,
            cost=opaque.COST,
            extra={"raises": True} if isinstance(self.call, _Primal) else {},
        )

    def _leaves(self, values: Sequence[Any]) -> list[Any]:
        leaves = list(self.fixed)
        for k, value in zip(self.given, values, strict=True):
            leaves[k] = value.value if isinstance(value, Const) else value
        return leaves

    def _numbers(self, z: Any) -> dict[int, Any]:
        rest = iter(z if isinstance(z, tuple) else (z,))
        return {k: next(rest) for k, r in enumerate(self.results) if isinstance(r, Kind)}

    def _pull(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        z_bar, z, *values = args
        bars, before, leaves = self._numbers(z_bar), self._numbers(z), self._leaves(values)
        given = [*[bars[k] for k in self.float_results], *[before[k] for k in self.float_results], *leaves]
        like = [leaves[k] for k in self.wrt]
        found = self._derived("pull", _Pulled, given, like).placed(ev, given, like)
        return found[0] if len(found) == 1 else tuple(found)

    def _push(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        z, *values = args
        before, leaves = self._numbers(z), self._leaves(values)
        dots = [kwargs[f"x{self.given.index(k)}_dot"] for k in self.wrt]
        given = [*dots, *[before[k] for k in self.float_results], *leaves]
        like = [before[k] for k in self.float_results]
        values = self._derived("push", _Pushed, given, like).placed(ev, given, like)
        found = dict(zip(self.float_results, values, strict=True))
        dots = [found.get(k, 0.0) for k, r in enumerate(self.results) if isinstance(r, Kind)]
        return dots[0] if len(dots) == 1 else tuple(dots)

    def _derived(
        self, name: str, kind: type[_Pulled | _Pushed], given: Sequence[Any], like: Sequence[Var]
    ) -> _Derived:
        key = name, tuple([exact_key(x) for x in given])
        known = self.derived.get(key)
        if known is None:
            first = len(self.float_results) if kind is _Pulled else len(self.wrt)
            compared = range(first, first + len(self.float_results))
            kinds = [_like_leaf(x, given) for x in like]
            known = self.derived[key] = _Derived(
                kind(self), f"{self.name}_{name}", given, kinds, self.calls, compared
            )
        return known


class _Derived(_Site):
    """The pull or push of a call. The results of the call are among its leaves to be compared, not differentiated."""

    def __init__(
        self,
        call: _Pulled | _Pushed,
        name: str,
        leaves: Sequence[Any],
        results: Sequence[Kind],
        calls: TapedCalls,
        compared: range,
    ) -> None:
        super().__init__(call, name, leaves, results, calls)
        self.wrt = [k for k in self.wrt if k not in compared]


def _same(x: Any, y: Any) -> bool:
    return x.shape == y.shape and bool(np.array_equal(x, y, equal_nan=x.dtype.kind == "f"))


def _row(count: int) -> pytree.Structure:
    return pytree.flatten([0] * count)[1]


def _plain(value: Any) -> Any:
    return value.detach().numpy() if isinstance(value, tape.Tensor) else value


def _like_leaf(x: Var, given: Sequence[Any]) -> Kind:
    """The kind of what has the type of one of the leaves."""
    if not isinstance(x.type, Array):
        return Kind(x.type.dtype, x.type.weak is True)
    position = next(k for k, leaf in enumerate(given) if leaf is x)
    return Kind(x.type.dtype, False, tuple((position, axis) for axis in range(x.type.ndim)))


def _target(kind: Kind, name: str, leaves: Sequence[Any]) -> Var:
    target = Var(name, Scalar(kind.dtype, kind.weak), named=False)
    target.type = kind.type(target, leaves)
    if is_integer(target.type) and not target.is_array:
        target.dim = Dim.symbol("value", target)
    return target
