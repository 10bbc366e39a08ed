"""A function transformed: arguments bound and specialised on, an engine chosen, failures told of its lines.

What `grad`, `vjp` and `jacobian` share. A subclass says what is generated (`kind`) and how it is called.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from adc import config, pytree
from adc.api import entry, explain_error, leaving, sizes, taped
from adc.api.arguments import read
from adc.api.asking import Asking, Extent
from adc.api.call import Call
from adc.api.functions import has_code, written_out
from adc.api.how import How
from adc.api.keeping import MOST_SPECIALISATIONS
from adc.api.sharing import Shared
from adc.api.specialise import (
    Specialisation,
    compiled,
    fitting,
    moving,
    numba_refusal,
    plain,
    put_first,
    refuse_aliases,
    specialisation,
)
from adc.api.text import Text
from adc.api.undone import undone
from adc.compiler import pipeline
from adc.compiler.backend import compile as backend
from adc.compiler.transforms import borders, bounds
from adc.config import Mode
from adc.errors import (
    AdcError,
    ArgumentError,
    DerivativeError,
    InternalError,
    ShapeError,
    SourceError,
    UnsupportedError,
)
from adc.rules import registry
from adc.runtime.garbage import collected_seldom
from adc.tape import given_twice
from adc.tape.state import modes
from adc.tape.substitute import is_traced

__all__ = ["Transformed"]


class _ListsAreNoColumns(Exception):
    """What stands for a list is not supported where the function uses it."""


class Transformed(Asking):
    """A function and the code generated for it, one specialisation per kind of arguments."""

    __name__: str
    __qualname__: str

    def __init__(
        self, function: Callable[..., Any], argnums: Any, *, value: bool, has_aux: bool, asked: How
    ) -> None:
        given, function = function, written_out(function) or function
        super().__init__(given, function, argnums)
        self._value = value
        self._has_aux = has_aux
        self._how = asked
        self._asked: Mode = asked.mode
        self._ran: Mode | None = None
        self._specialisations: dict[tuple[Any, ...], list[Specialisation]] = {}
        self._forget_entries()
        self._lock = threading.RLock()
        self._warned: set[Mode] = set()
        # Names and docstring, but not the attributes: the function may be one of us.
        functools.update_wrapper(self, function, updated=())
        self._primal = function
        self._takes_out = (
            "out" not in self._parameters.layout.names and dict not in self._parameters.variadic.values()
        )

    @property
    def __adc_primal__(self) -> Callable[..., Any]:
        """What is transformed. No attribute of the object, which `functools.wraps` would give a user's function."""
        return self._primal

    @property
    def __adc_text__(self) -> Callable[..., Any]:
        """The Python function behind it: what stands for a function of a library has a text."""
        return self._function

    @property
    def mode(self) -> Mode:
        """The engine that ran last; before the first call, the one asked for."""
        return self._ran or self._asked

    # --- specialising ---------------------------------------------------------------------------------------

    def anew(self) -> Transformed:
        """Another one of the same function, which has compiled nothing and takes nothing from others."""
        found = object.__new__(type(self))
        vars(found).update(vars(self))
        found._specialisations, found._ran, found._warned, found.shares = {}, None, set(), False
        found._forget_entries()
        return found

    def _forget_entries(self) -> None:
        """Let all calls go the long way again: another specialisation may be the one for them."""
        self._entry: entry.Entry = entry.none_yet
        self._entries: dict[Specialisation, entry.Entry] = {}

    def _enter_by(
        self, known: Specialisation, args: tuple[Any, ...], values: tuple[Any, ...], wanted: Sequence[bool]
    ) -> None:
        """Let calls like one take the short way to the code for it."""
        found = self._entries.get(known)
        if found is None:
            of_own = len(self._fixed_args)
            given = slice(of_own, of_own + len(args))
            instead, failed = self.instead, self._failed_at_once
            found = entry.made(known, values, wanted, given, instead, failed) or entry.none_yet
            self._entries[known] = found
        self._entry = found

    def _resolve(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Specialisation, list[Any], Call]:
        """The code for these arguments, generated if need be, and its inputs."""
        layout, values, wanted, key = self._bound(args, kwargs)
        inputs: list[Any] = []
        call = self._read(layout, values, wanted, key, inputs)
        known = self._known(call, inputs)
        self._ran = known.mode
        return known, inputs, call

    def _known(self, call: Call, inputs: list[Any]) -> Specialisation:
        """The specialisation that fits; `inputs` are completed by what it reads from outside the function."""
        known = fitting(self._specialisations.get(call.key, ()), inputs)
        if known is None:
            try:
                known, captured = self._specialised(call)
            except _ListsAreNoColumns:
                return self._taken_apart(call, inputs)
            inputs += captured
        if known.written:
            self._refuse_aliases(known, inputs, call)
        if known.tells_apart:
            self._refuse_twice(known, call)
        return known

    def _taken_apart(self, call: Call, inputs: list[Any]) -> Specialisation:
        """What fits where nothing stands for a list, in this call and all later ones."""
        self.instead = None
        call.take_lists_apart(inputs)
        return self._known(call, inputs)

    def _refuse_aliases(self, known: Specialisation, inputs: list[Any], call: Call) -> None:
        """Raise ArgumentError where an argument that the function writes to shares memory with another."""
        refuse_aliases(known, inputs)

    def _refuse_twice(self, known: Specialisation, call: Call) -> None:
        """Raise ArgumentError where a container stands at two places in the arguments."""
        given_twice.refuse(zip(call.layout.names, call.values, strict=True))

    def _specialised(self, call: Call) -> tuple[Specialisation, list[Any]]:
        with self._lock:
            inputs: list[Any] = []
            read(call.values, call.wanted, [], inputs, call.instead)
            given = len(inputs)
            known = fitting(self._specialisations.get(call.key, ()), inputs)
            if known is not None:  # another thread was here first
                return known, inputs[given:]
            shared = self._shared(call.key)
            made = None if shared is None else shared.fitting(inputs)
            captured = inputs[given:]
            if made is None:
                others = self._specialisations.get(call.key, ()) if shared is None else shared.known()
                call.moving = moving(others)
                with collected_seldom():
                    made, captured = self._current(call)
                if shared is not None:
                    shared.add(made)
            self._forget_entries()
            put_first(self._specialisations.setdefault(call.key, []), made)
            while len(self._specialisations) > MOST_SPECIALISATIONS:
                del self._specialisations[next(iter(self._specialisations))]
        return made, captured

    def _shared(self, key: tuple[Any, ...]) -> Shared | None:
        """What other such transforms of the function made for arguments of a kind; None where nothing is shared.

        The function may be a transform of another one.
        """
        given: Any = self
        told: list[Any] = [config.current(), key]
        while isinstance(given, Transformed):
            likeness = given._likeness()
            if likeness is None or registry.user_modules:  # a rule may have come since
                return None
            told += likeness
            given = given._of()
        if type(given) is functools.partial and given is not self._of():
            return None  # its arguments are constants of the transform inside
        return Shared(written_out(given) or given, tuple(told))

    def _current(self, call: Call) -> tuple[Specialisation, list[Any]]:
        """What is made for a call, and what it reads from outside: caches there may fill while it is made."""
        for made in (self._made(call) for _ in range(2)):
            captured = made.current_captures()
            if captured is not None:
                return made, captured
        changed = "what the function reads from outside changes while code is generated for it"
        declined = self._declined(UnsupportedError(changed, repair="Pass it as an argument."))
        captured = declined.current_captures()
        assert captured is not None
        return declined, captured

    def _made(self, call: Call, extent: Extent = "any") -> Specialisation:
        slots = call.slots()
        if self._asked == "tape" or (self._asked == "auto" and is_traced(self._function)):
            return Specialisation(self._run_on_tape, "tape")
        if any(taped.carries_tensors(leaf.value) for s in slots for leaf in s.leaves):
            return Specialisation(self._run_on_tensors, "tape")
        if self._asked == "auto" and taped.closes_over_tensors(self._function):
            return Specialisation(self._run_on_tape, "tape")
        try:
            context = self._context(call, extent)
        except (UnsupportedError, InternalError) as error:
            if call.is_tentative():
                raise _ListsAreNoColumns from error
            return self._declined(error)
        except SourceError as error:
            if not has_code(self._function):
                raise
            return self._declined(error)
        except ShapeError as error:  # of the function, or only of what stands for it in compiled code
            if self._asked != "auto" or not self._runs(call):
                raise
            return self._declined(error)
        except Exception as error:
            if self._asked == "auto" and hasattr(error, "__adc_raised__"):
                self._raised_again(call)
            raise
        inputs = [leaf.value for slot in slots for leaf in slot.inputs()]
        complex_ones = self._complex_results(context, inputs) if self._asked == "auto" else None
        if complex_ones is not None:
            return self._declined(complex_ones)
        made = self._engine(context, inputs)
        made.pack = self._packer(context, [slots[k].structure for k in self._chosen(call.layout)])
        return made

    def _raised_again(self, call: Call) -> None:
        """Let the function raise for these arguments what it raises for all of their kind: it may say their numbers."""
        with contextlib.suppress(AdcError):
            self._run_on_tape(call)

    def _declined(self, error: AdcError) -> Specialisation:
        """The tape in place of the compiler, where `auto` allows it."""
        if self._asked != "auto":
            raise error
        self._warn("tape", error)
        return Specialisation(self._run_on_tape, "tape")

    def _complex_results(self, context: pipeline.Context, inputs: list[Any]) -> DerivativeError | None:
        """Why code that takes results for real would fail for these inputs; None where it would not."""
        if "rt.still_real(" not in context.texts["adjoint"]:
            return None
        text = plain(context)
        captured = specialisation(context, "python", text).current_captures() or []
        return explain_error.of_complex_results(context, text, [*inputs, *captured])

    def _engine(self, context: pipeline.Context, inputs: list[Any]) -> Specialisation:
        if "optimized" in context.texts:
            try:
                return compiled(context, inputs)
            except UnsupportedError as error:
                if self._asked == "compiled":
                    raise
                self._warn("python", error)
        return specialisation(context, "python", backend.quiet(plain(context)))

    def _packer(
        self, context: pipeline.Context, structures: list[pytree.Structure]
    ) -> Callable[[Any], Any] | None:
        """What turns the returned values into the result; None where they are the result."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # The path of every call, written out for speed: `_resolve` and `_execute` say what happens.
        if not kwargs:
            found = self._entry(args)
            if found is not entry.MISSED:
                return found
        elif "out" in kwargs and self._takes_out:
            return self._into(kwargs.pop("out"), args, kwargs)
        layout, values, wanted, key = self._bound(args, kwargs)
        inputs: list[Any] = []
        before = len(key)
        try:
            read(values, wanted, key, inputs, self.instead)
        except ArgumentError as error:
            raise self._told_by_name(error, layout, values, wanted) from None
        every = self._specialisations.get(tuple(key), [])
        known = fitting(every, inputs)
        self._entry = entry.none_yet
        if known is None or known.written or known.tells_apart or known.context is None:
            if not self._parameters.current():
                self._take_parameters()
                return self(*args, **kwargs)
            call = self._call_of(layout, values, wanted, key, self.instead, before)
            known = self._known(call, inputs) if known is None else known
            if known.written:
                self._refuse_aliases(known, inputs, call)
            if known.tells_apart:
                self._refuse_twice(known, call)
            if known.context is None:
                self._ran = known.mode
                return known.run(call)
        elif known is every[0] and not (kwargs or key[:before] or self._fixed_kwargs):
            self._enter_by(known, args, values, wanted)
        self._ran = known.mode
        try:
            raw = known.run(*inputs)
        except Exception as error:
            call = self._call_of(layout, values, wanted, key, self.instead, before)
            return self._failed(error, known, inputs, call)
        return raw if known.pack is None else known.pack(raw)

    def _into(self, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise ArgumentError(
            f"the {self.noun or self.kind} of `{self._spoken}` takes no `out`",
            repair="Gradients do: adc.grad and adc.value_and_grad.",
        )

    # --- running --------------------------------------------------------------------------------------------

    def _execute(self, known: Specialisation, inputs: list[Any], call: Call) -> Any:
        """Run generated code and pack what it returns. `inputs` are complete."""
        try:
            raw = known.run(*inputs)
        except Exception as error:
            return self._failed(error, known, inputs, call)
        return raw if known.pack is None else known.pack(raw)

    def _run_on_tape(self, call: Call) -> Any:
        raise NotImplementedError

    def _run_on_tensors(self, call: Call) -> Any:
        """Part of a record of the user's: one node, computed and pulled back by generated code, if there is any."""
        from adc.api import as_node  # it takes pullbacks of transforms

        # In a function that is being traced, functions are stand-ins that the compiler cannot read.
        if modes.plain or self._fixed_args or self._fixed_kwargs:
            return self._run_on_tape(call)

        def recorded(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            layout, values, wanted, _ = self._bound(tuple(args), kwargs)
            return self._run_on_tape(self._call_of(layout, values, wanted, []))

        args, kwargs = self._python_call(call, call.values)
        found = as_node.call(self, args, kwargs, recorded)
        return self._run_on_tape(call) if self._ran == "tape" else found

    def _failed(self, error: Exception, known: Specialisation, inputs: list[Any], call: Call) -> Any:
        """What to do when generated code raised: say it of the user's line, or let another engine answer."""
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        assert known.context is not None
        if isinstance(
            error, NumbaError | UnsupportedBytecodeError
        ):  # another layout or a read-only array, which Numba meets only now
            refusal = numba_refusal(error, known.context)
            if self._asked == "compiled":
                raise refusal from error
            self._warn("python", refusal)
            self._forget_entries()
            text = backend.quiet(plain(known.context))
            known.run, known.mode = leaving.carried_out(known.context, text), "python"
            self._ran = "python"
            return self._execute(known, inputs, call)
        with leaving.restored(known.context):
            explain_error.raise_of_primal(lambda: self._example(call))
        every = sizes.taken_for_granted(sizes.as_they_are(call.slots()))
        # A length that it does not know is one, or there is no trip of a loop that it takes for whole arrays.
        if isinstance(error, ValueError | IndexError | ZeroDivisionError) and known.sizes != every:
            try:
                special = self._special(error, known, call)
            except _ListsAreNoColumns:
                special = self._taken_apart(call, inputs)
            if special is not None:
                return self._run_special(special, call)
        found: AdcError = explain_error.of_generated(error, known.context, plain(known.context), inputs)
        if isinstance(error, UnsupportedError):  # a call on the tape that is not what it was taken for
            found = error.at(found.location)
        if self._asked != "auto":
            raise found from error
        self._warn("tape", found)
        with self._lock:
            self._forget_entries()
            self._specialisations[call.key] = [Specialisation(self._run_on_tape, "tape")]
        self._ran = "tape"
        return self._run_on_tape(call)

    def _failed_at_once(self, error: Exception, known: Specialisation, args: tuple[Any, ...]) -> Any:
        """`_failed` for a call that went the short way."""
        layout, values, wanted, key = self._bound(args, {})
        inputs: list[Any] = []
        call = self._read(layout, values, wanted, key, inputs)
        return self._failed(error, known, [*inputs, *(known.current_captures() or [])], call)

    def _special(self, error: Exception, known: Specialisation, call: Call) -> Specialisation | None:
        """Code for a call of which the code that there is takes too much for granted."""
        if not bounds.insisted(error):
            return self._for_these_sizes(call, "few trips" if borders.insisted(error) else "these")
        with self._lock, collected_seldom():
            made = self._made(call, "whatever they are")
            self._forget_entries()
            every = self._specialisations.setdefault(call.key, [])
            every[:] = [made if k is known else k for k in every]
        return made

    def _for_these_sizes(self, call: Call, extent: Extent) -> Specialisation | None:
        """Code for the sizes of a call, kept beside the general code; None where the arguments have no sizes."""
        with self._lock, collected_seldom():
            known = self._made(call, extent)
            if known.context is not None and not known.context.request.insists:
                known.sizes = sizes.taken_for_granted(sizes.as_they_are(call.slots()))
            if known.context is not None and known.sizes is None:
                return None
            self._forget_entries()
            made = self._specialisations.setdefault(call.key, [])
            made.insert(0, known)
            del made[sizes.MOST_SIZES + 1 :]
        return known

    def _run_special(self, known: Specialisation, call: Call) -> Any:
        self._ran = known.mode
        if known.context is None:
            return known.run(call)
        inputs: list[Any] = []
        read(call.values, call.wanted, [], inputs, call.instead)
        return self._execute(known, [*inputs, *(known.current_captures() or [])], call)

    def _runs(self, call: Call) -> bool:
        """Whether the user's function does not raise for the arguments of a call."""
        try:
            with undone(self._function, *call.values):
                self._example(call)
        except Exception:  # which it is, what was found before says
            return False
        return True

    # --- looking inside -------------------------------------------------------------------------------------

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> Text:
        """The text generated for arguments like these; see `adc.source`."""
        if not args and not kwargs and not self._fixed_args:
            context = self._latest()
            if context is None:
                raise ArgumentError(
                    f"there is no source of {self!r} yet",
                    why="Code is generated for the types of the arguments.",
                    repair="Pass example arguments, as in adc.source(g, np.ones(3)), or call it first.",
                )
            if stage in context.texts:
                return Text(context.texts[stage])
            raise ArgumentError(f"the stage {stage!r} is shown for example arguments", repair="Pass some.")
        layout, values, wanted, _ = self._bound(args, kwargs)
        call = self._call_of(layout, values, wanted, [], self.instead)
        program = functools.partial(
            self._program,
            call,
            optimize=stage not in pipeline.ADJOINT_NAMES,
            record=stage not in ("adjoint", "optimized"),
        )
        try:
            context, _ = program()
        except (UnsupportedError, InternalError):
            if not call.is_tentative():
                raise
            call.instead = None
            context, _ = program()
        found = {**context.stages, **context.texts}
        if stage not in found:
            listed = ", ".join(pipeline.stage_names())
            raise ArgumentError(f"there is no stage {stage!r}", why=f"There are: {listed}.")
        return Text(found[stage])

    def _latest(self) -> pipeline.Context | None:
        groups = self._specialisations.values()
        contexts = [s.context for group in groups for s in group if s.context is not None]
        return contexts[-1] if contexts else None
