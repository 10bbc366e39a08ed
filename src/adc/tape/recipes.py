"""A composite operation is recorded as one node: the steps of its body are written out, with their pulls.

The body of a composite is made of operations that have rules, so running it on Tensors records them all: right, and
several times the price of the arithmetic. For operands of the same kinds (shapes, dtypes, orders in memory, which of
them require a gradient, the same axes) the body takes the same steps each time, unless it looks at a value. So the
steps are followed once per kind of call, and a recipe is written: one function that takes them, and one that pulls an
adjoint back through them. A body that looks at a value, writes in place or has several results has no recipe, and is
run on Tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import asked, memory_order, operators, substitute
from adc.tape.backward import fitted
from adc.tape.entry import Entry, Form, Pull
from adc.tape.gradients import grad
from adc.tape.slicing import Need
from adc.tape.state import within
from adc.tape.steps import Program, Slot, Traced
from adc.tape.tensor import Tensor, make

_MOST_KINDS = 200  # of calls of one operation; what comes later is recorded step by step


class Recipe:
    """What one kind of call of a composite does."""

    def __init__(self, forward: Callable[..., Any], pull: Pull) -> None:
        self.forward = forward  # (*operands) -> the result, and what is kept
        self.pull = pull


class Recipes:
    """The recipes of one operation, by the kind of call."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._known: dict[Any, Recipe | None] = {}
        # A window of an operand's memory must be one of the operand's views, not of a copy on the way.
        self._may = entry.star is None and entry.writes is None and "view" not in entry.operation.extra

    def recipe(
        self, values: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Recipe, list[Any], tuple[Any, ...]] | None:
        """The recipe for a call with these values of the parameters, its operands, and the nodes of the active ones."""
        kind = _kind(values) if self._may else None
        if kind is None:
            return None
        key, operands, edges = kind
        if key in self._known:
            recipe = self._known[key]
        elif len(self._known) < _MOST_KINDS:
            recipe = _written(self.entry, values)
            if recipe is not None:
                made = recipe.forward(*operands)[0]
                order = asked.once(self.entry, args, kwargs, made)
                if order != memory_order.of(made):
                    recipe.forward = _moved(recipe.forward, order)
            self._known[key] = recipe
        else:
            recipe = None
        return None if recipe is None else (recipe, operands, edges)


def of(entry: Entry) -> Recipes:
    """The recipes of an operation."""
    if entry.recipes is None:
        entry.recipes = Recipes(entry)
    return entry.recipes  # type: ignore[no-any-return]


_STATIC = frozenset({int, bool, str, type(None), type})


def _kind(values: tuple[Any, ...]) -> tuple[Any, list[Any], tuple[Any, ...]] | None:
    """What recipes are found by, the operands, and the nodes of those that are active; None for what has none."""
    key: list[Any] = []
    operands: list[Any] = []
    weak = False
    edges: list[Any] = []
    for value in values:
        kind = value.__class__
        if kind is Tensor:
            primal = value.primal
            if primal.__class__ is not np.ndarray and primal.__class__ is not np.float64:
                return None
            node = value.node
            weak = weak or (primal.__class__ is np.float64 and operators.is_pythons(value))
            key += (primal.shape, primal.dtype, node is None, memory_order.of(primal))
            operands.append(primal)
            if node is not None:
                edges.append(node)
        elif kind in _STATIC:
            key += (kind, value)
        elif kind is float:
            key += (kind, value.hex())  # of 0.0 and -0.0 each its own
        elif kind is np.ndarray or kind is np.float64:
            key += (value.shape, value.dtype, True, memory_order.of(value))
            operands.append(value)
        elif kind is tuple and all(v.__class__ is int for v in value):
            key += (kind, value)
        else:
            return None
    if weak and any(getattr(x, "dtype", None) in operators.NARROW for x in operands):
        return None  # a step would take the number for one of NumPy's
    return tuple(key), operands, tuple(edges)


# Writing it down --------------------------------------------------------------------------------------------


_OPERAND = object()  # where an operand stands among the values of the parameters


def _written(entry: Entry, values: tuple[Any, ...]) -> Recipe | None:
    """The recipe of calls like this one, if there is one."""
    program = Program()
    operands: list[Slot] = []
    traced: list[Any] = []
    template: list[Any] = []
    for value in values:
        primal = value.primal if value.__class__ is Tensor else value
        if isinstance(primal, np.ndarray | np.float64):
            operands.append(
                Slot(f"o{len(operands)}", primal, value.__class__ is Tensor and value.node is not None)
            )
            traced.append(Traced(program, operands[-1]))
            template.append(_OPERAND)
        else:
            traced.append(value)
            template.append(value)
    if entry.real_only and any(np.iscomplexobj(o.value) for o in operands):
        return None
    try:
        with np.errstate(all="ignore"):
            result = _call(entry, entry.operation.formula, traced)
    except Exception:  # what is no fault of the stand-ins is raised again where the body runs on Tensors
        return None
    if result.__class__ is not Traced or not result.slot.active or result.slot in operands:
        return None
    return _Writer(entry, program, operands, result.slot, template).recipe()


def _call(entry: Entry, body: Any, values: Any) -> Any:
    """A body called with one value per parameter."""
    rest = dict(zip(entry.names[entry.positional :], values[entry.positional :], strict=True))
    return body(*values[: entry.positional], **rest)


def _unfit(value: Any, form: str) -> str:
    """The text that asks whether the adjoint `b` of a value is to be summed or cast."""
    if value.shape == () and value.dtype == np.float64:
        return "b.__class__ is not float64"
    return f"b.__class__ is not ndarray or b.shape != {value.shape!r} or b.dtype is not {form}.dtype"


class _Writer:
    """The text of a recipe, and what its names mean."""

    def __init__(
        self, entry: Entry, program: Program, operands: list[Slot], result: Slot, template: list[Any]
    ) -> None:
        self.entry = entry
        self.program = program
        self.operands = operands
        self.result = result
        self.template = template
        self.needed: list[Slot] = []  # what the pulls read, besides operands
        self.pulls: dict[str, Pull] = {}
        self.forms: dict[str, Form] = {}

    def recipe(self) -> Recipe | None:
        lines = self._reverse()
        if lines is None:
            return None
        bent = any(slot.active for slot in self.needed)  # linear otherwise: the adjoints depend on no operand
        kept = [o.name if bent or o in self.needed else "None" for o in self.operands]
        names = [o.name for o in self.operands]
        inner = [slot.name for slot in self.needed if slot not in self.operands]
        forward = [
            f"def forward({', '.join(names)}):",
            *(f"    {step.slot.name} = {step.call}" for step in self.program.steps),
            f"    return {self.result.name}, ({''.join(f'{name}, ' for name in [*kept, *inner])})",
        ]
        reverse = [
            "def reverse(z_bar, z, kept):",
            f"    {''.join(f'{name}, ' for name in [*names, *inner])}= kept",
            *lines,
        ]
        flags = tuple([o.active for o in self.operands])
        pull = Pull(
            self.entry.name,
            self._compiled(reverse, {name: p.reverse for name, p in self.pulls.items()}),
            (Need.VALUE,) * (len(kept) + len(inner)),
            False,
            flags,
            flags + (False,) * len(inner),
            retains=bool(self.needed),
        )
        if bent:
            pull.traced = functools.partial(_again, self.entry, self.template)
        else:
            bodies = {
                name: substitute.traced(p.body) if p.entry else p.reverse for name, p in self.pulls.items()
            }
            pull.traced = self._compiled(reverse, bodies)
        return Recipe(self._compiled(forward, {}), pull)

    def _reverse(self) -> list[str] | None:
        """The body of the function that pulls; None where no adjoint comes to an active operand."""
        bars = {self.result: "z_bar"}
        lines: list[str] = []
        for step in reversed(self.program.steps):
            bar = bars.get(step.slot)
            if bar is None or step.pull is None:
                continue
            pull, z = f"p{len(self.pulls)}", "None"
            self.pulls[pull] = step.pull
            if step.pull.keeps_z:
                self._read(step.slot)
                z = step.slot.name
            self._read(*step.kept)
            kept = "".join(f"{self.program.spelled(v)}, " for v in step.kept)
            lines.append(f"    bars = {pull}({bar}, {z}, ({kept}))")
            for k, edge in enumerate(step.edges):
                form = f"f{edge.name}"
                self.forms[form] = Form(edge.value.shape, edge.value.dtype)
                lines += [
                    f"    b = bars[{k}]",
                    f"    if {_unfit(edge.value, form)}: b = fit(b, {form})",
                    f"    b_{edge.name} = {f'{bars[edge]} + b' if edge in bars else 'b'}",
                ]
                bars[edge] = f"b_{edge.name}"
        if any(o.active and o not in bars for o in self.operands):
            return None
        return [*lines, f"    return ({''.join(f'{bars[o]}, ' for o in self.operands if o.active)})"]

    def _read(self, *values: Any) -> None:
        """Note that a pull reads slots."""
        for value in values:
            slot = value.slot if value.__class__ is Traced else value
            if slot.__class__ is Slot:
                if slot not in self.needed:
                    self.needed.append(slot)
            elif value.__class__ in (list, tuple):
                self._read(*value)
            elif value.__class__ is slice:
                self._read(value.start, value.stop, value.step)

    def _compiled(self, lines: list[str], pulls: dict[str, Any]) -> Callable[..., Any]:
        namespace = {
            "__name__": __name__,
            "fit": functools.partial(_fit, self.entry),
            "float64": np.float64,
            "ndarray": np.ndarray,
            "slice": slice,
            **self.program.constants,
            **self.forms,
            **pulls,
        }
        exec(compile("\n".join(lines), f"<recipe of {self.entry.operation.spelling}>", "exec"), namespace)
        made: Callable[..., Any] = namespace["forward" if "forward" in lines[0] else "reverse"]
        return made


# What recipes call. It holds no array of the call that a recipe was written for. ----------------------------


def _moved(forward: Callable[..., Any], order: tuple[int, ...] | None) -> Callable[..., Any]:
    """The steps of a recipe, whose result lies in another order."""

    def run(*operands: Any) -> Any:
        z, kept = forward(*operands)
        return memory_order.laid(z, order), kept

    return run


def _fit(entry: Entry, adjoint: Any, target: Any) -> Any:
    """An adjoint as an operand of a step needs it."""
    if adjoint is None:
        raise UnsupportedError(
            f"adc has no derivative of {entry.operation.spelling} with respect to an operand",
            why="The rule of an operation that it is made of gives no adjoint for it.",
            repair="Pass that operand as adc.stop_gradient(x).",
        )
    return fitted(adjoint if hasattr(adjoint, "dtype") else np.asarray(adjoint), target)


def _again(entry: Entry, template: list[Any], z_bar: Any, z: Any, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """The pull on Tensors: the body run on them, and its graph walked back."""
    # Each a node of its own: an operand may have been computed from another.
    operands = (np.copy(o) if o.__class__ is Tensor else o for o in kept)
    values = [next(operands) if v is _OPERAND else v for v in template]
    active = [v for v in values if v.__class__ is Tensor]
    assert entry.operation.body is not None
    with within({"plain": True, "enabled": True}):
        y = _call(entry, substitute.traced(entry.operation.body), values)
    found = grad(y, active, z_bar, create_graph=True, allow_unused=True)
    return tuple(
        [make(np.zeros(x.shape, x.dtype)) if g is None else g for x, g in zip(active, found, strict=True)]
    )
