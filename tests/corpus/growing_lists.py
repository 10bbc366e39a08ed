"""Lists that grow as the data decides: in loops of a run-time length, under conditions; comprehensions over arrays"""

import itertools

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5),))
def appended_then_array(x):
    out = []
    for i in range(len(x) - 1):
        out.append(x[i + 1] * x[i])
    return np.sum(np.array(out) ** 2) + len(out) * out[-1] + out[0]


@program(lambda r: (r.normal(size=5),))
def history_of_states(x):
    ts, ys = [0.0], [x[:2]]
    for _ in range(2 * len(x)):
        y = ys[-1]
        ys.append(y + 0.1 * np.array([y[1], -np.sin(y[0])]))
        ts.append(ts[-1] + 0.1)
    ys = np.array(ys)
    return np.sum(ys[:, 0] ** 2) + ts[-1] * ys[-1, 1]


@program(lambda r: (r.normal(size=5),))
def rows_stacked(x):
    rows = []
    for i in range(len(x)):
        rows.append(x * x[i] + i)
    return (
        np.linalg.norm(np.vstack(rows) @ x) + np.sum(np.stack(rows)[1] * rows[-1]) + np.sum(np.hstack(rows))
    )


@program(lambda r: (r.normal(size=7),))
def two_in_a_trip_with_a_step(x):
    s = 0.0
    parts = [0.5]
    for i in range(2, len(x), 2):
        parts.append(x[i])
        parts.append(x[i] * x[i - 1])
        s += parts[i - 1] * len(parts) + parts[-2]
    for p in parts:
        s += p * p
    return s + max(parts) + sum(parts, 2.0) * sum(parts[1:])


@program(lambda r: (r.normal(size=4),))
def a_list_in_each_trip(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x)):
            row.append(x[i] * x[j] + j)
        rows.append(np.array(row))
    return np.sum(np.array(rows) ** 2) + rows[0][1] * rows[-1][0]


@program(lambda r: (r.normal(size=4),))
def lists_of_lists(x):
    rows = []
    for i in range(len(x)):
        rows.append([x[i] * x[j] for j in range(len(x))])
    s = sum(rows[1]) + rows[0][-1] * len(rows[2])
    for first, _ in [[a, a * b] for a, b in zip(x, x[::-1], strict=True)]:
        s += first
    return s + np.array(rows).sum()


@program(lambda r: (r.normal(size=4), 0.7))
def rows_joined(x, s):
    rows = []
    for i in range(len(x)):
        rows.append([x[i], s])
    both = rows[0] + rows[1]
    return both[2] * both[1]


@program(lambda r: (r.normal(size=4),))
def comprehension_over_an_array(x):
    squares = [v * v for v in x]
    pairs = [a * b + i for i, (a, b) in enumerate(zip(x, x[::-1], strict=True))]
    s = 0.0
    for k, p in enumerate(pairs):
        s += k * p * pairs[k - 1]
    return s + sum(squares) * np.prod(np.array([np.cos(v) for v in x])) + max([-v for v in x])


@program(lambda r: (r.normal(size=4),))
def nested_comprehension_over_an_array(x):
    m = np.array([[x[i] * x[j] for j in range(len(x))] for i in range(len(x))])
    return np.sum(m * m * m)


@program(lambda r: (r.normal(size=5),))
def numbers_read_at_a_running_position(x):
    weights, powers = [0.2, 0.5, x[0]], (1, 2)
    s = 0.0
    for i in range(len(x)):
        s += weights[i % 3] * x[i] ** powers[i % 2]
    return s


@program(lambda r: (r.normal(size=5),))
def state_put_into_a_list_then_rebound(x):
    y = x * 1.0
    steps = []
    for _ in range(len(x)):
        steps.append(y)
        y = y * 0.5
        y[0] = 1.0
    return np.sum(steps[2] * steps[-1])


@program(lambda r: (r.normal(size=5),))
def one_array_put_into_a_list_again_and_again(x):
    y = np.zeros(2)
    parts = []
    for v in x:
        y[0] = v
        parts.append(y)
    return sum(parts)[0] * x[0]


@program(lambda r: (r.normal(size=5),))
def appended_on_one_path(x):
    out = [x[0]]
    for i in range(len(x)):
        if x[i] > 0:
            out.append(x[i] * out[-1])
    return sum(out)


@program(lambda r: (r.normal(size=4),))
def extremes_with_a_key(x):
    largest = max(x[0], x[1], x[2], key=abs)
    smallest = min([x[3], x[1]], key=lambda v: -v)
    return largest * smallest + max([], default=x[0]) + sum([x[0], x[1]], 3.0 * x[2]) + sum(x, x[0] * x[1])


def _fill(out, x):
    for v in x:
        out.append(v * v)


@program(lambda r: (r.normal(size=6),))
def list_filled_by_callee(x):
    parts = []
    _fill(parts, x)
    return sum(parts) + len(parts)


@program(lambda r: (r.normal(size=6),))
def list_filled_by_closure(x):
    parts = []

    def add(v):
        parts.append(v * v)

    for v in x:
        add(v)
    return sum(parts) + len(parts)


@program(lambda r: (r.normal(size=6),))
def histories_in_a_dict(x):
    history = {"loss": [], "x": []}
    v = x[0]
    while abs(v) > 1e-2:
        v = v * 0.5
        history["x"].append(v)
        history["loss"].append(v * v)
    return np.mean(history["loss"]) + history["x"][-1]


@program(lambda r: (r.normal(size=6),))
def a_list_with_two_names(x):
    a = []
    b = a
    for v in x:
        a.append(v)
    return sum(b) + len(b)


@program(lambda r: (r.normal(size=6),))
def stack_machine(x):
    stack = [x[0]]
    total = 0.0
    n = 0
    while stack and n < 20:
        v = stack.pop()
        total += v * v
        n += 1
        if abs(v) > 0.1:
            stack.append(0.4 * v)
            if v > 0.0:
                stack.append(-0.3 * v)
    return total


@program(lambda r: (r.normal(size=(6, 2)), 0.0))
def rows_kept(x, t):
    kept = []
    for row in x:
        if row[0] > t:
            kept.append(row * row[1])
    kept = np.array(kept)
    return np.sum(kept**2) + kept.shape[0]


@program(lambda r: (r.normal(size=6), 0.0))
def appended_in_branch_static(x, t):
    kept = []
    for k in range(3):
        if x[k] > t:
            kept.append(x[k] ** 2)
    if x[5] > 0:
        kept.append(x[5])
    return sum(kept) + len(kept)


@program(lambda r: (r.normal(size=6), 0.0))
def break_with_appends(x, t):
    kept = [0.5]
    for v in x:
        kept.append(kept[-1] * 0.5 + v)
        if kept[-1] < -0.5:
            break
    return kept[-1] + sum(kept[1:]) + max(kept)


@program(lambda r: (r.normal(size=6), 0.0))
def appended_in_inner_loop(x, t):
    pairs = []
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] > t:
                pairs.append(x[i] - x[j])
    return sum(p * p for p in pairs)


@program(lambda r: (r.normal(size=6), 0.0))
def filtered_comprehensions(x, t):
    kept = [a * b for a in x for b in x if a > b]
    pos = [i for i, v in enumerate(x) if v > 0]
    return np.sum(np.array(kept)) + sum(x[i] for i in pos)


@program(lambda r: (r.normal(size=6), 0.0))
def last_element_changed(x, t):
    s = [0.0]
    for v in x:
        if v > t:
            s.append(0.0)
        s[-1] += v
    return sum(q * q for q in s)


@program(lambda r: (np.array([2.0, 0.1]), 0.3))
def trajectory_with_adaptive_steps(y0, mu):
    t, h = 0.0, 0.2
    ts, ys = [t], [y0]
    y = y0

    def f(y):
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    while t < 2.0:
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        err = np.max(np.abs(k1 - k2))
        y = y + h * k2
        t += h
        ts.append(t)
        ys.append(y)
        h = 0.3 if err < 0.1 else 0.1
    ys = np.array(ys)
    ts = np.array(ts)
    return np.sum(ys[:, 0] ** 2) + np.sum(ys[1:, 1] * np.diff(ts))


@program(lambda r: (r.normal(size=6), 0.0))
def extend_in_while(x, t):
    out = []
    k = 0
    while k < len(x):
        out.extend([x[k], x[k] ** 2])
        k += 2
    return sum(out) + out[1]


@program(lambda r: (r.normal(size=6), 0.0))
def list_of_an_array(x, t):
    y = list(map(np.square, x))
    z = list(x)
    return sum(y) + z[0] * z[-1]


@program(lambda r: (r.normal(size=6),))
def a_list_rebound_in_a_loop(x):
    a = [1.0, 2.0]
    b = a
    for v in x:
        a = [a[0] * v, a[1] + v]
    return b[0] + b[1] * a[0] + a[1]


@program(lambda r: (r.normal(size=6),))
def a_dict_rebound_in_a_loop(x):
    a = {"p": 1.0, "q": 2.0}
    b = a
    for v in x:
        a = {"p": a["p"] * v, "q": a["q"] + v}
    return b["p"] + b["q"] * a["p"] + a["q"]


@program(lambda r: (r.normal(size=6),))
def emptied_when_full(x):
    part, total = [], 0.0
    for v in x:
        part.append(v)
        if sum(part) > 0.5:
            total += sum(part) ** 2
            part = []
    return total + sum(part)


@program(lambda r: (r.normal(size=6), 4), argnums=(0,))
def replaced_by_a_shorter_one(x, n):
    values = [x[0] * j + x[1] for j in range(n + 1)]
    for step in range(n - 1, -1, -1):
        values = [max(0.3 * values[j + 1] + 0.6 * values[j], x[2] - j) for j in range(step + 1)]
    return values[0]


@program(lambda r: (r.normal(size=6),))
def read_before_its_place_is_filled_again(x):
    ys = [x[:2], x[2:4]]
    total = 0.0
    k = 0
    while k < len(x):
        y = ys[-1]
        ys.pop()
        ys.append(y * 0.5 + x[k])
        total += y[0] * ys[-1][1]
        k += 1
    return total


@program(lambda r: (r.normal(size=6),))
def grown_within_each_trip(x):
    total = 0.0
    for v in x:
        w = v
        path = [v]
        while abs(w) > 0.2:
            w *= 0.5
            path.append(w)
        total += path[-1] * len(path) + sum(path)
    return total


@program(lambda r: (r.normal(size=6),))
def grown_by_a_closure_of_its_own_loop(x):
    out = []

    def run(n):
        for k in range(n):
            if x[k] > 0:
                out.append(x[k])

    run(len(x))
    run(len(x) // 2)
    return sum(out) + len(out)


@program(lambda r: (r.normal(size=6),))
def numbers_in_a_list_added_to(x):
    sums = [0.0, 0.0]
    for v in x:
        sums[0 if v > 0 else 1] += v * v
    counts = [0] * 3
    for i in range(len(x)):
        counts[i % 3] += 1
    return sums[0] * 2 - sums[1] + counts[1]


@program(lambda r: (r.normal(size=6),))
def rows_of_a_list_of_lists_added_to(x):
    n = len(x)
    t = [[0.0] * 3 for _ in range(3)]
    for i in range(n):
        t[i % 3][1] += x[i]
    return t[0][1] * t[1][1] + t[2][1]


@program(lambda r: (r.normal(size=6),))
def a_repeated_list_filled(x):
    n = len(x)
    best = [0.0] * (n + 1)
    for i in range(1, n + 1):
        best[i] = max(best[i - 1], x[i - 1] + (best[i - 2] if i > 1 else 0.0))
    return best[n]


@program(lambda r: (r.normal(size=(4, 3)),))
def a_table_of_lists_filled(c):
    n, m = c.shape
    dp = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            up = dp[i - 1][j] if i > 0 else 1.0
            left = dp[i][j - 1] if j > 0 else 1.0
            dp[i][j] = c[i, j] + 0.5 * up * left
    return dp[n - 1][m - 1]


@program(lambda r: (r.normal(size=6),))
def popped_by_a_callee(x):
    def take(q):
        return q.pop() + q.pop()

    q = []
    for v in x:
        q.append(v * v)
        q.append(v)
    s = 0.0
    while len(q) > 2:
        s += take(q) * q[0]
    return s


@program(lambda r: (r.normal(size=6),))
def earlier_elements_read_once_there(x):
    ys = []
    y = 0.0
    for v in x:
        y = np.tanh(0.5 * y + v)
        if len(ys) > 2:
            y += 0.1 * ys[-3]
        ys.append(y)
    return np.dot(np.array(ys), x)


@program(lambda r: (r.normal(size=6),))
def a_sorted_list_appended_to(x):
    ys = sorted(v * v for v in x)
    ys.append(1.0)
    zs = [ys[i] * ys[i + 1] for i in range(len(ys) - 1)]
    return sum(zs)


@program(lambda r: (r.normal(size=6),))
def gone_over_after_growing(x):
    out = [1.0]
    for v in x:
        if v > -0.5:
            out.append(v)
    s = 0.0
    for i, w in enumerate(out):
        s += i * w
    for a, b in itertools.pairwise(out):
        s += a * b
    for w in reversed(out):
        s = 0.5 * s + w
    return s


@program(lambda r: (r.normal(size=6), 4), argnums=(0,))
def length_of_each_trip(x, n):
    total = 0.0
    for step in range(n):
        parts = np.zeros(step + 1)
        for j in range(step + 1):
            parts[j] = x[j] * step
        total += np.sum(parts**2)
    return total


@program(lambda r: (r.normal(size=(3, 5)),))
def array_full_of_what_may_be_none(m):
    best = None
    s = 0.0
    for row in m:
        if best is None or best > 0.3:
            best = np.tanh(row[1])
        s += np.sum(np.full(5, (0.5 if best is None else best)))
    return s


@program(lambda r: (r.normal(size=5),))
def a_slice_is_a_copy(x):
    a = [v * v for v in x]
    b = a[1:]
    a[1] = 7.0 * x[0]
    b.append(x[1])
    b[0] += 1.0
    return sum(a) * b[0] + b[-1] + sum(b) + len(b)


@program(lambda r: (r.normal(size=5), 3), argnums=(0,))
def turned_again_and_again(x, n):
    g = [x[0]]
    g.append(x[1])
    k = 0
    s = 0.0
    while k < n:
        k += 1
        for _i in range(k):
            g = g[::-1]
        s += g.pop() if len(g) > 1 else 1.5
        g.append(s * x[k])
    return s + sum(g)


@program(lambda r: (r.normal(size=5),))
def extended_by_an_array(x):
    a = [1.0]
    a.extend(x)
    b = []
    b += [2, 3]
    b += list(x[1:])
    b.extend(v * v for v in x if v > 0)
    return sum(a) * a[-1] + sum(b) + len(b)


@program(lambda r: (r.normal(size=5),))
def replaced_by_a_written_down_one(x):
    g = list(x)
    s = 0.0
    for v in x:
        s += g[-1] * len(g)
        g = [v * s, v]
    return s + sum(g)


@program(lambda r: (r.normal(size=(4, 4)),))
def vectors_read_before_the_first(a):
    basis = []
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for q in basis:
            v -= (q @ a[:, j]) * q
        basis.append(v / np.linalg.norm(v))
    return np.sum(np.abs(np.diag(np.array(basis) @ a)))


@program(lambda r: (r.normal(size=(3, 2, 2)),))
def matrices_read_before_the_first(a):
    seen = []
    s = 0.0
    for m in a:
        for other in seen:
            s += np.trace(other @ m) * other[0, 1]
        seen.append(m @ m.T)
    return s


@program(lambda r: (r.normal(size=4),))
def floats_joined_to_a_list_of_ints(y):
    counts = [2] * len(y)
    counts = [e for e in counts if e > 1.5] + [0.2 * len(y) * y[2]]
    none = [v for v in y if v > 1e6] + [y[3] * 2.0]
    return counts[-1] * y[1] + counts[0] * y[0] + none[0] * len(none)


@program(lambda r: (r.normal(size=(6, 3, 3)), np.array([-1, 0, 1, 0, 3, 4])))
def chain_of_transforms(R, parents):
    """An element that was put in before, or a first one: read before the first is put in."""
    out = []
    for i in range(len(parents)):
        if parents[i] == -1:
            a = R[i]
        else:
            a = out[parents[i]] @ R[i]
        out.append(a)
    total = 0.0
    for m in out:
        total += np.sum(np.sin(m))
    return total


@program(lambda r: (r.normal(size=(6, 3, 3)), np.array([-1, 0, 1, 0, 3, 4])))
def chain_appended_in_branches(R, parents):
    out = []
    for i in range(len(parents)):
        if parents[i] == -1:
            out.append(R[i])
        else:
            out.append(out[parents[i]] @ R[i])
    return sum(np.sum(np.sin(m)) for m in out)


@program(lambda r: (0.3,))
def history_of_many_trips_with_an_exit(x):
    history = []
    for k in range(30):
        x = x + 0.1 * x * (1.0 - x)
        history.append((x, k * x))
        if x > 0.9:
            break
    a, b = history[-1]
    return a * b + len(history) + sum(p for p, _ in history)


@program(lambda r: (0.3,))
def history_in_a_dict_with_an_exit(x):
    state = {"now": x, "seen": []}
    for _ in range(12):
        state["now"] = state["now"] * 1.1
        state["seen"].append(state["now"])
        if state["now"] > 0.7:
            break
    return sum(state["seen"]) + state["seen"][0]


@program(lambda r: (0.3,))
def written_until_an_exit(x):
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    for k in range(6):
        x = x * 0.3 + values[k]
        values[k] = values[k] + x
        if x > 4.0:
            break
    return x + sum(values)


@program(lambda r: (np.array([0.9, 1.3]),))
def events_in_a_loop_of_many_trips(x):
    y, t, crossings = np.array([1.0, 0.0]), 0.0, []
    for _ in range(60):
        new = y + 0.1 * np.array([y[1], -x[0] * y[0]])
        if y[0] > 0 >= new[0]:
            crossings.append(t + 0.1 * y[0] / (y[0] - new[0]))
        y, t = new, t + 0.1
    return sum(crossings) * x[1] + y @ y


@program(lambda r: (np.array([0.9, 1.3]),))
def named_entries_of_a_log(x):
    level, log = 1.0, []
    for k in range(10):
        level *= x[0]
        if level > 0.8:
            log.append(("high", level * k))
        elif level < 0.5:
            log.append(("low", level))
    return sum(v for name, v in log if name == "high") * x[1] + sum(v for name, v in log if name == "low")


@program(lambda r: (r.normal(size=(2, 2)), r.normal(size=2), 6))
def gains_put_in_front(a, b, n):
    p, gains = np.eye(2), []
    for _ in range(n * len(b)):
        k = (p @ b) / (1.0 + b @ p @ b)
        p = np.eye(2) + 0.1 * a.T @ p @ (a - np.outer(b, k))
        gains.insert(0, k)
    x, cost = b, 0.0
    for k in gains:
        u = -k @ x
        cost += x @ x + u * u
        x = 0.3 * a @ x + b * u
    return cost + gains[0][1] * gains[-1][0] * len(gains)


@program(lambda r: (r.normal(size=5),))
def read_while_put_in_front(x):
    values, steps = [x[0], x[1] * 2.0], []
    for i in range(1, len(x)):
        values.insert(0, np.sin(values[0]) * x[i] + values[-1] + values[i - 1])
        values.insert(0, values[0] * len(values))
        steps.append(values[1] + sum(values[:2]))
    return sum(v * k for k, v in enumerate(values)) + np.array(values)[1] * steps[-1]


@program(lambda r: (r.normal(size=5),))
def costs_to_go_put_in_front_of_many(x):
    values = [x * x]
    for k in range(60):
        v = values[0]
        values.insert(
            0,
            0.5 * v
            + 0.1 * np.sin(v + k) * x
            + 0.1 * np.tanh(v) * np.cos(x * v)
            + 0.1 * x[::-1] * np.exp(-v * v),
        )
    return np.sum(values[0] * values[-1]) + np.sum(np.array(values) ** 2) * 0.01 + values[7][2]


@program(lambda r: (r.normal(size=6), 0.6))
def the_end_of_a_list_deleted(x, p):
    values = [v * v for v in x]
    for i in reversed(range(x.size - 1)):
        for j in range(i + 1):
            values[j] = max(p * values[j] + (1.0 - p) * values[j + 1], x[j])
        del values[i + 1 :]
    (value,) = values
    return value


@program(lambda r: (np.array([0.5, 0.2, 2.0, 0.7, 1.5]),))
def last_elements_deleted(x):
    kept = []
    for v in x:
        kept.append(v * v)
        if v > 1.0:
            del kept[-1]
        if v > 1.8:
            del kept[-1:]
    total = sum(kept) + len(kept)
    del kept[:]
    return total + len(kept)


@program(lambda r: (np.array([0.5, -0.3, 0.8, 0.1]),))
def positions_in_the_order_of_elements(x):
    squares = [v * v for v in x]
    order = sorted(range(len(squares)), key=squares.__getitem__)
    best = max(range(len(x)), key=x.__getitem__)
    return sum((k + 1) * squares[i] for k, i in enumerate(order)) * x[best]


@program(lambda r: (0.5, 0.3, 0.8), argnums=(0, 1, 2))
def positions_in_the_order_of_a_few(a, b, c):
    values = [a * b, b * c, c * a]
    first, *_, last = sorted(range(3), key=values.__getitem__)
    return values[first] + 2.0 * values[last]
