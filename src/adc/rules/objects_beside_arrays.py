"""Whom NumPy asks where an object stands beside an array: the array goes first, unless the class says otherwise."""

import operator
from typing import Any

from adc.runtime.modules import package_of

# What NumPy does with each element of an array and an object, by the name of its own function.
PYTHONS_OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
}


def is_left_to_the_object(cls: Any) -> bool:
    """Whether an array leaves `array * object` to the object, as its class says, or is of a library that does."""
    if package_of(cls) in ("builtins", "numpy", "scipy", "adc", "pandas"):
        return True
    if hasattr(cls, "__array_ufunc__"):
        return True
    return bool(getattr(cls, "__array_priority__", -1.0) > 0.0)
