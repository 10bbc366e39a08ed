"""The benchmark suite: every kernel in a process of its own, results kept as they come, a table and plots at the end.

    python bench/run.py                 everything, about half an hour; interrupted, it goes on where it stopped
    python bench/run.py --quick         small sizes against NumPy and Numba, under two minutes
    python bench/run.py --only gmm,ode  some kernels; --variants adc,jax: some variants, the others later
    python bench/run.py --single        data in single precision, against NumPy, Numba, JAX and torch
    python bench/run.py --growth        also time against size, for the third plot
    python bench/run.py --report        only the table and the plots from what is there; --publish: into docs/, too

Results: bench/results/<kernel>.json, table.md, *.svg. A result is made anew when adc, the kernel or a peer changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import measure
import peers
import report

BENCH = Path(__file__).resolve().parent
QUICK = ("numpy", "numba", "adc")
SINGLE = ("numpy", "numba", "adc", "jax", "torch", "torch.compile")


def kernels() -> list[str]:
    """The names of all kernels, in the order of the table."""
    found = sorted(path.stem for path in (BENCH / "kernels").glob("*.py") if path.stem != "__init__")
    return [name for name in report.NOTES if name in found] + [
        name for name in found if name not in report.NOTES
    ]


def fingerprint(kernel: str, options: argparse.Namespace) -> str:
    """A hash of what a result depends on."""
    import adc

    parts = [repr((options.quick, options.single, options.growth, options.rounds)), sys.version]
    parts += [f"{name} {peers.version(name)}" for name in peers.PEERS]
    package = Path(adc.__file__).parent
    files = [BENCH / "kernels" / f"{kernel}.py", *sorted(package.rglob("*.py"))]
    digest = hashlib.sha256("\0".join(parts).encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def missing(before: dict[str, Any], options: argparse.Namespace) -> list[str]:
    """The wanted variants that a result lacks; all of them where there is none, or where it crashed."""
    kernel = measure.kernel_of(before["kernel"])
    wanted = options.variants.split(",") if options.variants else peers.names(kernel)
    known = {name for each in before.get("reports", []) for name in each["variants"]}
    return [name for name in wanted if name in peers.names(kernel) and name not in known]


def measured(kernel: str, variants: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Measure a kernel in a new process and return its reports; a crash is part of the result."""
    command = [sys.executable, "-W", "ignore", str(BENCH / "measure.py"), kernel, "--json"]
    command += [
        "--rounds",
        str(options.rounds),
        "--budget",
        str(options.budget),
        "--only",
        ",".join(variants),
    ]
    command += ["--quick"] if options.quick else []
    command += ["--single"] if options.single else []
    command += ["--growth"] if options.growth else []
    if options.core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core})  # inherited by the process
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, cwd=BENCH)
    except subprocess.TimeoutExpired:
        return {"kernel": kernel, "crashed": f"took more than {options.limit} s"}
    if done.returncode != 0 or not done.stdout.strip():
        return {"kernel": kernel, "crashed": (done.stderr.strip().splitlines() or ["no output"])[-1]}
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def main() -> int:
    """Measure what is missing, then write table and plots."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes; NumPy, Numba and adc")
    parser.add_argument("--single", action="store_true", help="data in single precision; fewer peers")
    parser.add_argument("--only", default="", help="kernels, separated by commas")
    parser.add_argument("--variants", default="", help="variants, separated by commas")
    parser.add_argument(
        "--growth", action="store_true", help="also the sizes of the plot of time against size"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument(
        "--publish", action="store_true", help="write tables and plots into docs/performance.md and README.md"
    )
    parser.add_argument("--rounds", type=int, default=0, help="rounds (9; with --quick 5)")
    parser.add_argument(
        "--budget", type=float, default=0.0, help="seconds of rounds a kernel, after the first three"
    )
    parser.add_argument("--limit", type=float, default=900.0, help="seconds a kernel may take in all")
    parser.add_argument("--core", type=int, help="pin to this core")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="cpu", help="the times of the table")
    parser.add_argument("--results", type=Path, default=BENCH / "results")
    options = parser.parse_args()
    options.rounds = options.rounds or (5 if options.quick else 9)
    options.budget = options.budget or (0.5 if options.quick else 8.0)
    usual = QUICK if options.quick else SINGLE if options.single else ()
    options.variants = options.variants or ",".join(usual)
    folder = options.results / (
        ("quick" if options.quick else "full") + ("-single" if options.single else "")
    )
    folder.mkdir(parents=True, exist_ok=True)

    chosen = options.only.split(",") if options.only else kernels()
    begin = time.perf_counter()
    for count, kernel in enumerate(chosen, 1):
        if options.report:
            break
        path = folder / f"{kernel}.json"
        key = fingerprint(kernel, options)
        before = json.loads(path.read_text()) if path.exists() else {}
        if before.get("key") != key:
            before = {"key": key, "kernel": kernel}
        variants = missing(before, options)
        if not variants:
            print(f"[{count}/{len(chosen)}] {kernel}: kept from before", flush=True)
            continue
        print(f"[{count}/{len(chosen)}] {kernel} ...", end="", flush=True)
        new = measured(kernel, variants, options)
        if "crashed" in new and "reports" in before:
            print(f" {new['crashed']}: what was known is kept", flush=True)
            continue
        result = {**before, **new, "reports": before.get("reports", []) + new.get("reports", [])}
        path.write_text(json.dumps(result, indent=1))
        print(f" {report.line(result, options.clock)}   ({time.perf_counter() - begin:.0f} s)", flush=True)
    results = [
        json.loads((folder / f"{k}.json").read_text()) for k in kernels() if (folder / f"{k}.json").exists()
    ]
    table = report.table(results, options.clock)
    (folder / "table.md").write_text(table)
    print(table)
    drawn = [] if options.single else report.plots(results, folder, options.clock)
    for path in drawn:
        print(path)
    if options.publish:
        mark = "table in single precision" if options.single else "table"
        report.publish(BENCH.parent / "docs", mark, table, drawn)
        if not options.single:
            report.put(BENCH.parent / "README.md", "speed", report.in_short(results, options.clock))
    return 0 if report.all_right(results) else 1


if __name__ == "__main__":
    sys.exit(main())
