"""What is refused, and modes, as in PyTorch's own tests, with what PyTorch 2.13 answers."""

from __future__ import annotations

import copy
import threading
import warnings

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, itensor, ones, tensor

import adc
from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(
    (
        ("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn"),
        ("RuntimeError", "grad can be implicitly created only for scalar outputs"),
    )
)
def err_nongrad():
    return error_of(lambda: tensor([1.0]).sum().backward()), error_of(
        lambda: (tensor([1.0, 2.0], True) * 2).backward()
    )


@gives(
    (
        "RuntimeError",
        "Trying to backward through the graph a second time (or directly access saved tensors after",
    )
)
def err_twice():
    x = tensor([1.0, 2.0], True)
    y = (x * x).sum()
    y.backward()
    return error_of(lambda: y.backward())


@gives(("none", [4.0, 4.0]))
def err_twice_add():
    x = tensor([1.0, 2.0], True)
    y = (x + x).sum()
    y.backward()
    return error_of(lambda: y.backward()), x.grad


@gives("RuntimeError")
def err_grad_shape():
    x = tensor([1.0, 2.0], True)
    return error_of(lambda: (x * x).backward(ones(3)))[0]


@gives("none")
def err_grad_dtype():
    x = tensor([1.0, 2.0], True)
    return error_of(lambda: (x * x).backward(itensor([1, 1])))


@gives(("none", [3.0, 5.0]))
def err_none_in_list():
    x = tensor([1.0, 2.0], True)
    return error_of(lambda: autograd.backward([x * x, x.sum()], [ones(2), None])), x.grad


@gives(([3.0, 5.0],))
def grad_none_outputs():
    x = tensor([1.0, 2.0], True)
    return autograd.grad([(x * x).sum(), x.sum()], [x], [None, None])


@gives(("tuple", 1))
def grad_single_tensor_out():
    x = tensor([1.0, 2.0], True)
    r = autograd.grad((x * x).sum(), x)
    return type(r).__name__, len(r)


@gives(([[2.0, 0.0], [0.0, 4.0]],))
def grad_is_batched():
    x = tensor([1.0, 2.0], True)
    return autograd.grad(x * x, x, tensor([[1.0, 0.0], [0.0, 1.0]]), is_grads_batched=True)


@gives(("RuntimeError", "grad can be implicitly created only for scalar outputs"))
def grad_is_batched_of_nothing():
    x = tensor([1.0, 2.0], True)
    return error_of(lambda: autograd.grad(x * x, x, is_grads_batched=True))


@gives((([2.0, 4.0], [0.0]), "ValueError"))
def grad_materialize():
    x = tensor([1.0, 2.0], True)
    y = tensor([3.0], True)
    return autograd.grad((x * x).sum(), [x, y], materialize_grads=True), error_of(
        lambda: autograd.grad((x * x).sum(), [x, y], allow_unused=False, materialize_grads=True)
    )[0]


@gives("n")
def retain_graph_false_create():
    x = tensor([2.0], True)
    y = (x**3).sum()
    (g,) = autograd.grad(y, x, create_graph=True, retain_graph=False)
    return error_of(lambda: g.backward())[0]


@gives(([12.0], [12.0], [6.0]))
def double_backward():
    x = tensor([2.0], True)
    y = x**3
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x, create_graph=True)
    (t,) = autograd.grad(h.sum(), x)
    return g, h, t


@gives((False, ("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn")))
def double_backward_none():
    x = tensor([2.0], True)
    y = x * 3
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    return g.requires_grad, error_of(lambda: autograd.grad(g.sum(), x))


@gives("RuntimeError")
def inf_existing_autograd():
    s = ones(2, requires_grad=True)
    a = s.clone()
    b = a * a
    with adc.inference_mode():
        a.add_(1)
    return error_of(lambda: b.sum().backward())[0]


@gives([True, False])
def thread_grad_mode():
    out = []
    with adc.no_grad():
        t = threading.Thread(target=lambda: out.append(adc.is_grad_enabled()))
        t.start()
        t.join()
        out.append(adc.is_grad_enabled())
    return out


@gives(([], [8.0, 8.0, 8.0, 8.0, 8.0]))
def thread_sharing_graph():
    x = ones(5, requires_grad=True)
    y = (x * x).sum()
    errs = []

    def go():
        try:
            y.backward(retain_graph=True)
        except Exception as e:
            errs.append(str(e))

    ts = [threading.Thread(target=go) for _ in range(4)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return errs, x.grad


@gives(("MyErr", "x"))
def thread_python_error():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise MyErr("x")

    class MyErr(Exception):
        pass

    x = ones(1, requires_grad=True)
    return error_of(lambda: F.apply(x).sum().backward())


@gives(("RuntimeError", "Function 'FBackward' returned nan values in its 0th output."))
def mat_anomaly_py():
    class F(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    x = ones(2, requires_grad=True)
    with warnings.catch_warnings(record=True):
        with autograd.detect_anomaly():
            return error_of(lambda: F.apply(x).sum().backward())


@gives("RuntimeError")
def anomaly_graph_err():
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        with autograd.detect_anomaly():
            x = tensor([1.0, 2.0], True) * 1
            y = x * x
            x.add_(1)
            r = error_of(lambda: y.sum().backward())[0]
        return r


@gives(("RuntimeError", "Boolean value of Tensor with more than one value is ambiguous"))
def tensor_bool_err():
    return error_of(lambda: bool(tensor([1.0, 2.0])))


@gives("RuntimeError")
def tensor_item_multi():
    return error_of(lambda: tensor([1.0, 2.0]).item())[0]


@gives(
    (
        "RuntimeError",
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol a",
    )
)
def deepcopy_nonleaf():
    return error_of(lambda: copy.deepcopy(tensor([1.0], True) * 2))


@gives((True, True))
def deepcopy_shared():
    x = tensor([1.0], True)
    d = {"a": x, "b": x}
    e = copy.deepcopy(d)
    return e["a"] is e["b"], e["a"].requires_grad


@gives([1])
def hook_handle_ctx():
    x = tensor([1.0], True)
    o = []
    with x.register_hook(lambda g: o.append(1)):
        (x * 2).sum().backward()
    (x * 2).sum().backward()
    return o


@gives([2.0, 2.0])
def hook_return_none_keep():
    x = tensor([1.0, 2.0], True)
    x.register_hook(lambda g: None)
    (x * 2).sum().backward()
    return x.grad


@gives(("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient"))
def hook_on_nograd():
    return error_of(lambda: ones(2).register_hook(lambda g: g))


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()


@pytest.mark.tiny
def test_a_refused_ufunc_is_named_by_its_module():
    special = pytest.importorskip("scipy.special")
    with pytest.raises(adc.UnsupportedError, match=r"no rule for scipy\.special\.mathieu_a"):
        special.mathieu_a(1.0, adc.tensor(1.0, requires_grad=True))


@pytest.mark.tiny
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: x.narrow(2, 0, 1), IndexError, "Dimension out of range"),
        (lambda x: x.narrow(1, 4, 0), IndexError, "start out of range"),
        (lambda x: x.narrow(1, 1, 3), RuntimeError, "exceeds dimension size"),
        (lambda x: x.index_add(2, np.array([0]), x[:1]), IndexError, "Dimension out of range"),
        (lambda x: x.index_add(0, np.array([0]), x[0]), RuntimeError, "source tensor shape must match"),
        (lambda x: x.gather(1, np.array([0, 0])), RuntimeError, "same number of dimensions"),
        (lambda x: x.gather(-3, np.array([[0, 0]])), IndexError, "Dimension out of range"),
        (lambda x: x.select(2, 0), IndexError, "Dimension out of range"),
        (lambda x: x.unfold(2, 1, 1), IndexError, "Dimension out of range"),
        (lambda x: x.flatten(0, 2), IndexError, "Dimension out of range"),
        (lambda x: x.unflatten(2, (1, 2)), IndexError, "Dimension out of range"),
        (lambda x: x.norm(3, (0, 2)), IndexError, "Dimension out of range"),
        (lambda x: x.roll((2, 1), 0), RuntimeError, "shifts and dimensions must align"),
        (lambda x: x.unfold(0, 1, 1).t(), RuntimeError, "dimensions, but self is 3D"),
    ],
)
def test_axes_and_lengths_that_do_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(adc.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True))


@pytest.mark.tiny
def test_narrow_counts_from_the_end():
    x = adc.tensor(np.arange(6.0).reshape(2, 3))
    assert x.narrow(1, -2, 2).numpy().tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert x.narrow(-1, 3, 0).shape == (2, 0)
