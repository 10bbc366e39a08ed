"""Every program of the corpus, on every engine: right value and gradient, or refused as the program says.

The tape and the loops that the compiler writes give one gradient, to rounding; the same for the examples of every
operation: tests/rules/test_compiled.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus import Program, all_programs
from tests.corpus.check import MODES, check, derivative
from tests.corpus.reference import flat
from tests.in_turn import turn
from tests.interpreted import by_interpreted_text, interpreted

import adc


def cases() -> list[object]:
    """One case per program and engine. In python mode one takes milliseconds; compiled, it waits for Numba.

    So Numba gets a twelfth of the programs in a run, others with other sources; `-m exhaustive` has the rest. Of the
    text for it, which CPython runs, a third is run.
    """

    def marks(program: Program, mode: str) -> list[pytest.MarkDecorator]:
        found = [pytest.mark.slow] if program.slow else []
        if mode == "python":
            found.append(pytest.mark.tiny)
        if mode == "compiled" and turn(program.name, 12) != 0:
            found.append(pytest.mark.exhaustive)
        return found

    return [
        pytest.param(p, mode, id=f"{p.name}-{mode}", marks=marks(p, mode))
        for p in all_programs()
        for mode in MODES
    ]


@pytest.mark.parametrize(("program", "mode"), cases())
def test_program(program: Program, mode: str) -> None:
    if mode in program.refused:
        with pytest.raises(adc.AdcError):
            check(program, mode)
        return
    try:
        check(program, mode)
    except Exception as error:
        raise AssertionError(f"{error}\n\nReproduce: python -m tests.corpus {program.name} {mode}") from error


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(p, id=p.name, marks=[pytest.mark.exhaustive] if turn(p.name, 3) else [])
        for p in all_programs()
        if "compiled" not in p.refused and "tape" not in p.refused
    ],
)
def test_the_tape_equals_the_loops(program: Program) -> None:
    found = [np.asarray(x) for x in flat(derivative(program, "tape")(*program.arguments()))]
    with interpreted():
        looped = by_interpreted_text(derivative(program, "compiled"))
        wanted = [np.asarray(x) for x in flat(looped(*program.arguments()))]
    # An adjoint that is zero but for rounding is as large as the rest of the answer lets it be.
    scale = max(float(np.max(np.abs(x), initial=0.0)) for x in wanted)
    single = any(x.dtype == np.float32 for x in wanted)
    for x, y in zip(found, wanted, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(x, y, rtol=0.0, atol=(1e-6 if single else 1e-12) * scale)


def test_the_corpus_is_large() -> None:
    assert len(all_programs()) >= 250
