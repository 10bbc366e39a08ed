"""Adjoints flow from outputs to leaves, each node once, in decreasing order of record, without recursion.

An operand is recorded before what is made of it, so decreasing order is a reverse topological order, and a
graph of a million nodes needs neither a deep stack nor a count of uses. Kept values are freed as the walk
passes.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from adc.errors import DerivativeError, InternalError, UnsupportedError
from adc.tape import hooks, record, substitute, writes
from adc.tape.entry import Form
from adc.tape.node import FREED, UNDEFINED, AccumulateGrad, IndexNode, Node, Part, Whole
from adc.tape.state import Callbacks, modes, on_another_thread
from adc.tape.tensor import Tensor, make

_by_order = attrgetter("order")


class Engine:
    """One backward pass: the adjoints on their way, and which nodes they are wanted at."""

    __slots__ = ("bars", "collects", "owned", "wanted")

    def __init__(self, bars: dict[Node, Any], wanted: set[Node] | None, collects: bool) -> None:
        self.bars = bars
        self.collects = collects
        self.owned: set[Node] = set()  # nodes whose adjoint is a buffer that no one else holds
        self.wanted = wanted  # None: all

    def wants(self, node: Node) -> bool:
        return self.wanted is None or node in self.wanted

    def buffer(self, node: Node) -> Any:
        """The adjoint of `node` as an array that may be added to in place."""
        bar = self.bars.get(node)
        if node not in self.owned:
            bar = np.zeros(node.shape, node.dtype) if bar is None else np.array(bar)
            self.bars[node] = bar
            self.owned.add(node)
        return bar

    def give(self, node: Node, bar: Any) -> None:
        """Add an adjoint that the caller will not use again."""
        if node in self.bars:
            self.add(node, bar)
        else:
            self.bars[node] = fitted(bar, node)
            self.owned.add(node)

    def add(self, node: Node, bar: Any) -> None:
        """Add an adjoint to what has come already."""
        if bar.shape != node.shape or bar.dtype is not node.dtype:
            bar = fitted(bar, node)
        before = self.bars.get(node)
        if before is None:
            self.bars[node] = bar
        elif node in self.owned and bar.__class__ is not Tensor:
            before += bar
        else:
            self.bars[node] = before + bar


def propagate(
    seeds: Iterable[tuple[Node, Any]],
    *,
    keep: bool,
    create_graph: bool,
    targets: set[Node] | None,
    collects: bool = False,
) -> dict[Node, Any]:
    """The adjoints of `targets`, or, when None, added to `.grad` of all leaves.

    `keep` leaves the graph usable for another pass. With `create_graph` adjoints are Tensors and the pulls
    are recorded as they run. `collects` says that the targets are where the pass ends, whose own hooks see it.
    """
    bars: dict[Node, Any] = {}
    engine = Engine(bars, None, collects)
    for node, bar in seeds:
        engine.add(node, bar)
    order = sorted(reachable(bars), key=_by_order, reverse=True)
    if targets is not None:
        engine.wanted = _leading_to(targets, order)
    if modes.depth and modes.depth % _DEEP == 0:  # before Python's stack is full
        return on_another_thread(lambda: _passed(engine, order, keep, create_graph, targets))
    return _passed(engine, order, keep, create_graph, targets)


_DEEP = 16  # passes inside each other that share a stack


def _passed(
    engine: Engine, order: list[Node], keep: bool, create_graph: bool, targets: set[Node] | None
) -> dict[Node, Any]:
    before = modes.enabled, modes.plain
    modes.depth += 1
    # A pull's body is plain NumPy, as a traced function is.
    modes.enabled, modes.plain = create_graph, True
    callbacks, modes.callbacks = modes.callbacks, Callbacks()
    try:
        # What the primal's values are worth was said when they were computed.
        with np.errstate(all="ignore"):
            found = _walk(engine, order, keep, create_graph, targets)
        for callback in modes.callbacks:
            callback()
        return found
    finally:
        modes.enabled, modes.plain = before
        modes.callbacks = callbacks
        modes.depth -= 1


def reachable(roots: Iterable[Node]) -> list[Node]:
    """The nodes that adjoints of `roots` can get to, themselves included; nearest first."""
    seen = set(roots)
    found = list(seen)
    for node in found:  # grows as it is read
        for edge in node.edges:
            if edge not in seen:
                seen.add(edge)
                found.append(edge)
    return found


def _leading_to(targets: set[Node], order: list[Node]) -> set[Node]:
    """The nodes from which a target can be reached, the targets included."""
    leading = set(targets)
    for node in reversed(order):
        if node not in leading and not leading.isdisjoint(node.edges):
            leading.add(node)
    return leading


def _walk(
    engine: Engine, order: list[Node], keep: bool, create_graph: bool, targets: set[Node] | None
) -> dict[Node, Any]:
    bars, owned, wanted = engine.bars, engine.owned, engine.wanted
    captured: dict[Node, Any] = {}
    special = targets is not None or create_graph or modes.anomaly
    last_write = writes.last_write[0]
    take, given = bars.pop, bars.get
    ndarray = np.ndarray
    try:
        for node in order:
            bar = take(node, None)
            if bar is None:
                continue
            if special or node.__class__ is not Node or node.hooks is not None:
                adjoints = _pull_specially(engine, node, bar, create_graph, targets, captured)
                last_write = writes.last_write[0]  # a hook may write
                if adjoints is None:
                    continue
            else:
                kept = node.kept
                if kept is None:
                    raise RuntimeError(FREED)
                if node.order < last_write:
                    writes.check(node)
                adjoints = node.pull.reverse(bar, node.z, kept)
            edges = node.edges
            if len(edges) == 1:
                (target,) = edges
                (adjoint,) = adjoints
                if (
                    adjoint.__class__ is ndarray
                    and target not in bars
                    and wanted is None
                    and adjoint.shape == target.shape
                    and adjoint.dtype is target.dtype
                ):  # what the loop below does, for most nodes
                    bars[target] = adjoint
                    if not keep and node.pull.retains:
                        node.kept = None
                        node.z = None
                    continue
            for target, adjoint in zip(edges, adjoints):  # noqa: B905  # strict costs 0.1 us per node
                try:
                    if adjoint.shape != target.shape or adjoint.dtype is not target.dtype:
                        adjoint = fitted(adjoint, target)
                except AttributeError:
                    if adjoint is UNDEFINED:
                        continue
                    adjoint = fitted(_as_array(adjoint, node), target)
                before = given(target)
                if before is None:
                    if wanted is None or target in wanted:
                        bars[target] = adjoint
                elif owned and target in owned:
                    engine.add(target, adjoint)
                else:
                    bars[target] = before + adjoint
            if not keep and node.pull.retains:
                node.kept = None
                node.z = None
    except np.linalg.LinAlgError as error:
        if node.pull is None or node.pull.entry is None:
            raise  # of a rule of the user's
        raise DerivativeError(
            f"the derivative of {node.pull.entry.operation.spelling} failed where the function itself runs: {error}",
            node.location,
            repair="The derivative is not defined there: leave out what depends on it, or move off the point.",
        ) from error
    return captured


def _pull_specially(
    engine: Engine,
    node: Node,
    bar: Any,
    create_graph: bool,
    targets: set[Node] | None,
    captured: dict[Node, Any],
) -> tuple[Any, ...] | None:
    """The adjoints of a node, or a pass, that is not plain; None when they have been passed on."""
    if node.hooks is not None:
        if bar.__class__ is dict:
            assert isinstance(node, Whole)
            bar = node.filled(bar)
        bar = hooks.run(node, bar)
    mine = node in engine.owned and node.hooks is None  # a hook may have kept it
    engine.owned.discard(node)
    if targets is not None and node in targets:
        captured[node] = bar
        mine = False
    if isinstance(node, AccumulateGrad):
        if targets is None:
            collect(node, bar, mine)
        return None
    if engine.wanted is not None and engine.wanted.isdisjoint(node.edges):
        if engine.collects and node.hooks is not None:
            hooks.run_before(node, bar)
        return None
    if node.hooks is not None:  # those of the node itself: only where the pass goes through it
        bar = hooks.run_before(node, bar)
    if isinstance(node, Part):
        waiting = engine.bars.setdefault(node.edges[0], {})
        waiting[node.index] = waiting[node.index] + bar if node.index in waiting else bar
        return None
    if node.order < writes.last_write[0]:
        writes.check(node)
    if create_graph:
        adjoints = pull_on_tensors(node, bar)
    elif (
        node.__class__ is IndexNode
        and node.kept is not None
        and not modes.anomaly
        and not hooks.runs_after(node)
    ):
        node.pull.run(engine, node, bar, mine)
        return None
    else:
        if bar.__class__ is dict:
            assert isinstance(node, Whole)
            bar = node.filled(bar)
        kept = node.kept
        if kept is None:
            raise RuntimeError(FREED)
        adjoints = node.pull.reverse(bar, node.z, kept)
    if modes.anomaly and modes.check_nan:
        _refuse_nan(node, adjoints)
    if hooks.runs_after(node):
        adjoints = hooks.run_after(node, tuple(adjoints), bar)
    return adjoints


# One adjoint ------------------------------------------------------------------------------------------------


def fitted(bar: Any, target: Node) -> Any:
    """An adjoint as its operand needs it: summed over broadcast axes, cast, made real."""
    if bar.__class__ is tuple or bar.__class__ is list:
        bar = np.stack(bar)  # a rule for a sequence, applied to an array of rows
    shape = target.shape
    if len(bar.shape) < len(shape):  # a write drops leading axes of length 1
        bar = np.reshape(bar, (1,) * (len(shape) - len(bar.shape)) + bar.shape)
    if bar.shape != shape:
        add: Any = np.sum if bar.__class__ is Tensor else np.add.reduce  # the latter in half the time
        axes = _broadcast_axes(bar.shape, shape) if shape else None
        if axes is None or axes:
            bar = add(bar, axis=axes, keepdims=len(bar.shape) == len(shape))
        if bar.shape != shape:
            bar = np.reshape(bar, shape)
    if bar.dtype != target.dtype:
        if bar.dtype.kind == "c" and target.dtype.kind != "c":
            bar = np.real(bar)
        if bar.dtype != target.dtype:
            bar = bar.astype(target.dtype)
    return bar


def _broadcast_axes(given: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The axes over which an operand of shape `wanted` was repeated to the shape `given`.

    >>> _broadcast_axes((5, 2, 3), (2, 1))
    (0, 2)
    """
    extra = len(given) - len(wanted)
    axes = list(range(extra))
    for k, n in enumerate(wanted):
        m = given[k + extra]
        if m != n:
            if n != 1:
                raise InternalError(f"an adjoint of shape {given} came for an operand of shape {wanted}")
            axes.append(k + extra)
    return tuple(axes)


def _as_array(adjoint: Any, node: Node) -> Any:
    if adjoint is None:
        raise UnsupportedError(
            f"adc has no derivative of {node.name().removesuffix('Backward')} with respect to an operand",
            node.location,
            "Its rule gives no adjoint for it.",
            "Pass that operand as adc.stop_gradient(x).",
        )
    return adjoint if isinstance(adjoint, tuple | list) else np.asarray(adjoint)


def collect(leaf: AccumulateGrad, bar: Any, owned: bool = False) -> None:
    """Add a gradient to `.grad`, unless its Tensor requires none any more; the array behind it is the leaf's own."""
    if leaf.hooks is not None:
        bar = hooks.run_before(leaf, bar)
    variable = leaf.leaf()
    if variable is not None and variable.node is not leaf:
        return
    grad = leaf.grad
    if bar.__class__ is Tensor:
        leaf.grad = bar.clone() if grad is None else grad + bar  # a copy: later passes may add to it in place
    elif grad is None:
        leaf.grad = make(bar if owned else np.array(bar))
    elif grad.primal.__class__ is np.ndarray:
        grad.primal += bar
        if grad.node is not None:  # made with create_graph: another pass may have kept it
            writes.stamp(grad.primal)
    else:
        grad.primal = np.array(grad.primal + bar)
    if leaf.hooks is not None:
        hooks.run_post_accumulate(leaf)
        if hooks.runs_after(leaf):
            hooks.run_after(leaf, (), bar)


# Pulls that are recorded ------------------------------------------------------------------------------------


def pull_on_tensors(node: Node, bar: Any) -> tuple[Any, ...]:
    """The adjoints as Tensors: the same body, run on Tensors that know where the kept values came from."""
    if bar.__class__ is dict:
        assert isinstance(node, Whole)
        bar = node.filled(bar)
    if bar.__class__ is tuple:
        bar = tuple([b if b is None or b.__class__ is Tensor else make(b) for b in bar])
    kept = node.kept
    if kept is None:
        raise RuntimeError(FREED)
    edges = iter(node.edges)
    pull = node.pull
    if pull.entry is None:
        values: Any = (
            kept
            if not pull.active
            else [_revived(v, p, edges) for v, p in zip(kept, pull.active, strict=True)]
        )
    else:
        values = list(kept)
        for k, pattern in zip(pull.entry.wrt, pull.active, strict=True):
            values[k] = _revived(values[k], pattern, edges)
    z = node.z
    if z is not None:
        z = (
            record.rebuild(z, [part_of(node, k, part) for k, part in enumerate(z)])
            if isinstance(z, tuple | list)
            else make(z, node)
        )
    if pull.traced is None:
        pull.traced = substitute.traced(pull.body) if pull.entry is not None else pull.reverse
    return pull.traced(bar, z, tuple(values))  # type: ignore[no-any-return]


def _revived(value: Any, pattern: Any, edges: Any) -> Any:
    """A kept array as the Tensor that it was."""
    if isinstance(pattern, tuple):
        parts = value if value is not None else [None] * len(pattern)
        return [_revived(v, p, edges) for v, p in zip(parts, pattern, strict=True)]
    if not pattern:
        return value
    node = next(edges)
    return value if value is None or isinstance(value, Form | Node) else make(value, node)


def part_of(whole: Node, index: int, value: Any) -> Any:
    """A result of an operation with several, read again from its node."""
    if np.asarray(value).dtype.kind not in "fc":
        return value
    made = record.part(whole, index, np.asarray(value))
    made.node.order = whole.order + 0.5  # after its whole, before what uses it
    return made


# Errors -----------------------------------------------------------------------------------------------------


def _refuse_nan(node: Node, adjoints: tuple[Any, ...]) -> None:
    active = [k for k, flag in enumerate(node.pull.operands) if flag]
    for position, adjoint in zip(
        active, adjoints, strict=False
    ):  # of many operands a pull may name but those
        value = record.plain(adjoint)
        if isinstance(value, np.ndarray | np.generic) and np.isnan(value).any():
            place = node.location
            line = "" if place is None else f"\nThe operation was recorded at {place}:\n{place.quoted()}"
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {position}th output.{line}"
            )
