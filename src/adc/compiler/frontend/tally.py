"""How long a program becomes while it is lowered, and how long it may.

Numba takes 5 to 10 ms for a statement. In mode auto the tape takes what would be compiled for minutes: loops that are
written out, within each other, make such programs of a few lines. Code that is made for some sizes has a limit of its
own, against which only the user's own statements are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adc.errors import Location, UnsupportedError

MOST_ATTEMPTS = 20  # at a program, that evaluate as many statements as it may have
MOST_TIMES = 3  # as many statements as the user's may be, for a derivative of them


class TooLong(Exception):
    """A program has more statements than it may."""


class Tally:
    """The assignments and calls of a program, in front of the derivative."""

    def __init__(self) -> None:
        self.longest: int | None = None  # the most that it may have
        self.most: int | None = None  # of the user's, where the code is for some sizes
        self.kept = 0  # those that it has
        self.spent = 0  # the user's, with those that were evaluated to no end
        self._evaluated = 0  # all of them
        self.loop: Location | None = None  # the outermost one around that is written out

    def add(self) -> None:
        """Count one more. Raises TooLong, which no attempt catches, where there may be none."""
        self.kept += 1
        self.spent += 1
        self._evaluated += 1
        if self.longest is None:
            return
        if self.kept > self.longest or self._evaluated > MOST_ATTEMPTS * self.longest:
            raise TooLong

    @property
    def too_many(self) -> bool:
        """Whether these are more statements of the user's than code for some sizes may have."""
        return self.most is not None and self.spent > self.most

    def unlimited(self) -> None:
        """The program is there: what is derived from it is as long as it is."""
        self.longest = self.most = None

    @contextmanager
    def derived(self) -> Iterator[None]:
        """Statements counted inside are not held against the user's.

        A derivative is a few times as long as what it is of, and what has a gradient is to have a product with the
        Hessian.
        """
        spent, most = self.spent, self.most
        self.most = None if most is None else MOST_TIMES * most
        try:
            yield
        finally:
            self.spent, self.most = spent, most

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
