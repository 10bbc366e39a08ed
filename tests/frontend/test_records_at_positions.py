"""An object or dict of a short list that is read at a position of the run is a copy: writes are right or refused."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import adc

AT = np.array([0, 1, 0])


@dataclass
class Part:
    mass: float
    place: np.ndarray


def parts(lengths=(2, 2)):
    return [Part(1.5 + k, np.arange(1.0, n + 1.0)) for k, n in enumerate(lengths)]


def _pushed(a, b):
    a.mass = 5.0 * a.place[0]
    return b.mass * a.mass


def written_where_it_is_read(p, at):
    total = 0.0
    for k in at:
        p[k].mass = p[k].mass * 1.1
        total += p[k].mass
    return total


def written_behind_a_name(p, at):
    one = p[at[0]]
    p[0].mass = 7.0 * p[1].mass
    return one.mass


def written_on_its_way(p, at):
    return _pushed(p[0], p[at[0]])


def a_place_that_is_read_before(p, at):
    p[0].mass += p[at[0]].mass
    return p[0].mass


def its_array_is_written_to(p, at):
    one, first = p[at[0]], p[0].place
    first[0] = 5.0 * first[1]
    return np.sum(one.place)


def the_list_is_written_to(p, at):
    total = 0.0
    for k in at:
        total += p[k].mass
        p[0] = Part(total, p[1].place)
    return total


@pytest.mark.parametrize(
    "f",
    [
        written_where_it_is_read,
        written_behind_a_name,
        written_on_its_way,
        a_place_that_is_read_before,
        its_array_is_written_to,
        the_list_is_written_to,
    ],
)
def test_what_would_miss_a_write_is_refused(f):
    with pytest.raises(adc.UnsupportedError, match=r"put into a list|known at run time|known before"):
        adc.grad(f, mode="python")(parts(), AT)


def written_before(p, at):
    p[0].mass = p[1].mass * 3.0
    p[1] = replace(p[1], place=p[0].place * 2.0)
    return sum(p[k].mass * np.sum(p[k].place) for k in at)


def the_best_is_remembered(p, at):
    best = p[0]
    for k in at:
        if p[k].mass > best.mass:
            best = p[k]
    return best.mass * best.place[1]


@pytest.mark.parametrize("f", [written_before, the_best_is_remembered])
def test_what_is_read_is_right(f):
    value, slope = adc.value_and_grad(f, mode="python")(parts(), AT)
    assert value == pytest.approx(f(parts(), AT))
    wanted = adc.grad(f, mode="tape")(parts(), AT)
    for one, other in zip(slope, wanted, strict=True):
        assert one.mass == pytest.approx(other.mass)
        np.testing.assert_allclose(one.place, other.place)


def total_mass(p, at):
    return sum(p[k].mass * np.sum(p[k].place) for k in at)


def test_arrays_of_other_lengths_are_refused():
    g = adc.grad(total_mass, mode="python")
    assert g(parts(), AT)[0].mass == 6.0
    with pytest.raises(adc.UnsupportedError, match="known at run time"):
        g(parts((2, 3)), AT)


def _tripled(state, _):
    state["a"] = state["a"] * 3.0
    return state["a"]


def put_into_a_list_on_its_way(x):
    log, total = [], 0.0
    for v in x:
        state = {"a": v, "b": v * v}
        total += _tripled(state, log.append(state))
        if total > 100.0:
            break
    return sum(each["a"] * each["b"] for each in log) + total


def test_what_an_expression_holds_is_not_written_to_after_it_was_put_into_a_list():
    with pytest.raises(adc.UnsupportedError, match="put into a list"):
        adc.grad(put_into_a_list_on_its_way, mode="python")(np.arange(1.0, 4.0))
