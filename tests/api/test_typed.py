"""What a type checker makes of transforms, by mypy on the files of adc that say it."""

import re
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api")

SOURCE = Path(__file__).parents[2] / "src" / "adc"
READ = ["__init__", "config", "rules/registry", "api/__init__"] + [
    f"api/{name}" for name in ("typed", "jvp", "matrices", "pullback", "vmap", "checkpointed", "stopped")
]
QUALIFIED = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])|builtins\.")

# Behind each line stands the type that is revealed, or that there is an error.
PROGRAM = """
import adc


def energy(x: float, k: float = 1.0) -> float:
    return k * x * x


def traced(x: float) -> tuple[float, str]:
    return x, "seen"


class Spring:
    @adc.grad
    def force(self, x: float) -> float:
        return x * x

    @adc.value_and_grad(argnums="x")
    def both(self, x: float) -> float:
        return x * x


@adc.grad
def plain(x: float, y: int) -> float:
    return x * y


@adc.hessian(mode="tape")
def bent(x: float) -> float:
    return x * x


reveal_type(adc.grad(energy))  # Differentiated[[x: float, k: float =], Any]
reveal_type(adc.grad(traced, has_aux=True))  # Differentiated[[x: float], tuple[Any, str]]
reveal_type(adc.value_and_grad(energy))  # Differentiated[[x: float, k: float =], tuple[float, Any]]
reveal_type(adc.value_and_grad(energy)(1.0, k=2.0)[0])  # float
reveal_type(adc.jacobian(energy))  # Transform[[x: float, k: float =], Any]
reveal_type(adc.jacfwd(energy))  # Transform[[x: float, k: float =], Any]
reveal_type(adc.hessian(adc.value_and_grad(energy)))  # Transform[[x: float, k: float =], Any]
reveal_type(plain)  # Differentiated[[x: float, y: int], Any]
reveal_type(bent)  # Transform[[x: float], Any]
reveal_type(Spring().both(2.0))  # tuple[float, Any]
reveal_type(Spring.both)  # Differentiated[[self: Spring, x: float], tuple[float, Any]]
reveal_type(adc.checkpoint(energy))  # def (x: float, k: float =) -> float
reveal_type(adc.stop_gradient(energy(2.0)))  # float
reveal_type(adc.vmap(energy))  # Transform[[x: float, k: float =], Any]
reveal_type(adc.jvp(energy, (1.0,), (1.0,)))  # tuple[float, float]
reveal_type(adc.vjp(energy, 1.0)[0])  # float
reveal_type(adc.vjp(traced, 1.0, has_aux=True))  # tuple[float, Pullback, str]
plain(1.0, 2, out=None)
reveal_type(adc.grad(energy).mode == 'tape')  # bool
plain("a", 2)  # error
bent(1.0, 2.0)  # error
Spring().force("a")  # error
adc.value_and_grad(energy)(1.0, 2.0)[0].upper()  # error
"""


def test_revealed_types(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    files = [str(SOURCE / f"{name}.py") for name in READ]
    options = ["--follow-imports=skip", "--no-error-summary", f"--cache-dir={tmp_path}", "--config-file="]
    said, trouble, _ = api.run([*options, *files, str(program)])
    assert not trouble
    found = {}
    for line in said.splitlines():
        place, _, rest = line.partition(": ")
        if "program.py" in place:
            revealed = re.search('Revealed type is "(.*)"', rest)
            number = int(place.rpartition(":")[2])
            found.setdefault(number, QUALIFIED.sub("", revealed[1]) if revealed else rest.partition(":")[0])
    lines = enumerate(PROGRAM.splitlines(), 1)
    assert found == {number: line.partition("  # ")[2] for number, line in lines if "  # " in line}
