"""What adc compiles is tidied before it is optimised; what a user compiles is left to Numba."""

import numpy as np
from numba import njit
from numba.core import codegen
from numba.core.registry import cpu_target

from adc.runtime.passes import tidying
from adc.runtime.tuning import tuned


def total(x):
    found = 0.0
    for i in range(x.shape[0]):
        found += x[i] if x[i] > 0.5 else 2.0 * x[i]
    return found


def test_only_while_adc_compiles(monkeypatch):
    assert codegen.CPUCodegen._function_pass_manager.__module__ == tidying.__name__
    made = []
    own = tidying.binding.create_new_function_pass_manager
    monkeypatch.setattr(
        tidying.binding, "create_new_function_pass_manager", lambda: made.append(own()) or made[-1]
    )
    x = np.linspace(0.0, 1.0, 7)
    users = njit(total)(x)
    assert not made
    with tuned(total):
        assert njit(total)(x) == users == total(x)
    assert made


def test_what_is_left_is_in_registers():
    text = "define i64 @f(i64 %x) {\n %a = alloca i64\n store i64 %x, ptr %a\n %b = load i64, ptr %a\n ret i64 %b\n}"
    library = cpu_target.target_context.codegen().create_library("tidying")
    module = tidying.binding.parse_assembly(text)
    with tuned(total):
        library._optimize_functions(module)
    assert "alloca" not in str(module) and "ret i64 %x" in str(module)
