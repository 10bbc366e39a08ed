"""SciPy is no requirement: what needs it says so, everything else works."""

import os
import subprocess
import sys
from pathlib import Path

import adc

PROGRAM = """
import sys
import warnings

sys.modules["scipy"] = None  # as if it were not installed

import numpy as np

import adc


def plain(x):
    total = 0.0
    for k in range(x.size):
        total += np.sin(x[k]) * k
    return total


def product(w, x):
    return np.sum((x @ w) ** 2)


print(adc.grad(plain, mode="compiled")(np.zeros(3)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(adc.grad(product)(np.ones(2), np.eye(2)))
print(*[w.message for w in caught])
"""


def test_in_an_environment_without_it(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(adc.__file__).parents[1]),
        "ADC_CACHE_DIR": str(tmp_path / "cache"),
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),  # what was compiled beside SciPy would look for it
    }
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr
    first, second, warned = run.stdout.split("\n", 2)
    assert first == "[0. 1. 2.]"
    assert second == "[2. 2.]"
    assert "scipy" in warned
