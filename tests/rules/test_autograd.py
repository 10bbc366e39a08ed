"""Whatever HIPS autograd has a derivative of, adc has one of: with respect to the same parameters, on every engine."""

import importlib
import inspect
import json
from pathlib import Path

import pytest

from adc.rules import registry
from adc.tape import solvers

autograd = pytest.importorskip("autograd")
pytestmark = pytest.mark.filterwarnings("ignore")
stats = pytest.importorskip("scipy.stats")

MODULES = """numpy numpy.linalg numpy.fft numpy.random scipy.special scipy.stats scipy.linalg scipy.signal
scipy.integrate""".split()
ENGINES = json.loads(Path(__file__).parents[2].joinpath("docs", "coverage_engines.json").read_text("utf-8"))
# What autograd registers as zero, or registers an error for.
NO_DERIVATIVE = {
    "where": {"condition"},
    "special.polygamma": {"n"},
    "multigammaln": {"d"},
    "special.jv": {"v"},
    "special.yn": {"n"},
    "special.iv": {"v"},
    "special.ive": {"v"},
    "stats.multivariate_normal.entropy": {"mean"},
}


def primitives():
    """Autograd's primitives on functions of NumPy and SciPy, each with its table of pulls."""
    for module in MODULES:
        importlib.import_module(f"autograd.{module}")
    core = importlib.import_module("autograd.core")
    for primitive in {**core.primitive_vjps, **core.primitive_jvps}:
        function = getattr(primitive, "fun", None)
        if function is None or (getattr(function, "__module__", None) or "").startswith("autograd"):
            continue  # helpers of its own
        if inspect.ismethod(function):  # of a distribution: autograd has copies of some
            owner = next(n for n in dir(stats) if type(getattr(stats, n)) is type(function.__self__))
            function = getattr(getattr(stats, owner), function.__name__)
        yield function, _argnums(core.primitive_vjps.get(primitive))


def _argnums(maker):
    """The positions of the arguments that a pull was registered for, as they stand in autograd's closures."""
    if maker is None or not maker.__closure__:
        return ()
    for name, cell in zip(maker.__code__.co_freevars, maker.__closure__, strict=True):
        if name == "vjps_dict":
            return tuple(cell.cell_contents)
        if name == "vjp_argnums":
            return _argnums(cell.cell_contents)
    return ()


def test_every_primitive_of_autograd_has_a_rule():
    seen = 0
    for function, argnums in primitives():
        seen += 1
        if solvers.find(function) is not None:
            continue
        operation = registry.find(function)
        name = registry.spell(function)
        assert operation is not None, name
        if operation.kind == "constant":
            assert operation.name == "special.gammasgn", name
            continue
        names = [p.name for p in operation.parameters]
        wanted = {names[k] for k in argnums if k < len(names)} - NO_DERIVATIVE.get(operation.name, set())
        assert wanted <= set(operation.wrt), f"{name}: {wanted - set(operation.wrt)}"
        assert ENGINES[operation.name] == dict.fromkeys(("compiled", "python", "tape"), "ok"), name
    assert seen > 180
