"""A composite operation on Tensors: by its recipe, or its body runs on them.

Its operations are then recorded as if they stood in the user's line, and what NumPy refuses is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.errors import AdcError, UnsupportedError
from adc.rules.operation import given_doubles, plain_integers
from adc.runtime.modules import package_of
from adc.tape import asked, memory_order, recipes, record, substitute, views
from adc.tape.entry import Entry
from adc.tape.node import Node, here, orders, user_frame
from adc.tape.plain_types import as_numpys, strong
from adc.tape.state import modes
from adc.tape.tensor import Tensor

__all__ = ["run"]


def run(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """By its recipe; or the body runs on Tensors, its operations recorded as if they stood in the user's line."""
    assert entry.operation.body is not None
    fixed = entry.fixed
    args = tuple([plain_integers(a) if k in fixed else a for k, a in enumerate(args)])
    kwargs = {k: plain_integers(a) if entry.positions.get(k) in fixed else a for k, a in kwargs.items()}
    if entry.arrays:
        args = tuple([strong(a) if k in entry.arrays else a for k, a in enumerate(args)])
        kwargs = {k: strong(a) if entry.positions.get(k) in entry.arrays else a for k, a in kwargs.items()}
    values = entry.bind(args, kwargs)  # refuses what the body has no parameter for
    found = recipes.of(entry).recipe(values, args, kwargs)
    if found is not None:
        recipe, operands, edges = found
        z, kept = recipe.forward(*operands)
        return record.record(recipe.pull, z, edges, kept, args)
    if entry.real_only:
        record.refuse_complex(entry, [record.plain(v) for v in (*args, *kwargs.values())])
    before = next(orders)
    known = {k: _array(entry, entry.positions[k], v) for k, v in kwargs.items() if k in entry.positions}
    if entry.traced_body is None:
        body = substitute.traced(entry.operation.body)
        entry.traced_body = given_doubles(body) if entry.operation.doubles else body
    plain_before, modes.plain = modes.plain, True
    try:
        last = len(entry.names) - 1 if entry.star is None else entry.star
        given = [_array(entry, min(k, last), a) for k, a in enumerate(args[: entry.most])]
        result = entry.traced_body(*given, **known)
    except UnsupportedError as error:
        if error.location is not None:
            raise
        raise UnsupportedError(error.what, here(), error.why, error.repair) from error
    except AdcError:
        raise
    except Exception as error:
        if entry.writes is not None:
            raise
        raise asked.understood(error, entry, args, kwargs) from error
    finally:
        modes.plain = plain_before
    if entry.writes is None:
        memory_order.put(result, asked.once(entry, args, kwargs, result), (*args, *kwargs.values()))
    if (package_of(entry.function) or "numpy") in ("numpy", "scipy"):
        as_numpys(result, before)
    if "view" in entry.operation.extra and result.__class__ is Tensor:
        _as_view(result, entry, args, kwargs)
    frame = user_frame()
    if frame is not None:
        for part in result if isinstance(result, tuple | list) else (result,):
            if part.__class__ is Tensor and part.node is not None:
                _relocate(part.node, before, frame.f_code, frame.f_lasti)
    return result


def _array(entry: Entry, position: int, value: Any) -> Any:
    """A list given where a composite expects an array becomes a Tensor: `np.linalg.norm([x, y])`."""
    listed = value.__class__ in (list, tuple)
    extra = entry.operation.extra
    is_operand = position in entry.wrt or extra.get("elementwise") or extra.get("array_like")
    nested = entry.operation.sequences.get(entry.names[position])
    if listed and is_operand and (nested is None or (position == entry.star and not nested)):
        return record.operand(value)
    return value


def _as_view(result: Tensor, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The body made a copy of what NumPy gives as a view: let the result have NumPy's memory."""
    source = entry.operation.viewed(args)
    if source.__class__ is not Tensor:
        return
    window = entry.function(*record.plain(args), **kwargs)
    if isinstance(window, np.ndarray) and (window.base is not None or window is source.primal):
        views.lies_in(result, window, source)


def _relocate(root: Node, before: int, code: Any, lasti: int) -> None:
    seen = {root}
    todo = [root]
    while todo:
        node = todo.pop()
        if node.order <= before:
            continue
        node.code, node.lasti = code, lasti
        todo += [edge for edge in node.edges if edge not in seen]
        seen.update(node.edges)
