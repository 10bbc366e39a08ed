"""Compiled mode takes the examples of every operation, and gives their derivatives.

One example of every operation runs as text: the loops that the compiler writes, run by Python, and some of the other
examples, which change with the sources. Numba itself is given one example of some of the operations, which change
likewise. `make rules` runs all examples, both ways.
"""

import pytest
from tests.in_turn import in_turn

from adc.rules import registry
from adc.testing import engines

pytestmark = pytest.mark.machine_code

# What compiled mode refuses, and why it does.
REFUSED = dict.fromkeys(
    "special.bernoulli special.euler special.factorial2".split(), "no kernel that jitted code can call"
)
# Examples whose result is real or complex as the numbers in it decide: compiled code has one type, and raises.
ONE_TYPE = {"eigvals-1", "roots-1", "scipy.linalg.eigvals-1"}
TOGETHER = 5  # examples in one program: one that Numba refuses is looked for one by one
COMPILED = 20  # operations that Numba is given in a run of the tests
OTHERS = 10  # examples, behind the first of half of the operations, of one letter


def examples(operation):
    return [case for case in engines.measurable(operation) if str(case) not in ONE_TYPE]


def operations():
    return [o for o in registry.operations() if o.name not in REFUSED and examples(o)]


def failures(engine, cases, together, tmp_path):
    return [
        f"{case}: {answer.splitlines()[0]}\n    python -m adc.testing.engines {engine} {case.operation.name}"
        for case, answer in engines.outcomes(engine, cases, together, tmp_path)
        if answer != "ok"
    ]


@pytest.mark.parametrize("letter", sorted({o.name[0] for o in operations()}))
def test_the_loops_of_the_examples_are_right(letter, tmp_path):
    for_letter = in_turn([o for o in operations() if o.name[0] == letter], lambda o: o.name)
    firsts = [examples(o)[0] for o in for_letter[: (len(for_letter) + 1) // 2]]
    others = in_turn([case for o in for_letter for case in examples(o)[1:]], str)
    assert not failures("text", [*firsts, *others[:OTHERS]], 1, tmp_path)


def test_numba_compiles_the_examples_of_some_operations(tmp_path):
    chosen = in_turn(operations(), lambda o: o.name)
    assert not failures("compiled", [examples(o)[0] for o in chosen[:COMPILED]], TOGETHER, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("letter", sorted({o.name[0] for o in operations()}))
def test_the_loops_of_every_example_are_right(letter, tmp_path):
    chosen = [case for o in operations() if o.name[0] == letter for case in examples(o)]
    assert not failures("text", chosen, 1, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [o.name for o in operations()])
def test_numba_compiles_every_example(name, tmp_path):
    assert not failures("compiled", examples(registry.named(name)), TOGETHER, tmp_path)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_is_refused_with_its_line(name, tmp_path):
    for case, answer in engines.outcomes("compiled", engines.measurable(registry.named(name)), 1, tmp_path):
        assert answer.startswith(("UnsupportedError", "RunTimeLength")), f"{case}: {answer}"
        assert "z = " in answer, f"{case}: no line of the program in {answer}"
