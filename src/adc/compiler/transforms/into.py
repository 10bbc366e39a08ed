"""Let a program write its gradients into arrays of its caller's.

    def f_grad(x):                              def f_grad(x, x_bar):
        x_bar = np.empty(n)                         for i in range(n):
        for i in range(n):              ->              x_bar[i] = 2 * x[i]
            x_bar[i] = 2 * x[i]                     return x_bar
        return x_bar

An array that the program makes at its top to return is the caller's instead. What it returns otherwise (a view, one of
two arrays that a branch chose) is copied at the end.
"""

from __future__ import annotations

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Const, Program, Store, Var
from adc.compiler.ir.types import Array


def run(program: Program, gradients: int, evaluator: Evaluator) -> list[Var]:
    """Add a parameter for each of the last `gradients` results that is an array; they are returned."""
    first = len(program.results) - gradients
    top = {s.target: s for s in program.body if isinstance(s, Assign) and len(s.targets) == 1}
    made = {v: s for v, s in top.items() if s.name in ("empty", "zeros")}
    joined = {v for key, roots in evaluator.joined_roots.items() for v in (key, *roots)}
    given: list[Var] = []
    for k, result in enumerate(program.results):
        if k < first or not (isinstance(result, Var) and isinstance(result.type, Array)):
            continue
        memory = result
        while memory in top and top[memory].op == "alias":  # which took over the memory of another
            memory = top[memory].args[0]
        returned = sum(isinstance(r, Var) and r.root in (result.root, memory) for r in program.results)
        if memory in made and memory not in given and not joined & {memory, result} and returned == 1:
            param = memory
            place = program.body.index(made[memory])
            clear = Store(param, (FULL,) * param.type.ndim, Const(0), origin=made[memory].origin)
            program.body[place : place + 1] = [clear] if made[memory].name == "zeros" else []
        else:
            param = Var(result.name, Array(result.type.dtype, result.type.shape), named=True)
            program.body.append(Store(param, (FULL,) * result.type.ndim, result))
            program.results[k] = param
        param.name = _apart(param.name, [p.name for p in program.params])
        program.params.append(param)
        given.append(param)
    return given


def _apart(name: str, taken: list[str]) -> str:
    """A name that no other parameter has."""
    wish, k = name, 1
    while name in taken:
        k += 1
        name = f"{wish}_{k}"
    return name
