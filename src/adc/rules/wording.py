"""A call in the words of its function becomes one in the words of its rule.

A rule has the parameters that a derivative depends on, so what follows those that it leaves away has another position
there: `np.median(x, 0, None, False, True)` is `median(x, 0, out=None, keepdims=True)`. What changes no value is left
out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adc.rules.fitting import BY_POSITION, signature_of

# How much a function checks, and which memory it may take: whatever is said, the result is the same.
HARMLESS = frozenset(
    {"check_finite", "lapack_driver", "workers"}
    | {f"overwrite_{name}" for name in ("a", "b", "ab", "b_ab", "x", "input", "data", "c")}
)
_PLAIN = (bool, int, float, str)
_BARE = "_no_deco"  # by which functions of scipy.stats call each other without what looks after axes and NaN


@dataclass(frozen=True)
class Wording:
    """How the parameters of a function go with those of its rule."""

    names: tuple[str, ...]  # of the function's positional parameters
    agreed: int  # so many of them have the same position in the rule
    renamed: Mapping[str, str]  # the rule's name of a parameter at the same position
    defaults: Mapping[str, Any]
    known: frozenset[str]  # the rule's names, and `out`, which the engines take

    def ruled(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The arguments as the rule takes them. Those that it cannot take stay as they are, to be refused."""
        given = dict(kwargs)
        beyond = dict(zip(self.names[self.agreed :], args[self.agreed :], strict=False))
        if len(args) <= len(self.names) and not beyond.keys() & given.keys():
            args, given = args[: self.agreed], {**given, **beyond}
        named = {self.renamed.get(name, name): value for name, value in given.items()}
        return args, {k: v for k, v in named.items() if k in self.known or not self._says_nothing(k, v)}

    def _says_nothing(self, name: str, value: Any) -> bool:
        if (name in HARMLESS and name in self.defaults) or name == _BARE:
            return True
        default = self.defaults.get(name, inspect.Parameter.empty)
        return value is default or (
            type(value) in _PLAIN and type(value) is type(default) and value == default
        )


def wording(
    function: Callable[..., Any], parameters: Sequence[inspect.Parameter], known: frozenset[str]
) -> Wording | None:
    """How the parameters of a function go with those of its rule; None where it does not say what it takes.

    >>> import numpy as np
    >>> from adc.rules import registry
    >>> median = registry.find(np.median)
    >>> wording(np.median, median.parameters, frozenset(median.names)).ruled(([1.0], 0, None, False, True), {})
    (([1.0], 0), {'out': None, 'keepdims': True})
    """
    signature = signature_of(function)
    if signature is None:
        return None
    theirs = tuple(p.name for p in signature.parameters.values() if p.kind in BY_POSITION)
    own = tuple(p.name for p in parameters if p.kind in BY_POSITION)
    everywhere = {p.name for p in parameters}
    agreed = 0
    renamed = {}
    for their_name, own_name in zip(theirs, own, strict=False):
        if their_name != own_name:
            if their_name in everywhere | known or own_name in signature.parameters:
                break  # the same name elsewhere: another parameter
            renamed[their_name] = own_name
        agreed += 1
    defaults = {p.name: p.default for p in signature.parameters.values()}
    return Wording(theirs, agreed, renamed, defaults, known | {"out"})
