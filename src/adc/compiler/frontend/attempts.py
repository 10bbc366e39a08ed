"""A `try` whose handler the run chooses becomes the branches that Python takes.

    try:                              if x != 0:
        y = 1.0 / x                       y = 1.0 / x
    except ZeroDivisionError:         else:
        y = 0.0                           y = 0.0

A statement that may raise is evaluated, to find what it raises where. What comes before that in it is kept, with the
test whether it is raised; if not, the statement is evaluated again, up to the next place that may raise, and the rest
of the `try` goes on behind it. On the other side stands the handler. Where the rest of the `try` is reached on several
paths, or from a loop, a flag that falls says that something was raised, and the handler stands behind.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import caught, raising
from adc.compiler.frontend.desugar_flow import LOOPS, falls, is_endless, is_transparent, own_nodes
from adc.compiler.frontend.desugar_syntax import (
    Names,
    Node,
    Statements,
    assign,
    both,
    branch,
    constant,
    negated,
    placed,
    read,
)
from adc.compiler.frontend.frame import SurelyRaised
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.scan import Liveness
from adc.compiler.ir.nodes import Assign, Block, Check, If, Stmt, Store, Var, defined, walk
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.statements import Statements as Evaluator

_RAISING = (gast.Call, gast.Subscript, gast.Raise, gast.Assert)
_DIVIDING = (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)
_OPAQUE = (
    gast.FunctionDef,
    gast.ClassDef,
    gast.Import,
    gast.ImportFrom,
    gast.Global,
    gast.Nonlocal,
    gast.Pass,
)


def may_raise(node: Node) -> bool:
    """Whether there is something in a statement or an expression that may raise what handlers are for."""
    if isinstance(node, _OPAQUE):
        return False
    return any(
        isinstance(n, _RAISING) or isinstance(getattr(n, "op", None), _DIVIDING) for n in gast.walk(node)
    )


@dataclass(eq=False)
class Plan:
    """How one `try` is evaluated: where its handlers stand, and what was found to be tested for."""

    node: Node
    kinds: list[Any]  # the classes of each handler
    refusal: UnsupportedError
    names: Names
    taken: set[str]
    going: str = ""  # the flag; "" where the handlers stand in the branches
    which: str = ""  # the number of the handler
    unguarded: set[tuple[Stmt, type[BaseException]]] = field(default_factory=set)  # by this `try`
    made: list[Node] = field(default_factory=list)  # liveness is kept by the identity of nodes

    def fresh(self, wish: str) -> str:
        """A name that nothing else has."""
        name = self.names.fresh(wish)
        return self.fresh(wish) if name in self.taken else name

    def handler(self, kind: type[BaseException]) -> int | None:
        """The place of the handler for exceptions of a class."""
        return next((k for k, wanted in enumerate(self.kinds) if issubclass(kind, wanted)), None)

    def outside(self, body: Statements) -> Statements:
        """Statements that this `try` does not guard."""
        if not body:
            return []
        made = branch(constant(True, body[0]), body, [], body[0])
        made.attempt = Unguarded(self)
        self.made.append(made)
        return [made]

    def handler_of(self, place: int) -> Statements:
        """What a handler does. Behind it the name of its exception has no value."""
        handler = self.node.handlers[place]
        if handler.name is None:
            return self.outside(handler.body)
        target = placed(gast.Name(handler.name.id, gast.Del(), None, None), handler)
        return self.outside([*handler.body, placed(gast.Delete([target]), handler)])

    def leave(
        self, place: int, exception: BaseException | None, loops: Sequence[str], origin: Node
    ) -> Statements:
        """What is done in the place of the rest of the `try`."""
        handler = self.node.handlers[place]
        done: Statements = []
        if handler.name is not None:
            done.append(assign(handler.name.id, constant(exception, origin), origin))
        if not self.going:
            return [*done, *self.handler_of(place)]
        if self.which:
            done.append(assign(self.which, constant(place, origin), origin))
        return [*done, *(assign(flag, constant(False, origin), origin) for flag in (*loops, self.going))]


@dataclass(eq=False)
class Unguarded:
    """A handler, or the `else` of a `try`."""

    plan: Plan


@dataclass(eq=False)
class Attempt:
    """A statement that may raise, of which the first `passed` places where it may have been tested for."""

    plan: Plan
    statement: Node
    loops: tuple[str, ...]  # flags of the loops around it, which end if it raises
    passed: int = 0


def run(ev: Evaluator, node: Node, refusal: UnsupportedError) -> None:
    """Evaluate a `try` with branches. Raises `refusal` where that cannot be done."""
    kinds = [BaseException if h.type is None else ev.evaluate(h.type) for h in node.handlers]
    plan = Plan(node, kinds, refusal, Names(ev.frame.tree), set(ev.frame.env))
    if any(isinstance(n, gast.Return) for n in own_nodes([node])):
        raise refusal
    block, start = ev.block, len(ev.block)
    tree = _direct(plan, node.body) if _is_straight(node.body) else _flagged_try(plan)
    live = ev.frame.liveness
    assert live is not None
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


# --- the tree -------------------------------------------------------------------------------------------------


def _is_straight(body: Statements) -> bool:
    """Whether the rest of the `try` behind each place that may raise is reached on one path."""
    for k, s in enumerate(body):
        if not may_raise(s):
            continue
        if isinstance(s, gast.If):
            last = k == len(body) - 1 or not (falls(s.body) and falls(s.orelse))
            if not last or not (_is_straight(s.body) and _is_straight(s.orelse)):
                return False
        elif isinstance(s, (*LOOPS, gast.With)):
            return False
    return True


def _direct(plan: Plan, body: Statements) -> Statements:
    """The statements of a `try` and what follows in its `else`, with the handlers in the branches."""
    done: Statements = []
    for k, s in enumerate(body):
        rest = body[k + 1 :]
        if not may_raise(s):
            done.append(s)
        elif isinstance(s, gast.If):
            sides = [_direct(plan, [*side, *rest] if falls(side) else side) for side in (s.body, s.orelse)]
            return done + _with_test(plan, s, sides, ())
        elif isinstance(s, gast.Try):
            done.append(s)  # what it does not catch itself is refused
        else:
            return [*done, _attempt(plan, s, _direct(plan, rest), ())]
    return done + plan.outside(plan.node.orelse)


def _flagged_try(plan: Plan) -> Statements:
    node = plan.node
    plan.going = plan.fresh("trying")
    handlers = [plan.handler_of(k) for k in range(len(node.handlers))]
    before = [assign(plan.going, constant(True, node), node)]
    handled = handlers[-1]
    if len(handlers) > 1:
        plan.which = plan.fresh("handler")
        before.append(assign(plan.which, constant(0, node), node))
        for k in reversed(range(len(handlers) - 1)):
            test = placed(gast.Compare(read(plan.which, node), [gast.Eq()], [constant(k, node)]), node)
            handled = [branch(test, handlers[k], handled, node)]
    body = _flagged(plan, node.body, ())
    return [*before, *body, branch(read(plan.going, node), plan.outside(node.orelse), handled, node)]


def _flagged(plan: Plan, body: Statements, loops: tuple[str, ...]) -> Statements:
    """The statements of a `try`, each of which is only run while nothing was raised."""
    done: Statements = []
    for k, s in enumerate(body):
        rest = body[k + 1 :]
        if (
            not may_raise(s)
            or isinstance(s, gast.Try)
            or (isinstance(s, gast.With) and not is_transparent(s))
        ):
            done.append(s)
            continue
        if not isinstance(s, (gast.If, *LOOPS, gast.With)):
            return [*done, _attempt(plan, s, _flagged(plan, rest, loops), loops)]
        if isinstance(s, gast.If):
            done += _with_test(plan, s, [_flagged(plan, side, loops) for side in (s.body, s.orelse)], loops)
        elif isinstance(s, gast.With):
            done.append(placed(gast.With(s.items, _flagged(plan, s.body, loops), None), s))
        else:
            done.append(_loop(plan, s, loops))
        if rest:
            done.append(branch(read(plan.going, s), _flagged(plan, rest, loops), [], rest[0]))
        return done
    return done


def _loop(plan: Plan, loop: Node, loops: tuple[str, ...]) -> Node:
    made = copy.copy(loop)
    if isinstance(loop, gast.For):
        flag = getattr(loop, "flag", plan.going)
        made.flag = flag
        made.body = _flagged(plan, loop.body, loops if flag == plan.going else (*loops, flag))
        return made
    going = read(plan.going, loop.test)
    made.test = going if is_endless(loop) else both([going, loop.test], loop)
    made.body = _flagged(plan, loop.body, loops)
    return made


def _with_test(plan: Plan, s: Node, sides: list[Statements], loops: tuple[str, ...]) -> Statements:
    """`if TEST: ...`, of which TEST may raise."""
    if not may_raise(s.test):
        return [branch(s.test, sides[0], sides[1], s)]
    name = plan.fresh("test")
    test = assign(name, negated(negated(s.test)), s.test)
    plan.made.append(test)
    return [_attempt(plan, test, [branch(read(name, s.test), sides[0], sides[1], s)], loops)]


def _attempt(plan: Plan, statement: Node, rest: Statements, loops: tuple[str, ...], passed: int = 0) -> Node:
    """The statement and what follows it, or a handler: where that is not known yet, the first that there is."""
    other = [s for k in range(len(plan.kinds)) for s in plan.leave(k, None, loops, statement)]
    made = branch(constant(True, statement), [statement, *rest], other, statement)
    made.attempt = Attempt(plan, statement, loops, passed)
    plan.made.append(made)
    return made


# --- its evaluation -------------------------------------------------------------------------------------------


def made(ev: Evaluator, node: Node) -> None:
    """Evaluate a statement of a `try`, what follows it, and what handles the exceptions that it may raise."""
    attempt: Attempt | Unguarded = node.attempt
    plan = attempt.plan
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
        ev.execute_all(plan.leave(place, exception, attempt.loops, statement))
        return
    points = [(s, kind) for s, kind in _points(ev, block[start:]) if plan.handler(kind) is not None]
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
    if any(changed < raising.order(ev, point) for changed in ev.effects[before:]):
        raise plan.refusal  # the handler finds what the statement has changed before it raises
    mark.back()
    with ev.origin_at(point.origin):
        fine = _until(ev, emitted, point, kind)
    if fine is None:
        raise plan.refusal
    again = branch(node.test, node.body, node.orelse, statement)
    again.attempt = Attempt(plan, statement, attempt.loops, attempt.passed + 1)
    _as_live_as(ev, node, again)
    other = plan.leave(place, raising.exception(ev, point, kind), attempt.loops, statement)
    if not isinstance(fine, Var):
        ev.execute_all([again] if fine else other)
        return
    chosen = branch(node.test, [again], other, statement)
    _as_live_as(ev, node, chosen)
    ev.branch_on(chosen, fine)


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


def _until(ev: Evaluator, block: Block, point: Stmt, kind: type[BaseException]) -> Any:
    """Make what a block makes up to a statement, and then whether that does not raise."""
    made: dict[Var, Assign] = {}
    own: set[Var] = set()

    def inside(block: Block) -> Any:
        for stmt in block:
            if stmt is point:
                start = len(ev.block)
                fine = raising.fine(ev, stmt, kind, made)
                ev.tested_for.update(caught.raised(ev.block[start:]))
                return fine
            if isinstance(stmt, If) and any(s is point for s in walk([stmt])):
                then = any(s is point for s in walk(stmt.then))
                region = If(stmt.test, [], [], [], stmt.origin)
                with ev.at(region.then if then else region.orelse):
                    fine = inside(stmt.then if then else stmt.orelse)
                if fine is None or fine is True:
                    return fine
                if fine is False:
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
