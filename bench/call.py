"""What a call of a compiled gradient costs above a call of the machine code behind it.

    python bench/call.py [--core N]

For each way to pass arguments: microseconds of `adc.value_and_grad(f)(...)`, of Numba's dispatcher with the same arrays
and numbers, and between the two: the least of 80 times of a thousand calls, which what else runs on the core spares.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import adc

CALLS = 1_000


def microseconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """Of one call."""
    times = []
    for _ in range(80):
        begin = time.perf_counter()
        for _ in range(CALLS):
            function(*arguments)
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times) / CALLS


WEIGHTS = np.ones(64)


class Spring:
    """Holds a number that its method reads."""

    def __init__(self) -> None:
        self.stiffness = 2.0

    def energy(self, x: Any) -> Any:
        """Half the stiffness times the square of the length."""
        return 0.5 * self.stiffness * np.sum(x * x)


def product(x: Any, y: Any, z: float) -> Any:
    """Of two arrays and a number."""
    return np.sum(x * y) + z * np.sum(y)


def layer(p: dict[str, Any], x: Any) -> Any:
    """A layer of a network, with its parameters in a dict."""
    return np.sum(np.tanh(p["w"] * x + p["b"]))


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Derivatives and the arguments of a call."""
    one, four = np.ones(64), np.ones(4)
    squares = adc.value_and_grad(lambda x: np.sum(x * x))
    return {
        "a number": (adc.value_and_grad(lambda x: x * x), (2.0,)),
        "three numbers": (adc.value_and_grad(lambda x, y, z: x * y * z, (0, 1, 2)), (2.0, 3.0, 4.0)),
        "an array of 64": (squares, (one,)),
        "an array of 4": (squares, (four,)),
        "an array, one outside": (adc.value_and_grad(lambda x: np.sum(x * WEIGHTS)), (one,)),
        "two arrays and a number": (adc.value_and_grad(product, (0, 1, 2)), (one, one, 2.0)),
        "two matrices": (adc.value_and_grad(lambda a, b: np.sum(a * b), (0, 1)), (np.ones((8, 8)),) * 2),
        "a method": (adc.value_and_grad(Spring().energy), (one,)),
        "a dict and an array": (adc.value_and_grad(layer), ({"w": one, "b": one}, one)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", type=int, help="stay on this core")
    options = parser.parse_args()
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    print(f"{'us per call with':24} {'adc':>6} {'dispatcher':>11} {'above it':>9}")
    for what, (derivative, arguments) in cases().items():
        derivative(*arguments)
        known, inputs, _ = derivative._resolve(arguments, {})
        ours, of_code = microseconds(derivative, arguments), microseconds(known.run, tuple(inputs))
        print(f"{what:24} {ours:6.2f} {of_code:11.2f} {ours - of_code:9.2f}", flush=True)


if __name__ == "__main__":
    main()
