"""Dicts of other classes outside the function, which stay of their class, and texts that patterns take apart."""

import re
from collections import OrderedDict, defaultdict
from types import MappingProxyType

import numpy as np
from tests.corpus import program

PRESETS = MappingProxyType({"slow": 2.0, "fast": (1.0, 3.0), "rates": np.arange(3.0)})
ORDERED = OrderedDict(first=1.0)
WITH_DEFAULT = defaultdict(float, {"z": 3.0})


@program(lambda r: (r.normal(size=3),))
def what_cannot_be_written_to(x):
    total = PRESETS["fast"][1] * x[1] + np.sum(PRESETS["rates"] * x) + PRESETS.get("none", 5.0) * x[2]
    for key, value in PRESETS.items():
        if key == "slow":
            total += value * x[0] * len(PRESETS)
    own = {**PRESETS, "fast": x[1] ** 2}
    own["slow"] *= x[2]
    return total + own["slow"] + own["fast"] - 2.0 * isinstance(PRESETS, dict)


@program(lambda r: (r.normal(size=3),))
def of_which_class_it_is(x):
    total = np.sum(x * x)
    if isinstance(ORDERED, OrderedDict):
        total *= 2.0
    if type(WITH_DEFAULT) is defaultdict:
        total *= 3.0
    if type(ORDERED) is dict or isinstance(WITH_DEFAULT, OrderedDict):
        total *= 5.0
    return total


def frequency(note):
    found = re.fullmatch(r"([A-G])(#|b)?(\d)", note)
    if found is None:
        raise ValueError(f"not a note: {note}")
    letter, sign, octave = found.groups()
    steps = "C D EF G A B".index(letter) + {"#": 1, "b": -1, None: 0}[sign] + 12 * (int(octave) - 4)
    return 2.0 ** ((steps - 9) / 12)


@program(lambda r: (r.normal(size=3),))
def texts_that_a_pattern_takes_apart(x):
    pattern = re.compile(r"(?P<n>\d+)z")
    found = pattern.match("12z")
    total = sum(a * np.sin(frequency(note) * x[0]) for a, note in zip(x, ("A3", "C#4", "Bb5"), strict=True))
    if re.search("q", "aqa") and not re.match("b", "a"):
        total += x[1] ** 2 * int(found["n"]) + found.start(1)
    return total
