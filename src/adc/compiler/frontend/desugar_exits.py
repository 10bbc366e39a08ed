"""Afterwards a function has one `return`, at its end, and no `break`, `continue` or `else` of a loop.

Walks each list of statements with what follows in hand. After `if c: return a` the rest of the list becomes
the `else` branch, so no flag is needed. Only where several paths meet again, or around a loop, `try` or
`with`, a flag says whether the rest is still to be run. While a statement of the user runs, every flag that
exists is True: it is set just before the statement whose jumps make it fall, and read behind it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import gast

from adc.compiler.frontend.desugar_flow import (
    JUMPS,
    LOOPS,
    falls,
    is_endless,
    leaves,
    own_nodes,
)
from adc.compiler.frontend.desugar_late_returns import late_returns
from adc.compiler.frontend.desugar_syntax import (
    Names,
    Node,
    Statements,
    assign,
    both,
    branch,
    compare,
    constant,
    placed,
    read,
    returning,
)


def run(body: Statements, names: Names) -> Statements:
    """Turn the jumps in the body of a function into structure and flags.

    >>> import ast
    >>> body = gast.parse("for x in y:\\n    if x < 0: continue\\n    if x > 9: break\\n    f(x)").body
    >>> core = run(body, Names(gast.parse("x, y")))
    >>> print(ast.unparse(gast.gast_to_ast(gast.Module(core, []))))
    looping = True
    for x in y:
        if not x < 0:
            if x > 9:
                looping = False
            else:
                f(x)
    return None
    """
    return _Exits(names).function(body)


@dataclass(frozen=True)
class _Place:
    """Where a statement stands: the flags that exist there, and which of them fall with each jump."""

    top: bool = False
    depth: int = 0  # of loops
    running: str = ""  # empty: does not exist yet
    looping: str = ""
    proceed: str = ""
    falling: tuple[tuple[str, tuple[str, ...]], ...] = ()  # way out -> flags, outermost first

    def flags(self, way: str) -> tuple[str, ...]:
        return dict(self.falling).get(way, ())

    def listening(self, ways: set[str], flag: str) -> _Place:
        """The same place, inside something that reads `flag` after a jump of these `ways`."""
        falling = dict(self.falling)
        for way in sorted(ways):
            if flag not in falling.get(way, ()):
                falling[way] = (*falling.get(way, ()), flag)
        return replace(self, falling=tuple(falling.items()))

    def in_loop(self, flag: str) -> _Place:
        """The body of a loop that ends when `flag` falls."""
        falling = (("return", self.flags("return")),)
        place = replace(self, top=False, depth=self.depth + 1, looping=flag, proceed="", falling=falling)
        return place.listening({"return", "break"}, flag) if flag else place


class _Exits:
    """The state of one function: the names that its jumps turn into."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._has_value = False
        self._result = ""
        self._may_be_none = False
        self._flags: dict[tuple[str, int], str] = {}

    def function(self, body: Statements) -> Statements:
        returns = [node for node in own_nodes(body) if isinstance(node, gast.Return)]
        origin = returns[-1] if returns else body[-1]
        self._has_value = any(not _is_none(node.value) for node in returns)
        ends = bool(returns) or falls(body)
        if self._has_value and falls(body):
            body = [*body, returning(constant(None, body[-1]), body[-1])]
        while not self._has_value and body and isinstance(body[-1], gast.Return):
            body = body[:-1]

        core = self._block(body, _Place(top=True))
        if self._may_be_none:
            core.insert(0, assign(self._result, constant(None, body[0]), body[0]))
        if self._result:
            core.append(returning(read(self._result, origin), origin))
        elif not self._has_value and ends:
            core.append(returning(constant(None, origin), origin))
        return core

    def _block(self, body: Statements, place: _Place) -> Statements:
        """The statements of `body` without jumps."""
        done: Statements = []
        rest = body
        while rest:
            statement, *rest = rest
            if isinstance(statement, tuple(JUMPS)):
                return done + self._jump(statement, place)
            if hasattr(statement, "refused"):
                done.append(statement)
            elif isinstance(statement, LOOPS):
                looped, rest, place = self._loop(statement, rest, place)
                done += looped
            elif not rest or not leaves([statement]):
                done += self._compound(statement, replace(place, top=False))
            elif isinstance(statement, gast.If) and _takes_rest(statement, rest):
                return done + self._branch_with_rest(statement, rest, replace(place, top=False))
            else:
                return done + self._guarded(statement, rest, replace(place, top=False))
        return done

    def _jump(self, statement: Node, place: _Place) -> Statements:
        done: Statements = []
        if isinstance(statement, gast.Return) and self._has_value:
            value = constant(None, statement) if statement.value is None else statement.value
            if place.top:
                return [returning(value, statement)]
            if not self._result:
                self._result = self._names.fresh("result")
            if hasattr(statement, "late"):  # what is returned is read behind the loop
                which, k = statement.late
                done += [assign(which, constant(k, statement), statement)] if which else []
            elif _is_none(value):
                self._may_be_none = True  # which it is from the start
            else:
                done.append(assign(self._result, value, statement))
        way = JUMPS[type(statement)]
        return done + [assign(flag, constant(False, statement), statement) for flag in place.flags(way)]

    def _compound(self, statement: Node, place: _Place) -> Statements:
        """A statement whose parts keep their jumps to themselves, or that nothing follows."""
        if isinstance(statement, gast.If):
            body, orelse = self._block(statement.body, place), self._block(statement.orelse, place)
            return [branch(statement.test, body, orelse, statement)]
        if isinstance(statement, gast.With):
            statement.body = _filled(self._block(statement.body, place), statement)
        elif isinstance(statement, (gast.Try, gast.TryStar)):
            return self._try(statement, place)
        return [statement]

    def _branch_with_rest(self, statement: Node, rest: Statements, place: _Place) -> Statements:
        """`if c: return a` REST  ->  `if c: result = a` `else: REST`."""
        body, orelse = statement.body, statement.orelse
        if falls(orelse):
            orelse = orelse + (copy.deepcopy(rest) if falls(body) else rest)
        if falls(body):
            body = body + rest
        return [branch(statement.test, self._block(body, place), self._block(orelse, place), statement)]

    def _guarded(self, statement: Node, rest: Statements, place: _Place) -> Statements:
        """STATEMENT with jumps, REST  ->  STATEMENT with flags, `if flag: REST`."""
        before, flag, place = self._flag_for(leaves([statement]), place, statement)
        done = self._compound(statement, place.listening(leaves([statement]), flag))
        return before + done + self._if_still(flag, rest, place)

    def _try(self, statement: Node, place: _Place) -> Statements:
        before: Statements = []
        tried = place
        ways = leaves(statement.body)
        if ways and statement.orelse:
            before, flag, place = self._flag_for(ways, place, statement)
            tried = place.listening(ways, flag)
            statement.orelse = self._if_still(flag, statement.orelse, place)
        else:
            statement.orelse = self._block(statement.orelse, place)
        statement.body = _filled(self._block(statement.body, tried), statement)
        for handler in statement.handlers:
            handler.body = _filled(self._block(handler.body, place), handler)
        statement.finalbody = self._block(statement.finalbody, place)
        return [*before, statement]

    def _loop(self, loop: Node, rest: Statements, place: _Place) -> tuple[Statements, Statements, _Place]:
        """The loop with its flag; then its `else` and the rest, if not done yet; and where they stand."""
        breaks, returns = ("break" in leaves(loop.body), "return" in leaves(loop.body))
        orelse, loop.orelse = loop.orelse, []
        done: Statements = []
        running, inside = "", place
        if returns and (rest or not breaks):
            done, running, place = self._flag_for({"return"}, place, loop)
            inside = place.listening({"return"}, running)
        outermost = running and not place.depth and "return" not in leaves(orelse)
        late = late_returns(loop) if outermost else []
        which = self._names.fresh("leaving") if len(late) > 1 else ""
        done += [assign(which, constant(0, loop), loop)] if which else []
        for k, alike in enumerate(late):
            for statement in alike:
                statement.late = which, k
        flag = running
        if breaks:
            flag = self._flag("looping", place.depth)
            done.append(assign(flag, constant(True, loop), loop))
        loop.body = _filled(self._block(loop.body, inside.in_loop(flag)), loop)
        done.append(loop)
        if not flag:
            return done, orelse + rest, place
        _end_with(loop, flag)
        returned = self._returned(late, which)
        if not breaks:
            return done + self._if_still(flag, orelse + rest, place, returned), [], place
        if orelse:
            orelse = [branch(read(flag, orelse[0]), orelse, [], orelse[0])]
        if running and (rest or returned):
            origin = (rest or returned)[0]
            rest = [branch(read(running, origin), _filled(rest, origin), returned, origin)]
        return done, orelse + rest, place

    def _returned(self, late: list[list[Node]], which: str) -> Statements:
        """What is returned from a loop, behind it."""
        found: Statements = []
        for k in reversed(range(len(late))):
            node = late[k][0]
            value = [assign(self._result, node.value, node)]
            test = compare(read(which, node), gast.Eq(), constant(k, node), node)
            found = [branch(test, value, found, node)] if found else value
        return found

    def _flag_for(self, ways: set[str], place: _Place, origin: Node) -> tuple[Statements, str, _Place]:
        """What sets up a flag that falls with each of `ways`, the flag, and the place where it exists."""
        if "continue" in ways:
            if place.proceed:
                return [], place.proceed, place
            flag = self._flag("proceed", place.depth)
            place = replace(place, proceed=flag)
        elif "break" in ways:
            return [], place.looping, place
        else:
            if place.running:
                return [], place.running, place
            flag = self._flag("running", 0)
            place = replace(place, running=flag)
        return [assign(flag, constant(True, origin), origin)], flag, place

    def _flag(self, wish: str, depth: int) -> str:
        """The name of a flag. Loops one after the other share theirs, nested ones do not."""
        if (wish, depth) not in self._flags:
            self._flags[wish, depth] = self._names.fresh(wish)
        return self._flags[wish, depth]

    def _if_still(
        self, flag: str, rest: Statements, place: _Place, otherwise: Statements | None = None
    ) -> Statements:
        """`if flag: REST`, once if the rest asks the same, and not at all if nothing is left of it."""
        core = self._block(rest, replace(place, top=False))
        if otherwise:
            origin = (rest or otherwise)[0]
            return [branch(read(flag, origin), _filled(core, origin), otherwise, origin)]
        if not core or (len(core) == 1 and _asks_only(core[0], flag)):
            return core
        return [branch(read(flag, rest[0]), core, [], rest[0])]


def _asks_only(statement: Node, flag: str) -> bool:
    is_plain = isinstance(statement, gast.If) and not statement.orelse
    return is_plain and isinstance(statement.test, gast.Name) and statement.test.id == flag


def _takes_rest(statement: Node, rest: Statements) -> bool:
    """Whether what follows an `if` can move into it: it is for one branch, or small enough for both."""
    if not (falls(statement.body) and falls(statement.orelse)):
        return True
    if len(rest) > 1 or not isinstance(rest[0], tuple(JUMPS)):
        return False
    value = getattr(rest[0], "value", None)
    if isinstance(value, gast.UnaryOp):
        value = value.operand
    return value is None or isinstance(value, (gast.Constant, gast.Name))


def _end_with(loop: Node, flag: str) -> None:
    """Make the loop end when the flag has fallen."""
    if isinstance(loop, gast.For):
        loop.flag = flag
    elif is_endless(loop):
        loop.test = read(flag, loop.test)
    elif isinstance(loop.test, gast.BoolOp) and isinstance(loop.test.op, gast.And):
        loop.test.values.insert(0, read(flag, loop.test))
    else:
        loop.test = both([read(flag, loop.test), loop.test], loop.test)


def _filled(body: Statements, origin: Node) -> Statements:
    return body or [placed(gast.Pass(), origin)]


def _is_none(value: Node | None) -> bool:
    return value is None or (isinstance(value, gast.Constant) and value.value is None)
