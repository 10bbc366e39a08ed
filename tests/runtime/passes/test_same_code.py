"""What stands for a pass of Numba's makes the statements that Numba's own makes, name by name."""

import inspect
import operator

import numba
import numpy as np
import pytest
from numba.core import ir, ssa, untyped_passes
from numba.core.compiler import run_frontend
from numba.core.ir_utils import remove_dels
from numba.core.typed_passes import PreLowerStripPhis
from numba.extending import overload

from adc.runtime import lu, search
from adc.runtime.apart import Apart
from adc.runtime.passes import entries, operators, phis, scopes
from adc.runtime.passes import ssa as ours


def straight(x, n):
    y = x * n
    y = np.sin(y) + y
    y += x
    n = 3
    return y * n


def branches(x, n):
    if x > 1.0:
        y = x
    elif x > 0.0:
        y = n
        x = y * 2.0
    else:
        y = 0.0
    if x > 2.0:
        return y
    y = y + x
    return y


def sometimes(x, n):
    if n > 3:
        late = x
    for _ in range(n):
        x = late * 2.0
        late = x
    return x


def loops(x, n):
    a, b = 0.0, 1.0
    for i in range(n):
        a, b = b, a + x
        while a > 10.0:
            a = a - b
            if a < b:
                break
            b = a * 0.5
        else:
            b = b + i
        for j in range(i, n):
            if j == 3:
                continue
            b -= j * a
        x = a if b > a else b
    return a, b, x


def wrong(x, n):
    total = 0.0
    try:
        for i in range(n):
            total += x[i] * total
            if total < 0.0:
                raise ValueError("negative")
    except Exception:
        total = -1.0
        x = x + total
    return total, x


def compared(x, n):
    found = [k * x for k in range(n) if k > 2]
    best = found[0]
    for value in found:
        if value > best:
            best = value
        assert best == best
    return best


def halves(x, n):
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if x[middle] < 0.5 else (low, middle)
    return low


PROGRAMS = [straight, branches, sometimes, loops, wrong, compared, halves]
PROGRAMS += [f.function for module in (lu, search) for f in vars(module).values() if isinstance(f, Apart)]


def blocks_of(function):
    found = run_frontend(function).blocks
    remove_dels(found)
    return found


def text_of(blocks):
    return [
        f"{label}: {statement} {statement.loc}" for label, block in blocks.items() for statement in block.body
    ]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_names_and_phis(function):
    wanted = text_of(ours.own(blocks_of(function)))
    assert ssa._run_ssa is ours.in_one_pass
    assert text_of(ssa._run_ssa(blocks_of(function))) == wanted
    assert any(".1" in line for line in wanted) or text_of(blocks_of(function)) == wanted


def test_programs_have_what_is_compared():
    lines = [line for function in PROGRAMS for line in text_of(ssa._run_ssa(blocks_of(function)))]
    assert sum("phi(" in line for line in lines) > 20 and any("Undefined" in line for line in lines)


class Program:
    """Of a function in Numba's form as much as its passes read."""

    def __init__(self, function):
        self.blocks = ssa._run_ssa(blocks_of(function))
        self.loc = ir.unknown_loc


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_phis_become_the_same_assignments(function):
    strip = PreLowerStripPhis()
    wanted = text_of(phis.own(strip, Program(function)).blocks)
    assert text_of(strip._strip_phi_nodes(Program(function)).blocks) == wanted
    assert not any("phi(" in line for line in wanted)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_variables_where_blocks_begin(function):
    wanted, found = run_frontend(function), run_frontend(function)
    entries.own(entries.PostProcessor(wanted))
    entries.PostProcessor(found).run()
    for of_numba, block in zip(wanted.blocks.values(), found.blocks.values(), strict=True):
        assert block in found.block_entry_vars
        assert found.get_block_entry_vars(block) == wanted.get_block_entry_vars(of_numba)
    with pytest.raises(KeyError):
        found.get_block_entry_vars(of_numba)
    assert len(wanted.copy().block_entry_vars) == len(found.copy().block_entry_vars)


def test_each_scope_has_all_variables():
    blocks = blocks_of(loops)
    other = ir.Scope(None, ir.unknown_loc)
    for label in list(blocks)[::2]:
        blocks[label].scope = other
    untyped_passes.fixup_var_define_in_scope(blocks)
    used = {v.name for block in blocks.values() for statement in block.body for v in statement.list_vars()}
    assert untyped_passes.fixup_var_define_in_scope is scopes.once_for_each
    assert all(name in block.scope.localvars for name in used for block in blocks.values())


def arithmetic(x, i, flag):
    y = x[i] * 2 - i + x[-1] / 3
    x[i] = y if flag else -y
    x[i] += i // 2 + (i % 3) ** 2
    m = x.reshape(2, 2)
    return m[0, 1] * (i << 1) + (x[i] > 1.0) + (flag & (i < 3)), x[1:], x + x, x * np.float32(2.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64])
def test_operators_on_every_dtype(dtype):
    if dtype == np.complex128:
        text = inspect.getsource(arithmetic).replace(" + (x[i] > 1.0)", "")
    else:
        text = inspect.getsource(arithmetic)
    namespace = {"np": np}
    exec(text, namespace)
    function = namespace["arithmetic"]
    operators._found.clear()
    for _ in range(2):
        x = np.arange(1, 5).astype(dtype)
        wanted = function(x.copy(), 2, True)
        for found, value in zip(numba.njit(function)(x, 2, True), wanted, strict=True):
            np.testing.assert_allclose(found, value)
    assert operators._found


def test_what_is_compiled_for_its_arguments_is_asked_anew():
    def times(a, b):
        return a * b

    @overload(times)
    def of_times(a, b):
        return lambda a, b: a * b + 1

    operators._found.clear()
    assert numba.njit(lambda a, b: times(a, b))(2.0, 3.0) == 7.0
    assert {function.typing_key for function, *_ in operators._found.values()} == {operator.mul, operator.add}


@overload(operator.matmul)
def of_matmul(a, b):
    if isinstance(a, numba.types.Float) and isinstance(b, numba.types.Float):
        return lambda a, b: 100.0 * a + b
    return None


def test_operators_that_somebody_defined_are_asked_anew():
    operators._found.clear()
    assert numba.njit(lambda a, b: a @ b)(2.0, 3.0) == 203.0
    assert not [f for f, *_ in operators._found.values() if f.typing_key is operator.matmul]
