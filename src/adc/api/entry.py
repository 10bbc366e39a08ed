"""The short way into generated code: a straight line of Python that tells whether a call is like one before.

What `read` finds by going over the arguments, and `fitting` by asking for each thing outside the function, is asked
here by a text made for one kind of arguments. For `grad(f)` with an array and a float:

    def entry(args):
        if len(args) != 2:
            return MISSED
        x, y = args
        try:
            if x.__class__ is not ndarray or x.dtype is not dtype:
                return MISSED
            shape = x.shape
            if len(shape) != 1 or ... or f.__code__ is not code or (globals["np"] is not numpy and not holds()):
                return MISSED
        except NO_LONGER_THERE:
            return MISSED
        ...
        return run(x, y)

It misses some calls that the long way knows for the same; it takes none that the long way would not.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adc.api.arguments import NUMBERS, Instead, is_by_identity, is_static_tuple
from adc.api.specialise import NO_LONGER_THERE, Specialisation
from adc.compiler.frontend import columns
from adc.compiler.frontend.outside import Place, texts_of
from adc.compiler.frontend.text_arrays import is_of_texts
from adc.compiler.sizes import FEW, short_axes
from adc.runtime.detours import own_code

__all__ = ["MISSED", "Entry", "made", "none_yet"]

MISSED: Any = object()  # what an entry gives for a call that it does not know

_FILE = str(Path(__file__).with_name("<entry>"))

Entry = Callable[[tuple[Any, ...]], Any]


def none_yet(args: tuple[Any, ...]) -> Any:
    """The entry of a transform that has not run."""
    return MISSED


class _Unlike(Exception):
    """There is no short way to tell whether a value is like one."""


def made(
    known: Specialisation,
    values: Sequence[Any],
    wanted: Sequence[bool],
    given: slice,
    instead: Instead,
    failed: Callable[[Exception, Specialisation, tuple[Any, ...]], Any],
) -> Entry | None:
    """The entry for calls like one whose arguments are the `given` ones of the values; None where there is none.

    The others are the same in each call. What `instead` gives for a list stands for it; `failed` answers for what
    raises.
    """
    text = _Text(instead)
    places = range(len(values))
    names = [text.named("x", None if k in places[given] else value) for k, value in enumerate(values)]
    try:
        for name, value, is_wanted in zip(names, values, wanted, strict=True):
            text.argument(name, value, is_wanted)
        if known.sizes is not None:
            text.refuse_unless(f"{text.named('hold', known.sizes.hold)}([{', '.join(text.inputs)}])")
        text.outside(known)
    except _Unlike:
        return None
    found: Entry = text.function(names[given], known, failed)
    return found


class _Text:
    """What is asked of a call, the inputs that it gives, and what the names in both mean."""

    def __init__(self, instead: Instead) -> None:
        self._instead = instead
        self.namespace: dict[str, Any] = {
            "__name__": __name__,  # of its frames is asked whether they are ours
            "MISSED": MISSED,
            "NO_LONGER_THERE": NO_LONGER_THERE,
            "ndarray": np.ndarray,
            "short_axes": short_axes,
            "is_static_tuple": is_static_tuple,
            "own_code": own_code,
            "instead": instead,
        }
        self.inputs: list[str] = []
        self._statements: list[str] = []
        self._conditions: list[str] = []  # for which there is no statement yet

    def refuse_unless(self, *conditions: str) -> None:
        self._conditions += conditions

    def bound(self, name: str, expression: str) -> str:
        """A variable of the entry's for what is read once all is so that was asked before."""
        name = self.named(name, None)
        self._statements += self._refused()
        self._statements.append(f"{name} = {expression}")
        return name

    def named(self, name: str, value: Any) -> str:
        """A name of its own, of a constant unless the entry assigns to it."""
        name = f"{name}_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def _refused(self) -> list[str]:
        conditions, self._conditions = self._conditions, []
        return [f"if not ({' and '.join(conditions)}):", "    return MISSED"] if conditions else []

    # --- the arguments ------------------------------------------------------------------------------------------

    def argument(self, x: str, value: Any, wanted: bool) -> None:
        """Refuse what is no argument of the kind of `value`: for that `arguments.read` would have another key."""
        if is_static_tuple(value) and not wanted:
            self.refuse_unless(f"is_static_tuple({x})", f"{x} == {value!r}")
        elif is_by_identity(value):
            self.refuse_unless(f"{x} is {self.named('same', value)}")
        else:
            self._part(x, value, wanted)

    def _part(self, x: str, value: Any, wanted: bool) -> None:
        kind = value.__class__
        if is_of_texts(value):
            told, texts = self.named("texts_of", texts_of), self.named("texts", texts_of(value, None))
            dtype = self.named("dtype", value.dtype)
            self.refuse_unless(
                f"{x}.__class__ is ndarray", f"{x}.dtype == {dtype}", f"{told}({x}, None) == {texts}"
            )
        elif kind is np.ndarray and value.ndim:
            self._array(x, value)
        elif kind is bool or value is None:
            self.refuse_unless(f"{x} is {value!r}")
        elif kind is str:
            self.refuse_unless(f"{x}.__class__ is str", f"{x} == {value!r}")
        elif isinstance(value, NUMBERS):
            self.refuse_unless(f"{x}.__class__ is {self.named('kind', kind)}")
            self.inputs.append(f"float({x})" if wanted and isinstance(value, int) else x)
        elif kind is dict and value and columns.are_texts(value):
            self.refuse_unless(f"{x}.__class__ is dict", f"tuple({x}) == {tuple(value)!r}")
            self._parts(x, [(key, value[key]) for key in sorted(value)], wanted)
        elif kind in (tuple, list) and value:
            self.refuse_unless(f"{x}.__class__ is {kind.__name__}")
            if kind is tuple or self._instead is None or not self._columns(x, value, wanted):
                self.refuse_unless(f"len({x}) == {len(value)}")
                self._parts(x, list(enumerate(value)), wanted)
        else:
            raise _Unlike

    def _parts(self, x: str, parts: list[tuple[Any, Any]], wanted: bool) -> None:
        for key, part in parts:
            self._part(self.bound("part", f"{x}[{key!r}]"), part, wanted)

    def _columns(self, x: str, value: list[Any], wanted: bool) -> bool:
        """Whether something stands for a list; where it does, refuse what is not like it."""
        assert self._instead is not None
        found = self._instead(value, wanted)
        if found is None and len(value) < columns.MANY:
            return False  # no other of this length is replaced either
        name = self.bound("columns", f"instead({x}, {wanted})")
        if found is None:
            self.refuse_unless(f"{name} is None")
            return False
        self.refuse_unless(f"{name} is not None", f"{name}.form == {self.named('form', found.form)}")
        for k, array in enumerate(found.arrays):
            self._part(self.bound("column", f"{name}.arrays[{k}]"), array, wanted)
        return True

    def _array(self, x: str, value: np.ndarray[Any, Any]) -> None:
        order = f"{x}.flags.c_contiguous"
        self.refuse_unless(f"{x}.__class__ is ndarray", f"{x}.dtype is {self.named('dtype', value.dtype)}")
        self.refuse_unless(order if value.flags.c_contiguous else f"not {order}")
        self.refuse_unless(*_lengths(self.bound("shape", f"{x}.shape"), value.shape))
        self.inputs.append(x)

    # --- what is outside the function ---------------------------------------------------------------------------

    def outside(self, known: Specialisation) -> None:
        """Refuse what `Specialisation.current_captures` refuses, and read what it reads."""
        for function, code in known.functions:
            f, c = self.named("function", function), self.named("code", code)
            self.refuse_unless(f"({f}.__code__ is {c} or own_code({f}) is {c})")
        for function, defaults in known.defaults:
            f = self.named("function", function)
            self.refuse_unless(f"{f}.__defaults__ is {self.named('defaults', defaults)}")
        for _, value, guard in known.guards:
            same, holds = self.named("value", value), self.named("holds", guard.holds)
            self.refuse_unless(f"({self._read(guard.place)} is {same} or {holds}())")
        for read, _, place in known.captures:
            value = read()
            if not isinstance(value, (np.ndarray, *NUMBERS)):
                raise _Unlike
            self._part(self.bound("captured", self._read(place)), value, False)

    def _read(self, place: Place) -> str:
        of = self._read(place.of) if isinstance(place.of, Place) else self.named("of", place.of)
        if place.how is getattr and place.key.isidentifier() and not keyword.iskeyword(place.key):
            return f"{of}.{place.key}"
        if place.how is operator.getitem and type(place.key) in (str, int):
            return f"{of}[{place.key!r}]"
        return f"{self.named('how', place.how)}({of}, {self.named('key', place.key)})"

    # --- the function ---------------------------------------------------------------------------------------------

    def function(
        self,
        parameters: Sequence[str],
        known: Specialisation,
        failed: Callable[[Exception, Specialisation, tuple[Any, ...]], Any],
    ) -> Any:
        """The entry itself."""
        statements = [*self._statements, *self._refused()]
        self.namespace.update(run=known.run, known=known, pack=known.pack, failed=failed)
        lines = [
            "def entry(args):",
            f"    if len(args) != {len(parameters)}:",
            "        return MISSED",
            f"    [{', '.join(parameters)}] = args",
            "    try:",
            *(f"        {line}" for line in statements or ["pass"]),
            "    except NO_LONGER_THERE:",
            "        return MISSED",
            "    try:",
            f"        raw = run({', '.join(self.inputs)})",
            "    except Exception as error:",
            "        return failed(error, known, args)",
            "    return raw" if known.pack is None else "    return pack(raw)",
        ]
        exec(compile("\n".join(lines), _FILE, "exec"), self.namespace)
        return self.namespace["entry"]


def _lengths(s: str, shape: tuple[int, ...]) -> Iterator[str]:
    """What is refused of the lengths `s` of an array: see `arguments.read`."""
    yield f"len({s}) == {len(shape)}"
    if 1 in shape:
        yield from (f"{s}[{k}] {'==' if n == 1 else '!='} 1" for k, n in enumerate(shape))
    elif len(shape) > 1 or shape[0] <= FEW:
        yield f"1 not in {s}"
    if shape[-1] > FEW:
        yield f"{s}[-1] > {FEW}"
        return
    yield f"{s}[-1] <= {FEW}"
    if len(shape) > 1:
        yield f"short_axes({s}) == {short_axes(shape)!r}"
