"""Hooks, gradients kept on request, and edges of the graph, as in PyTorch's own tests."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tape.torch_programs import Answers, error_of, ones, tensor

from adc import autograd

answers = Answers()
gives, raises = answers.gives, answers.raises


@gives(([6.0, 6.0], [(0, [6.0, 6.0])]))
def hook_on_accumulate_node():
    x = ones(2, requires_grad=True)
    out = []
    z = x * 2
    acc = z.grad_fn.next_functions[0][0]
    acc.register_prehook(lambda g: (g[0] * 3,))
    acc.register_hook(lambda gi, go: out.append((len(gi), go[0])))
    z.sum().backward()
    return x.grad, out


@gives(([2.0, 2.0], None))
def node_hook_modify():
    x = ones(2, requires_grad=True)
    y = ones(2, requires_grad=True)
    z = x * y
    z.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, None))
    z.sum().backward()
    return x.grad, y.grad


@gives(([6.0, 6.0], [(2, True, 1)]))
def node_hook_of_an_operand_without_a_gradient():
    x = ones(2, requires_grad=True)
    z = x * 2
    seen = []

    def hook(gi, go):
        seen.append((len(gi), gi[1] is None, len(go)))
        return gi[0] * 3, None

    z.grad_fn.register_hook(hook)
    z.sum().backward()
    return x.grad, seen


@gives(["tensor", "tensor2", "pre", "post", "leaf", "postacc"])
def node_hook_order():
    x = ones(2, requires_grad=True)
    z = x * 2
    out = []
    z.register_hook(lambda g: out.append("tensor"))
    z.grad_fn.register_prehook(lambda g: out.append("pre"))
    z.register_hook(lambda g: out.append("tensor2"))
    z.retain_grad()
    z.grad_fn.register_hook(lambda gi, go: out.append("post"))
    x.register_hook(lambda g: out.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: out.append("postacc"))
    z.sum().backward()
    return out


@gives([11.0, 11.0])
def prehook_modifies():
    x = ones(2, requires_grad=True)
    z = x * 2
    h = z.grad_fn.register_prehook(lambda g: (g[0] * 5,))
    z.sum().backward()
    h.remove()
    (x * 1).sum().backward()
    return x.grad


@raises(TypeError, "expected tuple, but hook returned 'int'")
def prehook_wrong():
    x = ones(2, requires_grad=True)
    z = x * 2
    z.grad_fn.register_prehook(lambda g: 1)
    z.sum().backward()


@raises(TypeError, "expected Variable, but hook returned 'int'")
def hook_returns_wrong():
    x = ones(2, requires_grad=True)
    z = x * 2
    z.register_hook(lambda g: 3)
    z.sum().backward()


@raises(RuntimeError, "hook '<lambda>' has changed the size of value: from (2,) to (3,)")
def hook_wrong_shape():
    x = ones(2, requires_grad=True)
    z = x * 2
    z.register_hook(lambda g: ones(3))
    z.sum().backward()


@gives([False, False])
def hook_inplace():
    x = ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: None)
    out = []
    y.register_hook(lambda g: out.append(g.requires_grad))
    y.sum().backward(create_graph=False)
    (x * x).sum().backward()
    z = x * x * x
    z.register_hook(lambda g: out.append(g.requires_grad))
    z.sum().backward(create_graph=True)
    return out


@gives(([8.0], [8.0]))
def hook_with_create_graph():
    x = tensor([2.0], True)
    y = x * x
    y.register_hook(lambda g: g * x)
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    return g, h


@gives(([("new", [1.0]), ("old", [5.0])], [5.0]))
def hook_inplace_after():
    x = tensor([2.0], True)
    y = x * 1
    out = []
    y.register_hook(lambda g: out.append(("old", g.clone())))
    y.mul_(5)
    y.register_hook(lambda g: out.append(("new", g.clone())))
    y.sum().backward()
    return out, x.grad


@gives(([1.0], [5.0], True))
def retain_inplace():
    x = tensor([2.0], True)
    y = x * 1
    y.retain_grad()
    y.mul_(5)
    y.sum().backward()
    return y.grad, x.grad, y.retains_grad


@gives(([2.0], [30.0]))
def retain_inplace2():
    x = tensor([2.0], True)
    y = x * 1
    y.mul_(5)
    y.retain_grad()
    y.mul_(3)
    y.retain_grad()
    (y * 2).sum().backward()
    return y.grad, x.grad


@gives(([3.0], [6.0]))
def retain_twice():
    x = tensor([2.0], True)
    y = x * x
    y.retain_grad()
    y.retain_grad()
    (y * 3).sum().backward(retain_graph=True)
    a = y.grad.clone()
    (y * 3).sum().backward()
    return a, y.grad


@gives((None, [1.0, 1.0], [5.0, 1.0]))
def retain_view():
    x = tensor([2.0, 3.0], True)
    y = x * 1
    v = y[:1]
    v.retain_grad()
    y.retain_grad()
    v.mul_(5)
    y.sum().backward()
    return v.grad, y.grad, x.grad


@gives(([30.0],))
def grad_nonleaf_capture_hooks():
    x = tensor([2.0], True)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    g = autograd.grad((y * 3).sum(), y)
    return g


@gives((([30.0],), []))
def grad_leaf_capture_hooks():
    x = tensor([2.0], True)
    out = []
    x.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda t: out.append(1))
    g = autograd.grad((x * 3).sum(), x)
    return g, out


@gives((True, [1.0], True, [2.0]))
def retain_grad_unneeded():
    x = tensor([2.0], True)
    w = tensor([1.0], True)
    y = x * 2
    y.retain_grad()
    z = w * 2
    z.retain_grad()
    (y + z).sum().backward(inputs=[w])
    return y.grad is None, z.grad, x.grad is None, w.grad


@gives(["z"])
def hooks_with_inputs():
    x = tensor([2.0], True)
    w = tensor([1.0], True)
    out = []
    y = x * 2
    y.register_hook(lambda g: out.append("y"))
    z = w * 2
    z.register_hook(lambda g: out.append("z"))
    (y + z).sum().backward(inputs=[w])
    return out


@gives([[[], None], None])
def next_functions():
    x = ones(2, requires_grad=True)
    y = ones(2)
    z = x * y + 3
    f = z.grad_fn

    def desc(f):
        if f is None:
            return None
        return [desc(a) for a, _ in f.next_functions]

    return desc(f)


@gives(True)
def acc_same():
    x = ones(2, requires_grad=True)
    return (x * 2).grad_fn.next_functions[0][0] is (x * 3).grad_fn.next_functions[0][0]


@gives(True)
def attribute_deletion():
    x = ones(1, requires_grad=True)
    x.sum().backward()
    del x.grad
    return x.grad is None


@gives(([3.0, 4.0], [6.0, 8.0]))
def data_set():
    x = ones(2, requires_grad=True)
    x.data = tensor([3.0, 4.0])
    (x * x).sum().backward()
    return x, x.grad


@raises(
    RuntimeError,
    "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the grad",
)
def grad_assign_shape():
    x = ones(2, requires_grad=True)
    x.grad = ones(3)


@raises(
    RuntimeError,
    "attempting to assign a gradient with dtype 'float32' to a tensor with dtype 'float64'. Please ensure",
)
def grad_assign_dtype():
    x = ones(2, requires_grad=True)
    x.grad = tensor([1.0, 2.0], dtype=np.float32)


@raises(RuntimeError, "can't assign Variable as its own grad")
def grad_assign_self():
    x = ones(2, requires_grad=True)
    x.grad = x


@gives(([12.0, 22.0], True))
def grad_assign_then_acc():
    x = ones(2, requires_grad=True)
    g = tensor([10.0, 20.0])
    x.grad = g
    (x * 2).sum().backward()
    return g, x.grad is g


@gives([1.0, 1.0])
def grad_assign_norg():
    x = ones(2)
    x.grad = ones(2)
    return x.grad


@gives(([1.0], [1.0], [2.0]))
def acc_create_graph():
    x = tensor([2.0], True)
    y = x + 2
    y.backward(ones(1), retain_graph=True)
    g = x.grad
    c = g.clone()
    y.backward(ones(1), create_graph=True)
    return g, c, x.grad


@gives(([2.0], [2.0]))
def backward_inputs_tensor():
    x = tensor([2.0], True)
    w = tensor([1.0], True)
    (x * w).sum().backward(inputs=x)
    (x * w).sum().backward(inputs=(w, x))
    return x.grad, w.grad


@gives((None, None))
def backward_inputs_notused():
    x = tensor([2.0], True)
    w = tensor([1.0], True)
    (x * 2).sum().backward(inputs=[w])
    return w.grad, x.grad


@gives((True, [32.0]))
def backward_inputs_accum():
    x = tensor([2.0], True)
    y = x * 2
    (y * y).sum().backward(inputs=[x], retain_graph=True)
    a = x.grad
    (y * y).sum().backward(inputs=[x])
    return a is x.grad, x.grad


@gives(([3.0], [3.0]))
def grad_dup():
    x = tensor([2.0], True)
    return autograd.grad((x * 3).sum(), [x, x])


@gives((1.0, [3.0]))
def grad_of_output():
    x = tensor([2.0], True)
    y = (x * 3).sum()
    return autograd.grad(y, [y, x])


@gives(([5.0, 5.0],))
def grad_outputs_none_list():
    x = tensor([2.0, 3.0], True)
    y = (x * 3).sum()
    z = x * 2
    return autograd.grad([y, z], x, [None, ones(2)])


@raises(
    RuntimeError, "Mismatch in shape: grad_output[0] has a shape of (3,) and output[0] has a shape of (2,)."
)
def grad_outputs_mismatch():
    x = ones(2, requires_grad=True)
    autograd.grad(x * 2, x, ones(3))


@raises(TypeError, "gradients can be either Tensors or None, but got str")
def grad_outputs_nontensor():
    x = ones(2, requires_grad=True)
    autograd.grad(x * 2, x, "a")


@gives(((4, 0), [[0.0], [0.0], [0.0], [0.0]], (4, 0)))
def empty_dim():
    a = ones(4, 0, requires_grad=True)
    b = ones(4, 1, requires_grad=True)
    c = a + b
    c.sum().backward()
    return c.shape, b.grad, a.grad.shape


@gives(({"a": 3}, {}))
def metadata():
    x = tensor([2.0], True)
    y = x * 2
    y.grad_fn.metadata["a"] = 3
    return y.grad_fn.metadata, y.grad_fn.next_functions[0][0].metadata


@gives([[[1.0], [1.0], None], [[1.0], [1.0], [1.0]]])
def multi_grad_hook():
    ts = [tensor([1.0], True) for _ in range(3)]
    out = []
    h = autograd.graph.register_multi_grad_hook(
        ts, lambda gs: out.append([None if g is None else g.clone() for g in gs])
    )
    (ts[0] * ts[1]).sum().backward()
    (ts[0] + ts[1] * ts[2]).sum().backward()
    h.remove()
    ts[0].sum().backward()
    return out


@gives([[2.0], [1.0]])
def multi_grad_hook_any():
    ts = [tensor([1.0], True) for _ in range(3)]
    out = []
    h = autograd.graph.register_multi_grad_hook(ts, lambda g: out.append(g.clone()), mode="any")
    (ts[0] * 2).sum().backward()
    (ts[0] * ts[1]).sum().backward()
    h.remove()
    return out


@gives(("ValueError", "Expects mode to be one of ('all', 'any') but got x"))
def multi_grad_bad():
    return error_of(
        lambda: autograd.graph.register_multi_grad_hook(
            [ones(1, requires_grad=True)], lambda g: None, mode="x"
        )
    )


@gives([2.0, 2.0])
def allow_mutation():
    x = ones(2, requires_grad=True)
    with autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = (y * y).sum()
        y.mul_(3)
        z.backward()
    return x.grad


@gives(1)
def increment_version():
    x = ones(2)
    autograd.graph.increment_version(x)
    return x._version


@gives(
    (
        ("RuntimeError", "post accumulate grad hooks cannot be registered on non-leaf tensors"),
        ("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient"),
    )
)
def post_acc_nonleaf():
    x = ones(2, requires_grad=True)
    return error_of(lambda: (x * 2).register_post_accumulate_grad_hook(lambda t: None)), error_of(
        lambda: ones(2).register_post_accumulate_grad_hook(lambda t: None)
    )


@gives(([3.0, 3.0], [5.0, 5.0]))
def post_acc_multiple():
    x = ones(2, requires_grad=True)

    def h1(t):
        t.grad.mul_(2)

    def h2(t):
        t.grad.add_(1)

    a = x.register_post_accumulate_grad_hook(h1)
    x.register_post_accumulate_grad_hook(h2)
    x.sum().backward()
    g = x.grad.clone()
    a.remove()
    x.sum().backward()
    return g, x.grad


@gives([1])
def hook_leaf_requires_false():
    x = tensor([1.0, 2.0], True)
    out = []
    x.register_hook(lambda g: out.append(1))
    x.requires_grad_(False)
    x.requires_grad_(True)
    x.sum().backward()
    return out


@gives([1.0, 1.0])
def requires_grad_off_keeps_grad():
    x = tensor([1.0, 2.0], True)
    x.sum().backward()
    x.requires_grad_(False)
    return x.grad


@gives((True, 0, ([5.0],), "GradientEdge"))
def gradient_edge():
    x = tensor([3.0], True)
    y = x * 2
    e = autograd.graph.get_gradient_edge(y)
    z = y * 5
    return e.node is y.grad_fn, e.output_nr, autograd.grad(z, e), type(e).__name__


@gives((([6.0],), 0, True))
def gradient_edge_leaf():
    x = tensor([3.0], True)
    e = autograd.graph.get_gradient_edge(x)
    y = x * x
    return autograd.grad(y, e), e.output_nr, e.node.variable is x


@gives(([2.0],))
def gradient_edge_out():
    x = tensor([3.0], True)
    y = x * 2
    e = autograd.graph.get_gradient_edge(y)
    return autograd.grad(e, x, ones(1))


@gives(([2.0],))
def gradient_edge_out2():
    x = tensor([3.0], True)
    y = x * 2
    e = autograd.graph.get_gradient_edge(y)
    return autograd.grad(e, x)


@raises(
    RuntimeError, "It is not possible to get the gradient edge for a Tensor that does not require gradients"
)
def gradient_edge_norg():
    return autograd.graph.get_gradient_edge(ones(1))


@gives([6.0])
def gradient_edge_backward_inputs():
    x = tensor([3.0], True)
    e = autograd.graph.get_gradient_edge(x)
    (x * x).backward(inputs=[e])
    return x.grad


@gives([6.0])
def gradient_edge_backward_root():
    x = tensor([3.0], True)
    y = (x * x).sum()
    autograd.backward(autograd.graph.get_gradient_edge(y))
    return x.grad


@gives((["y"], ["y", "y"], [2.0, 2.0], ["y", "y"]))
def hook_stays_with_a_detached_tensor():
    x, log = ones(2, requires_grad=True), []
    y = x * 2
    handle = y.register_hook(lambda g: log.append("y"))
    z = (y * 3).sum()
    y.detach_()
    z.backward()
    first = list(log)
    y.requires_grad_()
    (y * 2).sum().backward()
    second = list(log)
    handle.remove()
    (y * 2).sum().backward()
    return first, second, y.grad / 2, log


@gives(([6.0, 6.0], [6.0, 6.0], ["x", "x"], [11.0, 11.0]))
def leaf_that_requires_no_gradient_any_more():
    x, log = ones(2, requires_grad=True), []
    (x * 6).sum().backward()
    x.register_hook(lambda g: log.append("x"))
    w, v = (x * 2).sum(), (x * 3).sum()
    x.detach_()
    w.backward()
    one = x.grad.clone()
    x.requires_grad_(False)
    v.backward()
    two = x.grad.clone()
    x.requires_grad_()
    seen = list(log)
    (x * 5).sum().backward()
    return one, two, seen, x.grad


@gives(([1, 2, 2, 1, 1], 108.0, [1, 2, 2, 1, 1, 2], 216.0))
def grad_takes_a_leaf_before_the_hooks_of_its_node():
    log = []

    def on_tensor(g):
        log.append(1)
        return g * 3

    def on_node(gs):
        log.append(2)
        return tuple(g * 2 for g in gs)

    a = tensor(1.0, True)
    b = a * 1
    b.grad_fn.register_prehook(on_node)
    b.register_hook(on_tensor)
    b.grad_fn.register_prehook(on_node)
    a.register_hook(on_tensor)
    b.grad_fn.next_functions[0][0].register_prehook(on_node)
    a.register_hook(on_tensor)
    (g,) = autograd.grad(b.sum(), inputs=(a,), retain_graph=True)
    of_grad = log.copy()
    log.clear()
    b.sum().backward(inputs=(a,))
    return of_grad, g.item(), log, a.grad.item()


@gives([1, 1])
def a_hook_that_another_removes_runs_once_more():
    counts = []
    a = tensor([1.0], True)
    b = a * 2

    def first(gs):
        handle.remove()

    b.grad_fn.register_prehook(first)
    handle = b.grad_fn.register_prehook(lambda gs: counts.append(1))
    b.backward(retain_graph=True)
    counts.append(len(counts))
    b.backward()
    return counts


@gives(([3.0, 3.0], [6.0, 6.0]))
def an_edge_in_the_middle_collects_a_gradient():
    x = tensor([1.0, 2.0], True)
    y = x * 2
    edge = autograd.graph.get_gradient_edge(y)
    autograd.backward((y * 3).sum(), inputs=(edge, x))
    return y.grad.tolist(), x.grad.tolist()


@gives([["tensor"], ["node", "node", "tensor", "tensor"]])
def hooks_of_a_node_run_where_the_pass_goes_through_it():
    log = []
    a = tensor(1.0, True)
    b = a * 2
    c = b * 2
    for x in (a, b):
        x.register_hook(lambda g: log.append("tensor"))
    b.grad_fn.register_prehook(lambda gs: log.append("node"))
    a.view(1).grad_fn.next_functions[0][0].register_prehook(lambda gs: log.append("node"))
    autograd.grad(c, b, retain_graph=True)
    first = log.copy()
    log.clear()
    c.backward(inputs=(a, b))
    return [first, sorted(log)]


@gives(("RuntimeError", "Tensor post accumulate grad hooks should return None. This one returned a Tensor"))
def a_hook_after_accumulation_returns_nothing():
    x = tensor(1.0, True)
    x.register_post_accumulate_grad_hook(lambda t: t.grad)
    return error_of(lambda: (x * 2).backward())


@gives(2)
def a_pass_that_fails_does_not_count():
    class Fails(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if not calls[1:]:
                raise RuntimeError("once")
            return g

    calls = []
    x, y = tensor(1.0, True), tensor(2.0, True)
    z = Fails.apply(x) * y
    autograd.graph.register_multi_grad_hook((z, x), lambda g: calls.append(1), mode="any")
    out = z * 2
    for _ in range(2):
        try:
            out.backward(inputs=(x, y), retain_graph=True)
        except RuntimeError:
            pass
    return len(calls)


@gives(["late leaf", "operation", "early leaf"])
def a_leaf_is_reached_as_soon_as_nothing_else_leads_to_it():
    log = []
    early = tensor(1.0, True)
    y = early * 2
    late = tensor(3.0, True)
    z = (y + 1) * late
    late.register_post_accumulate_grad_hook(lambda t: log.append("late leaf"))
    early.register_post_accumulate_grad_hook(lambda t: log.append("early leaf"))
    y.register_hook(lambda g: log.append("operation"))
    z.backward()
    return log


@pytest.mark.tiny
@pytest.mark.parametrize("case", answers.cases)
def test_as_pytorch(case):
    case.check()
