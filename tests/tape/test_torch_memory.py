"""Which methods give the Tensor itself or a view of it, and which a copy, as in PyTorch: writes tell."""

from __future__ import annotations

import numpy as np
import pytest

import adc

torch = pytest.importorskip("torch")

CALLS = {
    "flip": lambda t: t.flip(0),
    "flip none": lambda t: t.flip(()),
    "fliplr": lambda t: t.fliplr(),
    "flipud": lambda t: t.flipud(),
    "rot90": lambda t: t.rot90(2),
    "rot90 none": lambda t: t.rot90(4),
    "diag": lambda t: t.diag(),
    "diag of a vector": lambda t: t[0].diag(),
    "diagonal": lambda t: t.diagonal(),
    "diff": lambda t: t.diff(0),
    "roll": lambda t: t.roll(1),
    "positive": lambda t: t.positive(),
    "conj_physical": lambda t: t.conj_physical(),
    "sum_to_size": lambda t: t.sum_to_size(t.shape),
    "adjoint": lambda t: t.adjoint(),
    "contiguous": lambda t: t.contiguous(),
    "double": lambda t: t.double(),
    "float and back": lambda t: t.float().double(),
    "type_as": lambda t: t.type_as(t),
    "to a Tensor's": lambda t: t.to(t.sum()),
    "to, copied": lambda t: t.to(t.dtype, copy=True),
    "clone": lambda t: t.clone(),
    "narrow_copy": lambda t: t.narrow_copy(0, 0, 2),
    "tril": lambda t: t.tril(),
    "reshape": lambda t: t.reshape(-1),
    "ravel": lambda t: t.ravel(),
    "view": lambda t: t.view(1, 3, 3),
}


def answer(library, call, turned, written):
    leaf = library.tensor(np.arange(1.0, 10.0).reshape(3, 3), requires_grad=True)
    y = leaf * 1.0
    y = y.T if turned else y
    result = call(y)
    (result if written == "result" else y).mul_(3.0)
    ((y * y).sum() + (result * result * 0.5).sum()).backward()
    return np.concatenate([t.detach().numpy().ravel() for t in (y, result, leaf.grad)])


@pytest.mark.tiny
@pytest.mark.parametrize("written", ["result", "operand"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_as_pytorch(name, turned, written):
    expected = answer(torch, CALLS[name], turned, written)
    assert answer(adc, CALLS[name], turned, written) == pytest.approx(expected, rel=1e-6)


@pytest.mark.tiny
@pytest.mark.parametrize(
    "view", [lambda t: t.T.view(-1), lambda t: t[:, :2].view(6), lambda t: t.T.view_as(t.reshape(9))]
)
@pytest.mark.parametrize("library", [adc, torch])
def test_what_can_be_no_view_is_none(library, view):
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        view(library.tensor(np.ones((3, 3)), requires_grad=True) * 1.0)
