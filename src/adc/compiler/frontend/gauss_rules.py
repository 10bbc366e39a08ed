"""Nodes and weights of Gauss's quadratures of a known degree are numbers of the program.

`leggauss(3)` is a pair of arrays that nothing differentiates; they are computed while the program is compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["TABLE"]


def _nodes(function: Callable[[int], Any], ev: Core, deg: Value) -> Value:
    if not ev.is_static(deg):
        raise ev.refuse(
            f"the degree of {function.__name__} is only known at run time",
            "its nodes are computed while the program is compiled",
            "call it outside the function",
        )
    return tuple(ev.array_of(tuple(values.tolist())) for values in ev.now(function, [deg], {}))


TABLE: dict[Any, Callable[..., Value]] = {
    function: functools.partial(_nodes, function)
    for function in (
        legendre.leggauss,
        chebyshev.chebgauss,
        hermite.hermgauss,
        hermite_e.hermegauss,
        laguerre.laggauss,
    )
}
