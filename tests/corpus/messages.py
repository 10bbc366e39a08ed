"""assert, raise, print, with, try: what a program says about its data."""

# ruff: noqa: UP031, UP032  (as people write it)

import logging
import warnings

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=4), 0.7))
def assertions(x, s):
    assert s > 0, "s must be positive"
    assert x.ndim == 1
    assert x.shape[0] == 4, f"four numbers, not {x.shape[0]}"
    return np.sum(x * s)


@program(lambda r: (r.normal(size=4), 0.7))
def raise_not_reached(x, s):
    if s < 0:
        raise ValueError("s is negative")
    total = np.sum(x)
    if total > 1e6:
        raise OverflowError(f"the sum {total} is too large")
    return total * s


@program(lambda r: (np.array([0.5, 1.5, -2.0]),))
def raise_in_loop(x):
    s = 1.0
    for i in range(3):
        if x[i] == 0:
            raise ZeroDivisionError("zero")
        s = s / x[i] + x[i]
    return s


@program(lambda r: (np.array([0.5, 1.5, -0.4]),))
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), x)
    return np.sum(y * y + x)


@program(lambda r: (0.7,))
def try_finally(x):
    y = x
    try:
        y = x * x
    finally:
        y = y * 3
    return y * x


@program(lambda r: (0.7, "sum"))
def raise_else_branch(x, how):
    if how == "sum":
        return x + x * x
    elif how == "product":
        return x * x
    else:
        raise ValueError(f"unknown: {how}")


@program(lambda r: (0.7, 2))
def match_statement(x, order):
    match order:
        case 1:
            y = x
        case 2:
            y = x * x
        case _:
            y = 0.0
    return y * x


@program(lambda r: (0.7, 1.2))
def assertion_on_a_path_not_taken(x, y):
    if x > y:
        assert False, "not here"  # noqa: B011
    for _ in range(2):
        x = x * y
        if x > 50:
            raise ValueError("too large")
    return x


@program(lambda r: (0.7,))
def except_not_reached(x):
    try:
        y = x * x
    except ZeroDivisionError:
        y = 0.0
    else:
        y = y + x
    return y


TEXT = dict.fromkeys(("compiled", "python"), "a text that only the run knows")


@program(lambda r: (np.array([1.5, 2.0, 3.0]),), refused=TEXT)
def length_of_a_text(x):
    return np.sum(x * len(f"{x[0]:.2f}"))


@program(lambda r: (np.array([1.5, 2.0, 3.0]),), refused=TEXT)
def text_that_is_compared(x):
    text = f"{x[0]:.2f}"
    return np.sum(x) * (2.0 if text == "1.50" else 3.0)


@program(lambda r: (np.array([1.5, 2.0, 3.0]),), refused=TEXT)
def characters_of_a_text(x):
    total = 0.0
    for _ in f"{x[0]:.2f}":
        total = total + np.sum(x * x)
    return total


@program(lambda r: (np.array([1.5, 2.0, 3.0]),), refused=TEXT)
def formatted_by_a_method(x):
    return np.sum(x * x) * len("{:.2f}".format(x[0]))


@program(lambda r: (np.array([1.5, 2.0, 3.0]), 1.5))
def texts_known_before(x, s):
    names = {"a2": 2.0}
    return np.sum(x * s) * names[f"a{x.ndim + 1}"] * len(f"{'ab'!r:>6}")


@program(lambda r: (1.4,))
def a_number_that_is_none(x):
    try:
        y = int("one") * x
    except ValueError:
        y = x * 7.0
    return y * y


@program(lambda r: (1.4,))
def raised_and_caught(x):
    try:
        if x > 1:
            raise ValueError
    except ValueError:
        return x * 3.0
    return x * 2.0


@program(lambda r: (r.normal(size=3),))
def texts_of_percent_and_format(x):
    said = []
    for v in (x[0], x[1]):
        said.append("%.2f" % v)
    text = "%s=%d (%5.1f%%)" % ("a", 3, x[0])
    other = "{:.3f} {}".format(x[0], x[1]) + str(x[2]) + f"{text} {x[0]:.2f}"
    if x[0] < -100:
        raise ValueError("too small: %g" % x[0] + other)
    return np.sum(x**2) * len(said)


@program(lambda r: (r.normal(size=3),))
def places_of_letters(x):
    return sum((ord(c) - 96) * v for c, v in zip("abc", x, strict=True)) + len(chr(65) + hex(255)) * x[0]


@program(lambda r: (r.normal(size=3),))
def keywords_of_builtins(x):
    print(len(x), flush=True)
    return round(x[0], ndigits=2) * x[1] + sum(x, start=1.0) + int("101", base=2) * x[2]


class _Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"({self.x:.2f}, {self.y:.2f})"


@program(lambda r: (r.normal(size=3),))
def objects_and_dicts_are_printed(x):
    point = _Point(x[0], 2.0 * x[1])
    found = {"all": x, 1: {"first": [x[0], None]}}
    print(point, [point], found, f"{point!r} of {found}", range(3), np.sin, len)
    print("%s and" % point, "{}".format(point), str(point), {1, 2})
    assert point.x < 100, f"{point} is far away"
    if x[2] > 100:
        raise ValueError(point, found)
    return point.x * point.y + np.sum(x)


_LOG = logging.getLogger("adc.tests")


@program(lambda r: (r.normal(size=3),))
def logged_and_warned_of(x):
    _LOG.debug("%s", x)
    logging.info("nothing of this")
    total = 0.0
    for k, v in enumerate(x):
        if v > 100:
            warnings.warn(f"{v} is large", RuntimeWarning, stacklevel=2)
            _LOG.warning("step %d: %.2f", k, v)
        if _LOG.isEnabledFor(logging.DEBUG):
            _LOG.debug("step %d: %.2f", k, v)
        total += v * v
    return total


@program(
    lambda r: (r.normal(size=3),),
    refused=dict.fromkeys(("compiled", "python", "tape"), "a text carries no derivative"),
)
def numbers_read_back_from_a_text(x):
    text = ",".join(str(v) for v in x)
    return sum(float(part) for part in text.split(",")) * x[0]


@program(
    lambda r: (r.normal(size=3),),
    refused={
        "compiled": "bytes carry no derivative",
        "python": "bytes carry no derivative",
        "tape": "adc cannot make bytes of an array",
    },
)
def numbers_read_back_from_bytes(x):
    return np.frombuffer(x.tobytes()).sum() * x[0]


_KNOWN = {}


@program(
    lambda r: (r.normal(size=3),),
    refused={
        "compiled": "bytes carry no derivative",
        "python": "bytes carry no derivative",
        "tape": "What is remembered under them",
    },
)
def a_result_remembered_under_bytes(x):
    key = hash(x.tobytes())
    if key not in _KNOWN:
        _KNOWN[key] = np.sum(x**2)
    return _KNOWN[key]


@program(
    lambda r: (r.normal(size=3),),
    refused=dict.fromkeys(("compiled", "python"), "a text known to the run only"),
)
def rounded_by_a_text(x):
    print(x)
    return float(f"{x[0]:.2f}") * x[1] + float("0.5") * x[2]


@program(lambda r: (r.normal(size=2),))
def keys_written_by_percent(x):
    table = {"v00": x[0], "v01": x[1]}
    s = table["%s%02d" % ("v", 1)]
    for i in range(2):
        s += s * table["%s%02d" % ("v", i)] * table["v%02d" % i]
    return s
