"""What several of these tests ask: for which functions code was made."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from adc.api import keeping
from adc.compiler import pipeline


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No collection of all objects, which lets go what is kept by code."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def made(monkeypatch, uncollected):
    """The functions for which code has been made; none was made before."""
    found = []
    monkeypatch.setattr(keeping, "_made_by_code", {})
    run = pipeline.run
    monkeypatch.setattr(
        pipeline, "run", lambda request, **how: (found.append(request.function), run(request, **how))[1]
    )
    return found
