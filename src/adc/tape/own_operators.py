"""`(5.0).__lt__(x)` in traced code: Python's numbers know no Tensor, and would leave the operator to it.

What they give then, NotImplemented, counts as true. So methods of operators are asked for here, by code that names
them and by `getattr`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from adc.tape.plain_types import hasattr_, sample
from adc.tape.tensor import Tensor

__all__ = ["COMPARISONS", "METHODS", "getattr_", "method_of"]

COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"__{name}__": getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")
    },
    "__pow__": operator.pow,
    "__divmod__": divmod,
}
METHODS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in COMPARISONS},
    **_OPERATORS,
    **{
        f"__r{name[2:]}": lambda x, y, apply=apply: apply(y, x)  # type: ignore[misc]
        for name, apply in _OPERATORS.items()
    },
}
_NUMBERS = (int, float, complex)


def method_of(value: Any, name: str) -> Any:
    """The method of an operator; of one of Python's numbers, or their classes, one that may be called on Tensors.

    >>> from adc import tape
    >>> x = tape.tensor(7.0, requires_grad=True)
    >>> (5.0).__gt__(x)
    NotImplemented
    >>> bool(method_of(5.0, "__gt__")(7.0))
    False
    """
    own = getattr(value, name)
    if isinstance(value, _NUMBERS) and _is_of_python(type(value), name):
        return lambda *others: _applied(name, own, (value, *others), others)
    if isinstance(value, type) and issubclass(value, _NUMBERS) and _is_of_python(value, name):
        return lambda *operands: _applied(name, own, operands, operands)
    return own


def _is_of_python(kind: type, name: str) -> bool:
    """Whether a class over numbers leaves an operator to Python's own."""
    return any(getattr(kind, name) is getattr(number, name, None) for number in _NUMBERS)


def _applied(name: str, own: Callable[..., Any], operands: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
    if not any(v.__class__ is Tensor for v in given):
        return own(*given)
    answer = own(*[sample(v) if v.__class__ is Tensor else v for v in given])
    return answer if answer is NotImplemented or len(operands) != 2 else METHODS[name](*operands)


def getattr_(value: Any, name: str, *default: Any) -> Any:
    """`getattr` in traced code, with the default for what the value has not as NumPy runs the function."""
    if default and isinstance(value, Tensor) and not hasattr_(value, name):
        return default[0]
    return (
        method_of(value, name) if name in METHODS and hasattr(value, name) else getattr(value, name, *default)
    )
