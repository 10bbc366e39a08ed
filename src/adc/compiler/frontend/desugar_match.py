"""Afterwards a `match` is a chain of `if`.

Subject and parts of it are tested in the order in which Python tests them. Captures are assigned once the
whole pattern has matched, before the guard, and stay assigned if the guard fails, as in Python. A sequence
pattern accepts lists, tuples and ranges, a mapping pattern dicts; what an object is asked for are the
attributes that its class names in `__match_args__`, or the pattern by keywords (PEP 634).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
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
# Classes whose only part is the object itself.
_WHOLE_OBJECTS = frozenset(
    ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
)


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
    if isinstance(pattern, gast.MatchMapping):
        return _mapping(pattern, subject, names)
    if isinstance(pattern, gast.MatchClass):
        return _class(pattern, subject, names)
    raise _Refused(f"the pattern {type(pattern).__name__} is not known")


def _alternatives(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    found = [_matching(alternative, subject, names) for alternative in pattern.patterns]
    possible = [matching for matching in found if matching is not None]
    if not possible:
        return None
    captures = _captured_by_one_of(possible, pattern)
    if not all(matching.tests for matching in possible):
        return _Matching([], captures)
    return _Matching([either([both(matching.tests, pattern) for matching in possible], pattern)], captures)


def _captured_by_one_of(alternatives: list[_Matching], origin: Node) -> Statements:
    """What the first of the alternatives that matches captures; each captures the same names (PEP 634)."""
    last = {capture.targets[0].id: capture.value for capture in alternatives[-1].captures}
    for matching in reversed(alternatives[:-1]):
        for capture in matching.captures:
            name = capture.targets[0].id
            if gast.dump(last[name]) != gast.dump(capture.value):
                test = both(copy.deepcopy(matching.tests), origin)
                last[name] = placed(gast.IfExp(test, capture.value, last[name]), origin)
    return [assign(name, value, origin) for name, value in last.items()]


def _sequence(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    patterns = list(pattern.patterns)
    star = next((k for k, inner in enumerate(patterns) if isinstance(inner, gast.MatchStar)), None)
    behind = 0 if star is None else len(patterns) - star - 1
    length = len(patterns) - (star is not None)
    tests: list[Node] = []
    captures: Statements = []
    items: list[_Whole]
    if isinstance(subject, _Parts):
        count = len(subject.items)
        if count != length if star is None else count < length:
            return None
        items = [subject.items[k] for k in range(length - behind)]
        items += [subject.items[count - behind + k] for k in range(behind)]
        rest = [_expression(item) for item in subject.items[length - behind : count - behind]]
        middle = placed(gast.List(rest, gast.Load()), pattern)
    else:
        tests = _is_sequence(subject, length, star is None, pattern, names)
        items = [_Whole(_item(subject, constant(k, pattern), pattern)) for k in range(length - behind)]
        items += [_Whole(_item(subject, constant(k - behind, pattern), pattern)) for k in range(behind)]
        ends = (constant(length - behind, pattern), constant(-behind or None, pattern))
        part = placed(gast.Slice(*ends, None), pattern)
        middle = call("list", [_item(subject, part, pattern)], pattern)
    if star is not None and (name := patterns.pop(star).name) is not None:
        captures = [assign(name, middle, pattern)]
    return _all_of(zip(patterns, items, strict=True), _Matching(tests, captures), names)


def _mapping(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    if isinstance(subject, _Parts):
        return None
    _not_redefined(("isinstance", "dict"), names)
    tests = [call("isinstance", [_expression(subject), read("dict", pattern)], pattern)]
    items = []
    for key in pattern.keys:
        tests.append(compare(copy.deepcopy(key), gast.In(), _expression(subject), pattern))
        items.append(_Whole(_item(subject, copy.deepcopy(key), pattern)))
    found = _all_of(zip(pattern.patterns, items, strict=True), _Matching(tests, []), names)
    if found is not None and pattern.rest is not None:
        found.captures.append(assign(pattern.rest, _what_is_left(pattern, subject, names), pattern))
    return found


def _what_is_left(pattern: Node, subject: _Whole, names: Names) -> Node:
    """A new dict without the keys of a pattern: `{key: subject[key] for key in subject if key not in ("a", "b")}`."""
    key = names.fresh("key")
    named = placed(gast.Tuple([copy.deepcopy(k) for k in pattern.keys], gast.Load()), pattern)
    left = compare(read(key, pattern), gast.NotIn(), named, pattern)
    target = placed(gast.Name(key, gast.Store(), None, None), pattern)
    over = gast.comprehension(target, _expression(subject), [left], 0)
    return placed(
        gast.DictComp(read(key, pattern), _item(subject, read(key, pattern), pattern), [over]), pattern
    )


def _class(pattern: Node, subject: _Subject, names: Names) -> _Matching | None:
    cls = pattern.cls
    _not_redefined(("isinstance", "hasattr", "getattr"), names)
    tests = [call("isinstance", [_expression(subject), copy.deepcopy(cls)], pattern)]
    whole = isinstance(cls, gast.Name) and cls.id in _WHOLE_OBJECTS and not names.binds(cls.id)
    if whole and len(pattern.patterns) == 1 and not pattern.kwd_attrs:
        return _all_of([(pattern.patterns[0], subject)], _Matching(tests, []), names)
    if isinstance(subject, _Parts) or (whole and pattern.patterns):
        raise _Refused("this pattern asks a tuple for attributes")
    parts: list[tuple[Node, _Subject]] = []
    for k, inner in enumerate(pattern.patterns):
        arguments = placed(gast.Attribute(copy.deepcopy(cls), "__match_args__", gast.Load()), pattern)
        name = placed(gast.Subscript(arguments, constant(k, pattern), gast.Load()), pattern)
        parts.append((inner, _attribute(subject, name, tests, pattern)))
    for word, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        parts.append((inner, _attribute(subject, constant(word, pattern), tests, pattern)))
    return _all_of(parts, _Matching(tests, []), names)


def _attribute(subject: _Subject, name: Node, tests: list[Node], origin: Node) -> _Whole:
    """An attribute of the subject, which is tested for it first."""
    tests.append(call("hasattr", [_expression(subject), name], origin))
    return _Whole(call("getattr", [_expression(subject), copy.deepcopy(name)], origin))


def _all_of(parts: Iterable[tuple[Node, _Subject]], first: _Matching, names: Names) -> _Matching | None:
    """When all parts match, after what has to hold first."""
    tests, captures = list(first.tests), list(first.captures)
    for inner, item in parts:
        matching = _matching(inner, item, names)
        if matching is None:
            return None
        tests += matching.tests
        captures += matching.captures
    return _Matching(tests, captures)


def _not_redefined(words: tuple[str, ...], names: Names) -> None:
    if any(names.binds(word) for word in words):
        raise _Refused("this pattern means `isinstance`, `len`, ..., which the function redefines")


def _is_sequence(subject: _Whole, length: int, exactly: bool, origin: Node, names: Names) -> list[Node]:
    _not_redefined(("isinstance", "len", *_SEQUENCES), names)
    kinds = [read(kind, origin) for kind in _SEQUENCES]
    kind = placed(gast.Tuple(kinds, gast.Load()), origin)
    counted = call("len", [_expression(subject)], origin)
    return [
        call("isinstance", [_expression(subject), kind], origin),
        compare(counted, gast.Eq() if exactly else gast.GtE(), constant(length, origin), origin),
    ]


def _item(subject: _Whole, index: Node, origin: Node) -> Node:
    return placed(gast.Subscript(_expression(subject), index, gast.Load()), origin)


def _expression(subject: _Subject) -> Node:
    """A new copy of the expression for a subject."""
    if isinstance(subject, _Whole):
        return copy.deepcopy(subject.expression)
    items = [_expression(item) for item in subject.items]
    return placed(gast.Tuple(items, gast.Load()), subject.origin)
