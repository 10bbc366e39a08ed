"""What users of JAX type, on plain NumPy functions: the transforms take it, in python mode and on the tape."""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple

import numpy as np
import pytest

import adc
from adc import (
    checkpoint,
    config,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    pytree,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)

X = np.array([0.5, 1.0, 2.0])


@pytest.fixture(params=["python", "tape"])
def mode(request):
    with config.overridden(mode=request.param):
        yield request.param


pytestmark = [pytest.mark.usefixtures("mode"), pytest.mark.tiny]


def cubes(x):
    return np.sum(x**3)


def eq(found, wanted, tolerance=1e-9):
    """Two containers of numbers are the same: structure, shapes, values."""
    leaves, structure = pytree.flatten(found)
    expected, its_structure = pytree.flatten(wanted)
    assert structure == its_structure, (found, wanted)
    for x, y in zip(leaves, expected, strict=True):
        assert np.shape(x) == np.shape(y), (found, wanted)
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=1e-12)


def test_jacfwd_of_jacrev():
    eq(jacfwd(jacrev(cubes))(X), np.diag(6 * X))


def test_jacrev_of_jacfwd():
    eq(jacrev(jacfwd(cubes))(X), np.diag(6 * X))


def test_jacfwd_of_grad():
    eq(jacfwd(grad(cubes))(X), np.diag(6 * X))


def test_jacrev_of_grad():
    eq(jacrev(grad(cubes))(X), np.diag(6 * X))


def test_per_example_gradients():

    def loss(w, x):
        return np.sum(np.tanh(x @ w))

    W = np.ones(3) * 0.1
    XS = np.arange(6.0).reshape(2, 3)
    got = vmap(grad(loss), in_axes=(None, 0))(W, XS)
    eq(got, np.stack([grad(loss)(W, x) for x in XS]))


def test_hvp_of_a_dict():

    def loss(p):
        return np.sum((p["w"] * p["b"]) ** 2)

    p = {"w": X, "b": 2.0}
    v = {"w": np.ones(3), "b": 1.0}
    got = hvp(loss, p, v)
    eq(got["w"], 2 * 4 * np.ones(3) + 4 * 2 * X * 1.0)


def test_grad_with_aux():

    def f(x):
        return (np.sum(x * x), {"y": x + 1, "n": 3})

    g, aux = grad(f, has_aux=True)(X)
    eq(g, 2 * X)
    eq(aux["y"], X + 1)
    assert aux["n"] == 3


def test_jacobians_with_aux():

    def f(x):
        return (x * x, x.sum())

    j, aux = jacrev(f, has_aux=True)(X)
    eq(j, np.diag(2 * X))
    eq(aux, 3.5)
    j, aux = jacfwd(f, has_aux=True)(X)
    eq(j, np.diag(2 * X))
    eq(aux, 3.5)
    j, aux = jacobian(f, has_aux=True)(X)
    eq(j, np.diag(2 * X))
    eq(aux, 3.5)


def test_hessian_with_aux():

    def f(x):
        return (np.sum(x**3), x * 2)

    h, aux = hessian(f, has_aux=True)(X)
    eq(h, np.diag(6 * X))
    eq(aux, 2 * X)


def test_directions_with_aux():

    def f(x):
        return (np.sum(x**3), x * 2)

    _y, t, aux = jvp(f, (X,), (np.ones(3),), has_aux=True)
    eq(t, np.sum(3 * X**2))
    eq(aux, 2 * X)
    _y, pb, aux = vjp(f, X, has_aux=True)
    eq(pb(1.0), (3 * X**2,))
    eq(aux, 2 * X)
    _y, push, aux = linearize(f, X, has_aux=True)
    eq(push(np.ones(3)), np.sum(3 * X**2))


def test_argnums():

    def f(a, b, c):
        return np.sum(a * b) * c

    eq(grad(f, argnums=(0, 2))(X, X, 2.0), (2 * X, np.sum(X * X)))
    eq(grad(f, argnums=("c", "a"))(X, X, 2.0), (np.sum(X * X), 2 * X))
    eq(grad(f, argnums=-1)(X, X, 2.0), np.sum(X * X))
    eq(grad(f, argnums=[0, 2])(X, X, 2.0), (2 * X, np.sum(X * X)))


def test_keyword_arguments():

    def f(x, *, scale=2.0):
        return np.sum(x) * scale

    eq(grad(f)(X, scale=3.0), np.full(3, 3.0))
    eq(grad(f)(X), np.full(3, 2.0))
    eq(grad(f, argnums="scale")(X, scale=3.0), 3.5)
    eq(grad(f)(x=X), np.full(3, 2.0))


def test_methods_and_callable_objects():

    class M:
        def __init__(s, w):
            s.w = w

        def loss(s, x):
            return np.sum(s.w * x * x)

        @adc.grad
        def g(s, x):
            return np.sum(s.w * x * x)

    m = M(2.0)
    eq(grad(m.loss)(X), 4 * X)
    eq(m.g(X), 4 * X)
    m.w = 3.0
    eq(grad(m.loss)(X), 6 * X)
    eq(hessian(m.loss)(X), 6 * np.eye(3))
    eq(jvp(m.loss, (X,), (X,))[1], np.sum(6 * X * X))
    eq(vjp(m.loss, X)[1](1.0), (6 * X,))

    class C:
        def __init__(s, w):
            s.w = w

        def __call__(s, x):
            return np.sum(s.w * x * x)

    eq(grad(C(2.0))(X), 4 * X)
    eq(hessian(C(2.0))(X), 4 * np.eye(3))
    eq(jacfwd(C(2.0))(X), 4 * X)
    eq(hvp(C(2.0), X, X), 4 * X)


def test_closures():
    for k in (2.0, 3.0):

        def f(x):
            return np.sum(k * x * x)

        eq(grad(f)(X), 2 * k * X)
        eq(hessian(f)(X), 2 * k * np.eye(3))


def test_a_python_float():
    def f(x):
        return float(np.sum(x * x))

    eq(grad(f)(X), 2 * X)
    eq(hessian(f)(X), 2 * np.eye(3))
    eq(jvp(f, (X,), (X,))[1], 2 * np.sum(X * X))


def test_a_zero_dimensional_array():

    def f(x):
        return np.sum(x * x, keepdims=True).reshape(())

    eq(grad(f)(X), 2 * X)


def test_an_array_of_one_element():

    def f(x):
        return np.sum(x * x, keepdims=True)

    eq(grad(f)(X), 2 * X)
    eq(jacrev(f)(X), 2 * X[None])
    eq(jacobian(f)(X), 2 * X[None])


def test_four_times():
    eq(grad(grad(grad(grad(np.sin))))(0.3), np.sin(0.3))


def test_library_functions():
    eq(grad(np.sin)(0.3), np.cos(0.3))
    eq(vmap(grad(np.sin))(X), np.cos(X))
    eq(jvp(np.sin, (X,), (X,))[1], X * np.cos(X))


def test_vmap_of_second_derivative():

    def f(x):
        return np.sin(x) * x

    eq(vmap(grad(grad(f)))(X), 2 * np.cos(X) - X * np.sin(X))


def test_namedtuple():
    P = namedtuple("P", "a b")

    def f(p):
        return np.sum(p.a * p.b)

    g = grad(f)(P(X, 2.0))
    assert type(g) is P
    eq(g.a, np.full(3, 2.0))
    eq(g.b, 3.5)
    H = hessian(f)(P(X, 2.0))
    eq(H.a.b, np.ones(3))
    eq(H.b.b, 0.0)
    eq(H.a.a, np.zeros((3, 3)))


def test_dataclass():

    @dataclasses.dataclass
    class D:
        a: object
        b: object

    def f(d):
        return np.sum(d.a * d.b)

    g = grad(f)(D(X, 2.0))
    assert type(g) is D
    eq(g.b, 3.5)
    _y, pb = vjp(f, D(X, 2.0))
    eq(pb(1.0)[0].b, 3.5)
    _y, t = jvp(f, (D(X, 2.0),), (D(np.ones(3), 1.0),))
    eq(t, 2 * 3 + 3.5)


def test_none_and_lists():

    def f(p):
        return p["a"] * 2 + (0 if p["b"] is None else p["b"])

    eq(grad(f)({"a": 1.0, "b": None}), {"a": 2.0, "b": None})
    eq(grad(lambda p: sum(np.sum(q) for q in p))([X, 2.0, []][:2]), [np.ones(3), 1.0])


def test_ravel_pytree():

    def mlp(params, x):
        for w, b in params:
            x = np.tanh(x @ w + b)
        return np.sum(x)

    r = np.random.default_rng(0)
    ps = [(r.normal(size=(3, 4)), np.zeros(4)), (r.normal(size=(4, 1)), np.zeros(1))]
    g = grad(mlp)(ps, X)
    assert len(g) == 2 and g[0][0].shape == (3, 4)
    flat, un = adc.ravel_pytree(ps)
    assert flat.shape == (12 + 4 + 4 + 1,)
    gf = grad(lambda v: mlp(un(v), X))(flat)
    eq(gf, adc.ravel_pytree(g)[0])


def test_vmap_axes():

    def f(x, y):
        return np.dot(x, y)

    eq(vmap(f, in_axes=(0, None))(np.eye(3), X), X)
    eq(vmap(f, in_axes=(1, 0))(np.eye(3), np.eye(3)), np.ones(3))
    eq(vmap(lambda x: x * 2, out_axes=1)(np.eye(3)[:2]), 2 * np.eye(3)[:2].T)
    eq(vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))(X, X), np.outer(X, X))


def test_vmap_containers():

    def f(d):
        return d["a"] * d["b"]

    eq(vmap(f, in_axes=({"a": 0, "b": None},))({"a": X, "b": 2.0}), 2 * X)
    eq(vmap(lambda x: {"s": x, "t": (x * x,)})(X), {"s": X, "t": (X * X,)})


def test_vmap_results():
    eq(vmap(lambda x: (x, 2 * x), out_axes=(0, 0))(X), (X, 2 * X))
    eq(vmap(lambda x: np.sum(x))(np.eye(3)), np.ones(3))
    eq(vmap(lambda x, y: x, in_axes=(0, None), out_axes=0)(X, 1.0), X)


def test_custom_jvp():

    @custom_jvp
    def log1pexp(x):
        return np.log(1.0 + np.exp(x))

    @log1pexp.defjvp
    def _(primals, tangents):
        (x,) = primals
        (t,) = tangents
        ans = log1pexp(x)
        return (ans, (1 - 1 / (1 + np.exp(x))) * t)

    eq(grad(log1pexp)(3.0), 1 / (1 + np.exp(-3.0)))
    eq(grad(log1pexp)(100.0), 1.0)
    eq(grad(grad(log1pexp))(0.5), np.exp(-0.5) / (1 + np.exp(-0.5)) ** 2)
    eq(vmap(grad(log1pexp))(X), 1 / (1 + np.exp(-X)))


def test_custom_vjp():

    @custom_vjp
    def clipg(lo, hi, x):
        return x

    def fwd(lo, hi, x):
        return (x, (lo, hi))

    def bwd(res, g):
        lo, hi = res
        return (None, None, np.clip(g, lo, hi))

    clipg.defvjp(fwd, bwd)
    eq(grad(lambda x: 10 * clipg(-1.0, 1.0, np.sin(x)))(0.3), np.cos(0.3))


def test_custom_vjp_nondiff():

    @functools.partial(custom_vjp, nondiff_argnums=(0,))
    def app(f, x):
        return f(x)

    def fwd(f, x):
        return (f(x), x)

    def bwd(f, x, g):
        return (2 * grad(f)(x) * g,)

    app.defvjp(fwd, bwd)
    eq(grad(lambda x: app(np.sin, x))(0.3), 2 * np.cos(0.3))


def test_custom_jvp_nondiff():

    @functools.partial(custom_jvp, nondiff_argnums=(0,))
    def app(f, x):
        return f(x)

    @app.defjvp
    def app_jvp(f, primals, tangents):
        (x,) = primals
        (t,) = tangents
        return (f(x), 2 * t)

    eq(grad(app, argnums=1)(np.sin, 0.3), 2.0)


def test_defjvps():

    @custom_jvp
    def f(x, y):
        return np.sin(x) * y

    f.defjvps(lambda t, ans, x, y: np.cos(x) * t * y, lambda t, ans, x, y: np.sin(x) * t)
    eq(grad(f, argnums=(0, 1))(0.3, 2.0), (np.cos(0.3) * 2, np.sin(0.3)))


def test_stop_gradient():
    eq(grad(lambda x: np.sum(stop_gradient(x) * x))(X), X)
    eq(grad(lambda p: stop_gradient(p)["a"] * p["a"])({"a": 2.0}), {"a": 2.0})


def test_checkpoint():
    g = checkpoint(lambda x: np.sin(np.sin(x)))
    eq(grad(lambda x: np.sum(g(x)))(X), np.cos(np.sin(X)) * np.cos(X))

    @checkpoint
    def h(x):
        return np.sin(x)

    eq(hessian(lambda x: np.sum(h(x)))(X), -np.diag(np.sin(X)))
    eq(jvp(h, (X,), (X,))[1], X * np.cos(X))
    eq(checkpoint(np.sin)(X), np.sin(X))


def test_no_perturbation_confusion():

    def f(x):
        return x * grad(lambda y: x * y * y)(x)

    eq(grad(f)(2.0), 24.0)
    eq(grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0), 1.0)
    eq(jvp(lambda x: x * jvp(lambda y: x * y, (1.0,), (1.0,))[1], (3.0,), (1.0,))[1], 6.0)
    eq(jacfwd(lambda x: x * jacfwd(lambda y: x * y)(1.0))(3.0), 6.0)


def test_grad_inside():

    def inner(a, b):
        return np.sum(a * b**2)

    def outer(b):
        return np.sum(grad(inner)(X, b) * X)

    eq(grad(outer)(X), 2 * X * X)

    def newton(x):
        return x - np.linalg.solve(hessian(cubes)(x) + np.eye(3), grad(cubes)(x))

    J = jacobian(newton)(X)
    e = 1e-06
    N = np.stack(
        [(newton(X + e * np.eye(3)[k]) - newton(X - e * np.eye(3)[k])) / (2 * e) for k in range(3)], 1
    )
    eq(J, N, 1e-06)


def test_value_and_grad():
    v, g = value_and_grad(cubes)(X)
    assert isinstance(v, float)
    eq(g, 3 * X**2)
    (v, aux), g = value_and_grad(lambda x: (np.sum(x), x), has_aux=True)(X)
    eq(aux, X)


def test_partial():
    f = functools.partial(lambda s, x: s * np.sum(x * x), 3.0)
    eq(grad(f)(X), 6 * X)
    f = functools.partial(lambda x, s: s * np.sum(x * x), s=3.0)
    eq(grad(f)(X), 6 * X)
    eq(hessian(f)(X), 6 * np.eye(3))
    eq(vmap(functools.partial(lambda s, x: s * x, 2.0))(X), 2 * X)


def test_float32():
    x = X.astype(np.float32)
    g = grad(lambda x: np.sum(x**2))(x)
    assert g.dtype == np.float32
    h = hessian(lambda x: np.sum(x**2))(x)
    assert h.dtype == np.float32, h.dtype
    assert hvp(lambda x: np.sum(x**2), x, x).dtype == np.float32
    g = grad(lambda s: s * s)(np.float32(2))
    assert g.dtype == np.float32


def test_containers_of_jacobians():
    eq(jacfwd(lambda x: (x * x, np.sum(x)))(X), (np.diag(2 * X), np.ones(3)))
    eq(jacrev(lambda x, y: {"a": x * y}, argnums=(0, 1))(X, 2.0), {"a": (2 * np.eye(3), X)})
    eq(jacfwd(lambda x: x * x)(3.0), 6.0)
    eq(jacrev(lambda x: x * x)(3.0), 6.0)
    eq(jacrev(lambda x: np.array([x, x * x]))(3.0), np.array([1.0, 6.0]))
    assert jacobian(lambda x: x * 2)(np.ones((2, 2))).shape == (2, 2, 2, 2)


def test_pullbacks():
    _y, pb = vjp(np.sin, X)
    eq(pb(np.ones(3)), (np.cos(X),))
    _y, pb = vjp(lambda x, y: (x * y, x), X, 2.0)
    eq(pb((np.ones(3), np.ones(3))), (np.full(3, 3.0), 3.5))
    eq(vmap(pb)((np.eye(3), np.zeros((3, 3))))[0], 2 * np.eye(3))
    _y, lin = linearize(lambda x: np.sin(x), X)
    eq(lin(X), X * np.cos(X))
    eq(vmap(lin)(np.eye(3)), np.diag(np.cos(X)))


def test_third_order():

    def H(f):
        return jacfwd(jacrev(f))

    eq(H(lambda x: np.prod(x))(X), np.array([[0, 2, 1], [2, 0, 0.5], [1, 0.5, 0]]))
    t = jacfwd(jacfwd(jacrev(lambda x: np.sum(x**3))))(X)
    assert t.shape == (3, 3, 3)
    eq(t[1, 1, 1], 6.0)


def test_static_arguments():

    def f(x, n):
        for _ in range(n):
            x = np.sin(x)
        return np.sum(x)

    g = grad(f)
    eq(g(X, 2), np.cos(np.sin(X)) * np.cos(X))
    eq(jacfwd(f)(X, 2), np.cos(np.sin(X)) * np.cos(X))
    eq(hvp(lambda x: f(x, 1), X, X), -np.sin(X) * X)


def test_decorators():

    @adc.vmap
    def f(x):
        return x * x

    eq(f(X), X * X)

    @adc.hessian
    def h(x):
        return np.sum(x**3)

    eq(h(X), np.diag(6 * X))

    @adc.jacfwd
    def j(x):
        return x * x

    eq(j(X), np.diag(2 * X))

    @functools.partial(adc.grad, argnums=1)
    def q(a, b):
        return a * b * b

    eq(q(2.0, 3.0), 12.0)

    @adc.grad(argnums=1, has_aux=True)
    def q(a, b):
        return (a * b * b, a)

    eq(q(2.0, 3.0), (12.0, 2.0))


def test_containers_of_numbers():
    eq(grad(lambda x: x[0] * x[1])([2.0, 3.0]), [3.0, 2.0])
    eq(grad(lambda x: x[0] * x[1])((2.0, 3.0)), (3.0, 2.0))
    eq(grad(lambda *xs: xs[0] * xs[1], argnums=(0, 1))(2.0, 3.0), (3.0, 2.0))
    eq(grad(lambda x, **k: x * k["a"])(2.0, a=5.0), 5.0)


def test_vmap_of_transforms():
    eq(vmap(lambda x: x if x > 1 else -x)(X), np.array([-0.5, -1.0, 2.0]))
    eq(vmap(grad(lambda x: x * x if x > 1 else -x))(X), np.array([-1, -1.0, 4.0]))
    eq(vmap(hessian(cubes))(np.stack([X, X]))[1], np.diag(6 * X))
    eq(vmap(lambda x, v: hvp(cubes, x, v))(np.stack([X, X]), np.stack([X, X]))[0], 6 * X * X)
    eq(vmap(lambda v: jvp(np.sin, (X,), (v,))[1])(np.eye(3)), np.diag(np.cos(X)))


def test_jacobian_and_hessian_shapes():
    eq(jacobian(lambda x: x[:2] * x[1])(X), np.array([[1.0, 0.5, 0], [0, 2.0, 0]]))
    eq(hessian(lambda a, b: np.sum(a * b) ** 1, argnums=(0, 1))(X, X)[0][1], np.eye(3))
    eq(hessian(lambda x, y: x * y * y, argnums=1)(2.0, 3.0), 4.0)
    eq(hessian(lambda x: x**3)(2.0), 12.0)


def test_jvp_forms_and_errors():
    eq(jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0)), (6.0, 3.0))
    eq(jvp(lambda d: d["a"] ** 2, ({"a": 3.0},), ({"a": 1.0},)), (9.0, 6.0))
    eq(jvp(lambda x: (x, [x * x]), [2.0], [1.0]), ((2.0, [4.0]), (1.0, [4.0])))
    for bad in (
        lambda: jvp(np.sin, (X,), (np.ones(2),)),
        lambda: jvp(np.sin, X, X),
        lambda: jvp(np.sin, (X,), (X, X)),
        lambda: vjp(np.sin, X)[1](np.ones(2)),
        lambda: grad(cubes)(np.array([1, 2, 3])),
        lambda: vmap(lambda x, y: x + y)(np.ones(2), np.ones(3)),
        lambda: grad(cubes, argnums=3)(X),
        lambda: hvp(cubes, X, np.ones(2)),
    ):
        try:
            bad()
        except (adc.AdcError, ValueError, TypeError):
            pass
        else:
            raise AssertionError("no error")


def test_options():
    eq(hessian(lambda p: np.sum(p["a"] ** 2 * p["b"]))({"a": X, "b": 2.0})["a"]["b"], 2 * X)
    eq(hessian(cubes, chunk_size=2)(X), np.diag(6 * X))
    eq(jacfwd(lambda x: x * x, chunk_size=2)(X), np.diag(2 * X))
    eq(jacrev(lambda x: x * x, chunk_size=1)(X), np.diag(2 * X))
    eq(jacobian(lambda x: x * x, chunk_size=1)(X), np.diag(2 * X))
    eq(vmap(np.sin, parallel=True)(X), np.sin(X))
