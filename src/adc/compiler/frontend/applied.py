"""Functions of NumPy that call the user's function for each element or row: np.vectorize, np.apply_along_axis, ...

What the calls give is put together as in a comprehension, `np.array([function(row) for row in rows])`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import memory_order
from adc.compiler.frontend.array_functions import asarray
from adc.compiler.frontend.frame import Evaluated
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_integer
from adc.rules.element_calls import CUT_OFF, OF_THE_FIRST, ElementsOfCall, core_axes

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _collected(self: Calls, function: Value, *sequences: Value) -> Value:
    """`np.array(list(map(function, *sequences)))`."""
    return self.call(np.array, [self.call(list, [self.call(map, [function, *sequences], {})], {})], {})


def _over_batches(self: Calls, pyfunc: Value, signature: Value, is_plain: bool) -> Value:
    """`np.vectorize` with a signature: the function takes the last axes of its operands at once."""
    cores, count = core_axes(signature)
    if count != 1 or not is_plain:
        raise self.refuse(
            "np.vectorize with `signature` and several results, `otypes` or `excluded` is not supported",
            repair="write the loop",
        )

    def call(*args: Value) -> Value:
        operands = [self.array_of(a) for a in args]
        if len(operands) != len(cores) or not all(isinstance(x, Var) for x in operands):
            raise self.refuse(
                "these operands of np.vectorize are not in its signature", repair="write the loop"
            )
        ranks = [x.type.ndim - core for x, core in zip(operands, cores, strict=True)]
        if min(ranks) < 0:
            raise self.refuse("an operand has fewer axes than the signature says", repair="write the loop")
        if not any(ranks):
            return self.call(pyfunc, list(args), {})
        firsts = [
            self.subscript(x, (Ellipsis, *[0] * core)) if rank else None
            for x, core, rank in zip(operands, cores, ranks, strict=True)
        ]
        batches = [first for first in firsts if first is not None]
        whole = self.call(np.broadcast_arrays, batches, {}) if len(batches) > 1 else batches
        batch = self.shape_values(whole[0].type.shape)
        rows = []
        for x, rank in zip(operands, ranks, strict=True):
            core = self.shape_values(x.type.shape[rank:])
            spread = self.call(np.broadcast_to, [x, (*batch, *core)], {})
            rows.append(self.call(np.reshape, [spread, (-1, *core)], {}))
        given: list[Value] = []

        def one(*elements: Value) -> Value:
            given.append(self.call(pyfunc, list(elements), {}))
            return given[-1]

        found = _collected(self, Evaluated(one), *rows)
        _check_first_result(self, given[0], found, "np.vectorize", "return 0.0 for 0")
        return self.call(np.reshape, [found, (*batch, *self.shape_values(found.type.shape[1:]))], {})

    return Evaluated(call)


def vectorized(
    self: Calls,
    pyfunc: Value = None,
    otypes: Value = None,
    doc: Value = None,
    excluded: Value = None,
    cache: Value = False,
    signature: Value = None,
) -> Value:
    """What `np.vectorize(f)` makes: `f` is called with the elements that belong together."""
    if pyfunc is None:
        raise self.refuse("np.vectorize with no function is not supported", repair="write the loop")
    same = () if excluded is None else self.static_items(excluded, None)
    if signature is not None:
        return _over_batches(self, pyfunc, signature, otypes is None and not same)

    def call(*args: Value, **kwargs: Value) -> Value:
        form = ElementsOfCall(args, kwargs, same)
        given: list[Value] = []  # what the calls give, in their order

        def element(*elements: Value) -> Value:
            given.append(self.call(pyfunc, *form.with_elements(elements)))
            return given[-1]

        each = Evaluated(element)
        operands = [self.array_of(a) for a in form.operands]
        if not any(isinstance(x, Var) and x.is_array for x in operands):
            return each.function(*operands)
        whole = self.call(np.broadcast_arrays, operands, {}) if len(operands) > 1 else operands
        results = _collected(self, each, *(self.call(np.ravel, [x], {}) for x in whole))
        own = self.shape_values(results.type.shape[1:])
        if own and not self.is_static(own):
            raise self.refuse("np.vectorize of a function that gives arrays", repair="write the loop")
        parts = [self.subscript(results, (slice(None), k)) for k in range(own[0])] if own else [results]
        if otypes is None:
            first = given[0] if isinstance(given[0], (tuple, list)) else [given[0]]
            for one, part in zip(first, parts, strict=True):
                repair = "give it `otypes=[float]`, or return 0.0 for 0"
                _check_first_result(self, one, part, "np.vectorize", repair)
        else:
            parts = [asarray(self, x, t) for x, t in zip(parts, _dtypes(self, otypes), strict=True)]
        made = [self.op("reshape", part, self.shape_values(whole[0].type.shape)) for part in parts]
        for array in made:
            memory_order.noted(self, "K", tuple(form.operands), array)
        return tuple(made) if own else made[0]

    return Evaluated(call)


def _check_first_result(self: Calls, of_first: Value, all_results: Var, name: str, repair: str) -> None:
    """NumPy gives all results the dtype of the first one: where that is an integer, the others lose their fractions."""
    if not is_integer(all_results.type) and self.may_be_integer(of_first):
        raise self.refuse(f"{name} {OF_THE_FIRST} on a path here", CUT_OFF, repair)


def _dtypes(self: Calls, otypes: Value) -> Sequence[Value]:
    return otypes if isinstance(otypes, str) else self.static_items(otypes, None)


def of_instance(self: Calls, made: np.vectorize, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of what np.vectorize has made outside of the program."""
    options: dict[str, Any] = {
        "otypes": made.otypes,
        "excluded": made.excluded,
        "signature": made.signature,
    }
    return vectorized(self, made.pyfunc, **options).function(*args, **kwargs)


def _apply_along_axis(
    self: Calls, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value
) -> Value:
    array = self.array_of(arr)
    given: list[Value] = []

    def of_row(row: Value) -> Value:
        given.append(self.call(func1d, [row, *args], kwargs))
        return given[-1]

    if array.type.ndim == 1:
        found = of_row(array)
        return self.op("copy", found) if isinstance(found, Var) and found.is_array else found
    moved = self.call(np.moveaxis, [array, axis, -1], {})
    lengths = self.shape_values(moved.type.shape)
    results = _collected(self, Evaluated(of_row), self.op("reshape", moved, (-1, lengths[-1])))
    _check_first_result(self, given[0], results, "np.apply_along_axis", "return 0.0 for 0")
    own = self.shape_values(results.type.shape[1:])
    whole = self.op("reshape", results, (*lengths[:-1], *own))
    if not own:
        return whole
    first = axis % array.type.ndim
    sources = tuple(range(len(lengths) - 1, len(lengths) - 1 + len(own)))
    return self.call(np.moveaxis, [whole, sources, tuple(range(first, first + len(own)))], {})


def _fromiter(
    self: Calls, iter: Value, dtype: Value = None, count: Value = -1, *, like: Value = None
) -> Value:
    known = self.is_static(count)
    taken = self.call(itertools.islice, [iter, count], {}) if known and count >= 0 else iter
    made = asarray(self, self.call(np.array, [self.call(list, [taken], {})], {}), dtype)
    if known or self.equal.same(count.dim, made.type.shape[0]):
        return made
    return self.subscript(made, slice(None, count))


TABLE: dict[Any, Callable[..., Value]] = {
    np.vectorize: vectorized,
    np.apply_along_axis: _apply_along_axis,
    np.fromiter: _fromiter,
}
