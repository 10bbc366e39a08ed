"""A plain NumPy function is differentiated by running it on Tensors: the entry points of `mode="tape"`.

Arguments are nested containers of arrays and floats; results have the types that the plain function would
give: Python floats for Python floats, the arrays' own dtype for arrays. The caller's arrays are never written
to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import (
    ArgumentError,
    GraphCutError,
    ResultError,
    ShapeError,
    UnsupportedError,
)
from adc.rules import registry
from adc.runtime.copies import copied_together
from adc.runtime.garbage import collected_seldom
from adc.tape import constant_writes, gradients, operators, record, unknown_to
from adc.tape.backward import propagate, reachable
from adc.tape.beyond import read_by
from adc.tape.given_twice import Twice
from adc.tape.lent import Lent
from adc.tape.node import Node, orders, raised_at
from adc.tape.outside import own_kept
from adc.tape.plain_types import INPUT, NUMBER
from adc.tape.state import modes, plain_numpy
from adc.tape.substitute import traced
from adc.tape.tensor import Tensor, make

Key = int | str  # an argument by position or by name

# Inputs of runs that no derivative around them waits for, where their pull or push became part of another's record.
_over: weakref.WeakSet[Node] = weakref.WeakSet()


@dataclass
class Traced:
    """A function run on Tensors: its inputs and its result."""

    originals: list[Any]  # the leaves of the differentiated arguments, as the caller gave them
    inputs: list[Node | None]  # the nodes that stood for them; None for leaves that carry no derivative
    structures: list[pytree.Structure]  # of the differentiated arguments
    result: Any
    nested: bool  # the arguments are themselves being differentiated

    def gradients(self, bars: Sequence[Any], single: bool) -> Any:
        """The adjoints of the inputs in the form of the arguments."""
        values = iter([_as_given(original, bar) for original, bar in zip(self.originals, bars, strict=True)])
        trees = [pytree.unflatten(s, [next(values) for _ in range(s.size)]) for s in self.structures]
        return trees[0] if single else tuple(trees)


def value_and_grad(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    argnums: Key | Sequence[Key] = 0,
    has_aux: bool = False,
    of_one_element: bool = False,
) -> tuple[Any, Any]:
    """The value of a function and its gradient with respect to the arguments `argnums`.

    The function returns a real number, or with `has_aux` a pair of one and anything else. A single `argnums`
    gives a single gradient, a sequence a tuple of them, each in the form of its argument. With `has_aux` the
    value is the pair. `of_one_element` takes the number in an array, too. Raises `ResultError` when the result
    is not a number, `ArgumentError` for integers.

    >>> value_and_grad(lambda x: np.sum(x * x), (np.array([1.0, 2.0]),))
    (5.0, array([2., 4.]))
    """
    single = isinstance(argnums, int | str)
    run = _run(function, args, kwargs or {}, [argnums] if single else list(argnums))  # type: ignore[list-item, arg-type]
    result, aux = _pair(run.result) if has_aux else (run.result, None)
    if of_one_element:
        result = only_element(result)
    _require_number(result)
    bars = _pulled(run, [result], None, keep=run.nested)
    value = result if run.nested else _plain_value(result)
    if has_aux:
        return (value, aux if run.nested else _plain_tree(aux)), run.gradients(bars, single)
    return value, run.gradients(bars, single)


def vjp(
    function: Callable[..., Any],
    *args: Any,
    kwargs: dict[str, Any] | None = None,
    argnums: Sequence[Key] | None = None,
    has_aux: bool = False,
) -> Any:
    """The result of a function and its pull, from an adjoint of the result to those of the arguments.

    The pull may be called any number of times and returns a tuple, one gradient per argument. With `has_aux`
    the function returns a pair, of which the second part carries no derivative and is returned third. Arguments are
    copied, and so is what the pull needs of arrays from outside the function: what is written to them later, or to what
    is returned, does not change the pull.

    >>> y, pull = vjp(lambda x: 3.0 * x, np.array([1.0, 2.0]))
    >>> pull(np.ones(2))
    (array([3., 3.]),)
    """
    leaves, structure = pytree.flatten((list(args), kwargs or {}), attributes=True)
    args, kwargs = pytree.unflatten(structure, copied_together(leaves))
    run = _run(function, args, kwargs or {}, list(range(len(args))) if argnums is None else list(argnums))
    if not run.nested:
        own_kept(reachable(_nodes(run.result)))
    value, pull, *aux = _pulling(run, has_aux)
    return _own_tree(value), pull, *map(_own_tree, aux)


def vjp_of_lent(
    function: Callable[..., Any],
    *args: Any,
    kwargs: dict[str, Any] | None = None,
    argnums: Sequence[Key] | None = None,
    has_aux: bool = False,
) -> Any:
    """`vjp` without copies: for a pull that is done with before anyone writes to the arguments or the results."""
    run = _run(function, args, kwargs or {}, list(range(len(args))) if argnums is None else list(argnums))
    return _pulling(run, has_aux)


@contextlib.contextmanager
def noting(inputs: list[weakref.ref[Node]]) -> Iterator[None]:
    """Note in `inputs` the nodes that stand for the arguments of the functions that are run within.

    Not of those that are part of a derivative around them.
    """
    before, modes.noted = modes.noted, inputs
    try:
        yield
    finally:
        modes.noted = before


def _pulling(run: Traced, has_aux: bool) -> Any:
    """What `vjp` returns of a run."""
    result, aux = _pair(run.result) if has_aux else (run.result, None)
    outputs, structure = pytree.flatten(result)

    def pull(bar: Any) -> Any:
        bars, its_structure = pytree.flatten(bar)
        if its_structure != structure:
            raise ArgumentError(f"the adjoint has the structure {its_structure}, the result {structure}")
        fitted = [_like(b, y) for b, y in zip(bars, outputs, strict=True)]
        if not run.nested and _any_recorded(fitted):
            _over.update(node for node in run.inputs if node is not None)
        return run.gradients(_pulled(run, outputs, fitted, keep=True), single=False)

    value, aux = (result, aux) if run.nested else (_plain_tree(result), _plain_tree(aux))
    return (value, pull, aux) if has_aux else (value, pull)


def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    has_aux: bool = False,
    argnums: Sequence[Key] | None = None,
) -> Any:
    """The result of a function and its tangent along `tangents`, one for each argument in `argnums` (all).

    The pull is linear in the adjoint; its own transpose is the push, so two reverse sweeps give it for every
    operation that has a pull.

    >>> jvp(lambda x: x * x, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    keys = list(range(len(primals))) if argnums is None else list(argnums)
    run = _run(function, primals, kwargs or {}, keys)  # type: ignore[arg-type]
    value, push, *aux = _pushing(run, has_aux)
    return value, push(tangents), *aux


def linearize(
    function: Callable[..., Any],
    *args: Any,
    kwargs: dict[str, Any] | None = None,
    argnums: Sequence[Key] | None = None,
    has_aux: bool = False,
) -> Any:
    """The result of a function and its push, from tangents of the arguments to that of the result: `jvp` in two parts.

    >>> y, push = linearize(lambda x: x * x, 3.0)
    >>> y, push((1.0,)), push((2.0,))
    (9.0, 6.0, 12.0)
    """
    leaves, structure = pytree.flatten((list(args), kwargs or {}), attributes=True)
    args, kwargs = pytree.unflatten(structure, copied_together(leaves))
    run = _run(function, args, kwargs or {}, list(range(len(args))) if argnums is None else list(argnums))
    if not run.nested:
        own_kept(reachable(_nodes(run.result)))
    value, push, *aux = _pushing(run, has_aux)
    return _own_tree(value), push, *map(_own_tree, aux)


def _pushing(run: Traced, has_aux: bool) -> Any:
    """What `linearize` returns of a run."""
    result, aux = _pair(run.result) if has_aux else (run.result, None)
    outputs, structure = pytree.flatten(result)
    # Ones, not zeros: a zero adjoint drops infinite partials, which must show in a tangent.
    dummies = [make(np.ones(y.shape, y.dtype)).requires_grad_() if _is_recorded(y) else None for y in outputs]
    bars = _pulled(run, outputs, dummies, keep=True, create_graph=True)
    sources = [d for d in dummies if d is not None]

    def push(tangents: Sequence[Any]) -> Any:
        if len(tangents) != len(run.structures):
            raise ArgumentError(f"{len(tangents)} tangents are given for {len(run.structures)} arguments")
        dots = [
            dot
            for tangent, s in zip(tangents, run.structures, strict=True)
            for dot in _leaves_like(tangent, s)
        ]
        nested = run.nested or _any_recorded(dots)
        if nested and not run.nested:
            _over.update(node for node in run.inputs if node is not None)
        paired = [
            (bar, dot)
            for bar, dot in zip(bars, dots, strict=True)
            if bar.__class__ is Tensor and bar.node is not None and dot is not None
        ]
        pushed: list[Any] = [None] * len(sources)
        if paired:
            pushed = list(
                gradients.grad(
                    [bar for bar, _ in paired],
                    sources,
                    [_like(dot, bar, "tangent", "argument") for bar, dot in paired],
                    retain_graph=True,
                    create_graph=nested,
                    allow_unused=True,
                )
            )
        answers = iter(pushed)
        result_dots = [
            _tangent_of(y, next(answers) if d is not None else None)
            for y, d in zip(outputs, dummies, strict=True)
        ]
        return pytree.unflatten(structure, result_dots if nested else [_as_value(d) for d in result_dots])

    value, aux = (result, aux) if run.nested else (_plain_tree(result), _plain_tree(aux))
    return (value, push, aux) if has_aux else (value, push)


# Running ----------------------------------------------------------------------------------------------------


def _run(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], keys: list[Key]
) -> Traced:
    """Run the function on Tensors: the chosen arguments recorded, other arrays as constants."""
    arguments: dict[Key, Any] = dict(enumerate(args))
    arguments.update(kwargs)
    places = [k + len(args) if isinstance(k, int) and k < 0 else k for k in keys]
    unknown = [k for k in places if k not in arguments]
    if unknown:
        raise ArgumentError(
            f"there is no argument {unknown[0]!r} to differentiate with respect to",
            why=f"The call has {len(args)} positional arguments and {sorted(kwargs)}.",
        )
    start = next(orders)
    recording = modes.enabled  # off: what comes out is constant to derivatives around this one
    lent = Lent(function, arguments)
    twice = Twice(lent.named())
    originals: list[Any] = []
    inputs: list[Node | None] = []
    structures = []
    for key in places:
        leaves, structure = pytree.flatten(arguments[key], settings=True)
        tensors = [_input(leaf) for leaf in leaves]
        if leaves and not any(t is not None for t in tensors):
            raise _refused(key, arguments[key])
        originals += leaves
        inputs += [None if t is None else t.node for t in tensors]
        structures.append(structure)
        arguments[key] = pytree.unflatten(
            structure, [leaf if t is None else t for leaf, t in zip(leaves, tensors, strict=True)]
        )
    others = {key: value for key, value in arguments.items() if key not in places}
    leaves, _ = pytree.flatten([*others.values()], attributes=True)
    # An array or container that is given twice is one.
    own = {name: as_argument(leaf) for name, leaf in {id(leaf): leaf for leaf in leaves}.items()}
    filled = pytree.refilled([*others.values()], [own[id(leaf)] for leaf in leaves])
    arguments.update(zip(others, filled, strict=True))
    twice.run_on(arguments.values())
    with plain_numpy(lent), collected_seldom():
        try:
            result = traced(function)(
                *[arguments[k] for k in range(len(args))], **{k: arguments[k] for k in kwargs}
            )
        except AttributeError as error:
            if getattr(error.obj, "__adc_model__", False) is True:
                what, why, repair = registry.no_attribute(str(error.name))
                raise UnsupportedError(what, raised_at(error), why, repair) from error
            if dataclasses.is_dataclass(error.obj) and hasattr(error.obj, "__post_init__"):
                what, why, repair = registry.no_field(type(error.obj), str(error.name))
                raise UnsupportedError(what, raised_at(error), why, repair) from error
            if isinstance(error.obj, Tensor):
                raise unknown_to.lacks_attribute(error) from error
            raise
        except TypeError as error:
            if unknown_to.is_raised_by(error):
                raise unknown_to.refusal(error) from error
            raise
        except ValueError as error:
            if isinstance(error.__cause__, GraphCutError):  # of a Tensor that NumPy asked for its number
                raise constant_writes.refusal(error.__cause__.location) from error
            raise
    twice.check()
    nested = recording and _reaches_beyond(result, start)
    if modes.noted is not None and not nested:
        modes.noted += [weakref.ref(node) for node in inputs if node is not None]
    return Traced(originals, inputs, structures, result, nested)


def _reaches_beyond(result: Any, start: int) -> bool:
    """Whether a result depends on what was recorded before the run, by an outer derivative.

    Then gradients must be part of the outer graph, or the outer derivative would take them for constants. Everything
    that is recorded goes back to inputs; those of a run that is over, whose pull was called, are nobody's.
    """
    found = reachable(_nodes(result))
    found = reachable([*found, *read_by(found)])
    return any(node.order < start and not node.edges and node not in _over for node in found)


def _nodes(result: Any) -> set[Node]:
    """The nodes that the leaves of a result come from."""
    return {leaf.node for leaf in pytree.leaves(result) if _is_recorded(leaf)}


def _input(leaf: Any) -> Tensor | None:
    """The Tensor that stands for a leaf of a differentiated argument; None if it can carry no derivative."""
    if leaf.__class__ is Tensor:
        primal, behind = leaf.primal, leaf.node
        pythons = operators.is_pythons(leaf)
    else:
        behind = None
        pythons = isinstance(leaf, float | complex) and not isinstance(leaf, np.generic)
        if isinstance(leaf, float) and not isinstance(leaf, np.floating):
            primal = np.float64(leaf)
        elif isinstance(leaf, complex) and not isinstance(leaf, np.complexfloating):
            primal = np.complex128(leaf)
        elif isinstance(leaf, np.ndarray | np.generic):
            primal = leaf
        else:
            return None
    if primal.dtype.kind not in "fc":
        return None
    # A node of its own, not a leaf: a plain function may write to its arguments. The write itself goes to a
    # copy, because the caller's array is held elsewhere (views.spare_kept).
    node = Node()
    node.pull = NUMBER if pythons else INPUT
    node.edges, node.kept, node.z = () if behind is None else (behind,), (), None
    node.shape, node.dtype, node.order, node.hooks = primal.shape, primal.dtype, next(orders), None
    node.code, node.lasti = None, 0
    return make(primal, node)


def as_argument(leaf: Any) -> Any:
    """An array that is not differentiated, as a Tensor of its own: others can be written to copies of it."""
    if leaf.__class__ is Tensor and leaf.primal.dtype.kind in "fc":
        # Of a derivative around this one, where the write is not to be seen.
        return make(leaf.primal) if leaf.node is None else _input(leaf)
    if type(leaf) is np.ndarray and leaf.dtype.kind in "fc":
        return make(leaf)
    return leaf


def _is_recorded(value: Any) -> bool:
    return value.__class__ is Tensor and value.node is not None


def _any_recorded(directions: Sequence[Any] | None) -> bool:
    """Whether adjoints or tangents are themselves being differentiated."""
    return modes.enabled and any(_is_recorded(d) for d in directions or ())


def _pulled(
    run: Traced, outputs: Sequence[Any], bars: Sequence[Any] | None, *, keep: bool, create_graph: bool = False
) -> list[Any]:
    """The adjoints of the inputs; None for those that nothing depends on."""
    nested = run.nested or create_graph or _any_recorded(bars)
    seeds = []
    for k, y in enumerate(outputs):
        if _is_recorded(y):
            bar = np.ones(y.shape, y.dtype) if bars is None else bars[k]
            seeds.append(
                (y.node, (bar if bar.__class__ is Tensor else make(bar)) if nested else record.plain(bar))
            )
    captured = propagate(
        seeds,
        keep=keep or nested,
        create_graph=nested,
        targets={node for node in run.inputs if node is not None},
    )
    return [None if node is None else captured.get(node) for node in run.inputs]


# Types of results -------------------------------------------------------------------------------------------


def _as_given(original: Any, bar: Any) -> Any:
    """The gradient of a leaf in the leaf's own type; zeros where nothing depends on it."""
    if bar.__class__ is Tensor:
        return _own(bar)  # part of the graph of an outer derivative
    if isinstance(original, Tensor):
        return make(np.zeros(original.shape, original.dtype) if bar is None else np.array(bar))
    if isinstance(original, np.ndarray):
        if original.dtype.kind not in "fc":
            return None
        return np.zeros(original.shape, original.dtype) if bar is None else np.array(bar)
    if isinstance(original, np.inexact):
        return original.dtype.type(0.0 if bar is None else bar)
    if isinstance(original, float | complex):
        return type(original)(0.0 if bar is None else bar)
    return None  # an int, a string: no derivative exists


def _own(value: Tensor) -> Tensor:
    """A recorded value that may be written to: no adjoint or tangent that was handed through, no broadcast number."""
    return value.copy() if value.ndim else value


def _plain_value(value: Any) -> Any:
    """A result as the plain function would return it: an array, or a float."""
    if value.__class__ is not Tensor:
        return value.plain() if record.carries(value) else value
    return _as_value(value)


def as_left(value: Tensor) -> Any:
    """What a Tensor stands for, as NumPy has it: an array, or one of its numbers."""
    return np.asarray(record.plain(value))[()] if value.ndim == 0 else record.plain(value)


def _plain_tree(value: Any) -> Any:
    if value.__class__ is Tensor:
        return _plain_value(value)
    leaves, structure = pytree.flatten(value)
    return pytree.unflatten(structure, [_plain_value(leaf) for leaf in leaves])


def _own_tree(value: Any) -> Any:
    """A result whose arrays no node keeps."""
    return pytree.map_structure(lambda x: x.copy(order="K") if isinstance(x, np.ndarray) else x, value)


def _as_value(dot: Any) -> Any:
    value = record.plain(dot)
    if np.ndim(value) != 0:
        return value
    number = np.asarray(value)[()]
    return number.item() if number.dtype in (np.float64, np.complex128) else number


def _tangent_of(y: Any, dot: Any) -> Any:
    if dot is not None:
        return _own(dot) if dot.__class__ is Tensor else dot
    plain = np.asarray(record.plain(y))
    return make(np.zeros(plain.shape, plain.dtype if plain.dtype.kind in "fc" else np.float64))


def _like(bar: Any, y: Any, what: str = "adjoint", of: str = "result") -> Any:
    """An adjoint or tangent given by the caller with the dtype of what it belongs to; raises if the shapes differ."""
    if not _is_recorded(y):
        return bar
    if np.dtype(getattr(bar, "dtype", type(bar))).kind == "c" and y.dtype.kind == "f":
        raise ArgumentError("the adjoint or tangent is complex, its primal real")
    if bar.__class__ is Tensor:
        return bar
    record.refuse_special_arrays(bar, f"the {what}")
    array = np.asarray(bar, dtype=None if np.iscomplexobj(bar) else y.dtype)
    if array.shape != y.shape:
        raise ShapeError(f"the {what} has shape {array.shape}, the {of} {y.shape}")
    return array


def _leaves_like(tangent: Any, structure: pytree.Structure) -> list[Any]:
    leaves, its_structure = pytree.flatten(tangent, settings=True)
    if its_structure != structure:
        raise ArgumentError(f"the tangent has the structure {its_structure}, the argument {structure}")
    return leaves


def _pair(result: Any) -> tuple[Any, Any]:
    """The result and the auxiliary values of a function with `has_aux=True`."""
    if isinstance(result, tuple | list) and len(result) == 2:
        return result[0], result[1]
    plain = record.plain(result)
    what = f"a {type(plain).__name__}"
    if isinstance(plain, np.ndarray):
        what = f"an array with {plain.ndim} axes"
    elif isinstance(plain, tuple | list | dict):
        what += f" of {len(plain)}"
    raise ResultError(
        f"with has_aux=True the function must return a pair, and this one returns {what}",
        why="The first of the pair is differentiated, the second is handed through.",
        repair="Return `value, aux`.",
    )


def only_element(value: Any) -> Any:
    """The number in an array of one element, which a gradient may be of, too; everything else as it is."""
    plain = record.plain(value)
    return value.reshape(()) if isinstance(plain, np.ndarray) and plain.size == 1 else value


def _require_number(value: Any) -> None:
    plain = record.plain(value)
    if not isinstance(plain, np.ndarray | np.generic | float | int | complex) or np.ndim(plain) != 0:
        what = f"shape {np.shape(plain)}" if isinstance(plain, np.ndarray) else f"type {type(plain).__name__}"
        raise ResultError(
            f"a gradient is that of a single number, and the function returned one of {what}",
            repair="Reduce it (np.sum), or use adc.vjp or adc.jacobian.",
        )
    if np.iscomplexobj(plain):
        raise ResultError(
            "a gradient is that of a real number, and the function returned a complex one",
            repair="Return its real part, or abs(z) ** 2.",
        )


def _refused(key: Key, value: Any) -> ArgumentError:
    kind = getattr(value, "dtype", type(value).__name__)
    return ArgumentError(
        f"argument {key!r} has no floating-point values to differentiate with respect to: {kind}",
        repair="Convert it first: x.astype(float), or float(x).",
    )
