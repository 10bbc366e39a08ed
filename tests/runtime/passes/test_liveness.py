"""What Numba takes for alive at the head of each block is found in a few rounds, and is what it always was."""

import inspect
import types

import pytest
from numba.core import analysis
from numba.core.compiler import run_frontend

from adc.runtime.passes import liveness

BLOCKS = 60


class Counting:
    """A control flow graph that counts how often it is asked for what comes before a block."""

    def __init__(self, cfg):
        self.cfg, self.asked = cfg, 0

    def predecessors(self, block):
        self.asked += 1
        return self.cfg.predecessors(block)

    def __getattr__(self, name):
        return getattr(self.cfg, name)


def function_of(lines):
    namespace = {}
    body = ["y, last = 0.0, x * n", *lines, "return y + last"]
    text = "def f(x, n):\n" + "".join(f"    {line}\n" for line in body)
    exec(text, namespace)
    return namespace["f"]


STRAIGHT = [
    f"for i{k} in range(n): y += x * {k}" if k % 2 else f"y = y * x if y > {k} else x" for k in range(BLOCKS)
]
NESTED = [
    "for i in range(n):",
    "    while y < 3.0:",
    "        for j in range(i, n):",
    "            if y > x: continue",
    "            y += j * x",
    "        y = y + 1.0",
    "    x = y - x",
]


@pytest.mark.tiny
@pytest.mark.parametrize("lines", [STRAIGHT, NESTED], ids=["straight", "nested"])
def test_same_variables_in_few_rounds(lines):
    numbas_own = inspect.getclosurevars(analysis.compute_live_map).nonlocals["of_blocks"]
    assert isinstance(numbas_own, types.FunctionType)
    blocks = run_frontend(function_of(lines)).blocks
    cfg = Counting(analysis.compute_cfg_from_blocks(blocks))
    usedefs = analysis.compute_use_defs(blocks)
    wanted = numbas_own(cfg, blocks, usedefs.usemap, usedefs.defmap)
    asked, cfg.asked = cfg.asked, 0
    found = analysis.compute_live_map(cfg, blocks, usedefs.usemap, usedefs.defmap)
    assert found == wanted
    assert list(found) == list(wanted)
    assert cfg.asked <= min(asked, 6 * len(blocks))


@pytest.mark.tiny
def test_put_in_place_once():
    before = analysis.compute_live_map
    liveness.enable()
    assert analysis.compute_live_map is before
