"""Texts with numbers in them that only the run knows: `"%.2f" % v`, `"{:.2f}".format(v)`, `"x = " + str(v)`.

What is left of such a text is what it says: its literal parts and the values in between, as of an f-string.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adc.compiler.frontend.values import Shown, Text, Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_float, is_integer

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_CONVERSION = re.compile(
    r"%(?P<key>\(.*?\))?[-+ #0]*(?P<width>\*|\d+)?(?:\.(?P<digits>\*|\d+))?[hlL]?(?P<kind>.)"
)


def by_percent(ev: Core, text: str, given: Value) -> Text:
    """`text % given`."""
    values = list(given) if isinstance(given, tuple) else [given]
    parts: list[Value] = []
    end = 0
    for found in _CONVERSION.finditer(text):
        parts.append(text[end : found.start()])
        end = found.end()
        if found["key"] or "*" in (found["width"], found["digits"]):
            raise ev.refuse(f"`{found[0]}` in a text is not supported", repair="write an f-string")
        if found["kind"] == "%":
            parts.append("%")
        elif not values:
            raise ev.refuse("not enough arguments for format string")
        else:
            converted = _converted(ev, found[0], values.pop(0))
            parts += converted.parts if isinstance(converted, Text) else (converted,)
    if values:
        raise ev.refuse("not all arguments converted during string formatting")
    return Text([*parts, text[end:]], ev.refuse)


def by_format(ev: Core, text: str, given: list[Value], named: dict[str, Value]) -> Text:
    """`text.format(*given, **named)`."""
    parts: list[Value] = []
    counted = iter(given)
    for literal, field, spec, conversion in string.Formatter().parse(text):
        parts.append(literal)
        if field is None:
            continue
        if field == "":
            value = next(counted, "")
        elif field.isdigit() and int(field) < len(given):
            value = given[int(field)]
        elif field in named:
            value = named[field]
        else:
            raise ev.refuse(f"`{{{field}}}` in a text is not supported", repair="write an f-string")
        if "{" in (spec or ""):
            raise ev.refuse(f"`{{{field}:{spec}}}` in a text is not supported", repair="write an f-string")
        parts += shown(ev, value, conversion or "", spec or "").parts
    return Text(parts, ev.refuse)


def shown(ev: Core, value: Value, conversion: str, spec: Value) -> Text:
    """`f"{value!conversion:spec}"`."""
    if not isinstance(spec, str):
        raise ev.refuse(
            "how wide a number is printed is only known when the program runs", repair="write it down"
        )
    if spec.startswith("%"):
        raise ev.refuse(f"`{spec}` in a text is not supported", repair="write an f-string")
    if isinstance(value, Text):
        if conversion in ("", "s") and not spec:
            return value
        inner = [part for part in value.parts if part != ""] if conversion in ("", "s") else []
        if len(inner) == 1 and isinstance(inner[0], Shown) and not inner[0].spec:
            return Text([Shown(inner[0].value, inner[0].conversion or "s", spec)], ev.refuse)
        raise value.refused()
    return Text([Shown(value, conversion, spec)], ev.refuse)


def as_text(ev: Core, value: Value, conversion: str = "s") -> Text:
    """`str(value)`, or `repr(value)`."""
    return shown(ev, value, conversion, "")


def _converted(ev: Core, conversion: str, value: Value) -> Value:
    """`"%5.2f" % value`: by the same conversion of `format` where there is one."""
    if ev.is_static(value):
        return conversion % (value,)
    found = _CONVERSION.fullmatch(conversion)
    assert found is not None
    kind, flags, width = found["kind"], conversion[1:-1], found["width"] or ""
    if kind in "sra" and not flags.strip("-0123456789"):
        aligned = ("<" if "-" in flags else ">") + width if width else ""
        return shown(ev, value, kind, aligned)
    if isinstance(value, Var) and not value.is_array and "-" not in flags:
        if kind in "feEgG" and (is_float(value.type) or is_integer(value.type)):
            return Shown(value, "", conversion[1:])
        if kind in "diu" and is_integer(value.type) and "." not in flags:
            return Shown(value, "", flags + "d")
    if isinstance(value, Text):
        raise value.refused()
    return Shown(value, "", conversion)


def joined(ev: Core, *parts: Value) -> Text:
    """`x + y`, or an f-string of such parts, some of which have numbers in them."""
    said: list[Value] = []
    for part in parts:
        said += (
            part.parts if isinstance(part, Text) else (part if isinstance(part, str) else Shown(part, "s"),)
        )
    return Text(said, ev.refuse)


def joined_by(ev: Core, between: str, items: Sequence[Value]) -> Text:
    """`between.join(items)`."""
    if not all(isinstance(item, (str, Text)) for item in items):
        raise ev.refuse("what `join` is given is not all text", repair="write `str(item)`")
    return joined(ev, *[part for item in items for part in (between, item)][1:])
