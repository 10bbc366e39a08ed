"""Threads parse at once: what CPython 3.11 mixes up stays apart."""

import gc
import sys
import threading

import pytest

from adc import syntax

TEXT = "def f(x):\n" + "    y = x * (1 + 2)\n" * 20


class Switching:
    """Garbage whose finaliser is Python code, in which the interpreter may change threads."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        for _ in range(100):
            pass


@pytest.fixture
def collecting_often():
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


@pytest.mark.tiny
@pytest.mark.usefixtures("collecting_often")
def test_threads_parse_at_once():
    failures = []

    def run():
        for _ in range(100):
            Switching()
            try:
                syntax.parse(TEXT)
            except SystemError as failure:
                failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
