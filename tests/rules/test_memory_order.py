"""A reshape is a view where NumPy's array lies row by row, else a copy: a write to it is seen, or not, as NumPy has it.

The tape follows NumPy; generated code does, or refuses.
"""

import importlib.util

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

EXPRESSIONS = """
x.copy()
x.T.copy()
x.copy("F")
x.T.copy(order="K")
np.copy(x)
np.copy(x.T)
np.copy(x.T, order="C")
np.array(x)
np.array(x.T, order="C")
np.array(x, order="F")
np.asarray(x.T, order="C") * 1.0
np.asarray(x, order="F") * 1.0
np.asfortranarray(x) * 1.0
np.ascontiguousarray(x.T) * 1.0
np.require(x.T, requirements="C") * 1.0
x.astype(float)
x.T.astype(float, order="C")
x.astype(np.float32)
copy.copy(x.T)
copy.deepcopy(x)
x[:, [0, 2, 1]]
x[[0, 2, 1]]
x.T[[0, 2, 1]]
x[[0, 2, 1], :2]
np.sin(x.T)
np.where(x.T > 0.0, x.T, 0.5)
x.T + x
x @ x
""".strip().splitlines()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_writes_through_a_reshape(expression, order, tmp_path):
    path = tmp_path / "orders.py"
    path.write_text(
        "import copy\nimport numpy as np\n\n\ndef f(x):\n"
        f"    z = {expression}\n    flat = z.reshape(-1)\n    flat[1] = flat[0] * flat[-1]\n"
        "    return np.sum(z * np.arange(z.size).reshape(z.shape))\n"
    )
    spec = importlib.util.spec_from_file_location("orders", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.asarray(np.random.default_rng(0).normal(size=(3, 3)), order=order)
    direction = np.asarray(np.random.default_rng(1).normal(size=(3, 3)), order=order)
    single = "float32" in expression
    h = 1e-2 if single else 1e-6
    value = module.f(x.copy(order="K"))
    slope = (module.f(x + h * direction) - module.f(x - h * direction)) / (2 * h)
    for mode in ("tape", "python", "compiled"):
        try:
            with interpreted():
                found, gradient = adc.value_and_grad(module.f, mode=mode)(x)
        except adc.UnsupportedError:
            assert mode != "tape"
            continue
        assert found == pytest.approx(value, rel=1e-5 if single else 1e-9), mode
        assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-3 if single else 1e-5), mode
