"""Compile time against the size of the code: it should grow about linearly.

    python bench/compile_time.py            functions of 100 to 400 operations on arrays and on numbers, a function
                                            of 50 to 1,000 lines, a call tree of 5 to 50 functions
    python bench/compile_time.py --quick    the smaller half

Each program is generated, written to a file and differentiated once in a fresh cache, behind a first one that compiles
what all of them call; "adc" is the time from the source to the generated text, "llvm" that of Numba, per line in
milliseconds. Of operations the median over five programs is shown, and the least and the most.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import random
import statistics
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


UNARY = (
    "np.exp(-{a} * {a})",
    "np.sin({a})",
    "np.tanh({a})",
    "np.sqrt(1.0 + {a} * {a})",
    "np.log1p({a} * {a})",
    "np.cos({a})",
)
BINARY = ("{a} + {b}", "{a} * {b}", "{a} - 0.5 * {b}", "{a} / (2.0 + {b} * {b})")


def of_operations(operations: int, seed: int, result: str) -> str:
    """A function of that many operations, two of five of them functions, each on what the last few have made."""
    drawn = random.Random(seed)
    names, lines, count = ["x", "s"], [], 0
    while count < operations:
        form = drawn.choice(UNARY if drawn.random() < 0.4 else BINARY)
        expression = form.format(a=drawn.choice(names[-6:]), b=drawn.choice(names[-6:]))
        count += sum(expression.count(sign) for sign in ("+", "*", "/", "-", "np."))
        lines.append(f"    t{len(lines)} = {expression}")
        names.append(f"t{len(lines) - 1}")
    total = " + ".join(names[-5:])
    return "\n".join([f"{HEAD}def program(x, s):", *lines, f"    return {result.format(total)}"]) + "\n"


_files = itertools.count()


def made(text: str, folder: Path) -> Any:
    """The function of a text, of which no other has made the code: with a number of its own."""
    number = next(_files)
    file = folder / f"program_{number}.py"
    head, body = text.split("def program(x, s):\n")
    file.write_text(f"{head}def program(x, s):\n    x = x + 1e-9 * {number}.5\n{body}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def timed(
    text: str, folder: Path, arguments: tuple[Any, ...] = (np.linspace(0.1, 0.5, 5), 0.3)
) -> tuple[float, float]:
    """Seconds of adc and of Numba for the first gradient of a program."""
    import adc

    derivative: Any = adc.grad(made(text, folder), (0, 1), mode="compiled")
    begin = time.perf_counter()
    derivative(*arguments)
    whole = time.perf_counter() - begin
    ours = sum(derivative._latest().seconds.values())
    return ours, whole - ours


def operations(folder: Path, sizes: tuple[int, ...]) -> None:
    """Print how long the first gradients take of functions of so many operations."""
    vector = np.linspace(0.1, 0.5, 1000)
    kinds: dict[str, tuple[str, tuple[Any, ...]]] = {
        "arrays": ("np.sum({})", (vector, vector[::-1].copy())),
        "numbers": ("{}", (0.4, 0.3)),
    }
    print(
        f"{'operations':>10} {'of':>8} {'first call s':>13} {'least':>6} {'most':>6} {'adc s':>8} {'llvm s':>8}"
    )
    for kind, (result, arguments) in kinds.items():
        for size in sizes:
            found = [timed(of_operations(size, seed, result), folder, arguments) for seed in range(5)]
            wholes = [sum(each) for each in found]
            ours, llvm = (statistics.median(each) for each in zip(*found, strict=True))
            spread = f"{statistics.median(wholes):13.2f} {min(wholes):6.2f} {max(wholes):6.2f}"
            print(f"{size:>10} {kind:>8} {spread} {ours:8.2f} {llvm:8.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the smaller half")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ADC_CACHE_DIR"] = str(Path(folder) / "cache")  # before adc is imported
        timed(straight(20), Path(folder))
        timed(of_operations(40, 99, "np.sum({})"), Path(folder), (np.ones(9), np.ones(9)))
        operations(Path(folder), (100,) if options.quick else (100, 200, 400))
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
                ours, llvm = timed(text, Path(folder))
                each = f"{1e3 * ours / lines:12.2f} {1e3 * llvm / lines:13.2f}"
                print(f"{size:>10} {lines:>6} {ours:8.2f} {llvm:8.2f} {each}", flush=True)


if __name__ == "__main__":
    main()
