"""Where Python calls a function of many arrays, one function for each kind of array makes it of an object, and back.

Numba writes that out for each argument and each result: a place filled with zeros, questions, messages, what each
field is. Of a gradient of forty arrays it was a quarter of all that LLVM got to see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from llvmlite.ir import instructions
from numba.core import boxing, callwrapper, pythonapi

from adc.runtime import tuning
from adc.runtime.passes.known import put, types

MANY = 8  # arguments and results, from which on a call does not show that each is a call of its own


def counting(own: Callable[..., None]) -> Callable[..., None]:
    """What stands for Numba's method: the function is made that Python calls."""

    def build_wrapper(self: Any, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
        result = self.fndesc.restype
        results = result.count if isinstance(result, types.BaseTuple) else 1
        builder.function.of_many = tuning.compiling() and len(self.fndesc.argtypes) + results >= MANY
        own(self, api, builder, closure, args, kws)

    return build_wrapper


def unboxing(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's function: an array is made of an object."""

    def unbox_array(kind: Any, obj: Any, c: Any) -> Any:
        if not _is_of_many(c):
            return own(kind, obj, c)
        place = _room(c.builder, c.context.get_value_type(kind))
        helper, builder = _helper(c, f"unboxing {kind}", ir.IntType(1), [obj.type, place.type])
        if builder is not None:
            inside = c._replace(builder=builder, pyapi=c.context.get_python_api(builder))
            native = own(kind, helper.args[0], inside)
            builder.store(native.value, helper.args[1])
            builder.ret(native.is_error)
        failed = c.builder.call(helper, [obj, place])
        return pythonapi.NativeValue(c.builder.load(place), is_error=failed)

    return unbox_array


def boxed(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's function: an object is made of an array."""

    def box_array(kind: Any, value: Any, c: Any) -> Any:
        if not _is_of_many(c):
            return own(kind, value, c)
        place, environment = _place(c.builder, value), c.env_manager.env_ptr
        helper, builder = _helper(c, f"boxing {kind}", c.pyapi.pyobj, [place.type, environment.type])
        if builder is not None:
            api, given = c.context.get_python_api(builder), helper.args[1]
            body = c.context.get_env_body(builder, given)
            manager = api.get_env_manager(c.env_manager.env, body, given)
            inside = c._replace(builder=builder, pyapi=api, env_manager=manager)
            builder.ret(own(kind, builder.load(helper.args[0]), inside))
        return c.builder.call(helper, [place, environment])

    return box_array


def _is_of_many(c: Any) -> bool:
    return getattr(c.builder.function, "of_many", False)


def _helper(c: Any, name: str, result: Any, parameters: list[Any]) -> tuple[Any, Any]:
    """A function of the module, and what its body is to be built with where it is a new one."""
    module = c.builder.module
    if name in module.globals:
        return module.get_global(name), None
    helper = ir.Function(module, ir.FunctionType(result, parameters), name)
    helper.linkage = "internal"
    helper.attributes.add("noinline")
    return helper, ir.IRBuilder(helper.append_basic_block("entry"))


def _room(builder: Any, kind: Any) -> Any:
    """Memory for a value, which is not filled with zeros."""
    with builder.goto_entry_block():
        return builder.alloca(kind)


def _place(builder: Any, value: Any) -> Any:
    """Where a value that was just returned lies, alone or in a tuple; else a place that it is written to."""
    found = _origin(value)
    if found is None:
        place = _room(builder, value.type)
        builder.store(value, place)
        return place
    pointer, indices = found
    return builder.gep(pointer, [ir.IntType(32)(k) for k in (0, *indices)], inbounds=True)


def _origin(value: Any) -> tuple[Any, tuple[int, ...]] | None:
    """Of which place a value was read, and which part of that it is: also if it was taken apart, and made of its parts.

    Numba does so with all that a function returns.
    """
    if isinstance(value, instructions.LoadInstr):
        return value.operands[0], ()
    if isinstance(value, instructions.ExtractValue):
        found = _origin(value.aggregate)
        return None if found is None else (found[0], (*found[1], *value.indices))
    parts: dict[int, Any] = {}
    whole = value.type
    while isinstance(value, instructions.InsertValue):
        parts.setdefault(value.indices[0], value.value)
        value = value.aggregate
    found = _origin(parts[0]) if parts else None
    if found is None or len(parts) != len(whole.elements):
        return None
    pointer, within = found[0], found[1][:-1]
    as_it_was = all(_origin(part) == (pointer, (*within, k)) for k, part in parts.items())
    return (pointer, within) if as_it_was else None


put(callwrapper.PyCallWrapper, "build_wrapper", counting)
for _registered, _standing_for in ((pythonapi._unboxers, unboxing), (pythonapi._boxers, boxed)):
    _own = _registered.functions[types.Array]
    if _own.__module__ == boxing.__name__:
        _registered.functions[types.Array] = _standing_for(_own)
