"""Run rule examples through adc itself, to say which engine takes each operation: measured, not claimed.

    python -m adc.testing.engines python            # or compiled, text, tape: every operation
    python -m adc.testing.engines compiled cumprod  # one operation, with the error if it is refused
    python -m adc.testing.engines measure 1         # the first example of each: docs/coverage_engines.json
    python -m adc.testing.engines measure 9 tape cross   # nine of one operation, on one engine

A program of one line is written for an example, `return np.sum(np.real(operation(...)) * weights)`, and its
value is compared with the operation itself, its gradient with differences. Besides the three engines there is
"text": the loops that compiled mode gives to Numba, run by Python. It takes a tenth of the time, and all but
Numba's own opinion of a text is tested by it; its gradient is also compared with the tape's, to rounding.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from adc.rules import registry
from adc.rules.operation import Operation
from adc.testing import kit

Engine = Literal["compiled", "text", "python", "tape"]
ROUNDING = 1e-12  # by which two engines may differ, which add in another order
SMALLEST = 1e-3  # scale of gradients: that of a correlation of two pairs is zero but for rounding
VALUE_ROUNDING = 1e-9  # by which values may differ from NumPy's: eigenvalues, functions of matrices
HEADER = "import cmath\nimport math\nimport statistics\nimport numpy as np\nimport numpy\n"


def program_of(case: kit.Case, prefix: str = "") -> tuple[str, dict[str, Any], list[str]]:
    """The call of the operation as text, its arguments (arrays and floats), and which of them are active.

    >>> from adc.rules.registry import named
    >>> text, arguments, active = program_of(kit.cases(named("cumsum"))[3])
    >>> text, list(arguments), active
    ('np.cumsum(a, axis=1)', ['a'], ['a'])
    """
    arguments: dict[str, Any] = {}
    active: list[str] = []
    texts: list[str] = []
    positional = (
        "positional" in case.operation.extra
        or isinstance(case.operation.function, np.ufunc)
        or case.operation.module == "math"
    )
    keywords = False
    for parameter in case.operation.parameters:
        value = case.values[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            before = set(arguments)
            texts += [
                _text_of(f"{prefix}{parameter.name}_{k}", v, arguments, parameter.name in case.active)
                for k, v in enumerate(value)
            ]
            if parameter.name in case.active:
                active += [n for n in arguments if n not in before and kit.is_active(arguments[n])]
            continue
        default = kit.is_default(value, parameter.default)
        if default and "positional" not in case.operation.extra:
            continue
        before = set(arguments)
        text = _text_of(prefix + parameter.name, value, arguments, parameter.name in case.active)
        if parameter.name in case.active:
            active += [n for n in arguments if n not in before and kit.is_active(arguments[n])]
        keywords = keywords or parameter.default is not parameter.empty
        named = parameter.kind is parameter.KEYWORD_ONLY or (keywords and not positional)
        texts.append(f"{parameter.name}={text}" if named else text)
    return f"{case.operation.spelling}({', '.join(texts)})", arguments, active


def _text_of(name: str, value: Any, arguments: dict[str, Any], active: bool) -> str:
    """How a value is written: arrays and active numbers are arguments, the rest stands in the text."""
    if isinstance(value, (list, tuple)):
        inner = [_text_of(f"{name}_{k}", v, arguments, active) for k, v in enumerate(value)]
        joined = ", ".join(inner)
        return f"[{joined}]" if isinstance(value, list) else f"({joined}{',' if len(inner) == 1 else ''})"
    if isinstance(value, complex) or (isinstance(value, np.ndarray) and np.iscomplexobj(value)):
        # A function that adc differentiates takes real arguments.
        arguments[f"{name}_re"], arguments[f"{name}_im"] = (value + 0.0).real, (value + 0.0).imag
        return f"({name}_re + 1j * {name}_im)"
    if isinstance(value, np.ndarray) or (active and isinstance(value, float)):
        arguments[name] = value
        return name
    if isinstance(value, np.ufunc) or (callable(value) and registry.find(value) is not None):
        return f"np.{value.__name__}"
    if isinstance(value, type):
        return f"np.{value.__name__}" if issubclass(value, np.generic) else value.__name__
    if isinstance(value, float) and not np.isfinite(value):
        return f"np.{value}" if value > 0 else f"(-np.{-value})"
    return repr(value)


class WrongValue(Exception):
    """An engine computes something else than the operation."""


@dataclass(frozen=True)
class Probe:
    """One example as a part of a program: statements that add to `total`, and the arguments that they read."""

    case: kit.Case
    lines: list[str]
    arguments: dict[str, Any]  # by the names that the lines have for them
    dots: dict[str, Any]  # a direction for each active one


def probe(case: kit.Case, prefix: str, generator: np.random.Generator) -> Probe | None:
    """The example as statements whose names begin with `prefix`; None where no result carries a derivative.

    What is constant is multiplied by a number that is not. Vectors whose sign LAPACK chooses anew are squared: squares
    have differences.
    """
    call, arguments, names = program_of(case, prefix)
    result = kit.primal(case)
    several = isinstance(result, (list, tuple))
    parts = list(result) if several else [result]
    constant = case.operation.kind == "constant"
    if constant:
        kept = [k for k, part in enumerate(parts) if _is_numeric(part) and np.size(part)]
        arguments[f"{prefix}scale"] = 1.5
        names = [f"{prefix}scale"]
    else:
        kept = [k for k, part in enumerate(parts) if kit.is_active(part) and np.size(part)]
    if not kept or not names:
        return None
    lines = [f"{prefix}z = {call}"]
    for k in kept:
        part = f"{prefix}z[{k}]" if several else f"{prefix}z"
        if np.iscomplexobj(parts[k]):
            part = f"np.real((0.8 - 0.6j) * {part})"
        if case.operation.extra.get("up_to_sign") == k:
            part = f"{part} * {part}"
        arguments[f"{prefix}weight_{k}"] = generator.normal(size=np.shape(parts[k]))[()]
        scaled = f"{prefix}scale * " if constant else ""
        lines.append(f"total = total + {scaled}np.sum({part} * {prefix}weight_{k})")
    allowed = case.operation.extra.get("directions", {})
    dots = {name: kit.random_like(arguments[name], generator) for name in names}
    for parameter, projected in allowed.items():
        name = f"{prefix}{parameter}"
        if name in dots:
            dots[name] = projected(dots[name])
        elif f"{name}_re" in dots:
            whole = projected(dots[f"{name}_re"] + 1j * dots[f"{name}_im"])
            dots[f"{name}_re"], dots[f"{name}_im"] = whole.real, whole.imag
    return Probe(case, lines, arguments, dots)


def _is_numeric(value: Any) -> bool:
    number = isinstance(value, (bool, int, float, np.ndarray, np.generic))
    return number and np.asarray(value).dtype.kind in "biuf"


def tried(cases: Sequence[kit.Case], mode: Engine, directory: Path) -> list[str]:
    """For each example "ok", or why the engine does not give its gradient.

    All stand in one program, which compiles faster than many; where it fails they are tried one by one.
    """
    generator = np.random.default_rng(5)
    found = [probe(case, f"a{k}_" if len(cases) > 1 else "", generator) for k, case in enumerate(cases)]
    probes = [p for p in found if p is not None]
    if not probes:
        return ["ok"] * len(cases)
    try:
        program = _program(probes, mode, directory)
        arguments = {name: value for p in probes for name, value in p.arguments.items()}
        active = tuple(k for k, name in enumerate(arguments) if any(name in p.dots for p in probes))
        value, gradients = _value_and_gradients(program, active, list(arguments.values()), mode)
        wanted = program(*copy.deepcopy(list(arguments.values())))
        if not np.isclose(value, wanted, rtol=VALUE_ROUNDING, atol=VALUE_ROUNDING, equal_nan=True):
            raise WrongValue(f"{value!r}, the operation itself gives {wanted!r}")
    except Exception as error:  # the answer is the report of whatever goes wrong
        if len(cases) > 1:
            return [answer for case in cases for answer in tried([case], mode, directory)]
        return [f"{type(error).__name__}: {error}"]
    names = [list(arguments)[k] for k in active]
    bars = dict(zip(names, gradients, strict=True))
    answers = ["ok" if p is None else _compared(p, bars, directory) for p in found]
    if mode != "text":
        return answers
    _, through_tape = _value_and_gradients(program, active, list(arguments.values()), "tape")
    taped = dict(zip(names, through_tape, strict=True))
    return [
        answer if p is None or answer != "ok" else _rounded_alike(p, bars, taped)
        for p, answer in zip(found, answers, strict=True)
    ]


def _value_and_gradients(
    program: Callable[..., Any], active: tuple[int, ...], arguments: list[Any], engine: Engine
) -> tuple[Any, Sequence[Any]]:
    """Both, since a program for the gradient alone leaves out what no derivative reads."""
    from adc.api import value_and_grad

    if engine != "text":
        value, gradients = value_and_grad(program, argnums=active, mode=engine)(*arguments)
        return value, gradients
    text = value_and_grad(program, argnums=active).source(*arguments, stage="optimized")
    module: dict[str, Any] = {}
    exec(re.sub(r"@rt\.(inner_)?kernel\n", "", text), module)
    value, *gradients = module[f"{program.__name__}_value_and_grad"](*copy.deepcopy(arguments))
    return value, gradients


def _compared(probe: Probe, bars: dict[str, Any], directory: Path) -> str:
    """ "ok", or by how much the gradient differs from differences of the operation itself."""
    program = _program([probe], "differences", directory)
    got = sum(kit.paired(bars[name], dot) for name, dot in probe.dots.items())

    def at(h: float) -> float:
        moved = {k: v + h * probe.dots[k] if k in probe.dots else v for k, v in probe.arguments.items()}
        return float(np.real(program(*moved.values())))

    wanted = (8.0 * (at(kit.STEP) - at(-kit.STEP)) - (at(2 * kit.STEP) - at(-2 * kit.STEP))) / (
        12.0 * kit.STEP
    )
    if np.isfinite(wanted) and not abs(got - wanted) <= 1e-5 * max(1.0, abs(wanted)):
        return f"wrong: {got!r}, differences give {wanted!r}"
    return "ok"


def _rounded_alike(probe: Probe, bars: dict[str, Any], taped: dict[str, Any]) -> str:
    """ "ok", or by how much the tape's gradient differs from the loops', in units of the largest element."""
    scale = max(SMALLEST, *(float(np.max(np.abs(bars[name]), initial=0.0)) for name in probe.dots))
    for name in probe.dots:
        if not np.allclose(bars[name], taped[name], rtol=0.0, atol=ROUNDING * scale, equal_nan=True):
            return f"not the tape's: the gradient with respect to {name} is {bars[name]!r}, there {taped[name]!r}"
    return "ok"


def _program(probes: Sequence[Probe], mode: str, directory: Path) -> Callable[..., Any]:
    """The function of some examples, in a file of its own."""
    names = [name for p in probes for name in p.arguments]
    lines = ["total = 0.0", *(line for p in probes for line in p.lines), "return total"]
    imports = "".join(sorted({_imports(p.case.operation) for p in probes}))
    text = f"{HEADER}{imports}\n\ndef program({', '.join(names)}):\n" + "".join(f"    {x}\n" for x in lines)
    stem = "_".join(
        ["program", str(probes[0].case).replace(".", "_").replace("-", "_"), mode, str(len(probes))]
    )
    path = directory / f"{stem}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Callable[..., Any]", module.program)


def _imports(operation: Operation) -> str:
    module, _, _ = operation.spelling.rpartition(".")
    if operation.spelling.startswith("adc."):
        return f"import {module}\n"
    if operation.spelling.startswith("scipy."):
        return f"import {module if operation.spelling.count('.') == 2 else 'scipy.stats'}\n"
    if "." not in operation.spelling:
        return f"from {operation.function.__module__} import {operation.spelling}\n"
    return ""


def measurable(operation: Operation) -> list[kit.Case]:
    """The examples on which an engine can be compared with differences: smooth ones of what gives a result."""
    if operation.examples is None or "writes" in operation.extra:
        return []
    return [
        case for case in kit.cases(operation) if case.smooth and (case.active or operation.kind == "constant")
    ]


def outcomes(
    mode: Engine, cases: Iterable[kit.Case], together: int = 1, directory: Path | None = None
) -> Iterator[tuple[kit.Case, str]]:
    """What one engine makes of some examples, so many in each program."""
    with (
        tempfile.TemporaryDirectory(dir=directory) as folder,
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        rest = list(cases)
        while rest:
            chosen, rest = rest[:together], rest[together:]
            yield from zip(chosen, tried(chosen, mode, Path(folder)), strict=True)


def measure(modes: Sequence[Engine], names: Sequence[str], most: int, target: Path) -> None:
    """Write which engine takes which operation, for the coverage table: "ok", or what stands in the way."""
    table: dict[str, dict[str, str]] = json.loads(target.read_text("utf-8")) if target.exists() else {}
    operations = [o for o in registry.operations() if o.kind != "constant"]
    known = {operation.name for operation in operations}
    table = {name: answers for name, answers in table.items() if name in known}
    for operation in operations if not names else map(registry.named, names):
        answers = table.setdefault(operation.name, {})
        for mode in modes:
            found = [outcome for _, outcome in outcomes(mode, measurable(operation)[:most])]
            refusals = (outcome.partition(":")[0] for outcome in found if outcome != "ok")
            answers[mode] = next(refusals, "ok")
        target.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Print what one engine makes of every operation, or of one; or `measure` them for the coverage table."""
    engines: list[Engine] = ["compiled", "python", "tape"]
    if arguments[0] == "measure":
        first, *rest = arguments[1:]
        chosen = [mode for mode in engines if mode in rest] or engines
        names = [name for name in rest if name not in engines]
        measure(chosen, names, int(first), Path("docs/coverage_engines.json"))
        return
    mode = cast(Engine, arguments[0])
    most = int(arguments[2]) if len(arguments) > 2 else 100
    name = arguments[1] if len(arguments) > 1 and arguments[1] != "all" else None
    good = total = 0
    operations = [registry.named(name)] if name else registry.operations()
    cases = [case for operation in operations for case in measurable(operation)[:most]]
    for case, outcome in outcomes(mode, cases):
        total += 1
        good += outcome == "ok"
        if outcome != "ok" or name:
            print(f"{case}: {outcome if name else outcome.splitlines()[0][:200]}", flush=True)
    print(f"{good} of {total} examples in mode {mode}")


if __name__ == "__main__":
    main(sys.argv[1:])
