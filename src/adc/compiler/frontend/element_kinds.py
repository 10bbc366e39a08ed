"""What the elements of a list are whose length only the run knows: found when the first is seen, guessed before that.

The program is lowered again once it is known: the array of the list is made where the list begins to grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adc.compiler.frontend import guesses
from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.packed import Form, Said
from adc.compiler.frontend.values import Value
from adc.compiler.ir.types import Array, Scalar, Type
from adc.errors import AdcError, Location, ShapeError, UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


Kept = tuple[Type, bool, bool, Said | None]  # what a later attempt knows of an `ElementFound`


@dataclass(eq=False)
class ElementFound(Exception):
    """The first element of a list was seen, or one of another kind than those before."""

    key: int  # of the list
    made: Location | None
    type: Type
    guessed: bool = False
    nested: bool = False  # it is a list or tuple of numbers
    form: Form | None = None  # how it is packed, where it holds arrays
    weak: bool = False  # the numbers are Python's own
    of_rows: bool = False  # it is a number in a row, and `type` does not say how long that is

    @property
    def kept(self) -> Kept:
        return self.type, self.weak, self.of_rows, None if self.form is None else self.form.said


def is_weak(ev: Core, value: Value) -> bool:
    """Whether all numbers in an element are Python's own."""
    if isinstance(value, Growing):
        return value.weak
    if isinstance(value, (tuple, list)):
        return all(is_weak(ev, item) for item in value)
    t = ev.type_of(value)
    return isinstance(t, Scalar) and t.weak is True


def stays_weak(ev: Core) -> bool:
    """Whether no earlier attempt has put a number of NumPy's into the list that is made here."""
    known = ev.list_kinds.get(ev.origin)
    return known is None or known[1]


MOST_GUESSED = 2  # dimensions of an element of which nothing but a read is seen


def guessed_again(kind: ElementFound | None) -> ElementFound | None:
    """Another guess at an element, where it is a guess that fails: one dimension more.

    A list that is read before anything is put into it, as the vectors before this one in Gram-Schmidt, shows what it
    holds further down only. The guess brings the evaluator there; its lengths never get into a program.
    """
    if kind is None or not kind.guessed or (ndim := kind.type.ndim) == MOST_GUESSED:
        return None
    lengths = tuple(guesses.guessed() for _ in range(ndim + 1))
    return ElementFound(kind.key, kind.made, Array(kind.type.dtype, lengths), guessed=True)


def failed_guess(ev: Core, failure: AdcError) -> AdcError:
    """Why a list is refused of which no guess went well: a shape that does not fit one may fit what is in the list."""
    if isinstance(failure, ShapeError):
        return cannot(ev, "it is read before anything is put into it, which tells what its elements are")
    return failure


def cannot(ev: Core, why: str) -> UnsupportedError:
    return ev.refuse(
        "a list changes in a loop whose number of trips is only known at run time", why, "use an array"
    )
