"""A dict whose keys only the run knows, as two lists. Its loops are lowered as the user's are, not as a rule's.

What it holds is kept in each trip of a loop that changes it, and keys are looked for one by one: with more keys than a
few it is the tape's.
"""

MOST_KEYS = 64


class Table:
    """A dict whose keys, whole numbers or tuples of them, only the run knows: two lists."""

    __adc_model__ = dict

    def __init__(self, keys, values):
        self.places = keys
        self.held = values

    def place(self, key):
        k = 0
        while k < len(self.places) and self.places[k] != key:
            k += 1
        return k

    def items(self):
        return zip(self.places, self.held, strict=True)

    def keys(self):
        return self.places

    def values(self):
        return self.held

    def get(self, key, default=None):
        k = self.place(key)
        return self.held[k] if k < len(self.held) else default

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key, *default):
        k = self.place(key)
        if k == len(self.held) and default:
            return default[0]
        value = self[key]
        self.places.pop(k)
        self.held.pop(k)
        return value

    def __len__(self):
        return len(self.held)

    def __iter__(self):
        return iter(self.places)

    def __contains__(self, key):
        return self.place(key) < len(self.held)

    def __eq__(self, other):
        if len(self) != len(other):
            return False
        same = True
        for key, value in self.items():
            same = same and key in other and other[key] == value
        return same

    def __ne__(self, other):
        return not self == other

    def __getitem__(self, key):
        k = self.place(key)
        if k == len(self.held):
            raise KeyError("there is no such key")
        return self.held[k]

    def __setitem__(self, key, value):
        k = self.place(key)
        if k == len(self.held):
            if k == MOST_KEYS:
                raise OverflowError(f"a dict or set has more than {MOST_KEYS} keys that only the run knows")
            self.places.append(key)
            self.held.append(value)
        else:
            self.held[k] = value


class TableOfTuples(Table):
    """One whose keys are tuples of whole numbers, as many in each."""

    __adc_model__ = dict

    def place(self, key):
        k = 0
        while k < len(self.places) and not self.has_at(k, key):
            k += 1
        return k

    def has_at(self, k, key):
        same = True
        for j in range(len(key)):
            same = same and self.places[k][j] == key[j]
        return same
