"""Expressions as long as a program prints them that makes programs."""

import importlib

import pytest

import adc


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_sum_of_many_terms(mode, tmp_path, monkeypatch):
    terms = " + ".join(f"{k % 5}.0 * x**{k % 7}" for k in range(700))
    (tmp_path / f"long_sum_{mode}.py").write_text(f"def f(x):\n    return {terms}\n")
    monkeypatch.syspath_prepend(tmp_path)
    f = importlib.import_module(f"long_sum_{mode}").f
    assert adc.grad(f, mode=mode)(1.0) == sum(k % 5 * (k % 7) for k in range(700))
