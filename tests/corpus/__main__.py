"""Show one program of the corpus and whether each engine gets it right, or (--table) what each engine takes.

python -m tests.corpus views.ping_pong compiled
python -m tests.corpus --table
"""

import inspect
import sys

from tests.corpus import all_programs
from tests.corpus.check import MODES, check, derivative

import adc


def show(name: str, *modes: str) -> None:
    program = next((p for p in all_programs() if p.name == name), None)
    if program is None:
        sys.exit(f"there is no program {name}; there are: {', '.join(p.name for p in all_programs())}")
    for mode in modes or MODES:
        if mode != "tape":
            print(adc.source(derivative(program, mode), *program.arguments()))
        check(program, mode)
        print(f"{name} is right on {mode}")


def table() -> str:
    """Markdown: per feature the number of programs that each engine runs; the tests hold every one of them."""
    programs = all_programs()
    lines = ["| feature | programs | compiled | python | tape |", "|---|---|---|---|---|"]
    for feature in sorted({p.feature for p in programs}):
        own = [p for p in programs if p.feature == feature]
        about = inspect.getdoc(inspect.getmodule(own[0].function)) or feature
        counts = [sum(mode not in p.refused for p in own) for mode in ("compiled", "python", "tape")]
        lines.append(f"| {about.splitlines()[0].rstrip('.')} | {len(own)} | {' | '.join(map(str, counts))} |")
    refused = [f"- `{p.name}`: {why} ({mode})" for p in programs for mode, why in p.refused.items()]
    return "\n".join([*lines, "", "Refused, with an error that names the line:", *refused])


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print(table())
    else:
        show(*sys.argv[1:])
