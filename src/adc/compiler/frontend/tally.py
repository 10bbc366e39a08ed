"""How long a program becomes while it is lowered, and how long it may.

Numba takes 5 to 10 ms for a statement. In mode auto the tape takes what would be compiled for minutes: loops that are
written out, within each other, make such programs of a few lines.
"""

from __future__ import annotations

from adc.errors import Location, UnsupportedError

MOST_ATTEMPTS = 20  # at a program, that evaluate as many statements as it may have


class TooLong(Exception):
    """A program has more statements than it may."""


class Tally:
    """The assignments and calls of a program, in front of the derivative."""

    def __init__(self) -> None:
        self.longest: int | None = None  # the most that it may have
        self.kept = 0  # those that it has
        self._spent = 0  # with those that were evaluated to no end
        self.loop: Location | None = None  # the outermost one around that is written out

    def add(self) -> None:
        """Count one more. Raises TooLong, which no attempt catches, where there may be none."""
        self.kept += 1
        self._spent += 1
        if self.longest is None:
            return
        if self.kept > self.longest or self._spent > MOST_ATTEMPTS * self.longest:
            raise TooLong

    def refusal(self, origin: Location | None) -> UnsupportedError:
        """What is said of such a program. `origin`: where it has come to."""
        of = "the function" if self.loop is None else "this loop, written out trip by trip,"
        refusal = UnsupportedError(
            f"the code of {of} has more than {self.longest} statements, which take a minute and more to compile",
            self.loop or origin,
            "loops over lists or objects that change, or are not alike, are written out, and so are calls of helpers",
            'Put what it goes over into arrays, or wait for the compiler: mode="compiled".',
        )
        refusal.too_long = True
        return refusal
