"""Methods of Tensors give PyTorch's values and gradients: torch_methods.json has what PyTorch answers, a call per line.

The gradient is that of the sum of all results, their elements weighted with 1, 2, 3, ...; methods whose name ends
with an underscore run on a copy of x.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import adc

CALLS = json.loads((pathlib.Path(__file__).parent / "torch_methods.json").read_text())


def given(argument):
    """An argument as the table writes it: t for a Tensor that requires a gradient, i of indices, m for a mask."""
    match argument:
        case {"t": values}:
            return adc.tensor(np.array(values, float), requires_grad=True)
        case {"i": values} | {"m": values}:
            return adc.tensor(np.array(values))
        case {"tuple": values}:
            return tuple(map(given, values))
        case _:
            return argument


def plain(value):
    if isinstance(value, adc.Tensor):
        return value.detach().numpy().tolist()
    return [plain(v) for v in value] if isinstance(value, tuple | list) else value


def close(found, expected):
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    return found == expected if expected is None else found == pytest.approx(expected, rel=1e-6, abs=2e-8)


@pytest.mark.tiny
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["method"])
def test_method(call):
    x = adc.tensor(np.array(call["x"], float), requires_grad=True)
    args = list(map(given, call["args"]))
    kwargs = {name: given(value) for name, value in call["kwargs"].items()}
    receiver = x * 1 if call["method"].endswith("_") else x
    result = getattr(receiver, call["method"])(*args, **kwargs)
    assert close(plain(result), call["value"])
    if call["method"].endswith("_"):
        assert result is receiver

    results = result if isinstance(result, tuple) else (result,)
    active = [r for r in results if isinstance(r, adc.Tensor) and r.requires_grad]
    if active:
        total = sum((r * (np.arange(r.size) + 1.0).reshape(r.shape)).sum() for r in active)
        total.backward()
    assert close(plain(x.grad), call["grad"])
    operands = [a for a in args if isinstance(a, adc.Tensor) and a.requires_grad]
    assert close([plain(a.grad) for a in operands], call["grads"])


@pytest.mark.tiny
def test_a_result_of_another_shape_is_not_written_in_place():
    x = adc.tensor([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="non-broadcastable"):
        x.add_(adc.tensor(np.ones((2, 3))))
    with pytest.raises(ValueError, match="cannot be written over"):
        x.resize_(2)


@pytest.mark.tiny
def test_names_of_ndarray_mean_what_numpy_means_in_a_plain_function():
    def f(x):
        return (x.transpose(0, 1) * np.arange(6.0).reshape(2, 3)).sum() + x.flatten("F")[1]

    x = np.ones((2, 3))
    value, gradient = adc.value_and_grad(f, mode="tape")(x)
    assert value == 16.0
    assert gradient.tolist() == [[0.0, 1.0, 2.0], [4.0, 4.0, 5.0]]


@pytest.mark.tiny
def test_far_out_values_stay_finite():
    x = adc.tensor([-1000.0, 0.0, 1000.0], requires_grad=True)
    assert plain(x.sigmoid()) == [0.0, 0.5, 1.0]
    assert plain(x.softmax(0)) == [0.0, 0.0, 1.0]
    assert x.logsumexp(0).item() == 1000.0
    x.sigmoid().sum().backward()
    assert plain(x.grad) == [0.0, 0.25, 0.0]


@pytest.mark.tiny
def test_log_of_a_sum_of_complex_exponentials_has_its_principal_value():
    z = adc.tensor([3.0 - 4.0j, 2.0 - 5.0j])
    assert plain(z.logsumexp(0)) == pytest.approx(np.log(np.exp(3.0 - 4.0j) + np.exp(2.0 - 5.0j)))


@pytest.mark.tiny
@pytest.mark.parametrize("shape", [(5,), (0,), (3, 2)])
@pytest.mark.parametrize("shift", [-7, -1, 0, 1, 5, 11])
@pytest.mark.parametrize("axis", [None, 0])
def test_roll_as_numpy(shape, shift, axis):
    values = np.arange(float(np.prod(shape, dtype=int))).reshape(shape)
    x = adc.tensor(values, requires_grad=True)
    rolled = x.roll(shift, axis)
    assert plain(rolled) == np.roll(values, shift, axis).tolist()
    (rolled * values).sum().backward()
    assert plain(x.grad) == np.roll(values, -shift, axis).tolist()


@pytest.mark.tiny
def test_several_results_are_tensors_also_of_constants():
    sign, logarithm = np.linalg.slogdet(adc.tensor(np.diag([2.0, 3.0])))
    assert isinstance(sign, adc.Tensor) and isinstance(logarithm, adc.Tensor)


@pytest.mark.tiny
def test_weights_of_a_covariance_have_a_gradient():
    x = adc.tensor([1.0, 2.0], requires_grad=True)
    weights = adc.tensor([0.3, 0.4], requires_grad=True)
    x.cov(correction=0, aweights=weights).backward()
    assert close(plain(weights.grad), [0.11661808, -0.08746356])


@pytest.mark.tiny
def test_nan_stays_nan():
    nan = adc.tensor([np.nan, -1.0, 2.0], requires_grad=True)
    assert np.isnan(plain(nan.relu())[0]) and np.isnan(plain(nan.hardshrink())[0])
    assert plain(nan.relu())[1:] == [0.0, 2.0]
    values, positions = nan.topk(2)
    assert np.isnan(plain(values)[0]) and plain(positions) == [0, 2]
    assert plain(adc.tensor(np.array([0, 3, 1], np.uint8)).topk(2)) == [[3, 1], [1, 2]]
    nan.relu().sum().backward()
    assert plain(nan.grad) == [1.0, 0.0, 1.0]


@pytest.mark.tiny
def test_methods_keep_single_precision():
    x = adc.tensor(np.full(3, 2.0, np.float32), requires_grad=True)
    assert x.mvlgamma(2).dtype == np.float32
    assert x.index_reduce(0, adc.tensor(np.array([0, 0])), x[:2] * 3.0, "mean").dtype == np.float32


@pytest.mark.tiny
def test_positions_below_zero_count_from_the_end():
    x = adc.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x.clone().put_(adc.tensor(np.array([-1, 0])), adc.tensor([9.0, 8.0]))
    assert plain(y) == [[8.0, 2.0], [3.0, 9.0]]
    with pytest.raises(IndexError):
        x.clone().put_(adc.tensor(np.array([-5])), adc.tensor([9.0]))


@pytest.mark.tiny
def test_the_upper_factor():
    x = adc.tensor([[2.0, 0.5], [0.5, 1.0]])
    assert close(plain(x.cholesky(upper=True)), plain(x.cholesky().T))
