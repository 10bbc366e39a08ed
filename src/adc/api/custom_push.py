"""`custom_jvp`: a function whose forward rule is the user's; reverse mode transposes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api.custom import Custom, Rule, differentiable, held_by_variables, materialised, sets_rule
from adc.api.custom_node import Later, adjoints, again, applied, as_results, own_plain, plain, watching
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_float
from adc.compiler.leaves import is_number, without_lists
from adc.compiler.results import described
from adc.compiler.transforms import nested, opaque
from adc.errors import ArgumentError, DerivativeError, ShapeError
from adc.rules import registry

__all__ = ["CustomJvp", "custom_jvp"]

# Whose rules are being transposed. One that is met again stands within its own rule, on what comes from the tangents:
# `return f(x), f(x_dot)`. There its rule would ask for its rule without end; its body is its derivative, as in JAX.
_transposed: ContextVar[tuple[Any, ...]] = ContextVar("transposed", default=())


class CustomJvp(Custom):
    """A function with a forward rule of the user's; made by `custom_jvp`."""

    given = ("jvp",)
    jvp: Callable[..., Any] | None = None

    @sets_rule
    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule: `jvp(*nondiff_args, primals, tangents) -> (result, tangent)`; can be a decorator."""
        self.jvp = jvp
        return jvp

    @sets_rule
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

    @property
    def has_rule(self) -> bool:
        """Whether a derivative was given."""
        return self.jvp is not None

    def rule(self) -> Callable[..., Any]:
        """The rule. Raises DerivativeError before `defjvp`."""
        if self.jvp is None:
            raise DerivativeError(
                f"`{self.__name__}` is a custom_jvp without a rule",
                repair="Give it one with defjvp.",
            )
        return self.jvp

    def tangent(self, answer: Any, ev: Evaluator | None = None) -> Any:
        """The tangent in what the rule returns. Raises DerivativeError unless that is a pair; `ev` knows the place."""
        if isinstance(answer, (tuple, list)) and len(answer) == 2:
            return answer[1]
        what = f"the rule of `{self.__name__}` returns {described(answer)}"
        repair = "Return a pair: the result, and its tangent."
        raise DerivativeError(what, repair=repair) if ev is None else ev.refuse(what, repair=repair)

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> Rule:
        return _PushRule(self, arguments, plain)

    def _on_tape(self, args: list[Any]) -> Any:
        later = Later(self, args, (self.rule(),))
        leaves, structure = pytree.flatten(args)
        memory: dict[str, Any] = {}
        watched = watching()

        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*[v for v in values if isinstance(v, tape.Tensor)])
            with watched:
                output = self.function(*own_plain(structure, values))
            return as_results(self, output, memory)

        def backward(ctx: Any, *bars: Any) -> Any:
            (jvp,), others = later.read()
            given = again(ctx, leaves, structure)
            mine = self.differentiable(given)
            if self in _transposed.get():  # applied to its own tangents, in which it is linear
                _, pull = tape.vjp(lambda *own: self.function(*self._filled(given, own)), *mine)
                return adjoints(self, args, pull(pytree.unflatten(memory["structure"], bars)))
            zeros = [pytree.map_structure(lambda x: np.zeros_like(plain(x)) * 1.0, a) for a in mine]

            def tangent(*dots: Any) -> Any:
                return self.tangent(jvp(*others, tuple(mine), tuple(dots)))

            found, pull = tape.vjp(tangent, *zeros)
            self._require_alike(found, bars)
            token = _transposed.set((*_transposed.get(), self))
            try:
                return adjoints(self, args, pull(pytree.unflatten(memory["structure"], bars)))
            finally:
                _transposed.reset(token)

        return applied(self, forward, backward, leaves, memory, later)

    def _filled(self, args: Sequence[Any], mine: Sequence[Any]) -> list[Any]:
        """The arguments of a call with others in place of those that the rule is about."""
        rest = iter(mine)
        return [a if k in self.nondiff else next(rest) for k, a in enumerate(args)]

    def _require_alike(self, found: Any, bars: Sequence[Any]) -> None:
        """Raise ShapeError where the rule's tangent has another shape than the result."""
        shapes, wanted = [[np.shape(plain(x)) for x in part] for part in (pytree.leaves(found), bars)]
        if shapes != wanted:
            raise ShapeError(
                f"the rule of `{self.__name__}` returns a tangent of the shape {shapes}, and the function a result "
                f"of the shape {wanted}",
                repair="Return a tangent for the result, of its shape.",
            )


class _PushRule(Rule):
    def forward(self, ev: Evaluator) -> Callable[[list[Any]], Any]:
        evaluate = super().forward(ev)
        return lambda leaves: held_by_variables(ev, evaluate(leaves))

    def _given(self, leaves: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        arguments = self.arguments(leaves)
        return self.custom.others(arguments), tuple(self.custom.differentiable(arguments))

    def push(self, ev: Evaluator, leaves: list[Any], results: list[Any], dots: list[Any]) -> list[Any]:
        others, primals = self._given(leaves)
        _, tangents = self._given(dots)
        answer = ev.call(self.custom.rule(), [*others, primals, tangents], {})
        found, structure = pytree.flatten(self.custom.tangent(without_lists(answer), ev))
        if structure != self.form.structure:
            raise ev.refuse(
                f"the rule of `{self.custom.__name__}` returns a tangent of the structure {structure}, and "
                f"the function a result of the structure {self.form.structure}"
            )
        numbers = [d for d, x in zip(found, self.form.leaves, strict=True) if is_number(x)]
        return [
            nested.fitting(ev, d, x, "tangent") if isinstance(x, Var) and is_float(x.type) else 0.0
            for d, x in zip(numbers, results, strict=True)
        ]

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        """The transpose of the push, which is linear in the tangents: its reverse sweep at tangents of zero."""

        def tangent(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            dots = self.push(ev, leaves, results, list(args))
            return [d for d, x in zip(dots, results, strict=True) if isinstance(x, Var) and is_float(x.type)]

        wanted = differentiable(leaves)
        bars = materialised(ev, results, bars)
        zeros = [ev.zeros_like(x) if isinstance(x, Var) and x.is_array else 0.0 for x in leaves]
        kept = [b for b, x in zip(bars, results, strict=True) if isinstance(x, Var) and is_float(x.type)]
        bars_of = nested.pulled(ev, opaque.Inlined(tangent), zeros, {}, wanted, lambda _: kept)[2]
        by_leaf = dict(zip(wanted, bars_of, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]


@registry.static
def custom_jvp(
    function: Callable[..., Any] | None = None,
    nondiff_argnums: Sequence[int] = (),
    nondiff_argnames: Sequence[str] = (),
) -> Any:
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
        return CustomJvp(f, nondiff_argnums, nondiff_argnames)

    return decorate if function is None else decorate(function)
