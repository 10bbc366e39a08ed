"""What C code and Python's library say of a Tensor that they do not know is a refusal on the user's line.

`struct.pack`, `Decimal` and memoryviews of Cython take numbers and arrays; of what stands for these they say that it is
no such thing, without a line.
"""

from __future__ import annotations

import re
import traceback

from adc.errors import UnsupportedError
from adc.tape.node import is_own, raised_at
from adc.tape.plain_types import class_of
from adc.tape.tensor import Tensor

__all__ = ["is_raised_by", "lacks_attribute", "refusal"]

_NAME = re.compile(rf"\b{Tensor.__name__}\b")


def is_raised_by(error: TypeError) -> bool:
    """Whether it is raised outside adc and names Tensors, of which the user has no class of that name."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    last = frames[-1]
    by_adc = is_own(str(last.f_globals.get("__name__", "")), last.f_code.co_filename)
    of_the_user = any(frame.f_globals.get(Tensor.__name__, Tensor) is not Tensor for frame in frames)
    return not by_adc and not of_the_user and _NAME.search(str(error)) is not None


def lacks_attribute(error: AttributeError) -> UnsupportedError | AttributeError:
    """What is raised where a Tensor has no such attribute: where an array has none either, what NumPy raises."""
    kind, name = class_of(error.obj), error.name or ""
    if hasattr(kind, name):
        return refusal(error)
    said = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return AttributeError(f"'{said}{kind.__name__}' object has no attribute '{name}'", name=name)


def refusal(error: AttributeError | TypeError) -> UnsupportedError:
    return UnsupportedError(
        "a Tensor is given to what takes only numbers and arrays",
        raised_at(error),
        f"It says: {error}. The tape puts Tensors in place of arrays, and code in C does not know them.",
        "Put the call into a function with a rule (adc.custom_vjp), or give it adc.stop_gradient(x) if no derivative "
        "is meant.",
    )
