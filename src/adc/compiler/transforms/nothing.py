"""Leave out what is added of adjoints that are zeros.

    u_bar = np.zeros_like(u)                                     (nobody read u of u, s, vt = np.linalg.svd(a))
    inner = u.T @ u_bar * f                            ->
    a_bar = (u @ inner + u * s_bar) @ vt                         a_bar = u * s_bar @ vt

Of several results often one is read. What is made of the adjoints of the others alone is zero, also beside infinite
numbers, as for every adjoint that is zero; a sum with it is the other summand. The zeros that a user's function makes
stay what they are.
"""

from __future__ import annotations

from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Program, Store, Var, walk
from adc.compiler.ir.types import Array
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.operation import Operation

# Of which operand's zeros an operation makes zeros: of one of them, of the first, or of both.
OF_ONE = {"multiply", "matmul", "dot"}
OF_FIRST = {"divide", "negative", "conjugate", "real", "cast", "copy"}
OF_BOTH = {"add", "subtract"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without sums with adjoints that are zeros; what these were made of is dead."""
    written = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
    zero = {v for v in evaluator.zero_adjoints if v.root not in written}
    if not zero:
        return program
    taken = {*program.params, *(r for r in program.results if isinstance(r, Var))}
    table: dict[Var, Atom] = {}
    for s in walk(program.body):
        if not isinstance(s, Assign) or len(s.targets) != 1 or s.target.root in written:
            continue
        if _is_zero(s, zero):
            zero.add(s.target)
        elif s.name in OF_BOTH:
            rest = [operand(a, table) for a in s.args if a not in zero]
            kept = s.name == "add" or s.args[1] in zero
            if (
                len(rest) == 1
                and kept
                and rest[0] not in taken
                and _is(s.target, rest[0], written, evaluator)
            ):
                table[s.target] = rest[0]
                rest[0].name, rest[0].named = s.target.name, s.target.named
    program.body = substitute(program.body, table)
    program.results = [operand(r, table) for r in program.results]
    return program


def _is_zero(s: Assign, zero: set[Var]) -> bool:
    """Whether an array is made of zeros alone."""
    if not s.target.is_array:
        return False
    if s.target.view_of is not None:
        return s.target.view_of in zero
    if s.name in OF_ONE:
        return any(a in zero for a in s.args)
    if s.name in OF_FIRST:
        return s.args[0] in zero
    return (
        s.name in OF_BOTH
        and isinstance(s.op, Operation)
        and is_elementwise(s.op)
        and all(a in zero for a in s.args)
    )


def _is(target: Var, x: Atom, written: set[Var], ev: Evaluator) -> bool:
    """Whether an array can stand for another one: of its type, with memory that nobody writes to."""
    return (
        isinstance(x, Var)
        and isinstance(x.type, Array)
        and isinstance(target.type, Array)
        and x.type.dtype == target.type.dtype
        and x.type.layout in ("C", target.type.layout)
        and ev.equal.same_shape(x.type.shape, target.type.shape)
        and x.view_of is None
        and x.root not in written
    )
