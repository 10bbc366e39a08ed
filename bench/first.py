"""How long a gradient takes beside its own primal, under NumPy and under Numba, in one interleaved run.

Every round runs each variant once, in turn, so that what else the machine does falls on all of them alike;
the table gives medians, and ratios of medians. Before timing, each gradient is compared with a difference
along a random direction, on its first call and on its second. Run: python bench/first.py [--quick]
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy starts its threads

import argparse
import math
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

import adc

# --- the kernels, as one writes them in NumPy ---------------------------------------------------------------


def logsumexp(x):
    """Return log(sum(exp(x))) without overflow."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def recurrence(x):
    """Return the last state of a scalar recurrence driven by x."""
    state = 0.5
    for i in range(x.shape[0]):
        state = math.sin(state) + x[i] * math.exp(-state * state)
    return state


def gmm(weights, means, log_scales, lower, x, mask):
    """Return the log-likelihood of points under a Gaussian mixture, with a prior on the inverse covariances.

    The inverse covariance of component k is L @ L.T with L = diag(exp(log_scales[k])) + lower[k], the latter
    strictly lower triangular.
    """
    n = x.shape[0]
    components = weights.shape[0]
    scores = np.empty((n, components))
    prior = 0.0
    for k in range(components):
        scale = np.exp(log_scales[k])
        factor = lower[k] * mask
        centred = x - means[k]
        whitened = centred * scale + centred @ factor.T
        log_det = np.sum(log_scales[k])
        scores[:, k] = weights[k] + log_det - 0.5 * np.sum(whitened * whitened, axis=1)
        prior += 0.5 * (np.sum(scale * scale) + np.sum(factor * factor)) - log_det
    top = np.max(scores, axis=1)
    likelihood = np.sum(top + np.log(np.sum(np.exp(scores - top.reshape(n, 1)), axis=1)))
    most = np.max(weights)
    return likelihood - n * (most + np.log(np.sum(np.exp(weights - most)))) - prior


def stencil(start, steps):
    """Return the energy after some steps of a nonlinear diffusion on a square, the border held fixed."""
    u = start.copy()
    for _ in range(steps):
        middle = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * middle
        u[1:-1, 1:-1] = middle + 0.1 * around - 0.01 * middle * middle * middle
    return np.sum(u * u)


def digits_loss(theta, images, targets):
    """Return the loss of examples/digits.py: 64 pixels, 32 hidden units, 10 classes."""
    weights = theta[:2048].reshape(64, 32)
    bias = theta[2048:2080]
    out_weights = theta[2080:2400].reshape(32, 10)
    out_bias = theta[2400:]
    scores = np.tanh(images @ weights + bias) @ out_weights + out_bias
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    misfit = np.mean(log_total - np.sum(targets * scores, axis=1))
    return misfit + 0.5 * 1e-3 * np.sum(theta * theta)


# --- the same where Numba does not take NumPy form: only the lines that it refuses are different ------------


def row_max(a):
    """Return np.max(a, axis=1), which Numba does not have."""
    top = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        top[i] = np.max(a[i])
    return top


jitted_row_max = numba.njit(row_max)


def gmm_for_numba(weights, means, log_scales, lower, x, mask):
    """Return what `gmm` does."""
    n = x.shape[0]
    components = weights.shape[0]
    scores = np.empty((n, components))
    prior = 0.0
    for k in range(components):
        scale = np.exp(log_scales[k])
        factor = lower[k] * mask
        centred = x - means[k]
        whitened = centred * scale + centred @ factor.T
        log_det = np.sum(log_scales[k])
        scores[:, k] = weights[k] + log_det - 0.5 * np.sum(whitened * whitened, axis=1)
        prior += 0.5 * (np.sum(scale * scale) + np.sum(factor * factor)) - log_det
    top = jitted_row_max(scores)
    likelihood = np.sum(top + np.log(np.sum(np.exp(scores - top.reshape(n, 1)), axis=1)))
    most = np.max(weights)
    return likelihood - n * (most + np.log(np.sum(np.exp(weights - most)))) - prior


def digits_loss_for_numba(theta, images, targets):
    """Return what `digits_loss` does."""
    weights = theta[:2048].reshape(64, 32)
    bias = theta[2048:2080]
    out_weights = theta[2080:2400].reshape(32, 10)
    out_bias = theta[2400:]
    scores = np.tanh(images @ weights + bias) @ out_weights + out_bias
    scores = scores - jitted_row_max(scores).reshape(scores.shape[0], 1)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    misfit = np.mean(log_total - np.sum(targets * scores, axis=1))
    return misfit + 0.5 * 1e-3 * np.sum(theta * theta)


# --- sizes and data -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kernel:
    """A primal, its arguments, which of them are differentiated, its text for Numba if that differs."""

    name: str
    primal: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...] = (0,)
    for_numba: Callable[..., Any] | None = None


def kernels(quick: bool) -> list[Kernel]:
    """Return the kernels at the sizes of the table, or a tenth of them."""
    random = np.random.default_rng(0)
    many = 10**5 if quick else 10**6
    points, dim, components = (100, 32, 10) if quick else (1000, 32, 10)
    side, steps = (80, 20) if quick else (250, 50)
    mixture = (
        random.normal(size=components),
        random.normal(size=(components, dim)),
        0.1 * random.normal(size=(components, dim)),
        0.1 * random.normal(size=(components, dim, dim)),
        random.normal(size=(points, dim)),
        np.tril(np.ones((dim, dim)), -1),
    )
    images = random.integers(0, 17, size=(144 if quick else 1437, 64)) / 16.0
    targets = np.eye(10)[random.integers(0, 10, size=images.shape[0])]
    return [
        Kernel(f"logsumexp, n={many}", logsumexp, (random.normal(size=many),)),
        Kernel(f"scalar recurrence, {many} steps", recurrence, (0.5 * random.normal(size=many),)),
        Kernel(f"GMM, n={points} d={dim} K={components}", gmm, mixture, (0, 1, 2, 3), gmm_for_numba),
        Kernel(f"stencil {side}x{side}, {steps} steps", stencil, (random.normal(size=(side, side)), steps)),
        Kernel(
            f"digits loss, {images.shape[0]} images",
            digits_loss,
            (0.1 * random.normal(size=2410), images, targets),
            (0,),
            digits_loss_for_numba,
        ),
    ]


# --- measuring ----------------------------------------------------------------------------------------------


def disagreement(kernel: Kernel, gradient: tuple[np.ndarray, ...], step: float = 1e-6) -> float:
    """Return the relative distance of a gradient from a central difference along a random direction."""
    random = np.random.default_rng(1)
    # Steps of this size in every element: in a unit direction a sum over a million would hardly change.
    along = [random.normal(size=kernel.args[i].shape) for i in kernel.argnums]

    def moved(distance: float) -> float:
        args = list(kernel.args)
        for i, direction in zip(kernel.argnums, along, strict=True):
            args[i] = args[i] + distance * direction
        return float(kernel.primal(*args))

    # A higher-order difference: rounding, not curvature, then limits the comparison.
    h = 1e3 * step
    difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h)
    exact = sum(float(np.sum(g * v)) for g, v in zip(gradient, along, strict=True))
    return abs(exact - difference) / max(abs(difference), 1e-12)


def interleaved(variants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median time of each variant; in every round each runs once, in turn."""
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, run in variants.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: float(np.median(each)) for name, each in times.items()}


def measure(kernel: Kernel, rounds: int) -> str:
    """Compile, check and time a kernel; return its row of the table."""
    gradient = adc.value_and_grad(kernel.primal, argnums=kernel.argnums)
    begin = time.perf_counter()
    first = gradient(*kernel.args)[1]
    compile_seconds = time.perf_counter() - begin
    worst = max(disagreement(kernel, first), disagreement(kernel, gradient(*kernel.args)[1]))
    if not worst < 1e-6:
        raise SystemExit(f"{kernel.name}: the gradient is {worst:.1e} from differences")

    jitted = numba.njit(kernel.for_numba or kernel.primal)
    np.testing.assert_allclose(jitted(*kernel.args), kernel.primal(*kernel.args), rtol=1e-8)
    median = interleaved(
        {
            "numpy": lambda: kernel.primal(*kernel.args),
            "numba": lambda: jitted(*kernel.args),
            "adc": lambda: gradient(*kernel.args),
        },
        rounds,
    )
    ms = {name: f"{1e3 * seconds:.2f}" for name, seconds in median.items()}
    mark = "*" if kernel.for_numba else " "
    ratios = [f"{median['adc'] / median[other]:.3f}" for other in ("numpy", "numba")]
    return row(
        kernel.name,
        ms["numpy"],
        ms["numba"] + mark,
        ms["adc"],
        *ratios,
        f"{compile_seconds:.1f}",
        f"{worst:.0e}",
    )


def row(name: str, *cells: str) -> str:
    """Return a line of the table."""
    return f"{name:34}" + "".join(f"{cell:>11}" for cell in cells)


def main() -> int:
    """Print the table, a row at a time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, three rounds")
    parser.add_argument("--rounds", type=int, help="how often each variant runs (9; with --quick 3)")
    parser.add_argument("--only", default="", help="kernels whose name begins so")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 9)

    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, one thread,"
    )
    print(f"median of {rounds} interleaved rounds; adc is value and gradient together")
    print(row("", "NumPy ms", "Numba ms ", "adc ms", "adc/NumPy", "adc/Numba", "compile s", "error"))
    for kernel in kernels(options.quick):
        if not kernel.name.startswith(options.only):
            continue
        if sys.stderr.isatty():
            print(f"{kernel.name} ...", end="\r", file=sys.stderr, flush=True)
        print(measure(kernel, rounds), flush=True)
    print("* the same primal with np.max(axis=1) as a loop: Numba has no such function")
    return 0


if __name__ == "__main__":
    sys.exit(main())
