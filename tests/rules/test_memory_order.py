"""A reshape is a view where NumPy's array lies row by row, else a copy: a write to it is seen, or not, as NumPy has it.

The tape follows NumPy; generated code does, or refuses.
"""

import importlib.util

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc
from adc.rules import registry
from adc.testing import kit

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
np.sort(x)
np.partition(x, 1, axis=1)
np.gradient(x)[1]
np.cumsum(x, axis=1)
np.insert(x, 1, 0.5, axis=0)
np.insert(x, (1, 2), x[:, :2], axis=1)
np.delete(x, 1, axis=1)
np.delete(x, slice(0, 1), axis=1)
np.pad(x, 1)
np.pad(x, 1, mode="reflect")
np.take(x, [2, 0], axis=1)
np.compress([True, False, True], x, axis=1)
np.choose([[0, 1, 0]], (x, 2.0 * x))
np.select([x > 0.0], [x])
np.hstack([x, x])
np.vstack([x, x])
np.dstack([x, x])
np.column_stack([x, x[0]])
np.stack([x, x], axis=1)
np.concatenate([x, x])
np.meshgrid(x[0], x[1])[0]
np.full_like(x, x[0, 0])
np.roll(x, 1, axis=1)
np.tril(x)
np.einsum("ij,jk->ik", x, x)
np.einsum("ij,jk->ik", x, x, optimize=True)
np.einsum("ij,jk,kl->il", x, x, x)
np.einsum("ij->ji", x)
np.linalg.matrix_power(x, 0)
np.linalg.matrix_power(x, 2)
np.linalg.inv(x)
np.linalg.solve(x, x.T)
np.add.reduceat(x, [0, 1], axis=1)
np.add.outer(x[0], x[1])
np.cross(x, x.T)
np.kron(x, x)
np.maximum.accumulate(x, axis=1)
np.mean(x, axis=0, keepdims=True)
np.tile(x, (2, 1))
np.repeat(x, 2, axis=1)
np.outer(x[0], x[1])
np.ones((3, 3), order="F") * x[0, 0]
np.zeros_like(x) + x[0, 0]
np.zeros_like(x); z[...] = x
np.empty_like(x); z[...] = x
np.ones_like(x.T); z[...] = x
np.full_like(x, 2.0); z[0] = x[0]
np.full_like(x, [1.0, 2.0, 3.0]); z[0] = x[0]
np.zeros((3, 3), order="F"); z[...] = x
np.zeros((3, 3)); z[...] = x
np.apply_along_axis(lambda row: row * 2.0, 1, x)
np.apply_along_axis(lambda row: row * 2.0, 0, x)
np.vectorize(lambda v: v * 2.0)(x)
np.array([[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1]]])
np.array(list(x))
np.asarray([row * 2.0 for row in x.T])
np.array([x[0], x[1]])
np.apply_along_axis(np.sin, 0, x)
scipy.linalg.pinv(x)
scipy.linalg.cholesky(x @ x.T + np.eye(3), lower=True)
scipy.linalg.lu(x)[2]
scipy.linalg.qr(x)[0]
scipy.linalg.cho_factor(x @ x.T + np.eye(3))[0]
scipy.linalg.solve_triangular(x, x, lower=True)
scipy.linalg.lstsq(x, x.T)[0]
scipy.linalg.expm(x)
""".strip().splitlines()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_writes_through_a_reshape(expression, order, tmp_path):
    path = tmp_path / "orders.py"
    path.write_text(
        "import copy\nimport numpy as np\nimport scipy.linalg\n\n\ndef f(x):\n"
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


def arrays(values):
    return [v for v in kit.leaves(list(values)) if isinstance(v, np.ndarray)]


@pytest.mark.parametrize("operation", [o for o in registry.known() if o.order != "A"], ids=lambda o: o.name)
def test_rules_say_when_a_result_may_not_lie_row_by_row(operation):
    """Of arrays in rows the operation makes arrays in rows, or its rule says `order` "A"."""
    for case in kit.cases(operation) if operation.examples else []:
        values = kit.mapped(
            lambda v: np.ascontiguousarray(v) if np.ndim(v) else v, list(case.values.values())
        )
        try:
            made = kit.primal(kit.Case(operation, case.index, dict(zip(case.values, values, strict=True))))
        except Exception:  # of examples that NumPy refuses, which other tests are about
            continue
        for z in arrays([made]):
            shares = any(np.may_share_memory(z, x) for x in arrays(values))
            assert shares or z.ndim < 2 or z.flags.c_contiguous, case.reproduce()
