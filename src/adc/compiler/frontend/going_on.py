"""A branch whose paths leave what cannot be one variable goes on, on each, with the statements behind it.

    v = y if c else z[1:]          if c:
    v[:] = 0.0                         v = y
    return np.sum(y * z)               v[:] = 0.0
                                   else:
                                       v = z[1:]
                                       v[:] = 0.0
                                   return np.sum(y * z)

What `v` stands for is known on each path, and no derivative has to ask. It is twice the text, so only those branches
go on because of which something was refused (`UnsupportedError.branches`): up to where none of the names that they
bind is wanted any more and, where that is refused again, to the end of the block.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend.desugar_syntax import Names, Node, Statements, assign, branch, read, returning
from adc.compiler.frontend.scan import Liveness, stored_names
from adc.errors import Location

if TYPE_CHECKING:
    from adc.compiler.frontend.statements import Statements as Evaluator

MOST = 6  # branches of one program: each may double what stands behind it
MOST_STATEMENTS = 1000  # assignments and calls made by the end of such a branch

Split = tuple[Node, Statements]
GoingOn = dict[Location | None, bool]  # where branches begin that go on: whether to the end of the block


def further(known: GoingOn, refused: frozenset[Location | None]) -> GoingOn | None:
    """Which branches go on in the next attempt; None where there is nothing more to try."""
    if not refused:
        return None
    more = {where: where in known for where in refused}
    if len(known | more) > MOST or all(known.get(where) == far for where, far in more.items()):
        return None
    return known | more


def run(ev: Evaluator, node: Node) -> None:
    """Evaluate a branch that goes on."""
    ev.execute(node)
    if ev.spent > MOST_STATEMENTS:
        raise ev.refuse(
            f"the program has more than {MOST_STATEMENTS} statements",
            "what stands behind a branch is made for each of its paths, as what they leave cannot be one variable",
        )


def split(ev: Evaluator, nodes: Statements, k: int) -> Split | None:
    """The branch at a place of a block with all that it goes on with, and what is left of the block behind it.

    None where there is no branch at that place, or one whose paths meet where it ends.
    """
    node, live = nodes[k], ev.frame.liveness
    if live is None or id(node) not in live.after or ev.frame.source is None:
        return None
    if id(node) not in ev.branches_made:  # kept, as the liveness of names is by the identity of nodes
        found = _branch_at(ev, node)
        made = None if found is None else _with_rest(ev, live, node, found, nodes[k + 1 :])
        ev.branches_made[id(node)] = node, made
        if made is not None:
            ev.branches_joined.add(made[0])
    return ev.branches_made[id(node)][1]


def _branch_at(ev: Evaluator, node: Node) -> Node | None:
    """A statement as a branch, if it is one that goes on."""
    if _reach(ev, node) is None or hasattr(node, "attempt"):
        return None
    if isinstance(node, gast.If):
        return node
    choice = _chosen_first(node)
    assert choice is not None
    sides = [_with(node, choice, side) for side in (choice.body, choice.orelse)]
    return branch(choice.test, [sides[0]], [sides[1]], choice)


def _reach(ev: Evaluator, node: Node) -> bool | None:
    """Whether a branch goes on to the end of its block; None where it does not go on."""
    choice = node if isinstance(node, gast.If) else _chosen_first(node)
    if choice is None:
        return None
    return ev.going_on.get(ev.locate(choice))


def _with_rest(ev: Evaluator, live: Liveness, node: Node, found: Node, rest: Statements) -> Split:
    count, names = len(rest), stored_names([node])
    if names and not _reach(ev, node):
        after = (live.after.get(id(s), names) for s in (node, *rest))
        count = next((j for j, wanted in enumerate(after) if names.isdisjoint(wanted)), count)
    elif isinstance(node, (gast.Expr, gast.AugAssign)) and not _reach(ev, node):
        count = 0
    rest, behind = rest[:count], rest[count:]
    wanted = live.after[id(rest[-1] if rest else node)]
    if rest and isinstance(rest[-1], gast.Return):
        end = rest.pop()
        if end.value is not None:
            result = Names(ev.frame.tree).fresh("result")
            rest.append(assign(result, end.value, end))
            behind, wanted = [returning(read(result, end), end)], wanted | {result}
            live.after[id(rest[-1])] = wanted
        else:
            behind = [end]
    made = branch(found.test, [*found.body, *rest], [*found.orelse, *rest], found)
    live.after[id(made)] = wanted
    return made, behind


def _chosen_first(node: Node) -> Node | None:
    """The `a if c else b` that a statement evaluates before anything else."""
    at = node.target if isinstance(node, gast.AugAssign) else getattr(node, "value", None)
    while isinstance(at, (gast.Attribute, gast.Subscript, gast.Call)):
        at = at.func if isinstance(at, gast.Call) else at.value
    return at if isinstance(at, gast.IfExp) and isinstance(node, _PLAIN) else None


_PLAIN = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.Expr)


def _with(node: Node, old: Node, new: Node) -> Any:
    """A statement or expression with another expression in the place of one that it evaluates first."""
    if node is old:
        return new
    made = copy.copy(node)
    field = (
        "target" if isinstance(node, gast.AugAssign) else "func" if isinstance(node, gast.Call) else "value"
    )
    setattr(made, field, _with(getattr(node, field), old, new))
    return made
