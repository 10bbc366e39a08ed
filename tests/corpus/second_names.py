"""Lists, dicts and objects that have a second name on one path only, and are written to through one of the names"""

from tests.corpus import program


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@program(lambda r: (r.normal(size=4),))
def appended_to_one_of_two_lists(x):
    above, below = [], []
    for v in x:
        (above if v > 0.0 else below).append(v * v)
    return sum(above) - 2.0 * sum(below)


@program(lambda r: (r.normal(size=4),))
def list_named_in_a_branch(x):
    g = [1.0]
    if x[0] > -9.0:
        h = g
    else:
        h = [2.0]
    h.append(x[0])
    return sum(g) + sum(h) * x[1]


@program(lambda r: (r.normal(size=4),))
def list_written_by_its_first_name(x):
    g = [x[2], x[3]]
    h = g if x[0] > -9.0 else [x[0], 2.0]
    g[0] = x[1] * x[1]
    return h[0] * h[1]


@program(lambda r: (r.normal(size=4),))
def list_named_in_a_loop(x):
    g, h = [x[0], x[1]], [0.0, 0.0]
    for _ in range(len(x)):
        h = g
    h[0] += x[2]
    return g[0] * h[1]


@program(lambda r: (r.normal(size=4),))
def dict_chosen_and_written(x):
    d, e = {"a": x[0]}, {"a": x[1]}
    if x[2] > x[3]:
        f = d
    else:
        f = e
    f["a"] = x[2] * 2.0
    return d["a"] * e["a"]


@program(lambda r: (r.normal(size=4),))
def object_chosen_and_written(x):
    p, q = Pair(x[0], 2.0), Pair(x[1], x[3])
    chosen = p if x[0] > x[1] else q
    chosen.a = x[2] * chosen.b
    return p.a * q.a


@program(lambda r: (r.normal(size=4),))
def new_list_on_either_side(x):
    g = [x[0]]
    if x[0] > -9.0:
        g = [*g, x[1]]
    else:
        g = [*g, x[2]]
    g[0] = x[2]
    g.append(x[3])
    return g[0] * g[1] * g[2]


@program(lambda r: (r.normal(size=4),))
def dicts_swapped_and_written(x):
    d, e = {"a": x[0]}, {"a": x[1]}
    if x[2] > x[3]:
        d, e = e, d
    d["a"] = x[2] * d["a"]
    return d["a"] + 2.0 * e["a"] * x[3]


@program(lambda r: (r.normal(size=4),))
def lists_swapped_in_a_loop_and_written(x):
    a, b = [x[0], 1.0], [x[1], 2.0]
    for i in range(3):
        if x[i] > 0.0:
            a, b = b, a
        a[0] *= 1.5
    return a[0] * b[1] + b[0] * a[1]


@program(lambda r: (r.normal(size=4),))
def chosen_list_copied(x):
    a, b = [x[0]], [x[1]]
    c = [*(a if x[2] > 0.0 else b)]
    c.append(x[3])
    return sum(c) * a[0] * b[0]
