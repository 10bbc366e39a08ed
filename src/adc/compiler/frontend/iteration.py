"""What a loop, a comprehension or an unpacking goes over: known items, a range, or as many as the program finds."""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend import growing
from adc.compiler.frontend.expressions import Expressions
from adc.compiler.frontend.frame import Closure, Items, ListValue, Range
from adc.compiler.frontend.growing import Growing
from adc.compiler.frontend.values import Value, kind
from adc.compiler.ir.nodes import Var


class Iteration(Expressions):
    """The part of the evaluator that goes over things."""

    def iterable(self, value: Value) -> list[Value] | Range | Items:
        """What a `for` goes over: a list of known items, a range, or something with a run-time length."""
        if isinstance(value, (Range, Items)):
            return value
        if isinstance(value, range):
            return Range(value.start, value.stop, value.step)
        if isinstance(value, ListValue):
            return value  # itself: a loop sees what its trips write
        if isinstance(value, (list, tuple, str, frozenset, set)):
            return list(value)
        if isinstance(value, dict):
            return list(value)
        if isinstance(
            value, (type({}.items()), type({}.keys()), type({}.values()), enumerate, zip, reversed, map)
        ):
            return list(value)
        if isinstance(value, Growing):
            return growing.items(self, value)
        if isinstance(value, Var) and value.is_array:
            return Items(self.dim_value(value.type.shape[0]), lambda k: self.subscript(value, k))
        raise self.refuse(
            f"{kind(value)} cannot be iterated over here", repair="iterate over a range, an array or a tuple"
        )

    def static_items(self, value: Value, node: Any) -> list[Value]:
        """All items of an iterable whose length is known now."""
        with self.origin_at(self.locate(node)):
            items = self.iterable(value)
            if isinstance(items, Range):
                if self.is_static((items.start, items.stop, items.step)):
                    return list(range(items.start, items.stop, items.step))
            elif isinstance(items, Items):
                if isinstance(items.length, int):
                    return [items.item(k) for k in range(items.length)]
            else:
                return items
            raise self.refuse(
                "the number of items is only known at run time",
                "a list of unknown length has no place in compiled code",
                "fill an array in a loop",
            )

    def known_length(self, items: Value) -> bool:
        """Whether the number of items of an iterable is known before the program runs."""
        found = self.iterable(items)
        if isinstance(found, Range):
            return self.is_static((found.start, found.stop, found.step))
        return not isinstance(found, Items) or isinstance(found.length, int)

    def eval_ListComp(self, node: Any) -> Value:
        first, *others = node.generators
        items = self.evaluate(first.iter)
        if not others and not first.ifs and not self.known_length(items):
            closure = Closure(growing.comprehension(node), self.frame, {})
            with self.origin_at(self.locate(node)):
                return self.call(closure, [items], {})
        return self.new_list(self._comprehended(node.elt, node.generators, items))

    def eval_GeneratorExp(self, node: Any) -> Value:
        return self._comprehended(node.elt, node.generators, self.evaluate(node.generators[0].iter))

    def _comprehended(self, element: Any, generators: list[Any], items: Value) -> list[Value]:
        generator, *rest = generators
        results: list[Value] = []
        outer = dict(self.frame.env)
        for item in self.static_items(items, generator.iter):
            self.bind(generator.target, item)
            tests = [self.evaluate(test) for test in generator.ifs]
            if any(isinstance(t, Var) for t in tests):
                with self.origin_at(self.locate(generator.iter)):
                    raise self.refuse(
                        "a comprehension whose condition depends on the data has no known length",
                        repair="use a loop, or np.where",
                    )
            if all(tests):
                results.extend(
                    self._comprehended(element, rest, self.evaluate(rest[0].iter))
                    if rest
                    else [self.evaluate(element)]
                )
        self.frame.env.clear()
        self.frame.env.update(outer)
        return results
