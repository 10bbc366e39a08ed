"""Texts with numbers in them that only the run knows: `"%.2f" % v`, `"{:.2f}".format(v)`, `"x = " + str(v)`.

What is left of such a text is what it says: its literal parts and the numbers in between, as of an f-string.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

from adc.compiler.frontend.values import Text, Value

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
            parts.append(values.pop(0))
    if values:
        raise ev.refuse("not all arguments converted during string formatting")
    return Text([*parts, text[end:]], ev.refuse)


def by_format(ev: Core, text: str, given: list[Value], named: dict[str, Value]) -> Text:
    """`text.format(*given, **named)`."""
    parts: list[Value] = []
    counted = iter(given)
    for literal, field, _, _ in string.Formatter().parse(text):
        parts.append(literal)
        if field is None:
            continue
        if field == "":
            parts.append(next(counted, ""))
        elif field.isdigit() and int(field) < len(given):
            parts.append(given[int(field)])
        elif field in named:
            parts.append(named[field])
        else:
            raise ev.refuse(f"`{{{field}}}` in a text is not supported", repair="write an f-string")
    return Text(parts, ev.refuse)


def joined(ev: Core, *parts: Value) -> Text:
    """`x + y`, or an f-string of such parts, some of which have numbers in them."""
    return Text([p for part in parts for p in (part.parts if isinstance(part, Text) else (part,))], ev.refuse)
