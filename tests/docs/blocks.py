"""A document's code blocks run in the order in which they stand, and print what stands below them.

In a document:

- a block of ```python is run. Blocks of one document share their names. A first line `# model.py` names the
  file that the block is: errors and generated comments then speak of model.py;
- a block after the line `<!-- output -->` is what the block before it prints. `...` on a line of its own
  stands for any lines, and numbers with all their digits are compared to 12;
- a block of ```py is an excerpt: it stands in a file of the source, word for word;
- in a block of ```console the lines that begin with `$ adc` are run, in the folder of the files before.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*).*$")
OUTPUT = "<!-- output -->"
WHOLE_NUMBER = re.compile(r"-?\d+\.\d{13,}(?:e[+-]\d+)?")  # printed with all its digits


@dataclass(frozen=True)
class Block:
    """A fenced block: where its lines stand in the document (first and one past the last), and what it is."""

    first: int
    last: int
    language: str
    text: str
    is_output: bool

    @property
    def file(self) -> str | None:
        """The name in a first line like `# model.py`."""
        found = re.match(r"# (\w+\.py)\n", self.text)
        return found[1] if found else None


def blocks(document: str) -> Iterator[Block]:
    """The fenced blocks of a Markdown text, from top to bottom."""
    lines = document.splitlines()
    number = 0
    while number < len(lines):
        opened = FENCE.match(lines[number])
        if opened and opened["language"]:
            first = number + 1
            number = first
            while not lines[number].strip() == "```":
                number += 1
            indent = len(opened["indent"])
            text = "".join(f"{line[indent:]}\n" for line in lines[first:number])
            before = next((line for line in reversed(lines[: first - 1]) if line.strip()), "")
            yield Block(first, number, opened["language"], text, before.strip() == OUTPUT)
        number += 1


def run(document: Path, folder: Path) -> tuple[str, list[str]]:
    """Run a document; return it with what its blocks really print, and what differed."""
    text = document.read_text(encoding="utf-8")
    lines = text.splitlines()
    space: dict[str, Any] = {}
    printed = ""
    replaced: list[tuple[Block, str]] = []
    wrong: list[str] = []
    for number, block in enumerate(blocks(text)):
        if block.is_output:
            if not _matches(block.text, printed):
                replaced.append((block, printed.strip("\n")))
                wrong.append(f"{document.name}:{block.first}: prints\n{printed}")
        elif block.language == "python":
            printed = _python(block, space, folder, f"{document.stem}_{number}")
        elif block.language == "console":
            printed = _console(block, folder)
    for block, new in reversed(replaced):
        lines[block.first : block.last] = new.splitlines()
    return "\n".join(lines) + "\n", wrong


def _python(block: Block, space: dict[str, Any], folder: Path, default: str) -> str:
    path = folder / (block.file or f"{default}.py")
    path.write_text(block.text, encoding="utf-8")
    linecache.checkcache(str(path))
    if block.file or "__name__" not in space:
        space["__name__"] = path.stem
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block.text, str(path), "exec"), space)
    return out.getvalue().replace(f"{folder}/", "")


def _console(block: Block, folder: Path) -> str:
    from adc import cli

    out = io.StringIO()
    for line in block.text.splitlines():
        if line.startswith("$ adc "):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), _inside(folder):
                status = cli.main(shlex.split(line.removeprefix("$ adc ")))
            assert status == 0, f"`{line}` ends with {status}:\n{out.getvalue()}"
    return out.getvalue().replace(f"{folder}/", "")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Stand in a folder; contextlib.chdir is new in Python 3.11."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _matches(expected: str, printed: str) -> bool:
    """Whether the text is what was printed, `...` standing for any lines; the last digits are the processor's."""
    expected, printed = (WHOLE_NUMBER.sub(lambda m: f"{float(m[0]):.12g}", t) for t in (expected, printed))
    pattern = re.escape(expected.strip("\n")).replace(r"\.\.\.", r"(?:.|\n)*?")
    return re.fullmatch(pattern, printed.strip("\n")) is not None
