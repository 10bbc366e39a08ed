"""Imports inside a function: absolute, relative, of what is not installed; what they give is read at each call."""

import importlib
import sys

import numpy as np
import pytest

import adc

POINT = np.array([0.5, -1.0, 2.0])
USING = """
import numpy as np

def loss(x):
    from math import pi as half_a_turn
    import numpy.linalg
    import numpy.linalg as linalg
    from . import held
    from .held import WEIGHTS as weights
    try:
        import no_such_library
    except ImportError:
        no_such_library = None
    try:
        from numpy import no_such_function
    except ImportError:
        no_such_function = None
    assert no_such_library is None and no_such_function is None
    return linalg.norm(x) * numpy.linalg.norm(x) * half_a_turn + np.sum(weights * x) + np.sum(held.SHIFT * x)
"""


@pytest.mark.parametrize("mode", ("python", "tape"))
def test_imports_in_the_function(tmp_path, monkeypatch, mode):
    package = tmp_path / f"imported_{mode}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "held.py").write_text("import numpy as np\nWEIGHTS = np.ones(3)\nSHIFT = 2.0\n")
    (package / "using.py").write_text(USING)
    monkeypatch.syspath_prepend(tmp_path)
    using = importlib.import_module(f"{package.name}.using")
    gradient = adc.grad(using.loss, mode=mode)
    assert np.allclose(gradient(POINT), 2 * np.pi * POINT + 3.0)
    sys.modules[f"{package.name}.held"].WEIGHTS = np.arange(3.0)
    assert np.allclose(gradient(POINT), 2 * np.pi * POINT + [2.0, 3.0, 4.0])


def missing(x):
    import no_such_library

    return no_such_library.f(x)


def test_a_module_that_is_not_there():
    with pytest.raises(adc.UnsupportedError, match="ModuleNotFoundError: No module named 'no_such_library'"):
        adc.grad(missing, mode="python")(POINT)
