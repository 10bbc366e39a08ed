"""Of what holds no memory no references are counted, and of an array in the one field that tells of its memory.

To count references Numba takes every value apart to its last number. It reads the old value of a variable before it
writes the new one, and sets to zero what is not used again, so that no reference is counted twice. That was a third of
the instructions of a gradient of 300 lines, all of which LLVM takes out again.

An argument is the caller's, who has it until the call is over: a parameter that is assigned nothing else has no
reference of its own in a function without loops. With them goes what stood before each `raise`: to let go of all
arguments, forty of a network. With loops LLVM makes other ones (a step of Burgers' equation took 1.07 times as long):
there it is done where parameters are let go of in `MANY` places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from llvmlite import ir as llvm
from numba.core import ir, lowering
from numba.core.runtime.context import NRTContext

from adc.runtime import tuning
from adc.runtime.passes.known import is_known, put, types

# The texts of Numba's methods that these are known to stand for: those of 0.65 and 0.68.
TAKEN_APART = frozenset({"4681e04e53a8b20959da49edce6ec02e70c0a68d3839323d874bfaab1d2d1af1"})
STORED = frozenset({"16d897dd729a5836fc2d7d91fc47e6185ce28c281d311c454e83e659c987c6ec"})
DELETED = frozenset({"45cd88aeddd83956f564f2c9a2e6e0fc3e480adde915bcf8b25ed0270aebda69"})
ASSIGNED = frozenset({"25e6cd2aed94d8daeca0db7067dfe2d2deb2d5bcadce68794764b0d752d6851b"})

MANY = 200  # places in which a function lets go of its parameters, from which on they are most of it

_MEMORY = types.MemInfoPointer(types.voidptr)
_holding: dict[Any, bool] = {}  # the types that were asked about


def _holds_memory(context: Any, builder: Any, ty: Any) -> bool:
    """Whether values of a type have references that are counted."""
    if ty not in _holding:
        model = context.data_model_manager[ty]
        parts = (part for part, _ in model.traverse(builder))
        _holding[ty] = model.has_nrt_meminfo() or any(_holds_memory(context, builder, part) for part in parts)
    return _holding[ty]


def taking_apart(own: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """What stands for Numba's method: the types and the memory that a value holds."""

    def get_meminfos(self: Any, builder: Any, ty: Any, val: Any) -> list[Any]:
        if not tuning.compiling() or not is_known(own, TAKEN_APART):
            return own(self, builder, ty, val)
        if not _holds_memory(self._context, builder, ty):
            return []
        model = self._context.data_model_manager[ty]
        found = [(ty, model.get_nrt_meminfo(builder, val))] if model.has_nrt_meminfo() else []
        for part, taken_out in model.traverse(builder):
            if _holds_memory(self._context, builder, part):
                found += get_meminfos(self, builder, part, taken_out(val))
        return found

    return get_meminfos


def _borrowed(lowerer: Any) -> dict[str, int]:
    """The parameters that have no references of their own, and which arguments they are."""
    if not hasattr(lowerer, "borrowed"):
        lowerer.borrowed = {}
        known = is_known(_lower_assign, ASSIGNED) and is_known(_delvar, DELETED)
        if known and lowerer.generator_info is None:
            found = _as_they_came(lowerer)
            straight = tuning.straight(lowerer.func_ir.func_id.func_qualname)
            if straight or _places(lowerer, found) > MANY:
                lowerer.borrowed = found
    return lowerer.borrowed  # type: ignore[no-any-return]


def _as_they_came(lowerer: Any) -> dict[str, int]:
    """The parameters that are assigned the argument alone, and of its type."""
    values: dict[str, list[Any]] = {}
    for block in lowerer.blocks.values():
        for s in block.find_insts(ir.Assign):
            values.setdefault(s.target.name, []).append(s.value)
    return {
        name: of[0].index
        for name, of in values.items()
        if len(of) == 1
        and isinstance(of[0], ir.Arg)
        and lowerer.typeof(f"arg.{of[0].name}") == lowerer.typeof(name)
    }


def _places(lowerer: Any, names: Collection[str]) -> int:
    """In how many places a function lets go of variables."""
    return sum(s.value in names for block in lowerer.blocks.values() for s in block.find_insts(ir.Del))


def _let_go(lowerer: Any, name: str) -> Any:
    """Count down the reference that a variable in memory has; where the array's memory is told, if it is an array."""
    kind, place, builder = lowerer.typeof(name), lowerer.varmap[name], lowerer.builder
    if isinstance(kind, types.Array):
        told = builder.gep(place, [llvm.IntType(32)(0)] * 2, inbounds=True)
        lowerer.decref(_MEMORY, builder.load(told))
        return told
    if _holds_memory(lowerer.context, builder, kind):
        lowerer.decref(kind, builder.load(place))
        return place
    return None


def storing(own: Callable[..., None]) -> Callable[..., None]:
    """What stands for Numba's method: a variable gets a value."""

    def storevar(self: Any, value: Any, name: str, argidx: Any = None) -> None:
        known = tuning.compiling() and is_known(own, STORED) and argidx is None
        if known and name in self.varmap and value.type == self.varmap[name].type.pointee:
            _let_go(self, name)
            self.builder.store(value, self.varmap[name])
        else:
            own(self, value, name, argidx)

    return storevar


def deleting(own: Callable[..., None]) -> Callable[..., None]:
    """What stands for Numba's method: a variable is not used again."""

    def delvar(self: Any, name: str) -> None:
        known = tuning.compiling() and is_known(own, DELETED)
        if (
            known
            and is_known(_lower_assign, ASSIGNED)
            and self.generator_info is None
            and name in _borrowed(self)
        ):
            return
        if not (known and name in self.varmap):
            own(self, name)
            return
        told = _let_go(self, name)
        if told is not None:  # a variable may be deleted again, in a loop that has not yet set it
            self.builder.store(told.type.pointee(None), told)

    return delvar


def assigning(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's method: the value of an assignment."""

    def lower_assign(self: Any, ty: Any, inst: Any) -> Any:
        if isinstance(inst.value, ir.Arg):
            place = _borrowed(self).get(inst.target.name)
            if place is not None:
                return self.fnargs[place]
        return own(self, ty, inst)

    return lower_assign


_delvar, _lower_assign = lowering.Lower.delvar, lowering.Lower.lower_assign
put(NRTContext, "get_meminfos", taking_apart)
put(lowering.Lower, "storevar", storing)
put(lowering.Lower, "delvar", deleting)
put(lowering.Lower, "lower_assign", assigning)
