"""`with`: what a context manager does before its body and behind it are statements like others.

`with Scaled(k) as s: body` calls `__enter__`, runs the body and calls `__exit__`. A function under
`contextlib.contextmanager` is a generator, and its `with` the loop over it: the body stands at the `yield`.

Generated code has no handlers: a manager that may swallow what its body raises is refused where that may raise.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend import attempts, generators, instances
from adc.compiler.frontend.desugar_flow import LOOPS, own_nodes
from adc.compiler.frontend.desugar_syntax import placed
from adc.compiler.frontend.frame import Evaluated, Generator, Instance, SurelyRaised
from adc.compiler.frontend.inlined_generators import copied
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Block, Var
from adc.pytree import whole

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.statements import Statements

_DECORATED = contextlib.contextmanager(lambda: iter(())).__code__


@whole
@dataclass(eq=False)
class Managed:
    """What a call of a function under `contextlib.contextmanager` gives."""

    generator: Generator
    run_time = True


def decorated(function: Value) -> Callable[..., Value] | None:
    """The function that `contextlib.contextmanager` was given; None for others."""
    found = isinstance(function, types.FunctionType) and function.__code__ is _DECORATED
    return function.__wrapped__ if found else None


def made(self: Calls, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Managed:
    """What the function under the decorator gives."""
    generator = self.call(function, args, kwargs)
    if not isinstance(generator, Generator):
        raise self.refuse("contextlib.contextmanager is given a function that does not yield")
    return Managed(generator)


def entered(self: Statements, node: Any) -> None:
    """The statement `with`: the first of its managers, and the rest inside."""
    item, *others = node.items
    inner = node.body
    recalled = getattr(node, "refused_if_it_swallows", None)
    if hasattr(node, "refused"):
        _refuse_recalled(self, node.refused)
    if others:
        rest = placed(gast.With(others, node.body, None), node)
        if recalled:
            rest.refused_if_it_swallows = recalled
        self.frame.liveness.after[id(rest)] = self.frame.liveness.after[id(node)]  # type: ignore[union-attr]
        inner = [rest]
    with self.origin_at(self.locate(item.context_expr)):
        if _is_suppress(self, item.context_expr):
            if recalled:
                _refuse_recalled(self, recalled)
            handler = _handler(item.context_expr, node)
            guarded = placed(gast.Try(inner, [handler], [], []), node)
            self.frame.liveness.after[id(guarded)] = self.frame.liveness.after[id(node)]  # type: ignore[union-attr]
            self.execute(guarded)
            return
        manager = self.evaluate(item.context_expr)
        if recalled and _may_swallow(self, manager):
            _refuse_recalled(self, recalled)
        if isinstance(manager, Managed):
            _written_out(self, node, item.optional_vars, manager.generator, inner)
        elif isinstance(manager, Instance):
            _around(self, item.optional_vars, manager, inner)
        elif isinstance(manager, _Nothing):
            if item.optional_vars is not None:
                self.bind(item.optional_vars, manager.value)
            self.execute_all(inner)
        else:
            raise self.refuse(
                "`with` is only supported for objects that the function makes, what "
                "contextlib.contextmanager makes, and np.errstate",
                repair="enter the context outside the function",
            )


def _around(self: Statements, target: Any, manager: Instance, body: list[Any]) -> None:
    """The body between `__enter__` and `__exit__`."""
    value = instances.called(self, manager, "__enter__")
    if target is not None:
        self.bind(target, value)
    swallows = _may_swallow(self, manager)
    block, start = self.block, len(self.block)
    try:
        self.execute_all(body)
    except Exception as raised:
        exception = raised.exception if isinstance(raised, SurelyRaised) else raised
        depth = raised.depth if isinstance(raised, SurelyRaised) else 0
        if not (isinstance(raised, SurelyRaised) or hasattr(exception, "__adc_raised__")):
            raise  # not the user's, but of the compiler
        if depth != self.region_depth:
            raise
        if swallows:
            _refuse_swallowed(self, block[start:])
        answer = instances.called(self, manager, "__exit__", type(exception), exception, None)
        answer = self.truth(answer)
        if isinstance(answer, Var):
            raise self.refuse(
                "whether a context manager swallows an exception is only known at run time",
                repair="test the condition with `if`",
            ) from raised
        if not answer:
            raise
        return
    if swallows:
        _refuse_swallowed(self, block[start:])
    attempts.always(self, block, start, lambda: instances.called(self, manager, "__exit__", None, None, None))


def _refuse_recalled(self: Statements, why: str) -> None:
    raise self.refuse(
        "this `with` is not supported", why, "leave it without a jump, or move it out of the function"
    )


def _may_swallow(self: Statements, manager: Value) -> bool:
    """Whether `__exit__` returns what may count as true, or a generator handles what the body raises."""
    if isinstance(manager, Managed):
        return any(getattr(n, "handlers", None) for n in own_nodes(manager.generator.tree.body))
    if not isinstance(manager, Instance):
        return False
    found = instances.method(self, manager, "__exit__")
    tree = None if found is None else self.tree_of(found)
    returns = [] if tree is None else [n for n in own_nodes(tree.body) if isinstance(n, gast.Return)]
    return any(
        n.value is not None and not (isinstance(n.value, gast.Constant) and not n.value.value)
        for n in returns
    )


def _refuse_swallowed(self: Statements, body: Block) -> None:
    self.refuse_caught(body, "a context manager may swallow", Exception)


def _written_out(self: Statements, node: Any, target: Any, generator: Generator, body: list[Any]) -> None:
    """The loop over the generator, which comes to its one `yield` once."""
    if _yields(generator.tree.body) != 1:
        raise self.refuse(
            f"`{generator.tree.name}` under contextlib.contextmanager does not always yield once",
            "its `with` runs what stands before and behind the one `yield`",
            "yield once, outside loops, and do not return",
        )
    loop = placed(gast.For(target, None, body, [], None), node)
    self.frame.liveness.after[id(loop)] = self.frame.liveness.after[id(node)]  # type: ignore[union-attr]
    generators.loop(self, loop, generator)


def _yields(body: list[Any]) -> float:
    """How often a path through the statements yields; NaN where nobody can tell."""
    count: float = 0
    for statement in body:
        inside = [n for n in own_nodes([statement]) if isinstance(n, (gast.Yield, gast.YieldFrom))]
        if any(isinstance(n, gast.Return) for n in own_nodes([statement])):
            return float("nan")
        if not inside:
            continue
        if isinstance(statement, gast.If):
            both = _yields(statement.body), _yields(statement.orelse)
            count += both[0] if both[0] == both[1] else float("nan")
        elif isinstance(statement, gast.With):
            count += _yields(statement.body)
        elif isinstance(statement, gast.Try):
            count += _yields([*statement.body, *statement.orelse, *statement.finalbody])
        elif isinstance(statement, LOOPS) or any(isinstance(n, gast.YieldFrom) for n in inside):
            return float("nan")
        else:
            count += len(inside)
    return count


@whole
@dataclass(eq=False)
class _Nothing:
    """A manager that does nothing to the program; `value` is what `as` names."""

    value: Value
    run_time = True


def _errstate(self: Calls, **options: Value) -> _Nothing:
    """Generated code never warns, so np.errstate has nothing to do."""
    for said in options.values():
        if said in ("raise", "call"):
            raise self.refuse(
                f'np.errstate with "{said}" is not supported',
                "generated code goes on with infinity and NaN",
                "test with np.isfinite",
            )
    return _Nothing(None)


def _nullcontext(self: Calls, enter_result: Value = None) -> _Nothing:
    return _Nothing(enter_result)


def _catch_warnings(
    self: Calls, *, record: Value = False, action: Value = None, **options: Value
) -> _Nothing:
    if record is not False:
        raise self.refuse("warnings are recorded here", "generated code gives none", "leave `record` out")
    _filter_warnings(self, action)
    return _Nothing(None)


def _filter_warnings(self: Calls, action: Value, *args: Value, **options: Value) -> None:
    """Generated code gives no warnings: there is nothing to be left out, and nothing to be raised."""
    if action == "error":
        raise self.refuse("warnings become errors here", "generated code gives none", "test with np.isfinite")


def _is_suppress(self: Statements, expression: Any) -> bool:
    return isinstance(expression, gast.Call) and self.evaluate(expression.func) is contextlib.suppress


def _handler(call: Any, node: Any) -> Any:
    """`except (A, B): pass` for `contextlib.suppress(A, B)`."""
    kinds = placed(gast.Tuple([copied(a) for a in call.args], gast.Load()), call)
    return placed(gast.ExceptHandler(kinds, None, [placed(gast.Pass(), node)]), node)


TABLE: dict[Any, Callable[..., Value]] = {
    contextlib.contextmanager: lambda self, function: Evaluated(
        lambda *args, **kwargs: made(self, function, list(args), kwargs)
    ),
    contextlib.nullcontext: _nullcontext,
    np.errstate: _errstate,
    warnings.catch_warnings: _catch_warnings,
    warnings.simplefilter: _filter_warnings,
    warnings.filterwarnings: _filter_warnings,
}
