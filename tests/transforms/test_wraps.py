"""Neighbours round the ends of an axis are remainders; `tests/corpus/borders.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import borders

import adc

R = np.random.default_rng(8)
PROGRAMS = borders.program.__globals__["PROGRAMS"]


@pytest.mark.parametrize(
    ("name", "remainders"),
    [
        ("neighbours_on_a_torus", 4),
        ("neighbours_come_round", 4),  # two are the user's
        ("not_round_the_ends", 0),
        ("round_the_ends_backwards", 1),
    ],
)
def test_remainders(name, remainders):
    args = PROGRAMS[f"borders.{name}"].arguments()
    text = str(adc.source(adc.grad(getattr(borders, name)), *args, stage="wraps"))
    assert text.count(" % ") == remainders, text


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2, 2), (3, 2), (5, 6)])
def test_every_shape(shape):
    args = R.normal(size=shape), R.normal(size=shape)
    ours = adc.value_and_grad(borders.neighbours_on_a_torus, mode="compiled")(*args)
    theirs = adc.value_and_grad(borders.neighbours_on_a_torus, mode="tape")(*args)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-14)


def test_a_torus_has_no_loops_over_elements():
    args = PROGRAMS["borders.neighbours_on_a_torus"].arguments()
    text = str(adc.source(adc.grad(borders.neighbours_on_a_torus), *args, stage="dead-whole"))
    assert len(re.findall(r"^ +for ", text, re.MULTILINE)) == 1, text  # of time
    assert "roll(" in text
