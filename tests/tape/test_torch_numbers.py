"""A Tensor without axes has one where a method of PyTorch's names it, and the result has none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tape.torch_programs import plain

import adc

torch = pytest.importorskip("torch")

CALLS = {
    "median": lambda t, q: t.median(0)[0],
    "median, kept": lambda t, q: t.median(-1, True)[0],
    "nanmedian": lambda t, q: t.nanmedian(dim=0, keepdim=True)[0],
    "quantile": lambda t, q: t.quantile(0.3, 0),
    "quantiles": lambda t, q: t.quantile(q, dim=0, keepdim=True),
    "nanquantile": lambda t, q: t.nanquantile(q, -1),
    "logsumexp": lambda t, q: t.logsumexp(0),
    "logsumexp, kept": lambda t, q: t.logsumexp((0,), True),
    "logcumsumexp": lambda t, q: t.logcumsumexp(0),
    "norm": lambda t, q: t.norm(2, 0),
    "norm, kept": lambda t, q: t.norm(1, 0, True),
    "norm of axes": lambda t, q: t.norm(3, dim=(0,)),
    "flip": lambda t, q: t.flip(0),
    "movedim": lambda t, q: t.movedim(0, -1),
    "swapdims": lambda t, q: t.swapdims(0, 0),
    "softmax": lambda t, q: t.softmax(0),
    "unfold": lambda t, q: t.unfold(0, 1, 1),
}


def answer(library, call):
    x, q = (library.tensor(np.array(v), requires_grad=True) for v in (0.7, [0.2, 0.5]))
    result = call(x, q)
    (result * 3.0).sum().backward()
    return [result.detach().numpy(), x.grad.numpy()]


@pytest.mark.tiny
@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name):
    for found, expected in zip(answer(adc, CALLS[name]), answer(torch, CALLS[name]), strict=True):
        assert np.shape(found) == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.tiny
@pytest.mark.parametrize(
    "call", [lambda t: t.median(1), lambda t: t.quantile(0.5, 1), lambda t: t.logsumexp(1)]
)
def test_another_axis_is_none(call):
    with pytest.raises(IndexError):
        call(adc.tensor(0.7, requires_grad=True))


@pytest.mark.tiny
def test_calls_as_pytorch_writes_them():
    x = adc.tensor([[1.0, 4.0], [9.0, 16.0]], requires_grad=True)
    assert plain(x.diff(1, 0)) == [[8.0, 12.0]]
    assert plain(x.diff(dim=1, append=x[:, :1])) == [[3.0, -3.0], [7.0, -7.0]]
    assert plain(x.take_along_dim(adc.tensor(np.array([[3, 0], [1, 1]])))) == [16.0, 1.0, 4.0, 4.0]
    assert [plain(part) for part in x.tensor_split(adc.tensor(np.array(2)))] == [[[1.0, 4.0]], [[9.0, 16.0]]]
    powers = adc.tensor([1.0, 2.0], requires_grad=True)
    x.ldexp(powers).sum().backward()
    assert plain(x.grad) == [[2.0, 4.0], [2.0, 4.0]]
    assert plain(powers.grad) == [round(v, 8) for v in (20.0 * np.log(2.0), 80.0 * np.log(2.0))]


@pytest.mark.tiny
@pytest.mark.parametrize("library", [adc, torch])
@pytest.mark.parametrize("call", [lambda t: t.tril(), lambda t: t.triu(1), lambda t: t.renorm(2, 0, 1.0)])
def test_methods_of_matrices_take_no_vector(library, call):
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        call(library.tensor([1.0, 2.0], requires_grad=True))
