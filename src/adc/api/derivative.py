"""A function's derivative: called like the function, with generated code for each kind of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adc import pytree
from adc.api import entry, functions, integers, into, taped
from adc.api.call import Call
from adc.api.how import How
from adc.api.left_behind import LeftBehind
from adc.api.pickles import by_name
from adc.api.text import Text
from adc.api.transformed import Transformed
from adc.compiler import pipeline, results
from adc.compiler.frontend import columns
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Var
from adc.compiler.transforms import nested
from adc.errors import AdcError
from adc.tape import given_twice

__all__ = ["BoundDerivative", "Derivative"]


class Derivative(Transformed):
    """The gradient of a function, or its value and gradient; made by `grad` and `value_and_grad`.

    `mode` is the engine that ran last ("compiled", "python", "tape"); before the first call, the one asked.
    """

    kind: pipeline.Kind = "gradient"
    instead = staticmethod(columns.of)

    def __repr__(self) -> str:
        what = "value and gradient" if self._value else "gradient"
        return f"<{what} of {getattr(self._function, '__qualname__', self._function)}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        unbound = instance is None or isinstance(self._given, staticmethod)
        return self if unbound else BoundDerivative(self, instance)

    def __reduce__(self) -> Any:
        # Under a decorator the function's own name means the derivative, which pickle would refuse.
        return by_name(self) or (
            _rebuilt,
            (self._given, self._argnums, self._value, self._has_aux, self._how),
        )

    def _made_with(self) -> tuple[Any, ...]:
        return self._argnums, self._value, self._has_aux, self._how

    def _packer(
        self, context: pipeline.Context, structures: list[pytree.Structure]
    ) -> Callable[[Any], Any] | None:
        assert context.program is not None
        returned = [v for v in (*context.wrt, *context.program.results) if isinstance(v, Var)]
        of_leaves = context.aux is None and all(s is pytree.LEAF for s in structures)
        if of_leaves and not any(results.converter(v.type) for v in returned):
            return self._packer_of_leaves(len(structures))
        return _Packer(self._value, self._result, context, structures)

    def _packer_of_leaves(self, count: int) -> Callable[[Any], Any] | None:
        """`_packer` where arguments are numbers and arrays, and what the code returns needs no conversion."""
        if not isinstance(self._argnums, tuple):
            return None
        if self._value:
            return _value_and_gradients
        return None if count > 1 else _in_a_tuple

    def _into(self, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result with its gradients in the caller's arrays: written or, where code cannot work in them, copied."""
        layout, values, wanted, key = self._bound(args, kwargs)
        several = isinstance(self._argnums, tuple)
        arrays = into.destinations(out, [values[k] for k in self._chosen(layout)], several)
        inputs: list[Any] = []
        key.append(into.INTO)
        call = self._read(layout, values, wanted, key, inputs, into=True)
        known = self._known(call, inputs)
        self._ran, self._entry = known.mode, entry.none_yet
        given = None if known.context is None or known.mode != "compiled" else known.context
        if given is None or not into.fits(arrays, given.wrt, inputs):
            return self._filled(self(*args, **kwargs), arrays)
        try:
            raw = known.run(*inputs, *(a for a in arrays if a is not None))
        except Exception:  # what is to be said of it, or done, is found out there
            return self._filled(self(*args, **kwargs), arrays)
        return self._filled(raw if known.pack is None else known.pack(raw), arrays)

    def _filled(self, result: Any, arrays: Sequence[Any]) -> Any:
        """A result with the caller's arrays in the place of its gradients."""
        if self._value:
            return result[0], into.fill(arrays, result[1])
        return (into.fill(arrays, result[0]), result[1]) if self._has_aux else into.fill(arrays, result)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call of this derivative means inside a function that is being compiled."""
        positional, named, keys = self._inner_call(ev, args, kwargs)
        return self._result(*nested.gradient(ev, self._function, positional, named, keys, self._has_aux))

    def _result(self, value: Any, aux: Any, gradients: Sequence[Any]) -> Any:
        """Value, aux and gradients as the user gets them."""
        gradient = tuple(gradients) if isinstance(self._argnums, tuple) else gradients[0]
        if self._value:
            return ((value, aux), gradient) if self._has_aux else (value, gradient)
        return (gradient, aux) if self._has_aux else gradient

    def _run_on_tape(self, call: Call) -> Any:
        # Ints that are differentiated have become floats in the slots.
        values = [
            pytree.unflatten(slot.structure, [leaf.value for leaf in slot.leaves]) if slot.wanted else value
            for slot, value in zip(call.slots(), call.values, strict=True)
        ]
        args, kwargs = self._python_call(call, values)
        layout = call.layout
        given = self._python_call(call, call.values)
        given_twice.refuse_writes(self._function, *given, zip(layout.names, call.values, strict=True))
        keys = [k if k < layout.positional else layout.names[k] for k in self._chosen(layout)]
        where = functions.location(self._function)
        left = LeftBehind(self._function, [*args, *kwargs.values()])
        try:
            with left.noted():
                found = taped.value_and_gradients(self._function, args, kwargs, keys, self._has_aux, where)
        except AdcError:
            raise
        except TypeError as error:
            refused = integers.needed(error, call.slots(), call.values, lambda: self._example(call))
            if refused is None:
                raise
            raise refused from error
        left.made_plain()  # here, where nothing of the run lives on but what the function left
        return self._result(*found)


class BoundDerivative:
    """The derivative of a method, taken from an instance."""

    __slots__ = ("__self__", "derivative")

    def __init__(self, derivative: Derivative, instance: Any) -> None:
        self.derivative = derivative
        self.__self__ = instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.derivative(self.__self__, *args, **kwargs)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """As that of the derivative, from an instance."""
        return self.derivative.__adc_inline__(ev, (self.__self__, *args), kwargs)

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> Text:
        """The text generated for arguments like these; see `adc.source`."""
        if not args and not kwargs:
            return self.derivative.source(stage=stage)
        return self.derivative.source(self.__self__, *args, stage=stage, **kwargs)

    def __repr__(self) -> str:
        return f"{self.derivative!r} of {self.__self__!r}"

    def __reduce__(self) -> Any:
        return type(self), (self.derivative, self.__self__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.derivative, name)


def _value_and_gradients(raw: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    return raw[0], raw[1:]


def _in_a_tuple(raw: Any) -> tuple[Any]:
    return (raw,)


class _Packer:
    """Takes apart what generated code returns: value, auxiliary values, one gradient per leaf."""

    def __init__(
        self,
        with_value: bool,
        result: Callable[..., Any],
        context: pipeline.Context,
        structures: list[pytree.Structure],
    ) -> None:
        self.with_value = with_value
        self.result = result
        self.aux = context.aux
        self.aux_count = 0 if context.aux is None else len(context.aux.leaves)
        self.convert_value = None if context.value_type is None else results.converter(context.value_type)
        self.gradients = GradientTrees(context, structures)
        assert context.program is not None
        left = 0 if context.left is None else len(context.left.leaves)
        self.single = len(context.program.results) - left == 1

    def __call__(self, raw: Any) -> Any:
        rest = (raw,) if self.single else raw
        value = None
        if self.with_value:
            value, *rest = rest
            value = value if self.convert_value is None else self.convert_value(value)
        aux = None if self.aux is None else self.aux.fill(rest[: self.aux_count])
        return self.result(value, aux, self.gradients(rest[self.aux_count :]))


class GradientTrees:
    """The gradients of all leaves, in a row, as one container per differentiated argument."""

    def __init__(self, context: pipeline.Context, structures: list[pytree.Structure]) -> None:
        converters = [results.converter(v.type) for v in context.wrt]
        self.converters = converters if any(converters) else None
        self.build = pytree.builder(structures)

    def __call__(self, gradients: Sequence[Any]) -> list[Any]:
        if self.converters is not None:
            gradients = [g if c is None else c(g) for g, c in zip(gradients, self.converters, strict=True)]
        return self.build(gradients)


def _rebuilt(
    function: Callable[..., Any], argnums: Any, value: bool, has_aux: bool, asked: How
) -> Derivative:
    return Derivative(function, argnums, value=value, has_aux=has_aux, asked=asked)
