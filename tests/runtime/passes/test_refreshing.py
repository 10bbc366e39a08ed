"""Numba looks for new declarations once, and once more where it has found some."""

from numba.core import base
from numba.np import linalg

from adc.runtime.passes import blas, refreshing
from adc.runtime.passes.known import is_known


def test_the_texts_are_known():
    assert is_known(base.BaseContext.refresh.__closure__[0].cell_contents, refreshing.KNOWN)
    asks_how_wide = hasattr(linalg, "_check_lapack_int_width")  # from 0.68 on, of SciPy's integers
    assert is_known(linalg.ensure_blas.__closure__[0].cell_contents, blas.KNOWN) is not asks_how_wide


def test_a_look_within_a_look_comes_behind_it(monkeypatch):
    looks = []

    def own(context):
        looks.append("begun")
        if len(looks) < 6:
            refresh(context)
            refresh(context)
        looks.append("ended")

    monkeypatch.setattr(refreshing, "is_known", lambda text, hashes: True)
    refresh = refreshing.at_the_end(own)
    refresh(object())
    assert looks == ["begun", "ended"] * 4
    assert not refreshing._looking
