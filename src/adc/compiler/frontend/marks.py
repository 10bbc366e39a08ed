"""Points in the evaluation of a program to which it can go back, to evaluate something in another way."""

from __future__ import annotations

from collections.abc import Iterable

from adc.compiler.frontend.containers import Container, Contents
from adc.compiler.frontend.core import Core
from adc.compiler.frontend.frame import Frame


class Mark:
    """Everything that evaluating statements changes, as it is now."""

    def __init__(self, ev: Core) -> None:
        self._ev = ev
        self._length = len(ev.block)
        self._env = dict(ev.frame.env)
        # A list that comes to lie in an array does so under its names in the functions around, too.
        self._around = [(frame, dict(frame.env)) for frame in _around(ev.frame)]
        self._depths = ev.region_depth, ev.loop_depth
        self._mutated, self._frozen = dict(ev.mutated), dict(ev.frozen)
        self._stacked, self._settled = dict(ev.stacked), dict(ev.settled)
        self._kept = ev.tally.kept
        self._lengths = ev.equal.snapshot()
        self._contents = Contents(ev.frame)

    def knows(self, container: Container | None) -> bool:
        """Whether a container was there, for anyone to find changed; None is a name, which is."""
        return container is None or id(container) in self._contents.held

    def back(self) -> None:
        ev = self._ev
        del ev.block[self._length :]
        ev.frame.env = dict(self._env)
        for frame, env in self._around:
            frame.env.clear()
            frame.env.update(env)
        ev.region_depth, ev.loop_depth = self._depths
        ev.mutated, ev.frozen = dict(self._mutated), dict(self._frozen)
        ev.stacked, ev.settled = dict(self._stacked), dict(self._settled)
        ev.tally.kept = self._kept
        ev.equal.restore(self._lengths)
        self._contents.taken()


def _around(frame: Frame) -> Iterable[Frame]:
    """The frames that call one, and those of the functions that they stand in."""
    found: dict[int, Frame] = {}
    left = [frame.caller, frame.parent]
    while left:
        each = left.pop()
        if each is not None and each is not frame and id(each) not in found:
            found[id(each)] = each
            left += (each.caller, each.parent)
    return found.values()
