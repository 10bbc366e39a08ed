"""The operations that make memory of their own, by what they leave in it."""

from __future__ import annotations

ZEROS = frozenset({"zeros", "zeros_like"})
BLANK = ZEROS | {"empty", "empty_like"}  # that holds nothing yet, or zeros
CREATION = BLANK | {"ones", "ones_like", "full", "full_like"}
