"""Expressions as long as a program prints them that makes programs."""

import importlib

import numpy as np
import pytest

import adc


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_sum_of_many_terms(mode, tmp_path, monkeypatch):
    terms = " + ".join(f"{k % 5}.0 * x**{k % 7}" for k in range(700))
    (tmp_path / f"long_sum_{mode}.py").write_text(f"def f(x):\n    return {terms}\n")
    monkeypatch.syspath_prepend(tmp_path)
    f = importlib.import_module(f"long_sum_{mode}").f
    assert adc.grad(f, mode=mode)(1.0) == sum(k % 5 * (k % 7) for k in range(700))


def test_a_chain_of_many_branches(tmp_path, monkeypatch):
    """Python reads a hundred levels of indentation, and each `elif` of generated code is one."""
    cases = "".join(
        f"    {'elif' if k else 'if'} x[0] < {k}.0:\n        y = {k}.0 * x[0]\n" for k in range(120)
    )
    (tmp_path / "long_chain.py").write_text(f"def f(x):\n{cases}    else:\n        y = x[1]\n    return y\n")
    monkeypatch.syspath_prepend(tmp_path)
    f = importlib.import_module("long_chain").f
    with pytest.raises(adc.UnsupportedError, match=r"long_chain.py:\d\d\d:.*branches are too many"):
        adc.grad(f, mode="python")(np.array([7.5, 1.0]))
    assert adc.grad(f, mode="tape")(np.array([7.5, 1.0])).tolist() == [8.0, 0.0]
