"""Afterwards a `match` whose patterns are values, sequences, alternatives and captures is a chain of `if`.

Subject and parts of it are tested in the order in which Python tests them. Captures are assigned once the
whole pattern has matched, before the guard, and stay assigned if the guard fails, as in Python. A sequence
pattern accepts lists, tuples and ranges. Patterns that look into mappings or objects, starred ones and
alternatives that capture stay a `match`: PEP 634 defines them by protocols that no chain of `if` can name.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import gast

from adc.compiler.frontend.desugar_syntax import (
    Names,
    Node,
    Statements,
    as_bool,
    assign,
    both,
    bound_in,
    branch,
    call,
    compare,
    constant,
    either,
    placed,
    read,
)

_SEQUENCES = ("list", "tuple", "range")


class _Refused(Exception):
    """The pattern has to stay; the argument says why."""


@dataclass(frozen=True)
class _Whole:
    """A subject that is known as an expression without effects."""

    expression: Node


@dataclass(frozen=True)
class _Parts:
    """A subject that was written as a tuple, known item by item."""

    items: tuple[_Whole, ...]
    origin: Node


_Subject = _Whole | _Parts


@dataclass(frozen=True)
class _Matching:
    """What has to hold for a pattern to match, and what it then captures."""

    tests: list[Node]
    captures: Statements


def run(statement: Node, names: Names) -> Statements:
    """The statements that do what the `match` does, or the `match` itself with the reason in `refused`.

    >>> import ast
    >>> def show(text):
    ...     core = run(gast.parse(text).body[0], Names(gast.parse(text)))
    ...     print(ast.unparse(gast.gast_to_ast(gast.Module(core, []))))
    >>> show('''
    ... match scheme, order:
    ...     case "euler", _: f(x)
    ...     case "adams", 2 | 3 as k if k < limit: g(x, k)
    ...     case _: raise ValueError(scheme)''')
    if scheme == 'euler':
        f(x)
    else:
        matched = scheme == 'adams' and (order == 2 or order == 3)
        if matched:
            k = order
            matched = k < limit
        if matched:
            g(x, k)
        else:
            raise ValueError(scheme)
    """
    bound = bound_in([part for case in statement.cases for part in (case.pattern, case.guard) if part])
    try:
        before, subject = _evaluated(statement.subject, bound, names)
        return before + _chain(list(statement.cases), subject, names)
    except _Refused as refused:
        statement.refused = str(refused)
        return [statement]


def _evaluated(subject: Node, bound: set[str], names: Names) -> tuple[Statements, _Subject]:
    """Evaluate the subject once, if it is more than a name or a constant that no case changes."""

    def is_stable(node: Node) -> bool:
        return isinstance(node, gast.Constant) or (isinstance(node, gast.Name) and node.id not in bound)

    if is_stable(subject):
        return [], _Whole(subject)
    if isinstance(subject, gast.Tuple) and not any(isinstance(item, gast.Starred) for item in subject.elts):
        if all(is_stable(item) for item in subject.elts):
            return [], _Parts(tuple(_Whole(item) for item in subject.elts), subject)
        # Names too: evaluating a later item may change what an earlier one means.
        before: Statements = []
        parts = []
        for item in subject.elts:
            if not isinstance(item, gast.Constant):
                name = names.fresh("subject")
                before.append(assign(name, item, item))
                item = read(name, item)
            parts.append(_Whole(item))
        return before, _Parts(tuple(parts), subject)
    name = names.fresh("subject")
    return [assign(name, subject, subject)], _Whole(read(name, subject))


def _chain(cases: list[Node], subject: _Subject, names: Names) -> Statements:
    if not cases:
        return []
    case, *others = cases
    origin = case.pattern
    matching = _matching(case.pattern, subject, names)
    if matching is None:
        return _chain(others, subject, names)
    tests, captures = matching.tests, matching.captures
    if case.guard is None:
        if not tests:
            return [*captures, *case.body]
        return [branch(both(tests, origin), captures + case.body, _chain(others, subject, names), origin)]
    rest = _chain(others, subject, names)
    if not tests:
        return [*captures, branch(case.guard, case.body, rest, origin)]
    if not captures:
        return [branch(both([*tests, case.guard], origin), case.body, rest, origin)]
    matched = names.fresh("matched")
    guarded = [*captures, assign(matched, as_bool(case.guard), case.guard)]
    return [
        assign(matched, both(tests, origin), origin),
        branch(read(matched, origin), guarded, [], origin),
        branch(read(matched, origin), case.body, rest, origin),
    ]


def _matching(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    """When `pattern` matches; None if it never does."""
    if isinstance(pattern, gast.MatchValue):
        return _Matching([compare(_expression(subject), gast.Eq(), pattern.value, pattern)], [])
    if isinstance(pattern, gast.MatchSingleton):
        value = constant(pattern.value, pattern)
        return _Matching([compare(_expression(subject), gast.Is(), value, pattern)], [])
    if isinstance(pattern, gast.MatchAs):
        inner = _Matching([], []) if pattern.pattern is None else _matching(pattern.pattern, subject, names)
        if inner is None or pattern.name is None:
            return inner
        return _Matching(inner.tests, [*inner.captures, assign(pattern.name, _expression(subject), pattern)])
    if isinstance(pattern, gast.MatchOr):
        return _alternatives(pattern, subject, names)
    if isinstance(pattern, gast.MatchSequence):
        return _sequence(pattern, subject, names)
    raise _Refused("this pattern looks into a mapping or an object")


def _alternatives(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    if bound_in([pattern]):
        raise _Refused("the alternatives of this pattern capture names")
    found = [_matching(alternative, subject, names) for alternative in pattern.patterns]
    possible = [matching.tests for matching in found if matching is not None]
    if not possible:
        return None
    if not all(possible):
        return _Matching([], [])
    return _Matching([either([both(tests, pattern) for tests in possible], pattern)], [])


def _sequence(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    if any(isinstance(inner, gast.MatchStar) for inner in pattern.patterns):
        raise _Refused("this pattern takes a sequence of any length")
    length = len(pattern.patterns)
    tests: list[Node] = []
    items: tuple[_Whole, ...]
    if isinstance(subject, _Parts):
        if len(subject.items) != length:
            return None
        items = subject.items
    else:
        tests = _is_sequence(subject, length, pattern, names)
        items = tuple(_Whole(_item(subject, index, pattern)) for index in range(length))
    captures: Statements = []
    for inner, item in zip(pattern.patterns, items, strict=True):
        matching = _matching(inner, item, names)
        if matching is None:
            return None
        tests += matching.tests
        captures += matching.captures
    return _Matching(tests, captures)


def _is_sequence(subject: _Whole, length: int, origin: Node, names: Names) -> list[Node]:
    if any(names.binds(word) for word in ("isinstance", "len", *_SEQUENCES)):
        raise _Refused("this sequence pattern means `isinstance`, `len`, ..., which the function redefines")
    kinds = [read(kind, origin) for kind in _SEQUENCES]
    kind = placed(gast.Tuple(kinds, gast.Load()), origin)
    counted = call("len", [_expression(subject)], origin)
    return [
        call("isinstance", [_expression(subject), kind], origin),
        compare(counted, gast.Eq(), constant(length, origin), origin),
    ]


def _item(subject: _Whole, index: int, origin: Node) -> Node:
    return placed(gast.Subscript(_expression(subject), constant(index, origin), gast.Load()), origin)


def _expression(subject: _Subject) -> Node:
    """A new copy of the expression for a subject."""
    if isinstance(subject, _Whole):
        return copy.deepcopy(subject.expression)
    items = [_expression(item) for item in subject.items]
    return placed(gast.Tuple(items, gast.Load()), subject.origin)
