"""A function that stays apart is called as a jitted one is, also for its errors, and from code that lies on disk."""

import subprocess
import sys

import numba
import numpy as np
import pytest

from adc.runtime.apart import apart


@apart("float64(float64[::1], int64)")
def _nth_root_of_sum(x, n):
    if n == 0:
        raise ValueError("no root")
    total = 0.0
    for k in range(x.size):
        total += x[k]
    return total ** (1.0 / n)


@apart("Tuple((float64[::1], boolean))(float64[::1])")
def _doubled(x):
    return 2.0 * x, x.size > 2


@apart("void(float64[::1])")
def _never_compiles(x):
    return x.no_such_attribute


@numba.njit
def root(x, n):
    return _nth_root_of_sum(x, n)


def test_values_and_errors_come_back():
    assert root(np.array([1.0, 3.0]), 2) == 2.0
    assert root(np.array([1.0, 3.0]), np.int32(1)) == 4.0
    with pytest.raises(ValueError, match="no root"):
        root(np.ones(2), 0)


def test_arrays_come_back():
    @numba.njit
    def twice(x):
        for _ in range(3):
            x, more = _doubled(x)
        return x, more

    assert np.array_equal(twice(np.ones(3))[0], np.full(3, 8.0))


def test_other_arguments_are_refused():
    with pytest.raises(numba.TypingError, match="takes"):
        root(np.ones((2, 2)), 1)
    with pytest.raises(numba.TypingError, match="takes"):
        numba.njit(lambda x: _nth_root_of_sum(x))(np.ones(2))


def test_what_cannot_be_compiled_says_so(capfd):
    for _ in range(3):  # whatever lies where the address is looked for
        with pytest.raises(RuntimeError, match="_never_compiles could not be compiled"):
            numba.njit(lambda x: _never_compiles(x))(np.ones(2))
    assert "no_such_attribute" in capfd.readouterr().err


@apart()
def _first(x):
    if x.size == 0:
        raise ValueError("no first")
    return None if x[0] < 0.0 else x[0]


def test_results_that_may_be_none():
    @numba.njit
    def firsts(x, y):
        return _first(x), _first(y), _first(x)

    assert firsts(np.ones(2), -np.ones(2)) == (1.0, None, 1.0)
    assert firsts(-np.ones(2), np.ones(2)) == (None, 1.0, None)
    with pytest.raises(ValueError, match="no first"):
        firsts(np.ones(2), np.ones(0))


def test_errors_are_caught():
    @numba.njit
    def guarded(x, n):
        if n < 0:
            raise ValueError("negative")
        total = 0.0
        for k in range(3):
            try:
                total += _nth_root_of_sum(x, n - k)
            except Exception:
                total += 100.0
        return total + _nth_root_of_sum(x, n)

    assert guarded(np.array([1.0, 3.0]), 2) == 2.0 + 4.0 + 100.0 + 2.0
    with pytest.raises(ValueError, match="no root"):
        guarded(np.ones(2), 0)


@apart(error_model="numpy")
def _ratio(x, y):
    return x / y


def test_what_declares_nothing_is_compiled_for_what_it_is_given():
    @numba.njit
    def ratios(x, n):
        return _ratio(n, 2), _ratio(x, 4.0), _ratio(1.0, 0.0)

    number, array, infinite = ratios(np.ones((2, 2), np.float32)[:, ::2], 3)
    assert number == 1.5
    assert infinite == np.inf
    assert np.array_equal(array, [[0.25], [0.25]])


def test_python_calls_it_too():
    assert _ratio(3, 2) == 1.5
    assert np.array_equal(_ratio(np.array([3.0, 1.0]), 2.0), [1.5, 0.5])


_NAMED = """
def smallest(xs):
    return min((x for x in xs if x not in {"one", "other", "third"}), key=lambda x: (x, (1, 2)))
"""


def test_a_function_has_one_name_in_every_process():
    command = f"from adc.runtime.apart import apart\n{_NAMED}\nprint(apart()(smallest).name)"
    names = {
        subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    }
    assert len(names) == 1
    assert "smallest" in names.pop()


def test_functions_of_one_name():
    made = []
    for factor in ("2.0", "3.0"):
        space = {"apart": apart}
        exec(f"@apart()\ndef scaled(x):\n    return {factor} * x\n", space)
        made.append(space["scaled"])
    first, second = made
    assert numba.njit(lambda x: first(x) + 10.0 * second(x))(1.0) == 32.0


CALLER = """
import numba
import numpy as np
from adc import runtime as rt


@rt.kernel
def add(n, x, out):
    for i in range(n):
        out[i] = x[i] + 1.0


@numba.njit(cache=True)
def run(x):
    out = np.empty(x.size)
    add(x.size, x, out)
    return rt.dot(out, out)


if __name__ == "__main__":
    print(run(np.ones(3)), sum(run.stats.cache_hits.values()))
"""


def test_machine_code_on_disk_finds_it_in_another_process(tmp_path):
    file = tmp_path / "caller.py"
    file.write_text(CALLER)
    told = [
        subprocess.run([sys.executable, file], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert told == [["12.0", "0"], ["12.0", "1"]]


def test_a_kernel_typed_at_a_prompt():
    space = {}
    exec(CALLER.replace("cache=True", "").replace("__main__", "never"), space)
    assert space["run"](np.ones(2)) == 8.0


@apart(returns=lambda x: x, error_model="numpy")
def _never_called(x):
    return x.no_such_attribute


@apart(returns=lambda x: numba.types.Array(x.dtype, x.ndim, "C"))
def _in_rows(x):
    return np.ascontiguousarray(x)


def test_what_is_known_to_return_something_is_compiled_when_it_is_called():
    @numba.njit
    def sometimes(x, often):
        return _never_called(x) if often else _in_rows(x)

    x = np.arange(6.0).reshape(2, 3).T
    assert np.array_equal(sometimes(x[:, ::-1], False), x[:, ::-1])
    assert sometimes(x[:, ::-1], False).flags.c_contiguous
    with pytest.raises(RuntimeError, match="_never_called could not be compiled"):
        sometimes(x[:, ::-1], True)


@apart(returns=lambda x: x.dtype)
def _says_another_type(x):
    return x


def test_another_type_than_was_said_is_told(capfd):
    with pytest.raises(RuntimeError, match="_says_another_type could not be compiled"):
        numba.njit(lambda x: _says_another_type(x))(np.ones(2))
    assert "_says_another_type returns array(float64, 1d, C)" in capfd.readouterr().err
