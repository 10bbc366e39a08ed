"""Afterwards no statement is unreachable, no assignment chained or annotated, and `match` a chain of `if`.

These rewritings look at one statement at a time; those that need to know what follows are in `desugar_exits`.
"""

from __future__ import annotations

import copy

import gast

from adc.compiler.frontend import desugar_match
from adc.compiler.frontend.desugar_flow import (
    LOOPS,
    blocks,
    falls,
    is_called,
    is_endless,
    leaves,
    may_recall_jump,
    own_nodes,
)
from adc.compiler.frontend.desugar_syntax import (
    Names,
    Node,
    Statements,
    as_bool,
    assign,
    assign_to,
    bound_in,
    branch,
    constant,
    placed,
    read,
)

_LEAVING_FINALLY = "a `return`, `break` or `continue` in `finally` discards the exception that is on its way"
_RECALLED_JUMP = "a jump passes a `finally` or `with` that may raise what an outer `try` or `with` catches"


def run(body: Statements, names: Names) -> Statements:
    """Rewrite each statement of `body`, and drop those behind one that never completes.

    >>> import ast
    >>> def show(text):
    ...     core = run(gast.parse(text).body, Names(gast.parse(text)))
    ...     print(ast.unparse(gast.gast_to_ast(gast.Module(core, []))))
    >>> show("total: float = 0.0; a = b = f(); x[0] = y = g(); return y; print()")
    total = 0.0
    a = f()
    b = a
    value = g()
    x[0] = value
    y = value
    return y
    >>> show("try: y = f()\\nexcept KeyError: raise")
    try:
        y = f()
    except KeyError as raised:
        raise raised
    >>> show("if u: y.append(1.0)\\nelse: y.append(v)")
    if u:
        item = 1.0
    else:
        item = v
    y.append(item)
    >>> show("u and y.sort() and print(); v or w() if u else None")
    if u:
        if y.sort():
            print()
    if u:
        if not v:
            w()
    else:
        None
    >>> show("[y.append(v * w) for v in v if v for w in u]")
    for v_2 in v:
        if v_2:
            for w_2 in u:
                y.append(v_2 * w_2)
    """
    done: Statements = []
    for statement in body:
        done.extend(_rewritten(statement, names))
        if done and not falls(done[-1:]):
            break
    return done or [placed(gast.Pass(), body[0])] if body else []


def _rewritten(statement: Node, names: Names) -> Statements:
    for owner, field in blocks(statement):
        setattr(owner, field, run(getattr(owner, field), names))
    if isinstance(statement, gast.Assign) and len(statement.targets) > 1:
        return _unchained(statement, names)
    if isinstance(statement, gast.AnnAssign):
        return _without_annotation(statement)
    if isinstance(statement, gast.Match):
        return desugar_match.run(statement, names)
    if isinstance(statement, LOOPS):
        return _loop(statement, names)
    if isinstance(statement, (gast.Try, gast.TryStar)):
        return _try(statement, names)
    if isinstance(statement, gast.With) and may_recall_jump(statement):
        if is_called(statement, "suppress"):
            statement.refused = _RECALLED_JUMP
        else:
            statement.refused_if_it_swallows = _RECALLED_JUMP  # what its manager is, the evaluator knows
    if isinstance(statement, gast.If) and statement.orelse:
        return _appended_once(statement, names)
    if isinstance(statement, gast.Expr) and isinstance(statement.value, (gast.IfExp, gast.BoolOp)):
        return run(_chosen(statement.value), names)
    if isinstance(statement, gast.Expr) and _is_a_loop(statement.value):
        return run([_loop_of(statement.value, names)], names)
    return [statement]


# What has names of its own inside a comprehension.
_SCOPES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.NamedExpr)


def _is_a_loop(value: Node) -> bool:
    """Whether it is `[items.append(v) for v in x if v > 0]`, whose list of None nobody reads."""
    if not isinstance(value, gast.ListComp) or not isinstance(value.elt, gast.Call):
        return False
    inner = [node for node in gast.walk(value) if node is not value]
    return not any(isinstance(node, _SCOPES) for node in inner) and not any(
        g.is_async for g in value.generators
    )


def _loop_of(value: Node, names: Names) -> Node:
    """The comprehension as loops, whose variables are new: its own are not those of the function."""
    generators = value.generators
    bound = sorted(bound_in([g.target for g in generators]))
    renamed = {name: names.fresh(name) for name in bound}
    first = {id(node) for node in gast.walk(generators[0].iter)}  # which is outside of it
    for node in gast.walk(value):
        if isinstance(node, gast.Name) and id(node) not in first:
            node.id = renamed.get(node.id, node.id)
    body: Statements = [placed(gast.Expr(value.elt), value.elt)]
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            body = [branch(test, body, [], test)]
        body = [placed(gast.For(generator.target, generator.iter, body, [], None), value)]
    return body[0]


def _chosen(value: Node) -> Statements:
    """`a if test else b`, `test and a` and `test or a` as statements: nobody asks what they give."""
    if isinstance(value, gast.IfExp):
        one, other = ([placed(gast.Expr(side), side)] for side in (value.body, value.orelse))
        return [branch(value.test, one, other, value)]
    first, *rest = value.values
    last = rest[0] if len(rest) == 1 else placed(gast.BoolOp(value.op, rest), rest[0])
    side = [placed(gast.Expr(last), last)]
    return [
        branch(first, side, [], value) if isinstance(value.op, gast.And) else branch(first, [], side, value)
    ]


def _appended_once(statement: Node, names: Names) -> Statements:
    """What both branches append last is appended behind them: the list grows by one, whichever is taken."""
    lasts = statement.body[-1], statement.orelse[-1]
    lists = [_list_appended_to(last) for last in lasts]
    if lists[0] is None or lists[0] != lists[1]:
        return [statement]
    item = names.fresh("item")
    for branch_body, last in zip((statement.body, statement.orelse), lasts, strict=True):
        branch_body[-1] = assign(item, last.value.args[0], last)
    append = copy.deepcopy(lasts[0])
    append.value.args = [read(item, lasts[0])]
    return [statement, append]


def _list_appended_to(statement: Node) -> str | None:
    """`out` where a statement is `out.append(value)`."""
    call = statement.value if isinstance(statement, gast.Expr) else None
    if not isinstance(call, gast.Call) or call.keywords or len(call.args) != 1:
        return None
    method = call.func
    if isinstance(call.args[0], gast.Starred) or not isinstance(method, gast.Attribute):
        return None
    is_append = method.attr == "append" and isinstance(method.value, gast.Name)
    return str(method.value.id) if is_append else None


def _unchained(statement: Node, names: Names) -> Statements:
    """`a = b = e` as one assignment per target, from left to right, with `e` evaluated once, before all."""
    first, *others = statement.targets
    rebound = bound_in(statement.targets[:-1])
    value = statement.value
    if isinstance(value, gast.Constant) or (isinstance(value, gast.Name) and value.id not in rebound):
        return [assign_to(target, copy.deepcopy(value), statement) for target in statement.targets]
    if isinstance(first, gast.Name) and first.id not in bound_in(others[:-1]):
        source, done = first.id, [assign_to(first, value, statement)]
    else:
        source = names.fresh("value")
        done = [assign(source, value, statement), assign_to(first, read(source, value), statement)]
    return done + [assign_to(target, read(source, value), statement) for target in others]


def _without_annotation(statement: Node) -> Statements:
    if statement.value is not None:
        return [assign_to(statement.target, statement.value, statement)]
    if isinstance(statement.target, gast.Name):
        return []
    return [placed(gast.Expr(statement.target), statement)]


def _loop(loop: Node, names: Names) -> Statements:
    if (breaking := _refused_break(loop.body)) is not None:
        loop.refused = breaking.refused
    if isinstance(loop.body[-1], gast.Continue):
        loop.body.pop()
    if not loop.body:
        loop.body = [placed(gast.Pass(), loop)]
    if is_endless(loop):
        loop.orelse = []
    if isinstance(loop, gast.For) or not _assigns(loop.test):
        return [loop]
    return with_test_inside(loop, names.fresh("more"))


def with_test_inside(loop: Node, more: str) -> Statements:
    """A `while` whose condition changes something, in the body: the condition of a region is a plain value."""
    test = loop.test
    made = copy.copy(loop)  # with its `else`
    made.test = read(more, test)
    made.body = [assign(more, as_bool(test), test), branch(read(more, test), loop.body, [], loop)]
    return [assign(more, constant(True, test), test), made]


def _assigns(expression: Node) -> bool:
    return any(isinstance(node, gast.NamedExpr) for node in gast.walk(expression))


def _refused_break(body: Statements) -> Node | None:
    """A statement that keeps its jumps, one of which is a `break` out of `body`."""
    for statement in body:
        if hasattr(statement, "refused"):
            if "break" in leaves([statement]):
                return statement
            continue
        for owner, field in blocks(statement):
            if not (isinstance(statement, LOOPS) and field == "body"):
                found = _refused_break(getattr(owner, field))
                if found is not None:
                    return found
    return None


def _try(statement: Node, names: Names) -> Statements:
    for handler in statement.handlers:
        _name_what_is_raised_again(handler, names)
    if leaves(statement.finalbody):
        statement.refused = _LEAVING_FINALLY
    elif may_recall_jump(statement):
        statement.refused = _RECALLED_JUMP
    elif not falls(statement.body):
        statement.orelse = []
    return [statement]


def _name_what_is_raised_again(handler: Node, names: Names) -> None:
    """`raise` alone, in a handler, raises what it handles. Those of handlers inside it have their names by now."""
    for node in own_nodes(handler.body):
        if isinstance(node, gast.Raise) and node.exc is None:
            if handler.name is None:
                handler.name = placed(gast.Name(names.fresh("raised"), gast.Store(), None, None), handler)
            node.exc = read(handler.name.id, node)
