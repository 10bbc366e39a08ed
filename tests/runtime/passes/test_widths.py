"""The bytes of a type are those that Numba's own method says."""

import inspect

from llvmlite import ir
from numba.core import base
from numba.core.registry import cpu_target

from adc.runtime.passes import widths

OWN = inspect.getclosurevars(base.BaseContext.get_abi_sizeof).nonlocals["own"]


def test_the_same_bytes():
    assert base.BaseContext.get_abi_sizeof.__module__ == widths.__name__
    context, byte, number = cpu_target.target_context, ir.IntType(8), ir.DoubleType()
    plain, packed = ir.LiteralStructType([byte, number]), ir.LiteralStructType([byte, number], packed=True)
    for kind in (byte, number, plain, packed, ir.ArrayType(number, 3), plain.as_pointer()):
        for _ in range(2):
            assert context.get_abi_sizeof(kind) == OWN(context, kind)
    assert context.get_abi_sizeof(plain) == 16 and context.get_abi_sizeof(packed) == 9
