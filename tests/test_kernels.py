"""The generated texts of the benchmark kernels are those that were read and kept."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import adc

BENCH = Path(__file__).parents[1] / "bench"
KERNELS = sorted(p.stem for p in (BENCH / "kernels").glob("*.py") if p.stem != "__init__")


@pytest.fixture(scope="module")
def kernel() -> Iterator[Callable[[str], Any]]:
    """The record of a kernel by its name: bench/ is no package, its files import one another by their names."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCH))
    try:
        from kernels import __name__ as package

        yield lambda name: importlib.import_module(f"{package}.{name}").KERNEL
    finally:
        sys.path.remove(str(BENCH))
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in ("kernel", "kernels"):
                del sys.modules[name]


@pytest.mark.parametrize("name", KERNELS)
def test_text(name: str, kernel: Callable[[str], Any], golden: Callable[[str, str], None]) -> None:
    found = kernel(name)
    gradient = adc.value_and_grad(found.primal, found.argnums, mode="compiled")
    golden(f"kernels/{name}.txt", gradient.source(*found.data(*found.quick), stage="optimized"))
