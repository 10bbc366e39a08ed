"""Call a number by the name of the array whose element it is, where nothing is left of the array.

    for i in range(n):                     for i in range(n):
        difference = x[i] - mean               centred = x[i] - mean
        total += difference * difference       total += centred * centred

What the user named keeps a line of its own, and so does its adjoint. The adjoint of a nameless value does not, nor one
whose only reader is the next value of the same name, as in a sum of adjoints.
"""

from __future__ import annotations

from adc.compiler.ir.nodes import Assign, Program, Var, defined, times_read, uses, walk


def run(program: Program) -> Program:
    """The program with the user's names, and those of adjoints, on the numbers that took the place of arrays."""
    statements = walk(program.body)
    variables = {*program.params, *(v for s in statements for v in (*defined(s), *uses(s)))}
    arrays = {v.name for v in variables if v.is_array}
    elements: dict[Var, Var] = {}
    for s in statements:
        if isinstance(s, Assign) and len(s.targets) == 1 and not s.target.named:
            array = s.target.element_of
            if array is not None and array.named and array.name not in arrays:
                elements[s.target] = array
    users = {v.name for v in (*variables, *elements.values()) if v.named}
    for v, array in elements.items():
        v.name = array.name
        v.named = not v.name.endswith("_bar") or v.name.removesuffix("_bar") in users
    count = times_read(program)
    for s in statements:
        if isinstance(s, Assign) and len(s.targets) == 1:
            array_of = s.target.element_of
            for v in uses(s):
                if count[v] == 1 and v in elements and array_of is not None and v.name == array_of.name:
                    v.named = False
    return program
