"""Functions that their callers take in have no machine code, until somebody asks for it."""

import numpy as np
import pytest
from numba.core import codegen, types
from numba.extending import register_jitable

from adc.runtime.apart import apart
from adc.runtime.passes import taken_in


@register_jitable
def root(x):
    if x < 0.0:
        raise ValueError("no root of a negative number")
    return np.sqrt(x)


@pytest.fixture
def made(monkeypatch):
    """The names of the functions that machine code is made of."""
    names = []
    own = codegen.JITCodeLibrary._finalize_specific

    def finalize(self):
        names.append(self.name)
        own(self)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_specific", finalize)
    return names


def test_numbas_methods_are_those_that_were_read():
    assert taken_in._all_are_known()


def test_what_is_taken_in_has_no_machine_code(made):
    @apart()
    def roots(x):
        return root(x) + root(x + 1.0)

    assert roots(4.0) == 2.0 + np.sqrt(5.0)
    assert any("roots" in name for name in made) and "root" not in made
    with pytest.raises(ValueError, match="no root of a negative number"):
        roots(-4.0)


def test_machine_code_is_made_when_somebody_asks_for_it(made):
    @apart()
    def double(x):
        return 2.0 * x

    compiled = double.compiled((types.float64,))
    assert not made
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) != 0
    assert len(made) == 1
    assert double(1.5) == 3.0
