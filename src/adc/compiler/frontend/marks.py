"""Points in the evaluation of a program to which it can go back, to evaluate something in another way."""

from __future__ import annotations

from adc.compiler.frontend.containers import Container, Contents
from adc.compiler.frontend.core import Core


class Mark:
    """Everything that evaluating statements changes, as it is now."""

    def __init__(self, ev: Core) -> None:
        self._ev = ev
        self._length = len(ev.block)
        self._env = dict(ev.frame.env)
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
        ev.region_depth, ev.loop_depth = self._depths
        ev.mutated, ev.frozen = dict(self._mutated), dict(self._frozen)
        ev.stacked, ev.settled = dict(self._stacked), dict(self._settled)
        ev.tally.kept = self._kept
        ev.equal.restore(self._lengths)
        self._contents.taken()
