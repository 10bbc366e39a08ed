"""Which arrays a name may stand for, followed through what branches and loops have named them.

`joined_roots` has, of the result of a branch or of what a loop carries, the arrays that it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adc.compiler.ir.nodes import Assign, Stmt, Store, Var

Joined = Mapping[Var, set[Var]]


def behind(roots: Iterable[Var], joined_roots: Joined) -> set[Var]:
    """The arrays whose memory some roots may stand for, themselves among them."""
    found: set[Var] = set()
    todo = list(roots)
    while todo:
        root = todo.pop()
        if root not in found:
            found.add(root)
            todo.extend(joined_roots.get(root, ()))
    return found


def written_roots(statements: Iterable[Stmt], joined_roots: Joined) -> set[Var]:
    """The arrays whose memory statements may write to, and all names under which branches and loops know it."""
    written = behind((s.array.root for s in statements if isinstance(s, Store)), joined_roots)
    return written | {v for v in joined_roots if not written.isdisjoint(behind([v], joined_roots))}


def laid_flat(statements: Iterable[Stmt]) -> set[Var]:
    """The arrays that are seen in another shape, and so must lie row by row."""
    return {
        s.target.root
        for s in statements
        if isinstance(s, Assign) and s.name in ("reshape", "ravel") and s.target.view_of is not None
    }
