"""Every program of the corpus, on every engine: right value and gradient, or refused as the program says."""

from __future__ import annotations

import pytest
from tests.corpus import Program, all_programs
from tests.corpus.check import MODES, check

import adc


def cases() -> list[object]:
    """One case per program and engine. In python mode one takes milliseconds; compiled, it waits for LLVM."""
    marks = {"python": [pytest.mark.tiny]}
    return [
        pytest.param(
            p,
            mode,
            id=f"{p.name}-{mode}",
            marks=[*marks.get(mode, []), *([pytest.mark.slow] if p.slow else [])],
        )
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


def test_the_corpus_is_large() -> None:
    assert len(all_programs()) >= 250
