"""Functions that give views: every engine sees a write through either name, or refuses it with the line."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.random.default_rng(0).normal(size=(4, 4)) + 3.0

VIEWS = {
    "diag": np.diag,
    "diagonal": lambda c: c.diagonal(),
    "real": np.real,
    "real_part": lambda c: c.real,
    "squeeze": lambda c: c.squeeze(),
    "flip": np.flip,
    "rot90": np.rot90,
    "split": lambda c: np.split(c, 2)[0],
    "swapaxes": lambda c: np.swapaxes(c, 0, 1),
    "ravel": np.ravel,
    "array_without_copy": lambda c: np.array(c, copy=False),
    "asarray": np.asarray,
    "broadcast": lambda c: np.broadcast_to(c, (2, 4, 4)),
}


def written_below(view, x):
    c = x * x
    v = view(c)
    c[0, 0] = 5.0 * c[1, 1]
    return np.sum(v**2) + np.sum(c * 3.0)


def added_below(view, x):
    c = x * x
    v = view(c)
    c += 1.0
    return np.sum(v**2) + np.sum(c * 3.0)


def written_through(view, x):
    c = x * x
    v = view(c)
    v[...] = 7.0 * v
    return np.sum(v**2) + np.sum(c * 3.0)


READ_ONLY = {"diag", "diagonal", "broadcast"}
CUT = {"asarray"}  # on the tape, where NumPy's own function is in the dict
NOT_FOLLOWED = {"diag", "diagonal"}  # by generated code: a copy there


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("program", [written_below, added_below, written_through])
@pytest.mark.parametrize("name", VIEWS)
def test_write(name, program, mode):
    if program is written_through and name in READ_ONLY:
        pytest.skip("NumPy itself refuses the write")
    run = adc.value_and_grad(lambda x: program(VIEWS[name], x), mode=mode)
    if mode != "tape" and name in NOT_FOLLOWED:
        with pytest.raises(adc.UnsupportedError, match="that NumPy gives as a view"):
            run(X)
        return
    if mode == "tape" and name in CUT:
        with pytest.raises(adc.GraphCutError):
            run(X)
        return
    value, bar = run(X)
    assert value == pytest.approx(program(VIEWS[name], X), rel=1e-12)
    v = np.random.default_rng(1).normal(size=X.shape)
    h = 1e-6
    slope = (program(VIEWS[name], X + h * v) - program(VIEWS[name], X - h * v)) / (2 * h)
    assert np.sum(bar * v) == pytest.approx(slope, rel=1e-6)


def test_automatic_mode_follows_a_diagonal_by_tape():
    with pytest.warns(adc.FallbackWarning, match="diagonal"):
        value, _ = adc.value_and_grad(lambda x: written_below(np.diag, x))(X)
    assert value == pytest.approx(written_below(np.diag, X), rel=1e-12)
