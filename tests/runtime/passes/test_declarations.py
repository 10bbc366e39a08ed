"""Leaving out what has no body changes nothing in what has one."""

import inspect

from llvmlite import binding as llvm
from numba.core import codegen

from adc.runtime.passes import declarations

TEXT = """
declare double @outside(double)
declare void @elsewhere()
define double @one(double %x) {
  %place = alloca double
  store double %x, ptr %place
  %y = load double, ptr %place
  %z = call double @outside(double %y)
  ret double %z
}
define double @two(double %x) {
  %z = call double @one(double %x)
  ret double %z
}
"""
OWN = inspect.getclosurevars(codegen.CPUCodeLibrary._optimize_functions).nonlocals["own"]


def test_the_same_code():
    from numba.core.registry import cpu_target

    assert codegen.CPUCodeLibrary._optimize_functions.__module__ == declarations.__name__
    library = cpu_target.target_context.codegen().create_library("declarations")
    ours, theirs = llvm.parse_assembly(TEXT), llvm.parse_assembly(TEXT)
    library._optimize_functions(ours)
    OWN(library, theirs)
    assert str(ours) == str(theirs)
    assert "alloca" not in str(ours)
