"""Arrays of texts in a program: one from outside or an argument, one that it makes, and what NumPy gives for them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import constant_arrays
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.outside import Place, itself, texts_of
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Var
from adc.compiler.ir.types import Array
from adc.rules import registry
from adc.rules.dims import Dim
from adc.rules.text_arrays import TextArray, given
from adc.runtime.modules import module_of

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core

_UNKNOWN = object()
_MAKING = {
    np.array,
    np.asarray,
    np.asanyarray,
    np.copy,
    np.concatenate,
    np.stack,
    np.where,
    np.shape,
    np.ndim,
    np.size,
}
# NumPy 2.5 looks the functions up when they are asked for, and warns of those that make arrays of a class of theirs.
_BY_CHARACTERS = {
    getattr(np.char, name) for name in np.char.__all__ if name not in ("array", "asarray", "chararray")
}


def is_of_texts(value: Any) -> bool:
    """Whether a value of the caller's is an array of texts."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "UO":
        return False
    return value.dtype.kind == "U" or all(isinstance(text, str) for text in value.flat)


def holding(texts: Any) -> Instance:
    """An array of texts as the program knows it. Nobody writes to it."""
    held = np.array(texts)
    held.setflags(write=False)
    return Instance(TextArray, {"held": held})


def outside(ev: Core, place: Place, label: str) -> Instance:
    """An array of texts outside the function: the code holds as long as it holds these."""
    ev.taken(Place(texts_of, place), label)
    return holding(place.read())


def made(ev: Calls, x: Value, dtype: Value) -> Value:
    """`np.array(x, dtype)` of a list of texts, or of an array of them; `x` itself where it is none."""
    if isinstance(x, Instance) and x.cls is TextArray:
        return x if dtype in (None, str) else computed(ev, np.ndarray.astype, x, dtype)
    if not _holds_texts(x) or not ev.is_static(x):
        return x
    return _value(ev, ev.now(np.array, [x, dtype], {}))


def _holds_texts(x: Value) -> bool:
    """Whether a value is an array of texts, or a list of texts, of such arrays or of such lists."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(isinstance(v, str) or _holds_texts(v) for v in x)
    return isinstance(x, Instance) and x.cls is TextArray


def is_for_texts(function: Any, args: Sequence[Value]) -> bool:
    """Whether NumPy's own function can say what it gives: of texts, and of what else is known."""
    if function in (np.full, np.repeat, np.tile) and any(isinstance(a, str) for a in args):
        return True
    if function in TABLE or not any(map(_holds_texts, args)):
        return False
    if function in _MAKING or function in _BY_CHARACTERS:
        return True
    return registry.find(function) is not None and (
        isinstance(function, np.ufunc) or module_of(function).partition(".")[0] == "numpy"
    )


def computed(ev: Calls, function: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
    """What a function gives for texts and for what else is known."""
    given_args = [_known(ev, a) for a in args]
    given_kwargs = {k: _known(ev, a) for k, a in kwargs.items()}
    if any(a is _UNKNOWN for a in (*given_args, *given_kwargs.values())):
        raise ev.refuse(
            "which texts of an array are meant is only known at run time",
            "texts are compared, sorted and chosen while the program is compiled",
            "number them, `np.unique(labels, return_inverse=True)`, and choose among the numbers",
        )
    return _value(ev, ev.now(function, given_args, given_kwargs), _called(function, args))


def _called(function: Callable[..., Any], args: tuple[Value, ...]) -> str:
    """How the generated code calls what a comparison gives: `is_a` for `labels == "a"`."""
    text = args[-1] if function is operator.eq else None
    return f"is_{text}" if isinstance(text, str) and text.isidentifier() else "of_texts"


def _known(ev: Calls, value: Value) -> Any:
    """A value with NumPy's arrays in the place of the program's, or that it is not known."""
    if isinstance(value, Instance) and value.cls is TextArray:
        return value["held"]
    if isinstance(value, (list, tuple)):
        parts = [_known(ev, v) for v in value]
        if any(p is _UNKNOWN for p in parts):
            return _UNKNOWN
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, Var):
        return _compared(ev, value)
    return value if ev.is_static(value) else _UNKNOWN


def _compared(ev: Calls, value: Var) -> Any:
    """What an array holds that another comparison has given. A loop may write to what was made before it."""
    if value.root in ev.mutated:
        return _UNKNOWN
    if ev.loop_depth:
        copied = (s for s in ev.block if isinstance(s, Assign) and s.name == "copy" and s.target is value)
        made = next(copied, None)
        if made is None:
            return _numbers(ev, value)
        value = made.args[0]
    held = (c.place.of for c in ev.captures if c.param is value and c.place.how is itself)
    found = _UNKNOWN if value in ev.draws.of else next(held, _UNKNOWN)
    return _numbers(ev, value) if found is _UNKNOWN else found


def _numbers(ev: Calls, value: Var) -> Any:
    """What an array holds that the program makes of constants, `np.array([0, 1, 1])`."""
    found = constant_arrays.known_here(ev, value)
    return _UNKNOWN if found is value else found


def _value(ev: Calls, found: Any, name: str = "of_texts") -> Value:
    """What NumPy gave, as the program knows it."""
    if isinstance(found, tuple):
        return tuple(_value(ev, part) for part in found)
    if isinstance(found, list):
        return ev.new_list([_value(ev, part) for part in found])
    if not isinstance(found, np.ndarray):
        return found
    if is_of_texts(found):
        return holding(found)
    if not found.ndim:
        return found[()]
    held = np.ascontiguousarray(found)
    param = ev.captured(Place(itself, held), name)
    assert isinstance(param, Var)
    param.type = Array(str(held.dtype), tuple(map(Dim, held.shape)), "C")
    return ev.op("copy", param) if ev.loop_depth else param  # another one in each trip


def _lexsort(ev: Calls, keys: Value, axis: Value = -1) -> Value:
    """`np.lexsort`, with the ranks of texts in the place of texts."""
    if isinstance(keys, (list, tuple)):
        keys = tuple(
            _ranks(ev, key) if isinstance(key, Instance) and key.cls is TextArray else key for key in keys
        )
    return ev.call_rule(np.lexsort, [keys, axis], {})


def _ranks(ev: Calls, texts: Instance) -> Value:
    return _value(ev, np.unique(texts["held"], return_inverse=True)[1])


TABLE: dict[Any, Callable[..., Value]] = {given: computed, np.lexsort: _lexsort}
