"""A loop over what a generator function yields is the body of that function, with the body of the loop at each `yield`.

    def steps(n):                       for t in steps(9):
        t = 0.0                             x -= t * x
        for k in range(n):                  if x < 0.1:
            yield t                             break
            t += 0.1

becomes, with the flag that the `break` was made before,

    n = 9
    t_2 = 0.0
    for k in range(n):                  # ends, too, where `looping` is False
        t = t_2
        x -= t * x
        if x < 0.1:
            looping = False
        if looping:
            t_2 += 0.1

The names of the generator are renamed where the caller has them, too; what it reads outside itself is looked up
where it was written.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import gast

from adc.compiler.frontend import desugar
from adc.compiler.frontend.desugar_flow import own_nodes
from adc.compiler.frontend.desugar_syntax import Names, Node, Statements, placed, read
from adc.compiler.frontend.scan import stored_names

_GOES_ON = "the loop goes on"  # no user name has a space
_FUNCTIONS = (gast.FunctionDef, gast.Lambda)

_YIELDS = (gast.Yield, gast.YieldFrom)


class Elsewhere(gast.Name):  # type: ignore[misc]
    """A name that the generator reads and does not assign: it is looked up in the frame of the generator."""

    def __init__(self, name: Node, frame: Any) -> None:
        super().__init__(name.id, gast.Load(), None, None)
        gast.copy_location(self, name)
        self.frame = frame

    def __copy__(self) -> Elsewhere:
        return Elsewhere(self, self.frame)

    def __deepcopy__(self, memo: Any) -> Elsewhere:
        return Elsewhere(self, self.frame)


class _Yielded(gast.Pass):  # type: ignore[misc]
    """A `yield` while the jumps around it become structure."""

    _fields = ("value",)

    def __init__(self, value: Node, origin: Node) -> None:
        super().__init__()
        self.value = value
        placed(self, origin)

    def __deepcopy__(self, memo: Any) -> _Yielded:
        return _Yielded(copy.deepcopy(self.value, memo), self)


def _once_for_each_tree(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    held: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @functools.wraps(function)
    def run(tree: Any) -> Any:
        if tree not in held:
            held[tree] = function(tree)
        return held[tree]

    return run


@_once_for_each_tree
def is_generator(tree: Any) -> bool:
    """Whether a function yields."""
    return any(isinstance(node, _YIELDS) for node in own_nodes(tree.body))


@_once_for_each_tree
def unsupported(tree: Any) -> Node | None:
    """A `yield` whose value is used, or that stands in an expression."""
    nodes = own_nodes(tree.body)
    plain = {id(node.value) for node in nodes if isinstance(node, gast.Expr)}
    return next((n for n in nodes if isinstance(n, _YIELDS) and id(n) not in plain), None)


def written_out(loop: Any, tree: Any, frame: Any, taken: set[str]) -> tuple[Statements, dict[str, str]]:
    """The statements that a loop over a generator stands for, and how the names of the generator are called there.

    `taken`: the names that mean something to the loop.
    """
    flag = getattr(loop, "flag", None)
    function = desugar.run(_marked(tree, flag is not None))
    if isinstance(function.body[-1], gast.Return):
        function.body.pop()
    own = stored_names(function.body) | {a.id for a in _parameters(function)} | _imported(function)
    names = {name: _free(name, taken | own) if name in taken else name for name in sorted(own)}
    renaming = _Renaming({**names, _GOES_ON: flag or ""}, frame)
    body = [renaming.visit(statement) for statement in function.body]
    for node in (n for statement in body for n in gast.walk(statement)):
        if hasattr(node, "lineno"):
            node.source = frame.source  # see `Core.locate`
    filled = _Filling(loop).statements(body)
    return filled, names


def _parameters(function: Any) -> list[Node]:
    arguments = function.args
    spread = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *spread]


def _imported(function: Any) -> set[str]:
    imports = [n for n in own_nodes(function.body) if isinstance(n, (gast.Import, gast.ImportFrom))]
    return {_name_of(alias) for node in imports for alias in node.names}


def _name_of(alias: Any) -> str:
    return str(alias.asname or alias.name.partition(".")[0])


def _free(wish: str, taken: Iterable[str]) -> str:
    held = set(taken)
    count = 2
    while f"{wish}_{count}" in held:
        count += 1
    return f"{wish}_{count}"


def _marked(tree: Any, may_end: bool) -> Any:
    """The function with a mark for each `yield`, after which it returns where the loop has ended."""
    function = copy.deepcopy(tree)
    names = Names(function)

    def block(body: Statements) -> Statements:
        return [new for statement in body for new in marked(statement)]

    def marked(statement: Node) -> Statements:
        value = statement.value if isinstance(statement, gast.Expr) else None
        if isinstance(value, gast.YieldFrom):
            item = names.fresh("item")
            each = placed(gast.Yield(read(item, statement)), statement)
            body = marked(placed(gast.Expr(each), statement))
            target = placed(gast.Name(item, gast.Store(), None, None), statement)
            return [placed(gast.For(target, value.value, body, [], None), statement)]
        if isinstance(value, gast.Yield):
            given = value.value or placed(gast.Constant(None, None), statement)
            done: Statements = [_Yielded(given, statement)]
            if may_end:
                over = placed(gast.UnaryOp(gast.Not(), read(_GOES_ON, statement)), statement)
                done.append(placed(gast.If(over, [placed(gast.Return(None), statement)], []), statement))
            return done
        if not isinstance(statement, (*_FUNCTIONS, gast.ClassDef)):
            for owner in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                for field in ("body", "orelse", "finalbody"):
                    if isinstance(getattr(owner, field, None), list):
                        setattr(owner, field, block(getattr(owner, field)))
        return [statement]

    function.body = block(function.body)
    return function


class _Filling:
    """Puts the target and the body of a loop where the marks are."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop

    def statements(self, body: Statements) -> Statements:
        done: Statements = []
        for statement in body:
            if isinstance(statement, _Yielded):
                done.append(self._given(statement.value))
                done += [copied(each) for each in self._loop.body]
                continue
            for owner in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    inner = getattr(owner, field, None)
                    if isinstance(inner, list) and not isinstance(statement, _FUNCTIONS):
                        setattr(owner, field, self.statements(inner))
            done.append(statement)
        return done

    def _given(self, value: Node) -> Node:
        """What takes the value of a `yield`: a `with` may have no name for it."""
        if self._loop.target is None:
            return placed(gast.Expr(value), self._loop)
        return placed(gast.Assign([copied(self._loop.target)], value, None), self._loop)


def copied(node: Any) -> Any:
    """A statement or expression with nodes of its own: the liveness of names is kept by node."""
    made = copy.copy(node)
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            setattr(made, field, [copied(v) if isinstance(v, gast.AST) else v for v in value])
        elif isinstance(value, gast.AST):
            setattr(made, field, copied(value))
    return made


class _Renaming(gast.NodeTransformer):  # type: ignore[misc]
    """Gives the names of the generator those that they have in the caller's scope."""

    def __init__(self, names: dict[str, str], frame: Any) -> None:
        self._names, self._frame = names, frame
        self._inner: list[set[str]] = []  # names that functions and comprehensions around the node bind

    def visit_Name(self, node: Node) -> Node:
        if any(node.id in bound for bound in self._inner):
            return node
        if node.id in self._names:
            node.id = self._names[node.id]
            return node
        return Elsewhere(node, self._frame) if isinstance(node.ctx, gast.Load) else node

    def visit_For(self, node: Node) -> Node:
        if hasattr(node, "flag") and not self._inner:
            node.flag = self._names[node.flag]
        return self.generic_visit(node)

    def visit_alias(self, node: Node) -> Node:
        name = _name_of(node)
        if not self._inner and self._names.get(name, name) != name:
            node.asname = self._names[name]
        return node

    def visit_FunctionDef(self, node: Node) -> Node:
        if not any(node.name in bound for bound in self._inner):
            node.name = self._names.get(node.name, node.name)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return self._function(node, stored_names(node.body))

    def visit_Lambda(self, node: Node) -> Node:
        return self._function(node, set())

    def _function(self, node: Node, stored: set[str]) -> Node:
        arguments = node.args
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]
        shared = {
            name
            for inner in gast.walk(node)
            if isinstance(inner, (gast.Nonlocal, gast.Global))
            for name in inner.names
        }
        self._inner.append((stored | {a.id for a in _parameters(node)}) - shared)
        try:
            node.body = (
                [self.visit(s) for s in node.body] if isinstance(node.body, list) else self.visit(node.body)
            )
        finally:
            self._inner.pop()
        return node

    def _comprehension(self, node: Node) -> Node:
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        self._inner.append(stored_names([g.target for g in node.generators]))
        try:
            for generator in node.generators:
                if generator is not first:
                    generator.iter = self.visit(generator.iter)
                generator.ifs = [self.visit(test) for test in generator.ifs]
            for field in ("elt", "key", "value"):
                if hasattr(node, field):
                    setattr(node, field, self.visit(getattr(node, field)))
        finally:
            self._inner.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def given(names: dict[str, str], env: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the generator under the names that they have in the caller's scope."""
    return {names[name]: value for name, value in env.items() if name in names}
