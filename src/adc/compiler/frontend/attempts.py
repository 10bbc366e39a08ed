"""A `try` whose handler the run chooses becomes the branches that Python takes.

    try:                              if x != 0:
        y = 1.0 / x                       y = 1.0 / x
    except ZeroDivisionError:         else:
        y = 0.0                           y = 0.0

A statement that may raise is evaluated, to find what it raises where. What comes before that in it is kept, with the
test whether it is raised; if not, the statement is evaluated again, up to the next place that may raise, and the rest
of the `try` goes on behind it. On the other side stands the handler, or a flag falls (attempt_trees.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import attempt_trees, caught, exceptions, raising
from adc.compiler.frontend.attempt_trees import Attempt, Plan, Unguarded, Whole
from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Names, Node, branch
from adc.compiler.frontend.frame import SurelyRaised
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.scan import Liveness, loaded_names
from adc.compiler.ir.nodes import Assign, Block, Check, If, Stmt, Store, Var, defined, walk
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.statements import Statements as Evaluator

MOST_TESTS = 40  # of one `try`: its handlers may stand behind each of them


def run(ev: Evaluator, node: Node, refusal: UnsupportedError) -> None:
    """Evaluate a `try` with branches. Raises `refusal` where that cannot be done."""
    kinds = [BaseException if h.type is None else ev.evaluate(h.type) for h in node.handlers]
    if any(isinstance(n, gast.Return) for n in own_nodes([node])):
        raise refusal
    live = ev.frame.liveness
    assert live is not None
    wanted = live.after[id(node)].union(*map(loaded_names, node.handlers))
    plan = Plan(node, kinds, refusal, Names(ev.frame.tree), set(ev.frame.env), wanted)
    block, start = ev.block, len(ev.block)
    tree = attempt_trees.of_try(plan)
    inside = Liveness(tree, live.after[id(node)], live.captured)
    live.after.update(inside.after)
    live.head.update(inside.head)
    plan.made += tree
    ev.execute_all(tree)
    fine = ev.tested_for | plan.unguarded
    if any(
        plan.handler(point[1]) is not None and point not in fine for point in caught.raised(block[start:])
    ):
        raise refusal


def made(ev: Evaluator, node: Node) -> None:
    """Evaluate a statement of a `try`, what follows it, and what handles the exceptions that it may raise."""
    attempt: Attempt | Unguarded | Whole = node.attempt
    plan = attempt.plan
    if isinstance(attempt, Whole):
        _whole(ev, node.body, plan)
        return
    if isinstance(attempt, Unguarded):
        start = len(ev.block)
        ev.execute_all(node.body)
        plan.unguarded.update(caught.raised(ev.block[start:]))
        return
    statement = attempt.statement
    mark, block, start = Mark(ev), ev.block, len(ev.block)
    before = len(ev.effects)
    exception = _surely_raised(ev, statement)
    if exception is not None:
        place = plan.handler(type(exception))
        if place is None:
            raise exception
        ev.execute_all(plan.leave(place, exception, statement))
        return
    points = [
        point
        for point in _points(ev, block[start:])
        if plan.handler(point[1]) is not None and point not in ev.tested_for  # by a `try` inside
    ]
    passed = points[: attempt.passed]
    ev.tested_for.update(passed)
    _strike(block, start, {s for s, _ in passed if isinstance(s, Check)})
    if len(points) == len(passed):
        ev.execute_all(node.body[1:])
        return
    emitted = block[start:]
    point, kind = points[len(passed)]
    place = plan.handler(kind)
    assert place is not None
    if any(changed < raising.order(ev, point) for changed, what in ev.effects[before:] if mark.knows(what)):
        raise plan.refusal  # the handler finds what the statement has changed before it raises
    plan.tests += 1
    if plan.tests > MOST_TESTS:
        raise plan.refusal
    mark.back()
    with ev.origin_at(point.origin):
        exception = raising.exception(ev, point, kind)
        fine = _until(ev, emitted, point, exception)
    if fine is None:
        raise plan.refusal
    again = branch(node.test, node.body, node.orelse, statement)
    again.attempt = Attempt(plan, statement, attempt.passed + 1)
    _as_live_as(ev, node, again)
    other = plan.leave(place, exception, statement)
    if not isinstance(fine, Var):
        ev.execute_all([again] if fine else other)
        return
    chosen = branch(node.test, [again], other, statement)
    _as_live_as(ev, node, chosen)
    ev.branch_on(chosen, fine)


def _whole(ev: Evaluator, body: list[Node], plan: Plan) -> None:
    """Evaluate a `try` or `with` that catches what it does; what comes out of it has no branch to be handled in."""
    try:
        ev.execute_all(body)
    except Exception as raised:
        if hasattr(raised, "__adc_raised__") and plan.handler(type(raised)) is not None:
            raise plan.refusal from raised
        raise


def surely_here(ev: Evaluator, raised: Exception) -> bool:
    """Whether it is the user's exception, raised wherever this place of the program is reached.

    Refuses one that is raised in a branch before it, where a handler around may catch it.
    """
    if not (isinstance(raised, SurelyRaised) or hasattr(raised, "__adc_raised__")):
        return False  # not the user's, but of the compiler
    here = (raised.depth if isinstance(raised, SurelyRaised) else 0) == ev.region_depth
    if not here and ev.trying:
        raise ev.refuse(
            "a `finally` follows what is raised on one path only, and a handler around may catch that",
            "what it does would have to be done before the handler",
            "test for it with `if`",
        ) from raised
    return here


def always(ev: Evaluator, block: Block, start: int, run: Callable[[], object]) -> None:
    """Evaluate what is done behind statements, from `start` in a block, also where they raise: `finally`, `__exit__`.

    Where they do, only the run knows, and a handler around finds it done: what it changes counts as changed before.
    """
    end, before = len(block), len(ev.effects)
    run()
    if ev.trying and _points(ev, block[start:end]):
        if any(isinstance(s, Store) for s in walk(block[end:])):
            ev.note_effect()
        ev.effects += [("", what) for _, what in ev.effects[before:]]


def _surely_raised(ev: Evaluator, statement: Node) -> BaseException | None:
    """Evaluate a statement; the exception that it raises wherever it is reached."""
    ev.trying += 1
    try:
        ev.execute(statement)
    except SurelyRaised as raised:
        if raised.depth != ev.region_depth:
            raise
        return raised.exception
    except Exception as raised:
        if not hasattr(raised, "__adc_raised__"):
            raise  # not the user's, but of the compiler
        return raised
    finally:
        ev.trying -= 1
    return None


def _as_live_as(ev: Evaluator, node: Node, made: Node) -> None:
    """The names that are wanted behind a statement are those wanted behind what stands for it."""
    live = ev.frame.liveness
    assert live is not None
    live.after[id(made)] = live.after[id(node)]
    node.attempt.plan.made.append(made)


def _points(ev: Evaluator, block: Block) -> list[tuple[Stmt, type[BaseException]]]:
    """Where the statements of a block may raise, in the order in which they do."""
    found: list[tuple[Stmt, type[BaseException]]] = []
    for stmt in walk(block):
        if isinstance(stmt, Check):
            exception = raising.exception_of(ev, stmt)
            if exception is not None:
                found.append((stmt, type(exception)))
        else:
            found += caught.raised([stmt]) if isinstance(stmt, (Assign, Store)) else []
    return found


def _until(ev: Evaluator, block: Block, point: Stmt, exception: BaseException) -> Any:
    """Make what a block makes up to a statement, and then whether that does not raise the exception."""
    made: dict[Var, Assign] = {}
    own: set[Var] = set()

    def inside(block: Block) -> Any:
        for stmt in block:
            if stmt is point:
                start = len(ev.block)
                fine = raising.fine(ev, stmt, type(exception), made)
                ev.tested_for.update(caught.raised(ev.block[start:]))
                return fine
            if isinstance(stmt, If) and any(s is point for s in walk([stmt])):
                then = any(s is point for s in walk(stmt.then))
                region = If(stmt.test, [], [], [], stmt.origin)
                with ev.at(region.then if then else region.orelse):
                    fine = inside(stmt.then if then else stmt.orelse)
                if fine is None or fine is True:
                    return fine
                if not exceptions.brought_out(ev, exception, region, then):
                    return None
                if fine is False and not region.merges:
                    return ev.negated(stmt.test) if then else stmt.test
                fine = ev.merge(region, fine, True, "") if then else ev.merge(region, True, fine, "")
                ev.block.append(region)
                return fine
            if not _can_be_made_twice(stmt, own):
                return None
            own.update(v for s in walk([stmt]) for v in defined(s))
            made.update((s.targets[0], s) for s in walk([stmt]) if isinstance(s, Assign))
            ev.block.append(stmt)
        return None

    return inside(block)


def _can_be_made_twice(stmt: Stmt, own: set[Var]) -> bool:
    """Whether a statement changes nothing but what it, or a statement before it, makes."""
    made = own | {v for s in walk([stmt]) for v in defined(s)}
    return all(
        isinstance(s, (Assign, If)) or (isinstance(s, Store) and s.array.root in made) or isinstance(s, Check)
        for s in walk([stmt])
    )


def _strike(block: Block, start: int, checks: set[Stmt]) -> None:
    """Remove checks of what was tested before."""
    if not checks:
        return
    for inner in [block, *(b for s in block[start:] for b in _blocks_of(s))]:
        first = start if inner is block else 0
        inner[first:] = [s for s in inner[first:] if s not in checks]


def _blocks_of(stmt: Stmt) -> list[Block]:
    found: list[Block] = []
    for s in walk([stmt]):
        if isinstance(s, If):
            found += [s.then, s.orelse]
    return found
