"""What a `finally` or an `__exit__` does before a handler in a function around finds it done"""

import itertools

import numpy as np
from tests.corpus import program

BY_DATA = dict.fromkeys(("compiled", "python"), "whether it raises is in the data")


class Singular(Exception):
    pass


class Log:
    def __init__(self):
        self.total = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.total += 0.25


def _quotient(a, b, log, least=0.2):
    try:
        if abs(a) < least:
            raise Singular("small")
        return b / a
    finally:
        log.total += b


@program(lambda r: (np.array([0.6, 1.2, -0.13, 0.8]),), refused=BY_DATA)
def a_finally_behind_what_the_data_raise(x):
    log = Log()
    s = 0.0
    for a, b in itertools.pairwise(x):
        try:
            s += _quotient(a, b, log)
        except Singular:
            s += 1.0
    return s * log.total


@program(lambda r: (np.array([0.1, 1.2]),), refused=BY_DATA)
def an_exit_behind_what_the_data_raise(x):
    log = Log()

    def entered(a):
        with log:
            if a < 0.2:
                raise Singular("small")
            return 2.0 * a

    try:
        s = entered(x[0])
    except Singular:
        s = x[1]
    return s * log.total


@program(lambda r: (np.array([0.6, 1.2]),))
def a_finally_behind_what_is_sure_to_be_raised(x):
    log = Log()
    s = 0.0
    for least in (0.0, np.inf):
        try:
            if least > 1.0:
                _refused(x[1], log)
            s += x[0]
        except Singular:
            s += x[1]
    return s * log.total


def _refused(a, log):
    try:
        raise Singular("always")
    finally:
        log.total += a


@program(lambda r: (r.normal(size=4),))
def a_handler_raises_what_a_try_around_catches_behind_a_finally(x):
    total = x[0]
    try:
        try:
            raise KeyError(1)
        except KeyError:
            raise IndexError(2) from None
        finally:
            total = total * x[1]
    except IndexError as error:
        total += error.args[0] * x[2]
    try:
        try:
            total = total * x[3]
        except KeyError:
            pass
        else:
            raise IndexError(3)
        finally:
            total = total * x[1]
    except IndexError:
        total += x[0]
    return total
