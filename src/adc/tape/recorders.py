"""A call of an operation with so many arguments is recorded by code written out for it.

The general path of record.py asks at every call how the arguments bind, which of them are operands and which of those
are Tensors. Of one operation with one form of call only the last is new: the rest is known when the text of its
recorder is made. What a recorder does not expect (nested lists, Tensors where the rule has no derivative, several
results) it hands to the general path.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import operators, recipes, record, views
from adc.tape.entry import Entry, form
from adc.tape.node import Node, is_users_file, orders, user_frame
from adc.tape.plain_types import strong
from adc.tape.primals import quick_primal
from adc.tape.slicing import Need
from adc.tape.state import modes, off
from adc.tape.tensor import Tensor

__all__ = ["Recorders"]

_RULES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "rules") + os.sep

_DEPTH = 2  # from a recorder to the user: __array_function__, __array_ufunc__ or the method stand between


# Where recorders find the class of their nodes: saved.py gives them another.
namespaces: dict[str, Any] = {"new": {"Node": Node}, "recorders": []}


class Recorders(dict[Any, Callable[..., Any]]):
    """The recorders of one operation by the form of the call: how many positional arguments, which keywords.

    >>> from adc import tape
    >>> from adc.tape.entry import find
    >>> x = tape.tensor([1.0, 2.0], requires_grad=True)
    >>> Recorders(find(np.sum), np.sum).of((x,), {})(x)
    tensor(3., grad_fn=<SumBackward>)
    """

    def __init__(self, entry: Entry, function: Callable[..., Any]) -> None:
        super().__init__()
        self.entry = entry
        self.function = function

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        """The recorder for calls of this form."""
        key: Any = (len(args), *kwargs) if kwargs else len(args)
        known = self.get(key)
        return self._made(key, len(args), tuple(kwargs)) if known is None else known

    def _made(self, key: Any, count: int, names: tuple[str, ...]) -> Callable[..., Any]:
        made = self[key] = self._written(key, count, names)
        return made

    def _written(self, key: Any, count: int, names: tuple[str, ...]) -> Callable[..., Any]:
        slow = self._general

        def again(*args: Any, **kwargs: Any) -> Any:
            self[key] = slow  # not what was expected, and will not be another time
            return slow(*args, **kwargs)

        entry = self.entry
        if count > entry.agreed:
            return slow
        if entry.has_full:
            operation = entry.operation.form(count, names)
            if operation is not entry.operation:
                return slow  # `full` forms are composites
        if entry.kind == "constant" or entry.writes is not None or entry.of_one:
            return slow
        if entry.copies is not None or entry.overwriting:
            return slow
        if entry.kind == "composite":
            return self._by_recipe(count) if entry.least <= count <= entry.positional and not names else slow
        if entry.real_only or entry.gives_back:
            return slow
        given = [*range(count), *(entry.positions.get(name, -1) for name in names)]
        if entry.most is None or count > entry.positional or -1 in given or len(set(given)) < len(given):
            return slow
        values = list(entry.defaults)
        if any(values[k] is inspect.Parameter.empty for k in range(len(values)) if k not in given):
            return slow
        return _compiled(_Text(entry, self.function, count, names, given), self.function, slow, again)

    def _by_recipe(self, count: int) -> Callable[..., Any]:
        """The recorder of a composite with so many arguments."""
        slow, known, rest = self._general, recipes.of(self.entry), self.entry.defaults[count:]

        arrays = self.entry.arrays

        def recorder(*args: Any) -> Any:
            if arrays:
                args = tuple([strong(a) if k in arrays else a for k, a in enumerate(args)])
            found = known.recipe(args + rest, args, {}) if not off.count or modes.enabled else None
            if found is None:
                return slow(*args)
            recipe, operands, edges = found
            z, kept = recipe.forward(*operands)
            return record.record(recipe.pull, z, edges, kept, args, sys._getframe(_DEPTH))

        return recorder

    def _general(self, *args: Any, **kwargs: Any) -> Any:
        return record.apply(self.entry, args, kwargs, self.function)


# Functions that are quicker as methods, of arrays and of NumPy's numbers, with the same positional arguments.
_METHODS: dict[Any, str] = {np.reshape: "reshape", np.transpose: "transpose"}


class _Text:
    """The text of a recorder."""

    def __init__(
        self, entry: Entry, function: Callable[..., Any], count: int, names: tuple[str, ...], given: list[int]
    ) -> None:
        self.entry = entry
        self.function = function
        self.given = given
        self.pulls: dict[str, tuple[bool, ...]] = {}  # by their names in the text: which operands are active
        self.operands = [k for k in entry.wrt if k in given]
        self.params = [f"a{k}" for k in given[:count]] + list(names)
        self.spelled = dict(zip(given, self.params, strict=True))
        passed = [f"x{k}" for k in given[:count]]
        passed += [f"{name}=x{entry.positions[name]}" for name in names]
        self.call = f"function({', '.join(passed)})"
        if function in _METHODS and count and not names:
            self.call = f"{passed[0]}.{_METHODS[function]}({', '.join(passed[1:])})"
        again = [*self.params[:count], *(f"{name}={name}" for name in names)]
        self.slow = f"return slow({', '.join(again)})"
        self.again = f"return again({', '.join(again)})"

    def text(self) -> str:
        lines = [
            f"def recorder({', '.join(self.params)}):",
            f"    if off.count and not modes.enabled: {self.slow}",
        ]
        for k in self.given:
            if k == self.entry.sequence:
                lines += self._sequence(k)
            elif k in self.operands:
                lines += self._operand(k)
            else:
                lines += self._fixed(k)
        lines += self._edges()
        lines += [
            f"    z = {self.call}",
            "    kind = z.__class__",
            f"    if kind is not ndarray and kind is not float64 and kind is not float32: {self.again}",
            *([f"    if z.dtype.kind in 'iub': {self.slow}"] if "dtype" in self.entry.names else []),
            "    node = Node()",
            "    node.pull = pull",
            "    node.edges = edges",
            "    node.kept = kept",
            "    node.z = z if pull.keeps_z else None",
            "    node.shape = z.shape",
            "    node.dtype = z.dtype",
            "    node.order = next(orders)",
            "    node.hooks = None",
            f"    frame = getframe({_DEPTH})",
            "    code = node.code = frame.f_code",
            "    node.lasti = frame.f_lasti",
            "    if not is_users_file.get(code.co_filename): locate(node)",
            "    result = Tensor()",
            "    result.primal = z",
            "    result.node = node",
            "    result.extra = None",
            *self._views(),
            "    return result",
        ]
        return "\n".join(lines)

    def _packed_sequence(self) -> str:
        """The same where the operand is a sequence: what is kept of it does not depend on which are active."""
        k = self.operands[0]
        needs = self.entry.pull(((True,),)).keeps
        parts = ["None" if n is Need.NOTHING else v for v, n in zip(self._kept(), needs, strict=True)]
        if needs[k] is Need.FORM:
            parts[k] = f"nodes if len(nodes) == len(x{k}) else form(x{k})"
        return "".join(f"{part}, " for part in parts)

    def _operand(self, k: int) -> list[str]:
        a = self.spelled[k]
        weak = f"        if x{k}.__class__ is float64 and is_pythons({a}): {self.slow}"
        return [
            f"    if {a}.__class__ is Tensor:",
            f"        x{k} = {a}.primal; n{k} = {a}.node",
            *([weak] if len(self.given) > 1 and self.function not in _METHODS else []),  # beside float32
            f"    elif {a}.__class__ in atoms:",
            f"        x{k} = {a}; n{k} = None",
            f"    else: {self.slow}",
        ]

    def _fixed(self, k: int) -> list[str]:
        a = self.spelled[k]
        return [
            f"    if {a}.__class__ in atoms or ({a}.__class__ is tuple and is_static({a})): x{k} = {a}",
            f"    elif {a}.__class__ is Tensor and {a}.node is None: x{k} = {a}.primal",
            f"    else: {self.slow}",
        ]

    def _sequence(self, k: int) -> list[str]:
        a = self.spelled[k]
        return [
            f"    if {a}.__class__ is not list and {a}.__class__ is not tuple: {self.slow}",
            f"    x{k} = []; flags = []; nodes = []",
            f"    for v in {a}:",
            "        if v.__class__ is Tensor:",
            f"            x{k}.append(v.primal)",
            "            if v.node is None: flags.append(False)",
            "            else: flags.append(True); nodes.append(v.node)",
            f"        elif v.__class__ in atoms: x{k}.append(v); flags.append(False)",
            f"        else: {self.slow}",
        ]

    def _edges(self) -> list[str]:
        """Which operands need a gradient, and the pull for them."""
        operands = self.operands
        if self.entry.sequence is not None:
            if operands != [self.entry.sequence] or len(self.entry.wrt) > 1:
                return [f"    {self.slow}"]
            return [
                f"    if not nodes: {self.slow}",
                "    edges = tuple(nodes)",
                "    pattern = (tuple(flags),)",
                "    pull = pulls.get(pattern) or make_pull(pattern)",
                f"    kept = ({self._packed_sequence()})",
            ]
        if not operands:
            return [f"    {self.slow}"]
        if len(operands) > 2:
            flags = {k: f"n{k} is not None" for k in operands}
            pattern = ", ".join(flags.get(k, "False") for k in self.entry.wrt)
            listed = ", ".join(f"n{k}" for k in operands)
            return [
                f"    edges = tuple([n for n in ({listed}) if n is not None])",
                f"    if not edges: {self.slow}",
                f"    pattern = ({pattern})",
                "    pull = pulls.get(pattern) or make_pull(pattern)",
                f"    kept = pull.pack({', '.join(self._kept())})",
            ]
        lines = []
        word = "if"
        for active in ([*operands], *([k] for k in operands)) if len(operands) == 2 else ([*operands],):
            name = f"pull_{'_'.join(map(str, active))}"
            self.pulls[name] = tuple(k in active for k in self.entry.wrt)
            lines += [
                f"    {word} {' and '.join(f'n{k} is not None' for k in active)}:",
                f"        edges = ({', '.join(f'n{k}' for k in active)},)",
                f"        pull = {name}",
                f"        kept = ({self._packed(self.pulls[name], active)})",
            ]
            word = "elif"
        return [*lines, f"    else: {self.slow}"]

    def _packed(self, pattern: tuple[bool, ...], active: list[int]) -> str:
        """What the pull reads. An operand's node has what there is to know of it but its values."""
        parts = []
        for k, (value, need) in enumerate(zip(self._kept(), self.entry.pull(pattern).keeps, strict=True)):
            if need is Need.FORM and k in self.given:
                parts.append(f"n{k}" if k in active else f"form(x{k})")
            else:
                parts.append("None" if need is Need.NOTHING else value)
        return "".join(f"{part}, " for part in parts)

    def _kept(self) -> list[str]:
        return [f"x{k}" if k in self.given else f"defaults[{k}]" for k in range(len(self.entry.names))]

    def _views(self) -> list[str]:
        """The result may be in the memory of an operand."""
        if len(self.operands) == 1 and self.entry.sequence is None:
            k = self.operands[0]
            a = self.spelled[k]
            return [f"    if kind is ndarray and (z.base is not None or z is x{k}): note_one(result, {a})"]
        listed = ", ".join(self.params)
        return [f"    if kind is ndarray and z.base is not None: note(result, ({listed},))"]


def _is_static(value: tuple[Any, ...]) -> bool:
    """Whether a tuple is a shape or axes: of integers."""
    for v in value:  # noqa: SIM110  # a generator takes three times as long
        if v.__class__ is not int:
            return False
    return True


def _locate(node: Node) -> None:
    """Say of a node recorded below library code where the user stands; of a rule's body `composite` says it."""
    assert node.code is not None
    if node.code.co_filename.startswith(_RULES):
        return
    frame = user_frame()
    node.code, node.lasti = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def _compiled(
    text: _Text, function: Callable[..., Any], slow: Callable[..., Any], again: Callable[..., Any]
) -> Callable[..., Any]:
    entry = text.entry
    written = text.text()
    namespace: dict[str, Any] = {
        **{name: entry.pull(pattern) for name, pattern in text.pulls.items()},
        "Tensor": Tensor,
        "again": again,
        "atoms": record.ATOMS,
        "is_pythons": operators.is_pythons,
        "defaults": entry.defaults,
        "form": form,
        "__name__": __name__,
        "float32": np.float32,
        "float64": np.float64,
        "function": quick_primal(function),
        "getframe": sys._getframe,
        "is_static": _is_static,
        "is_users_file": is_users_file,
        "locate": _locate,
        "make_pull": entry.pull,
        "modes": modes,
        "ndarray": np.ndarray,
        "next": next,
        "note": views.note,
        "off": off,
        "note_one": views.note_one,
        "orders": orders,
        "pulls": entry.pulls,
        "slow": slow,
        "tuple": tuple,
    }
    # Before it is read which class there is: another thread may change it.
    namespaces["recorders"].append(namespace)
    namespace["Node"] = namespaces["new"]["Node"]
    exec(compile(written, f"<recorder of {entry.operation.spelling}>", "exec"), namespace)
    made: Callable[..., Any] = namespace["recorder"]
    return made
