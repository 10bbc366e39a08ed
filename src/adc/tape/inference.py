"""A Tensor made inside `inference_mode` knows that it was, and refuses to be changed outside.

Recording asks for no mode: while some thread is in inference mode, Tensors come from a constructor that does.
"""

from __future__ import annotations

import threading

from adc.tape import operators, state, tensor
from adc.tape.state import modes
from adc.tape.tensor import Tensor

_lock = threading.Lock()
_threads = 0


def _changed(before: bool, now: bool) -> None:
    """A thread enters or leaves inference mode."""
    global _threads
    with _lock:
        _threads += int(now) - int(before)
        made = _marked if _threads else Tensor
        for module in (operators, tensor):
            vars(module)["new"] = made


def _marked() -> Tensor:
    made = Tensor()
    if modes.inference:
        made.inference = True
    return made


state.on_inference.append(_changed)
