"""Execute statements: names are rebound, memory is written, loops and dynamic branches become regions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from adc.compiler.frontend import growing
from adc.compiler.frontend.builder import UNDEFINED, Undefined, Value
from adc.compiler.frontend.calls import Calls, ReturnValue
from adc.compiler.frontend.containers import Container, Contents, refill, same_places
from adc.compiler.frontend.expressions import BINARY, _kind
from adc.compiler.frontend.frame import Closure, Items, ListValue, NeedsUnrolling, Range
from adc.compiler.frontend.indexing import indexed_type, normalized
from adc.compiler.frontend.scan import changed_names, stored_names
from adc.compiler.ir.nodes import Block, Carried, Check, Const, For, If, Var, While
from adc.compiler.ir.types import Array, Scalar, Type, is_float, is_integer, joined
from adc.errors import Location, UnsupportedError
from adc.rules.dims import Dim
from adc.rules.shapes import broadcast

MAX_UNROLLED = 10_000
Trip = Callable[[], Value]  # gives the item of a trip


class Statements(Calls):
    """The part of the evaluator that runs statements of the core language."""

    frozen: dict[Var, Location | None]  # arrays that are elements of lists, and the arrays of such lists
    open_phis: list[set[Var]]  # what the loops around carry

    def execute(self, node: Any) -> None:
        method = getattr(self, f"exec_{type(node).__name__}", None)
        with self.origin_at(self.locate(node)):
            if method is None:
                raise self.refuse(
                    f"`{_statement_name(node)}` statements are not supported",
                    "the compiler does not take this statement",
                    "write it with assignments, if, for and while",
                )
            method(node)

    def execute_all(self, nodes: list[Any]) -> None:
        for node in nodes:
            self.execute(node)

    # --- simple statements --------------------------------------------------------------------------------------

    def exec_Expr(self, node: Any) -> None:
        if not isinstance(node.value, gast.Constant):
            self.evaluate(node.value)

    def exec_Pass(self, node: Any) -> None:
        return

    exec_Global = exec_Import = exec_ImportFrom = exec_Pass

    def exec_Import(self, node: Any) -> None:  # type: ignore[no-redef]  # noqa: F811
        import importlib

        for alias in node.names:
            module = importlib.import_module(alias.name)
            self.frame.env[alias.asname or alias.name.partition(".")[0]] = (
                module if alias.asname else importlib.import_module(alias.name.partition(".")[0])
            )

    def exec_ImportFrom(self, node: Any) -> None:  # type: ignore[no-redef]  # noqa: F811
        import importlib

        module = importlib.import_module(node.module)
        for alias in node.names:
            self.frame.env[alias.asname or alias.name] = getattr(module, alias.name)

    def exec_Return(self, node: Any) -> None:
        value = None if node.value is None else self.evaluate(node.value)
        raise ReturnValue(value)

    def exec_Delete(self, node: Any) -> None:
        for target in node.targets:
            if isinstance(target, gast.Name):
                self.frame.env[target.id] = UNDEFINED
            else:
                raise self.refuse(
                    "`del` of an element is not supported", repair="build the container without it"
                )

    def exec_FunctionDef(self, node: Any) -> None:
        value: Value = Closure(node, self.frame, self.default_values(node.args))
        for decorator in reversed(node.decorator_list):
            target = self.evaluate(decorator.func if isinstance(decorator, gast.Call) else decorator)
            if str(getattr(target, "__module__", "")).partition(".")[0] == "numba":
                continue  # it changes how the function runs, not what it computes
            with self.origin_at(self.locate(decorator)):
                value = self.call(self.evaluate(decorator), [value], {})
        self.frame.env[node.name] = value

    def exec_Assign(self, node: Any) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.bind(target, value)

    def exec_AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value))

    def bind(self, target: Any, value: Value) -> None:
        """Assign a value to a target: a name, a pattern of names, an element or slice."""
        if isinstance(target, gast.Name):
            self.frame.env[target.id] = self.named_value(value, target.id)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self._unpack(target, value)
        elif isinstance(target, gast.Subscript):
            base = self.evaluate(target.value)
            index = self.evaluate(target.slice)
            with self.origin_at(self.locate(target)):
                self.set_item(base, index, value)
        else:
            with self.origin_at(self.locate(target)):
                raise self.refuse(
                    "writing to an attribute is not supported",
                    "the reverse sweep could not undo the write",
                    "return the value instead",
                )

    def _unpack(self, target: Any, value: Value) -> None:
        if isinstance(value, growing.Growing):
            value = growing.array(self, value)
        if isinstance(value, Var):
            if not value.is_array:
                raise self.refuse("cannot unpack a number")
            length = value.type.shape[0]
            count = len(target.elts)
            if length.known is None:
                self.require_equal(Dim(count), length, f"expected {count} values to unpack")
            items = [self.subscript(value, k) for k in range(count)]
        else:
            items = self.static_items(value, target)
        star = next((k for k, e in enumerate(target.elts) if isinstance(e, gast.Starred)), None)
        if star is not None:
            tail = len(target.elts) - star - 1
            middle = self.new_list(items[star : len(items) - tail])
            items = [*items[:star], middle, *items[len(items) - tail :]]
        if len(items) != len(target.elts):
            raise self.refuse(f"cannot unpack {len(items)} values into {len(target.elts)} names")
        for element, item in zip(target.elts, items, strict=True):
            self.bind(element.value if isinstance(element, gast.Starred) else element, item)

    def exec_AugAssign(self, node: Any) -> None:
        function = BINARY[type(node.op)]
        if isinstance(node.target, gast.Name):
            old = self.eval_Name(
                gast.copy_location(gast.Name(node.target.id, gast.Load(), None, None), node.target)
            )
            value = self.evaluate(node.value)
            if isinstance(old, Var) and old.is_array:
                self._update(old, (Ellipsis,), function, value, old)
            elif isinstance(old, ListValue) and function is operator.add:
                if old.depth != self.loop_depth:
                    raise NeedsUnrolling(old)
                old.extend(self.static_items(value, node.value))
            else:
                self.frame.env[node.target.id] = self.named_value(
                    self.binary(function, old, value), node.target.id
                )
        elif isinstance(node.target, gast.Subscript):
            base = self.evaluate(node.target.value)
            index = self.evaluate(node.target.slice)
            value = self.evaluate(node.value)
            if isinstance(base, Var):
                self._update(base, self.index_value(index), function, value, None)
            else:
                self.set_item(base, index, self.binary(function, self.subscript(base, index), value))
        else:
            raise self.refuse(
                "an augmented write to an attribute is not supported", repair="return the value instead"
            )

    def _update(self, array: Var, index: Value, function: Any, value: Value, whole: Var | None) -> None:
        """`array[index] op= value`, where `+=` and `-=` stay accumulations."""
        items = normalized(self, array, index)
        assert isinstance(array.type, Array)
        fancy = any(isinstance(i, Var) and i.is_array for i in items)
        if isinstance(value, (list, tuple)):
            value = self.array_of(value)
        vt = self.type_of(value)
        if vt is None:
            raise self.refuse(f"cannot combine an array with {_kind(value)}")
        if is_integer(array.type) and (is_float(vt) or function is operator.truediv):
            raise self.refuse(
                f"Cannot cast ufunc output from dtype('float64') to dtype('{array.type.dtype}') in place",
                "the array holds integers",
                "make it an array of floats",
            )
        if function in (operator.add, operator.sub) and not fancy and np.dtype(array.type.dtype).kind == "f":
            self._store(
                array,
                items,
                value if function is operator.add else self.op("negative", value),
                accumulate=True,
            )
            return
        old = whole if whole is not None else self.getitem(array, items)
        self._store(array, items, self.binary(function, old, value))

    def set_item(self, base: Value, index: Value, value: Value) -> None:
        if isinstance(base, Var):
            if not base.is_array:
                raise self.refuse("a number cannot be written to by index")
            if isinstance(value, (list, tuple)):
                value = self.array_of(value)
            self._store(base, normalized(self, base, self.index_value(index)), value)
        elif isinstance(base, (ListValue, dict)):
            if not self.is_static(index):
                raise (
                    NeedsUnrolling(base)
                    if self.loop_depth
                    else self.refuse(
                        "a list is written at an index that is only known at run time", repair="use an array"
                    )
                )
            if getattr(base, "depth", self.loop_depth) != self.loop_depth:
                raise NeedsUnrolling
            try:
                base[index] = value
            except (IndexError, TypeError) as error:
                raise self.refuse(f"{type(error).__name__}: {error}") from error
        else:
            raise self.refuse(
                f"writing into {_kind(base)} is not supported",
                "it was made outside the function",
                "build a new one",
            )

    def _store(self, array: Var, index: Any, value: Value, accumulate: bool = False) -> None:
        assert isinstance(array.type, Array)
        if array.root in self.frozen:
            raise growing.written(self, array.root)
        target, _ = indexed_type(self, array, index)
        if Dim(-1) in target.shape:
            target = self.getitem(array, index).type  # a view, whose lengths have names
        vt = self.type_of(value)
        if vt is None:
            raise self.refuse(f"cannot store {_kind(value)} in an array")
        if vt.ndim > target.ndim:
            raise self.refuse(
                "could not broadcast the value into the shape of its target",
                f"the value has {vt.ndim} axes, the target {target.ndim}",
                "reduce it first",
            )
        broadcast(
            [target.shape, vt.shape],
            lambda a, b: self.require_equal(
                a, b, "could not broadcast input array from one shape into another"
            ),
        )
        if isinstance(value, Var) and value.type.dtype != array.type.dtype:
            if is_float(value.type) and not is_float(array.type):
                # NumPy would truncate here without a word; the derivative through it is zero by nature.
                value = self.cast(value, array.type.dtype)
            else:
                value = self.cast(value, array.type.dtype)
        if (
            isinstance(value, Var)
            and value.is_array
            and value.root is array.root
            and not (accumulate and value is array)
        ):
            # NumPy reads the whole right-hand side before it writes an overlapping target.
            value = self.op("copy", value)
        self.store(array, index, value, accumulate)

    def exec_Assert(self, node: Any) -> None:
        test = self.evaluate(node.test)
        message = () if node.msg is None else (self.operand(self.evaluate(node.msg)),)
        if not isinstance(test, Var):
            if test:
                return
            if self.region_depth == 0:
                raise AssertionError(*(m.value for m in message if isinstance(m, Const)))
        reached = self.truth(test) if isinstance(test, Var) else Const(False)
        self.block.append(Check(reached, "AssertionError", message, self.origin, user=True))

    def exec_Raise(self, node: Any) -> None:
        raised = self.evaluate(node.exc) if node.exc is not None else None
        if isinstance(raised, type) and issubclass(raised, BaseException):
            raised = raised()
        if not isinstance(raised, BaseException):
            raise self.refuse("`raise` of something that is not an exception known here")
        if self.region_depth == 0:
            raise raised
        import builtins

        name = type(raised).__name__
        if getattr(builtins, name, None) is not type(raised):
            raise self.refuse(
                f"`raise {name}` is not supported in compiled code",
                "only built-in exceptions can be raised there",
                "raise a built-in exception",
            )
        self.block.append(
            Check(Const(False), name, tuple(Const(a) for a in raised.args), self.origin, user=True)
        )

    def exec_Try(self, node: Any) -> None:
        """The path on which nothing is raised: an exception of the generated code is the user's to see."""
        if getattr(node, "refused", None):
            raise self.refuse(
                "this `try` is not supported",
                node.refused,
                "leave it without a jump, or move it out of the function",
            )
        self.execute_all([*node.body, *node.orelse])
        self.execute_all(node.finalbody)

    def exec_With(self, node: Any) -> None:
        for item in node.items:
            context = (
                self.evaluate(item.context_expr.func) if isinstance(item.context_expr, gast.Call) else None
            )
            if context is not np.errstate:
                raise self.refuse(
                    "`with` is only supported for np.errstate",
                    repair="enter the context outside the function",
                )
        # Generated code never warns, so np.errstate has nothing to do.
        self.execute_all(node.body)

    # --- branches -----------------------------------------------------------------------------------------------

    def exec_If(self, node: Any) -> None:
        test = self.evaluate(node.test)
        test = self.truth(test) if isinstance(test, Var) else bool(test)
        if not isinstance(test, Var):
            self.execute_all(node.body if test else node.orelse)
            return
        if self.frame.source is None and any(isinstance(n, gast.Return) for n in gast.walk(node)):
            raise self.refuse("a rule body branches on a value that is only known at run time")
        region = If(test, [], [], [], self.origin)
        before = dict(self.frame.env)
        outcomes = []
        containers, left = Contents(self.frame), []
        lengths = self.equal.snapshot()
        for nodes, block in ((node.body, region.then), (node.orelse, region.orelse)):
            self.frame.env = dict(before)
            self.region_depth += 1
            try:
                with self.at(block):
                    self.execute_all(nodes)
            finally:
                self.region_depth -= 1
            outcomes.append(self.frame.env)
            left.append(containers.taken())
            self.equal.restore(lengths)
        self.frame.env = before
        assert self.frame.liveness is not None
        wanted = self.frame.liveness.after.get(id(node), set())
        raising = [
            bool(b) and isinstance(b[-1], Check) and b[-1].test == Const(False)
            for b in (region.then, region.orelse)
        ]
        for name in sorted(stored_names([*node.body, *node.orelse])):
            if name not in wanted:
                self.frame.env[name] = before.get(name, UNDEFINED)
                continue
            a, b = (env.get(name, UNDEFINED) for env in outcomes)
            if raising[0] and a is not b:
                a = UNDEFINED if isinstance(self.type_of(b), Scalar) else b
            if raising[1] and a is not b:
                b = UNDEFINED if isinstance(self.type_of(a), Scalar) else a
            self.frame.env[name] = self.merge(region, a, b, name)
        for container, (then, orelse) in containers.changes(*left):
            self._merge_contents(region, container, then, orelse, raising)
        self.block.append(region)

    def _merge_contents(
        self, region: If, container: Container, then: Container, orelse: Container, raising: list[bool]
    ) -> None:
        """Let a list or dict hold what the branch that ran left in it."""
        if any(raising):
            refill(container, orelse if raising[0] else then)
            return
        if not same_places(then, orelse):
            kind = "list" if isinstance(container, list) else "dict"
            raise self.refuse(
                f"a {kind} has other elements after one branch than after the other",
                "what is in it must be known before the program runs",
                f"change the {kind} in both branches",
            )
        if isinstance(then, dict):
            refill(container, {k: self.merge(region, then[k], orelse[k], str(k)) for k in then})
        else:
            refill(container, [self.merge(region, a, b, "") for a, b in zip(then, orelse, strict=True)])

    # --- loops --------------------------------------------------------------------------------------------------

    def exec_For(self, node: Any) -> None:
        items = self.iterable(self.evaluate(node.iter))
        if node.orelse:
            raise self.refuse("`else` of a loop is not supported here")
        flag = getattr(node, "flag", None)
        known = self._known_trips(items)
        lists = [(items, len(items))] if isinstance(items, list) else getattr(items, "lists", [])
        if known is not None and (self.frame.unroll or isinstance(items, list)):
            self._unrolled(node, known, flag, lists)
            return
        assert not isinstance(items, list)
        self._run_for(node, items, known, lists)

    def _run_for(
        self,
        node: Any,
        items: Range | Items,
        known: list[Trip] | None = None,
        lists: list[tuple[list[Value], int]] | None = None,
    ) -> None:
        """A loop as a region of its own, or, where its body must know the trip, trip by trip."""
        flag = getattr(node, "flag", None)
        start = len(self.block)
        env = dict(self.frame.env)
        depths = self.region_depth, self.loop_depth
        try:
            if flag is not None:
                self._for_with_exit(node, items, flag)
            else:
                self._for(node, items)
        except NeedsUnrolling as needed:
            self.region_depth, self.loop_depth = depths
            if known is None:
                del self.block[start:]
                self.frame.env = env
                self._with_arrays_for_lists(node, items, needed)
                return
            if len(known) > MAX_UNROLLED:
                raise self.refuse(
                    f"a loop of {len(known)} trips over list elements would have to be unrolled",
                    repair="use an array",
                ) from None
            del self.block[start:]
            self.frame.env = env
            self._unrolled(node, known, flag, lists or [])

    def _known_trips(self, items: list[Value] | Range | Items) -> list[Trip] | None:
        """What gives the item of each trip, when the trip begins: the trips before may have changed it."""
        if isinstance(items, list):
            return [functools.partial(operator.getitem, items, k) for k in range(len(items))]
        if isinstance(items, Range):
            if not self.is_static((items.start, items.stop, items.step)):
                return None
            return [functools.partial(int, k) for k in range(items.start, items.stop, items.step)]
        if not isinstance(items.length, int):
            return None
        return [functools.partial(items.item, k) for k in range(items.length)]

    def _unrolled(
        self, node: Any, trips: list[Trip], flag: str | None, lists: list[tuple[list[Value], int]]
    ) -> None:
        for position, trip in enumerate(trips):
            if flag is not None:
                running = self.frame.env[flag]
                if isinstance(running, Var):
                    # The exit depends on data: the rest of the trips run under the flag.
                    self._guarded(node, trips[position:], flag)
                    return
                if not running:
                    return
            self.bind(node.target, trip())
            self.execute_all(node.body)
            if any(len(items) != count for items, count in lists):
                raise self.refuse(
                    "a list changes its length while a loop goes over it",
                    "the trips of the loop are counted when it begins",
                    "go over a copy: `for e in list(items)`",
                )

    def _guarded(self, node: Any, trips: list[Trip], flag: str) -> None:
        """The remaining unrolled trips, each inside `if flag:` of the one before."""
        if not trips:
            return
        assert self.frame.liveness is not None
        guard = gast.copy_location(
            gast.If(
                test=gast.copy_location(gast.Name(flag, gast.Load(), None, None), node),
                body=[_Trip(node, trips[0])],
                orelse=[],
            ),
            node,
        )
        self.frame.liveness.after[id(guard)] = self.frame.liveness.head[id(node)]
        self.exec_If(guard)
        self._guarded(node, trips[1:], flag)

    def _with_arrays_for_lists(self, node: Any, items: Range | Items, needed: NeedsUnrolling) -> None:
        """A loop of a run-time number of trips that appends to lists, or reads numbers at run-time positions."""
        container = needed.container
        counts = growing.appended_in(node, self.frame.env) if not hasattr(node, "flag") else {}
        contents = Contents(self.frame)
        lists = {
            name: value
            for name in counts
            if not contents.shared(value := self.frame.env[name]) and value.depth == self.loop_depth
        }
        if any(container is v for v in lists.values()):
            self._for_growing(node, items, lists, counts)
        elif isinstance(container, (tuple, ListValue)) and container and _uniform(self, container):
            if id(container) in self.stacked:
                raise self._cannot_unroll()  # it is read at a position, and changed as well
            self.stacked[id(container)] = container
            self._run_for(node, items)
        elif self.loop_depth:
            raise needed
        else:
            raise self._cannot_unroll() from None

    def _for_growing(
        self, node: Any, items: Range | Items, lists: dict[str, ListValue], counts: dict[str, int]
    ) -> None:
        start, env = len(self.block), dict(self.frame.env)
        depths = self.region_depth, self.loop_depth
        mutated, frozen = dict(self.mutated), dict(self.frozen)
        kinds: dict[str, Type | None] = dict.fromkeys(lists)
        while True:
            trips = growing.trips_of(self, items)
            grown = {
                name: growing.begun(self, name, lists[name], kinds[name], trips, counts[name])
                for name in lists
            }
            self.frame.env.update(grown)
            try:
                self._for(node, items, list(grown.values()))
                break
            except growing.ElementFound as found:
                kinds[found.name] = found.type
                del self.block[start:]
                self.frame.env = dict(env)
                self.region_depth, self.loop_depth = depths
                self.mutated, self.frozen = dict(mutated), dict(frozen)
        for name, each in grown.items():
            each.inside = None
            each.count = self.op("add", self.op("multiply", trips, counts[name]), len(lists[name]))
            if each.values is None:
                self.frame.env[name] = self.new_list([])  # the loop is dead code: its range is empty

    def exec__Trip(self, node: Any) -> None:
        self.bind(node.loop.target, node.item())
        self.execute_all(node.loop.body)

    def _for(self, node: Any, items: Range | Items, grown: list[growing.Growing] | None = None) -> None:
        rng = items if isinstance(items, Range) else Range(0, items.length, 1)
        if not isinstance(rng.step, int):
            raise self.refuse(
                "a range whose step is only known at run time is not supported",
                "the direction of the loop decides how it is reversed",
                "use a constant step",
            )
        index = Var("i", Scalar("int64", True), named=False)
        index.dim = Dim.symbol("value", index)
        if isinstance(items, Range) and isinstance(node.target, gast.Name):
            index.name, index.named = node.target.id, True
        region = For(index, self.atom(rng.start), self.atom(rng.stop), Const(rng.step), [], [], self.origin)

        before = [each.count for each in grown or ()]

        def body() -> None:
            for each, count in zip(grown or (), before, strict=True):
                done = self.op("multiply", growing.ordinal(self, items, index), each.per_trip)
                each.count, each.appended = self.op("add", done, count), 0
            self.bind(node.target, items.item(index) if isinstance(items, Items) else index)
            self.execute_all(node.body)
            if any(each.appended != each.per_trip for each in grown or ()):
                raise growing.cannot(self, "how many elements a trip appends depends on the path taken")

        self._lower_loop(node, region, None, body)

    def exec_While(self, node: Any) -> None:
        if node.orelse:
            raise self.refuse("`else` of a loop is not supported here")
        region = While([], [], Const(True), [], self.origin)

        def test() -> Value:
            value = self.evaluate(node.test)
            return self.truth(value) if isinstance(value, Var) else bool(value)

        try:
            self._lower_loop(node, region, test, lambda: self.execute_all(node.body))
        except NeedsUnrolling:
            if self.loop_depth:
                raise
            raise self._cannot_unroll() from None

    def _cannot_unroll(self) -> UnsupportedError:
        return self.refuse(
            "a list changes in, or is indexed by, a loop whose number of trips is only known at run time",
            "lists live at compile time only",
            "use an array",
        )

    def _for_with_exit(self, node: Any, items: Range | Items, flag: str) -> None:
        """A `for` that may end early: a while over its counter."""
        rng = items if isinstance(items, Range) else Range(0, items.length, 1)
        if not isinstance(rng.step, int):
            raise self.refuse(
                "a range whose step is only known at run time is not supported", repair="use a constant step"
            )
        word = node.target.id if isinstance(node.target, gast.Name) else "item"
        counter = f"next {word} {self.region_depth}"  # no user name has a space
        self.frame.env[counter] = rng.start
        region = While([], [], Const(True), [], self.origin)

        def test() -> Value:
            running = self.frame.env[flag]
            more = self.op("less" if rng.step > 0 else "greater", self.frame.env[counter], rng.stop)
            if not isinstance(running, Var):
                return more if running else False
            return self.choose(running, lambda: more, lambda: False) if not self.is_static(more) else running

        def body() -> None:
            k = self.frame.env[counter]
            self.frame.env[counter] = self.op("add", k, rng.step)
            self.bind(node.target, items.item(k) if isinstance(items, Items) else k)
            self.execute_all(node.body)

        self._lower_loop(node, region, test, body, extra={counter, flag})
        del self.frame.env[counter]

    def _lower_loop(
        self, node: Any, region: For | While, test: Any, body: Any, extra: set[str] | None = None
    ) -> None:
        """Find what the loop carries by running its body until the types of the carried names stand still."""
        assert self.frame.liveness is not None
        head = self.frame.liveness.head[id(node)]
        after = self.frame.liveness.after[id(node)]
        assigned = stored_names(
            [
                *node.body,
                *([node.target] if isinstance(node, gast.For) else []),
                *([node.test] if isinstance(node, gast.While) else []),
            ]
        )
        before = dict(self.frame.env)
        changed_dicts = {name for name in changed_names(node.body) if isinstance(before.get(name), dict)}
        names = sorted((assigned & head) | changed_dicts | (extra or set()))
        leaves: dict[tuple[Any, ...], Type | None] = {}
        for name in names:
            for path, value in _leaves(before.get(name, UNDEFINED), (name,)):
                leaves[path] = self._loop_type(value)
        lengths = self.equal.snapshot()
        containers = Contents(self.frame)
        if any(isinstance(before.get(n), dict) and containers.shared(before[n]) for n in changed_dicts):
            raise NeedsUnrolling
        while True:
            self.equal.restore(lengths)
            blocks: list[Block] = [[], []]
            phis: dict[tuple[Any, ...], Var] = {}
            env = dict(before)
            for name in names:
                env[name] = self._with_phis(before.get(name, UNDEFINED), (name,), leaves, phis)
            self.frame.env = env
            self.region_depth += 1
            self.loop_depth += 1
            self.open_phis.append(set(phis.values()))
            try:
                with self.at(blocks[0]):
                    condition = test() if test is not None else True
                if condition is False:
                    self.frame.env = before
                    return
                with self.at(blocks[1]):
                    body()
            finally:
                self.region_depth -= 1
                self.loop_depth -= 1
                self.open_phis.pop()
            if any(True for _ in containers.changes(containers.taken())):
                raise NeedsUnrolling  # a container that the loop does not carry changed in its body
            outs = {
                path: value
                for name in names
                for path, value in _leaves(self.frame.env.get(name, UNDEFINED), (name,))
            }
            changed = self._widened(names, before, leaves, phis, outs)
            if not changed:
                break
        if isinstance(region, While):
            region.test_block, region.test = blocks[0], self.atom(condition)
        region.body = blocks[1]
        self.frame.env = before
        self._finish_loop(region, names, before, after, phis, outs)
        self.equal.restore(lengths)  # what a trip has checked is not known when there was none

    def _loop_type(self, value: Value) -> Type | None:
        t = self.type_of(value)
        return t if t is not None else None

    def _with_phis(
        self,
        value: Value,
        path: tuple[Any, ...],
        leaves: dict[tuple[Any, ...], Type | None],
        phis: dict[tuple[Any, ...], Var],
    ) -> Value:
        if isinstance(value, tuple):
            parts = [self._with_phis(v, (*path, k), leaves, phis) for k, v in enumerate(value)]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(value, ListValue):
            result = ListValue(self._with_phis(v, (*path, k), leaves, phis) for k, v in enumerate(value))
            result.depth = value.depth
            return result
        if isinstance(value, dict):
            return {k: self._with_phis(v, (*path, k), leaves, phis) for k, v in value.items()}
        t = leaves.get(path)
        if t is None:
            return value
        phi = Var("_".join(str(path[0]).split()[:2]), t)
        if isinstance(t, Array):
            phi.type = Array(
                t.dtype,
                tuple(Dim.symbol("shape", phi, k) if d == Dim(-1) else d for k, d in enumerate(t.shape)),
                t.layout,
            )
            if isinstance(value, Var):
                self.joined_roots[phi] = {value.root}
        elif is_integer(t):
            phi.dim = Dim.symbol("value", phi)
        phis[path] = phi
        return phi

    def _widened(
        self,
        names: list[str],
        before: dict[str, Value],
        leaves: dict[tuple[Any, ...], Type | None],
        phis: dict[tuple[Any, ...], Var],
        outs: dict[tuple[Any, ...], Value],
    ) -> bool:
        """Widen the types of carried leaves by what the body gives back; True when the body must be run again."""
        changed = False
        inits = {
            path: value for name in names for path, value in _leaves(before.get(name, UNDEFINED), (name,))
        }
        if inits.keys() != outs.keys():
            path = next(iter(inits.keys() ^ outs.keys()))
            if isinstance(before.get(path[0], UNDEFINED), Undefined):
                raise self.refuse(
                    f"`{path[0]}` is first assigned inside a loop and read after it",
                    "a container has no value when the loop does not run",
                    "assign it before the loop",
                )
            raise NeedsUnrolling
        for path, out in outs.items():
            init = inits[path]
            t_out = self.type_of(out)
            t = leaves.get(path)
            if t is None:
                if out is init or self._same_static(out, init):
                    continue
                if t_out is None or init is not UNDEFINED:
                    raise self.refuse(
                        f"`{path[0]}` changes from {_kind(init)} to {_kind(out)} inside a loop",
                        "a loop can only carry numbers and arrays",
                        "keep its kind the same",
                    )
                leaves[path] = (
                    t_out
                    if not isinstance(t_out, Array)
                    else Array(t_out.dtype, (Dim(-1),) * t_out.ndim, "A")
                )
                changed = True
                continue
            if path in phis and out is phis[path]:
                continue
            if t_out is None:
                if out is UNDEFINED:
                    continue
                raise self.refuse(
                    f"`{path[0]}` changes from {_kind(init)} to {_kind(out)} inside a loop",
                    repair="keep its kind the same",
                )
            wide = self._joined_loop_type(t, t_out, str(path[0]))
            if wide != t:
                leaves[path] = wide
                changed = True
        return changed

    def _joined_loop_type(self, t: Type, t_out: Type, name: str) -> Type:
        wide = joined(t, t_out)
        if wide is None:
            if isinstance(t, Scalar) and isinstance(t_out, Array):
                raise self.refuse(
                    f"`{name}` starts as a number and becomes an array inside a loop",
                    "a variable has one rank in compiled code",
                    f"start with `{name} = np.zeros(...)` of the final shape",
                )
            raise self.refuse(
                f"`{name}` changes its number of axes inside a loop", repair="keep its rank the same"
            )
        if isinstance(wide, Array):
            assert isinstance(t, Array) and isinstance(t_out, Array)
            shape = tuple(
                a if self.equal.same(a, b) or self._may_stay(a, b) else Dim(-1)
                for a, b in zip(t.shape, t_out.shape, strict=True)
            )
            if (
                any(d == Dim(-1) and a != Dim(-1) for d, a in zip(shape, t.shape, strict=True))
                or wide.layout != t.layout
                or wide.dtype != t.dtype
            ):
                return Array(wide.dtype, shape, wide.layout)
            return t
        return wide

    @staticmethod
    def _may_stay(a: Dim, b: Dim) -> bool:
        """Whether a length that a loop carries is taken to stay what it was, which is checked after each trip."""
        if a == Dim(-1) or b == Dim(-1) or 1 in (a.known, b.known) or (a - b).known is not None:
            return False
        return not a.symbols() & b.symbols()  # a length made from the old one changes

    def _finish_loop(
        self,
        region: For | While,
        names: list[str],
        before: dict[str, Value],
        after: set[str],
        phis: dict[tuple[Any, ...], Var],
        outs: dict[tuple[Any, ...], Value],
    ) -> None:
        inits = {
            path: value for name in names for path, value in _leaves(before.get(name, UNDEFINED), (name,))
        }
        results: dict[tuple[Any, ...], Var] = {}
        may_be_unassigned = False
        for path, phi in phis.items():
            out = outs[path]
            init = inits[path]
            if init is UNDEFINED:
                may_be_unassigned = may_be_unassigned or path[0] in after
                init = self._filler(phi)
            if out is UNDEFINED:
                out = phi
            result = Var(phi.name, phi.type, dim=None)
            if isinstance(phi.type, Array):
                result.type = Array(
                    phi.type.dtype,
                    tuple(
                        Dim.symbol("shape", result, k) if d == Dim.symbol("shape", phi, k) else d
                        for k, d in enumerate(phi.type.shape)
                    ),
                    phi.type.layout,
                )
                roots = {v.root for v in (init, out) if isinstance(v, Var)}
                self.joined_roots[phi] = roots
                self.joined_roots[result] = roots | {phi}
                init = self.cast(init, phi.type.dtype)
                own = [Dim.symbol("shape", phi, k) for k in range(phi.type.ndim)]
                with self.at(region.body):
                    out = self.cast(out, phi.type.dtype)
                    for a, b in zip(phi.type.shape, out.type.shape, strict=True):
                        if not self.equal.same(a, b) and self._may_stay(a, b) and a not in own:
                            self.require_equal(a, b, f"`{phi.name}` changes its length inside a loop")
            elif is_integer(phi.type):
                result.dim = Dim.symbol("value", result)
            region.carried.append(Carried(phi, self.atom(init), self.atom(out), result))
            results[path] = result
        if may_be_unassigned and isinstance(region, For):
            start, stop = (v.value if isinstance(v, Const) else v for v in (region.start, region.stop))
            runs = self.op("less" if region.step.value > 0 else "greater", start, stop)  # type: ignore[union-attr]
            if isinstance(runs, Var):
                self.block.append(
                    Check(
                        runs,
                        "UnboundLocalError",
                        (Const("a name assigned in a loop is read after it, but the loop did not run"),),
                        self.origin,
                    )
                )
        self.block.append(region)
        for name in names:
            if name in after or name.startswith("next ") or isinstance(before.get(name), dict):
                self.frame.env[name] = _replaced(before.get(name, UNDEFINED), (name,), results)
            elif name not in before:
                self.frame.env[name] = UNDEFINED

    def _filler(self, phi: Var) -> Value:
        """What a name that has no value yet starts from: never read when the loop runs."""
        if isinstance(phi.type, Array):
            return self.op("zeros", (0,) * phi.type.ndim, dtype=np.dtype(phi.type.dtype))
        return np.dtype(phi.type.dtype).type(0).item()


class _Trip(gast.Pass):  # type: ignore[misc]
    """One unrolled trip of a loop, as a statement."""

    def __init__(self, loop: Any, item: Trip) -> None:
        super().__init__()
        gast.copy_location(self, loop)
        self.loop = loop
        self.item = item


def _leaves(value: Value, path: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], Value]]:
    """The numbers, arrays and constants in a container, with where they stand."""
    if isinstance(value, (tuple, ListValue)):
        return [leaf for k, v in enumerate(value) for leaf in _leaves(v, (*path, k))]
    if isinstance(value, dict):
        return [leaf for k, v in value.items() for leaf in _leaves(v, (*path, k))]
    return [(path, value)]


def _replaced(value: Value, path: tuple[Any, ...], results: dict[tuple[Any, ...], Var]) -> Value:
    if isinstance(value, tuple):
        parts = [_replaced(v, (*path, k), results) for k, v in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, ListValue):
        value[:] = [_replaced(v, (*path, k), results) for k, v in enumerate(value)]
        return value
    if isinstance(value, dict):
        value.update({k: _replaced(v, (*path, k), results) for k, v in value.items()})
        return value
    return results.get(path, value)


def _uniform(ev: Statements, items: Any) -> bool:
    """Whether all elements are numbers, or all sequences of as many of them."""
    if all(isinstance(i, (tuple, list)) for i in items):
        return len({len(i) for i in items}) == 1 and all(_uniform(ev, i) for i in items)
    return all(isinstance(ev.type_of(i), Scalar) for i in items)


def _statement_name(node: Any) -> str:
    return {
        "Try": "try",
        "AsyncFor": "async for",
        "AsyncWith": "async with",
        "ClassDef": "class",
        "Nonlocal": "nonlocal",
        "Match": "match",
    }.get(type(node).__name__, type(node).__name__.lower())
