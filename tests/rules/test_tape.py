"""Every rule through the tape: its gradient against differences of NumPy, and its second derivative against
differences of the gradient. For a composite this is the test of its derivative.
"""

import warnings

import numpy as np
import pytest

import adc.rules  # noqa: F401  (registers every rule)
from adc import tape
from adc.rules import registry
from adc.tape import dispatch
from adc.testing import kit

CASES = [
    case
    for operation in registry.operations()
    if operation.examples is not None
    and operation.kind != "constant"
    and "writes" not in operation.extra
    and operation.name not in ("full", "full_like")  # NumPy asks no protocol there
    for case in kit.cases(operation)
    if case.smooth and case.active
]


def on_tape(case, values):
    """The result of an operation on Tensors, and the Tensors of its active parameters."""
    leaves = {
        name: kit.mapped(
            lambda v: tape.tensor(np.array(v), requires_grad=True) if kit.is_active(v) else v, values[name]
        )
        for name in case.active
    }
    function = case.operation.function
    z = kit.called(
        case.operation, lambda *args, **kwargs: dispatch.call(function, *args, **kwargs), {**values, **leaves}
    )
    return list(kit.leaves(list(z) if isinstance(z, tuple | list) else z)), [
        x for name in case.active for x in kit.leaves(leaves[name]) if isinstance(x, tape.Tensor)
    ]


def flat(case, dots):
    """Tangents in the order of the Tensors of `on_tape`."""
    return [
        d
        for name in case.active
        for v, d in zip(kit.leaves(case.values[name]), kit.leaves(dots[name]), strict=True)
        if kit.is_active(v)
    ]


def paired(bars, dots):
    total = 0.0
    for x_bar, x_dot in zip(bars, dots, strict=True):
        if x_bar is not None:
            array = np.asarray(x_bar.detach().numpy())
            assert array.shape == np.shape(x_dot)
            total += float(np.real(np.sum(array * x_dot)))
    return total


def recorded(part):
    return isinstance(part, tape.Tensor) and part.requires_grad


def gradient(case, values, seeds, create_graph=False):
    """The adjoints of the active parameters for given adjoints of the results."""
    z, xs = on_tape(case, values)
    chosen = case.operation.extra.get("up_to_sign")
    if chosen is not None:  # which the library chooses, by the driver that it calls
        alike = np.sum(kit.primal(case)[chosen] * z[chosen].detach().numpy(), axis=-2, keepdims=True)
        seeds = [seed * np.sign(alike) if k == chosen else seed for k, seed in enumerate(seeds)]
    pairs = [(part, tape.tensor(seed)) for part, seed in zip(z, seeds, strict=True) if recorded(part)]
    if not pairs:
        return [None] * len(xs), xs
    bars = tape.autograd.grad(
        [p for p, _ in pairs], xs, [s for _, s in pairs], create_graph=create_graph, allow_unused=True
    )
    return bars, xs


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradient(case):
    generator = np.random.default_rng(7)
    dots = kit.directions(case, generator)
    slopes = list(kit.leaves(kit.differences(case, dots)))
    seeds = [np.where(np.isfinite(s), kit.random_like(np.asarray(s), generator), 0.0) for s in slopes]
    wanted = sum(
        float(np.real(np.sum(seed * np.where(np.isfinite(s), s, 0.0))))
        for seed, s in zip(seeds, slopes, strict=True)
    )
    bars, _ = gradient(case, case.values, seeds)
    assert paired(bars, flat(case, dots)) == pytest.approx(wanted, rel=2e-6, abs=2e-6 * max(1.0, abs(wanted)))


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.index < 4 and "up_to_sign" not in c.operation.extra], ids=str
)
def test_second_order(case):
    generator = np.random.default_rng(8)
    first, second = kit.directions(case, generator), flat(case, kit.directions(case, generator))
    seeds = [
        kit.random_like(np.asarray(part), generator) for part in kit.leaves(kit.sequence(kit.primal(case)))
    ]
    bars, xs = gradient(case, case.values, seeds, create_graph=True)
    chosen = [(bar, w) for bar, w in zip(bars, second, strict=True) if bar is not None and bar.requires_grad]
    got = 0.0
    if chosen:
        again = tape.autograd.grad(
            [b for b, _ in chosen], xs, [tape.tensor(np.asarray(w)) for _, w in chosen], allow_unused=True
        )
        got = paired(again, flat(case, first))

    def along(h):
        moved = {
            name: kit.mapped(
                lambda v, d: v + h * d if kit.is_active(v) else v, case.values[name], first[name]
            )
            for name in case.active
        }
        return paired(gradient(case, {**case.values, **moved}, seeds)[0], second)

    step = kit.STEP
    wanted = (8.0 * (along(step) - along(-step)) - (along(2 * step) - along(-2 * step))) / (12.0 * step)
    if np.isfinite(wanted):
        assert got == pytest.approx(wanted, rel=1e-5, abs=1e-5 * max(1.0, abs(wanted)))
