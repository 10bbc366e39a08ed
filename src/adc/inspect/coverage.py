"""docs/coverage.md says what adc makes of every public function of NumPy, `math` and the parts of SciPy
that it covers.

    python -m adc.inspect.coverage                # write docs/coverage.md again

The table is made from the rule table; what has no rule stands in `unsupported.py` with a reason. Which
engine takes an operation was measured by `adc.testing.engines` and is read from docs/coverage_engines.json.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adc.inspect.unsupported import CLASSES
from adc.rules import registry
from adc.rules.operation import Operation

MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.polynomial.polynomial",
    "numpy.polynomial.chebyshev",
    "numpy.polynomial.legendre",
    "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre",
    "math",
    "statistics",
    "scipy.special",
    "scipy.linalg",
    "scipy.fft",
    "scipy.signal",
    "scipy.ndimage",
    "scipy.stats",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.optimize",
    "scipy.spatial.distance",
)

# Where derivatives have a choice: operation, point, adc, JAX, PyTorch. The tests hold the first of the three.
SINGULAR_POINTS = (
    ("abs", "0", "0", "0", "0"),
    ("abs of a complex number", "0", "0", "-", "0"),
    ("maximum, minimum", "a tie", "the first operand takes all", "half to each", "half to each"),
    (
        "max, min",
        "a tie",
        "the first element takes all, as argmax",
        "shared equally",
        "shared equally (amax)",
    ),
    ("clip", "on a bound", "1 for the array", "half to the array", "1 for the array"),
    ("maximum, minimum, clip", "an infinite adjoint of what is not taken", "0", "NaN", "0"),
    ("sqrt, cbrt, log, 1/x", "0, with a zero adjoint", "0 (strong zero)", "NaN", "NaN"),
    ("sqrt", "0, with another adjoint", "inf", "inf", "inf"),
    ("x ** y", "d/dy at x = 0, y > 0", "0", "0", "0"),
    ("x ** 0", "d/dx anywhere", "0", "0", "0"),
    ("norm", "0", "0", "NaN", "0"),
    ("std", "all elements equal", "0", "NaN", "0"),
    ("prod, cumprod", "elements that are 0", "exact, at every order", "exact", "exact"),
    (
        "where",
        "inf or NaN in the branch not taken",
        "no NaN of a slope, by the strong zero; a product with NaN, as sqrt(x) * x, passes it on",
        "NaN may pass",
        "NaN may pass",
    ),
    (
        "sort, median, quantile",
        "a tie",
        "the order of argsort",
        "the order of argsort",
        "the order of argsort",
    ),
    (
        "eigh, svd",
        "equal values",
        "NaN where the vectors of such a pair are used, and in second derivatives; gradients of symmetric "
        "functions of the values are exact",
        "NaN",
        "inf or NaN",
    ),
    (
        "det",
        "a singular matrix",
        "the cofactors, of four rows and more by the tape",
        "the cofactors, where the last pivot alone is 0",
        "0",
    ),
    ("logaddexp", "both operands -inf", "0", "-", "-"),
)


@dataclass(frozen=True)
class Row:
    """One public name."""

    name: str
    operation: Operation | None
    kind: str  # "differentiable", "piecewise constant", or a class of unsupported.py
    reason: str = ""


def public_names(module: types.ModuleType) -> list[str]:
    """The public callables of a module, in alphabetical order."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some names warn that they are deprecated
        for name in sorted(set(getattr(module, "__all__", None) or dir(module))):
            value = getattr(module, name, None)
            if not name.startswith("_") and callable(value) and not isinstance(value, types.ModuleType):
                found.append(name)
    return found


def rows(module_name: str) -> list[Row]:
    """One row for every public callable of a module; KeyError names one that is not classified."""
    registry.load_all()
    module = importlib.import_module(module_name)
    reasons = {name: key for key, names in CLASSES.get(module_name, {}).items() for name in names.split()}
    result = []
    for name in public_names(module):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            operation = registry.find(getattr(module, name))
        if operation is not None:
            kind = "piecewise constant" if operation.kind == "constant" else "differentiable"
            result.append(Row(name, operation, kind, operation.notes))
        elif name in reasons:
            result.append(Row(name, None, *reasons[name]))
        else:
            raise KeyError(f"{module_name}.{name} has no rule and no class in adc/inspect/unsupported.py")
    return result


def methods_of_distributions() -> list[Operation]:
    """The rules of methods of distributions and ufuncs, which no module lists by name."""
    return [
        o
        for o in registry.operations()
        if (o.spelling.count(".") > 2 and o.spelling.startswith("scipy.stats."))
        or o.spelling.endswith((".reduce", ".accumulate", ".outer"))
    ]


def engines_of(operation: Operation, measured: dict[str, dict[str, str]]) -> str:
    """Which engines take an operation: "all", or those that were measured to take every example of it."""
    found = measured.get(operation.name)
    if found is None:
        return "not measured"
    good = [mode for mode in ("compiled", "python", "tape") if found.get(mode) == "ok"]
    return ", ".join(good) if good else "none"


def document() -> str:
    """The whole of docs/coverage.md."""
    path = Path(__file__).parents[3] / "docs" / "coverage_engines.json"
    measured = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return "\n".join(_lines(measured)) + "\n"


def _lines(measured: dict[str, dict[str, str]]) -> Iterator[str]:
    present = [m for m in MODULES if importlib.util.find_spec(m.partition(".")[0]) is not None]
    tables = {module: rows(module) for module in present}
    operations = [o for o in registry.operations() if o.kind != "constant"]
    yield from (
        "# Coverage",
        "",
        "Generated by `python -m adc.inspect.coverage` from the rule table; do not edit.",
        "",
    )
    yield (
        f"{len(operations)} differentiable operations, each in both modes and of any order, and each "
        "tested on its own examples by `adc.testing.kit`. "
        f"Made with NumPy {np.__version__}{_scipy_version()}."
    )
    yield from (
        "",
        "| module | public callables | differentiable | piecewise constant | other |",
        "|---|---|---|---|---|",
    )
    for module, table in tables.items():
        smooth = sum(row.kind in ("differentiable", "language", "through its methods") for row in table)
        constant = sum(row.kind == "piecewise constant" for row in table)
        yield f"| `{module}` | {len(table)} | {smooth} | {constant} | {len(table) - smooth - constant} |"
    if measured:
        yield from ("", "| engine | operations that it takes in every example measured |", "|---|---|")
        for mode in ("compiled", "python", "tape"):
            asked = [found[mode] for found in measured.values() if mode in found]
            yield f"| {mode} | {sum(answer == 'ok' for answer in asked)} of {len(asked)} |"
        yield from (
            "",
            "What an engine does not take is refused with line and reason, and falls back to the next: "
            "compiled, python, tape. Complex operands are made of real arguments inside the function that is measured.",
        )
    yield from (
        "",
        "A function of NumPy or SciPy that has no rule and is written in Python runs by its own code, where all that "
        "it calls has one: most of those that are called unsupported below are taken by the tape so, as "
        "`scipy.stats.describe`.",
    )
    yield from (
        "",
        "## Corners and singular points",
        "",
        "| operation | where | adc | JAX | PyTorch |",
        "|---|---|---|---|---|",
    )
    yield from ("| " + " | ".join(point) + " |" for point in SINGULAR_POINTS)
    yield from (
        "",
        "Complex numbers: an adjoint pairs with a tangent as Re(sum(x_bar * x_dot)), unconjugated, as "
        "in JAX "
        "and HIPS autograd; PyTorch's gradient is the conjugate.",
    )
    for module, table in tables.items():
        yield from ("", f"## {module}", "")
        yield from _module(module, table, measured)
    yield from (
        "",
        "## Methods",
        "",
        "| name | with respect to | kind | engines | notes |",
        "|---|---|---|---|---|",
    )
    yield from (
        _operation_row(o.spelling, o, measured) for o in methods_of_distributions() if o.kind != "constant"
    )


def _module(module: str, table: list[Row], measured: dict[str, dict[str, str]]) -> Iterator[str]:
    smooth = [row for row in table if row.kind == "differentiable"]
    if smooth:
        yield from ("| name | with respect to | kind | engines | notes |", "|---|---|---|---|---|")
        for row in smooth:
            assert row.operation is not None
            yield _operation_row(row.name, row.operation, measured)
    constant = [row.name for row in table if row.kind == "piecewise constant"]
    if constant:
        yield from ("", f"Piecewise constant, derivative zero by nature: {_listed(constant)}.")
    for key in dict.fromkeys((row.kind, row.reason) for row in table if row.operation is None):
        kind, reason = key
        names = [row.name for row in table if (row.kind, row.reason) == key]
        yield from ("", f"{kind.capitalize()} ({reason}): {_listed(names)}.")


def _operation_row(name: str, operation: Operation, measured: dict[str, dict[str, str]]) -> str:
    refused = operation.extra.get("refuses", ())
    notes = [operation.notes] if operation.notes else []
    if refused:
        notes.append(f"no closed form in {', '.join(refused)}")
    if operation.extra.get("real_only"):
        notes.append("real operands")
    text = "; ".join(notes).replace("|", "\\|")
    engines = engines_of(operation, measured)
    return f"| `{name}` | {', '.join(operation.wrt)} | {operation.kind} | {engines} | {text} |"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _scipy_version() -> str:
    if importlib.util.find_spec("scipy") is None:
        return ", without SciPy"
    version = importlib.import_module("scipy").__version__
    return f", SciPy {version}, Python's math with {len(public_names(math))} functions"


def main(arguments: list[str]) -> Any:
    """Write the document, to docs/coverage.md or to the path given."""
    target = Path(arguments[0]) if arguments else Path(__file__).parents[3] / "docs" / "coverage.md"
    target.write_text(document(), encoding="utf-8")
    print(f"{target} written")


if __name__ == "__main__":
    import adc.rules  # noqa: F401  (registers every rule)

    main(sys.argv[1:])
