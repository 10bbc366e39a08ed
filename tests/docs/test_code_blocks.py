"""Every code block of the README and of the documentation runs, and prints what the document says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs import blocks

from adc.rules import registry

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_document(
    document: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rules that a page registers go with it; those that are registered on demand are there before.
    registry.operations()
    for table in ("_by_name", "_by_callable", "_by_method"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
    text, wrong = blocks.run(document, tmp_path)
    if request.config.getoption("--update-golden"):
        document.write_text(text, encoding="utf-8")
    else:
        assert not wrong, "\n".join([*wrong, "pytest --update-golden writes the document anew"])


@pytest.mark.tiny
@pytest.mark.parametrize("document", [d for d in DOCUMENTS if d.name != "gallery.md"], ids=lambda d: d.name)
def test_excerpts_stand_in_the_source(document: Path) -> None:
    sources = [f.read_text(encoding="utf-8") for f in (ROOT / "src").rglob("*.py")]
    for block in blocks.blocks(document.read_text(encoding="utf-8")):
        if block.language == "py":
            assert any(block.text in source for source in sources), f"{document.name}:{block.first}"


@pytest.mark.tiny
def test_blocks_run_in_order_and_are_compared(tmp_path):
    document = tmp_path / "story.md"
    document.write_text(
        "```python\nx = 2\n```\nand\n```python\nprint(x + 1)\n```\n<!-- output -->\n```text\n4\n```\n"
    )
    text, wrong = blocks.run(document, tmp_path)
    assert wrong == ["story.md:9: prints\n3\n"]
    assert text.endswith("<!-- output -->\n```text\n3\n```\n")


@pytest.mark.tiny
def test_dots_stand_for_any_lines(tmp_path):
    document = tmp_path / "story.md"
    document.write_text(
        "```python\nfor i in range(9):\n    print(i)\n```\n<!-- output -->\n```text\n0\n...\n8\n```\n"
    )
    assert blocks.run(document, tmp_path)[1] == []


@pytest.mark.tiny
def test_links_between_documents_lead_somewhere():
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
