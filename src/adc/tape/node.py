"""A node is one recorded operation: its pull, the nodes that the adjoints go to, and what the pull reads.

Nodes point at nodes, never at Tensors, so an intermediate array lives only as long as a pull needs it.
"""

from __future__ import annotations

import itertools
import linecache
import math
import os
import sys
import sysconfig
import types
from collections.abc import Callable
from typing import Any
from weakref import ReferenceType

import numpy as np

from adc.errors import Location

# Every record and every in-place write takes the next number. Operands are recorded before their results, so
# decreasing order is a reverse topological order; a kept value is stale when it was written to after its
# node.
orders = itertools.count(1)

# The adjoint that a hook or a user's `backward` gives as None: nothing goes further.
UNDEFINED = object()

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph "
    "a second time or if you need to access saved tensors after calling backward."
)


class Node:
    """One recorded operation; what `tensor.grad_fn` shows."""

    __slots__ = (
        "__weakref__",
        "code",
        "dtype",
        "edges",
        "hooks",
        "kept",
        "lasti",
        "order",
        "pull",
        "shape",
        "z",
    )

    pull: Any  # adc.tape.entry.Pull, or what has its attributes
    edges: tuple[Node, ...]  # one per adjoint that the pull returns
    kept: tuple[Any, ...] | None  # one per parameter of the rule; None once freed
    z: Any  # the result, if the pull reads it
    shape: tuple[int, ...]
    dtype: Any
    order: int
    code: types.CodeType | None  # where the operation was called; turned into a line only when asked for
    lasti: int
    hooks: list[Any] | None

    def name(self) -> str:
        """The name of the operation: `MulBackward`, `PowBackward`, ..."""
        return str(self.pull.name)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each differentiable operand its node and which of its results it is; (None, 0) without a gradient."""
        edges = iter(self.edges)
        return tuple(next(edges).as_edge() if active else (None, 0) for active in self.pull.operands)

    def as_edge(self) -> tuple[Node, int]:
        """The node that a user sees in place of this one, and which of its results this is."""
        return self, 0

    def __call__(self, *grad_outputs: Any) -> Any:
        """The adjoints of the operands for those of the results: this node alone, without its hooks.

        >>> from adc import tape
        >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * 3).grad_fn(tape.tensor([1.0, 1.0]))
        (tensor([3., 3.]), None)
        """
        from adc.tape import called  # builds Tensors

        return called.call(self, grad_outputs)

    def _sequence_nr(self) -> int:
        """Where in the order of records this node stands; PyTorch's name of it."""
        return int(self.order)

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(grad_outputs)` before this node's pull; what it returns replaces them."""
        return _hooks().register_on_node(self, hook, before=True)

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(grad_inputs, grad_outputs)` after this node's pull; what it returns replaces the former."""
        return _hooks().register_on_node(self, hook, before=False)

    @property
    def ndim(self) -> int:
        """The number of axes of the result: with shape, dtype and size all that some pulls ask of an operand."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the result."""
        return math.prod(self.shape)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict for the user's own notes on this node."""
        return _hooks().metadata(self)  # type: ignore[no-any-return]

    @property
    def location(self) -> Location | None:
        """The user's line that recorded the operation."""
        return locate(self.code, self.lasti)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def _kept(name: str) -> Any:
    """A property for what a node keeps, by PyTorch's name of it."""

    def read(node: Node) -> Any:
        from adc.tape import saved  # builds Tensors

        return saved.attribute(node, name)

    return property(read)


# Not by __getattr__: a class that has it is slower in every attribute.
for _name in ("self", "other", "exponent", "result"):
    setattr(Node, f"_saved_{_name}", _kept(f"_saved_{_name}"))
    setattr(Node, f"_raw_saved_{_name}", _kept(f"_raw_saved_{_name}"))


def _hooks() -> Any:
    from adc.tape import hooks  # builds Tensors, which build on this module

    return hooks


class AccumulateGrad(Node):
    """The end of a path: a Tensor made by the user. Its adjoint is added to `.grad`."""

    __slots__ = ("grad", "leaf")

    grad: Any  # the Tensor behind `leaf.grad`
    leaf: ReferenceType[Any]  # weak, for the leaf holds this node

    @property
    def variable(self) -> Any:
        """The Tensor whose gradient collects here; None when it is gone."""
        return self.leaf()

    def name(self) -> str:
        return "AccumulateGrad"

    def _sequence_nr(self) -> int:
        return 2**64 - 1  # PyTorch's, which so takes them first

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return ()


class Dual(Node):
    """A Tensor that was given a tangent (adc.tape.forward_ad); without edges nothing behind it requires a gradient."""

    __slots__ = ("tangent",)

    made = False  # whether there was one ever: most programs have none
    tangent: Any


def leads_on(node: Node) -> bool:
    """Whether anything behind a node requires a gradient: it may come from Tensors that have but a tangent."""
    seen = {node}
    waiting = [node]
    for each in waiting:  # grows as it is read
        if not each.edges and each.__class__ is not Dual:
            return True
        new = [edge for edge in each.edges if edge not in seen]
        seen.update(new)
        waiting += new
    return False


class Part(Node):
    """One result of an operation with several: its adjoint waits in the whole's until all have come."""

    __slots__ = ("index",)

    index: int

    def name(self) -> str:
        return self.edges[0].name()

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return self.edges[0].next_functions

    def as_edge(self) -> tuple[Node, int]:
        return self.edges[0], self.index


class IndexNode(Node):
    """Reading or writing elements: a first-order pass works in place on one buffer per array."""

    __slots__ = ()


class Whole(Node):
    """An operation with several results: its adjoint is a tuple, its shape and dtype are."""

    __slots__ = ()

    def filled(self, bars: dict[int, Any]) -> tuple[Any, ...]:
        """The adjoints of all results, zeros for those that nothing came from."""
        return tuple(
            [
                bars[k] if k in bars else np.zeros(shape, dtype)
                for k, (shape, dtype) in enumerate(zip(self.shape, self.dtype, strict=True))
            ]
        )


_PYTHONS = os.path.join(sysconfig.get_path("stdlib"), "")
_INSTALLED = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("purelib", "platlib"))
_OWN = ("adc.", "numpy.", "scipy.", "contextlib", "functools")


def is_own(module: str, file: str) -> bool:
    """Whether code is adc's or a library's rather than the user's; what is typed in a docstring is the user's."""
    return module.startswith(_OWN) and not file.startswith("<doctest")


def _is_no_users(module: str, file: str) -> bool:
    """Whether code is adc's, a library's or Python's own, so that the line to name is that of its caller."""
    return (file.startswith(_PYTHONS) and not file.startswith(_INSTALLED)) or is_own(module, file)


_own_files: dict[str, bool] = {}
is_users_file: dict[str, bool] = {}  # of those that code was seen of


def user_frame() -> types.FrameType | None:
    """The innermost frame that is neither adc's nor NumPy's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        own = _own_files.get(file)
        if own is None:
            own = _is_no_users(str(frame.f_globals.get("__name__", "")), file)
            if not file.startswith("<"):  # `<string>` may be anyone's
                _own_files[file] = own
                is_users_file[file] = not own
        if not own:
            break
        frame = frame.f_back
    return frame


def here() -> Location | None:
    """The user's line that is running."""
    frame = user_frame()
    return None if frame is None else locate(frame.f_code, frame.f_lasti)


def raised_at(error: BaseException) -> Location | None:
    """The user's line that raised an error."""
    found, trace = None, error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if not _is_no_users(str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename):
            found = trace
        trace = trace.tb_next
    # Not f_lasti: the frame has run on since, through a `finally` or the end of a comprehension.
    return None if found is None else locate(found.tb_frame.f_code, found.tb_lasti)


def locate(code: types.CodeType | None, lasti: int) -> Location | None:
    """The place in the source that an instruction comes from."""
    if code is None:
        return None
    line, column, end = code.co_firstlineno, 0, None
    if sys.version_info >= (3, 11):
        first, last, start, stop = next(itertools.islice(code.co_positions(), lasti // 2, None))
        line, column = first or line, start or 0
        end = stop if last == first else None
        # The interpreter counts bytes of the UTF-8 text; an error counts characters.
        encoded = linecache.getline(code.co_filename, line).encode()
        column = len(encoded[:column].decode(errors="replace"))
        end = None if end is None else len(encoded[:end].decode(errors="replace"))
    else:
        for begin, stop, number in code.co_lines():
            if begin <= lasti < stop:
                line = number or line
    text = linecache.getline(code.co_filename, line).rstrip("\n")
    if sys.version_info < (3, 11):
        column = len(text) - len(text.lstrip())
    return Location(code.co_filename, line, column, end, text)
