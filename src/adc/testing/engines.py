"""Run rule examples through adc itself, to say which engine takes each operation: measured, not claimed.

    python -m adc.testing.engines python            # or compiled, tape: every operation
    python -m adc.testing.engines compiled cumprod  # one operation, with the error if it is refused
    python -m adc.testing.engines measure 1         # the first example of each: docs/coverage_engines.json

A program of one line is written for an example, `return np.sum(np.real(operation(...)) * weights)`, and its
gradient is compared with differences of the operation itself.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np

from adc.config import Mode
from adc.rules import registry
from adc.rules.registry import Operation
from adc.testing import kit

HEADER = "import math\nimport numpy as np\nimport numpy\n"


def program_of(case: kit.Case) -> tuple[str, dict[str, Any], list[str]]:
    """The call of the operation as text, its arguments (arrays and floats), and which of them are active."""
    arguments: dict[str, Any] = {}
    active: list[str] = []
    texts: list[str] = []
    positional = (
        "positional" in case.operation.extra
        or isinstance(case.operation.function, np.ufunc)
        or (getattr(case.operation.function, "__module__", "") == "math")
    )
    keywords = False
    for parameter in case.operation.parameters:
        value = case.values[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            before = set(arguments)
            texts += [
                _text_of(f"{parameter.name}_{k}", v, arguments, parameter.name in case.active)
                for k, v in enumerate(value)
            ]
            if parameter.name in case.active:
                active += [n for n in arguments if n not in before and kit.is_active(arguments[n])]
            continue
        default = kit.is_default(value, parameter.default)
        if default and "positional" not in case.operation.extra:
            continue
        before = set(arguments)
        text = _text_of(parameter.name, value, arguments, parameter.name in case.active)
        if parameter.name in case.active:
            active += [n for n in arguments if n not in before and kit.is_active(arguments[n])]
        keywords = keywords or parameter.default is not parameter.empty
        texts.append(f"{parameter.name}={text}" if keywords and not positional else text)
    return f"{case.operation.spelling}({', '.join(texts)})", arguments, active


def _text_of(name: str, value: Any, arguments: dict[str, Any], active: bool) -> str:
    """How a value is written: arrays and active numbers are arguments, the rest stands in the text."""
    if isinstance(value, (list, tuple)):
        inner = [_text_of(f"{name}_{k}", v, arguments, active) for k, v in enumerate(value)]
        joined = ", ".join(inner)
        return f"[{joined}]" if isinstance(value, list) else f"({joined}{',' if len(inner) == 1 else ''})"
    if isinstance(value, np.ndarray) or (active and isinstance(value, float)):
        arguments[name] = value
        return name
    if isinstance(value, np.ufunc):
        return f"np.{value.__name__}"
    if isinstance(value, type):
        return f"np.{value.__name__}" if issubclass(value, np.generic) else value.__name__
    if isinstance(value, float) and not np.isfinite(value):
        return f"np.{value}" if value > 0 else f"(-np.{-value})"
    return repr(value)


def tried(case: kit.Case, mode: Mode, directory: Path, generator: np.random.Generator) -> str:
    """ "ok", or why the engine does not give this gradient."""
    from adc.api import grad

    call, arguments, names = program_of(case)
    result = kit.primal(case)
    parts = list(result) if isinstance(result, (list, tuple)) else [result]
    kept = [k for k, part in enumerate(parts) if kit.is_active(part) and np.size(part)]
    if not kept:
        return "ok"
    weights = [kit.random_like(np.real(parts[k]), generator) for k in kept]
    several = isinstance(result, (list, tuple))
    lines = [f"    z = {call}"]
    for name, k in zip("uvwxyz", kept, strict=False):
        part = f"z[{k}]" if several else "z"
        lines.append(
            f"    total_{name} = np.sum(np.real({part}) * weight_{k})"
            if np.iscomplexobj(parts[k])
            else f"    total_{name} = np.sum({part} * weight_{k})"
        )
    lines.append("    return " + " + ".join(f"total_{name}" for name, _ in zip("uvwxyz", kept, strict=False)))
    weight_names = [f"weight_{k}" for k in kept]
    text = (
        f"{HEADER}{_imports(case.operation)}\n\ndef program({', '.join([*arguments, *weight_names])}):\n"
        + "\n".join(lines)
        + "\n"
    )
    module = _imported(text, case, mode, directory)
    active = tuple(k for k, name in enumerate(arguments) if name in names)
    dots = {name: kit.random_like(arguments[name], generator) for name in names}
    allowed = case.operation.extra.get("directions", {})
    dots = {name: allowed[name](dot) if name in allowed else dot for name, dot in dots.items()}
    gradients = grad(module.program, argnums=active, mode=mode)(*arguments.values(), *weights)
    got = sum(kit.paired(g, dots[name]) for g, name in zip(gradients, names, strict=True))

    def at(h: float) -> float:
        moved = {k: v + h * dots[k] if k in dots else v for k, v in arguments.items()}
        return float(np.real(module.program(*moved.values(), *weights)))

    wanted = (8.0 * (at(kit.STEP) - at(-kit.STEP)) - (at(2 * kit.STEP) - at(-2 * kit.STEP))) / (
        12.0 * kit.STEP
    )
    if np.isfinite(wanted) and abs(got - wanted) > 1e-5 * max(1.0, abs(wanted)):
        return f"wrong: {got!r}, differences give {wanted!r}"
    return "ok"


def _imports(operation: Operation) -> str:
    if operation.spelling.startswith("scipy."):
        module, _, _ = operation.spelling.rpartition(".")
        return f"import {module if operation.spelling.count('.') == 2 else 'scipy.stats'}\n"
    if "." not in operation.spelling:
        return f"from {operation.function.__module__} import {operation.spelling}\n"
    return ""


def _imported(text: str, case: kit.Case, mode: str, directory: Path) -> ModuleType:
    path = directory / f"program_{case.operation.name.replace('.', '_')}_{case.index}_{mode}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcomes(mode: Mode, name: str | None = None, most: int = 100) -> Iterator[tuple[kit.Case, str]]:
    """What one engine makes of the first `most` examples of every operation (or of one)."""
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for operation in [registry.named(name)] if name else registry.operations():
            # Writers give no result; vectors whose sign LAPACK chooses anew have no differences.
            if operation.kind == "constant" or {"writes", "up_to_sign"} & operation.extra.keys():
                continue
            # A function that adc differentiates takes real arguments; complex ones stand inside it.
            chosen = [
                case
                for case in kit.cases(operation)
                if case.smooth
                and case.active
                and not any(np.iscomplexobj(leaf) for leaf in kit.leaves(list(case.values.values())))
            ][:most]
            for case in chosen:
                try:
                    yield case, tried(case, mode, Path(directory), np.random.default_rng(5))
                except Exception as error:  # the answer is the report of whatever goes wrong
                    yield case, f"{type(error).__name__}: {error}"


def measure(modes: list[Mode], most: int, target: Path) -> None:
    """Write which engine takes which operation, for the coverage table: "ok", or what stands in the way."""
    table: dict[str, dict[str, str]] = json.loads(target.read_text("utf-8")) if target.exists() else {}
    known = {operation.name for operation in registry.operations()}
    table = {name: answers for name, answers in table.items() if name in known}
    for mode in modes:
        for answers in table.values():
            answers.pop(mode, None)
        for case, outcome in outcomes(mode, most=most):
            answers = table.setdefault(case.operation.name, {})
            if answers.get(mode, "ok") == "ok":
                answers[mode] = outcome if outcome == "ok" else outcome.partition(":")[0]
        target.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Print what one engine makes of every operation, or of one; or `measure` them for the coverage table."""
    if arguments[0] == "measure":
        chosen = [cast(Mode, mode) for mode in arguments[2:]]
        measure(
            chosen or ["compiled", "python", "tape"], int(arguments[1]), Path("docs/coverage_engines.json")
        )
        return
    mode = cast(Mode, arguments[0])
    most = int(arguments[2]) if len(arguments) > 2 else 100
    name = arguments[1] if len(arguments) > 1 and arguments[1] != "all" else None
    good = total = 0
    for case, outcome in outcomes(mode, name, most):
        total += 1
        good += outcome == "ok"
        if outcome != "ok" or name:
            print(f"{case}: {outcome if name else outcome.splitlines()[0][:200]}", flush=True)
    print(f"{good} of {total} examples in mode {mode}")


if __name__ == "__main__":
    main(sys.argv[1:])
