"""Functions without a body are not optimised: nine of ten in a module that has just been made.

Numba makes a pipeline of passes for each function of a module, also for the declarations of what is linked in later.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from numba.core import codegen

from adc.runtime.passes.known import is_known, put

# The texts of Numba's method that this one is known to go before: that of 0.65 and 0.68.
KNOWN = frozenset({"9439219fa946f1ad5d202cb5dcbd2d51a4b8d4a9cb56062f0b318015014a9ff8"})


def left_out(own: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """What stands for Numba's method, which gets the functions that have a body."""

    def _optimize_functions(self: Any, ll_module: Any) -> None:
        if not is_known(own, KNOWN):
            own(self, ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        own(self, SimpleNamespace(functions=[f for f in ll_module.functions if not f.is_declaration]))

    return _optimize_functions


put(codegen.CPUCodeLibrary, "_optimize_functions", left_out)
