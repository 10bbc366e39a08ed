"""Tangents beside values, with the names of `torch.autograd.forward_ad`.

A dual Tensor has a node of its own, which holds the tangent. What is computed from it is recorded as ever, and the
tangent of a result is worked out when `unpack_dual` asks for it: from node to node, each one's push being the
transpose of its pull, or the `jvp` of a user's Function. So everything that has a pull has a tangent, and tangents
are themselves part of the graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adc.errors import UnsupportedError
from adc.tape.entry import Pull
from adc.tape.function import FunctionNode, FunctionWhole
from adc.tape.gradients import grad, on_tangents
from adc.tape.node import UNDEFINED, Dual, Node, Part, Whole, orders
from adc.tape.saved import save_on_cpu
from adc.tape.slicing import Need
from adc.tape.state import modes, within
from adc.tape.tensor import Tensor, make
from adc.tape.writes import check

from adc.tape.backward import fitted, pull_on_tensors, reachable  # isort: skip  # needs Tensor

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual Tensor."""

    primal: Tensor
    tangent: Tensor | None


class _Level:
    """What holds as long as tangents are propagated, in one thread."""

    def __init__(self) -> None:
        self.duals: weakref.WeakSet[Dual] = weakref.WeakSet()
        self.known: weakref.WeakKeyDictionary[Node, Any] = weakref.WeakKeyDictionary()
        self.recording = modes.enabled
        # A tangent is worked out after the values that it needs may have been written to: copies of them are kept.
        self.copies = save_on_cpu()

    def tangent(self, node: Node) -> Any:
        """The tangent of what a node made: of several results a list; None without one."""
        for each in sorted(reachable([node]), key=lambda n: n.order):
            if isinstance(each, Dual):
                self.known[each] = each.tangent
            elif each not in self.known:
                self.known[each] = _pushed(each, [self.known.get(edge) for edge in each.edges])
        return self.known[node]


def enter_dual_level() -> int:
    """Begin to propagate tangents, as `dual_level` does for a block. Raises `RuntimeError` inside another level."""
    if modes.level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    level = _Level()
    level.copies.__enter__()
    modes.level = level
    modes.enabled = True  # tangents are read off the record
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End it: no Tensor has a tangent any more. Raises `RuntimeError` outside a level."""
    if modes.level is None or level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created.")
    for node in modes.level.duals:
        node.tangent = None
    modes.level.copies.__exit__()
    modes.enabled, modes.level = modes.level.recording, None


@contextmanager
def dual_level() -> Iterator[int]:
    """Inside, Tensors may be given tangents, and what is computed from them has one.

    >>> from adc import tape
    >>> with dual_level():
    ...     x = make_dual(tape.tensor([1.0, 2.0]), tape.tensor([1.0, 0.0]))
    ...     unpack_dual(x * x).tangent
    tensor([2., 0.])
    """
    level = enter_dual_level()
    try:
        yield level
    finally:
        exit_dual_level(level=level)


def _has_tangent(tensor: Tensor) -> bool:
    return (
        tensor.node is not None and modes.level is not None and modes.level.tangent(tensor.node) is not None
    )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A Tensor in the memory of another, with a tangent of its shape and dtype.

    Raises `RuntimeError` outside a level, for a tangent of another form and for what has a tangent, `ValueError` for
    integers.
    """
    if modes.level is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, enter_dual_level() first."
        )
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if t.dtype.kind not in "fc":
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")
    if tangent.shape != tensor.shape:
        raise RuntimeError(
            f"Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    if tangent.dtype != tensor.dtype:
        raise RuntimeError(
            f"Trying to set a forward gradient that has a different dtype than that of the original Tensor: "
            f"{tangent.dtype} beside {tensor.dtype}."
        )
    if _has_tangent(tensor):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if _has_tangent(tangent):
        raise RuntimeError(
            "Setting a forward gradient that itself has a forward gradient at the same level 0 is not supported."
        )
    node = Dual()
    node.pull, node.edges, node.kept, node.z = _SAME, () if tensor.node is None else (tensor.node,), (), None
    node.shape, node.dtype, node.order, node.hooks = tensor.shape, tensor.dtype, next(orders), None
    node.code, node.lasti, node.tangent = None, 0, tangent
    Dual.made = True
    modes.level.duals.add(node)
    return make(tensor.primal, node)


_SAME = Pull("AliasBackward", lambda bar, _, __: (bar,), (Need.NOTHING,), False, (True,))


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value and the tangent of a Tensor; None where it has no tangent, as outside a level.

    Raises what `backward` raises for values that were written to since they were kept.
    """
    if modes.level is None or tensor.node is None:
        return UnpackedDualTensor(tensor, None)
    dot = modes.level.tangent(tensor.node)
    if dot is None:
        return UnpackedDualTensor(tensor, None)
    node = tensor.node
    # The value alone: what a dual was made of, or the same memory in the graph that led here.
    primal = make(tensor.primal, (node.edges[0] if node.edges else None) if isinstance(node, Dual) else node)
    if not primal.requires_grad:
        primal = tensor.detach()
    return UnpackedDualTensor(primal, dot if dot.requires_grad or isinstance(node, Dual) else dot.detach())


def _pushed(node: Node, dots: list[Any]) -> Any:
    if all(dot is None for dot in dots):
        return None
    if isinstance(node, Part):
        return dots[0][node.index]
    check(node)
    if isinstance(node, FunctionNode | FunctionWhole) and node.has_jvp:
        return node.push(dots)
    with within({"enabled": True, "plain": True}), np.errstate(all="ignore"):
        shapes, dtypes = (node.shape, node.dtype) if isinstance(node, Whole) else ([node.shape], [node.dtype])
        # Ones, not zeros: a zero adjoint drops infinite partials, which must show in a tangent.
        bars = [
            make(np.ones(s, d)).requires_grad_() if d.kind in "fc" else None
            for s, d in zip(shapes, dtypes, strict=True)
        ]
        adjoints = pull_on_tensors(node, tuple(bars) if isinstance(node, Whole) else bars[0])
        pairs = [
            (_adjoint(bar, edge, node), dot)
            for bar, edge, dot in zip(adjoints, node.edges, dots, strict=True)
            if dot is not None and bar is not UNDEFINED
        ]
        pairs = [(bar, dot) for bar, dot in pairs if bar.node is not None]
        sources = [bar for bar in bars if bar is not None]
        found: Sequence[Any] = [None] * len(sources)
        if pairs:
            found = grad(
                [b for b, _ in pairs], sources, [d for _, d in pairs], create_graph=True, allow_unused=True
            )
    pushed = iter(found)
    results = [None if bar is None else _filled(next(pushed), bar) for bar in bars]
    return results if isinstance(node, Whole) else results[0]


def _adjoint(bar: Any, edge: Node, node: Node) -> Tensor:
    if bar is None:
        raise UnsupportedError(
            f"adc has no derivative of {node.name()} with respect to an operand", node.location
        )
    found = fitted(bar if bar.__class__ is Tensor or isinstance(bar, tuple | list) else np.asarray(bar), edge)
    return found if found.__class__ is Tensor else make(found)


def _filled(dot: Tensor | None, like: Tensor) -> Tensor:
    return make(np.zeros(like.shape, like.dtype)) if dot is None else dot


def _kept_tangent(gradient: Tensor) -> Tensor:
    """A gradient without the graph behind it, which is to have its tangent all the same."""
    dot = None if gradient.node is None else modes.level.tangent(gradient.node)
    plain = gradient.detach()
    return plain if dot is None else make_dual(plain, dot.detach())


on_tangents.append(_kept_tangent)
