"""What the compiler is asked for: the function with an input for each leaf of its arguments, and then once more.

What is refused for arguments of any size may be had for those of a call, or where integers outside are read anew.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from dataclasses import replace
from typing import Any, Literal

from adc import pytree
from adc.api import per_call, sizes, taped
from adc.api.arguments import Slot
from adc.api.binding import Binding
from adc.api.call import Call
from adc.api.functions import depth_of_caller
from adc.api.how import How
from adc.api.parameters import Layout
from adc.api.specialise import Specialisation
from adc.api.undone import undone
from adc.compiler import pipeline
from adc.compiler.frontend import lower
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Var
from adc.config import Mode
from adc.errors import AdcError, DerivativeError, FallbackWarning, InternalError, Tables, UnsupportedError

__all__ = ["Asking", "Extent"]

# Which sizes code is made for: any, those of a call, or any without taking more for granted.
Extent = Literal["any", "these", "few trips", "whatever they are"]


class Asking(Binding):
    """A function that the compiler is asked about, and told of its own runs."""

    kind: pipeline.Kind = "gradient"
    noun = ""  # how a message speaks of it, where not by its kind

    _value: bool
    _has_aux: bool
    _how: How
    _asked: Mode
    _specialisations: dict[tuple[Any, ...], list[Specialisation]]
    _warned: set[Mode]  # the engines that a fallback to was told of

    def _context(self, call: Call, extent: Extent) -> pipeline.Context:
        """What the compiler makes; without the text for Numba where only that cannot be had."""
        optimize = self._asked in ("auto", "compiled")
        try:
            context, refused = self._program(call, optimize=optimize, extent=extent)
            for part in refused:
                self._warn("python", part.warning)
            return context
        except InternalError as error:
            if call.is_tentative():
                raise
            return self._without_numba(self._request(call.layout, call.slots()), error)

    def _without_numba(self, request: pipeline.Request, fault: InternalError) -> pipeline.Context:
        """The readable text alone, where `auto` allows it; a fault before that is raised here again."""
        if self._asked != "auto":
            raise fault
        context = pipeline.run(request, optimize=False)
        self._warn("python", fault)
        return context

    def _program(
        self,
        call: Call,
        *,
        optimize: bool,
        record: bool = False,
        watch: pipeline.Watch | None = None,
        extent: Extent = "any",
    ) -> tuple[pipeline.Context, list[per_call.Refused]]:
        """What the compiler makes, and the callees that `auto` lets run on the tape inside it.

        What is refused for arguments of any size may be had for the sizes of this call, and what is refused for a call
        with few trips, for any size again, if none are taken for granted.
        """
        of_any_size = extent == "any"
        refusal: UnsupportedError | None = None
        last: UnsupportedError | None = None
        seen = len(self._specialisations.get(call.key, ()))
        some_sizes = self._asked != "auto" or seen < sizes.MOST_SIZES
        slots = call.slots()
        attempts = sizes.attempts(slots, some_sizes) if of_any_size else [sizes.as_they_are(slots)]
        requests = [replace(self._request(call.layout, slots), into=call.into) for slots in attempts]
        if extent == "whatever they are":
            requests = []
        if extent in ("few trips", "whatever they are"):
            requests.append(replace(self._request(call.layout, slots), into=call.into, insists=False))
        if of_any_size and len(requests) == 1:
            requests.append(replace(requests[0], bind=sizes.written_out(requests[0].bind, self._most)))
        if of_any_size and some_sizes:
            requests[-1] = replace(requests[-1], bind=sizes.lengths_outside(requests[-1].bind))
            requests[0] = replace(requests[0], closer=functools.partial(self._closer, call))
        if call.moving and of_any_size:
            # Where it is refused, such integers are taken as they are.
            with contextlib.suppress(UnsupportedError, DerivativeError):
                moving = _as_moving(requests[0], call)
                return pipeline.run(moving, optimize=optimize, record=record, watch=watch), []
        for request in requests:
            try:
                asked = replace(request, because=refusal)
                return pipeline.run(asked, optimize=optimize, record=record, watch=watch), []
            except UnsupportedError as error:
                if error.too_long:
                    raise
                refusal, last = refusal or error, error
            except DerivativeError:  # how many axes a result has may depend on the sizes: np.squeeze
                if request is requests[-1]:
                    raise
        assert refusal is not None and last is not None
        what = "Code for these sizes alone"
        known: Tables = frozenset()
        while tables := (refusal.keys_of_run | last.keys_of_run) - known:
            known, what = known | tables, "Code with such keys"
            try:
                asked = replace(requests[0], tables=known)
                return pipeline.run(asked, optimize=optimize, record=record, watch=watch), []
            except UnsupportedError as error:
                last = error
            except DerivativeError:  # of what the function returns: the first refusal says more
                break
        if last.what != refusal.what and last.location is not None:
            also = f"{what} is refused at {last.location}: {last.what}"
            refusal.why = ". ".join(part.rstrip(".") for part in (refusal.why, also) if part)
        if self._asked != "auto" or call.is_tentative():
            raise refusal

        def example() -> None:
            with undone(self._function, *call.values):
                self._example(call)

        return per_call.run(requests[0], example, record=record, watch=watch, refusal=refusal)

    def _closer(self, call: Call, lowered: lower.Lowered) -> pipeline.Request | None:
        """What to ask the compiler for where the function demands some lengths that the arguments of a call have."""
        equal = lowered.evaluator.ever_equal
        slots = sizes.as_demanded(call.slots(), lowered.program.params, equal)
        if slots is None:
            return None
        closer = replace(self._request(call.layout, slots), into=call.into)
        return _as_moving(closer, call) if lowered.evaluator.moving else closer

    @property
    def _most(self) -> int:
        """The statements that code for the sizes of one call may have: more where only the compiler will do."""
        return sizes.MOST_STATEMENTS if self._asked == "auto" else sizes.LONGEST

    def _request(self, layout: Layout, slots: list[Slot]) -> pipeline.Request:
        """What the compiler is asked for: an input per leaf, those of the wanted arguments differentiated."""
        chosen = self._chosen(layout)
        leaves = [(k, leaf) for k, slot in enumerate(slots) for leaf in slot.inputs()]
        wanted = tuple(n for c in chosen for n, (k, _) in enumerate(leaves) if k == c)
        variadic = self._parameters.variadic
        held = sizes.taken_for_granted(slots)

        def bind(evaluator: lower.Evaluator) -> tuple[dict[str, Any], list[Var]]:
            params: list[Var] = []
            values = []
            for slot in slots:
                items = []
                for leaf in slot.leaves:
                    if leaf.is_input:
                        params.append(lower.make_param(leaf.name, leaf.value, evaluator, leaf.axes))
                    else:
                        evaluator.take_argument(leaf.value, leaf.name)
                    items.append(params[-1] if leaf.is_input and leaf.taken_as != "number" else leaf.value)
                if slot.default is not None:
                    values.append(evaluator.captured(slot.default, slot.name))
                    continue
                values.append(with_lists(pytree.unflatten(slot.structure, items), evaluator))
                for container in held_in(values[-1]):
                    evaluator.origins.give(container)
            evaluator.given = set(params) - {params[k] for k in wanted}
            evaluator.most = None if held is None else self._most
            evaluator.tally.longest = sizes.LONGEST if self._asked == "auto" else None
            return layout.arguments(values, variadic), params

        of = _listed([layout.names[c] for c in chosen])
        return pipeline.Request(
            self._function,
            bind,
            wanted,
            of,
            self.kind,
            self._value,
            self._has_aux,
            sizes=held,
            strict=self._how.strict,
        )

    def _example(self, call: Call) -> Any:
        """A run of the user's function on copies of the arguments of a call."""
        args, kwargs = self._python_call(call, taped.owned(list(call.values)))
        return self._plainly(args, kwargs)

    def _plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the user's function itself does with the arguments of the transform."""
        return self._function(*args, **kwargs)

    def _warn(self, to: Mode, error: AdcError) -> None:
        if to in self._warned:
            return
        self._warned.add(to)
        runs = {"tape": "on the tape", "python": "as plain Python"}[to]
        message = f"the {self.noun or self.kind} of `{self._spoken}` runs {runs}: {error.what}"
        warning = FallbackWarning(message, error.location, error.why, error.repair)
        warnings.warn(warning, stacklevel=depth_of_caller())


def _as_moving(request: pipeline.Request, call: Call) -> pipeline.Request:
    """What to ask the compiler for where integers outside the function are not taken as they are."""
    return replace(request, bind=sizes.moving(request.bind, call.moving))


def _listed(names: list[str]) -> str:
    """Names as in a sentence.

    >>> _listed(["w"]), _listed(["w", "b", "x"])
    ('w', 'w, b and x')
    """
    return ", ".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
