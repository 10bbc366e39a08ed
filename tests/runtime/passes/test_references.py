"""Memory is given back as by Numba's own counting of references."""

import numba
import numpy as np
import pytest
from numba.core import lowering
from numba.core.runtime import _nrt_python, rtsys

from adc.runtime.passes import references
from adc.runtime.tuning import tuned


def replaced(x, n):
    y = x
    for i in range(n):
        z = np.zeros(3) if i == 1 else y + 1.0
        y = z * x
    return y


def sometimes(x, n):
    total = 0.0
    for i in range(n):
        if i > 1:
            late = np.ones(4) * i
        if i > 2:
            total += late[i - 3]
    return total


def tuples(x, n):
    pair = (x, 2.0, (x + 1.0, n))
    for i in range(n):
        first, _, (second, _) = pair
        pair = (second, 1.0 * i, (first, i))
    return pair[0]


def lists(x, n):
    rows = [x + i for i in range(n)]
    rows[0] = rows[-1]
    rows.append(x)
    return rows[0], rows


def maybe(x, n):
    best = None
    for i in range(n):
        if best is None or x[i] > 0.5:
            best = x * i
    return best


def early(x, n):
    y = x * 2.0
    if n < 0:
        raise ValueError("negative")
    z = y + 1.0
    return z if n else y


def parameters(x, n):
    y = x
    if n > 2:
        x = x + 1.0
    for _ in range(n):
        y, x = x, y
    if n < 0:
        raise ValueError("negative")
    return x, y


def handed_back(x, n):
    if n > 1:
        return x
    return np.ones(3) * n


def with_many_checks():
    """A function with a loop that lets go of its parameter in more than `MANY` places."""
    text = ["def many_checks(x, n):", "    y = x", "    for k in range(n):", "        y = y * 0.5 + x * k"]
    for k in range(references.MANY):
        text += [f"    if n == {k + 10}:", f"        raise ValueError('{k + 10} trips')"]
    space = {}
    exec("\n".join([*text, "    return y, x"]), space)
    return space["many_checks"]


many_checks = with_many_checks()


@pytest.fixture(autouse=True)
def counted():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize(
    "function",
    [replaced, sometimes, tuples, lists, maybe, early, parameters, handed_back, many_checks],
    ids=lambda f: f.__name__,
)
def test_nothing_is_kept_and_nothing_freed_twice(function):
    x = np.linspace(0.1, 0.9, 3)
    compiled = numba.njit(function)
    with tuned(function):
        compiled(x, 3)
    before = rtsys.get_allocation_stats()
    for n in (3, 1, 3):
        found, wanted = compiled(x, n), function(x, n)
        for a, b in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
            np.testing.assert_allclose(a, b)
    if function is early:
        with pytest.raises(ValueError, match="negative"):
            compiled(x, -1)
    if function is many_checks:
        with pytest.raises(ValueError, match="17 trips"):
            compiled(x, 17)
    del found, a
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert lowering.Lower.delvar.__module__ == references.__name__
