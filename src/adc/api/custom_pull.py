"""`custom_vjp`: a function whose reverse rule is the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adc import pytree, tape
from adc.api.custom import Custom, Rule, added, differentiable, held_by_variables, materialised, sets_rule
from adc.api.custom_node import Later, adjoints, again, applied, as_results, own_plain, plain, watching
from adc.compiler.frontend.frame import Closure
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.leaves import Leaves, is_number, without_lists
from adc.compiler.results import described
from adc.compiler.transforms import nested, opaque
from adc.errors import DerivativeError
from adc.rules import registry
from adc.runtime.copies import copied_together

__all__ = ["CustomVjp", "custom_vjp"]


class CustomVjp(Custom):
    """A function with a reverse rule of the user's; made by `custom_vjp`."""

    given = ("fwd", "bwd")
    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any] | None = None

    @sets_rule
    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the rule: `fwd(*args) -> (result, residuals)`, `bwd(*nondiff_args, residuals, bar) -> adjoints`.

        `bwd` returns a tuple with one adjoint per differentiable argument, of its container and shapes; None for an
        argument without one.
        """
        self.fwd, self.bwd = fwd, bwd

    @property
    def has_rule(self) -> bool:
        """Whether a derivative was given."""
        return self.bwd is not None

    def rule(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Fwd and bwd. Raises DerivativeError before `defvjp`."""
        if self.fwd is None or self.bwd is None:
            raise DerivativeError(
                f"`{self.__name__}` is a custom_vjp without a rule",
                repair="Give it one with defvjp(fwd, bwd).",
            )
        return self.fwd, self.bwd

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> Rule:
        return _PullRule(self, arguments, plain)

    def _on_tape(self, args: list[Any]) -> Any:
        fwd, bwd = self.rule()
        later = Later(self, args, (fwd, bwd))
        leaves, structure = pytree.flatten(args)
        memory: dict[str, Any] = {}
        watched = watching()

        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*[v for v in values if isinstance(v, tape.Tensor)])
            with watched:
                found = fwd(*own_plain(structure, values))
            if not isinstance(found, (tuple, list)) or len(found) != 2:
                raise DerivativeError(
                    f"the forward rule of `{self.__name__}` returns {described(found)}",
                    repair="Return a pair: the result, and what the other rule needs.",
                )
            output, memory["residuals"] = found
            return as_results(self, output, memory)

        def backward(ctx: Any, *bars: Any) -> Any:
            (fwd, bwd), others = later.read()
            if not tape.is_grad_enabled():
                bar = pytree.unflatten(memory["structure"], map(plain, bars))
                kept, form = pytree.flatten(memory["residuals"])
                residuals = pytree.unflatten(form, copied_together(kept))  # the rule may write to them
                return adjoints(self, args, bwd(*others, residuals, bar))
            # It is itself differentiated: the residuals must be part of the graph.
            _, residuals = fwd(*later.arguments(again(ctx, leaves, structure)))
            found = bwd(*others, residuals, pytree.unflatten(memory["structure"], bars))
            return adjoints(self, args, found)

        return applied(self, forward, backward, leaves, memory, later)


class _PullRule(Rule):
    def forward(self, ev: Evaluator) -> Callable[[list[Any]], Any]:
        fwd, _ = self.custom.rule()

        def forward(leaves: list[Any]) -> Any:
            ev.open_rules.append(self.custom.key)
            try:
                found = ev.call(fwd, self.arguments(leaves), {})
            finally:
                ev.open_rules.pop()
            pair = without_lists(found)
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ev.refuse(
                    f"the forward rule of `{self.custom.__name__}` returns {described(pair)}",
                    repair="return a pair: the result, and what the other rule needs",
                )
            result, residuals = found
            self._refuse_functions(ev, leaves, pair[1])
            return held_by_variables(ev, result), residuals

        return forward

    def _refuse_functions(self, ev: Evaluator, leaves: list[Any], residuals: Any) -> None:
        """Refuse residuals that hold a function made by `fwd`: it reads what is there in the forward sweep alone."""
        given = {id(x) for x in pytree.leaves(self.arguments(leaves))}
        for x in pytree.leaves(residuals):
            if isinstance(x, (Closure, opaque.Inlined)) and id(x) not in given:
                raise ev.refuse(
                    f"the forward rule of `{self.custom.__name__}` hands on a function that it makes",
                    "the other rule runs in the reverse sweep, where the names that it reads are not there",
                    "return the numbers and arrays that it needs",
                )

    def taken(self, output: Any) -> Any:
        self.form = Leaves(output)  # of (result, residuals)
        result, self.residuals = output
        self.result = Leaves(result)
        return result

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        count = len(self.result.atoms)
        found: list[Any] = [None] * len(leaves)
        if any(b is not None for b in bars[:count]):
            found = self._through_result(ev, leaves, results, bars)
        if any(b is not None for b in bars[count:]):
            # Under a second sweep: residuals depend on the arguments as the text of `fwd` says.
            found = added(ev, found, self._through_residuals(ev, leaves, results, bars))
        return found

    def _through_result(
        self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]
    ) -> list[Any]:
        _, bwd = self.custom.rule()
        count = len(self.result.atoms)
        _, residuals = self.form.filled([ev.atom(r) for r in results])
        bar = self.result.filled([ev.atom(b) for b in materialised(ev, results[:count], bars[:count])])
        others = self.custom.others(self.arguments(leaves))
        return self.spread(ev, leaves, ev.call(bwd, [*others, residuals, bar], {}))

    def _through_residuals(
        self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]
    ) -> list[Any]:
        count = len(self.result.atoms)
        wanted = [k for k in range(count, len(results)) if bars[k] is not None]
        evaluate = self.forward(ev)

        def residuals(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            numbers = [x for x in pytree.leaves(without_lists(evaluate(list(args)))) if is_number(x)]
            return [numbers[k] for k in wanted]

        chosen = differentiable(leaves)
        inlined = opaque.Inlined(residuals)
        pulled = nested.pulled(ev, inlined, leaves, {}, chosen, lambda _: [bars[k] for k in wanted])[2]
        by_leaf = dict(zip(chosen, pulled, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]


@registry.static
def custom_vjp(
    function: Callable[..., Any] | None = None,
    nondiff_argnums: Sequence[int] = (),
    nondiff_argnames: Sequence[str] = (),
) -> Any:
    """A function whose reverse-mode derivative you give yourself; a decorator, or called on a function.

    `f.defvjp(fwd, bwd)` sets the rule, as in JAX: `fwd(*args)` returns `(result, residuals)`, and
    `bwd(*nondiff_args, residuals, bar)` returns a tuple of adjoints, one per argument that is not in `nondiff_argnums`
    (or `nondiff_argnames`), or None. All three are ordinary functions, compiled with the rest. Use it where the
    derivative of the text is not what you want: at fixed points, for numerically better formulas, to clip gradients.

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
        return CustomVjp(f, nondiff_argnums, nondiff_argnames)

    return decorate if function is None else decorate(function)
