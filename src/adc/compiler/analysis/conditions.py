"""What the test of a branch says of integers where the branch runs.

if i < n - 1:
    below = x[i + 1]        here n - 2 - i is zero or more
else:
    below = x[i]            and here i - (n - 1) is
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Atom, Const, If, Program, Var, walk
from adc.rules.dims import Dim

OPPOSITE = {
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "equal": "not_equal",
    "not_equal": "equal",
}
ALL_OF, ANY_OF = ("logical_and", "bitwise_and"), ("logical_or", "bitwise_or")


class Conditions:
    """The tests of a program's branches."""

    def __init__(self, program: Program) -> None:
        statements = walk(program.body)
        self._made = {t: s for s in statements if isinstance(s, Assign) for t in s.targets}
        # `a and b` runs b if a holds, and is False else: (test, then, else) of what a branch chooses.
        self._chosen = {
            m.result: (s.test, m.then, m.orelse) for s in statements if isinstance(s, If) for m in s.merges
        }

    def facts(self, path: Sequence[tuple[Atom, bool]]) -> Iterator[tuple[Dim, bool]]:
        """Integers that are zero or more, or with True: not zero, where tests hold or do not hold, as `path` says."""
        for test, holds in self._truths(path).items():
            yield from self._said(test, holds)

    def any_of(self, test: Atom) -> Iterator[list[tuple[Dim, bool]]]:
        """What would make a test hold: each is enough."""
        waiting = [test]
        while waiting:
            part = waiting.pop()
            if not isinstance(part, Var):
                continue
            parts, of_all = self._parts(part)
            if parts and of_all is False:
                waiting += parts
            facts = list(self._said(part, True))
            if facts:
                yield facts

    def _said(self, test: Var, holds: bool) -> Iterator[tuple[Dim, bool]]:
        """What a comparison of integers says."""
        made = self._made.get(test)
        if made is not None and made.name in OPPOSITE:
            a, b = map(length_of, made.args)
            if a is not None and b is not None:
                yield from compared(made.name if holds else OPPOSITE[made.name], a - b)

    def _truths(self, path: Sequence[tuple[Atom, bool]]) -> dict[Var, bool]:
        """What is known of the tests themselves, and of those that they are made of."""
        truths: dict[Var, bool] = {}
        # One of these tests at least is as it says: the last that may be, if all others are known not to be.
        one_of: list[tuple[Sequence[Atom], bool]] = []
        waiting = list(path)
        while waiting:
            test, holds = waiting.pop()
            if not isinstance(test, Var) or test in truths:
                continue
            truths[test] = holds
            parts, of_all = self._parts(test)
            if of_all is None:
                waiting += [(p, not holds) for p in parts]
            elif of_all == holds:
                waiting += [(p, holds) for p in parts]
            else:
                one_of.append((parts, holds))
            for tests, so in one_of:
                left = [p for p in tests if not isinstance(p, Var) or truths.get(p) == so or p not in truths]
                if len(left) == 1:
                    waiting.append((left[0], so))
        return truths

    def _parts(self, test: Var) -> tuple[Sequence[Atom], bool | None]:
        """The tests that one is made of, and whether it holds if all of them do, or any; None: if the one does not."""
        if test in self._chosen:
            first, then, orelse = self._chosen[test]
            if orelse == Const(False):
                return (first, then), True
            return ((first, orelse), False) if then == Const(True) else ((), True)
        made = self._made.get(test)
        if made is None or made.name not in (*ALL_OF, *ANY_OF, "logical_not"):
            return (), True
        return made.args, None if made.name == "logical_not" else made.name in ALL_OF


def compared(name: str, difference: Dim) -> Iterator[tuple[Dim, bool]]:
    """What a comparison says of the difference of its sides: it is zero or more, or with True: not zero."""
    if name in ("greater", "greater_equal", "equal"):
        yield difference - (name == "greater"), False
    if name in ("less", "less_equal", "equal"):
        yield -difference - (name == "less"), False
    if name == "not_equal":
        yield difference, True


def certain(facts: Iterable[tuple[Dim, bool]], proven: Callable[[Dim], bool]) -> bool:
    """Whether all that a comparison says is so, by what tells which integers are zero or more."""
    return all(proven(d - apart) or (apart and proven(-d - 1)) for d, apart in facts)
