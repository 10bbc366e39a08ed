"""Append the reverse sweep to a program."""

from adc.compiler.transforms.adjoint.program import run

__all__ = ["run"]
