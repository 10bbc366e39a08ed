"""`checkpoint`: what a function computes is computed again in the reverse sweep, not kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from adc import pytree, tape
from adc.api.custom import Custom, Rule, differentiable, each_apart, materialised
from adc.api.undone import as_now
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.leaves import is_number, without_lists
from adc.compiler.transforms import nested, opaque
from adc.rules import registry
from adc.runtime.copies import copied_together

__all__ = ["Checkpointed", "checkpoint"]

P = ParamSpec("P")
R = TypeVar("R")


class Checkpointed(Custom):
    """A function whose inside is computed again in the reverse sweep; made by `checkpoint`."""

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> Rule:
        return _AgainRule(self, arguments, plain)

    def _positional(
        self, args: Sequence[Any], kwargs: dict[str, Any], ev: Evaluator | None = None
    ) -> list[Any]:
        """The arguments in order, the last of them a dict of those that go by name."""
        if not kwargs and len(args) == self.parameters.layout.positional:
            return [*args, {}]
        layout, values = self._bound(args, kwargs, ev)
        count = layout.positional
        return [*values[:count], dict(zip(layout.names[count:], values[count:], strict=True))]

    def by_name(self, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        return args[:-1], args[-1]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = pytree.flatten((args, kwargs), attributes=True)
        if any(isinstance(leaf, tape.Tensor) for leaf in leaves):
            return tape.recomputed(self.function, args, kwargs, as_now)
        args, kwargs = pytree.unflatten(structure, copied_together(leaves))
        return each_apart(self.function(*args, **kwargs))


class _AgainRule(Rule):
    what = "a checkpointed function"

    def _body(self) -> Any:
        def inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            output = without_lists(
                ev.result(self.custom.function, *self.custom.by_name(self.arguments(list(args))))
            )
            return [x for x in pytree.leaves(output) if is_number(x)]

        return opaque.Inlined(inline)

    def pull(self, ev: Evaluator, leaves: list[Any], results: list[Any], bars: list[Any]) -> list[Any]:
        chosen = differentiable(leaves)
        given = materialised(ev, results, bars)
        found = nested.pulled(ev, self._body(), leaves, {}, chosen, lambda _: given)[2]
        by_leaf = dict(zip(chosen, found, strict=True))
        return [by_leaf.get(k) for k in range(len(leaves))]

    def push(self, ev: Evaluator, leaves: list[Any], results: list[Any], dots: list[Any]) -> list[Any]:
        chosen = differentiable(leaves)
        found = nested.pushed(ev, self._body(), leaves, {}, chosen, [dots[k] for k in chosen])[1]
        return list(found)


@registry.static
def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """A function that keeps nothing but its arguments for the reverse sweep, which computes the rest again.

    Memory for time: the body runs twice, and what it would keep lives only while the sweep is inside it. Use it on the
    body of a long loop. Raises what the function and its derivatives raise, and `ArgumentError` for keyword-only
    arguments. As a decorator, or called on a function; the result has the function's signature.

    >>> import adc, numpy as np
    >>> @checkpoint
    ... def step(x):
    ...     return np.sin(x) * np.exp(-x)
    >>> round(adc.grad(lambda x: step(step(x)))(0.5), 6)
    0.121212
    """
    return Checkpointed(function, ())
