"""Say of arrays that they are contiguous, where all that they are made of is.

What the reverse sweep carries round a loop is typed before what it starts from and ends with is there; and what was a
transposed view may have become an array of its own since.
"""

from __future__ import annotations

from dataclasses import replace

from adc.compiler.frontend import infer
from adc.compiler.ir.nodes import Assign, Atom, Block, For, If, Program, Var, While, walk
from adc.compiler.ir.types import Array, Layout
from adc.rules.operation import Operation


def run(program: Program) -> Program:
    """Assume that all are contiguous that may be; take it back where a source is not, until nothing changes."""
    sources = _sources(program.body)
    assumed = [v for v in sources if _in_any_layout(v)]
    for v in assumed:
        _give(v, "C")
    while True:
        wrong = [v for v in assumed if any(map(_in_any_layout, sources[v]))]
        if not wrong:
            return program
        for v in wrong:
            _give(v, "A")
        assumed = [v for v in assumed if v not in wrong]


def _sources(block: Block) -> dict[Var, tuple[Atom, ...]]:
    """What loops carry, branches choose and arithmetic makes, with what each may be or is made of."""
    found: dict[Var, tuple[Atom, ...]] = {}
    for s in walk(block):
        if isinstance(s, (For, While)):
            for c in s.carried:
                found[c.phi] = found[c.result] = (c.init, c.out)
        elif isinstance(s, If):
            for m in s.merges:
                found[m.result] = (m.then, m.orelse)
        elif isinstance(s, Assign) and isinstance(s.op, Operation) and infer.is_elementwise(s.op):
            found[s.target] = s.args
    return found


def _in_any_layout(x: Atom) -> bool:
    return isinstance(x, Var) and isinstance(x.type, Array) and x.type.layout != "C"


def _give(v: Var, layout: Layout) -> None:
    assert isinstance(v.type, Array)
    v.type = replace(v.type, layout=layout)
