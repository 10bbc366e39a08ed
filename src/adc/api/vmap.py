"""`vmap`: a function of one example becomes a function of a batch, with the loop in compiled code."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, overload

import numpy as np

from adc import pytree, tape
from adc.api import taped
from adc.api.composite import Composite
from adc.api.functions import location
from adc.api.how import How, how
from adc.api.text import Text
from adc.api.typed import Decorator, Transform
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import batch
from adc.config import Mode
from adc.errors import ArgumentError, ShapeError
from adc.rules.registry import static
from adc.tape.backward import reachable

__all__ = ["vmap"]

P = ParamSpec("P")


class Batched(Composite):
    """A function applied to each element of its arguments."""

    label = "vmap"
    what = "Batches"

    def __init__(
        self,
        function: Callable[..., Any],
        in_axes: Any,
        out_axes: Any,
        asked: How,
        parallel: bool = False,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        self.in_axes = in_axes
        self.shared = shared  # keyword arguments that the call leaves out
        self.parallel = parallel
        self.out_axes = out_axes
        self._forms: dict[tuple[Any, ...], Batched] = {}
        super().__init__(function, (), value=True, has_aux=False, asked=asked)

    def _arguments(self) -> tuple[Any, ...]:
        return self._given, self.in_axes, self.out_axes, self._how, self.parallel, self.shared

    def _made_with(self) -> tuple[Any, ...] | None:
        return self._arguments()[1:] if _is_printed(self.in_axes) and _is_printed(self.out_axes) else None

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call means inside a function that is being compiled."""
        axes = self._axes(args)
        return batch.mapped(ev, self._given, args, kwargs, axes, self.out_axes, shared=self.shared)

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        axes = self._all_axes(args)
        return batch.mapped(ev, self._function, args, kwargs, axes, self.out_axes, shared=self.shared)

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> Text:
        """The text generated for arguments like these; see `adc.source`."""
        form = self._form(args, kwargs) if args or kwargs else self
        return super(Batched, form).source(*args, stage=stage, **kwargs)

    def _form(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Batched:
        """The transform with an axis for each parameter, where a call leaves some out or gives them by name.

        What is given by name runs along its first axis; a default, and what a partial has fixed, along none.
        """
        key = (len(args), *kwargs)
        known = self._forms.get(key)
        if known is not None:
            return known
        names = self._parameters.layout.names[self._hidden : self._parameters.layout.positional]
        parameters = self._parameters.signature.parameters.values()
        fixed = {*self._fixed_kwargs, *(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)}
        shared = self.shared | {name for name in fixed if name not in kwargs}
        given = self._given
        if isinstance(given, Batched):  # it is handed the defaults, too
            given = given._form(args, kwargs)
        axes = self.in_axes
        if not self._parameters.variadic and self._hidden == len(self._fixed_args) and len(args) < len(names):
            left = [0 if name in kwargs and name not in shared else None for name in names[len(args) :]]
            axes = (*self._axes(args), *left)
        found = self
        if axes is not self.in_axes or shared != self.shared or given is not self._given:
            found = Batched(given, axes, self.out_axes, self._how, self.parallel, shared)
        self._forms[key] = found
        return found

    def primal(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any]) -> Any:
        axes = self._all_axes(args)
        return batch.mapped(
            ev, self._function, args, kwargs, axes, self.out_axes, shared=self.shared, in_place=True
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        form = self._form(args, kwargs)
        found = self._of_form(form, args, kwargs)
        self._ran = form.mode
        return found

    def _of_form(self, form: Batched, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run = super(Batched, form).__call__
        if (
            len(args) == 1
            and not kwargs
            and args[0].__class__ is np.ndarray
            and args[0].ndim
            and self.in_axes == 0
            and not self.parallel
        ):
            return run(*args)  # one batch: there are no lengths to compare
        if isinstance(self.in_axes, (tuple, list)) and len(self.in_axes) < len(args):
            raise ArgumentError(
                f"in_axes has {len(self.in_axes)} entries, and the call {len(args)} arguments",
                repair="Give one entry per argument; None for those that are the same for all.",
            )
        leaves = pytree.leaves(tuple(args))
        axes = _spread(self._axes(args), tuple(args))
        for k, (leaf, axis) in enumerate(zip(leaves, axes, strict=True)):
            if axis is not None and not -np.ndim(leaf) <= axis < np.ndim(leaf):
                layout, values, wanted, key = self._bound(args, kwargs)
                self._read(layout, values, wanted, key, []).slots()  # what is no argument has no axes, either
                many = f"{np.ndim(leaf) or 'no'} {'axis' if np.ndim(leaf) == 1 else 'axes'}"
                raise ArgumentError(
                    f"vmap is to run over axis {axis} of `{self._paths(args)[k]}`, which has {many}",
                    location(self._of_users),
                    repair="Give in_axes=None for arguments that are the same for all.",
                )
        lengths = _lengths(zip(leaves, axes, strict=True))
        if self.parallel and len(lengths) == 1 and not taped.carries_tensors((args, kwargs)):
            return self._in_threads(form, lengths.pop(), leaves, axes, args, kwargs)
        return run(*args, **kwargs)

    def _paths(self, args: Sequence[Any]) -> list[str]:
        """The leaves of positional arguments as the user would write them."""
        names = () if self._parameters.variadic else self._parameters.layout.names[self._hidden :]
        return [
            f"{names[k] if k < len(names) else f'args[{k}]'}{path}"
            for k, value in enumerate(args)
            for path, _ in pytree.flatten_with_paths(value)[0]
        ]

    def _in_threads(
        self,
        form: Batched,
        length: int,
        leaves: list[Any],
        axes: list[int | None],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The batch in as many pieces as there are threads; compiled code runs without the interpreter's lock."""
        from numba import get_num_threads

        # Two elements at least: a batch of one is a kind of arguments of its own.
        count = max(1, min(get_num_threads(), length // 2))
        bounds = [length * k // count for k in range(count + 1)]
        structure = pytree.flatten(tuple(args))[1]

        def piece(k: int) -> Any:
            part = slice(bounds[k], bounds[k + 1])
            mine = [
                x if axis is None else x[(slice(None),) * (axis % np.ndim(x)) + (part,)]
                for x, axis in zip(leaves, axes, strict=True)
            ]
            named = pytree.map_structure(lambda x: x[part], kwargs)
            return super(Batched, form).__call__(*pytree.unflatten(structure, mine), **named)

        first = piece(0) if count == 1 or not form._specialisations else None
        if count == 1:
            return first
        begin = 0 if first is None else 1  # the first call compiles: once, before there are threads
        with ThreadPoolExecutor(count - begin) as pool:
            parts = [*([] if first is None else [first]), *pool.map(piece, range(begin, count))]
        columns = list(zip(*(pytree.leaves(part) for part in parts), strict=True))
        ends = _spread(self.out_axes, parts[0])
        joined = [
            c[0] if a is None else np.concatenate(c, axis=a) for c, a in zip(columns, ends, strict=True)
        ]
        return pytree.unflatten(pytree.flatten(parts[0])[1], joined)

    def _axes(self, args: Sequence[Any]) -> list[Any]:
        """One entry of in_axes per positional argument."""
        if self.in_axes is None or isinstance(self.in_axes, int):
            return [self.in_axes] * len(args)
        axes = list(self.in_axes)
        while len(axes) > len(args) and axes[-1] is None:  # left out, or given by name
            axes.pop()
        if len(axes) > len(args):
            raise ArgumentError(
                f"in_axes has {len(axes)} entries, and the call {len(args)} arguments",
                repair="Give one entry per argument.",
            )
        return [*axes, *[None] * (len(args) - len(axes))]  # defaults that the caller left out

    def _all_axes(self, args: Sequence[Any]) -> list[Any]:
        """The same for the arguments of the function itself, some of which may be fixed (a partial, a method)."""
        fixed = len(self._fixed_args)
        return [*[None] * fixed, *self._axes(args[fixed:])]

    def _plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.on_tape(args, kwargs, [])

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        leaves, structure = pytree.flatten(tuple(args))
        axes = _spread(self._all_axes(args), tuple(args))
        fixed = {name: value for name, value in kwargs.items() if name in self.shared}
        kwargs = {name: value for name, value in kwargs.items() if name not in self.shared}
        lengths = {np.shape(x)[a] for x, a in zip(leaves, axes, strict=True) if a is not None}
        if not all(np.ndim(x) for x in pytree.leaves(kwargs)):
            raise ArgumentError(
                "vmap maps over a number", why="Keyword arguments run along their first axis."
            )
        lengths |= {np.shape(x)[0] for x in pytree.leaves(kwargs)}
        if not lengths:
            raise ArgumentError(
                "vmap has no argument to map over",
                why="`in_axes` is None for all of them.",
                repair="Give at least one argument an axis.",
            )
        if len(lengths) != 1:
            raise ArgumentError(
                f"vmap needs batches of one length, and got {sorted(lengths)}",
                repair="Give arrays of one length along in_axes.",
            )
        length = lengths.pop()
        if length == 0:
            leaves = [x if a is None else _one_row(x, a) for x, a in zip(leaves, axes, strict=True)]
            kwargs = pytree.map_structure(lambda x: _one_row(x, 0), kwargs)
        rows = []
        for k in range(max(length, 1)):
            items = [x if a is None else np.moveaxis(x, a, 0)[k] for x, a in zip(leaves, axes, strict=True)]
            mine = [x for x, a in zip(items, axes, strict=True) if a is not None]
            named = pytree.map_structure(lambda x, k=k: x[k], kwargs)
            rows.append(
                taped.on_copies(self._function, pytree.unflatten(structure, items), {**named, **fixed})
            )
        ends = _spread(self.out_axes, rows[0])
        for result, axis in zip(pytree.leaves(rows[0]), ends, strict=True):
            if axis is not None and not -np.ndim(result) - 1 <= axis <= np.ndim(result):
                raise ArgumentError(
                    f"vmap stacks along axis {axis} of results with {np.ndim(result)} axes",
                    location(self._of_users),
                    repair="Give out_axes between 0 and that.",
                )
        columns = list(zip(*(pytree.leaves(row) for row in rows), strict=True))
        for column, axis in zip(columns, ends, strict=True):
            if axis is None and not _same_for_all(column, mine):
                raise ArgumentError(
                    "out_axes is None for a result that differs from element to element",
                    why="None is for results that are the same for all.",
                    repair="Give it an axis.",
                )
        stacked = [
            c[0] if a is None else np.stack(c, axis=a) if length else _no_rows(c[0], a)
            for c, a in zip(columns, ends, strict=True)
        ]
        return pytree.unflatten(pytree.flatten(rows[0])[1], stacked)


def _one_row(batch: Any, axis: int) -> np.ndarray[Any, Any]:
    """What an empty batch is run for in its place, as only a run tells of which form the results are."""
    shape = list(np.shape(batch))
    shape[axis] = 1
    return np.ones(shape, batch.dtype)


def _no_rows(result: Any, axis: int) -> np.ndarray[Any, Any]:
    """The results of an empty batch, from that for one row."""
    shape = list(np.shape(result))
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 0)
    return np.zeros(shape, getattr(result, "dtype", type(result)))


def _same_for_all(column: Sequence[Any], element: Sequence[Any]) -> bool:
    """Whether the results of all elements are one; `element` is what the last of them was made of.

    Where derivatives pass, it must not come from the element, whose derivative it would be.
    """
    last = column[-1]
    if isinstance(last, tape.Tensor) and last.node is not None:
        nodes = {x.node for x in element if isinstance(x, tape.Tensor)}
        if not nodes.isdisjoint(reachable([last.node])):
            return False
    values = [x.primal if isinstance(x, tape.Tensor) else x for x in column]
    return all(x is values[0] or np.array_equal(x, values[0]) for x in values)


def _lengths(leaves: Iterable[tuple[Any, int | None]]) -> set[int]:
    """The length of all batches. Raises ShapeError for several; what has no such axis is refused by the compiler."""
    lengths = {np.shape(x)[a] for x, a in leaves if a is not None and -np.ndim(x) <= a < np.ndim(x)}
    if len(lengths) > 1:
        raise ShapeError(
            f"vmap is given batches of the lengths {', '.join(map(str, sorted(lengths)))}",
            repair="Give arrays of one length along in_axes.",
        )
    return lengths


def _is_printed(axes: Any) -> bool:
    """Whether axes are told from others by how they are printed."""
    if type(axes) is dict:
        return all(type(key) in (int, str) and _is_printed(axis) for key, axis in axes.items())
    if type(axes) in (tuple, list):
        return all(map(_is_printed, axes))
    return axes is None or type(axes) is int


def _spread(axes: Any, tree: Any) -> list[int | None]:
    """An axis for each leaf; `axes` may stop above the leaves."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(pytree.leaves(tree))
    parts, values = _parts(axes), _parts(tree)
    if parts is None or values is None or parts.keys() != values.keys():
        raise ArgumentError(
            f"the axes {axes!r} do not fit the structure of the values",
            repair="Give an int or None, or a container like that of the values.",
        )
    return [a for key, part in values.items() for a in _spread(parts[key], part)]


def _parts(tree: Any) -> dict[Any, Any] | None:
    """What a container holds, in the order of its leaves; None for what has no axes of its own."""
    if isinstance(tree, dict):
        return {key: tree[key] for key in sorted(tree)}
    if isinstance(tree, (tuple, list)):
        return dict(enumerate(tree))
    if not dataclasses.is_dataclass(tree) or pytree.is_leaf(tree):
        return None
    return {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}


@overload
def vmap(
    function: Callable[P, Any],
    in_axes: Any = ...,
    out_axes: Any = ...,
    *,
    parallel: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> Transform[P, Any]: ...
@overload
def vmap(
    function: None = ...,
    in_axes: Any = ...,
    out_axes: Any = ...,
    *,
    parallel: bool = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
) -> Decorator: ...
@static
def vmap(
    function: Callable[..., Any] | None = None,
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    parallel: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """Apply a function to each element of a batch: one compiled loop.

    Args:
        function: any function that adc compiles, derivatives made by adc among them.
        in_axes: the axis of each positional argument that runs over the batch, or None for an argument that is the
            same for all; an int for all arguments, or one entry per argument (an int, None, or a container like the
            argument). Keyword arguments run along their first axis.
        out_axes: where that axis is in the results; None for results that are the same for all.
        parallel: cut the batch into pieces and run them on all cores (as many threads as `numba.set_num_threads` says).
            Worth it where a call takes a millisecond or more. Inside another compiled function the loop stays
            sequential.
        mode, strict: as for `grad`.

    Returns a callable with the function's signature. `vmap(grad(loss), in_axes=(None, 0, 0))` gives per-example
    gradients. The function may use Python's control flow: each element takes its own branches, and writes to copies of
    its arguments.

    Raises ValueError for batches of different lengths, `UnsupportedError` for axes that do not fit and for results
    whose shape differs from element to element.

    >>> import numpy as np
    >>> vmap(lambda x, y: x @ y, in_axes=(0, None))(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """

    if not (in_axes is None or isinstance(in_axes, int | tuple | list)):
        raise ArgumentError(
            f"in_axes={in_axes!r} is no axis",
            repair="Give an int, None, or a tuple with one entry per argument.",
        )

    asked = how(mode, strict)

    def decorate(f: Callable[..., Any]) -> Batched:
        return Batched(f, in_axes, out_axes, asked, parallel)

    return decorate if function is None else decorate(function)
