"""Whether a function takes arguments of some number, names and dtypes, and what is said of those that it does not."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def unfit(function: Callable[..., Any], count: int, names: Iterable[str]) -> TypeError | None:
    """What Python raises of a call with `count` positional arguments and these keywords; None where they fit.

    >>> import numpy as np
    >>> unfit(np.stack, 1, ["axes"])
    TypeError("stack() got an unexpected keyword argument 'axes'")
    >>> unfit(np.stack, 0, ["axis"])
    TypeError("stack(): missing a required argument: 'arrays'")
    >>> unfit(np.stack, 1, ["axis"])
    >>> unfit(np.arange, 4, [])
    """
    signature = signature_of(function)
    if signature is None:
        return None
    name, named = function.__name__, dict.fromkeys(names)
    if isinstance(function, np.ufunc):  # which takes `sig` as well, and an array for each result by position
        named.pop("sig", None)
        count = function.nin + 1 if function.nin < count <= function.nargs else count
    parameters = signature.parameters.values()
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        unknown = [n for n in named if n not in signature.parameters]
        if unknown:
            return TypeError(f"{name}() got an unexpected keyword argument '{unknown[0]}'")
    try:
        signature.bind(*[None] * count, **named)
    except TypeError as error:
        if any(p.kind is p.POSITIONAL_ONLY and p.name in named for p in parameters):
            return None  # C functions say so, and some take it by name
        in_c = inspect.isbuiltin(function) or inspect.ismethoddescriptor(function)
        kinds = {p.kind for p in parameters}
        if in_c and count > sum(p.kind in BY_POSITION for p in parameters):
            if inspect.Parameter.VAR_KEYWORD in kinds:
                return (
                    None  # ndarray.sum takes keepdims by position, too; its function knows how many there are
                )
            if inspect.Parameter.KEYWORD_ONLY in kinds and count + len(named) <= len(parameters):
                return None  # np.arange says so of its dtype, and takes it by position
        return TypeError(f"{name}(): {error}")
    return None


def refuse_unfit(function: Callable[..., Any], count: int, names: Iterable[str]) -> None:
    """Raise what Python raises of a call with such arguments, where the function does not take them."""
    error = unfit(function, count, names)
    if error is not None:
        raise error


@functools.cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """What a function says that it takes, or None."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # it does not say what it takes
        return None


def told_dtype(options: dict[str, Any]) -> np.dtype[Any] | None:
    """The dtype that `sig` or `signature` of a ufunc's call says, which is taken out of its options; see below.

    >>> options = {"sig": "ff->f", "where": True}
    >>> told_dtype(options), options
    (dtype('float32'), {'where': True})
    """
    for name in ("sig", "signature"):
        if (told := dtype_of_signature(options.get(name))) is not None:
            del options[name]
            return told
    return None


def dtype_of_signature(signature: Any) -> np.dtype[Any] | None:
    """The dtype that a ufunc is told by `signature` to compute in, where it is one for operands and results.

    NumPy casts no float to an integer for it.

    >>> dtype_of_signature("ff->f"), dtype_of_signature((None, None, np.float32)), dtype_of_signature("ll->l")
    (dtype('float32'), None, None)
    """
    if isinstance(signature, str):
        signature = tuple(signature.replace("->", ""))
    if not isinstance(signature, tuple) or not signature or None in signature:
        return None
    dtypes = {np.dtype(kind) for kind in signature}
    (dtype, *others) = dtypes
    return dtype if not others and dtype.kind in "fc" else None


def loop_told(
    ufunc: np.ufunc, operands: Sequence[Any], results: Sequence[Any], dtype: Any, casting: Any
) -> tuple[Any, ...]:
    """The dtypes in which a ufunc reads its operands where it is told what to compute in, or writes into arrays.

    An operand is given by its dtype, a number of Python's by its class, a result by the dtype of the array for it, or
    None. Raises what NumPy raises.

    >>> loop_told(np.add, (np.dtype("float64"), int), (None,), np.float32, "same_kind")
    (dtype('float32'), dtype('float32'))
    >>> loop_told(np.greater, (np.dtype("float64"), float), (None,), bool, "same_kind")
    (dtype('float64'), dtype('float64'))
    >>> loop_told(np.sin, (np.dtype("float64"),), (None,), int, "same_kind")
    Traceback (most recent call last):
    TypeError: No loop matching the specified signature and casting was found for ufunc sin
    """
    told = (*(None,) * ufunc.nin, *(None if dtype is None else np.dtype(dtype),) * ufunc.nout)
    resolved = ufunc.resolve_dtypes((*operands, *results), signature=told, casting=casting)
    return tuple(resolved[: ufunc.nin])


def refuse_cast(source: Any, target: Any, casting: Any) -> None:
    """Raise as NumPy does where a rule of casting forbids what is asked for.

    >>> refuse_cast("float64", int, "same_kind")
    Traceback (most recent call last):
    TypeError: Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'same_kind'
    """
    if not np.can_cast(source, target, casting):
        raise TypeError(
            f"Cannot cast array data from {np.dtype(source)!r} to {np.dtype(target)!r} according to the rule "
            f"'{casting}'"
        )
