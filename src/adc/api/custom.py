"""`custom_vjp`, `custom_jvp`, `checkpoint` and `stop_gradient`: derivatives as the user wants them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api.arguments import Parameters
from adc.api.functions import taken_apart
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_float
from adc.compiler.transforms import nested, opaque
from adc.errors import ArgumentError, DerivativeError, ShapeError
from adc.rules import registry
from adc.tape.function import Function

__all__ = [
    "Checkpointed",
    "CustomJvp",
    "CustomVjp",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "stop_gradient",
]


class _Custom:
    """A function that derivatives pass as one operation. Calling it on plain arguments calls the function."""

    def __init__(self, function: Callable[..., Any], nondiff_argnums: Sequence[int]) -> None:
        self.function = function
        self.parameters = Parameters(taken_apart(function)[0])
        count = self.parameters.layout.positional
        self.nondiff = tuple(sorted({k + count if k < 0 else k for k in nondiff_argnums}))
        functools.update_wrapper(self, function)
        self.__adc_primal__ = function

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self.function, '__qualname__', self.function)}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        positional = self._positional(args, kwargs)
        if any(isinstance(leaf, tape.Tensor) for leaf in pytree.leaves(positional)):
            return self._on_tape(positional)
        return self.function(*positional)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call means inside a function that is being compiled: one opaque operation."""
        positional = self._positional(args, kwargs)
        if self in ev.open_rules:
            return ev.call(self.function, positional, {})  # its own forward rule calls it
        plain = [nested.without_lists(a) for a in positional]
        leaves, structure = pytree.flatten(plain)

        def arguments(values: Sequence[Any]) -> list[Any]:
            return [nested.with_lists(a, ev) for a in pytree.unflatten(structure, values)]

        name = getattr(self.function, "__name__", "function")
        rule = self._rule(arguments, plain)
        return rule.taken(opaque.call(ev, name, leaves, rule.forward(ev), rule, captures=rule.captures))

    def _positional(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        if not kwargs and len(args) == self.parameters.layout.positional:
            return list(args)
        layout, values = self.parameters.bind(tuple(args), kwargs)
        if layout.positional != len(values):
            raise ArgumentError(
                f"`{self.__name__}` has keyword-only arguments, which a custom rule does not take",  # type: ignore[attr-defined]
                repair="Make them positional.",
            )
        return list(values)

    def differentiable(self, args: Sequence[Any]) -> list[Any]:
        """The arguments that the rule is about."""
        return [a for k, a in enumerate(args) if k not in self.nondiff]

    def others(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of `nondiff_argnums`, which a rule is given first."""
        return [args[k] for k in self.nondiff]

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> _Rule:
        raise NotImplementedError

    def _on_tape(self, args: list[Any]) -> Any:
        raise NotImplementedError


class _Rule(opaque.Rule):
    """A rule on containers, for the compiler's leaves."""

    captures = False

    def __init__(
        self, custom: Any, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]
    ) -> None:
        self.custom = custom
        self.arguments = arguments
        self.plain = plain

    def forward(self, ev: Evaluator) -> Callable[[list[Any]], Any]:
        return lambda leaves: ev.call(self.custom.function, self.arguments(leaves), {})

    def taken(self, output: Any) -> Any:
        """The function's result, of what the operation returns."""
        self.form = nested.Leaves(output)
        return output

    def spread(self, ev: Evaluator, leaves: list[Any], bars: Sequence[Any]) -> list[Any]:
        """Adjoints per differentiable argument as adjoints per leaf of all arguments."""
        expected = len(self.plain) - len(self.custom.nondiff)
        if not isinstance(bars, (tuple, list)) or len(bars) != expected:
            raise ev.refuse(
                f"the rule of `{self.custom.__name__}` returns {nested.described(bars)}, and the function has "
                f"{expected} differentiable arguments",
                repair="return a tuple with one adjoint per argument",
            )
        rest = iter(bars)
        found: list[Any] = []
        position = 0
        for k, argument in enumerate(self.plain):
            mine, structure = pytree.flatten(argument)
            bar = None if k in self.custom.nondiff else next(rest)
            parts: list[Any] = [None] * len(mine)
            if bar is not None:
                parts, its_structure = pytree.flatten(nested.without_lists(bar))
                if its_structure != structure:
                    raise ev.refuse(
                        f"the rule of `{self.custom.__name__}` returns an adjoint of the structure "
                        f"{its_structure} for an argument of the structure {structure}"
                    )
            for part, leaf in zip(parts, leaves[position : position + len(mine)], strict=True):
                fits = part is not None and isinstance(leaf, Var) and is_float(leaf.type)
                found.append(nested.fitting(ev, part, leaf, "adjoint") if fits else None)
            position += len(mine)
        return found


def _differentiable(leaves: Sequence[Any]) -> list[int]:
    """The positions of the leaves that carry derivatives."""
    return [k for k, x in enumerate(leaves) if isinstance(x, Var) and is_float(x.type)]


def _materialised(ev: Evaluator, results: Sequence[Any], bars: Sequence[Any]) -> list[Any]:
    """Adjoints, zeros in place of those that nothing gave."""
    return [
        b if b is not None else ev.zeros_like(x) if isinstance(x, Var) and x.is_array else 0.0
        for x, b in zip(results, bars, strict=True)
    ]


def _added(ev: Evaluator, mine: list[Any], others: list[Any]) -> list[Any]:
    return [
        b if a is None else a if b is None else ev.op("add", a, b) for a, b in zip(mine, others, strict=True)
    ]


# --- custom_vjp -------------------------------------------------------------------------------------------------


class CustomVjp(_Custom):
    """A function with a reverse rule of the user's; made by `custom_vjp`."""

    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the rule: `fwd(*args) -> (result, residuals)`, `bwd(*nondiff_args, residuals, bar) -> adjoints`.

        `bwd` returns a tuple with one adjoint per differentiable argument, of its container and shapes; None for an
        argument without one.
        """
        self.fwd, self.bwd = fwd, bwd

    def rule(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Fwd and bwd. Raises DerivativeError before `defvjp`."""
        if self.fwd is None or self.bwd is None:
            raise DerivativeError(
                f"`{self.__name__}` is a custom_vjp without a rule",  # type: ignore[attr-defined]
                repair="Give it one with defvjp(fwd, bwd).",
            )
        return self.fwd, self.bwd

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> _Rule:
        return _PullRule(self, arguments, plain)

    def _on_tape(self, args: list[Any]) -> Any:
        fwd, bwd = self.rule()
        leaves, structure = pytree.flatten(args)
        memory: dict[str, Any] = {}

        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*[v for v in values if isinstance(v, tape.Tensor)])
            output, memory["residuals"] = fwd(*pytree.unflatten(structure, map(_plain, values)))
            return _as_results(output, memory)

        def backward(ctx: Any, *bars: Any) -> Any:
            if not tape.is_grad_enabled():
                bar = pytree.unflatten(memory["structure"], map(_plain, bars))
                return _tape_adjoints(self, args, bwd(*self.others(args), memory["residuals"], bar))
            # It is itself differentiated: the residuals must be part of the graph.
            given = _again(ctx, leaves, structure)
            _, residuals = fwd(*given)
            found = bwd(*self.others(given), residuals, pytree.unflatten(memory["structure"], bars))
            return _tape_adjoints(self, args, found)

        return _applied(self, forward, backward, leaves, memory)


class _PullRule(_Rule):
    def forward(self, ev: Evaluator) -> Callable[[list[Any]], Any]:
        fwd, _ = self.custom.rule()

        def forward(leaves: list[Any]) -> Any:
            ev.open_rules.append(self.custom)
            try:
                return tuple(ev.call(fwd, self.arguments(leaves), {}))
            finally:
                ev.open_rules.pop()

        return forward

    def taken(self, output: Any) -> Any:
        self.form = nested.Leaves(output)  # of (result, residuals)
        result, self.residuals = output
        self.result = nested.Leaves(result)
        return result

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        count = len(self.result.atoms)
        found: list[Any] = [None] * len(leaves)
        if any(b is not None for b in bars[:count]):
            found = self._through_result(ev, leaves, results, bars)
        if any(b is not None for b in bars[count:]):
            # Under a second sweep: residuals depend on the arguments as the text of `fwd` says.
            found = _added(ev, found, self._through_residuals(ev, leaves, results, bars))
        return found

    def _through_result(
        self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]
    ) -> list[Any]:
        _, bwd = self.custom.rule()
        count = len(self.result.atoms)
        _, residuals = self.form.filled([ev.atom(r) for r in results])
        bar = self.result.filled([ev.atom(b) for b in _materialised(ev, results[:count], bars[:count])])
        others = self.custom.others(self.arguments(leaves))
        return self.spread(ev, leaves, ev.call(bwd, [*others, residuals, bar], {}))

    def _through_residuals(
        self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]
    ) -> list[Any]:
        count = len(self.result.atoms)
        wanted = [k for k in range(count, len(results)) if bars[k] is not None]
        evaluate = self.forward(ev)

        def residuals(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            numbers = [
                x for x in pytree.leaves(nested.without_lists(evaluate(list(args)))) if nested.is_number(x)
            ]
            return [numbers[k] for k in wanted]

        chosen = _differentiable(leaves)
        inlined = opaque.Inlined(residuals)
        pulled = nested.pulled(ev, inlined, leaves, {}, chosen, lambda _: [bars[k] for k in wanted])[2]
        by_leaf = dict(zip(chosen, pulled, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]


@registry.static
def custom_vjp(function: Callable[..., Any] | None = None, nondiff_argnums: Sequence[int] = ()) -> Any:
    """A function whose reverse-mode derivative you give yourself; a decorator, or called on a function.

    `f.defvjp(fwd, bwd)` sets the rule, as in JAX: `fwd(*args)` returns `(result, residuals)`, and
    `bwd(*nondiff_args, residuals, bar)` returns a tuple of adjoints, one per argument that is not in `nondiff_argnums`,
    or None. All three are ordinary functions, compiled with the rest. Use it where the derivative of the text is not
    what you want: at fixed points, for numerically better formulas, to clip gradients.

    Raises `DerivativeError` when it is differentiated without a rule, `UnsupportedError` in forward mode (use
    `custom_jvp`) and for adjoints that do not fit.

    >>> import adc
    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda residuals, bar: (min(bar, 1.0),))
    >>> adc.grad(lambda x: 5.0 * clipped(x))(2.0)
    1.0
    """

    def decorate(f: Callable[..., Any]) -> CustomVjp:
        return CustomVjp(f, nondiff_argnums)

    return decorate if function is None else decorate(function)


# --- custom_jvp -------------------------------------------------------------------------------------------------


class CustomJvp(_Custom):
    """A function with a forward rule of the user's; made by `custom_jvp`."""

    jvp: Callable[..., Any] | None = None

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule: `jvp(*nondiff_args, primals, tangents) -> (result, tangent)`; can be a decorator."""
        self.jvp = jvp
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Set the rule by one function per differentiable argument, as in JAX: `jvp(tangent, result, *primals)`.

        Their results are added up. None stands for an argument that carries no derivative.
        """
        if self.nondiff:
            raise ArgumentError(
                "defjvps is for functions without nondiff_argnums", repair="Give one rule with defjvp."
            )
        function = self.function

        def rule(primals: Any, tangents: Any) -> Any:
            result = function(*primals)
            total = None
            for jvp, tangent in zip(jvps, tangents):  # noqa: B905  # the compiler reads this function, too
                if jvp is not None:
                    part = jvp(tangent, result, *primals)
                    total = part if total is None else total + part
            return result, 0.0 * result if total is None else total

        self.jvp = rule

    def rule(self) -> Callable[..., Any]:
        """The rule. Raises DerivativeError before `defjvp`."""
        if self.jvp is None:
            raise DerivativeError(
                f"`{self.__name__}` is a custom_jvp without a rule",  # type: ignore[attr-defined]
                repair="Give it one with defjvp.",
            )
        return self.jvp

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> _Rule:
        return _PushRule(self, arguments, plain)

    def _on_tape(self, args: list[Any]) -> Any:
        jvp = self.rule()
        leaves, structure = pytree.flatten(args)
        memory: dict[str, Any] = {}

        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*[v for v in values if isinstance(v, tape.Tensor)])
            return _as_results(self.function(*pytree.unflatten(structure, map(_plain, values))), memory)

        def backward(ctx: Any, *bars: Any) -> Any:
            given = _again(ctx, leaves, structure)
            mine = self.differentiable(given)
            zeros = [pytree.map_structure(lambda x: np.zeros_like(_plain(x)) * 1.0, a) for a in mine]

            def tangent(*dots: Any) -> Any:
                return jvp(*self.others(given), tuple(mine), tuple(dots))[1]

            pull = tape.vjp(tangent, *zeros)[1]
            return _tape_adjoints(self, args, pull(pytree.unflatten(memory["structure"], bars)))

        return _applied(self, forward, backward, leaves, memory)


class _PushRule(_Rule):
    def _given(self, leaves: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        arguments = self.arguments(leaves)
        return self.custom.others(arguments), tuple(self.custom.differentiable(arguments))

    def push(self, ev: Evaluator, leaves: list[Any], results: list[Any], dots: list[Any]) -> list[Any]:
        others, primals = self._given(leaves)
        _, tangents = self._given(dots)
        answer = ev.call(self.custom.rule(), [*others, primals, tangents], {})
        found, structure = pytree.flatten(nested.without_lists(answer[1]))
        if structure != self.form.structure:
            raise ev.refuse(
                f"the rule of `{self.custom.__name__}` returns a tangent of the structure {structure}, and "
                f"the function a result of the structure {self.form.structure}"
            )
        numbers = [d for d, x in zip(found, self.form.leaves, strict=True) if nested.is_number(x)]
        return [
            nested.fitting(ev, d, x, "tangent") if isinstance(x, Var) and is_float(x.type) else 0.0
            for d, x in zip(numbers, results, strict=True)
        ]

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        """The transpose of the push, which is linear in the tangents: its reverse sweep at tangents of zero."""

        def tangent(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            dots = self.push(ev, leaves, results, list(args))
            return [d for d, x in zip(dots, results, strict=True) if isinstance(x, Var) and is_float(x.type)]

        wanted = _differentiable(leaves)
        bars = _materialised(ev, results, bars)
        zeros = [ev.zeros_like(x) if isinstance(x, Var) and x.is_array else 0.0 for x in leaves]
        kept = [b for b, x in zip(bars, results, strict=True) if isinstance(x, Var) and is_float(x.type)]
        bars_of = nested.pulled(ev, opaque.Inlined(tangent), zeros, {}, wanted, lambda _: kept)[2]
        by_leaf = dict(zip(wanted, bars_of, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]


@registry.static
def custom_jvp(function: Callable[..., Any] | None = None, nondiff_argnums: Sequence[int] = ()) -> Any:
    """A function whose derivative you give as a forward rule; it serves both modes.

    `f.defjvp(jvp)` sets the rule, as in JAX: `jvp(*nondiff_args, primals, tangents)` returns `(result, tangent)`, where
    the tangent is linear in the tangents. Reverse mode transposes it. Parameters are those of `custom_vjp`.

    Raises `DerivativeError` when it is differentiated without a rule, `UnsupportedError` for tangents that do not fit.

    >>> import adc, numpy as np
    >>> @custom_jvp
    ... def log1pexp(x):
    ...     return np.logaddexp(0.0, x)
    >>> @log1pexp.defjvp
    ... def log1pexp_jvp(primals, tangents):
    ...     x, = primals
    ...     return log1pexp(x), tangents[0] / (1.0 + np.exp(-x))
    >>> adc.grad(log1pexp)(0.0)
    0.5
    """

    def decorate(f: Callable[..., Any]) -> CustomJvp:
        return CustomJvp(f, nondiff_argnums)

    return decorate if function is None else decorate(function)


# --- checkpoint -------------------------------------------------------------------------------------------------


class Checkpointed(_Custom):
    """A function whose inside is computed again in the reverse sweep; made by `checkpoint`."""

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> _Rule:
        return _AgainRule(self, arguments, plain)

    def _on_tape(self, args: list[Any]) -> Any:
        leaves, structure = pytree.flatten(args)
        memory: dict[str, Any] = {}

        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*[v for v in values if isinstance(v, tape.Tensor)])
            return _as_results(self.function(*pytree.unflatten(structure, map(_plain, values))), memory)

        def backward(ctx: Any, *bars: Any) -> Any:
            given = pytree.leaves(_again(ctx, leaves, structure))
            wanted = [k for k, x in enumerate(leaves) if isinstance(x, tape.Tensor)]

            def again(*values: Any) -> Any:
                return self.function(*pytree.unflatten(structure, values))

            found = tape.vjp(again, *given, argnums=wanted)[1](pytree.unflatten(memory["structure"], bars))
            by_leaf = dict(zip(wanted, found, strict=True))
            return tuple(_as_tensor(by_leaf.get(k)) for k in range(len(leaves)))

        return _applied(self, forward, backward, leaves, memory)


class _AgainRule(_Rule):
    def _again(self) -> Any:
        def inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            output = nested.without_lists(ev.call(self.custom.function, self.arguments(list(args)), {}))
            return [x for x in pytree.leaves(output) if nested.is_number(x)]

        return opaque.Inlined(inline)

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        chosen = _differentiable(leaves)
        given = _materialised(ev, results, bars)
        found = nested.pulled(ev, self._again(), leaves, {}, chosen, lambda _: given)[2]
        by_leaf = dict(zip(chosen, found, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]

    def push(self, ev: Evaluator, leaves: list[Any], results: list[Any], dots: list[Any]) -> list[Any]:
        chosen = _differentiable(leaves)
        found = nested.pushed(ev, self._again(), leaves, {}, chosen, [dots[k] for k in chosen])[1]
        return list(found)


@registry.static
def checkpoint(function: Callable[..., Any]) -> Checkpointed:
    """A function that keeps nothing but its arguments for the reverse sweep, which computes the rest again.

    Memory for time: the body runs twice, and what it would keep lives only while the sweep is inside it. Use it on the
    body of a long loop. As a decorator, or called on a function; the result has the function's signature.

    >>> import adc, numpy as np
    >>> @checkpoint
    ... def step(x):
    ...     return np.sin(x) * np.exp(-x)
    >>> round(adc.grad(lambda x: step(step(x)))(0.5), 6)
    0.121212
    """
    return Checkpointed(function, ())


# --- stop_gradient ----------------------------------------------------------------------------------------------


def stop_gradient(x: Any) -> Any:
    """`x` as it is, taken as a constant by every derivative.

    `x` is a number, an array, or a container of them; integers and other leaves pass through. Arrays are copied in
    compiled code, so later writes to `x` do not reach the result.

    >>> import adc
    >>> adc.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return pytree.map_structure(_detached, x)


def _detached(leaf: Any) -> Any:
    return leaf.detach() if isinstance(leaf, tape.Tensor) else leaf


def _inline_stop(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    x = args[0] if args else kwargs["x"]

    def held(leaf: Any) -> Any:
        return ev.op(registry.named("held"), leaf) if isinstance(leaf, Var) and is_float(leaf.type) else leaf

    return nested.with_lists(pytree.map_structure(held, nested.without_lists(x)), ev)


stop_gradient.__adc_inline__ = _inline_stop  # type: ignore[attr-defined]


# --- on the tape ------------------------------------------------------------------------------------------------


def _plain(x: Any) -> Any:
    value = x.primal if isinstance(x, tape.Tensor) else x
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _again(ctx: Any, leaves: list[Any], structure: pytree.Structure) -> Any:
    """The arguments of a recorded call, its Tensors as parts of the graph."""
    saved = iter(ctx.saved_tensors)
    return pytree.unflatten(structure, [next(saved) if isinstance(x, tape.Tensor) else x for x in leaves])


def _as_tensor(x: Any) -> Any:
    return x if x is None or isinstance(x, tape.Tensor) else tape.tensor(np.asarray(x))


def _as_results(output: Any, memory: dict[str, Any]) -> tuple[Any, ...]:
    leaves, memory["structure"] = pytree.flatten(output)
    return tuple(_as_tensor(leaf) for leaf in leaves)


def _tape_adjoints(custom: _Custom, args: list[Any], bars: Any) -> tuple[Any, ...]:
    """One adjoint per leaf of the arguments, from one per differentiable argument."""
    rest = iter(bars)
    found: list[Any] = []
    for k, argument in enumerate(args):
        leaves = pytree.leaves(argument)
        bar = None if k in custom.nondiff else next(rest)
        parts = [None] * len(leaves) if bar is None else pytree.leaves(bar)
        for part, leaf in zip(parts, leaves, strict=True):
            if part is not None and np.shape(_plain(part)) != np.shape(_plain(leaf)):
                raise ShapeError(
                    f"the rule of `{custom.__name__}` returns an adjoint of the shape "  # type: ignore[attr-defined]
                    f"{np.shape(_plain(part))} for an argument of the shape {np.shape(_plain(leaf))}"
                )
            found.append(_as_tensor(part))
    return tuple(found)


def _applied(custom: _Custom, forward: Any, backward: Any, leaves: list[Any], memory: dict[str, Any]) -> Any:
    """Record the call as one node of the tape."""
    name = getattr(custom.function, "__name__", "function")
    kind = type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
    results = kind.apply(*leaves)  # type: ignore[attr-defined]
    return pytree.unflatten(memory["structure"], results)
