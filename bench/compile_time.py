"""Compile time against the size of the code: it should grow about linearly.

    python bench/compile_time.py            a function of 50 to 1,000 lines, a call tree of 5 to 50 functions
    python bench/compile_time.py --quick    the smaller half

Each program is generated, written to a file and differentiated once in a fresh cache; "adc" is the time from the
source to the generated text, "llvm" that of Numba, per line in milliseconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HEAD = "import numpy as np\n\n\n"


def straight(lines: int) -> str:
    """A function of that many lines: scalars, an array that is written to, a branch and a loop in every ten."""
    body = ["def program(x, s):", "    y = x.copy()", "    a = s", "    b = s * s"]
    k = 0
    while len(body) < lines - 1:
        k += 1
        body += [
            f"    a = np.sin(a) * b + 0.{k % 9 + 1}",
            f"    y[{k % 5}] = a * y[{(k + 2) % 5}]",
            f"    if a > 0.{k % 7}:",
            "        b = b * 0.9 + a",
            "    else:",
            f"        b = np.tanh(b) - y[{k % 5}]",
            f"    for i in range({k % 3}, 5):",
            "        y[i] += 0.1 * b * y[i - 1]",
            "    y = np.tanh(y * a + b)",
            "    b += np.sum(y) * 0.1",
        ]
    body = body[: lines - 1] if not body[lines - 2].rstrip().endswith(":") else body[: lines - 2]
    return HEAD + "\n".join([*body, "    return a + b + np.sum(y)"]) + "\n"


def tree(functions: int) -> str:
    """A binary tree of that many functions, each of six lines with a loop, each called once."""
    text = [HEAD]
    for k in range(functions, 0, -1):
        calls = [f"part_{c}(y, s * 0.9)" for c in (2 * k, 2 * k + 1) if c <= functions]
        text.append(
            f"def part_{k}(x, s):\n"
            f"    y = np.tanh(x * s + 0.0{k % 9})\n"
            "    total = 0.0\n"
            "    for i in range(y.shape[0]):\n"
            "        total += y[i] * s + 0.1\n"
            f"    return {' + '.join(['total', *calls])}\n\n\n"
        )
    return "".join([*text, "def program(x, s):\n    return part_1(x, s)\n"])


def timed(text: str, folder: Path, name: str) -> tuple[float, float]:
    """Seconds of adc and of Numba for the first gradient of a program."""
    import adc

    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    gradient = adc.grad(module.program, (0, 1), mode="compiled")
    arguments = np.linspace(0.1, 0.5, 5), 0.3
    begin = time.perf_counter()
    adc.source(gradient, *arguments, stage="optimized")
    middle = time.perf_counter()
    gradient(*arguments)
    whole = time.perf_counter() - middle
    ours = middle - begin
    return ours, max(whole - ours, 0.0)  # the call makes the text once more, then compiles it


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the smaller half")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ADC_CACHE_DIR"] = str(Path(folder) / "cache")  # before adc is imported
        timed(straight(20), Path(folder), "warm")
        for what, make, sizes in (
            ("lines", straight, (50, 100, 200, 500, 1000)),
            ("functions", tree, (5, 10, 20, 50)),
        ):
            print(
                f"{what:>10} {'lines':>6} {'adc s':>8} {'llvm s':>8} {'adc ms/line':>12} {'llvm ms/line':>13}"
            )
            for size in sizes[: 3 if options.quick else None]:
                text = make(size)
                lines = len(text.splitlines())
                ours, llvm = timed(text, Path(folder), f"{what}_{size}")
                each = f"{1e3 * ours / lines:12.2f} {1e3 * llvm / lines:13.2f}"
                print(f"{size:>10} {lines:>6} {ours:8.2f} {llvm:8.2f} {each}", flush=True)


if __name__ == "__main__":
    main()
