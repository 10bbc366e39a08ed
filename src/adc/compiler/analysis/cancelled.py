"""Values of which results are computed, and on which they do not depend to first order: their adjoints are zero."""

from __future__ import annotations

from adc.compiler.analysis.centred import inactive_means
from adc.compiler.analysis.shifts import inactive_shifts
from adc.compiler.ir.nodes import Program, Var


def cancelled(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Var]:
    """The maxima and means of a program whose adjoints need not be formed."""
    return inactive_shifts(program, joined_roots) | inactive_means(program, joined_roots)
