"""The notebooks of the examples run in a kernel of their own and print what they say."""

from __future__ import annotations

import os
from pathlib import Path

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def printed(notebook):
    """What each code cell printed; a cell that raises has stopped the run already."""
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    return {c.source: "".join(o.text for o in c.outputs if o.output_type == "stream") for c in cells}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_it_runs_and_prints_what_is_in_it(path, request, tmp_path, monkeypatch):
    paths = [str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in paths if p))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    stored = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(run, timeout=300, kernel_name="python3", resources=resources).execute()
    if request.config.getoption("--update-golden"):
        for cell in run.cells:
            cell.metadata.clear()  # the times of the run
        run.metadata.language_info = {"name": "python"}  # whichever version wrote it
        nbformat.write(run, path)
    else:
        assert printed(run) == printed(stored)


def test_there_is_one():
    assert NOTEBOOKS
