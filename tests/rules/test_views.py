"""What NumPy gives as a view sees the writes to its array and the other way round, and a copy does not.

The tape follows both; generated code does, or refuses. Each expression stands in four programs, which write to it or
to what it was made of, whole or in place.
"""

import importlib.util

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

OF_REAL = """
np.asfortranarray(z)
np.asfortranarray(z.T)
np.ascontiguousarray(z.T)
np.einsum("ii->i", z)
np.einsum("ij->ji", z)
np.einsum("ij->i", z)
np.einsum(z, [0, 0], [0])
np.nan_to_num(z, copy=False)
np.nan_to_num(z)
np.diagonal(z)
np.linalg.diagonal(z)
np.lib.stride_tricks.sliding_window_view(z, 2, axis=0)
np.array(z, copy=None)
z.astype(float, copy=False)
z.astype(float)
np.meshgrid(z[0], z[1])[0]
np.meshgrid(z[0], z[1], sparse=True)[1]
np.tile(z, 1)
np.repeat(z, 1)
np.choose([0, 0, 0], [z])
np.kron(1.0, z)
z.conj()
np.conj(z)
z.view()
z.real
max([z[0], z[1]], key=np.sum)
""".strip().splitlines()
OF_COMPLEX = """
z.real
z.imag
np.real(z)
np.imag(z)
z[1].imag
z.imag[1]
z.real.T
z.real.copy()
z.conj()
""".strip().splitlines()
WRITES = ("w[...] = 0.5", "z[0] = 0.5", "w *= 2.0", "z *= 3.0")


def programs(make, expression, path):
    text = "import numpy as np\n"
    for k, write in enumerate(WRITES):
        text += f"\n\ndef f{k}(x):\n    z = {make}\n    w = {expression}\n    {write}\n"
        text += "    return np.sum(np.abs(z) ** 2) + np.sum(np.abs(w) ** 3)\n"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("views", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(len(WRITES))]


@pytest.mark.parametrize(
    ("make", "expression"),
    [("x * 1.0", e) for e in OF_REAL] + [("x + 1j * x * x", e) for e in OF_COMPLEX],
    ids=lambda text: text,
)
def test_writes_are_seen_as_in_numpy(make, expression, tmp_path):
    r = np.random.default_rng(0)
    x, direction = r.normal(size=(3, 3)), r.normal(size=(3, 3))
    h = 1e-6
    for f in programs(make, expression, tmp_path / "views.py"):
        try:
            value = f(x.copy())
        except ValueError:
            continue  # NumPy lets nobody write to a diagonal
        slope = (f(x + h * direction) - f(x - h * direction)) / (2 * h)
        for mode in ("tape", "compiled"):
            try:
                with interpreted():
                    found, gradient = adc.value_and_grad(f, mode=mode)(x.copy())
            except adc.UnsupportedError:
                assert mode == "compiled", f"{f.__name__} on the tape"
                continue
            assert found == pytest.approx(value, rel=1e-9), f"{f.__name__} {mode}"
            assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-5, abs=1e-6), (
                f"{f.__name__} {mode}"
            )
