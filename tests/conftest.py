"""Every test runs with the IR verifier on, a fresh cache directory, and golden texts that must match."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parent / "golden"
BY_TEXT = {Path(__file__).parent / name for name in ("frontend", "rules", "transforms")}

# Before adc is imported: it reads its environment once. Workers share the directory of the process that starts them:
# what all programs call of the runtime is compiled once.
_is_worker = "PYTEST_XDIST_WORKER" in os.environ
_cache = os.environ["ADC_CACHE_DIR"] if _is_worker else tempfile.mkdtemp(prefix="adc-tests-")
os.environ.update(ADC_VERIFY="1", ADC_CACHE_DIR=_cache)
for variable in ("ADC_DEBUG", "ADC_DUMP", "ADC_MODE", "ADC_STRICT"):
    os.environ.pop(variable, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected texts; read the diff")
    parser.addoption("--fuzz-count", type=int, default=15, help="random programs per fuzz test")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long runs where it is asked for: `-m exhaustive`.

    The tests of a file that are of one program stand together: a worker makes what they compare with once.
    """
    places: dict[Any, int] = {}

    def place(item: pytest.Item) -> int:
        of = item.callspec.params.get("program") if hasattr(item, "callspec") else None
        return places.setdefault((item.path, getattr(of, "name", None)), len(places))

    items.sort(key=place)
    if "exhaustive" in config.getoption("-m"):
        return
    taken: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (left_out if item.get_closest_marker("exhaustive") else taken).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = taken


def pytest_collection_finish() -> None:
    """The collector of garbage has nothing to look for among the tests, which are many, nor so often between them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not _is_worker:
        shutil.rmtree(_cache, ignore_errors=True)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file under tests/golden, as in `golden("errors/unsupported.txt", text)`."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        text = text.rstrip("\n") + "\n"
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"{file} does not exist: pytest --update-golden writes it"
        assert text == file.read_text(encoding="utf-8"), f"{file} differs (pytest --update-golden)"

    return compare


@pytest.fixture(autouse=True)
def text_or_machine_code(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run most tests of stages by the text for Numba in CPython: what they ask is what the stages make of a program.

    A quarter of them, another one with other sources, runs what Numba makes of the text, and all that are marked
    `machine_code`.
    """
    from tests.in_turn import turn  # which imports adc
    from tests.interpreted import interpreted

    by_numba = request.node.get_closest_marker("machine_code") or turn(request.node.nodeid, 4) == 0
    if request.path.parent in BY_TEXT and not by_numba:
        with interpreted():
            yield
    else:
        yield


@pytest.fixture
def fuzz_count(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-count"))
