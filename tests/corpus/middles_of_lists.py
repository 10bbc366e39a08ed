"""What is taken out of the front or the middle of a list of a run-time length, and what is put in there."""

import bisect
from collections import deque

import numpy as np
from tests.corpus import program

SEVEN = np.array([1.3, 4.1, 2.2, 3.7, 1.9, 4.6, 2.8])


@program(lambda r: (SEVEN.copy(),))
def a_queue_of_numbers(w):
    todo = [v for v in w if v > 1.5]
    s, n = 0.0, 0
    while todo:
        v = todo.pop(0)
        n += 1
        s += v**2 / n
        if v > 2:
            todo.append(v * 0.6)
            todo.append(v * 0.3)
    return s


@program(lambda r: (SEVEN.copy(),))
def a_queue_of_tuples_that_are_put_in_front(w):
    todo = [(0.0, w[0])]
    s = 0.0
    while todo:
        a, b = todo.pop(0)
        s += a * b + b
        if b > 1:
            todo.append((a + 1.0, b * 0.4))
            todo.insert(0, (a * b, b - 1.0))
    return s


@program(lambda r: (SEVEN.copy(),))
def a_queue_of_arrays(w):
    queue = [w[:2] * 1.0]
    t = 0.0
    while queue:
        a = queue.pop(0)
        t += a @ a
        if a[0] > 1:
            queue.append(a * 0.5)
            queue.insert(1, a - 1.0)
            queue.insert(-9, a * 0.1)
    return t


@program(lambda r: (SEVEN.copy(),))
def both_ends_of_a_deque(w):
    q = deque(w)
    tot, k = 0.0, 0
    while len(q) > 1:
        a = q.popleft()
        b = q.pop()
        tot += a * b * (k + 1)
        if a > b:
            q.appendleft(a - b)
        k += 1
    return tot + (q[0] if q else 0.0)


@program(lambda r: (SEVEN.copy(),))
def the_largest_in_a_window(w):
    inside = deque()
    out = []
    for i in range(len(w)):
        while inside and w[inside[-1]] <= w[i]:
            inside.pop()
        inside.append(i)
        if inside[0] <= i - 3:
            inside.popleft()
        if i >= 2:
            out.append(w[inside[0]])
    return sum(o * (k + 1) for k, o in enumerate(out))


@program(lambda r: (SEVEN.copy(),))
def the_cheapest_tree_of_two(w):
    pool = sorted(w)
    cost = 0.0
    while len(pool) > 1:
        a = pool.pop(0)
        b = pool.pop(0)
        cost += (a + b) ** 2
        k = 0
        while k < len(pool) and pool[k] < a + b:
            k += 1
        pool.insert(k, a + b)
    return cost


@program(lambda r: (SEVEN.copy(),))
def the_largest_is_removed(w):
    items = [v for v in w if v > 1.5]
    t = 0.0
    while len(items) > 2:
        m = max(items)
        items.remove(m)
        t += m * items[len(items) // 2]
        del items[0]
    return t + len(items)


@program(lambda r: (SEVEN.copy(),))
def parts_are_deleted(w):
    items = list(w)
    t = 0.0
    while len(items) > 2:
        t = 0.9 * t + sum(items) ** 2
        if items[0] > 2:
            del items[:2]
        else:
            del items[1:3]
        items.append(t * 1e-3)
        del items[-2:-1], items[5:2], items[len(items) :]
    return t


@program(lambda r: (SEVEN.copy(),))
def at_a_position_of_the_run(w):
    items = list(w)
    t = 0.0
    k = 0
    while items:
        k = int(w[0] * 7 + 3 * k) % len(items)
        t = t * 0.5 + items.pop(k) ** 2
    return t


@program(lambda r: (SEVEN.copy(),))
def a_running_median(w):
    seen = []
    t = 0.0
    for v in w:
        bisect.insort(seen, v)
        t += seen[len(seen) // 2] * (seen[0] + 2 * seen[-1])
    return t


@program(lambda r: (SEVEN.copy(),))
def a_queue_of_lists(w):
    queue = [[w[0], 0.0]]
    tot = 0.0
    while queue:
        a, depth = queue.pop(0)
        tot += a * (depth + 1)
        if a > 1.0:
            queue.append([a * 0.6, depth + 1])
            queue[0][0] *= 0.9
    return tot


@program(lambda r: (SEVEN.copy(),))
def lists_that_change_places(w):
    rows = [[w[0], 2.0], [w[1], 4.0], [w[2], 6.0]]
    for k in np.argsort(w[:3]):
        rows[k], rows[0] = rows[0], rows[k]
        t = rows[k][1] * w[k]
        rows[k] = [t, w[k]]
    return sum((i + 1) * a * b for i, (a, b) in enumerate(rows))
