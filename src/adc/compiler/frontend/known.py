"""What must be known while a program is compiled: places in lists and tuples, keys of dicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend import keys_of_run
from adc.compiler.frontend.frame import NeedsUnrolling
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["require_known", "require_known_key"]

_KEY, _OTHER_KEY = "a dict key must be known before the program runs", "use a constant key"


def require_known(
    self: Core,
    value: Value,
    of: Value,
    what: str,
    why: str = "",
    repair: str = "use an array",
    *,
    read: bool = False,
) -> None:
    """Refuse a place in `of`, which is changed there or `read`, that is only known at run time.

    In a loop the trips may be written out, which tells what counters are: raises NeedsUnrolling.
    """
    if self.is_static(value):
        return
    if isinstance(of, dict):
        keys_of_run.note(self, of, value)
    if self.loop_depth:
        raise NeedsUnrolling(of, read=read)
    raise self.refuse(what, why, repair)


def require_known_key(self: Core, key: Value, of: Value = None, *, read: bool = False) -> None:
    """Refuse a key that is only known at run time; as a place in `of`, where there is such a dict already."""
    if of is not None:
        require_known(self, key, of, _KEY, repair=_OTHER_KEY, read=read)
    elif not self.is_static(key):
        raise self.refuse(_KEY, repair=_OTHER_KEY)
