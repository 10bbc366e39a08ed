"""Where control can go from a statement: on to the next one, or away by `return`, `break` or `continue`.

The answers err on one side: a statement that always leaves may be said to fall through, never the reverse.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from adc.compiler.frontend.desugar_syntax import Node, Statements

# Context managers that never swallow an exception nor raise one when their block ends.
_TRANSPARENT = {"errstate", "nullcontext", "no_grad", "enable_grad", "printoptions", "catch_warnings"}
_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
LOOPS = (gast.For, gast.While)
JUMPS = {gast.Return: "return", gast.Break: "break", gast.Continue: "continue"}


def own_nodes(body: Statements) -> list[Node]:
    """All nodes in `body`, in breadth-first order, without those inside nested functions."""
    found = list(body)
    for node in found:
        if not isinstance(node, _SCOPES):
            found.extend(gast.iter_child_nodes(node))
    return found


def blocks(statement: Node) -> Iterator[tuple[Node, str]]:
    """The lists of statements inside a statement, each as its owner and the field that holds it."""
    if isinstance(statement, _SCOPES):
        return
    for owner in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(owner, field, None), list):
                yield owner, field


def leaves(statements: Statements) -> set[str]:
    """Which of "return", "break", "continue" may take control out of `statements`.

    >>> body = gast.parse("for x in y:\\n    if x: break\\n    return").body
    >>> leaves(body), sorted(leaves(body[0].body))
    ({'return'}, ['break', 'return'])
    """
    found: set[str] = set()
    for statement in statements:
        if type(statement) in JUMPS:
            found.add(JUMPS[type(statement)])
        for owner, field in blocks(statement):
            ways = leaves(getattr(owner, field))
            caught = isinstance(statement, LOOPS) and field == "body"
            found |= ways & {"return"} if caught else ways
    return found


def falls(statements: Statements) -> bool:
    """Whether control may reach the end of `statements`.

    >>> falls(gast.parse("while True:\\n    if f(): return").body), falls(gast.parse("while f(): pass").body)
    (False, True)
    """
    return all(_completes(statement) for statement in statements)


def _completes(statement: Node) -> bool:
    if isinstance(statement, (gast.Return, gast.Break, gast.Continue, gast.Raise)):
        return False
    if isinstance(statement, gast.If):
        return falls(statement.body) or falls(statement.orelse)
    if isinstance(statement, LOOPS):
        ends = not is_endless(statement) and falls(statement.orelse)
        return ends or "break" in leaves(statement.body)
    if isinstance(statement, gast.With):
        return not is_transparent(statement) or falls(statement.body)
    if isinstance(statement, (gast.Try, gast.TryStar)):
        tried = falls(statement.body) and falls(statement.orelse)
        handled = any(falls(handler.body) for handler in statement.handlers)
        return (tried or handled) and falls(statement.finalbody)
    return True


def is_endless(loop: Node) -> bool:
    """Whether a loop ends only by `break` and `return`, as `while True` does."""
    return isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant) and bool(loop.test.value)


def is_transparent(statement: Node) -> bool:
    """Whether a `with` is known neither to swallow an exception nor to raise one (`np.errstate`, ...)."""
    return all(_called(item) in _TRANSPARENT for item in statement.items)


def is_called(statement: Node, name: str) -> bool:
    """Whether a `with` calls a manager by this name.

    >>> is_called(gast.parse("with contextlib.suppress(ValueError): pass").body[0], "suppress")
    True
    """
    return any(_called(item) == name for item in statement.items)


def _called(item: Node) -> str | None:
    """The last name of what an item of a `with` calls."""
    manager = item.context_expr.func if isinstance(item.context_expr, gast.Call) else None
    return manager.attr if isinstance(manager, gast.Attribute) else getattr(manager, "id", None)


def may_recall_jump(statement: Node) -> bool:
    """Whether a jump inside may be taken back: its `finally` or `with` raises, and `statement` catches that.

    A flag that has fallen would then be wrong.
    """
    catches = bool(getattr(statement, "handlers", ())) or isinstance(statement, gast.With)
    if not catches or not leaves(statement.body):
        return False
    if isinstance(statement, gast.With) and is_transparent(statement):
        return False
    return any(_may_raise_after_jump(inner) for inner in own_nodes(statement.body))


def _may_raise_after_jump(statement: Node) -> bool:
    if isinstance(statement, gast.With):
        return not is_transparent(statement) and bool(leaves([statement]))
    if isinstance(statement, (gast.Try, gast.TryStar)):
        return bool(statement.finalbody) and bool(leaves([statement]))
    return False
