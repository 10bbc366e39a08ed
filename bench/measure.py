"""One kernel, measured in this process: every variant is checked, then timed in rounds in which each runs in turn.

What else the machine does falls on all variants alike, so ratios hold although times do not. Each call is timed twice
over: by the clock on the wall and by the processor time of this process, which leaves out what others took of the core.
A gradient is compared with a peer's (or with a difference along a direction) on its first call and after the timing.

Run by run.py, or by hand: python bench/measure.py gmm --quick --only adc,jax
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy starts its threads
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse
import gc
import importlib
import json
import math
import resource
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
import peers
from kernel import Kernel

__all__ = ["kernel_of", "measure"]

WARM = 5e-3  # seconds of calls before one is measured
LONG = 0.2  # seconds; what a call finds when it begins is no part of so long a time
SINGLE = 5e-3  # how far gradients in single precision may be apart: bundle adjustment loses four digits in all of them
SLOW = 2.0  # seconds; a variant that takes longer runs in the first rounds only


def kernel_of(name: str) -> Kernel:
    """The kernel in bench/kernels/<name>.py."""
    kernel = importlib.import_module(f"kernels.{name}").KERNEL
    assert isinstance(kernel, Kernel)
    return kernel


def in_single(kernel: Kernel) -> Kernel:
    """The kernel with its arrays, and NumPy's own numbers, in single precision."""

    def data(*sizes: int) -> tuple[Any, ...]:
        return tuple(
            a.astype(np.float32) if isinstance(a, (np.ndarray, np.float64)) and a.dtype == np.float64 else a
            for a in kernel.data(*sizes)
        )

    return replace(kernel, data=data, target=None, growth=(), tolerance=SINGLE)


def measure(
    kernel: Kernel, sizes: tuple[int, ...], wanted: list[str], rounds: int, budget: float
) -> dict[str, Any]:
    """Return per variant: median seconds, first call, error; or why there is none."""
    report: dict[str, Any] = {"sizes": sizes, "variants": {}}
    args = kernel.data(*sizes)
    ready: dict[str, peers.Variant] = {}
    first: dict[str, tuple[float, peers.Arrays]] = {}
    for name in wanted:
        entry = report["variants"][name] = {}
        begin = time.perf_counter()
        try:
            variant = peers.prepare(name, kernel, args)
            first[name] = variant.read(variant.run())
        except ModuleNotFoundError as error:
            entry["absent"] = str(error)
            continue
        except Exception as error:  # a peer that refuses a kernel is a finding, not a failure of the run
            entry["refused"] = f"{type(error).__name__}: {error}"[:400]
            continue
        entry["first_call"] = time.perf_counter() - begin
        begin = time.perf_counter()
        variant.run()
        entry["second_call"] = time.perf_counter() - begin
        ready[name] = variant
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ready}
    begin = time.perf_counter()
    gc.collect()
    gc.disable()
    for turn in range(rounds):
        if turn >= 3 and time.perf_counter() - begin > budget:
            break
        for name, variant in ready.items():
            if turn > 0 and report["variants"][name]["second_call"] > SLOW:
                continue
            times[name].append(_once(variant))
    gc.enable()
    reference = _reference(kernel, args, first)
    for name, variant in ready.items():
        entry = report["variants"][name]
        entry["wall"], entry["cpu"] = (float(np.median(each)) for each in zip(*times[name], strict=True))
        entry["rounds"] = len(times[name])
        if first[name][1]:
            last = first[name] if entry["second_call"] > SLOW else variant.read(variant.run())
            entry["error"] = max(_distance(each, reference) for each in (first[name], last))
        else:
            entry["error"] = _relative(np.asarray(first[name][0]), np.asarray(reference[0]))
    report["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return report


def _once(variant: peers.Variant) -> tuple[float, float]:
    """The wall and processor time of a call behind others of its own; short calls are repeated to fill 2 ms.

    The calls before it bring its data into the caches, and the processor into the state in which it runs wide vectors
    at full speed: a gradient of 0.4 ms takes 1.1 behind 100 ms of a loop of the interpreter that touches no memory,
    the next one 0.7, and the third 0.4.
    """
    wall, cpu = _timed(variant, 1)
    if wall > LONG:
        return wall, cpu
    spent = wall
    while spent < WARM:
        wall, cpu = _timed(variant, 1)
        spent += max(wall, 1e-7)
    return _timed(variant, max(1, int(2e-3 / max(wall, 1e-7))))


def _timed(variant: peers.Variant, repeats: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        variant.run()
    return (time.perf_counter() - wall) / repeats, (time.process_time() - cpu) / repeats


def _reference(kernel: Kernel, args: tuple[Any, ...], first: dict[str, Any]) -> tuple[float, peers.Arrays]:
    """Value and gradient by the first peer that gave them, else by adc after a check along a direction."""
    for name in ("jax", "torch", "autograd"):
        if name in first:
            return first[name]
    found = next((first[name] for name in ("adc", "adc loops") if name in first), None)
    if found is None:
        return next(iter(first.values()))
    error = _along_a_direction(kernel, args, found[1])
    if not error < 1e-5:
        raise SystemExit(f"{kernel.title}: adc's gradient is {error:.1e} from a difference")
    return found


def _along_a_direction(
    kernel: Kernel, args: tuple[Any, ...], gradient: peers.Arrays, h: float = 1e-4
) -> float:
    random = np.random.default_rng(1)
    along = [random.normal(size=args[i].shape) for i in kernel.argnums]
    length = math.sqrt(sum(float(np.sum(v * v)) for v in along))

    def moved(distance: float) -> float:
        changed = list(args)
        for i, direction in zip(kernel.argnums, along, strict=True):
            changed[i] = changed[i] + distance / length * direction
        return float(kernel.primal(*changed))

    difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h)
    exact = sum(float(np.sum(g * v)) for g, v in zip(gradient, along, strict=True)) / length
    size = math.sqrt(sum(float(np.sum(g * g)) for g in gradient))
    return abs(exact - difference) / max(size, 1e-12)  # not / difference: the direction may be almost level


def _distance(one: tuple[float, peers.Arrays], other: tuple[float, peers.Arrays]) -> float:
    """The largest relative distance of values and gradients."""
    pairs = [(np.asarray(one[0]), np.asarray(other[0])), *zip(one[1], other[1], strict=True)]
    return max(_relative(a, b) for a, b in pairs)


def _relative(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape:
        return math.inf
    return float(np.max(np.abs(a - b), initial=0.0) / max(float(np.max(np.abs(b), initial=0.0)), 1e-300))


def main() -> int:
    """Print the report of a kernel as JSON, on the last line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kernel")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--single", action="store_true", help="data in single precision")
    parser.add_argument("--only", default="", help="variants, separated by commas")
    parser.add_argument("--sizes", default="", help="other sizes, separated by commas")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of rounds, after the first three")
    parser.add_argument(
        "--growth", action="store_true", help="also the sizes of the plot of time against size"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    kernel = kernel_of(options.kernel)
    kernel = in_single(kernel) if options.single else kernel
    wanted = options.only.split(",") if options.only else peers.names(kernel)
    wanted = [name for name in wanted if name in peers.names(kernel)]
    if "adc" not in wanted:
        wanted = [*wanted, "adc"]  # everything is measured beside adc, at its own size
    groups: dict[tuple[int, ...], list[str]] = {}
    if options.sizes:
        groups[tuple(int(size) for size in options.sizes.split(","))] = wanted
    else:
        usual = kernel.quick if options.quick else kernel.full
        for name in wanted:
            groups.setdefault(kernel.small.get(name, usual), []).append(name)
    reports = []
    for sizes, members in groups.items():
        if "adc" not in members:
            members = ["adc", *members]
        reports.append(measure(kernel, sizes, members, options.rounds, options.budget))
    growth = []
    if options.growth:
        growth = [measure(kernel, sizes, ["numba", "adc"], 3, options.budget) for sizes in kernel.growth]
    if options.json:
        about = {
            "title": kernel.title,
            "family": kernel.family,
            "target": kernel.target,
            "tolerance": kernel.tolerance,
        }
        print(json.dumps({"kernel": options.kernel, **about, "reports": reports, "growth": growth}))
        return 0
    for report in reports:
        _show(kernel, report)
    return 0


def _show(kernel: Kernel, report: dict[str, Any]) -> None:
    variants = report["variants"]
    unit = variants.get("numba", {}).get("cpu", math.nan)
    ours = variants.get("adc", {}).get("cpu", math.nan)
    print(f"{kernel.title} {report['sizes']}   target {kernel.target}   peak {report['peak_mb']:.0f} MB")
    for name, entry in variants.items():
        if "cpu" not in entry:
            print(f"  {name:14} {entry.get('refused') or entry.get('absent')}")
            continue
        print(
            f"  {name:14} {1e3 * entry['wall']:10.3f} ms  cpu {1e3 * entry['cpu']:10.3f} ms "
            f"{entry['cpu'] / unit:8.3f} P  {entry['cpu'] / ours:8.2f} adc  "
            f"error {entry['error']:.0e}  first {entry['first_call']:.2f} s"
        )


if __name__ == "__main__":
    sys.exit(main())
