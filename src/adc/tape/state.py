"""Each thread has its own modes: whether operations are recorded, checked for NaN, run as plain NumPy.

The mode classes are context managers and decorators, with the names and meaning that PyTorch gives them.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class _Off:
    """How many threads record nothing at the moment.

    While there is none, an operation need not ask for its own thread's mode, which takes as long as making its node.
    A thread that ends while it records nothing stays in the count: the others ask then.
    """

    __slots__ = ("count",)

    count: int


off = _Off()
off.count = 0
_counting = threading.Lock()


class Callbacks(list[Callable[[], None]]):
    """What is called when a backward pass ends; itself it stands for the pass, as a key."""

    __slots__ = ("__weakref__",)

    __hash__ = object.__hash__  # type: ignore[assignment]  # a list has none


class Modes(threading.local):
    """The modes of the running thread."""

    asked: bool = True  # recording is switched on, which means nothing in inference mode
    _enabled: bool = True
    _inference: bool = False
    anomaly: bool = False  # backward looks for NaN after every pull
    check_nan: bool = True  # ...; `detect_anomaly(check_nan=False)` only records
    callbacks: Callbacks | None = None  # of the backward pass that runs
    level: Any = None  # of adc.tape.forward_ad, while tangents are propagated
    depth: int = 0  # how many backward passes run inside each other
    plain: bool = False  # a plain NumPy function is being traced: NumPy's defaults, writes keep old values
    lent: Any = None  # adc.tape.lent.Lent: the arrays that function was given
    noted: list[Any] | None = (
        None  # the nodes of the inputs of traced functions, weakly, where they are asked for
    )

    @property
    def enabled(self) -> bool:
        """Whether operations on Tensors that require a gradient are recorded."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._change(bool(value), self._inference)

    @property
    def chosen(self) -> bool:
        """`enabled` as the user sets it, who may not switch it off while tangents are propagated."""
        return self._enabled

    @chosen.setter
    def chosen(self, value: bool) -> None:
        if self.level is not None and not value:
            raise RuntimeError(
                "Recording cannot be switched off inside a forward AD level: tangents are read off the record. "
                "Use x.detach() for what is to carry neither a tangent nor a gradient."
            )
        self.enabled = value

    @property
    def inference(self) -> bool:
        return self._inference

    @inference.setter
    def inference(self, value: bool) -> None:
        self._change(self.asked, bool(value))

    def _change(self, asked: bool, inference: bool) -> None:
        enabled = asked and not inference
        if enabled is not self._enabled:
            # Counted as off for longer than it is, never for shorter.
            if enabled:
                self._enabled = True
            with _counting:
                off.count += -1 if enabled else 1
            self._enabled = enabled
        self.asked, self._inference = asked, inference


modes = Modes()

# What holds in one thread: adc.tape.saved adds its own.
of_threads: list[threading.local] = [modes]


def on_another_thread(action: Callable[[], T]) -> T:
    """What an action gives on a thread of its own, where all is as in this one. Raises what it raises."""
    copies = [(local, dict(vars(local))) for local in of_threads]
    asked, inference = modes.asked, modes.inference
    answers: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        for local, values in copies:
            vars(local).update({k: v for k, v in values.items() if k != "_enabled"})
        modes._change(asked, inference)
        try:
            answers.append(action())
        except BaseException as error:
            errors.append(error)
        finally:
            modes._change(True, False)  # what it counts for

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,))
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]


# Called with the former and the new value when a thread enters or leaves inference mode.
on_inference: list[Callable[[bool, bool], None]] = []


def _set(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if name == "inference" and value != modes.inference:
            for changed in on_inference:
                changed(modes.inference, value)
        setattr(modes, name, value)


class _Mode:
    """A mode set for the length of a `with` block or of a decorated function's calls."""

    _values: Mapping[str, Any]

    def __enter__(self) -> None:
        stack: list[dict[str, Any]] = self.__dict__.setdefault("_stack", [])
        stack.append({name: getattr(modes, name) for name in self._values})
        _set(self._values)

    def __exit__(self, *_: object) -> None:
        _set(self.__dict__["_stack"].pop())

    def __call__(self, function: F) -> F:
        values = self._values
        if inspect.isgeneratorfunction(function):
            return _between_yields(function, values)  # type: ignore[return-value]

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with within(values):  # a fresh one: calls may be recursive or in several threads
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]


def _between_yields(function: Callable[..., Any], values: Mapping[str, Any]) -> Callable[..., Any]:
    """A generator function whose code runs in a mode, and not what runs while it waits at a `yield`."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        given: Any = None
        raised: BaseException | None = None
        while True:
            try:
                with within(values):
                    found = generator.send(given) if raised is None else generator.throw(raised)
            except StopIteration as end:
                return end.value
            given, raised = None, None
            try:
                given = yield found
            except GeneratorExit:
                with within(values):
                    generator.close()
                raise
            except BaseException as error:
                raised = error

    return run


class within(_Mode):
    """Any modes, for the length of a `with` block."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values


class no_grad(_Mode):
    """Operations are not recorded, in this thread: for a `with` block, or as a decorator. Raises nothing.

    >>> from adc import tape
    >>> x = tape.tensor([1.0], requires_grad=True)
    >>> with no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, function: Any = None) -> None:
        self._values = {"chosen": False}

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class enable_grad(_Mode):
    """Operations are recorded again inside `no_grad`. Raises nothing.

    >>> with no_grad(), enable_grad():
    ...     is_grad_enabled()
    True
    """

    def __init__(self, function: Any = None) -> None:
        self._values = {"chosen": True}

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class inference_mode(_Mode):
    """As `no_grad`, and said to be for good: what is made inside refuses `requires_grad_()` and writes outside.

    Both raise `RuntimeError` then; `x.clone()` is an ordinary Tensor.

    >>> from adc import tape
    >>> x = tape.tensor([1.0], requires_grad=True)
    >>> with inference_mode():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool = True) -> None:
        self._values = {"chosen": not mode, "inference": mode}

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else super().__new__(cls)


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once when called, and back at the end when used with `with`. Raises nothing.

    >>> _ = set_grad_enabled(False)
    >>> is_grad_enabled()
    False
    >>> _ = set_grad_enabled(True)
    """

    def __init__(self, mode: bool) -> None:
        self._before = modes.enabled
        self._values = {"chosen": bool(mode)}
        modes.chosen = bool(mode)

    def __enter__(self) -> None:
        modes.chosen = self._values["chosen"]

    def __exit__(self, *_: object) -> None:
        modes.enabled = self._before

    def __call__(self, function: F) -> F:
        modes.enabled = self._before  # as a decorator it acts on the calls alone
        return super().__call__(function)


class detect_anomaly(_Mode):
    """Inside, `backward` raises `RuntimeError` at the first pull that returns NaN, naming the operation and its line.

    >>> import numpy as np
    >>> from adc import tape
    >>> x = tape.tensor(-1.0, requires_grad=True)
    >>> with np.errstate(invalid="ignore"), detect_anomaly():
    ...     np.sqrt(x).backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward' returned nan values in its 0th output...
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._values = {"anomaly": True, "check_nan": check_nan}


class set_detect_anomaly(set_grad_enabled):
    """Switch anomaly detection on or off, at once or for a `with` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = modes.anomaly
        self._values = {"anomaly": bool(mode), "check_nan": check_nan}
        modes.anomaly = bool(mode)
        modes.check_nan = check_nan

    def __enter__(self) -> None:
        modes.anomaly = self._values["anomaly"]

    def __exit__(self, *_: object) -> None:
        modes.anomaly = self._before

    def __call__(self, function: F) -> F:
        modes.anomaly = self._before
        return _Mode.__call__(self, function)


class plain_numpy(_Mode):
    """A function written for NumPy runs on Tensors: NumPy's defaults hold, and a write spares kept values."""

    def __init__(self, lent: Any) -> None:
        self._values = {"plain": True, "enabled": True, "inference": False, "lent": lent}


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread. Raises nothing.

    >>> is_grad_enabled()
    True
    """
    return modes.asked


def is_inference_mode_enabled() -> bool:
    """Whether this thread is within `inference_mode`."""
    return modes.inference


def is_anomaly_enabled() -> bool:
    """Whether this thread is within `detect_anomaly`."""
    return modes.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether `detect_anomaly` looks for NaN in this thread."""
    return modes.check_nan
