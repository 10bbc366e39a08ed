"""Two programs from one function: the first gives the value and what is kept, the second runs as often as wanted.

What `vjp` and `linearize` have in common. The second is generated with the first and compiled at its first run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adc import pytree
from adc.api.arguments import Slot, refuse_foreign
from adc.api.call import Call
from adc.api.composite import Composite
from adc.api.functions import has_code, is_method, taken_apart
from adc.api.how import How
from adc.api.keeping import kept_on
from adc.api.parameters import Layout
from adc.api.specialise import Specialisation
from adc.api.text import Text
from adc.compiler import pipeline
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.outside import Place, itself
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array
from adc.compiler.transforms import phases
from adc.config import Mode
from adc.errors import ArgumentError, InternalError, ShapeError
from adc.runtime.copies import apart

__all__ = ["Phased", "Run", "TapedRun", "phased"]


@dataclass(eq=False)
class _First:
    """What the first program is made by, and the second that comes about with it."""

    derive: Callable[[Evaluator, dict[str, Any]], Any]
    second: phases.Second | None = None
    made: Specialisation | None = None

    def __call__(self, ev: Evaluator, arguments: dict[str, Any]) -> Any:
        value, aux, kept, self.second = self.derive(ev, arguments)
        return value, aux, tuple(kept)


class Phased(Composite):
    """A transform in two programs; called, it gives `(value, aux, run)`."""

    second_label = ""
    second_what = ""
    settings = (
        False  # whether a direction is one of arguments, whose texts and truth values are of its structure
    )

    def __init__(self, function: Callable[..., Any], argnums: Any, has_aux: bool, asked: How) -> None:
        super().__init__(function, argnums, value=True, has_aux=has_aux, asked=asked)

    @abstractmethod
    def packed(self, call: Call, value: Any) -> Callable[[list[Any]], Any]:
        """What puts what the second program returns into containers."""

    @abstractmethod
    def expected(self, call: Call, value: Any) -> Any:
        """The value whose container and shapes a direction must have."""

    @abstractmethod
    def inlined(
        self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: list[int | str], direction: Any
    ) -> Any:
        """The result of the second program for a direction, in a program that is being built."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        known, inputs, call = self._resolve(args, kwargs)
        if known.context is None:
            return known.run(call)
        found = self._execute(known, inputs, call)
        if self._specialisations.get(call.key, [known])[0] is not known:  # other code may have answered
            known, _, _ = self._resolve(args, kwargs)
        if known.context is None or not isinstance(found[2], tuple):
            return found
        value, aux, kept = found
        own = kept
        if known.captures:  # arrays from outside the function, which may change before the map is called
            outside = inputs[-len(known.captures) :]
            own = tuple([apart(x, outside) for x in kept])
        run = Run(self, known.context, call, value, own)
        return _apart(value, kept), _apart(aux, kept), run

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> Text:
        """Both programs: the one that runs at once, and the one that the map runs for each direction."""
        first = super().source(*args, stage=stage, **kwargs)
        if stage not in ("adjoint", "optimized") or not (args or kwargs):
            return first
        _, _, run = self(*args, **kwargs)
        return Text(f"{first}\n\n{run.text(stage)}") if isinstance(run, Run) else first

    def _run_on_tensors(self, call: Call) -> Any:
        return self._run_on_tape(call)  # what it returns can be called, and is no node

    def _request(self, layout: Layout, slots: list[Slot]) -> pipeline.Request:
        request = super()._request(layout, slots)
        assert request.evaluate is not None
        return replace(request, evaluate=_First(request.evaluate))

    def second(self, context: pipeline.Context, inputs: list[Any]) -> Specialisation:
        """The second program, compiled for these inputs."""
        first = context.request.evaluate
        assert isinstance(first, _First) and first.second is not None and context.lowered is not None
        if first.made is None:
            source, second = context.lowered.source, first.second
            request = replace(
                context.request,
                wanted=(),
                evaluate=None,
                lowered=lambda: second.lowered(source),
                label=self.second_label,
                what=self.second_what,
            )
            first.made = self._made_second(request, inputs)
        return first.made

    def _made_second(self, request: pipeline.Request, inputs: list[Any]) -> Specialisation:
        try:
            context = pipeline.run(request, optimize=self._asked in ("auto", "compiled"))
        except InternalError as error:
            context = self._without_numba(request, error)
        return self._engine(context, inputs)


class Run:
    """The second program with what the first has kept for it."""

    def __init__(
        self, phased: Phased, context: pipeline.Context, call: Call, value: Any, kept: Sequence[Any]
    ) -> None:
        self.phased = phased
        self.context = context
        self.call = call
        self.value = value
        self.kept = kept
        self.mode: Mode = phased.mode
        # Filled in by the first run: see `_prepare`.
        self._pack: Callable[[list[Any]], Any] | None = None
        self._structure: pytree.Structure = pytree.LEAF
        self._wanted: list[tuple[int, Any, Var]] = []

    def __call__(self, directions: Any) -> Any:
        """The result for a direction in the container and shapes that are expected."""
        if self._pack is None:
            self._prepare()
        if directions.__class__ is np.ndarray:
            given, structure = [directions], pytree.LEAF
        else:
            given, structure = pytree.flatten(directions, settings=self.phased.settings)
        if structure != self._structure:
            raise ArgumentError(
                f"the direction has the structure {structure}, and what is expected {self._structure}",
                repair="Pass one number or array per number or array.",
            )
        inputs = [*self.kept]
        for k, like, param in self._wanted:
            inputs.append(_fitted(given[k], like, param))
        made = self.phased.second(self.context, inputs)
        self.mode = made.mode
        raw = made.run(*inputs)
        form = made.context.output  # type: ignore[union-attr]
        assert form is not None and self._pack is not None
        results = form.fill((raw,) if len(form.leaves) == 1 else raw)
        return self._pack([apart(x, inputs) for x in results])

    def _prepare(self) -> None:
        """What every run needs: which leaves of a direction are used, what they must be like, where results go."""
        first = self.context.request.evaluate
        assert isinstance(first, _First) and first.second is not None
        leaves, self._structure = pytree.flatten(
            self.phased.expected(self.call, self.value), settings=self.phased.settings
        )
        places = [k for k, used in enumerate(first.second.has_direction) if used]
        self._wanted = [
            (k, leaves[k], param) for k, param in zip(places, first.second.directions, strict=True)
        ]
        self._pack = self.phased.packed(self.call, self.value)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a run means inside a function that is being compiled: the derivative at the values of the call."""

        def captured(leaf: Any) -> Any:
            return ev.captured(Place(itself, leaf), "primal")

        values = [with_lists(pytree.map_structure(captured, v), ev) for v in self.call.values]
        positional, named = self.phased._python_call(self.call, values)
        keys = self.phased._keys(self.call.layout)
        return self.phased.inlined(ev, list(positional), named, keys, args[0])

    def text(self, stage: str) -> str:
        """The text of the second program."""
        self(
            pytree.map_structure(
                np.zeros_like,
                self.phased.expected(self.call, self.value),
                settings=self.phased.settings,
            )
        )
        first = self.context.request.evaluate
        assert isinstance(first, _First) and first.made is not None and first.made.context is not None
        return first.made.context.texts[stage]


class TapedRun:
    """The second run where the tape recorded the first: it walks that record, which generated code cannot."""

    mode: Mode = "tape"

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self._run = run

    def __call__(self, directions: Any) -> Any:
        """The result for a direction in the container and shapes that are expected."""
        return self._run(directions)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Refuse to be a part of generated code: the derivative at the values of the call is the tape's alone."""
        raise ev.refuse(
            "this calls a derivative at a point that the tape has recorded",
            "generated code cannot walk the tape's record",
            'make it with another engine, or say mode="tape" here, too',
        )


def _apart(given: Any, kept: Sequence[Any]) -> Any:
    """What the caller is given, who may write to it: in containers and memory that the second program does not read."""
    if given.__class__ is np.ndarray:
        return apart(given, kept)
    return pytree.map_structure(lambda x: apart(x, kept), given)


def _fitted(direction: Any, like: Any, param: Var) -> Any:
    """A direction with the dtype and layout of its parameter. Raises ShapeError unless it has the shape of `like`."""
    if (
        direction.__class__ is np.ndarray
        and like.__class__ is np.ndarray
        and direction.shape == like.shape
        and direction.dtype == param.type.dtype
        and direction.flags.c_contiguous
    ):
        return direction  # the usual case
    refuse_foreign(direction, "the adjoint or tangent")
    if np.shape(direction) != np.shape(like):
        raise ShapeError(
            f"the adjoint or tangent has the shape {np.shape(direction)}, its primal {np.shape(like)}"
        )
    if not np.can_cast(np.asarray(direction).dtype, param.type.dtype, "same_kind"):
        raise ArgumentError(
            f"the adjoint or tangent is {_kind(direction)}, its primal {_kind(like)}",
            repair="Pass floats where the primal has floats.",
        )
    if isinstance(param.type, Array):
        return np.ascontiguousarray(direction, param.type.dtype)
    of_python = param.type.dtype == "float64" and param.type.weak is not False
    return float(direction) if of_python else np.dtype(param.type.dtype).type(direction)


def _kind(value: Any) -> str:
    kind = np.asarray(value).dtype.kind
    return {"c": "complex", "f": "real", "i": "an integer", "b": "a truth value"}.get(kind, f"{value!r}")


def phased(
    kind: type[Phased],
    function: Callable[..., Any],
    argnums: tuple[int | str, ...],
    has_aux: bool,
    asked: How,
) -> tuple[Phased, tuple[Any, ...], dict[str, Any]]:
    """The two programs of a function, made once and kept on the function; and the arguments that it has already."""
    target, fixed, named = (function, (), {}) if has_code(function) else taken_apart(function)
    # argnums counts the arguments that a caller sees; of a function in a class body `self` is none of them.
    shift = len(fixed) - is_method(target) if fixed else 0
    chosen = tuple(k + shift if isinstance(k, int) and k >= 0 else k for k in argnums)
    made = kept_on(
        target,
        (kind, chosen, has_aux, asked),
        lambda: kind(target, chosen, has_aux, asked),
    )
    return made, fixed, named
