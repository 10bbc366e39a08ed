"""Every rule of the table holds on the tape: first and second derivatives against central differences."""

import numpy as np
import pytest

from adc import tape
from adc.rules import registry

# cho_factor leaves in one triangle whatever the installed SciPy's LAPACK does: there is nothing to compare.
OPERATIONS = [o for o in registry.operations() if o.kind != "constant" and "cho_factor" not in o.name]


def calls(operation):
    return [
        pytest.param(operation, example, id=f"{operation.name}-{k}")
        for k, example in enumerate(operation.example_calls())
    ]


def floats(value):
    """The float arrays in an argument, in order."""
    if isinstance(value, list | tuple):
        return [a for v in value for a in floats(v)]
    array = np.asarray(value)
    return [array] if array.dtype.kind == "f" else []


def rebuilt(value, replacements):
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(v, replacements) for v in value)
    return next(replacements) if floats(value) else value


class Call:
    """An example call as a function of its differentiable arrays, with one real vector as its result."""

    def __init__(self, operation, example):
        self.operation = operation
        self.example = example
        bound = operation.signature.bind(*example.args, **example.kwargs)
        self.bound = bound
        self.names = [n for n in operation.wrt if n in bound.arguments and floats(bound.arguments[n])]
        self.arrays = [a for n in self.names for a in floats(bound.arguments[n])]

    def __call__(self, *arrays):
        replacements = iter(arrays)
        new = {name: rebuilt(self.bound.arguments[name], replacements) for name in self.names}
        kwargs = {k: new.get(k, v) for k, v in self.example.kwargs.items()}
        bound = self.operation.signature.bind_partial(*self.example.args)
        args = type(bound)(
            self.operation.signature, {k: new.get(k, v) for k, v in bound.arguments.items()}
        ).args
        if "writes" in self.operation.extra:
            place = list(self.operation.signature.parameters).index(self.operation.extra["writes"])
            target = np.copy(args[place])
            args = (*args[:place], target, *args[place + 1 :])
            self.operation.function(*args, **kwargs)
            return target
        if any(isinstance(a, tape.Tensor) for a in arrays):
            return tape.call(self.operation.function, *args, **kwargs)
        return self.operation.function(*args, **kwargs)


def parts(result):
    """The results that carry a derivative."""
    parts = result if isinstance(result, tuple | list) else (result,)
    kinds = [np.asarray(p.primal if isinstance(p, tape.Tensor) else p).dtype.kind for p in parts]
    return [p for p, kind in zip(parts, kinds, strict=True) if kind in "fc"]


def weighted(result, weights):
    """A real number made of all results."""
    return sum(np.sum(np.real(w * p)) for w, p in zip(weights, parts(result), strict=True))


def draw(generator, like):
    values = generator.normal(size=np.shape(like))
    kind = np.asarray(like).dtype.kind
    return values + 1j * generator.normal(size=np.shape(like)) if kind == "c" else values


def directional(function, arrays, directions, step=1e-6):
    ahead = function(*[a + step * d for a, d in zip(arrays, directions, strict=True)])
    behind = function(*[a - step * d for a, d in zip(arrays, directions, strict=True)])
    return (ahead - behind) / (2 * step)


def is_smooth(call, arrays, weights, allowed):
    """Whether differences mean anything at this example: no NaN, tie or kink within a step of it."""

    def value(*xs):
        result = call(*xs)
        if [np.shape(p) for p in parts(result)] != [np.shape(w) for w in weights]:
            raise ValueError("the result has another shape nearby")
        return weighted(result, weights)

    try:
        steps = [
            directional(
                value, arrays, allowed([np.cos(np.arange(a.size) + k).reshape(a.shape) for a in arrays]), h
            )
            for k in range(2)
            for h in (1e-4, 1e-6)
        ]
    except ValueError:
        return False
    return np.isfinite(steps).all() and np.allclose(steps[::2], steps[1::2], rtol=1e-2, atol=1e-2)


# What SciPy says of a signal that is shorter than a segment and of few observations, and NumPy of a rank, they say of
# the example.
@pytest.mark.filterwarnings(
    "ignore:nperseg:UserWarning",
    "ignore:`kurtosistest` p-value may be inaccurate:UserWarning",
    "ignore:Polyfit may be poorly",
    "ignore:The behavior of affine_transform",
)
@pytest.mark.parametrize("operation, example", [c for o in OPERATIONS for c in calls(o)])
def test_first_and_second_derivative(operation, example):
    call = Call(operation, example)
    if not call.arrays:
        pytest.skip("no differentiable argument in this example")
    generator = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        plain = call(*call.arrays)
    weights = [draw(generator, p) for p in parts(plain)]
    # The matrices of some operations are symmetric: differences in other directions mean nothing.
    projections = operation.extra.get("directions", {})
    owners = [name for name in call.names for _ in floats(call.bound.arguments[name])]

    def allowed(directions):
        return [projections.get(name, lambda d: d)(d) for name, d in zip(owners, directions, strict=True)]

    directions = allowed([generator.normal(size=a.shape) for a in call.arrays])

    leaves = [tape.tensor(a, requires_grad=True) for a in call.arrays]
    traced = call(*leaves)
    for k, (p, t) in enumerate(zip(parts(plain), parts(traced), strict=True)):
        found = getattr(t, "primal", t)
        if operation.extra.get("up_to_sign") == k:  # which the library chooses, by the driver that it calls
            p, found = np.abs(p), np.abs(found)
        np.testing.assert_allclose(found, p, rtol=1e-12, atol=1e-12)
    total = weighted(traced, weights)
    if not is_smooth(call, call.arrays, weights, allowed):
        return
    expected = directional(lambda *xs: weighted(call(*xs), weights), call.arrays, directions)
    if not isinstance(total, tape.Tensor) or not total.requires_grad:
        assert expected == 0.0
        return
    gradients = tape.autograd.grad(total, leaves, create_graph=True, materialize_grads=True)
    for a, g in zip(call.arrays, gradients, strict=True):
        assert g.shape == a.shape and g.dtype == a.dtype
    slope = sum(np.sum(g.detach().numpy() * d) for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(slope, expected, rtol=2e-6, atol=2e-6)

    product = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    if not product.requires_grad:
        return  # the gradient is constant

    def slope_at(*xs):
        ts = [tape.tensor(x, requires_grad=True) for x in xs]
        gs = tape.autograd.grad(weighted(call(*ts), weights), ts, materialize_grads=True)
        return sum(np.sum(g.numpy() * d) for g, d in zip(gs, directions, strict=True))

    expected = directional(slope_at, call.arrays, directions)
    if not np.isclose(expected, directional(slope_at, call.arrays, directions, 1e-5), rtol=1e-2, atol=1e-2):
        return  # the gradient has a kink here
    seconds = tape.autograd.grad(product, leaves, materialize_grads=True)
    slope = sum(np.sum(s.numpy() * d) for s, d in zip(seconds, directions, strict=True))
    np.testing.assert_allclose(slope, expected, rtol=2e-5, atol=2e-5)
