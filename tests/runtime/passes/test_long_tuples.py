"""Long tuples have what Python's have, and no tuple is made on the way."""

import numba
import numpy as np
from numba.core import ir
from numba.core.compiler import run_frontend

from adc.runtime.tuning import tuned

NAMES = [f"part_{k}" for k in range(40)]


def _returning(result):
    lines = ["def function(x):", *(f"    {name} = x + {k}.0" for k, name in enumerate(NAMES))]
    space = {}
    exec("\n".join([*lines, f"    return {result}"]), space)
    return space["function"]


def _sums(function):
    blocks = run_frontend(function).blocks.values()
    expressions = [s.value for b in blocks for s in b.find_insts(ir.Assign) if isinstance(s.value, ir.Expr)]
    lists = [e for e in expressions if e.op == "list_to_tuple"]
    return len([e for e in expressions if e.op == "binop"]) - len(NAMES), len(lists)


def test_the_same_values():
    plain = _returning(f"({', '.join(NAMES)})")
    nested = _returning(f"({', '.join(NAMES)}, ({', '.join(NAMES)}, 3))")
    spread = _returning(f"({', '.join(NAMES)}, *(x, 2.0), 7)")
    for function in (plain, nested, spread):
        compiled = numba.njit(function)
        with tuned(function):
            found = compiled(2.0)
        assert found == function(2.0)
    assert _sums(plain) == (0, 0)
    assert _sums(nested) == (0, 0)


def test_calls_with_many_arguments():
    names = ", ".join(NAMES)
    space = {"numba": numba}
    exec(f"@numba.njit\ndef total({names}):\n    return {' + '.join(NAMES)}\n", space)
    exec(f"def function(x):\n    return total({', '.join(f'x[{k}]' for k in range(40))})\n", space)
    x = np.linspace(0.0, 1.0, 40)
    with tuned(space["function"]):
        assert numba.njit(space["function"])(x) == space["function"](x)
