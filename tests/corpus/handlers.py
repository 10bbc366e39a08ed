"""`try` around what the data make raise: the handler is a branch."""

import contextlib
import math

import numpy as np
from tests.corpus import program


@program(lambda r: (0.7,))
def quotient(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y * y


@program(lambda r: (0.7, 0.0), argnums=(0,))
def quotient_by_zero(x, zero):
    try:
        y = x / zero
    except ZeroDivisionError:
        y = 3.0 * x
    return y


def _log(x):
    try:
        return math.log(x)
    except ValueError:
        return -1e3 + x


@program(lambda r: (0.7, -0.7))
def logarithm_or_penalty(x, y):
    return _log(x) * 2.0 + _log(y)


@program(lambda r: (r.normal(size=6),))
def in_a_loop(x):
    total = 0.0
    for v in x:
        try:
            total += math.sqrt(v) * v
        except ValueError:
            total -= v**3
    return total


@program(lambda r: (r.normal(size=6), 2.0))
def two_handlers(x, scale):
    total, failed = 0.0, 0
    for k in range(x.size):
        try:
            a = math.log(float(x[k]) * scale)
            b = a / float(x[k] > 0.5)
            total += a * b
        except ValueError:
            failed += 1
            total += x[k] ** 2
        except ZeroDivisionError as error:
            print("too small:", error)
            total += 3.0 * x[k]
    return total * (1.0 + failed)


@program(lambda r: (r.normal(size=5),))
def raise_is_a_jump(x):
    total = 0.0
    for v in x:
        try:
            if v < -0.5:
                raise ValueError("too small")
            w = v * v
            if v > 0.5:
                raise OverflowError("too large")
            total += w * v
        except (ValueError, OverflowError):
            total += 0.5 * v
        else:
            total *= 1.5
        finally:
            total += 0.1 * v
    return total


class _Diverged(Exception):
    pass


def _newton(x, start, most):
    y = start
    for _ in range(most):
        if y < 0.3:
            raise _Diverged("below")
        y = y - (y * y - x) / (2.0 * y)
    return y


def _positive(x):
    if x <= 0:
        raise ValueError(f"{x} is not positive")
    return math.sqrt(x)


@program(lambda r: (0.7, -0.2))
def raised_in_a_helper(x, y):
    try:
        a = _positive(x) * 2.0
        b = _positive(y)
    except ValueError:
        a, b = x * x, y * x
    return a * b


@program(lambda r: (np.abs(r.normal(size=4)),))
def loop_that_a_handler_leaves(x):
    total = 0.0
    try:
        for v in x:
            if total > 0.9:
                raise StopIteration
            total += v * v
    except StopIteration:
        total *= 2.0
    return total + x[0]


@program(lambda r: (0.7, 0.0), argnums=(0,))
def rest_on_several_paths(x, y):
    scale = 1.0
    try:
        if x > 0.5:
            scale = 1.0 / y
        else:
            scale = 2.0
        scale = scale * x
    except ZeroDivisionError:
        scale = 5.0 * x
    return scale * x


@program(lambda r: (0.7, 800.0))
def too_large(x, y):
    try:
        return math.exp(x * y) * x
    except OverflowError:
        return x * x


@program(lambda r: (1.7, 2e200), argnums=(0,))
def power_too_large(x, y):
    try:
        z = (x * y) ** 2
    except Exception:
        z = 3.0 * x
    return z


@program(lambda r: (r.normal(size=4),))
def index_outside(x):
    total = 0.0
    k = 0
    while True:
        try:
            total += x[k] * x[k + 1]
            k += 1
        except IndexError:
            break
    return total


@program(lambda r: (0.7, -1.5))
def nested(x, y):
    try:
        try:
            a = math.log(y)
        except ValueError:
            a = 2.0 * x
        b = math.sqrt(y) + a
    except ValueError:
        b = y * x * a
    return b


@program(lambda r: (r.normal(size=3), 0.5))
def numpy_goes_on(x, y):
    """A number of NumPy's gives infinity where Python's raises; here neither happens."""
    try:
        z = y / x[0] + 1.0 / np.exp(y)
    except ZeroDivisionError:
        z = 0.0
    return z * y


@program(lambda r: (0.7, -0.7))
def handler_raises(x, y):
    try:
        z = math.sqrt(x)
    except ValueError as error:
        raise RuntimeError("no root") from error
    return z * y


@program(lambda r: (0.7, 0.4))
def while_inside(x, y):
    steps = 0
    try:
        while x > 1e-3:
            x = x * 0.4
            y = y / (steps - 2.0)
            steps += 1
    except ZeroDivisionError:
        y = 3.0 * x
    return x + y


@program(
    lambda r: (0.7, 0.4),
    refused=dict.fromkeys(("compiled", "python"), "a loop of a helper raises"),
)
def given_up(x, y):
    for start in (0.2, 2.0):
        try:
            z = _newton(x, start, 4)
            break
        except _Diverged:
            z = 0.0
    return z * y


@program(lambda r: (1.4, -0.7), refused=dict.fromkeys(("compiled", "python"), "`**` would be complex"))
def root_of_a_negative_number(x, y):
    try:
        z = math.pow(y, 0.5)
    except ValueError:
        z = x * y
    return z * x


@program(lambda r: (r.normal(size=4),))
def suppressed(x):
    total = 0.0
    for v in x:
        with contextlib.suppress(ValueError):
            total += math.sqrt(v) * math.erf(v)
    return total * x[0]


@program(lambda r: ([0.7, 0.3, 0.5],))
def index_outside_a_list(x):
    out = [0.0] * len(x)
    for i, v in enumerate(x):
        out[i] = v * v
    n = 0
    while True:
        try:
            out[n] *= 2.0 + n
            n += 1
        except IndexError:
            break
    return sum(out)


class _Counting:
    def __init__(self):
        self.total, self.calls = 0.0, 0

    def add(self, v):
        self.calls += 1
        if v < 0:
            raise ValueError("negative")
        self.total += math.sqrt(v)


@program(
    lambda r: (r.normal(size=4),),
    refused=dict.fromkeys(("compiled", "python"), "the handler finds what the method changed"),
)
def changed_before_it_raises(x):
    counting = _Counting()
    for v in x:
        try:
            counting.add(v)
        except ValueError:
            counting.total -= v * counting.calls
    return counting.total


@program(
    lambda r: (0.7, -0.3),
    refused=dict.fromkeys(("compiled", "python"), "the handler finds what the call appended"),
)
def appended_before_it_raises(x, y):
    seen = []

    def noted(v):
        seen.append(v)
        return v * 2.0

    try:
        z = noted(x) + math.sqrt(y)
    except ValueError:
        z = y
    return z * len(seen) + sum(seen)


@program(lambda r: ([0.7, -0.3, 0.2],))
def elements_of_a_tuple_are_floats(x):
    total = 0.0
    for d in (x[0], 0.0 * x[1], x[2]):
        try:
            total += x[1] / d
        except ZeroDivisionError:
            total += 2.0 * x[0]
    return total


@program(lambda r: (0.7,))
def constants_raise_as_python_does(x):
    total = 0.0
    for v in (math.inf, -math.inf, 0.0, 2.0):
        try:
            w = math.sqrt(v) + 0.0**v + 1.0 / v
        except ValueError:
            w = x
        except ZeroDivisionError:
            w = 3.0 * x * x
        total += x if w in (math.inf, math.nan) else w * x
    return total


@program(lambda r: (r.normal(size=4),))
def assertions_are_caught(x):
    total = 0.0
    for v in x:
        try:
            assert v > 0, "positive"
            total += v * v
        except AssertionError:
            total -= v
    return total


@program(lambda r: (r.normal(size=5),))
def loop_that_returns_or_raises(x):
    total = 0.0
    try:
        for v in x:
            if v > 100:
                return 5.0 * v
            total += math.sqrt(v) * v
    except ValueError:
        total += 2.0 * x[0]
    for v in x:
        try:
            for k in range(4):
                if k > 2:
                    break
                total += math.log(v + k) * v
        except ValueError:
            total -= v
            continue
        total *= 1.25
    return total * x[1]


@program(lambda r: (3.0 + r.random(), 1.5, 1e300), argnums=(0, 1))
def power_of_numbers(base, exponent, large):
    """An exponent of the run: the power may be too large. Where it is complex the derivative is refused."""
    total = 0.0
    for b in (base, large):
        try:
            total += 2.0 * b**exponent
        except:  # noqa: E722
            total += base
    return total


@program(lambda r: (r.normal(size=2),))
def sign_of_a_list(x):
    y = 0.0
    for k in range(2):
        try:
            y += x[k] if k else (-[x[0]])[0]
        except TypeError as error:
            y += x[1] * len(str(error))
    return y


@program(
    lambda r: (r.uniform(0.5, 1.5, size=3),),
    refused=dict.fromkeys(("compiled", "python"), "argument 2 is not as long as argument 1, in a `try`"),
)
def what_came_before_the_end_of_a_strict_zip(x):
    y = 0.0
    try:
        for v, w in zip(x, x[:2], strict=True):
            y += v * w
    except ValueError:
        y *= 2.0
    return y
