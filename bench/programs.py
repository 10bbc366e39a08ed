"""The programs of real size of the corpus, at sizes of real use: the gradient beside the primal under NumPy.

    python bench/programs.py [--quick]

The text of the primal is that of tests/corpus/realistic.py, unchanged. Each gradient is compared with a difference
along a random direction before it is timed; times are the best of five.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy starts its threads

import numpy as np

import adc

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.corpus import realistic

R = np.random.default_rng(0)
KNOTS = np.concatenate([np.zeros(4), np.linspace(0.01, 0.99, 96), np.ones(4)])
# name -> (arguments, positions of the differentiated ones)
PROGRAMS: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
    "kalman_filter": ((np.array([0.1, 1.0]), 0.05, 0.3, R.normal(size=200)), (0, 1, 2, 3)),
    "hmm_forward": (
        (R.normal(size=8), R.normal(size=(8, 8)), R.normal(size=(8, 4)), R.integers(0, 4, size=200)),
        (0, 1, 2),
    ),
    "thomas_solver": (
        (R.normal(size=999), 4 + R.uniform(size=1000), R.normal(size=999), R.normal(size=1000)),
        (0, 1, 2, 3),
    ),
    "lu_with_pivoting": ((R.normal(size=(30, 30)), R.normal(size=30)), (0, 1)),
    "rk45_adaptive": ((np.array([1.2, 0.0]), 1.3, 1e-7), (0, 1)),
    "leapfrog_bodies": ((R.normal(size=(20, 2)), R.normal(size=(20, 2)), R.uniform(0.5, 1.5, 20)), (0, 1, 2)),
    "shallow_water": ((1 + 0.1 * R.normal(size=(60, 60)), 9.81), (0, 1)),
    "conjugate_gradients": ((R.normal(size=(30, 30)), R.normal(size=30)), (0, 1)),
    "binomial_tree": ((100.0, 95.0, 0.05, 0.2, 1.0, 200), (0, 1, 2, 3, 4)),
    "attention_block": (
        (R.normal(size=(64, 32)), *(R.normal(size=(32, 32)) / 6 for _ in range(3)), R.normal(size=32)),
        (0, 1, 2, 3, 4),
    ),
    "b_spline": ((R.normal(size=100), KNOTS, 0.45), (0, 2)),
    "forward_kinematics": ((R.uniform(-1, 1, 7), R.uniform(0.2, 0.5, 7), np.array([0.8, 0.3])), (0, 1, 2)),
}


def best(run: Callable[[], Any], least: float) -> float:
    """Seconds of one call, the best of five rounds of at least that many seconds each."""
    run()
    begin = time.perf_counter()
    run()
    count = max(1, int(least / max(time.perf_counter() - begin, 1e-7)))
    rounds = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        rounds.append((time.perf_counter() - begin) / count)
    return min(rounds)


def check(function: Any, gradient: Any, args: tuple[Any, ...], argnums: tuple[int, ...]) -> None:
    """Raise AssertionError where the gradient is not that of differences along a direction."""
    r = np.random.default_rng(1)
    direction = [r.normal(size=np.shape(args[k])) for k in argnums]

    def at(t: float) -> float:
        moved = list(args)
        for k, d in zip(argnums, direction, strict=True):
            moved[k] = args[k] + t * d if np.ndim(args[k]) else float(args[k] + t * d)
        return float(function(*moved))

    step = 1e-6
    slope = (at(step) - at(-step)) / (2 * step)
    along = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
    assert abs(along - slope) <= 1e-4 * max(1.0, abs(slope)), (function.__name__, along, slope)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="short rounds")
    least = 0.01 if parser.parse_args().quick else 0.2
    print(f"{'program':22} {'primal us':>10} {'gradient us':>12} {'ratio':>7} {'first call s':>13}")
    for name, (args, argnums) in PROGRAMS.items():
        function = getattr(realistic, name)
        gradient = adc.grad(function, argnums, mode="compiled")
        begin = time.perf_counter()
        found = gradient(*args)
        first = time.perf_counter() - begin
        check(function, found, args, argnums)
        primal, ours = (best(functools.partial(run, *args), least) for run in (function, gradient))
        print(
            f"{name:22} {1e6 * primal:10.1f} {1e6 * ours:12.1f} {ours / primal:7.3f} {first:13.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
