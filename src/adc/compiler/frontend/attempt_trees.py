"""The statements of a `try` as branches, before it is known which of them raise: `attempts` evaluates them.

Where the rest of the `try` is reached on one path, it stands behind each statement that may raise, and the handlers on
the other side. Otherwise a flag says whether something was raised, and the handlers stand behind:

    try:                          trying = True
        for v in x:               for v in x:                 # ends when the flag falls
            s += math.log(v)          s += math.log(v)        # an attempt: it may lower the flag
    except ValueError:            if not trying:
        s = 0.0                       s = 0.0
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import gast

from adc.compiler.frontend import exceptions
from adc.compiler.frontend.desugar_flow import LOOPS, falls, is_endless, is_transparent
from adc.compiler.frontend.desugar_syntax import (
    Names,
    Node,
    Statements,
    assign,
    both,
    bound_in,
    branch,
    constant,
    negated,
    placed,
    read,
)
from adc.compiler.ir.nodes import Stmt
from adc.errors import UnsupportedError

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
    wanted: set[str]  # names that the handlers read, and what is behind the `try`
    going: str = ""  # the flag; "" where the handlers stand in the branches
    which: str = ""  # the number of the handler
    tests: int = 0  # that were made
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
        return self._together(body, Unguarded(self)) if body else []

    def whole(self, statement: Node) -> Statements:
        """A `try` or `with` within this one, which is evaluated as it is."""
        return self._together([statement], Whole(self))

    def _together(self, body: Statements, attempt: Unguarded | Whole) -> Statements:
        made = branch(constant(True, body[0]), body, [], body[0])
        made.attempt = attempt
        self.made.append(made)
        return [made]

    def handler_of(self, place: int) -> Statements:
        """What a handler does. Behind it the name of its exception has no value."""
        handler = self.node.handlers[place]
        if handler.name is None:
            return self.outside(handler.body)
        target = placed(gast.Name(handler.name.id, gast.Del(), None, None), handler)
        return self.outside([*handler.body, placed(gast.Delete([target]), handler)])

    def leave(self, place: int, exception: BaseException | None, origin: Node) -> Statements:
        """What is done in the place of the rest of the `try`."""
        handler = self.node.handlers[place]
        done: Statements = []
        if handler.name is not None:
            done.append(assign(handler.name.id, constant(exceptions.named(exception), origin), origin))
        if not self.going:
            return [*done, *self.handler_of(place)]
        if self.which:
            done.append(assign(self.which, constant(place, origin), origin))
        return [*done, assign(self.going, constant(False, origin), origin)]


@dataclass(eq=False)
class Unguarded:
    """A handler, or the `else` of a `try`."""

    plan: Plan


@dataclass(eq=False)
class Whole:
    """A `try` or `with` within the `try`: what it lets through, and a handler around would catch, is refused."""

    plan: Plan


@dataclass(eq=False)
class Attempt:
    """A statement that may raise, of which the first `passed` places where it may have been tested for."""

    plan: Plan
    statement: Node
    passed: int = 0


def of_try(plan: Plan) -> Statements:
    """A whole `try`, but for its `finally`."""
    return _direct(plan, plan.node.body) if _is_straight(plan.node.body) else _flagged_try(plan)


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
        elif _leaves_names(plan, s):
            done += plan.whole(s)
        elif isinstance(s, gast.If):
            sides = [_direct(plan, [*side, *rest] if falls(side) else side) for side in (s.body, s.orelse)]
            return done + _with_test(plan, s, sides)
        else:
            return [*done, _attempt(plan, s, _direct(plan, rest))]
    return done + plan.outside(plan.node.orelse)


def _leaves_names(plan: Plan, s: Node) -> bool:
    """Whether the statement is a `try` that gives names values before it may raise, of which handlers around know.

    What such a one does not catch itself is refused.
    """
    if not isinstance(s, gast.Try):
        return False
    return bool(s.finalbody) or not plan.wanted.isdisjoint(_bound_before_raising([s]))


def _bound_before_raising(body: Statements) -> set[str]:
    """The names that statements may have bound when one of them raises."""
    bound: set[str] = set()
    found: set[str] = set()
    for s in body:
        if may_raise(s):
            found |= bound
        if isinstance(s, gast.If):
            found |= _bound_before_raising(s.body) | _bound_before_raising(s.orelse)
        elif isinstance(s, gast.Try):
            found |= _bound_before_raising([*s.body, *s.orelse])
            for handler in s.handlers:
                found |= _bound_before_raising(handler.body)
        elif isinstance(s, (*LOOPS, gast.With)):
            found |= bound_in([s])
        bound |= bound_in([s])
    return found


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
    body = _flagged(plan, node.body)
    return [*before, *body, branch(read(plan.going, node), plan.outside(node.orelse), handled, node)]


def _flagged(plan: Plan, body: Statements) -> Statements:
    """The statements of a `try`, each of which is only run while nothing was raised."""
    done: Statements = []
    for k, s in enumerate(body):
        rest = body[k + 1 :]
        if not may_raise(s):
            done.append(s)
            continue
        if _leaves_names(plan, s) or (isinstance(s, gast.With) and not is_transparent(s)):
            done += plan.whole(s)
            continue
        if not isinstance(s, (gast.If, *LOOPS, gast.With)):
            return [*done, _attempt(plan, s, _flagged(plan, rest))]
        if isinstance(s, gast.If):
            done += _with_test(plan, s, [_flagged(plan, side) for side in (s.body, s.orelse)])
        elif isinstance(s, gast.With):
            done.append(placed(gast.With(s.items, _flagged(plan, s.body), None), s))
        else:
            done += _loop(plan, s)
        if rest:
            done.append(branch(read(plan.going, s), _flagged(plan, rest), [], rest[0]))
        return done
    return done


def _loop(plan: Plan, loop: Node) -> Statements:
    """A loop that ends when something is raised, besides for what ends it anyway."""
    made = copy.copy(loop)
    made.body = _flagged(plan, loop.body)
    going = read(plan.going, loop)
    if isinstance(loop, gast.While):
        made.test = going if is_endless(loop) else both([going, loop.test], loop)
        return [made]
    if not hasattr(loop, "flag"):
        made.flag = plan.going
        return [made]
    made.flag = plan.fresh("looping")
    made.body.append(assign(made.flag, both([going, read(loop.flag, loop)], loop), loop))
    return [assign(made.flag, constant(True, loop), loop), made]


def _with_test(plan: Plan, s: Node, sides: list[Statements]) -> Statements:
    """`if TEST: ...`, of which TEST may raise."""
    if not may_raise(s.test):
        return [branch(s.test, sides[0], sides[1], s)]
    name = plan.fresh("test")
    test = assign(name, negated(negated(s.test)), s.test)
    plan.made.append(test)
    return [_attempt(plan, test, [branch(read(name, s.test), sides[0], sides[1], s)])]


def _attempt(plan: Plan, statement: Node, rest: Statements) -> Node:
    """The statement and what follows it, or a handler: where that is not known yet, the first that there is."""
    other = [s for k in range(len(plan.kinds)) for s in plan.leave(k, None, statement)]
    made = branch(constant(True, statement), [statement, *rest], other, statement)
    made.attempt = Attempt(plan, statement)
    plan.made.append(made)
    return made
