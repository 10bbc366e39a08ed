"""Afterwards the control flow of a function is the core language that lowers to regions.

Structured SSA has a region for a loop and one for a branch, and no jump. So every jump becomes structure or a
Boolean variable here, on the syntax tree, where the user's names and lines are still at hand.

The core language:

- One `return`, the last statement of the function (none if the end cannot be reached). A function that can
  fall off its end always returns None explicitly.
- No `break` and no `continue`. Code that they skip stands in the other branch of an `if`; where that is not
  possible it is guarded by a flag. A `while` asks its flag first (`while looping and ...`). A `for` has it as
  the attribute `node.flag`, a str (no attribute without one): the loop also ends, before it asks for its next
  item, as soon as the variable of that name is False.
- No `else` on a loop, no `match`, no chained and no annotated assignment, no unreachable statement, no `:=`
  in the condition of a `while`. Elsewhere `:=` stays, and so do chained comparisons.

Flags are `running` (False once the function has returned), `looping` (False once a loop was left by `break`)
and `proceed` (False once this trip of a loop is over). A flag falls only where something may still read it.
`result` is what will be returned; it has no value on paths that have not returned yet.

What cannot be brought into this form without a change of meaning stays as it is, jumps included, and carries
the reason in the attribute `refused`, a str: patterns of `match` that take objects apart, a jump out of
`finally`, a jump that an outer handler could call back, and a loop that such a statement breaks. A generator
is returned unchanged.
"""

from __future__ import annotations

from typing import Any

import gast

from adc.compiler.frontend import desugar_exits, desugar_nonlocal, desugar_statements
from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Names, branch, negated, read

__all__ = ["as_python", "run"]


def run(function: gast.FunctionDef) -> gast.FunctionDef:
    """Rewrite full Python control flow into the core language.

    Every new node has the place (line and column) of the user's node that it stands for. The argument is not
    changed. Functions defined inside are rewritten too; names are fresh over all of them together.

    >>> import ast
    >>> text = '''
    ... def first_above(x, limit):
    ...     for i in range(len(x)):
    ...         if x[i] > limit:
    ...             return i
    ...     return -1
    ... '''
    >>> core = run(gast.parse(text).body[0])
    >>> print(ast.unparse(gast.gast_to_ast(core)))
    def first_above(x, limit):
        running = True
        for i in range(len(x)):
            if x[i] > limit:
                result = i
                running = False
        if running:
            result = -1
        return result
    >>> core.body[1].flag
    'running'
    """
    function = _copied(function)
    names = Names(function)
    desugar_nonlocal.run(function, names)
    _to_core(function, names)
    return function


def as_python(function: gast.FunctionDef) -> gast.FunctionDef:
    """The core language as Python that runs: the flag of each `for` becomes a `break` at the end of its body.

    >>> import ast
    >>> function = gast.parse("def f(x):\\n    for y in x:\\n        if y: break\\n    return y").body[0]
    >>> print(ast.unparse(gast.gast_to_ast(as_python(run(function)))))
    def f(x):
        looping = True
        for y in x:
            if y:
                looping = False
            if not looping:
                break
        return y
    """
    function = _copied(function)
    for node in gast.walk(function):
        if isinstance(node, gast.For) and hasattr(node, "flag"):
            leave = gast.copy_location(gast.Break(), node)
            node.body.append(branch(negated(read(node.flag, node)), [leave], [], node))
            del node.flag
    return function


def _copied(tree: Any) -> Any:
    """A tree of its own: what `copy.deepcopy` gives, in a quarter of the time."""
    if isinstance(tree, list):
        return [_copied(item) for item in tree]
    if not isinstance(tree, gast.AST):
        return tree
    kind: Any = type(tree)
    copied = kind.__new__(kind)
    # Not `update` of a generator: in Python 3.12 a tree may not be as deep through code of C.
    for name, value in tree.__dict__.items():
        copied.__dict__[name] = _copied(value)
    return copied


def _to_core(function: gast.FunctionDef, names: Names) -> None:
    own = own_nodes(function.body)
    if any(isinstance(node, (gast.Yield, gast.YieldFrom, gast.Await)) for node in own):
        return
    for nested in own:
        if isinstance(nested, gast.FunctionDef):
            _to_core(nested, names)
    function.body = desugar_statements.run(function.body, names)
    function.body = desugar_exits.run(function.body, names)
