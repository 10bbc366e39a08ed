"""What the compiler is asked for, what its stages share and leave behind, and what a stage is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from adc.compiler import results
from adc.compiler.frontend import lower
from adc.compiler.frontend.frame import Outside
from adc.compiler.frontend.going_on import GoingOn
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Program, Var
from adc.compiler.sizes import Sizes
from adc.errors import Location, Tables, UnsupportedError

__all__ = ["Bind", "Context", "Kind", "Request", "Run", "Stage", "Watch"]

Kind = Literal["gradient", "value"]
Bind = Callable[[lower.Evaluator], tuple[dict[str, Value], list[Var]]]


@dataclass(frozen=True)
class Request:
    """What to derive: of which function, on which arguments, with respect to which of its inputs.

    `kind` is "gradient" (of one number) or "value" (the function itself, or what `evaluate` makes of it).
    """

    function: Callable[..., Any]
    bind: Bind  # the values of the parameters, and the list of run-time inputs
    wanted: tuple[int, ...]  # positions, in that list, of the differentiated inputs
    of: str  # "w and b": the arguments as the docstring names them
    kind: Kind = "gradient"
    value: bool = False  # of a gradient: return the value, too
    has_aux: bool = False
    # In place of calling the function: its derivatives, made while it is lowered. `label` ends the name of
    # the generated function, `what` begins its docstring.
    evaluate: lower.Evaluate | None = None
    label: str = ""
    what: str = ""
    outside: Outside | None = None  # functions whose calls are not looked into
    # In place of all that: makes a program that came about with another one.
    lowered: Callable[[], lower.Lowered] | None = None
    sizes: Sizes | None = None  # what the code takes for granted of the sizes of the arguments
    because: UnsupportedError | None = None  # why it does
    # Branches that go on, on each path, with what stands behind them: what they leave cannot be one variable.
    going_on: GoingOn = field(default_factory=dict)
    tables: Tables = frozenset()
    # What to ask for instead, now that the function was lowered, or None: for sizes that it demands. Refused, it is
    # this request that counts.
    closer: Callable[[lower.Lowered], Request | None] | None = None
    into: bool = False  # of a gradient: the compiled code takes the arrays that it is written to
    # Whether the code may take for granted that loops have trips: where one has none, or too few, it raises.
    insists: bool = True
    strict: bool = False  # whether compiled code adds and divides as the program says


@dataclass(eq=False)
class Context:
    """What the stages share, and what they leave behind."""

    request: Request
    optimize: bool  # go on to the text for compiled mode
    record: bool = False  # keep the IR after each stage, for `source(stage=...)`
    lowered: lower.Lowered | None = None
    program: Program | None = None
    wrt: list[Var] = field(default_factory=list)
    output: results.Form | None = None  # the result, for "value"
    aux: results.Form | None = None
    left: results.Form | None = None  # what the function leaves outside
    written: tuple[int, ...] = ()  # inputs that the function writes to, also where nobody reads what it wrote
    value_type: Any = None
    passive: set[Var] = field(
        default_factory=set
    )  # what the function makes without a derivative, and may raise
    # Parameters for arrays of the caller's that take the gradients.
    given: list[Var] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # "adjoint", "optimized"
    origins: dict[str, list[Location | None]] = field(default_factory=dict)  # of each line of a text
    stages: dict[str, str] = field(default_factory=dict)  # the IR after each stage, when recorded
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def evaluator(self) -> lower.Evaluator:
        assert self.lowered is not None
        return self.lowered.evaluator

    @property
    def first_left(self) -> int:
        """How many results of the program come before what it leaves outside."""
        if self.request.kind == "gradient":
            return self.request.value + (0 if self.aux is None else len(self.aux.leaves))
        return 0 if self.output is None else len(self.output.leaves)

    @property
    def name(self) -> str:
        """The name of the generated function."""
        assert self.lowered is not None
        suffix = {"gradient": "value_and_grad" if self.request.value else "grad"}
        label = self.request.label or suffix.get(self.request.kind, self.request.kind)
        return f"{self.lowered.source.name}_{label}"


Run = Callable[[Program, Context], Program]
Watch = Callable[[str, Program, Context], None]


@dataclass(frozen=True)
class Stage:
    """One step: `run(program, context) -> program`. One with `text` prints the program under that name."""

    name: str
    run: Run | None = None
    text: str = ""
