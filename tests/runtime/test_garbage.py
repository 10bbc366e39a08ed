"""The collector's threshold while programs are compiled, by several threads too."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import adc
from adc.runtime.garbage import NEW_OBJECTS, collected_seldom


@pytest.fixture(autouse=True)
def threshold():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_put_back_after_an_error():
    gc.set_threshold(321, 5, 6)
    with pytest.raises(adc.UnsupportedError):
        adc.grad(lambda x: np.sum(np.array(sorted(x, key=str))), mode="compiled")(np.ones(3))
    assert gc.get_threshold() == (321, 5, 6)


@pytest.mark.parametrize("own", [0, NEW_OBJECTS + 1])
def test_a_collector_that_hardly_runs_is_left_alone(own):
    gc.set_threshold(own)
    with collected_seldom():
        assert gc.get_threshold()[0] == own
    assert gc.get_threshold()[0] == own


def test_a_threshold_that_is_set_inside_stays():
    gc.set_threshold(321)
    with collected_seldom():
        gc.set_threshold(999)
    assert gc.get_threshold()[0] == 999


def test_the_last_thread_puts_it_back():
    gc.set_threshold(321)
    inside, leave = threading.Event(), threading.Event()

    def other():
        with collected_seldom():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with collected_seldom():
        thread.start()
        inside.wait()
    assert gc.get_threshold()[0] == NEW_OBJECTS
    leave.set()
    thread.join()
    assert gc.get_threshold()[0] == 321
