"""Nested containers of arrays are taken apart into a list of leaves and a structure, and put together again.

Containers are tuples, lists, dicts, `OrderedDict` and `defaultdict`, namedtuples, dataclasses, None (no leaves) and
classes registered with `register`. Everything else is a leaf. The leaves of a dict come in sorted order of its keys,
as in JAX, and a rebuilt dict has its own order. A structure is hashable and comparable, so it can be part of a cache
key.

>>> leaves, structure = flatten({"w": [1.0, 2.0], "b": None})
>>> leaves
[1.0, 2.0]
>>> unflatten(structure, [10.0, 20.0])
{'w': [10.0, 20.0], 'b': None}
"""

from __future__ import annotations

import dataclasses
import enum
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "LEAF",
    "SETTINGS",
    "Structure",
    "builder",
    "flatten",
    "flatten_with_paths",
    "is_leaf",
    "leaves",
    "map_structure",
    "refilled",
    "register",
    "unflatten",
]

T = TypeVar("T")


@dataclass(frozen=True)
class Structure:
    """The shape of a nested container: its class, what else rebuilds it, and the structures of its children.

    >>> flatten((1.0, [2.0]))[1]
    (*, [*])
    """

    kind: Any  # the container's class; None for a leaf
    fixed: Hashable = None  # dict keys, field names, auxiliary data of a registered class
    children: tuple[Structure, ...] = ()
    size: int = 1  # number of leaves
    # The keys of a dict as they stood: a rebuilt one can be zipped with it. Two orders are one structure.
    order: tuple[Any, ...] = field(default=(), compare=False)
    # Those of all dicts in it, with the classes of the keys (1 equals True): what a function sees that goes over them.
    orders: tuple[Any, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        inner = [repr(child) for child in self.children]
        if self.kind is type(None):
            return "None"
        if self.kind is Setting:
            assert isinstance(self.fixed, tuple)
            return repr(self.fixed[1])
        if self.kind is tuple:
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        if self.kind is list:
            return f"[{', '.join(inner)}]"
        if self.kind is dict:
            assert isinstance(self.fixed, tuple)
            return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(self.fixed, inner, strict=True)) + "}"
        return f"{self.kind.__name__}({', '.join(inner)})"


class Setting:
    """The kind of a text or truth value that belongs to the structure of a container."""


LEAF = Structure(None)
_NONE = Structure(type(None), None, (), 0)
SETTINGS = (str, bool, np.bool_, enum.Enum)


@dataclass(frozen=True)
class _Container:
    """How one container class comes apart and together."""

    split: Callable[[Any], tuple[Sequence[Any], Hashable]]
    join: Callable[[Any, Any, list[Any]], Any]  # (class, fixed, children)
    step: Callable[[Any, int], str] | None = None  # (fixed, position): how a message speaks of a child


def _split_dict(value: dict[Any, Any]) -> tuple[Sequence[Any], Hashable]:
    try:
        keys = tuple(sorted(value))
    except TypeError:  # keys of several types have no order but that of insertion
        keys = tuple(value)
    return [value[k] for k in keys], keys


_containers: dict[type, _Container] = {
    tuple: _Container(lambda value: (value, None), lambda kind, fixed, children: tuple(children)),
    list: _Container(lambda value: (value, None), lambda kind, fixed, children: list(children)),
    dict: _Container(_split_dict, lambda kind, fixed, children: dict(zip(fixed, children, strict=True))),
    OrderedDict: _Container(
        lambda value: (list(value.values()), tuple(value)),
        lambda kind, fixed, children: OrderedDict(zip(fixed, children, strict=True)),
    ),
    defaultdict: _Container(
        lambda value: (list(value.values()), (value.default_factory, tuple(value))),
        lambda kind, fixed, children: defaultdict(fixed[0], zip(fixed[1], children, strict=True)),
    ),
    type(None): _Container(lambda value: ((), None), lambda kind, fixed, children: None),
    Setting: _Container(lambda value: ((), None), lambda kind, fixed, children: fixed[1]),
}


def _of_fields(kind: Any, fixed: Any, children: list[Any]) -> Any:
    """A named tuple; of SciPy's results, which cannot be made of their fields alone, one of their name."""
    return (kind if hasattr(kind, "_make") else namedtuple(kind.__name__, kind._fields))(*children)


_namedtuple = _Container(lambda value: (value, None), _of_fields)
_known_leaves: set[type] = {
    float,
    int,
    bool,
    complex,
    str,
    bytes,
    np.ndarray,
    np.float64,
    np.float32,
    np.int64,
    np.int32,
    np.bool_,
}


def _split_dataclass(value: Any) -> tuple[Sequence[Any], Hashable]:
    names = tuple(f.name for f in dataclasses.fields(value))
    return [getattr(value, name) for name in names], names


def _join_dataclass(kind: Any, fixed: Any, children: list[Any]) -> Any:
    # Not kind(*children): __init__ may check or convert, and fields with init=False would be refused.
    value = object.__new__(kind)
    for name, child in zip(fixed, children, strict=True):
        object.__setattr__(value, name, child)
    return value


_dataclass = _Container(_split_dataclass, _join_dataclass)


def _split_whole(value: Any) -> tuple[Sequence[Any], Hashable]:
    names = [f.name for f in dataclasses.fields(value)]
    names += [
        name
        for name, held in getattr(value, "__dict__", {}).items()
        if name not in names and not hasattr(type(value), name) and _is_data(held)
    ]
    return [getattr(value, name) for name in names], tuple(names)


def _is_data(value: Any) -> bool:
    """Whether a value is made of numbers, arrays and texts."""
    children = (
        value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    )
    if children is not None:
        return all(map(_is_data, children))
    return value is None or hasattr(value, "dtype") or type(value) in _known_leaves


_whole_dataclass = _Container(_split_whole, _join_dataclass)


def register(
    kind: type[T],
    split: Callable[[T], tuple[Sequence[Any], Hashable]],
    join: Callable[[Hashable, list[Any]], T],
    step: Callable[[Any, int], str] | None = None,
) -> type[T]:
    """Make a class a container: `split` gives `(children, fixed)`, `join(fixed, children)` builds it again.

    `step(fixed, position)` is how messages speak of a child: `[position]`, where it is not given.
    Raises `ValueError` when the class is registered already.

    >>> class Pair:
    ...     def __init__(self, a, b): self.a, self.b = a, b
    >>> _ = register(Pair, lambda p: ((p.a, p.b), None), lambda fixed, children: Pair(*children))
    >>> leaves(Pair(1.0, [2.0]))
    [1.0, 2.0]
    """
    if kind in _containers:
        raise ValueError(f"{kind.__name__} is a container already")
    _containers[kind] = _Container(split, lambda _, fixed, children: join(fixed, children), step)
    return kind


def whole(kind: type[T]) -> type[T]:
    """Make a class a leaf, though it is a dataclass; can be a decorator.

    >>> @whole
    ... @dataclass
    ... class Step:
    ...     size: float
    >>> leaves(Step(0.5))
    [Step(size=0.5)]
    """
    _known_leaves.add(kind)
    return kind


def _container(value: Any) -> _Container | None:
    """How `value` comes apart, or None for a leaf."""
    kind = type(value)
    if kind in _known_leaves:
        return None
    known = _containers.get(kind)
    if known is not None:
        return known
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return _namedtuple
    if dataclasses.is_dataclass(kind):  # not of `value`: a class that is one is a leaf
        return _dataclass
    return None


def is_registered(kind: type) -> bool:
    """Whether a class is a container by `register`, or one of Python's.

    >>> is_registered(dict), is_registered(complex)
    (True, False)
    """
    return kind in _containers


def is_whole(kind: type) -> bool:
    """Whether a class is a leaf by `whole`, or one of Python's.

    >>> is_whole(float), is_whole(Structure)
    (True, False)
    """
    return kind in _known_leaves


def is_leaf(value: Any) -> bool:
    """Whether `value` is no container.

    >>> is_leaf(1.0), is_leaf([1.0]), is_leaf(None)
    (True, False, False)
    """
    return _container(value) is None


def flatten(
    tree: Any,
    instead: Callable[[Any], Any] | None = None,
    attributes: bool = False,
    settings: bool = False,
) -> tuple[list[Any], Structure]:
    """The leaves of a nested container, in order, and its structure; of what stands `instead` of a list, where that is.

    With all `attributes` of dataclasses that are numbers, arrays and texts, not only their fields. As `settings`, texts
    and truth values in a container belong to the structure: no derivative is with respect to them.

    >>> flatten(1.5)
    ([1.5], *)
    >>> flatten({"w": 1.5, "bias": True}, settings=True)
    ([1.5], {'bias': True, 'w': *})
    """
    if type(tree) in _known_leaves:  # by far the most frequent argument
        return [tree], LEAF
    out: list[Any] = []
    return out, _flatten_into(tree, out, instead, attributes, settings)


def _flatten_into(
    tree: Any,
    out: list[Any],
    instead: Callable[[Any], Any] | None,
    attributes: bool,
    settings: bool,
) -> Structure:
    if type(tree) is list and instead is not None:
        other = instead(tree)
        tree = tree if other is None else other
    container = _container(tree)
    if container is None:
        out.append(tree)
        return LEAF
    if tree is None:
        return _NONE
    if attributes and container is _dataclass:
        container = _whole_dataclass
    children, fixed = container.split(tree)
    inner = tuple(
        [
            Structure(Setting, (type(child), child), (), 0)
            if settings and isinstance(child, SETTINGS)
            else _flatten_into(child, out, instead, attributes, settings)
            for child in children
        ]
    )
    order = tuple(tree) if type(tree) is dict else ()
    within = tuple([child.orders for child in inner])
    classes = tuple(map(type, tree)) if isinstance(tree, dict) else ()
    orders = (order, classes, within) if classes or any(within) else ()
    return Structure(type(tree), fixed, inner, sum(child.size for child in inner), order, orders)


def unflatten(structure: Structure, values: Iterable[Any]) -> Any:
    """The container of the given structure with `values` at its leaves.

    Raises `ValueError` when there are more or fewer values than leaves.
    """
    values = list(values)
    if len(values) != structure.size:
        raise ValueError(f"{structure} has {structure.size} leaves, not {len(values)}")
    if structure is LEAF:
        return values[0]
    return _build(structure, iter(values))


def refilled(tree: Any, values: Iterable[Any]) -> Any:
    """The container with other leaves, those of `flatten` with all attributes: what stands in it twice does so again.

    >>> row = [1.0]
    >>> a, b = refilled((row, row), [2.0, 2.0])
    >>> a is b
    True
    """
    return _refilled(tree, iter(values), {})


def _refilled(tree: Any, values: Iterator[Any], made: dict[int, Any]) -> Any:
    container = _container(tree)
    if container is None:
        return next(values)
    if tree is None:
        return None
    if container is _dataclass:
        container = _whole_dataclass
    children, fixed = container.split(tree)
    filled = [_refilled(child, values, made) for child in children]
    if id(tree) not in made:
        joined = container.join(type(tree), fixed, filled)
        made[id(tree)] = {key: joined[key] for key in tree} if type(tree) is dict else joined
    return made[id(tree)]


def _build(structure: Structure, values: Iterator[Any]) -> Any:
    kind = structure.kind
    if kind is None:
        return next(values)
    children = [_build(child, values) for child in structure.children]
    joined = _container_of(kind).join(kind, structure.fixed, children)
    return {key: joined[key] for key in structure.order} if kind is dict else joined


def _container_of(kind: type) -> _Container:
    """How the class of a structure, which is no leaf, comes together."""
    return _containers.get(kind) or (_namedtuple if issubclass(kind, tuple) else _dataclass)


def builder(structures: Sequence[Structure]) -> Callable[[Iterable[Any]], list[Any]]:
    """What makes containers of these structures of all their leaves in a row, without going over the structures.

    >>> builder([LEAF, flatten({"w": 1.0, "b": [2.0]})[1]])([3.0, 4.0, 5.0])
    [3.0, {'w': 5.0, 'b': [4.0]}]
    """
    namespace: dict[str, Any] = {}
    lines: list[str] = []
    leaves = [f"x{k}" for k in range(sum(structure.size for structure in structures))]
    unused = iter(leaves)
    trees = [_built_by(structure, unused, lines, namespace) for structure in structures]
    lines = [f"[{', '.join(leaves)}] = values", *lines, f"return [{', '.join(trees)}]"]
    exec("\n    ".join(["def build(values):", *lines]), namespace)
    build: Callable[[Iterable[Any]], list[Any]] = namespace["build"]
    return build


def _built_by(
    structure: Structure, leaves: Iterator[str], lines: list[str], namespace: dict[str, Any]
) -> str:
    """The variable that holds the container after the `lines`."""
    kind, fixed = structure.kind, structure.fixed
    if kind is None:
        return next(leaves)
    children = [_built_by(child, leaves, lines, namespace) for child in structure.children]
    inner, name = ", ".join(children), f"made{len(lines)}"
    if kind is tuple:
        text = f"({inner}{',' * (len(children) == 1)})"
    elif kind is list:
        text = f"[{inner}]"
    elif kind is dict:
        assert isinstance(fixed, tuple)
        namespace[f"keys{name}"] = structure.order
        child = dict(zip(fixed, children, strict=True))
        items = [f"keys{name}[{k}]: {child[key]}" for k, key in enumerate(structure.order)]
        text = f"{{{', '.join(items)}}}"
    else:
        namespace |= {f"join{name}": _container_of(kind).join, f"kind{name}": kind, f"fixed{name}": fixed}
        text = f"join{name}(kind{name}, fixed{name}, [{inner}])"
    lines.append(f"{name} = {text}")
    return name


def leaves(tree: Any) -> list[Any]:
    """The leaves of a nested container, in order."""
    return flatten(tree)[0]


def flatten_with_paths(
    tree: Any,
    instead: Callable[[Any], Any] | None = None,
    attributes: bool = False,
    settings: bool = False,
) -> tuple[list[tuple[str, Any]], Structure]:
    """What `flatten` gives, the leaves with their places as one would write them.

    >>> flatten_with_paths({"w": [1.0, 2.0]})[0]
    [("['w'][0]", 1.0), ("['w'][1]", 2.0)]
    """
    values, structure = flatten(tree, instead, attributes, settings)
    return list(zip(_paths(structure), values, strict=True)), structure


def changeable(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The containers in a tree that can be written to, with their places: all but tuples.

    >>> list(changeable({"w": ([1.0], 2.0)}))
    [('', {'w': ([1.0], 2.0)}), ("['w'][0]", [1.0])]
    """
    container = _container(tree)
    if container is None or tree is None:
        return
    if not isinstance(tree, tuple):
        yield path, tree
    children, fixed = container.split(tree)
    structure = Structure(type(tree), fixed)
    for position, child in enumerate(children):
        yield from changeable(child, path + _step(structure, position))


def _paths(structure: Structure) -> Iterator[str]:
    if structure.kind is None:
        yield ""
        return
    for position, child in enumerate(structure.children):
        step = _step(structure, position)
        for path in _paths(child):
            yield step + path


def _step(structure: Structure, position: int) -> str:
    if structure.kind is dict:
        assert isinstance(structure.fixed, tuple)
        return f"[{structure.fixed[position]!r}]"
    known = _containers.get(structure.kind)
    if known is not None:
        return f"[{position}]" if known.step is None else known.step(structure.fixed, position)
    names: Any = getattr(structure.kind, "_fields", structure.fixed)
    return f".{names[position]}"


def map_structure(function: Callable[..., Any], tree: Any, *others: Any, settings: bool = False) -> Any:
    """Apply `function` leaf by leaf to one or several containers of the same structure.

    Raises `ValueError` when the structures differ.

    >>> map_structure(lambda a, b: a + b, (1.0, [2.0]), (10.0, [20.0]))
    (11.0, [22.0])
    """
    values, structure = flatten(tree, settings=settings)
    columns = [values]
    for other in others:
        more, its_structure = flatten(other, settings=settings)
        if its_structure != structure:
            raise ValueError(f"the structures differ: {structure} and {its_structure}")
        columns.append(more)
    return unflatten(structure, [function(*row) for row in zip(*columns, strict=True)])
