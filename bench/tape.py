"""What a recorded operation costs, forward and backward: this tape, PyTorch eager, HIPS autograd.

    python bench/tape.py            # all libraries that are installed, interleaved, the best of several rounds

The program is a chain of multiply, add, sin and scale on vectors of n elements, as user code would write it;
the time is that of the whole program with its gradient, divided by the number of operations. The last column
is the memory that a recorded graph holds beyond its arrays.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np

LOOPS = 250  # iterations of the chain
PER_LOOP = 4  # recorded operations in each


def chain(x: Any, sin: Callable[[Any], Any], loops: int = LOOPS) -> Any:
    y = x
    for _ in range(loops):
        z = y * x
        z = z + x
        z = sin(z)
        y = z * 0.5
    return y


def straight(n: int) -> Callable[[], Any]:
    """The same adjoint written by hand in NumPy: what any tape costs at least."""
    x0 = np.linspace(0.1, 0.9, n)

    def run() -> Any:
        y = x0
        kept = []
        for _ in range(LOOPS):
            w = y * x0 + x0
            kept.append((y, w))
            y = np.sin(w) * 0.5
        y_bar = np.ones(n)
        x_bar = np.zeros(n)
        for before, w in reversed(kept):
            w_bar = y_bar * 0.5 * np.cos(w)
            x_bar = x_bar + w_bar
            x_bar = x_bar + w_bar * before
            y_bar = w_bar * x0
        return x_bar + y_bar

    return run


def adc_tape(n: int) -> Callable[[], Any]:
    from adc import tape

    x0 = np.linspace(0.1, 0.9, n)

    def run() -> Any:
        x = tape.tensor(x0, requires_grad=True)
        chain(x, np.sin).sum().backward()
        return x.grad.numpy()

    return run


def torch_eager(n: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(1)
    x0 = torch.linspace(0.1, 0.9, n, dtype=torch.float64)

    def run() -> Any:
        x = x0.clone().requires_grad_()
        chain(x, torch.sin).sum().backward()
        return x.grad.numpy()

    return run


def hips_autograd(n: int) -> Callable[[], Any]:
    import autograd
    import autograd.numpy as anp

    x0 = np.linspace(0.1, 0.9, n)
    gradient = autograd.grad(lambda x: anp.sum(chain(x, anp.sin)))
    return lambda: gradient(x0)


ENGINES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "numpy by hand": straight,
    "adc tape": adc_tape,
    "torch eager": torch_eager,
    "HIPS autograd": hips_autograd,
}


def operations(n: int = 10, loops: int = 200, rounds: int = 9) -> dict[str, dict[str, float]]:
    """Microseconds of single operations that code is full of, each in a chain of its own, on vectors of n elements."""
    x0 = np.linspace(0.1, 0.9, n)
    upper = x0 > 0.5
    results: dict[str, dict[str, float]] = {}
    libraries: dict[str, tuple[Any, Any, Any]] = {}
    from adc import tape

    libraries["adc tape"] = np, tape.tensor, upper
    try:
        import torch

        libraries["torch eager"] = torch, torch.tensor, torch.tensor(upper)
    except ImportError:
        pass
    bodies: dict[str, Callable[..., Any]] = {
        "y * x": lambda lib, y, x, c: y * x,
        "y ** 2": lambda lib, y, x, c: y**2,
        "exp(y)": lambda lib, y, x, c: lib.exp(-y),
        "sum": lambda lib, y, x, c: lib.sum(y) * x,
        "mean": lambda lib, y, x, c: lib.mean(y) * x,
        "where": lambda lib, y, x, c: lib.where(c, y, x),
        "stack, read": lambda lib, y, x, c: lib.stack([y, x])[0],
        "reshape": lambda lib, y, x, c: y.reshape(2, -1).reshape(-1),
        "dot": lambda lib, y, x, c: (y @ x) * x,
        "slice": lambda lib, y, x, c: y[1:].sum() * x,
        "tanh": lambda lib, y, x, c: lib.tanh(y),
        "maximum": lambda lib, y, x, c: lib.maximum(y, x),
        "logaddexp": lambda lib, y, x, c: lib.logaddexp(y, x),
        "roll": lambda lib, y, x, c: lib.roll(y, 1) * x,
        "std": lambda lib, y, x, c: lib.std(y) * x,
        "norm": lambda lib, y, x, c: lib.linalg.norm(y) * x,
    }
    for name, body in bodies.items():
        times: dict[str, list[float]] = {library: [] for library in libraries}
        for _ in range(rounds):
            for library, (lib, tensor, condition) in libraries.items():
                x = tensor(x0, requires_grad=True)
                gc.collect()
                start = time.process_time()
                y = x
                for _ in range(loops):
                    y = body(lib, y, x, condition)
                y.sum().backward()
                times[library].append((time.process_time() - start) / loops * 1e6)
        results[name] = {library: min(samples) for library, samples in times.items()}
    return results


def bookkeeping() -> float:
    """Bytes per recorded operation beyond the arrays themselves."""
    from adc import tape

    x = tape.tensor(np.linspace(0.1, 0.9, 10), requires_grad=True)
    chain(x, np.sin, 2).sum().backward()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    y = chain(x, np.sin, 2000)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del y
    array = sys.getsizeof(np.zeros(10))
    # Of the four results per loop, the chain keeps two: the operand of sin and the last of all.
    return (after - before - 2 * 2000 * array) / (PER_LOOP * 2000)


def measure(rounds: int = 25) -> dict[str, dict[int, float]]:
    """Microseconds per operation, engines interleaved."""
    sizes = (1, 10, 1000)
    results: dict[str, dict[int, float]] = {}
    for n in sizes:
        programs: dict[str, Callable[[], Any]] = {}
        for name, make in ENGINES.items():
            try:
                programs[name] = make(n)
            except ImportError:
                continue
        answers = [program() for program in programs.values()]
        for answer in answers[1:]:
            np.testing.assert_allclose(answer, answers[0], rtol=1e-9, atol=1e-12)
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(rounds):
            for name, program in programs.items():
                gc.collect()
                start = time.process_time()
                program()
                times[name].append((time.process_time() - start) / (LOOPS * PER_LOOP) * 1e6)
        for name, samples in times.items():
            results.setdefault(name, {})[n] = min(samples)  # what else runs on the machine only adds
    return results


def main() -> None:
    results = measure()
    sizes = list(next(iter(results.values())))
    print(f"{'us per operation, forward and backward':40s}" + "".join(f"{f'n = {n}':>12s}" for n in sizes))
    for name, row in results.items():
        print(f"{name:40s}" + "".join(f"{row[n]:12.2f}" for n in sizes))
    print(f"bookkeeping of the tape: {bookkeeping():.0f} bytes per operation")
    table = operations()
    names = list(next(iter(table.values())))
    print(f"\n{'us per statement, n = 10':40s}" + "".join(f"{name:>14s}" for name in names))
    for statement, row in table.items():
        print(f"{statement:40s}" + "".join(f"{row[name]:14.2f}" for name in names))


if __name__ == "__main__":
    main()
