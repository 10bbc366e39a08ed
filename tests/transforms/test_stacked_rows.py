"""What inner loops keep on stacks in rows; `tests/corpus/rows_on_stacks.py` has the gradients on every engine."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import PROGRAMS, all_programs

import adc

all_programs()

# How many stacks, and how many of these are filled by rows.
STACKS = {
    "relaxed_until_it_rests": (1, 1),
    "sequences_of_different_lengths": (1, 1),
    "half_steps_of_a_step_that_is_chosen": (3, 1),
    "down_and_up": (2, 2),
    "grid_until_it_rests": (1, 1),
    "every_second": (1, 0),
    "some_trips_alone": (2, 1),
    "three_at_a_time": (1, 0),
    "rows_without_a_trip": (2, 2),
    "two_values_by_a_condition": (1, 1),
}


@pytest.mark.parametrize("name", STACKS)
def test_rows(name):
    program = PROGRAMS[f"rows_on_stacks.{name}"]
    args = program.arguments()
    gradient = adc.grad(program.function, program.argnums, mode="compiled")
    text = str(adc.source(gradient, *args, stage="optimized"))
    stacks, rows = STACKS[name]
    assert text.count("rt.settled(") == stacks, text
    made = re.findall(r"^ +(\w+) = (\w+_kept\w*)\[\w+:\w+ \+ ", text.split("# reverse")[0], re.MULTILINE)
    assert len(made) == rows, text


def test_a_row_lies_on_the_stack_from_the_beginning():
    program = PROGRAMS["rows_on_stacks.relaxed_until_it_rests"]
    text = str(adc.source(adc.grad(program.function), *program.arguments(), stage="optimized"))
    assert "rt.push" not in text
    forward, reverse = text.split("# reverse")
    assert "u_i_each = u_i_kept[u_i_top:u_i_top + " in forward
    assert "u_i_each = u_i_kept[u_i_top:u_i_top + " in reverse


def test_long_rows_on_stacks_that_grow():
    def settled(x, counts):
        x = x.copy()
        total = 0.0
        for t in range(len(counts)):
            for _ in range(counts[t]):
                for i in range(len(x)):
                    x[i] = x[i] + 0.1 * np.sin(x[i])
            total += np.sum(x * x)
        return total

    r = np.random.default_rng(1)
    for n in (0, 1, 3, 64, 65, 700):
        x, counts = r.normal(size=n), r.integers(0, 5, 9)
        found = adc.grad(settled, mode="compiled")(x, counts)
        np.testing.assert_allclose(found, adc.grad(settled, mode="tape")(x, counts), rtol=1e-11, atol=1e-13)
