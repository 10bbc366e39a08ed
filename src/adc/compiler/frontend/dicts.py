"""Dicts: their keys are looked up while the program is compiled, so they must be known then.

A variable of the program is a key by what it is called, not by its value: looked up as it is, it would never be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import keys_of_run
from adc.compiler.frontend.frame import Instance, SurelyRaised
from adc.compiler.frontend.known import require_known_key
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_READING, _CHANGING = ("get",), ("pop", "setdefault")


class Viewed(list[Value]):
    """What a view of a dict gives a loop: of the keys that are there now, what they hold when it comes to them."""

    def __init__(self, ev: Core, view: Any) -> None:
        super().__init__(view)
        self._ev, self._keys, self._mapping = ev, list(view.mapping), view.mapping
        self._item = _ITEM[type(view)]

    def _at(self, key: Value) -> Value:
        if len(self._mapping) != len(self._keys):
            error = RuntimeError("dictionary changed size during iteration")
            raise SurelyRaised(error, self._ev.region_depth, self._ev.origin)
        return self._item(self._mapping, key)

    def __getitem__(self, place: Any) -> Any:
        keys = self._keys[place]
        return [self._at(key) for key in keys] if isinstance(place, slice) else self._at(keys)

    def __iter__(self) -> Iterator[Value]:
        return map(self._at, self._keys)


_ITEM: dict[type, Any] = {
    type({}.keys()): lambda mapping, key: key,
    type({}.values()): lambda mapping, key: mapping[key],
    type({}.items()): lambda mapping, key: (key, mapping[key]),
}


def require_known_for(self: Core, held: Value, method: str, args: list[Value]) -> None:
    """Refuse a method's call with such a key; in a loop its trips may be spelled out, which tells what counters are."""
    if method in (*_READING, *_CHANGING) and args:
        require_known_key(self, args[0], held, read=method in _READING)


def made(self: Core, *given: Value, **named: Value) -> Value:
    """What `dict(...)` makes."""
    return keys_of_run.made(self, dict(*(contents(self, value) for value in given), **named))


def contents(self: Core, value: Value) -> dict[Value, Value]:
    """What a dict is made from, or takes in: another one, or pairs."""
    value = self.opened(value)
    if isinstance(value, Instance):
        raise self.refuse(
            f"a `{value.cls.__name__}` is not supported in place of a dict", repair="make a dict of it"
        )
    if isinstance(value, dict):
        return value
    pairs = [tuple(self.static_items(pair, None)) for pair in self.static_items(value, None)]
    for pair in pairs:
        require_known_key(self, pair[:1])
    found: dict[Value, Value] = self.now(dict, [pairs], {})
    return found


def of_keys(self: Core, keys: Value, value: Value = None) -> Value:
    """`dict.fromkeys(keys, value)`: one value under all of them."""
    found = self.static_items(keys, None)
    for key in found:
        require_known_key(self, key)
    return dict.fromkeys(found, value)
