"""The command line: look at, explain, check and time the derivative of a function; see the cache.

Exit codes: 0 done, 1 the gradient is wrong or adc refused the function, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import inspect
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adc import config
from adc.api import (
    gauss_newton_vp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vhp,
    vjp,
)
from adc.compiler import pipeline
from adc.compiler.backend.compile import VERSION
from adc.errors import AdcError
from adc.inspect import explain as explaining
from adc.inspect import source as sources
from adc.testing import check as checking

__all__ = ["main"]

EXAMPLES = """examples:
  adc show model.py:loss --args "np.ones(3), 2.0"
  adc show model.py:loss --args "np.ones(3), 2.0" --stage optimized --argnums 1
  adc show model.py:loss --args "np.ones(3), 2.0" --transform hessian
  adc explain model.py:loss --args "w=np.ones(3), x=np.eye(3)"
  adc check model.py:loss --args "np.ones(3), 2.0"
  adc bench package.module:loss --args "np.ones(1000), 2.0"
  adc cache info
"""


class CommandError(Exception):
    """What is wrong with a command line, in words for the person who typed it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code.

    >>> main(["cache"])
    2
    """
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
    except SystemExit as stop:  # argparse has printed its message, or the help
        return int(stop.code or 0)
    try:
        return int(options.run(options))
    except CommandError as error:
        print(f"adc {options.command}: {error}", file=sys.stderr)
        return 2
    except AdcError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # `adc show ... | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


# --- the commands -------------------------------------------------------------------------------------------


def show(options: argparse.Namespace) -> int:
    """Print the generated text."""
    derivative, args, kwargs = _derivative(options)
    stages = pipeline.stage_names()
    if options.stage not in stages:
        close = difflib.get_close_matches(options.stage, stages)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        raise CommandError(f"there is no stage `{options.stage}`{hint} There are: {', '.join(stages)}")
    print(_highlighted(str(sources.source(derivative, *args, stage=options.stage, **kwargs)).rstrip("\n")))
    return 0


def explain(options: argparse.Namespace) -> int:
    """Print the ledger."""
    derivative, args, kwargs = _derivative(options)
    print(explaining.explain(derivative, *args, **kwargs))
    return 0


def check(options: argparse.Namespace) -> int:
    """Compare the gradient with differences."""
    function = _function(options.target)
    args, kwargs = _arguments(options.args, function)
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise CommandError("`check` takes functions whose arguments can be given by position")
    try:
        checking.check_grads(function, bound.args, 1, ("rev",), _argnums(options.argnums), mode=options.mode)
    except AssertionError as error:
        print(f"wrong: {error}")
        return 1
    print(f"right: the gradient of {options.target} agrees with differences")
    return 0


def bench(options: argparse.Namespace) -> int:
    """Time the function and its value and gradient, in turn."""
    function = _function(options.target)
    args, kwargs = _arguments(options.args, function)
    derivative = value_and_grad(function, argnums=_argnums(options.argnums), mode=options.mode)
    begin = time.perf_counter()
    derivative(*args, **kwargs)
    first = time.perf_counter() - begin
    runs: dict[str, Callable[[], Any]] = {
        "primal": lambda: function(*args, **kwargs),
        "gradient": lambda: derivative(*args, **kwargs),
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + options.seconds
    while len(times["primal"]) < 3 or (time.perf_counter() < end and len(times["primal"]) < 10_000):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    primal, gradient = (statistics.median(times[name]) for name in runs)
    print(f"primal, as Python runs it   {_spoken(primal):>12}")
    print(f"value and gradient          {_spoken(gradient):>12}   {gradient / primal:.2f} x the primal")
    print(f"first call                  {_spoken(first):>12}   compiles, or reads the cache")
    print(f"mode: {derivative.mode}, median of {len(times['primal'])} interleaved rounds")
    return 0


def cache(options: argparse.Namespace) -> int:
    """Say where generated code is kept and how much, or delete it."""
    folder = config.current().cache_dir / "generated"
    files = [f for f in folder.rglob("*") if f.is_file()] if folder.exists() else []
    size = sum(f.stat().st_size for f in files)
    programs = sum(f.suffix == ".py" for f in files)
    print(f"{folder}: {programs} generated programs, {len(files)} files, {size / 1e6:.1f} MB")
    if options.action == "clear":
        if folder.exists():
            shutil.rmtree(folder)
        print("cleared")
    return 0


# --- the function and its arguments -------------------------------------------------------------------------


def _derivative(options: argparse.Namespace) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    function = _function(options.target)
    args, kwargs = _arguments(options.args, function)
    if options.transform in CALLED:
        if kwargs or options.argnums != "0":
            raise CommandError(
                f"`--transform {options.transform}` takes arguments by position, and differentiates all"
            )
        # Any direction: types decide what is generated.
        given = (args, args) if CALLED[options.transform][1] else args
        return CALLED[options.transform][0], (function, *given), {"mode": options.mode}
    transform = TRANSFORMS[options.transform]
    return transform(function, argnums=_argnums(options.argnums), mode=options.mode), args, kwargs


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": grad,
    "hessian": hessian,
    "jacfwd": jacfwd,
    "jacobian": jacobian,
    "jacrev": jacrev,
    "value_and_grad": value_and_grad,
}


# Transforms that are called with the function at once, and whether they take a direction per argument.
CALLED: dict[str, tuple[Callable[..., Any], bool]] = {
    "gauss_newton_vp": (gauss_newton_vp, True),
    "hvp": (hvp, True),
    "jvp": (jvp, True),
    "linearize": (linearize, False),
    "vhp": (vhp, True),
    "vjp": (vjp, False),
}


def _function(target: str) -> Callable[..., Any]:
    """The function that `model.py:loss` or `package.module:loss` names; of a derivative, its primal."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise CommandError(f"`{target}` does not name a function: write FILE.py:FUNCTION or MODULE:FUNCTION")
    module = _module(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            functions = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
            close = difflib.get_close_matches(name, functions)
            hint = f"did you mean `{close[0]}`?" if close else f"there are: {', '.join(functions) or 'none'}"
            raise CommandError(f"`{place}` has no function `{name}`; {hint}")
        found = getattr(found, part)
    found = getattr(found, "__adc_primal__", found)
    if not callable(found):
        raise CommandError(f"`{target}` is not a function but {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _module(place: str) -> ModuleType:
    if place.endswith(".py"):
        path = Path(place).resolve()
        if not path.exists():
            raise CommandError(f"there is no file `{place}`")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module  # what classes of the file are looked up by
        sys.path.insert(0, str(path.parent))  # as `python model.py` does, for its own imports
        spec.loader.exec_module(module)
        return module
    sys.path.insert(0, "")
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is not None and place.startswith(error.name):
            raise CommandError(f"there is no module `{place}` (a file is given as `{place}.py`)") from error
        raise


def _arguments(text: str, function: Callable[..., Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that `--args` spells, as in a call; names of the function's module may be used."""
    space = {"np": np, "numpy": np, **getattr(function, "__globals__", {})}
    space["__call_with"] = lambda *args, **kwargs: (args, kwargs)
    try:
        args, kwargs = eval(f"__call_with({text})", space)
        inspect.signature(function).bind(*args, **kwargs)
    except Exception as error:  # whatever the user's expression raises is what is wrong with it
        name = getattr(function, "__name__", "the function")
        raise CommandError(
            f'--args "{text}" does not fit {name}{inspect.signature(function)}: '
            f"{type(error).__name__}: {error}"
        ) from error
    return args, kwargs


def _argnums(text: str) -> int | str | tuple[int | str, ...]:
    """`0`, `w` or `0,w`.

    >>> _argnums("0"), _argnums("w,1")
    (0, ('w', 1))
    """
    parts = [p.strip() for p in text.split(",") if p.strip()]
    chosen = tuple(int(p) if p.lstrip("-").isdigit() else p for p in parts)
    return chosen if "," in text else chosen[0]


# --- talking ------------------------------------------------------------------------------------------------


def _highlighted(text: str) -> str:
    """Python text in colours, where a terminal shows it and pygments is there."""
    if not sys.stdout.isatty() or importlib.util.find_spec("pygments") is None:
        return text
    pygments = importlib.import_module("pygments")
    lexers, formatters = (
        importlib.import_module("pygments.lexers"),
        importlib.import_module("pygments.formatters"),
    )
    return str(pygments.highlight(text, lexers.PythonLexer(), formatters.TerminalFormatter())).rstrip("\n")


def _spoken(seconds: float) -> str:
    """A time with a unit that one can read.

    >>> _spoken(2.5e-6), _spoken(0.012), _spoken(1.5)
    ('2.50 us', '12.00 ms', '1.50 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds / 1e-6:.2f} us"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="adc",
        description="Gradients of ordinary NumPy functions: see, explain, check and time them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"adc {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        assert run.__doc__ is not None
        sub = commands.add_parser(
            name,
            help=run.__doc__.rstrip("."),
            description=run.__doc__,
            epilog=EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=run)
        return sub

    for name, run in (("show", show), ("explain", explain), ("check", check), ("bench", bench)):
        sub = command(name, run)
        sub.add_argument("target", metavar="FILE.py:FUNCTION", help="or MODULE:FUNCTION")
        sub.add_argument(
            "--args",
            default="",
            metavar="ARGUMENTS",
            help="example arguments, as in a call; np and the names of the file may be used",
        )
        sub.add_argument(
            "--argnums",
            default="0",
            metavar="WHICH",
            help="what to differentiate: a position, a name, or several with commas (0)",
        )
        sub.add_argument(
            "--mode", default=None, choices=["auto", "compiled", "python", "tape"], help="the engine (auto)"
        )
        if name in ("show", "explain"):
            sub.add_argument(
                "--transform", default="grad", choices=sorted({*TRANSFORMS, *CALLED}), help="(grad)"
            )
        if name == "show":
            sub.add_argument(
                "--stage", default="adjoint", help="adjoint, optimized, ir, or any stage (adjoint)"
            )
        if name == "bench":
            sub.add_argument("--seconds", type=float, default=1.0, help="how long to measure (1)")
    sub = command("cache", cache)
    sub.add_argument("action", choices=["info", "clear"])
    return parser


if __name__ == "__main__":
    sys.exit(main())
