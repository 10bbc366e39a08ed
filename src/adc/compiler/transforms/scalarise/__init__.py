"""Turn array statements into explicit loops over scalars."""

from adc.compiler.transforms.scalarise.statements import run

__all__ = ["run"]
