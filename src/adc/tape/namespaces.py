"""The globals of a function that is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adc.tape import tables
from adc.tape.tensor import Tensor
from adc.tape.users_code import NUMERICAL

__all__ = ["Namespace"]


class Namespace(dict[str, Any]):
    """A function's globals, translated as they are looked up."""

    def __init__(self, substitution: Any, original: dict[str, Any]) -> None:
        super().__init__()
        self._translate: Callable[[Any], Any] = substitution.translate
        self._original = original
        self._translated: dict[str, Any] = {}
        self["__builtins__"] = substitution.builtins
        self._is_of_a_library = str(original.get("__name__")).partition(".")[0] in NUMERICAL
        for name in ("__name__", "__package__", "__spec__"):  # where a relative import looks
            self[name] = original.get(name)
        self._translated.update(self)

    def __missing__(self, name: str) -> Any:
        value = self._original[name]  # KeyError: the interpreter tries builtins
        table = tables.translated(value, self._translate) if self._is_of_a_library else None
        value = self._translate(value) if table is None else table
        self[name] = self._translated[name] = value
        return value

    def look_up(self, names: Iterable[str]) -> None:
        """Translate names now: the body of a class asks the dict itself, and not `__missing__`."""
        for name in names:
            if name in self._original and name not in self:
                self[name] = self._translated[name] = self._translate(self._original[name])

    def write_back(self) -> None:
        """Names assigned by traced code (`global`) are assigned in the module, constants as arrays."""
        for name, value in self.items():
            if name not in self._translated or self._translated[name] is not value:
                plain = isinstance(value, Tensor) and value.node is None
                self._original[name] = value.primal if plain else value
                self._translated[name] = value
