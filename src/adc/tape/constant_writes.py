"""A value with a derivative is written into an array that the tape does not see, which is refused."""

from __future__ import annotations

import dis
import types

from adc.errors import GraphCutError, Location

__all__ = ["is_one", "refusal"]

_STORES = {dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap}


def is_one(frame: types.FrameType) -> bool:
    """Whether a frame is about to write to elements: `a[1:] = x`."""
    return frame.f_code.co_code[frame.f_lasti] in _STORES


def refusal(location: Location | None) -> GraphCutError:
    return GraphCutError(
        "adc cannot write a value with a derivative into this array",
        location,
        "Its elements have fields or are no floats, it was held elsewhere before, as in a list or an object from "
        "outside, or code without source made it.",
        "Write to an array of its own (a = np.array(a, float)); of elements with fields, to an array for each field.",
    )
