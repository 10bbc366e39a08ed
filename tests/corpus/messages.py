"""assert, raise, print, with, try: what a program says about its data."""

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
