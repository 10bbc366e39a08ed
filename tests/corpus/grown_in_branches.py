"""Lists that were there before a branch, and that loops and branches within one side of it make longer"""

import numpy as np
from tests.corpus import program


@program(lambda r: (0.3,))
def appended_two_branches_down(s):
    g = [s]
    if s < 0.0:
        s = s * s
    else:
        if s < 1.0:
            g.append(np.tanh(s))
        g.append(2.0 * s)
    return g[-1] * len(g) + g[0]


@program(lambda r: (-0.3,))
def not_appended_two_branches_down(s):
    g = [s]
    if s < 0.0:
        s = s * s
    else:
        if s < 1.0:
            g.append(np.tanh(s))
    return g[-1] * len(g) + s


@program(lambda r: (0.3, 5))
def appended_by_a_loop_in_a_branch(s, n):
    g = [s]
    if s > 0.0:
        for i in range(n):
            g.append(np.tanh(s) * i)
    return g[-1] * len(g) + sum(g)


@program(lambda r: (-0.3, 5))
def not_appended_by_a_loop_in_a_branch(s, n):
    g = [s]
    if s > 0.0:
        for i in range(n):
            g.append(np.tanh(s) * i)
    return g[-1] * len(g) + sum(g)


@program(lambda r: (0.3,))
def appended_by_a_while_in_a_branch(s):
    g, k = [s], 0
    if s > 0.0:
        while s * k < 0.7:
            g.append(np.tanh(s) * g[-1])
            k += 1
    return g[-1] * len(g)


@program(lambda r: (0.3,))
def appended_until_a_break_in_a_branch(s):
    g = [s]
    if s < 0.0:
        s *= 2.0
    else:
        for i in range(4):
            if s * i > 0.7:
                break
            g.append(np.tanh(s) + g[-1])
        else:
            s *= 3.0
    return sum(g) * g[-1] + s


@program(lambda r: (0.3,))
def appended_in_loops_around_a_branch(s):
    g = [s]
    for j in range(2):
        if s > 0.1 * j:
            for i in range(4):
                if s * i > 0.7:
                    continue
                g.append(np.sin(s * i) + g[-1])
    return g[-1] * len(g)


@program(lambda r: (r.normal(size=4), r.normal(size=3)))
def vectors_appended_in_a_branch_of_a_loop(x, y):
    total = 0.0
    for e in x:
        rows = [y]
        if e > 0.0:
            for k in range(len(x)):
                rows.append(rows[-1] * e + k)
        total += np.sum(rows[-1]) * len(rows)
    return total


@program(lambda r: (0.3,))
def appended_by_a_function_called_in_a_branch(s):
    g = [s]

    def add(k):
        if s * k < 0.7:
            g.append(s * k)

    def more(items):
        for k in range(3):
            add(k)
            items.append(s + k)

    if s > 0.0:
        more(g)
    return g[-1] * len(g) + g[1]


@program(lambda r: (0.3,))
def appended_under_another_name_in_a_branch(s):
    g = [s]
    h = g
    if s > 0.0:
        for i in range(4):
            if s * i > 0.7:
                break
            h.append(np.tanh(s) * g[-1])
    return g[-1] * len(g) + h[0]


@program(lambda r: (0.3,))
def appended_in_a_dict_in_a_branch(s):
    d = {"path": [s], "count": 1.0}
    if s > 0.0:
        for i in range(4):
            if s * i > 0.7:
                continue
            d["path"].append(np.tanh(s) * d["path"][-1])
            d["count"] += s
    return d["path"][-1] * len(d["path"]) * d["count"]


@program(lambda r: (0.3, 3))
def both_sides_append_in_loops(s, n):
    g = [s]
    if s > 0.0:
        for i in range(n):
            g.append(s * i)
    else:
        while len(g) < 2 * n:
            g.append(g[-1] * s)
    return g[-1] * len(g) + sum(g)


@program(lambda r: (r.normal(size=5),))
def extended_in_a_branch(x):
    g = [x[0]]
    if x[1] > -9.0:
        g.extend(x)
        if x[2] > -9.0:
            g += list(x[1:])
    return g[-1] * len(g) + sum(g)


@program(lambda r: (r.normal(size=5),))
def popped_in_a_branch(x):
    g = [x[0], x[1], x[2]]
    if x[1] > -9.0:
        if x[2] > -9.0:
            g.pop()
        for e in x:
            g.append(e * g[-1])
    return g[-1] * len(g) + sum(g)


@program(lambda r: (0.3,))
def appended_in_a_conditional_expression(s):
    g = [s]

    def push(v):
        for k in range(3):
            if v * k < 0.5:
                g.append(v * k)
        return v

    y = push(s) if s > 0.0 else s * s
    return g[-1] * len(g) + y


@program(lambda r: (r.normal(size=3),))
def dict_with_numbers_for_keys(x):
    squares = {}
    for i in range(3):
        if x[i] > 0.0:
            squares[i] = x[i] * x[i]
        else:
            squares[i] = x[i]
    return sum(squares.values()) * squares[0]


@program(lambda r: (np.array([0.4, -0.7, 0.1, 0.9, -0.5]),))
def texts_that_the_data_append(x):
    log, s = [], 0.0
    for v in x:
        if v > 0.2:
            log.append("up")
            s += v * v
        elif v < -0.2:
            log.append("down")
    if s > 0.0:
        log.append(None)
    while log and log[-1] != "up":
        log.pop()
        s *= 1.1
    return (
        s * len(log) + log.count("up") * x[1] + ("down" in log) * x[0] + sum(x[2] for w in log if w == "down")
    )


@program(lambda r: (np.array([0.4, -0.7, 0.1]),))
def tuples_with_texts_in_branches(x):
    parts, pairs, s = [], [], np.sum(x * x)
    if x[0] > 0.0:
        parts.append(("twice", x[0]))
        pairs.append(("a", "b"))
    if x[2] > 0.0:
        parts.append(("thrice", x[1]))
        pairs.append(("a", "c"))
    for name, v in parts:
        s *= {"twice": 2.0, "thrice": 3.0}[name] + v
    return s * sum(second == "c" for _, second in pairs)


def real_roots(p, q):
    """Of z**3 + p * z + q."""
    discriminant = (q / 2) ** 2 + (p / 3) ** 3
    if discriminant > 0:
        s = np.sqrt(discriminant)
        return [np.cbrt(-q / 2 + s) + np.cbrt(-q / 2 - s)]
    m = 2 * np.sqrt(-p / 3)
    angle = np.arccos(3 * q / (p * m)) / 3
    return sorted(m * np.cos(angle - 2 * np.pi * k / 3) for k in range(3))


@program(lambda r: (np.array([-3.0, 1.5, -0.7]), 1.1))
def one_root_or_three(p, q):
    total = 0.0
    for v in p:
        roots = [z for z in real_roots(v, q) if z > -10.0]
        total += max(roots) * len(roots) + min(roots) ** 2
    return total


@program(lambda r: (np.array([0.7, -0.4]),))
def lists_of_other_lengths_of_a_helper(x):
    def parts(v):
        if v > 0:
            found = [v]
        else:
            found = [v, v * v, 3.0 * v]
        return found

    return sum(v**2 for v in parts(x[0])) + sum(np.sin(v) for v in parts(x[1]))
