"""Time the vector maths against math.* in the same jitted loop and np.* on whole arrays.

    python bench/vectormath.py            # prints
    python bench/vectormath.py --write    # puts the table into docs/design/vectormath.md

Nanoseconds per element of 4000 in cache, one thread; the variants take turns, and the least of many rounds
counts, so that other work on the machine disturbs little.
"""

from __future__ import annotations

import math
import platform
import re
import sys
import time
from pathlib import Path

import llvmlite.binding
import numba
import numpy as np
from numba import njit

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts/vectormath"))
from cases import CASES

from adc.runtime import vectormath as vm

DOCUMENT = ROOT / "docs/design/vectormath.md"
SIZE = 4000
ROUNDS = 40
REPEATS = 10
# The C library's names, where the standard library has them.
IN_MATH = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "power": "pow",
}


def loop_over(function, arity):
    """An elementwise loop around a scalar function."""
    if arity == 1:

        @njit(error_model="numpy")
        def unary(x, out):
            for i in range(x.shape[0]):
                out[i] = function(x[i])

        return unary

    @njit(error_model="numpy")
    def binary(x, y, out):
        for i in range(x.shape[0]):
            out[i] = function(x[i], y[i])

    return binary


def variants(case):
    """What to time, by name: each takes the arguments and the output."""
    found = {"vm": loop_over(getattr(vm, case.name), case.arity)}
    library = getattr(math, IN_MATH.get(case.name, case.name), None)
    if library is not None:
        try:
            loop = loop_over(library, case.arity)
            loop(*[np.full(2, 0.5)] * case.arity, np.empty(2))
            found["math"] = loop
        except numba.core.errors.TypingError:
            # Numba does not know every function of the module.
            found.pop("math", None)
    if case.numpy is not None:
        found["numpy"] = lambda *arguments: case.numpy(*arguments[:-1], out=arguments[-1])
    return found


def least_times(run, arguments):
    """Nanoseconds per element by variant, which take turns."""
    for function in run.values():
        function(*arguments)
    times = dict.fromkeys(run, math.inf)
    for _ in range(ROUNDS):
        for name, function in run.items():
            start = time.perf_counter()
            for _ in range(REPEATS):
                function(*arguments)
            times[name] = min(times[name], time.perf_counter() - start)
    return {name: value / REPEATS / SIZE * 1e9 for name, value in times.items()}


def elementwise_times(case, dtype):
    """The function on typical arguments."""
    rng = np.random.default_rng(0)
    arguments = [rng.uniform(*case.typical, SIZE).astype(dtype) for _ in range(case.arity)]
    return least_times(variants(case), [*arguments, np.empty(SIZE, dtype)])


def reduction_times():
    """The accumulations, beside the same loop with the plain operator."""
    plain = {
        "add": lambda s, e: s + e,
        "multiply": lambda s, e: s * e,
        "maximum": lambda s, e: max(s, e),
        "minimum": lambda s, e: min(s, e),
    }
    x = np.random.default_rng(0).uniform(0.99, 1.01, SIZE)
    rows = {}
    for name, step in vm.REDUCTIONS.items():
        loops = {"vm": jitted_reduction(step), "math": jitted_reduction(njit(plain[name]))}
        rows[name] = least_times({**loops, "numpy": getattr(np, name).reduce}, [x])
    return rows


def jitted_reduction(function):
    """A loop over total = function(total, x[i])."""

    @njit(error_model="numpy")
    def reduce(x):
        total = x[0]
        for i in range(1, x.shape[0]):
            total = function(total, x[i])
        return total

    return reduce


def table():
    """The Markdown table."""
    version = ".".join(map(str, llvmlite.binding.llvm_version_info[:2]))
    lines = [
        f"numba {numba.__version__}, LLVM {version}, NumPy {np.__version__}, {platform.machine()}, "
        f"{llvmlite.binding.get_host_cpu_name()}:",
        "",
        "| function | vm | math.* loop | np.* | math / vm | vm float32 |",
        "|---|---|---|---|---|---|",
    ]
    ratios = []
    for case in CASES.values():
        double = elementwise_times(case, np.float64)
        single = elementwise_times(case, np.float32)
        if "math" in double:
            ratios.append(double["math"] / double["vm"])
        lines.append(row(case.name, double, f"{single['vm']:.2f}"))
        print(lines[-1], flush=True)
    for name, times in reduction_times().items():
        lines.append(row(f"{name} (reduction)", times, ""))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    lines += ["", f"Geometric mean of math / vm over {len(ratios)} functions: {mean:.1f}."]
    return "\n".join(lines)


def row(name, times, last):
    """One line of the table."""
    library, numpy = times.get("math"), times.get("numpy")
    cells = [name, f"{times['vm']:.2f}"]
    cells += [f"{library:.2f}" if library else "-", f"{numpy:.2f}" if numpy else "-"]
    cells += [f"{library / times['vm']:.1f}" if library else "-", last]
    return "| " + " | ".join(cells) + " |"


def main():
    text = table()
    print(text)
    if "--write" in sys.argv[1:]:
        begin, end = "<!-- times -->", "<!-- end of times -->"
        document = DOCUMENT.read_text()
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        DOCUMENT.write_text(re.sub(pattern, lambda _: f"{begin}\n{text}\n{end}", document, flags=re.DOTALL))


if __name__ == "__main__":
    main()
