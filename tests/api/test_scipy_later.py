"""Parts of SciPy take long to import: they are, when a program first needs one. Small matrices need none."""

import os
import subprocess
import sys
from pathlib import Path

from numba.np import linalg

import adc

# Numba 0.68 asks SciPy beforehand how wide its integers are.
ASKED_BEFORE = hasattr(linalg, "_check_lapack_int_width")

PROGRAM = """
import sys

import numpy as np

import adc


def plain(x):
    return np.sum(np.sin(x) * x)


def small(a):
    return np.sum(np.linalg.solve(a, np.ones(3)) * np.arange(3.0)) + np.sum(a[:2] @ a)


def system(a):
    return np.sum(np.linalg.solve(a, np.ones(90)) * np.arange(90.0)) + np.sum(a[:70] @ a)


def is_there():
    return "scipy.linalg" in sys.modules


adc.grad(plain, mode="compiled")(np.zeros(3))
adc.grad(small, mode="compiled")(np.eye(3) * 2)
without = is_there()
print(without, np.round(adc.grad(system, mode="compiled")(np.eye(90) * 2)[1, 1], 9), is_there())
"""


def test_routines_are_found_when_they_are_compiled_and_when_they_come_from_disk(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(adc.__file__).parents[1]),
        "ADC_CACHE_DIR": str(tmp_path / "cache"),
    }
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, str(file)], capture_output=True, text=True, env=environment, check=False
        )
        assert run.stdout == f"{ASKED_BEFORE} 3.75 True\n", run.stderr
