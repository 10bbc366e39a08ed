"""What transforms of one length share is made once and kept: also where lengths want one place, and threads meet."""

from __future__ import annotations

import threading

import numba
import numpy as np
import pytest

from adc.runtime import fft_plans

# More than there are places, so that some are taken: small factors, large primes, powers of two, even and odd.
LENGTHS = [*range(1, 140), 211, 256, 360, 509, 512, 1000, 1024, 2039]


@numba.njit(nogil=True)
def both(x, z):
    return np.fft.fft(z), np.fft.irfft(np.fft.rfft(x), x.size)


def data(n):
    r = np.random.default_rng(n)
    return r.normal(size=n), r.normal(size=n) + 1j * r.normal(size=n)


def agrees(n):
    x, z = data(n)
    found, back = both(x, z)
    scale = np.sqrt(n)
    return np.allclose(found, np.fft.fft(z), rtol=0.0, atol=1e-13 * scale * np.log2(n + 1.0)) and np.allclose(
        back, x, rtol=0.0, atol=1e-13
    )


def test_the_first_call_and_those_after_it():
    assert len(LENGTHS) > fft_plans._PLACES
    for _ in range(3):
        assert [n for n in LENGTHS if not agrees(n)] == []


def test_what_is_kept_is_what_was_made():
    @numba.njit
    def plans(n):
        return fft_plans.plan(n), fft_plans.half_turns(2 * n)

    for n in (1, 8, 96, 139, 2039, fft_plans._LONGEST, fft_plans._LONGEST + 2):
        (first, turns), (second, again) = plans(n), plans(n)
        for one, other in zip((*first, turns), (*second, again), strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype
        kept = first[1].size and np.shares_memory(plans(n)[0][1], plans(n)[0][1])
        assert not (kept and n > fft_plans._LONGEST)


@pytest.mark.parametrize("lengths", [[384, 1536, 773], LENGTHS])
def test_threads(lengths):
    wrong: list[int] = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        wrong.extend(n for n in lengths if not agrees(n))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
