"""What a function reads from outside may change between two calls of its gradient: the second sees what is there.

Code that took it for granted is made anew, or the container is refused and the tape runs, which reads it each time.
"""

import ctypes
import dataclasses
import functools
import importlib.util
import types
import warnings
from collections import ChainMap, Counter, UserDict, UserList, deque, namedtuple

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc
from adc.api.undone import undone

X = np.array([0.3, -0.5, 0.7])
Pair = namedtuple("Pair", "number items")


class Thing:
    limit = 2.0

    def __init__(self):
        self.function = lambda v: v
        self.words = {"a"}
        self.held = (1, [1.0])
        self.table = {"w": 2.0}

    def call(self, x):
        return self.function(x) * self.limit

    def __getitem__(self, key):
        return self.table[key]

    def __contains__(self, key):
        return key in self.table

    def __len__(self):
        return len(self.table)

    def __iter__(self):
        return iter(self.table.values())

    def __bool__(self):
        return "w" in self.table


class Plain:
    number = 2.0

    def go(self, x):
        return x**2

    @classmethod
    def of_the_class(cls, x):
        return x**2

    @staticmethod
    def of_nobody(x):
        return x**2

    @property
    def factor(self):
        return 2.0


class Derived(Plain):
    pass


class Between(Derived):
    def go(self, x):
        return super().go(x) * super().factor * super().number


PLAIN, DERIVED, BETWEEN = Plain(), Derived(), Between()


def scaled(x, factor=2.0, *, power=2):
    return factor * x**power


def tried(x):
    try:
        return np.sum(x**2) * OUT.thing.extra
    except AttributeError:
        return np.sum(x**2) * 3.0


SCALED = functools.partial(scaled, factor=3.0)


def by_default(x, factors=[1.0, 2.0], *, table={"a": 1.0}):  # noqa: B006  # what is tested
    return x * factors[-1] * table["a"]


def summed(x, factors=[1.0, 2.0]):  # noqa: B006  # what is tested
    return np.sum(x**2) * factors[-1]


SCALED_SUM = functools.partial(summed, factors=[3.0])


def weighed(weights, x):
    return np.sum(x**2) * weights[0]


WEIGHTS = [2.0]
ROW = np.array([2.0, 3.0])
LISTED = functools.partial(weighed, WEIGHTS)
LAID_OUT = functools.partial(weighed, ROW)
SLOPE_OF_LISTED = adc.grad(LISTED)
EACH_LISTED = adc.vmap(LISTED)


@adc.checkpoint
def again(x, factors=WEIGHTS):
    return np.sum(x**2) * factors[0]


def helper(x):
    return x * helper.scale


helper.scale = 2.0
module = types.ModuleType("module_of_a_user")
module.f = np.sin


class Table(UserDict):
    def twice(self):
        return 2 * self["a"]


class Outside:
    """What the functions below read."""

    def __init__(self):
        self.counts = Counter(a=2)
        self.queue = deque([1.0, 2.0])
        self.pair = (1, [2.0])
        self.mapping = (1, {"a": 2.0})
        self.named = Pair(1.0, [2.0])
        self.words = {"s": {1, 2}}
        self.raw = bytearray(b"ab")
        self.users_dict = UserDict(a=2.0)
        self.derived_dict = Table(a=2.0)
        self.users_list = UserList([2.0])
        self.chain = ChainMap({"b": 1.0}, {"a": 2.0})
        self.table = {"a": 2.0}
        self.proxy = types.MappingProxyType(self.table)
        self.values = self.table.values()
        self.polynomial = np.poly1d([1.0, 2.0])
        self.buffer = (ctypes.c_double * 2)(1.0, 2.0)
        self.thing = Thing()


OUT = Outside()


def _replace_function():
    OUT.thing.function = lambda v: v * v


def _replace_method():
    Plain.go = lambda self, x: x**3


def _replace_in_class(name, value):
    return lambda: setattr(Plain, name, value)


def _override():
    Derived.go = lambda self, x: x**3


def _replace_code():
    scaled.__code__ = (lambda x, factor=2.0, *, power=2: factor * np.sin(x)).__code__


def _new_attribute():
    OUT.thing.extra = 1


def _replace_in_module():
    module.f = np.cos


def _own_method():
    PLAIN.go = lambda x: x**3


def itself(x, *, power=2):
    return np.sum(x**power)


@dataclasses.dataclass
class Scale:
    factor: float = 2.0

    def __call__(self, x):
        return self.factor * x**2


SCALE = Scale()


def _replace_call():
    Scale.__call__ = lambda self, x: self.factor * x**3


def _replace_init():
    Scale.__init__ = lambda self, factor=3.0: setattr(self, "factor", 2.0 * factor)


def _longer():
    OUT.thing.table["v"] = 1.0


def _without():
    OUT.thing.table.clear()


CHANGES = {
    "counter": (lambda x: np.sum(x**2) * OUT.counts["a"], lambda: OUT.counts.update(a=5)),
    "deque": (lambda x: np.sum(x**2) * OUT.queue[0], lambda: OUT.queue.rotate()),
    "list_in_a_tuple": (lambda x: np.sum(x**2) * OUT.pair[1][0], lambda: OUT.pair[1].insert(0, 5.0)),
    "dict_in_a_tuple": (lambda x: np.sum(x**2) * OUT.mapping[1]["a"], lambda: OUT.mapping[1].update(a=5.0)),
    "list_in_a_named_tuple": (
        lambda x: np.sum(x**2) * OUT.named.items[-1] * OUT.named.number,
        lambda: OUT.named.items.append(7.0),
    ),
    "set": (
        lambda x: np.sum(x**2) * (2.0 if 2 in OUT.words["s"] else 1.0),
        lambda: OUT.words["s"].discard(2),
    ),
    "length_of_a_set": (lambda x: np.sum(x**2) * len(OUT.thing.words), lambda: OUT.thing.words.add("b")),
    "bytearray": (lambda x: np.sum(x**2) * len(OUT.raw), lambda: OUT.raw.append(1)),
    "users_dict": (lambda x: np.sum(x**2) * OUT.users_dict["a"], lambda: OUT.users_dict.update(a=5.0)),
    "key_in_a_users_dict": (
        lambda x: np.sum(x**2) * (2.0 if "b" in OUT.users_dict else 1.0),
        lambda: OUT.users_dict.update(b=5.0),
    ),
    "derived_users_dict": (
        lambda x: np.sum(x**2) * OUT.derived_dict.twice(),
        lambda: OUT.derived_dict.update(a=5.0),
    ),
    "users_list": (lambda x: np.sum(x**2) * OUT.users_list[0], lambda: OUT.users_list.insert(0, 5.0)),
    "chain_of_dicts": (lambda x: np.sum(x**2) * OUT.chain["a"], lambda: OUT.chain.update(a=5.0)),
    "view_of_a_dict": (lambda x: np.sum(x**2) * OUT.proxy["a"], lambda: OUT.table.update(a=5.0)),
    "values_of_a_dict": (lambda x: np.sum(x**2) * len(OUT.values), lambda: OUT.table.update(b=5.0)),
    "polynomial": (lambda x: np.sum(OUT.polynomial(x)), lambda: OUT.polynomial.coeffs.put(0, 5.0)),
    "buffer": (lambda x: np.sum(x**2) * OUT.buffer[0], lambda: OUT.buffer.__setitem__(0, 5.0)),
    "attribute_of_a_module_or_else": (
        lambda x: np.sum(x**2) * getattr(module, "extra", 3.0),
        lambda: setattr(module, "extra", 5.0),
    ),
    "attribute_of_a_class_or_else": (
        lambda x: np.sum(x**2) * (3.0 if hasattr(Thing, "extra") else 1.0),
        lambda: setattr(Thing, "extra", 5.0),
    ),
    "function_of_an_object": (lambda x: np.sum(OUT.thing.call(x)), _replace_function),
    "list_in_a_tuple_of_an_object": (
        lambda x: np.sum(x**2) * OUT.thing.held[1][0],
        lambda: OUT.thing.held[1].insert(0, 4.0),
    ),
    "method_of_a_class": (lambda x: np.sum(Plain().go(x)), _replace_method),
    "method_of_an_object": (lambda x: np.sum(PLAIN.go(x)), _replace_method),
    "method_of_a_derived_class": (lambda x: np.sum(DERIVED.go(x)), _override),
    "method_by_super": (lambda x: np.sum(BETWEEN.go(x)), _replace_method),
    "method_that_comes_between": (lambda x: np.sum(BETWEEN.go(x)), _override),
    "property_by_super": (
        lambda x: np.sum(Between().go(x)),
        _replace_in_class("factor", property(lambda self: 5.0)),
    ),
    "number_by_super": (lambda x: np.sum(BETWEEN.go(x)), _replace_in_class("number", 5.0)),
    "class_method": (
        lambda x: np.sum(Plain.of_the_class(x)),
        _replace_in_class("of_the_class", classmethod(lambda cls, x: x**3)),
    ),
    "class_method_of_an_object": (
        lambda x: np.sum(PLAIN.of_the_class(x)),
        _replace_in_class("of_the_class", classmethod(lambda cls, x: x**3)),
    ),
    "class_method_of_an_object_made_here": (
        lambda x: np.sum(Plain().of_the_class(x)),
        _replace_in_class("of_the_class", classmethod(lambda cls, x: x**3)),
    ),
    "static_method": (
        lambda x: np.sum(Plain.of_nobody(x)),
        _replace_in_class("of_nobody", staticmethod(lambda x: x**3)),
    ),
    "property_of_an_object_made_here": (
        lambda x: np.sum(Plain().factor * x**2),
        _replace_in_class("factor", property(lambda self: 5.0)),
    ),
    "default": (lambda x: np.sum(scaled(x)), lambda: setattr(scaled, "__defaults__", (5.0,))),
    "default_by_keyword": (lambda x: np.sum(scaled(x)), lambda: scaled.__kwdefaults__.update(power=3)),
    "default_of_its_own_by_keyword": (itself, lambda: itself.__kwdefaults__.update(power=3)),
    "default_of_a_dataclass": (
        lambda x: np.sum(Scale()(x)),
        lambda: setattr(Scale.__init__, "__defaults__", (5.0,)),
    ),
    "how_a_dataclass_is_made": (lambda x: np.sum(Scale()(x)), _replace_init),
    "call_of_an_object": (lambda x: np.sum(SCALE(x)), _replace_call),
    "method_of_an_object_alone": (lambda x: np.sum(PLAIN.go(x)), _own_method),
    "code": (lambda x: np.sum(scaled(x)), _replace_code),
    "keyword_of_a_partial": (lambda x: np.sum(SCALED(x)), lambda: SCALED.keywords.update(factor=5.0)),
    "whether_there_is_an_attribute": (
        lambda x: np.sum(x**2) * (3.0 if hasattr(OUT.thing, "extra") else 1.0),
        _new_attribute,
    ),
    "attribute_of_a_function_or_else": (
        lambda x: np.sum(x**2) * getattr(scaled, "extra", 3.0),
        lambda: setattr(scaled, "extra", 5.0),
    ),
    "attribute_that_is_tried": (tried, _new_attribute),
    "attribute_or_else": (lambda x: np.sum(x**2) * getattr(OUT.thing, "extra", 3.0), _new_attribute),
    "default_that_is_a_list": (
        lambda x: np.sum(by_default(x)),
        lambda: by_default.__defaults__[0].append(4.0),
    ),
    "default_that_is_a_dict": (
        lambda x: np.sum(by_default(x)),
        lambda: by_default.__kwdefaults__["table"].update(a=9.0),
    ),
    "default_of_what_is_differentiated_inside": (
        lambda x: np.sum(adc.grad(lambda v: np.sum(by_default(v) ** 2))(x)),
        lambda: by_default.__defaults__[0].append(4.0),
    ),
    "default_of_a_derivative": (
        lambda x: np.sum(adc.grad(summed)(x) * x),
        lambda: summed.__defaults__[0].append(4.0),
    ),
    "default_of_a_derivative_that_is_another": (
        lambda x: np.sum(adc.grad(summed)(x) * x),
        lambda: setattr(summed, "__defaults__", ([7.0],)),
    ),
    "default_of_what_is_checkpointed": (lambda x: again(x), lambda: WEIGHTS.insert(0, 5.0)),
    "list_in_a_partial": (lambda x: LISTED(x), lambda: WEIGHTS.insert(0, 5.0)),
    "array_in_a_partial": (lambda x: LAID_OUT(x), lambda: ROW.__setitem__(0, 5.0)),
    "list_in_a_partial_that_is_differentiated": (
        lambda x: np.sum(adc.grad(LISTED)(x) * x),
        lambda: WEIGHTS.insert(0, 5.0),
    ),
    "list_in_a_partial_that_was_differentiated": (
        lambda x: np.sum(SLOPE_OF_LISTED(x) * x),
        lambda: WEIGHTS.insert(0, 5.0),
    ),
    "list_in_a_partial_that_is_mapped": (
        lambda x: np.sum(EACH_LISTED(x[:, None])),
        lambda: WEIGHTS.insert(0, 5.0),
    ),
    "keyword_of_a_partial_that_is_differentiated": (
        lambda x: np.sum(adc.grad(SCALED_SUM)(x) * x),
        lambda: SCALED_SUM.keywords.update(factors=[9.0]),
    ),
    "attribute_of_a_function": (lambda x: np.sum(helper(x)), lambda: setattr(helper, "scale", 5.0)),
    "function_of_a_module": (lambda x: np.sum(module.f(x)), _replace_in_module),
    "item_of_an_object": (lambda x: np.sum(x**2) * OUT.thing["w"], lambda: OUT.thing.table.update(w=5.0)),
    "key_in_an_object": (lambda x: np.sum(x**2) * (2.0 if "v" in OUT.thing else 1.0), _longer),
    "length_of_an_object": (lambda x: np.sum(x**2) * len(OUT.thing), _longer),
    "items_of_an_object": (lambda x: np.sum(x**2) * sum(v for v in OUT.thing), _longer),
    "truth_of_an_object": (lambda x: np.sum(x**2) * (2.0 if OUT.thing else 1.0), _without),
}


@pytest.fixture(autouse=True)
def as_it_was():
    before, code = dict(vars(Plain)), scaled.__code__
    init, call = Scale.__init__, Scale.__call__
    yield
    Scale.__init__, Scale.__call__, Scale.__init__.__defaults__ = init, call, (2.0,)
    itself.__kwdefaults__["power"] = 2
    vars(PLAIN).clear()
    OUT.__init__()
    for name in ("go", "of_the_class", "of_nobody", "factor", "number"):
        setattr(Plain, name, before[name])
    if "go" in vars(Derived):
        del Derived.go
    scaled.__code__, scaled.__defaults__ = code, (2.0,)
    scaled.__kwdefaults__["power"] = 2
    SCALED.keywords["factor"] = 3.0
    module.f, helper.scale = np.sin, 2.0
    by_default.__defaults__[0][:] = [1.0, 2.0]
    by_default.__kwdefaults__["table"]["a"] = 1.0
    summed.__defaults__ = ([1.0, 2.0],)
    SCALED_SUM.keywords["factors"] = [3.0]
    WEIGHTS[:], ROW[0] = [2.0], 2.0
    vars(module).pop("extra", None)
    vars(scaled).pop("extra", None)
    if "extra" in vars(Thing):
        del Thing.extra


def _right(f, g, x=X):
    slope = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    value, gradient = g(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(gradient, slope, atol=1e-8)


@pytest.mark.parametrize("mode", ["auto", "tape"])
@pytest.mark.parametrize("what", CHANGES)
def test_the_second_call_sees_it(what, mode):
    f, change = CHANGES[what]
    g = adc.value_and_grad(f, mode=mode)
    with interpreted(), warnings.catch_warnings():
        warnings.simplefilter("ignore", adc.FallbackWarning)
        before = f(X)
        _right(f, g)
        change()
        assert f(X) != before
        _right(f, g)


def first(x, held):
    return np.sum(x**2) * (3.0 if 5 in held else 1.0) * len(held)


def keyed(x, held):
    return np.sum(x**2) * held["a"]


@pytest.mark.parametrize("mode", ["auto", "tape"])
@pytest.mark.parametrize(
    ("f", "held", "change"),
    [
        (first, {1}, lambda s: s.add(5)),
        (first, deque([1.0]), lambda s: s.append(5)),
        (first, UserList([1.0]), lambda s: s.append(5)),
        (keyed, UserDict(a=1.0), lambda s: s.update(a=5.0)),
        (keyed, ChainMap({"a": 1.0}), lambda s: s.update(a=5.0)),
        (keyed, Counter(a=1), lambda s: s.update(a=5)),
    ],
    ids=lambda v: type(v).__name__,
)
def test_an_argument_that_is_the_same_object(f, held, change, mode):
    g = adc.value_and_grad(f, mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", adc.FallbackWarning)
        for _ in range(2):
            _right(lambda x: f(x, held), lambda x: g(x, held))
            change(held)


def by_itself(x, factor=2.0):
    return np.sum(factor * x**2)


@pytest.mark.parametrize("mode", ["auto", "tape"])
def test_defaults_and_keywords_of_the_function_itself(mode):
    given = functools.partial(by_itself, factor=2.0)
    g, of_partial = adc.grad(by_itself, mode=mode), adc.grad(given, mode=mode)
    try:
        with interpreted():
            np.testing.assert_allclose(g(X), 4.0 * X)
            np.testing.assert_allclose(of_partial(X), 4.0 * X)
            by_itself.__defaults__ = (5.0,)
            given.keywords["factor"] = 7.0
            np.testing.assert_allclose(g(X), 10.0 * X)
            np.testing.assert_allclose(of_partial(X), 14.0 * X)
    finally:
        by_itself.__defaults__ = (2.0,)


def test_a_module_that_is_reloaded_into_its_old_functions(tmp_path):
    """As `%autoreload` does: the functions stay the same objects."""
    file = tmp_path / "reloaded.py"

    def loaded(text):
        file.write_text(text)
        spec = importlib.util.spec_from_file_location("reloaded", file)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    text = "def loss(x, k=2.0):\n    return inner(x) * k\n\n\ndef inner(x):\n    return x[0] ** 2\n"
    old = loaded(text)
    g = adc.grad(old.loss)
    with interpreted():
        np.testing.assert_allclose(g(X), [4.0 * X[0], 0.0, 0.0])
        for newer in (
            text.replace("** 2", "** 3  # the third power"),
            text.replace("(x, k=2.0)", "(x, k=3.0, shift=0.5)").replace("inner(x) *", "inner(x + shift) *"),
        ):
            new = loaded(newer)
            for name in ("loss", "inner"):
                function, other = getattr(old, name), getattr(new, name)
                function.__code__, function.__defaults__ = other.__code__, other.__defaults__
            slope = [(old.loss(X + 1e-6 * e) - old.loss(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
            np.testing.assert_allclose(g(X), slope, atol=1e-8)


def grows(x):
    OUT.pair[1].append(1.0)
    return np.sum(x)


def counts(x):
    OUT.counts["a"] += 1
    return np.sum(x)


def keeps(x):
    OUT.mapping[1]["seen"] = 1
    return np.sum(x)


def fills(x, seen=[]):  # noqa: B006  # what is tested
    seen.append(1)
    return np.sum(x) * len(seen)


def fills_a_default(x):
    return fills(x)


@pytest.mark.parametrize("f", [grows, counts, keeps, fills_a_default], ids=lambda f: f.__name__)
def test_what_is_written_is_what_the_function_writes(f):
    left = []
    for run in (adc.grad(f, mode="compiled"), f):
        with undone(f, fills):
            run(X)
            run(X)
            left.append(repr((vars(OUT), fills.__defaults__)))
    assert left[0] == left[1] != repr((vars(OUT), fills.__defaults__))


def counted(x):
    counted.calls += 1
    return np.sum(x) * counted.calls


@pytest.mark.parametrize("mode", ["tape", "compiled"])
def test_an_attribute_of_a_function_is_written_to(mode):
    counted.calls = 0
    g = adc.grad(counted, mode=mode)
    assert [g(X)[0], g(X)[0], counted.calls] == [1.0, 2.0, 2]
