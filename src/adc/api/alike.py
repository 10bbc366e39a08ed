"""Code that was made for one function, for another of the same code.

`adc.grad(lambda w: loss(w, batch))(w)` in a loop makes a function each time: of one code, with other variables from
outside. What generated code reads there, and what it takes for granted, is known by places (`Place`), which begin at
the function or at one of its cells. So they are looked for at the same places of the new function, and so are those of
functions that it holds and that were made anew, too.
"""

from __future__ import annotations

import types
from dataclasses import replace
from typing import Any

from adc.api.binding import Binding
from adc.api.keeping import alike
from adc.api.specialise import NO_LONGER_THERE, Specialisation, captured
from adc.compiler.frontend.outside import Guard, Place

__all__ = ["moved"]


class _Unlike(Exception):
    """The code may mean something else for the new function."""


def moved(made: Specialisation, old: types.FunctionType, new: types.FunctionType) -> Specialisation | None:
    """What was made for the function `old`, reading what `new` holds; None where it may not fit.

    The place of the code stays what it was: both have the same text.
    """
    assert made.context is not None and made.context.lowered is not None
    if made.context.request.outside is not None:
        return None  # it calls functions that are not looked into, as they were
    lowered, beginnings = made.context.lowered, _Beginnings()
    try:
        beginnings.lead(old, new)
        guards = tuple(beginnings.guard(guard) for guard in lowered.guards)
        functions = tuple((beginnings.of(function), code) for function, code in made.functions)
        for function, _ in made.functions:
            beginnings.lead(function, beginnings.of(function))  # what is not made anew keeps its cells
        captures = tuple(captured(beginnings.place(capture.place)) for capture in lowered.captures)
        if [key for _, key, _ in captures] != [key for _, key, _ in made.captures]:
            return None
    except (_Unlike, *NO_LONGER_THERE):  # there is nothing at such a place
        return None
    return replace(
        made,
        captures=captures,
        guards=tuple((guard.read, guard.value, guard) for guard in guards),
        functions=functions,
        defaults=tuple(beginnings.defaults(function, held) for function, held in made.defaults),
    )


class _Beginnings:
    """Where places begin: for the functions and cells of the old function those of the new one."""

    def __init__(self) -> None:
        # By the address of what the old code keeps alive; and the other way round.
        self._found: dict[int, Any] = {}
        self._stands_for: dict[int, int] = {}

    def of(self, old: Any) -> Any:
        return self._found.get(id(old), old)

    def place(self, place: Place) -> Place:
        of = self.place(place.of) if isinstance(place.of, Place) else self.of(place.of)
        return Place(place.how, of, self.of(place.key))  # functions may be keys

    def guard(self, guard: Guard) -> Guard:
        """What is taken for granted at the new place. Raises _Unlike where it does not hold, but for an integer."""
        found = Guard(self.place(guard.place), guard.value, guard.label)
        if not found.holds() and not found.is_of_integer():
            found = Guard(found.place, found.read(), guard.label)
            self.lead(guard.value, found.value)
        elif isinstance(guard.value, types.FunctionType):
            self.lead(guard.value, guard.value)
        return found

    def defaults(self, function: types.FunctionType, held: Any) -> tuple[types.FunctionType, Any]:
        found = self.of(function)
        return found, held if found is function else found.__defaults__

    def lead(self, old: Any, new: Any) -> None:
        """Let places that begin at a function begin at another one. Raises _Unlike where they are not alike.

        So do places in functions that are transformed alike.
        """
        if isinstance(old, Binding) and old is not new:
            if not isinstance(new, Binding) or old._likeness() is None or old._likeness() != new._likeness():
                raise _Unlike
            self._stand_for(old, new)
            self.lead(old._of(), new._of())
            return
        if old is not new and not (type(old) is type(new) is types.FunctionType and alike(old, new)):
            raise _Unlike
        self._stand_for(old, new)
        for before, after in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
            self._stand_for(before, after)

    def _stand_for(self, old: Any, new: Any) -> None:
        first = self._stands_for.setdefault(id(new), id(old))
        if self._found.setdefault(id(old), new) is not new or first != id(old):
            raise _Unlike  # two functions shared a variable, or were one, and now are not; or the other way round
