"""Execute statements: each kind of statement of the core language has a method here or below."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import gast

from adc.compiler.frontend import (
    attempts,
    caught,
    exceptions,
    generics,
    going_on,
    instances,
    later,
    list_middles,
    local_classes,
    managers,
    raising,
)
from adc.compiler.frontend.branches import chooses_with_effects
from adc.compiler.frontend.containers import Differs
from adc.compiler.frontend.frame import Closure, Frame, Growing, Instance, ListValue, SurelyRaised
from adc.compiler.frontend.functions import ReturnValue
from adc.compiler.frontend.known import require_known
from adc.compiler.frontend.loops import Loops
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import UNDEFINED, Value
from adc.compiler.ir.nodes import Block, Check, Const, Var, newest, walk
from adc.errors import ShapeError, UnsupportedError


class Statements(Loops):
    """The part of the evaluator that runs statements of the core language."""

    def execute_all(self, nodes: list[Any]) -> None:
        for k, node in enumerate(nodes):
            found = going_on.split(self, nodes, k) if self.going_on else None
            if found is not None:
                branch, rest = found
                going_on.run(self, branch)
                self.execute_all(rest)
                return
            self.execute(node)

    def execute(self, node: Any) -> None:
        method = getattr(self, f"exec_{type(node).__name__}", None)
        outer, self.statement_block = self.statement_block, self.block
        with self.origin_at(self.locate(node)):
            if method is None:
                raise self.refuse(
                    f"`{_statement_name(node)}` statements are not supported",
                    getattr(node, "refused", None) or "the compiler does not take this statement",
                    "write it with assignments, if, for and while",
                )
            try:
                if chooses_with_effects(node):
                    self._choosing(node, method)
                else:
                    method(node)
            except RecursionError:
                raise self.refuse(
                    "this has no end, or goes deeper than Python's stack",
                    "a loop or branch goes through all that an object holds, and objects may hold each other in a ring",
                    "let one hold the position of the other in a list",
                ) from None
        self.statement_block = outer

    def _choosing(self, node: Any, method: Callable[[Any], None]) -> None:
        """A statement in whose expressions a list may change on one path only."""
        mark = Mark(self)
        try:
            method(node)
        except Differs as differs:
            mark.back()
            self.before_both(differs, lambda: self._choosing(node, method))

    def exec_Expr(self, node: Any) -> None:
        if not isinstance(node.value, gast.Constant):
            self.evaluate_maybe(node.value)

    def exec_Pass(self, node: Any) -> None:
        return

    def exec_Global(self, node: Any) -> None:
        self.frame.of_module.update(node.names)
        for name in self._assigned(node, "of the module"):
            self.frame.left[name] = Place(operator.getitem, self.frame.globals, name)

    def exec_Nonlocal(self, node: Any) -> None:
        for name in self._assigned(node, "of an enclosing function"):
            cell = self._cell_outside(name)
            if cell is None:
                raise self.refuse(
                    f"`{name}` of an enclosing function is assigned here",
                    "it is bound otherwise than by assignments, too",
                    "return the value instead",
                )
            self.frame.left[name] = Place(getattr, cell, "cell_contents")

    def _assigned(self, node: Any, whose: str) -> list[str]:
        """The names of others, of those that a statement lists, which the function assigns."""
        written = sorted(set(node.names) & self.frame.stored)
        for name in written:
            if any(_defines(n, name) for n in gast.walk(self.frame.tree)):
                raise self.refuse_leaving(
                    f"`{name}` {whose} is bound otherwise than by an assignment",
                    "assign it: `n = ...`, or `n += ...`",
                )
        return written

    def _cell_outside(self, name: str) -> Any:
        """The variable of a function around the one that is differentiated; None of one that the program makes."""
        frame: Frame | None = self.frame
        while frame is not None and name not in frame.closure:
            if frame is not self.frame and (name in frame.env or name in frame.stored):
                return None
            frame = frame.parent
        return None if frame is None else frame.closure[name]

    def exec_Import(self, node: Any) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.frame.env[alias.asname or top] = self._module(alias.name, ("",) if alias.asname else ())

    def exec_ImportFrom(self, node: Any) -> None:
        names = tuple(alias.name for alias in node.names)
        module = self._module(node.module or "", names, node.level or 0)
        for alias in node.names:
            place = Place(getattr, module, alias.name)
            if not hasattr(module, alias.name):
                raise self._surely(ImportError(f"cannot import name '{alias.name}' from '{module.__name__}'"))
            self.frame.env[alias.asname or alias.name] = self.captured(place, alias.name)

    def _module(self, name: str, names: tuple[str, ...], level: int = 0) -> Any:
        """What `import` finds; a library may try what is not installed."""
        try:
            return builtins.__import__(name, self.frame.globals, None, names, level)
        except ImportError as error:
            raise self._surely(error) from error

    def _surely(self, error: Exception) -> SurelyRaised:
        return SurelyRaised(error, self.region_depth, self.origin)

    def exec_Return(self, node: Any) -> None:
        raise ReturnValue(None if node.value is None else later.evaluated(self, node.value))

    def exec_Delete(self, node: Any) -> None:
        for target in node.targets:
            if isinstance(target, gast.Name):
                if target.id in self.frame.left:
                    raise self.refuse_leaving(
                        f"`{target.id}` outside the function is deleted", "assign None to it"
                    )
                self.frame.env[target.id] = UNDEFINED
                continue
            if isinstance(target, gast.Attribute):
                owner = self.evaluate(target.value)
                with self.origin_at(self.locate(target)):
                    self.call(builtins.delattr, [owner, target.attr], {})
                continue
            container = self.evaluate(target.value) if isinstance(target, gast.Subscript) else None
            if instances.has_method(container, "__delitem__"):
                with self.origin_at(self.locate(target)):
                    instances.called(self, container, "__delitem__", self.evaluate(target.slice))
                continue
            if isinstance(container, Instance) or not isinstance(container, (ListValue, Growing, dict)):
                raise self.refuse(
                    "`del` of this element is not supported", repair="build the container without it"
                )
            index = self.evaluate(target.slice)
            with self.origin_at(self.locate(target)):
                self._delete(container, index)

    def _delete(self, container: ListValue | Growing | dict[Any, Value], index: Value) -> None:
        """`del container[index]`."""
        if isinstance(container, Growing):
            list_middles.delete(self, container, index)
            return
        require_known(
            self, index, container, "an element is deleted at an index that is only known at run time"
        )
        if not isinstance(index, slice):
            self.call(container.pop, [index], {})
            return
        for k in sorted(range(len(container))[index], reverse=True):
            self.call(container.pop, [k], {})

    def exec_FunctionDef(self, node: Any) -> None:
        value: Value = Closure(node, self.frame, self.default_values(node.args))
        for decorator in reversed(node.decorator_list):
            target = self.evaluate(decorator.func if isinstance(decorator, gast.Call) else decorator)
            if str(getattr(target, "__module__", "")).partition(".")[0] == "numba":
                continue  # it changes how the function runs, not what it computes
            with self.origin_at(self.locate(decorator)):
                value = self.call(self.evaluate(decorator), [value], {})
        self.frame.env[node.name] = value

    def exec_ClassDef(self, node: Any) -> None:
        self.frame.env[node.name] = local_classes.made(self, node)

    def exec_TypeAlias(self, node: Any) -> None:
        self.frame.env[node.name.id] = generics.TypeAliasType(node.name.id)

    def exec_TryStar(self, node: Any) -> None:
        with self.origin_at(self.locate(node.handlers[0])):
            raise self.refuse(
                "`except*` is not supported",
                "compiled code raises one exception, and no group of them",
                "write `except`",
            )

    def exec_Assert(self, node: Any) -> None:
        if not __debug__:  # `python -O` leaves it out, of generated code as well: nothing may rest on it
            return
        test = self.condition(node.test)
        message = () if node.msg is None else (self.said(self.evaluate(node.msg)),)
        if not isinstance(test, Var):
            if test:
                return
            if self.region_depth == 0:
                failed = AssertionError(*(m.value for m in message if isinstance(m, Const)))
                failed.__adc_raised__ = True  # type: ignore[attr-defined]
                raise failed
        reached = test if isinstance(test, Var) else Const(False)
        check = Check(reached, "AssertionError", message, self.origin, user=True)
        said = (m.value if isinstance(m, Const) else m for m in message)
        self.raised_by_user[check] = AssertionError(*said), newest()
        self.block.append(check)

    def exec_Raise(self, node: Any) -> None:
        raised = self.evaluate(node.exc) if node.exc is not None else None
        if isinstance(raised, type) and issubclass(raised, BaseException):
            raised = exceptions.made(self, raised, [], {})
        raised = exceptions.standing_for(self, raised)
        if not isinstance(raised, BaseException):
            raise self.refuse("`raise` of something that is not an exception known here")
        if self.region_depth == 0:
            raised.__adc_raised__ = True  # type: ignore[attr-defined]
            raise raised
        self.raise_here(raised)

    def exec_Try(self, node: Any) -> None:
        if getattr(node, "refused", None):
            raise self.refuse(
                "this `try` is not supported",
                node.refused,
                "leave it without a jump, or move it out of the function",
            )
        block, start = self.block, len(self.block)
        try:
            self._handled(node)
        except Exception as raised:
            if node.finalbody and attempts.surely_here(self, raised):
                self.execute_all(node.finalbody)
            raise
        attempts.always(self, block, start, lambda: self.execute_all(node.finalbody))

    def _handled(self, node: Any) -> None:
        """A `try` without its `finally`."""
        mark = Mark(self)
        try:
            self._tried(node)
        except _ChosenByRun as chosen:
            mark.back()
            try:
                attempts.run(self, node, chosen.refusal)
            except UnsupportedError:
                if not chosen.checked:
                    raise
                mark.back()
                self._tried(node, checks=True)

    def _tried(self, node: Any, checks: bool = False) -> None:
        """A `try` of which is known what is raised: nothing, or one exception wherever it is reached.

        Checks may stay: where one fails the program ends, and the tape takes over.
        """
        block, start = self.block, len(self.block)
        try:
            self._try(node)
        except ReturnValue:
            self._refuse_caught(node, block[start:], checks)
            raise
        except ShapeError as raised:
            if not node.handlers:
                raise
            raise self.refuse(
                "a `try` catches what lengths that do not fit raise",
                raised.what,
                "ask for the lengths with `if`",
            ) from raised
        except Exception as raised:
            exception = raised.exception if isinstance(raised, SurelyRaised) else raised
            if not hasattr(exception, "__adc_raised__") and exception is raised:
                raise  # not the user's, but of the compiler
            handler = next((h for h in node.handlers if self._handles(h, exception)), None)
            if handler is None:
                raise
            if isinstance(raised, SurelyRaised) and raised.depth != self.region_depth:
                raise _ChosenByRun(raised) from raised
            self._refuse_caught(node, block[start:], checks)
            if handler.name is not None:
                self.frame.env[handler.name.id] = exceptions.named(exception)
            self.execute_all(handler.body)
        else:
            self._refuse_caught(node, block[start:], checks)
            self.execute_all(node.orelse)

    def _try(self, node: Any) -> None:
        self.trying += bool(node.handlers)
        try:
            self.execute_all(node.body)
        finally:
            self.trying -= bool(node.handlers)

    def _refuse_caught(self, node: Any, body: Block, checks: bool) -> None:
        """Refuse a `try` with a handler for what its body may raise when the program runs."""
        for handler in node.handlers:
            wanted = Exception if handler.type is None else self.evaluate(handler.type)
            try:
                self.refuse_caught(body, "a `try` catches", wanted)
            except UnsupportedError as refusal:
                raise _ChosenByRun(refusal) from refusal
            found = (raising.exception_of(self, s) for s in walk(body) if isinstance(s, Check))
            if not checks and any(isinstance(exception, wanted) for exception in found):
                raise _ChosenByRun(self.refuse("a `try` catches what this raises"), checked=True)

    def refuse_caught(self, body: Block, who: str, wanted: Any) -> None:
        """Refuse statements that may raise exceptions of such classes when the program runs."""
        for stmt, kind in caught.raised(body):
            if issubclass(kind, wanted) and (stmt, kind) not in self.tested_for:
                with self.origin_at(stmt.origin):
                    raise self.refuse(
                        f"{who} the {kind.__name__} that this may raise",
                        "whether it does is only known at run time, and generated code has no handlers",
                        "test for it with `if`",
                    )

    def _handles(self, handler: Any, exception: BaseException) -> bool:
        return handler.type is None or isinstance(exception, self.evaluate(handler.type))

    def attempted(self, node: Any) -> None:
        attempts.made(self, node)

    def exec_With(self, node: Any) -> None:
        managers.entered(self, node)


class _ChosenByRun(Exception):
    """Which handler of a `try` there is to run, if any, is only known when the program runs.

    `checked`: all that may be raised is a check of the user's.
    """

    def __init__(self, refusal: UnsupportedError, checked: bool = False) -> None:
        super().__init__()
        self.refusal = refusal
        self.checked = checked


def _statement_name(node: Any) -> str:
    return {
        "Try": "try",
        "AsyncFor": "async for",
        "AsyncWith": "async with",
        "ClassDef": "class",
        "Nonlocal": "nonlocal",
        "Match": "match",
    }.get(type(node).__name__, type(node).__name__.lower())


def _defines(node: Any, name: str) -> bool:
    """Whether a statement gives a name to a function, a class, a module, an exception or a part of a pattern."""
    names = [getattr(node, word, None) for word in ("name", "asname", "rest")]
    if isinstance(node, gast.alias):
        names.append(node.name.partition(".")[0])
    return name in names
