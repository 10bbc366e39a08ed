"""What stands for the containers that a loop carries, while its body is evaluated.

A loop carries numbers and arrays. A list, dict or object is carried by what it holds: its name is given a container of
the loop's own, with what each place holds in any trip. Another name of the container, which the loop does not carry,
would not see what the body writes there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from adc.compiler.frontend.containers import Container, same_contents
from adc.compiler.frontend.frame import Growing, ListValue, NeedsUnrolling, is_kept
from adc.compiler.frontend.outside import is_own_dict
from adc.compiler.frontend.provenance import containers_in
from adc.compiler.frontend.values import UNDEFINED, Value

Path = tuple[Any, ...]  # the name, and the places on the way in


@dataclass
class _StandIn:
    path: Path
    original: Container  # before the loop
    container: Container  # for the body
    held: Container  # what that holds when a trip begins

    @property
    def changed(self) -> bool:
        grows = isinstance(self.container, ListValue) and self.container.grows
        return grows or not same_contents(self.container, self.held)


class StandIns:
    """The containers under some names before a loop, with those that stand for them in the body, `env`."""

    def __init__(self, names: Iterable[str], before: dict[str, Value], env: dict[str, Value]) -> None:
        self._all = [
            _StandIn(path, original, container, container.copy())
            for name in names
            for (path, original), (_, container) in zip(
                _containers(before.get(name, UNDEFINED), (name,)),
                _containers(env[name], (name,)),
                strict=True,
            )
        ]

    def refuse_lost_changes(
        self, left: dict[str, Value], elsewhere: Callable[[str, Container], bool]
    ) -> None:
        """Raise NeedsUnrolling where the body changes what has another name, which `elsewhere` says, or lies in such.

        `left` is what the names hold after a trip. A change is lost, too, that a later trip makes, when what stands for
        the container has come to another place, or when what a trip leaves there lies in a row of a list.
        """
        if not any(each.changed for each in self._all):
            return
        places = [place for name, value in left.items() for place in _containers(value, (name,))]
        originals = {each.path: each.original for each in self._all}
        kept = [path for path, container in places if is_kept(container)]
        for each in self._all:
            moved = any(c is each.container and path != each.path for path, c in places)
            if moved or each.changed:
                around = (originals.get(each.path[:k]) for k in range(1, len(each.path) + 1))
                if any(c is not None and elsewhere(each.path[0], c) for c in around):
                    raise NeedsUnrolling
            if each.changed and each.path in kept:
                raise NeedsUnrolling


def held_in(value: Value) -> Iterator[Container]:
    """The containers in a value, itself included."""
    return (container for _, container in _containers(value, ()))


def _containers(value: Value, path: Path) -> Iterator[tuple[Path, Container]]:
    """The containers in a value that can change, with where they stand."""
    for place, container in containers_in(value, path):
        grows = isinstance(container, Growing) and container.changes
        if isinstance(container, ListValue) or is_own_dict(container) or grows:
            yield place, container
