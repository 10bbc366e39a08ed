"""The generated texts of the gallery are those that were read and kept, and they compute the gradient."""

from __future__ import annotations

import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gallery import Entry, rooms

import adc
from adc import pytree

PAGE = Path(__file__).parents[1] / "docs" / "gallery.md"
ENTRIES = [entry for _, entries in rooms() for entry in entries]


def text(entry: Entry, stage: str) -> str:
    return str(adc.source(adc.grad(entry.function, entry.argnums), *entry.arguments, stage=stage))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
@pytest.mark.parametrize("stage", ["adjoint", "optimized"])
def test_text(entry: Entry, stage: str, golden: Callable[[str, str], None]) -> None:
    golden(f"gallery/{entry.name}.{stage}.txt", text(entry, stage))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_the_text_by_itself_computes_the_gradient(entry: Entry) -> None:
    space: dict[str, Any] = {}
    exec(text(entry, "adjoint"), space)
    function = space[f"{entry.name}_grad"]
    inputs = [leaf for a in copy.deepcopy(entry.arguments) for leaf in pytree.leaves(a)]
    inputs = [x for x in inputs if not isinstance(x, str)]
    with np.errstate(all="ignore"):
        found = function(*inputs)
    expected = pytree.leaves(adc.grad(entry.function, entry.argnums, mode="tape")(*entry.arguments))
    found = found if isinstance(found, tuple) else (found,)
    for ours, reference in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, reference, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_compiled_agrees_with_differences(entry: Entry) -> None:
    argnums = entry.argnums
    adc.check_grads(entry.function, copy.deepcopy(entry.arguments), 1, ("rev",), argnums, mode="compiled")


def page() -> Iterator[str]:
    yield "# Gallery of adjoints"
    yield (
        "Functions of many kinds, each with the adjoint that adc writes for it. The text is what\n"
        "`print(adc.source(adc.grad(f), ...))` shows. A test compares every one of them with what the\n"
        "compiler writes, so the page is always up to date; the files behind it are in `tests/gallery`."
    )
    for module, entries in rooms():
        assert module.__doc__ is not None
        title, _, rest = module.__doc__.strip().rstrip(".").partition(":")
        yield f"## {title}" + (f"\n\n{rest.strip().capitalize()}." if rest else "")
        for entry in entries:
            primal = "".join(
                line for line in inspect.getsourcelines(entry.function)[0] if not line.startswith("@")
            )
            generated = text(entry, "adjoint")
            body = generated[generated.index("def ") :]
            yield f"### {entry.name}"
            yield f"```py\n{textwrap.dedent(primal).rstrip()}\n```"
            yield f"```py\n{body.rstrip()}\n```"


def test_page(request: pytest.FixtureRequest) -> None:
    expected = "\n\n".join(page()) + "\n"
    if request.config.getoption("--update-golden"):
        PAGE.write_text(expected, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == expected, "pytest --update-golden writes docs/gallery.md anew"
