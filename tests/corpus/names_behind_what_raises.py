"""Names that a `try` gives values to, read in its handlers and its `finally`"""

import math

import numpy as np
from tests.corpus import program


@program(lambda r: (np.array([0.5, -0.7, 1.3, -0.2]),))
def a_finally_reads_what_a_handler_assigned(x):
    s = 0.0
    for v in x:
        t = v * 2.0
        try:
            t = t * t
            root = math.sqrt(v)
            t += root
        except ValueError:
            t = t + v**3
        else:
            t *= root
        finally:
            s += t
    return s


@program(lambda r: (np.array([-0.5, 0.7]),))
def a_finally_reads_what_only_a_handler_assigned(x):
    try:
        t = math.sqrt(x[0])
    except ValueError:
        t = x[1] ** 3
    finally:
        s = t * 2.0
    return s


@program(lambda r: (np.array([0.5, -0.7, 1.3, -0.2]),))
def a_finally_behind_a_return(x):
    kept = [0.0]

    def root(v):
        t = v
        try:
            t = t * 2.0
            u = math.log(v)
            if u > 0:
                t = t * u
            return t
        except ValueError:
            t = t * t
            return t + 1.0
        finally:
            kept[0] += t

    s = 0.0
    for v in x:
        s += root(v)
    return s * kept[0]


@program(lambda r: (np.array([0.5, -0.7, 1.3, -0.2]),))
def a_handler_reads_what_a_branch_assigned(x):
    t = 0.0
    try:
        t = x[0] * 2.0 if x[0] > 0 else x[1]
        if x[1] > 0:
            t = x[2] * x[0]
        else:
            t = x[3] * x[0]
        raise ValueError("no roots")
    except ValueError:
        u = t * x[2]
    return u


@program(lambda r: (np.array([0.5, -0.7, 1.3, -0.2]),))
def a_handler_reads_what_a_loop_assigned(x):
    q = 0.0
    try:
        for v in x:
            q = q * 0.5 + v * v
        raise ValueError("no roots")
    except ValueError:
        u = q * x[0]
    return u


@program(lambda r: (np.array([0.5, -0.7, 1.3, -0.2]),))
def a_finally_reads_what_a_branch_assigned(x):
    t = x[0]
    s = 0.0
    try:
        if x[1] > 0:
            t = x[2] * x[0]
        else:
            t = x[3] * x[0]
    finally:
        s = t * x[1]
    return s
