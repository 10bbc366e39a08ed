"""A function that derivatives pass as one operation: what custom rules and `checkpoint` have in common."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from adc import pytree, tape
from adc.api.functions import taken_apart
from adc.api.parameters import Layout, Parameters
from adc.api.pickles import by_name
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.held import held
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_float
from adc.compiler.leaves import Leaves, without_lists
from adc.compiler.results import described
from adc.compiler.transforms import nested, opaque
from adc.errors import ArgumentError
from adc.runtime.copies import apart, copied_together, overlap

__all__ = [
    "Custom",
    "Rule",
    "added",
    "differentiable",
    "each_apart",
    "held_by_variables",
    "materialised",
    "sets_rule",
]

F = TypeVar("F", bound=Callable[..., Any])


class Custom:
    """A function that derivatives pass as one operation. Calling it on plain arguments calls the function."""

    given: tuple[str, ...] = ()  # the attributes that hold the rule

    def __init__(
        self,
        function: Callable[..., Any],
        nondiff_argnums: Sequence[int],
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        self.key = object()  # of the function and its like in other scopes
        inner, *given = taken_apart(function)
        # A function of a library has no text: what stands for it has.
        self.function = inner if isinstance(function, np.ufunc) else function
        # Names and docstring, but not the attributes: the function may be one of us.
        functools.update_wrapper(self, self.function, updated=())
        # Of a method or a partial what is left to give.
        self.parameters = Parameters(function if any(given) else inner)
        count = self.parameters.layout.positional
        chosen = {k + count if k < 0 else k for k in nondiff_argnums}
        for name in nondiff_argnames:
            if name not in self.parameters.layout.names:
                raise ArgumentError(f"nondiff_argnames: the function has no argument {name!r}")
            chosen.add(self.parameters.layout.names.index(name))
        self.nondiff = tuple(sorted(chosen))
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    @property
    def __adc_primal__(self) -> Callable[..., Any]:
        """What the rule is for. No attribute of the object, which `functools.wraps` would give a user's function."""
        return self.function

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self.function, '__qualname__', self.function)}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> Any:
        # As a derivative is: under a decorator the function's own name means this.
        rule = {name: getattr(self, name) for name in self.given}
        return by_name(self) or (type(self), (self.function, self.nondiff), rule)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        positional = self._positional(args, kwargs)
        if any(isinstance(leaf, tape.Tensor) for leaf in pytree.leaves(positional)):
            return self._on_tape(positional)
        own = copied_together(positional)  # as everywhere, a write to an argument stays inside
        return each_apart(self.function(*own))

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call means inside a function that is being compiled: one opaque operation."""
        try:
            positional = self._positional(args, kwargs, ev)
        except ArgumentError as error:
            raise ev.refuse(error.what, repair=error.repair) from None
        if self.key in ev.open_rules:
            return ev.call(self.function, *self.by_name(positional))  # its own forward rule calls it
        for name in self.given:
            ev.taken(Place(getattr, self, name), self.__name__)  # it may be given another rule
        # Derivatives evaluate it again at the end of the program.
        same, given = held((self, positional))
        plain = [without_lists(a) for a in given]
        leaves, structure = pytree.flatten(plain)
        objects = [a for a in plain if isinstance(a, Instance)]
        if objects:
            raise ev.refuse(
                f"`{self.__name__}` is given an object of `{objects[0].cls.__name__}`",
                "what has a derivative of its own, or is checkpointed, takes numbers, arrays and containers of them",
                "pass what the object holds, or make its class a dataclass",
            )

        def arguments(values: Sequence[Any]) -> list[Any]:
            return [with_lists(a, ev) for a in pytree.unflatten(structure, values)]

        name = getattr(self.function, "__name__", "function")
        rule = same._rule(arguments, plain)
        return rule.taken(opaque.call(ev, name, leaves, rule.forward(ev), rule, captures=rule.captures))

    def _positional(
        self, args: Sequence[Any], kwargs: dict[str, Any], ev: Evaluator | None = None
    ) -> list[Any]:
        if not kwargs and len(args) == self.parameters.layout.positional:
            return list(args)
        layout, values = self._bound(args, kwargs, ev)
        if layout.positional != len(values):
            raise ArgumentError(
                f"`{self.__name__}` has keyword-only arguments, which a custom rule does not take",
                repair="Make them positional.",
            )
        return list(values)

    def _bound(
        self, args: Sequence[Any], kwargs: dict[str, Any], ev: Evaluator | None
    ) -> tuple[Layout, tuple[Any, ...]]:
        if ev is None:
            return self.parameters.bind(tuple(args), kwargs)
        return self.parameters.bind_inside(ev, self.function, tuple(args), kwargs)

    def by_name(self, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as the function takes them: by position, and by name."""
        return args, {}

    def differentiable(self, args: Sequence[Any]) -> list[Any]:
        """The arguments that the rule is about."""
        return [a for k, a in enumerate(args) if k not in self.nondiff]

    def others(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of `nondiff_argnums`, which a rule is given first."""
        return [args[k] for k in self.nondiff]

    def _rule(self, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]) -> Rule:
        raise NotImplementedError

    def _on_tape(self, args: list[Any]) -> Any:
        raise NotImplementedError


class Rule(opaque.Rule):
    """A rule on containers, for the compiler's leaves."""

    captures = False

    def __init__(
        self, custom: Any, arguments: Callable[[Sequence[Any]], list[Any]], plain: list[Any]
    ) -> None:
        self.custom = custom
        self.arguments = arguments
        self.plain = plain

    def forward(self, ev: Evaluator) -> Callable[[list[Any]], Any]:
        return lambda leaves: ev.call(self.custom.function, *self.custom.by_name(self.arguments(leaves)))

    def taken(self, output: Any) -> Any:
        """The function's result, of what the operation returns."""
        self.form = Leaves(output)
        return output

    def spread(self, ev: Evaluator, leaves: list[Any], bars: Sequence[Any]) -> list[Any]:
        """Adjoints per differentiable argument as adjoints per leaf of all arguments."""
        expected = len(self.plain) - len(self.custom.nondiff)
        if not isinstance(bars, (tuple, list)) or len(bars) != expected:
            raise ev.refuse(
                f"the rule of `{self.custom.__name__}` returns {described(bars)}, and the function has "
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
                parts, its_structure = pytree.flatten(without_lists(bar))
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


def sets_rule(method: F) -> F:
    """A method that gives a function its rule; inside a function that is compiled it does so at once."""

    def inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        custom, *rules = args
        if ev.region_depth and custom.has_rule:
            raise ev.refuse(
                f"`{custom.__name__}` is given another rule in a branch or a loop",
                "which of them holds is only known when the program runs",
                "make a function for each rule",
            )
        return method(custom, *rules, **kwargs)

    method.__adc_inline__ = inline  # type: ignore[attr-defined]
    return method


def differentiable(leaves: Sequence[Any]) -> list[int]:
    """The positions of the leaves that carry derivatives."""
    return [k for k, x in enumerate(leaves) if isinstance(x, Var) and is_float(x.type)]


def materialised(ev: Evaluator, results: Sequence[Any], bars: Sequence[Any]) -> list[Any]:
    """Adjoints, zeros in place of those that nothing gave."""
    return [
        b if b is not None else ev.zeros_like(x) if isinstance(x, Var) and x.is_array else 0.0
        for x, b in zip(results, bars, strict=True)
    ]


def held_by_variables(ev: Evaluator, result: Any) -> Any:
    """A result with variables for its constant numbers, whose derivative is the rule's, too."""

    def held_by_one(x: Any) -> Any:
        known = ev.type_of(x) if isinstance(x, (float, complex)) else None
        return x if known is None else ev.assign("alias", (ev.atom(x),), known)

    return pytree.map_structure(held_by_one, without_lists(result))


def added(ev: Evaluator, mine: list[Any], others: list[Any]) -> list[Any]:
    return [
        b if a is None else a if b is None else ev.op("add", a, b) for a, b in zip(mine, others, strict=True)
    ]


def each_apart(output: Any) -> Any:
    """What a call returns, its arrays in memory of their own, as those of one operation are.

    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> one, other = each_apart((x, x))
    >>> one is x, other is x
    (True, False)
    """
    leaves, structure = pytree.flatten(output)
    if not overlap(leaves):
        return output
    return pytree.unflatten(structure, [apart(leaf, leaves[:k]) for k, leaf in enumerate(leaves)])
