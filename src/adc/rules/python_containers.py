"""Containers of `collections`, and sets, made in a program: plain objects around a list or a dict.

What compiled code makes of `collections.deque(...)` and its kin. Methods are written like rule bodies; what is not here
is refused by name.
"""

import collections


class Deque:
    """`collections.deque(items, maxlen)`."""

    __adc_model__ = collections.deque
    __adc_contents__ = "items"

    def __init__(self, iterable=(), maxlen=None):
        self.items = []
        self.maxlen = maxlen
        self.extend(iterable)

    def append(self, value):
        self.items.append(value)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, value):
        self.items.insert(0, value)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, iterable):
        for value in iterable:
            self.append(value)

    def extendleft(self, iterable):
        for value in iterable:
            self.appendleft(value)

    def pop(self):
        return self.items.pop()

    def popleft(self):
        return self.items.pop(0)

    def clear(self):
        self.items.clear()

    def reverse(self):
        self.items.reverse()

    def rotate(self, n=1):
        for _ in range(n):
            self.items.insert(0, self.items.pop())
        for _ in range(-n):
            self.items.append(self.items.pop(0))

    def copy(self):
        return Deque(self.items, self.maxlen)

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, value):
        return value in self.items

    def __getitem__(self, k):
        return self.items[k]

    def __setitem__(self, k, value):
        self.items[k] = value

    def __eq__(self, other):
        return self.items == list(other)


class OrderedDict:
    """`collections.OrderedDict(...)`."""

    __adc_model__: type = collections.OrderedDict
    __adc_contents__ = "__held__"

    def __init__(self, *given, **named):
        self.__held__ = dict(*given, **named)

    def move_to_end(self, key, last=True):
        value = self.__held__.pop(key)
        before = {} if last else {key: value}
        after = {key: value} if last else {}
        self.__held__ = {**before, **self.__held__, **after}

    def popitem(self, last=True):
        key = list(self.__held__)[-1 if last else 0]
        return key, self.__held__.pop(key)

    def items(self):
        return self.__held__.items()

    def keys(self):
        return self.__held__.keys()

    def values(self):
        return self.__held__.values()

    def get(self, key, default=None):
        return self.__held__.get(key, default)

    def pop(self, key, *default):
        return self.__held__.pop(key, *default)

    def setdefault(self, key, default=None):
        return self.__held__.setdefault(key, default)

    def update(self, *given, **named):
        self.__held__.update(dict(*given, **named))

    def clear(self):
        self.__held__.clear()

    def __len__(self):
        return len(self.__held__)

    def __iter__(self):
        return iter(list(self.__held__))

    def __contains__(self, key):
        return key in self.__held__

    def __getitem__(self, key):
        return self.__held__[key]

    def __setitem__(self, key, value):
        self.__held__[key] = value

    def __delitem__(self, key):
        del self.__held__[key]

    def __eq__(self, other):
        if not isinstance(other, dict):
            return False
        same = len(self) == len(other)
        if isinstance(self, collections.OrderedDict) and isinstance(other, collections.OrderedDict):
            same = same and list(self) == list(other)
        for key in self.__held__:
            same = same and key in other and other[key] == self.__held__[key]
        return same

    def __ne__(self, other):
        return not self == other


class Dict(OrderedDict):
    """What stands in the place of `dict` among the bases of a class of the user's."""

    __adc_model__ = dict

    def __init__(self, *given, **named):
        object.__setattr__(
            self, "__held__", dict(*given, **named)
        )  # the class may have a `__setattr__` of its own

    def copy(self):
        return dict(self.__held__)


class DictWithMissing(Dict):
    """The same of a class that says what stands under a key that is not there."""

    __adc_model__ = dict

    def __getitem__(self, key):
        return self.__held__[key] if key in self.__held__ else self.__missing__(key)


class DefaultDict(OrderedDict):
    """`collections.defaultdict(default_factory, ...)`."""

    __adc_model__ = collections.defaultdict

    def __init__(self, default_factory=None, *given, **named):
        self.default_factory = default_factory
        self.__held__ = dict(*given, **named)

    def __getitem__(self, key):
        if key not in self.__held__ and self.default_factory is not None:
            self.__held__[key] = self.default_factory()
        return self.__held__[key]


class Counter(OrderedDict):
    """`collections.Counter(items)`, of items known while compiling."""

    __adc_model__ = collections.Counter

    def __init__(self, iterable=(), **named):
        self.__held__ = {}
        self.update(iterable, **named)

    def update(self, iterable=(), **named):
        if isinstance(iterable, dict):
            for key, number in iterable.items():
                self.__held__[key] = self[key] + number
        else:
            for key in iterable:
                self.__held__[key] = self[key] + 1
        for key, number in named.items():
            self.__held__[key] = self[key] + number

    def most_common(self, n=None):
        counted = sorted(self.__held__.items(), key=lambda pair: -pair[1])
        return counted if n is None else counted[:n]

    def elements(self):
        return [key for key, number in self.__held__.items() for _ in range(number)]

    def total(self):
        return sum(self.__held__.values())

    def __getitem__(self, key):
        return self.__held__.get(key, 0)

    def __eq__(self, other):
        if not isinstance(other, dict):
            return False
        same = True
        for key in [*self, *other]:
            same = same and self[key] == other.get(key, 0)
        return same


class Set:
    """`set(items)`, of items known while compiling."""

    __adc_model__ = set
    __adc_contents__ = "__held__"

    def __init__(self, iterable=()):
        self.__held__ = {}
        self.update(iterable)

    def add(self, value):
        self.__held__[value] = True

    def discard(self, value):
        self.__held__.pop(value, None)

    def remove(self, value):
        self.__held__.pop(value)

    def pop(self):
        value = next(iter(self))
        self.__held__.pop(value)
        return value

    def clear(self):
        self.__held__.clear()

    def copy(self):
        return Set(self)

    def update(self, *others):
        for other in others:
            for value in other:
                self.__held__[value] = True

    def difference_update(self, *others):
        for other in others:
            for value in list(other):
                self.__held__.pop(value, None)

    def intersection_update(self, other):
        for value in list(self.__held__):
            if value not in other:
                self.__held__.pop(value)

    def union(self, *others):
        made = Set(self)
        made.update(*others)
        return made

    def difference(self, *others):
        made = Set(self)
        made.difference_update(*others)
        return made

    def intersection(self, other):
        return Set([value for value in self if value in other])

    def symmetric_difference(self, other):
        return (self - other) | (Set(other) - self)

    def issubset(self, other):
        return all(value in other for value in self.__held__)

    def issuperset(self, other):
        return all(value in self.__held__ for value in other)

    def isdisjoint(self, other):
        return not any(value in self.__held__ for value in other)

    def __or__(self, other):
        return self.union(other)

    def __and__(self, other):
        return self.intersection(other)

    def __sub__(self, other):
        return self.difference(other)

    def __xor__(self, other):
        return self.symmetric_difference(other)

    def __ror__(self, other):
        return Set(other).union(self)

    def __rand__(self, other):
        return Set(other).intersection(self)

    def __rsub__(self, other):
        return Set(other).difference(self)

    def __ior__(self, other):
        self.update(other)
        return self

    def __iand__(self, other):
        self.intersection_update(other)
        return self

    def __isub__(self, other):
        self.difference_update(other)
        return self

    def __len__(self):
        return len(self.__held__)

    def __iter__(self):
        return iter(list(set(self.__held__)))  # in Python's order

    def __eq__(self, other):
        return len(self) == len(other) and self.issubset(other)

    def __ne__(self, other):
        return not self == other

    def __le__(self, other):
        return self.issubset(other)

    def __ge__(self, other):
        return self.issuperset(other)

    def __lt__(self, other):
        return len(self) < len(other) and self.issubset(other)

    def __gt__(self, other):
        return len(self) > len(other) and self.issuperset(other)


def attributes_of(owner):
    """A dict of the attributes that an object has now; compiled code knows its own objects."""
    return dict(vars(owner))


def keep_attribute(owner, name, value):
    """Keep an attribute, past what the class of the object says of it."""
    vars(owner)[name] = value


def drop_attribute(owner, name):
    """Drop an attribute, past what the class of the object says of it."""
    del vars(owner)[name]


class Attributes:
    """`owner.__dict__`: what it is asked is asked of the object as it is then."""

    __adc_model__ = dict
    __adc_contents__ = "owner"

    def __init__(self, owner):
        self.owner = owner

    def copy(self):
        return attributes_of(self.owner)

    def items(self):
        return attributes_of(self.owner).items()

    def keys(self):
        return attributes_of(self.owner).keys()

    def values(self):
        return attributes_of(self.owner).values()

    def get(self, key, default=None):
        return attributes_of(self.owner).get(key, default)

    def pop(self, key, *default):
        value = attributes_of(self.owner).pop(key, *default)
        if key in self:
            drop_attribute(self.owner, key)
        return value

    def setdefault(self, key, default=None):
        if key not in self:
            keep_attribute(self.owner, key, default)
        return self[key]

    def update(self, *given, **named):
        for key, value in dict(*given, **named).items():
            keep_attribute(self.owner, key, value)

    def __len__(self):
        return len(attributes_of(self.owner))

    def __iter__(self):
        return iter(list(attributes_of(self.owner)))

    def __contains__(self, key):
        return key in attributes_of(self.owner)

    def __getitem__(self, key):
        return attributes_of(self.owner)[key]

    def __setitem__(self, key, value):
        keep_attribute(self.owner, key, value)


MODELS = {c.__adc_model__: c for c in (Deque, OrderedDict, DefaultDict, Counter)}
