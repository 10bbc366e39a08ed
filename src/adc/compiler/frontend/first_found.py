"""`next(item for item in items if test)` where the tests are known while compiling: that very item, whatever it is.

Found in a loop it would be one of several, chosen when the program runs; what has an identity is looked for here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adc.compiler.frontend.frame import Items
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.values import Value
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.iteration import Iteration

MOST_LOOKED_AT = 1000
UNKNOWN = object()


def known(self: Iteration, generator: Any, items: Value) -> Value:
    """The first element of a generator expression; UNKNOWN where a test is not known, or none is true."""
    clause, *more = generator.generators
    if more or not clause.ifs:
        return UNKNOWN
    endless = isinstance(items, Items) and items.length is None
    if not endless and not self.known_length(items):
        return UNKNOWN
    mark = Mark(self)
    try:
        every = None if endless else self.static_items(items, clause.iter)
        for k in range(MOST_LOOKED_AT if every is None else min(len(every), MOST_LOOKED_AT)):
            found = self.named_in_turn(clause, generator.elt, items.item(k) if every is None else every[k])
            if found is UNKNOWN:
                break
            if found is not None:
                return found[0]
    except UnsupportedError:
        pass
    mark.back()
    return UNKNOWN
