"""What is told of a program after each stage, as the settings say: IR, changes, analyses, text."""

from __future__ import annotations

import difflib
import sys

from adc import config
from adc.compiler.analysis.activity import Activity
from adc.compiler.context import Context, Stage
from adc.compiler.ir.nodes import Program
from adc.compiler.ir.show import show
from adc.compiler.ir.verify import verify

# What is read where it is not defined has no derivative, in silence. Two stages may do so; it takes 0.1 % of the time.
_ALWAYS_VERIFIED = {"lower", "reverse"}


class Observer:
    """Verifies, dumps and prints the program after each stage, as the settings say."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.settings = config.current()
        self.last = ""
        self.count = 0
        self.wants_ir = context.record or self.settings.debug >= 2 or self.settings.dump is not None

    def after(self, stage: Stage, program: Program) -> None:
        self.count += 1
        if stage.text:
            self._text(stage, self.context.texts[stage.text])
            return
        if self.settings.verify or stage.name in _ALWAYS_VERIFIED:
            verify(program, stage.name)
        if not self.wants_ir:
            return
        text = show(program)
        if self.context.record:
            self.context.stages[stage.name] = text
        self._dump(f"{self.count:02}-{stage.name}.txt", text)
        if self.settings.debug >= 2 and text != self.last:
            if self.settings.debug >= 4 and self.last:
                changes = difflib.unified_diff(self.last.splitlines(), text.splitlines(), lineterm="", n=1)
                self._say(f"rewritten by {stage.name}", "\n".join(changes))
            else:
                self._say(f"IR after {stage.name}", text)
        if self.settings.debug >= 3 and stage.name == "dead":
            self._say("analyses", self._analyses(program))
        self.last = text

    def _text(self, stage: Stage, text: str) -> None:
        if self.settings.debug >= 1:
            self._say(f"{stage.text} text", text)
        self._dump(f"{self.count:02}-{stage.text}.py", text)

    def _analyses(self, program: Program) -> str:
        evaluator, context = self.context.evaluator, self.context
        activity = Activity(program.body, context.wrt, program.results[:1])
        active = sorted({v.name for v in activity.varied if activity.active(v)})
        assert context.lowered is not None
        return "\n".join(
            (
                f"active: {', '.join(active) or 'nothing'}",
                f"written in place: {', '.join(v.name for v in evaluator.mutated) or 'nothing'}",
                f"read from outside: {', '.join(c.label for c in context.lowered.captures) or 'nothing'}",
                f"taken as constant: {', '.join(g.label for g in context.lowered.guards) or 'nothing'}",
            )
        )

    def _say(self, title: str, text: str) -> None:
        print(f"--- {self.context.name}: {title}\n{text.rstrip()}", file=sys.stderr)

    def _dump(self, file: str, text: str) -> None:
        if self.settings.dump is not None:
            folder = self.settings.dump / self.context.name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
