"""Time the transforms against each other, and against JAX where it is installed.

    python bench/transforms.py [--quick]

A Hessian is held against as many Hessian-vector products, a batch of gradients against a Python loop over them. JAX
runs the same functions, written for it, in double precision on the CPU, compiled by jit, results waited for.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import adc


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def log_likelihood(w, x, y):
    z = x @ w
    return np.sum(np.log1p(np.exp(-y * z))) + 0.5 * np.sum(w * w)


def network(w, x):
    return np.tanh(x @ w)


def one_loss(w, x, y):
    return (np.tanh(x @ w) - y) ** 2


def seconds(call: Callable[[], Any], budget: float) -> float:
    """The median time of a call, over as many as fit in the budget."""
    call()
    begin = time.perf_counter()
    call()
    once = max(time.perf_counter() - begin, 1e-7)
    inner = max(1, int(2e-3 / once))
    times = []
    until = time.perf_counter() + budget
    while time.perf_counter() < until or len(times) < 3:
        begin = time.perf_counter()
        for _ in range(inner):
            call()
        times.append((time.perf_counter() - begin) / inner)
    return statistics.median(times)


def shown(name: str, ours: float, others: dict[str, float]) -> None:
    """One line: our time and how many times as long the others take."""
    rest = "".join(f"   {other} {t * 1e6:10.1f} us ({t / ours:5.1f}x)" for other, t in others.items())
    print(f"{name:34} adc {ours * 1e6:10.1f} us{rest}", flush=True)


def main() -> None:
    """Run everything that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the time")
    budget = 0.1 if parser.parse_args().quick else 2.0
    random = np.random.default_rng(0)
    x = random.uniform(-1.0, 1.0, 200)
    v = random.normal(size=200)
    peer = jax_peer()

    gradient, hessian = adc.grad(rosenbrock), adc.hessian(rosenbrock)
    one = seconds(lambda: adc.hvp(rosenbrock, x, v), budget)
    shown(
        "gradient, rosenbrock 200",
        seconds(lambda: gradient(x), budget),
        peer("grad", rosenbrock, (x,), budget),
    )
    shown("hvp, rosenbrock 200", one, peer("hvp", rosenbrock, (x, v), budget))
    shown(
        "hessian, rosenbrock 200",
        seconds(lambda: hessian(x), budget),
        {"200 hvps": 200 * one, **peer("hessian", rosenbrock, (x,), budget)},
    )

    features, labels = random.normal(size=(500, 40)), np.sign(random.normal(size=500))
    w = random.normal(size=40) * 0.1
    hessian = adc.hessian(log_likelihood)
    shown(
        "hessian, logistic 500 x 40",
        seconds(lambda: hessian(w, features, labels), budget),
        peer("hessian", log_likelihood, (w, features, labels), budget),
    )

    weights = random.normal(size=(30, 20))
    inputs = random.normal(size=30)
    for name in ("jacfwd", "jacrev"):
        jacobian = getattr(adc, name)(lambda z, m: network(m, z))
        shown(
            f"{name}, tanh layer 30 -> 20",
            seconds(lambda j=jacobian: j(inputs, weights), budget),
            peer(name, lambda z, m: network(m, z), (inputs, weights), budget),
        )

    each = adc.vmap(adc.grad(one_loss), in_axes=(None, 0, 0))
    single = adc.grad(one_loss)
    alone = (
        seconds(lambda: [single(w, a, b) for a, b in zip(features[:50], labels[:50], strict=True)], budget)
        * 10
    )
    shown(
        "per-example gradients, 500 x 40",
        seconds(lambda: each(w, features, labels), budget),
        {"a loop": alone, **peer("each", one_loss, (w, features, labels), budget)},
    )

    value, pull = adc.vjp(lambda z: network(weights, z), inputs)
    shown("pullback, tanh layer 30 -> 20", seconds(lambda: pull(value), budget), {})


def jax_peer() -> Callable[..., dict[str, float]]:
    """Times a transform by JAX; gives nothing where JAX is not installed."""
    try:
        import jax
    except ImportError:
        return lambda *_: {}
    jax.config.update("jax_enable_x64", True)
    import types

    def translated(function: Callable[..., Any]) -> Callable[..., Any]:
        """The same text, with JAX's NumPy in place of NumPy."""
        table = {
            k: translated(f) if isinstance(f, types.FunctionType) and f.__module__ == __name__ else f
            for k, f in function.__globals__.items()
            if k in function.__code__.co_names
        }
        return types.FunctionType(function.__code__, {**table, "np": jax.numpy}, closure=function.__closure__)

    def run(
        kind: str, function: Callable[..., Any], args: tuple[Any, ...], budget: float
    ) -> dict[str, float]:
        f = translated(function)
        transformed = {
            "grad": lambda: jax.grad(f),
            "hvp": lambda: lambda x, v: jax.jvp(jax.grad(f), (x,), (v,))[1],
            "hessian": lambda: jax.hessian(f),
            "jacfwd": lambda: jax.jacfwd(f),
            "jacrev": lambda: jax.jacrev(f),
            "each": lambda: jax.vmap(jax.grad(f), in_axes=(None, 0, 0)),
        }[kind]()
        compiled = jax.jit(transformed)
        given = [jax.numpy.asarray(a) for a in args]
        return {"jax": seconds(lambda: jax.block_until_ready(compiled(*given)), budget)}

    return run


if __name__ == "__main__":
    main()
