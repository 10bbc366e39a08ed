"""Texts that were derived before, in this process or in another, for the same program.

A function is lowered anew in each process: only then is it known what it reads, and what of that the text takes for
granted. All that comes after depends on the lowered program alone, and on what the evaluator has found out about it. So
these are the key (`digest`), with the sources of adc and the versions of what it asks for facts, and the texts are kept
beside the generated modules.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adc import config
from adc.compiler.backend import files
from adc.compiler.context import Context
from adc.compiler.digest import NoKey, digest
from adc.compiler.ir.nodes import Atom, Const, Program, Var
from adc.compiler.ir.types import Array, Scalar
from adc.errors import Location
from adc.rules import registry
from adc.rules.dims import Dim

__all__ = ["Key", "keep", "key_of", "recalled"]

# What only the user's own statements are held against, and what is looked at before each call.
_OF_LOWERING = {
    "frame",
    "functions",
    "defaults",
    "captures",
    "guards",
    "records",
    "settled",
    "stacked",
    "table_rows",
    "tabled",
    "copies_read",
    "spent_before",
    "origins",
    "stand_ins_of",
    "raised_by_user",
    "tested_for",
    "arrays_without_axes",
    "named_again",
    "laid_flat",
    "widths",
    "effects",
    "moving",
    "given",
    "going_on",
    "sweeps",
    "branches_joined",
    "found_long",
    "tally",
    "left_outside",
    "is_appended_to",
    "branches_made",
    "dicts_made",
    "keys_of_run",
    "tables",
}
_VERSIONS = ("numpy", "numba", "llvmlite", "scipy", "gast", "astor")


@dataclass(frozen=True)
class Key:
    """What a text is found by, and how much was looked at outside of the function to get there."""

    text: str
    looked_at: tuple[int, ...]


def key_of(context: Context) -> Key | None:
    """The key of what was lowered; None where its texts are not to be kept."""
    settings, request = config.current(), context.request
    observed = settings.verify or settings.debug or settings.dump is not None or context.record
    if observed or request.outside is not None or registry.user_modules:
        return None
    evaluator = context.evaluator
    known = {name: value for name, value in vars(evaluator).items() if name not in _OF_LOWERING}
    asked = (
        request.kind,
        request.value,
        request.has_aux,
        request.into,
        request.insists,
        request.strict,
        context.optimize,
    )
    try:
        return Key(
            digest((_sources(), asked, context.wrt, context.program, known)),
            _looked_at(context),
        )
    except (NoKey, RecursionError):  # names of names of names: what is as deep as that is derived anew
        return None


def keep(context: Context, key: Key) -> None:
    """Keep the texts of a context, whose program has gone through all stages."""
    assert context.program is not None
    if _looked_at(context) != key.looked_at:
        return  # a stage has taken more for granted, which lowering alone would not find again
    places: dict[Location | None, int] = {}
    origins = {
        name: [places.setdefault(place, len(places)) for place in lines]
        for name, lines in context.origins.items()
    }
    kept = {
        "texts": context.texts,
        "origins": origins,
        "places": [None if p is None else [p.file, p.line, p.column, p.end_column, p.text] for p in places],
        "results": [_written(r) for r in context.program.results],
        "given": [_written(v) for v in context.given],
    }
    files.put(_path(context, key), json.dumps(kept).encode())


def recalled(context: Context, key: Key) -> bool:
    """Whether the texts were kept; then the context is as if the stages had run, with a program without a body."""
    assert context.program is not None
    try:
        kept = json.loads(_path(context, key).read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):  # a damaged file is written anew
        return False
    places = [None if p is None else Location(*p) for p in kept["places"]]
    context.texts = kept["texts"]
    context.origins = {name: [places[k] for k in lines] for name, lines in kept["origins"].items()}
    context.given = [_variable(*v) for v in kept["given"]]
    lowered = context.program
    results: list[Atom] = [Const(None) if r is None else _variable(*r) for r in kept["results"]]
    context.program = Program(lowered.name, [*lowered.params, *context.given], [], results, lowered.doc)
    return True


def _path(context: Context, key: Key) -> Path:
    return files.folder() / f"{context.name}_{key.text}.json"


def _looked_at(context: Context) -> tuple[int, ...]:
    found = context.evaluator
    return tuple(map(len, (found.functions, found.defaults, found.captures, found.guards, found.records)))


def _written(atom: Atom) -> list[Any] | None:
    return [atom.name, atom.type.dtype, atom.type.ndim] if isinstance(atom, Var) else None


def _variable(name: str, dtype: str, ndim: int) -> Var:
    """A variable of a type with lengths that nobody asks for any more."""
    v = Var(name, Scalar(dtype))
    if ndim:
        v.type = Array(dtype, tuple(Dim.symbol("shape", v, k) for k in range(ndim)))
    return v


@functools.cache
def _sources() -> str:
    """A hash of what the texts depend on beside the program."""
    package = Path(__file__).parents[1]
    parts = [sys.version]
    for name in _VERSIONS:
        try:
            parts.append(f"{name} {importlib.import_module(name).__version__}")
        except ImportError:  # SciPy need not be there
            parts.append(f"no {name}")
    for folder, _, names in sorted(os.walk(package)):
        for name in sorted(names):
            if name.endswith(".py"):
                about = os.stat(os.path.join(folder, name))
                parts.append(f"{folder} {name} {about.st_size} {about.st_mtime_ns}")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
