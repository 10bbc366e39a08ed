"""Containers of the caller's as the evaluator has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc import pytree
from adc.compiler.frontend import growing, records, text_arrays
from adc.compiler.frontend.columns import Columns
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import Value, rebuilt

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def with_lists(value: Value, ev: Core) -> Value:
    """Ordinary containers as the evaluator knows them: lists may be appended to."""
    if isinstance(value, Columns):
        return growing.of_columns(
            ev, value, lambda parts: with_lists(pytree.unflatten(value.form.element, parts), ev)
        )
    if text_arrays.is_of_texts(value):
        return text_arrays.holding(value)
    if isinstance(value, list):
        return ev.new_list([with_lists(v, ev) for v in value])
    if isinstance(value, tuple):
        return rebuilt(value, [with_lists(v, ev) for v in value])
    if isinstance(value, dict):
        made = {k: with_lists(v, ev) for k, v in value.items()}
        if type(value) is not dict:
            ev.classes_of_dicts[id(made)] = made, type(value)
        return made
    if records.is_record(type(value)):
        taken = records.taken_apart(value)
        return Instance(taken.cls, {k: with_lists(v, ev) for k, v in taken.items()})
    return value
