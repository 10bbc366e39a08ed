"""What is printed is text and fields for the numbers and arrays of the run, as `str.format` has them.

    print(point, {"left": x}, sep="; ")         Print("Point(x={!r}); {'left': {!r}}\\n", (point.x, x))

A container is written out with the `repr` of what it holds, an object by its own `__str__`, `__repr__` or `__format__`,
which run as part of the program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import choices, grown_reads, instances
from adc.compiler.frontend.frame import Closure, Growing, Instance, Kept, Range
from adc.compiler.frontend.values import Choice, Maybe, Shown, Text, Value
from adc.compiler.ir.nodes import Const, Print, Var
from adc.compiler.ir.types import Scalar
from adc.rules import python_containers

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_Piece = (
    str | Shown
)  # the second of a Var, of one of several things that the run chooses, or of a list of numbers
_SHORT = ("float32", "complex64")
_CONVERT: dict[str, Callable[[Any], Any]] = {"": lambda v: v, "s": str, "r": repr, "a": ascii}


def say(ev: Core, values: Iterable[Value], sep: str, end: str, flush: bool) -> None:
    """`print(*values, sep=sep, end=end, flush=flush)`."""
    values = [*values]
    missing = next((k for k, v in enumerate(values) if isinstance(v, Maybe) and v.absent is None), None)
    if missing is not None:  # None, unless a path has made it a value
        before, maybe, behind = values[:missing], values[missing], values[missing + 1 :]
        ev.choose(
            maybe.present,
            lambda: say(ev, [*before, maybe.value, *behind], sep, end, flush),
            lambda: say(ev, [*before, None, *behind], sep, end, flush),
        )
        return
    pieces: list[_Piece] = []
    for k, value in enumerate(values):
        pieces += [sep] if k else []
        pieces += _pieces(ev, Shown(value, "s"))
    _say_each(ev, [*pieces, end], flush)


def _say_each(ev: Core, pieces: list[_Piece], flush: bool) -> None:
    """One text for each of the things that the run may choose."""
    chosen = [p for p in pieces if isinstance(p, Shown) and isinstance(p.value, Choice)]
    if not chosen:
        _append(ev, pieces, flush)
        return

    def of_known(*known: Value) -> None:
        rest = iter(known)
        found: list[_Piece] = []
        for p in pieces:
            found += _pieces(ev, dataclasses.replace(p, value=next(rest))) if p in chosen else [p]
        _say_each(ev, found, flush)

    choices.of_each_in_turn(ev, of_known, *[p.value for p in chosen])


def _append(ev: Core, pieces: list[_Piece], flush: bool) -> None:
    text, values, kinds = "", [], []
    for p in pieces:
        if isinstance(p, str):
            text += p.replace("{", "{{").replace("}", "}}")
            continue
        value, kind = _value_and_kind(ev, p.value)
        # NumPy's short numbers have another text as `str` than by an empty format.
        told = p.conversion if p.conversion != "s" or p.spec or kind in _SHORT else ""
        text += "{" + (f"!{told}" if told else "") + (f":{p.spec}" if p.spec else "") + "}"
        values.append(value)
        kinds.append(kind)
    ev.block.append(Print(text, tuple(values), tuple(kinds), flush, ev.origin))


def _value_and_kind(ev: Core, value: Value) -> tuple[Var, str]:
    """A number, an array or a list of numbers for a field, and what it is (runtime/saying.py)."""
    if isinstance(value, Growing):
        return grown_reads.array(ev, value), "plain" if value.weak else "list"
    if not isinstance(value.type, Scalar):
        return value, "array"
    dtype = value.type.dtype
    plain = dtype.rstrip("0123456789")
    return value, plain if value.type.weak else "bool_" if plain == "bool" else dtype


def _pieces(ev: Core, shown: Shown) -> list[_Piece]:
    return [*_parts(ev, shown.value, shown.conversion, shown.spec)]


def _parts(ev: Core, value: Value, conversion: str, spec: str) -> Iterator[_Piece]:
    """`format(convert(value), spec)` in parts."""
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, Maybe):
        value = ev.required(value, "value")
    if isinstance(value, Text):
        quote = "'" if conversion == "r" and _is_quoted_plainly(value) else ""
        if spec or not (quote or conversion in ("", "s")):
            raise value.refused()
        yield quote
        for part in value.parts:
            yield from [part] if isinstance(part, str) else _pieces(ev, part)
        yield quote
    elif isinstance(value, (Var, Choice)):
        yield Shown(value, conversion, spec)
    elif isinstance(value, Instance):
        yield from _of_object(ev, value, conversion, spec)
    elif isinstance(value, Range):
        yield "range("
        yield from _parts(ev, value.start, "r", "")
        yield ", "
        yield from _parts(ev, value.stop, "r", "")
        if not isinstance(value.step, int) or value.step != 1:
            yield ", "
            yield from _parts(ev, value.step, "r", "")
        yield ")"
    elif isinstance(value, Closure):
        yield f"<function {value.__name__}>"
    elif ev.is_static(value):
        yield spec % (value,) if spec.startswith("%") else format(_CONVERT[conversion](value), spec)
    elif spec:
        raise _refused(ev, "is written with a format")
    elif isinstance(value, Growing):
        if value.nested or value.form is not None:
            raise _refused(ev, "is a list of a length that only the run knows, of more than numbers,")
        yield Shown(value, conversion, spec)
    else:
        yield from _of_container(ev, value)


def _is_quoted_plainly(text: Text) -> bool:
    """Whether the `repr` of a text is the text between two quotes."""
    return all(
        repr(part) == f"'{part}'"
        if isinstance(part, str)
        else isinstance(part.value, Var) and not part.value.is_array
        for part in text.parts
    )


def _of_object(ev: Core, value: Instance, conversion: str, spec: str) -> Iterator[_Piece]:
    if value.cls is python_containers.Deque and not spec:
        yield "deque("
        yield from _parts(ev, value["items"], "r", "")
        if value["maxlen"] is not None:
            yield ", maxlen="
            yield from _parts(ev, value["maxlen"], "r", "")
        yield ")"
        return
    known = value.cls is python_containers.Set and not isinstance(value["__held__"], Instance)
    if known and ev.is_static([*value["__held__"]]) and not spec:
        yield format(_CONVERT[conversion](set(value["__held__"])))
        return
    if getattr(value.cls, "__adc_model__", None) is not None:
        raise _refused(ev, "is an object of a library")
    if conversion == "" and instances.has_method(value, "__format__"):
        yield from _parts(ev, _told(ev, value, "__format__", spec), "", "")
        return
    names = ("__repr__",) if conversion in ("r", "a") else ("__str__", "__repr__")
    name = next((n for n in names if instances.has_method(value, n)), None)
    is_made = (
        dataclasses.is_dataclass(value.cls) and getattr(value.cls.__repr__, "__wrapped__", None) is not None
    )
    if name is not None and not (is_made and name == "__repr__"):
        yield from _parts(ev, _told(ev, value, name), "", spec)
        return
    if spec:
        raise _refused(ev, "is written with a format")
    if is_made:
        yield f"{value.cls.__qualname__}("
        fields = [f.name for f in dataclasses.fields(value.cls) if f.repr]
        for k, f in enumerate(fields):
            yield (", " if k else "") + f"{f}="
            yield from _parts(ev, value[f], "r", "")
        yield ")"
    elif issubclass(value.cls, BaseException):
        held = value["args"]
        if conversion == "r":
            yield value.cls.__name__
            yield from _parts(ev, held, "r", "") if len(held) != 1 else _listed(ev, "(", held, ")")
        elif held:
            yield from _parts(ev, held[0], "s", "") if len(held) == 1 else _parts(ev, held, "r", "")
    else:
        yield f"<{value.cls.__module__}.{value.cls.__qualname__} object>"


def _told(ev: Core, value: Instance, name: str, *args: Value) -> Value:
    """The text that a method of an object's class makes."""
    text = ev.call(instances.attribute(ev, value, name), [*args], {})
    if not isinstance(text, (str, Text, Choice)):
        raise _refused(ev, "has no text")
    return text


def _of_container(ev: Core, value: Value) -> Iterator[_Piece]:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        yield f"{type(value).__name__}("
        for k, (name, held) in enumerate(zip(value._fields, value, strict=True)):
            yield (", " if k else "") + f"{name}="
            yield from _parts(ev, held, "r", "")
        yield ")"
    elif isinstance(value, tuple):
        yield from _listed(ev, "(", value, ",)" if len(value) == 1 else ")")
    elif isinstance(value, list):
        yield from _listed(ev, "[", value, "]")
    elif type(value) in (dict, Kept):
        yield "{"
        for k, (key, held) in enumerate(value.items()):
            yield ", " if k else ""
            yield from _parts(ev, key, "r", "")
            yield ": "
            yield from _parts(ev, held, "r", "")
        yield "}"
    else:
        raise _refused(ev, "is neither a number nor a list, tuple, dict or object")


def _listed(ev: Core, opening: str, items: Iterable[Value], closing: str) -> Iterator[_Piece]:
    yield opening
    for k, item in enumerate(items):
        yield ", " if k else ""
        yield from _parts(ev, item, "r", "")
    yield closing


def _refused(ev: Core, what: str) -> Exception:
    return ev.refuse(f"what is printed {what}", "a text is made of numbers and arrays", "print what it holds")
