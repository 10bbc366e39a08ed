"""Heaps of numbers, tuples and objects, stacks of tuples of floats and positions, and what only comparisons order."""

import functools
import heapq

import numpy as np
from tests.corpus import program

SEVEN = np.array([1.3, 4.1, 2.2, 3.7, 1.9, 4.6, 2.8])


@program(lambda r: (SEVEN.copy(),))
def numbers_on_a_heap(w):
    heap = []
    for v in w:
        heapq.heappush(heap, v)
    tot = heap[3] * heap[-1]
    k = 1
    while heap:
        tot += k * heapq.heappop(heap) ** 2
        k += 1
    return tot


@program(lambda r: (SEVEN.copy(),))
def arrivals_and_departures(w):
    events = [(v, "arrive", i) for i, v in enumerate(w)]
    heapq.heapify(events)
    free, waited = 0.0, 0.0
    while events:
        t, kind, i = heapq.heappop(events)
        if kind == "arrive":
            start = max(t, free)
            waited += start - t
            free = start + 0.7 * w[i]
            heapq.heappush(events, (free, "leave", i))
        else:
            waited += 0.01 * t**2
    return waited


@program(lambda r: (SEVEN.copy(),))
def pushed_and_popped_at_once(w):
    heap = [v for v in w if v > 2]
    heapq.heapify(heap)
    a = heapq.heappushpop(heap, w[0])
    b = heapq.heappushpop(heap, w[5])
    c = heapq.heapreplace(heap, w[1] * 0.1)
    best = sum((k + 1) * v for k, v in enumerate(heapq.nsmallest(2, heap)))
    return a + b * c + best * heapq.nlargest(2, w, key=np.sin)[1]


class Job:
    def __init__(self, size, weight=1.0):
        self.size, self.weight = size, weight

    def __lt__(self, other):
        return self.size * self.weight < other.size * other.weight


@program(lambda r: (SEVEN.copy(),))
def objects_in_their_own_order(w):
    jobs = sorted(Job(v, i + 1.0) for i, v in enumerate(w))
    first = min(jobs)
    jobs.sort(reverse=True)
    few = sorted([Job(w[0]), Job(w[1]), Job(w[2])])
    turned = sorted(few, key=lambda job: Job(-job.size))
    return sum((k + 1) * j.size for k, j in enumerate(jobs)) + first.size * few[1].size + turned[0].size ** 2


@program(lambda r: (SEVEN.copy(),))
def by_a_comparison_of_two(w):
    by_product = functools.cmp_to_key(lambda a, b: a[0] * a[1] - b[0] * b[1])
    pairs = sorted([(v, i % 3 + 1) for i, v in enumerate(w)], key=by_product)
    falling = sorted([w[0], w[1], w[2]], key=functools.cmp_to_key(lambda a, b: b - a))
    # What compares equal stays where it was, also in reverse.
    same = sorted(w, key=functools.cmp_to_key(lambda a, b: 0), reverse=True)
    return sum((k + 1) * v * i for k, (v, i) in enumerate(pairs)) + falling[0] * falling[1] ** 2 + same[0]


@program(lambda r: (SEVEN.copy(),))
def a_stack_of_values_and_positions(w):
    stack = [(0.5, 0)]
    tot = 0.0
    while stack:
        v, i = stack.pop()
        tot += v * w[i]
        if i + 3 < len(w):
            stack.append((v * 0.5 * w[i], i + 3))
            stack.append((v + 1.0, i + 2))
    return tot


@program(lambda r: (SEVEN.copy(),))
def values_and_positions_of_all_kinds(w):
    found = [(v, i) for i, v in enumerate(w) if v > 2]
    least, place = min(found)
    largest, last = max((v * np.sin(k), k) for k, v in enumerate(w))
    table = np.array(found)
    mixed = [(0, 0)]
    for v, i in found:
        mixed.append((v, i) if i > 2 else (v, 0.5))
    nothing, there = max([(v, i) for v, i in found if v > 9], default=(w[0], 1))
    return (
        least * w[place]
        + largest * w[last]
        + table[:, 0] @ table[:, 1]
        + mixed[1][0] * mixed[1][1]
        + nothing * w[there]
    )


@program(lambda r: (SEVEN.copy(),))
def arrays_that_change_places(w):
    arrays = [w[:2] * 1.0, w[1:3] * 2]
    k, t = 0, 0.0
    while t < 300:
        old = arrays[k]
        arrays[k] = arrays[1 - k] * 1.5
        arrays[1 - k] = old
        t += arrays[k] @ arrays[1 - k] + old[0]
        k = 1 - k
    return t


@program(lambda r: (SEVEN.copy(),))
def tuples_that_change_places(w):
    rows = [(v, 2 * v) for v in w]
    k, t = 0, 0.0
    while t < 30:
        row = rows[k]
        rows[k] = rows[-1 - k]
        rows[-1 - k] = (row[1], 0.1 * t)
        t += row[0] * rows[k][1] + 1.0
        k = (k + 1) % len(rows)
    return t


def _sift_all(items):
    for place in range(5, -1, -1):
        item = items[place]
        while 2 * place + 1 < len(items):
            child = 2 * place + 1
            items[place] = items[child]
            place = child
        items[place] = item


@program(lambda r: (np.array([0.5, 0.2]),))
def a_helper_sifts_a_list_of_many(x):
    items = [x[0] * k + x[1] for k in range(12)]
    _sift_all(items)
    total = 0.0
    for v in items:
        total = total * 0.5 + v * v
    return total


@program(lambda r: (0.8, 1.1))
def a_heap_of_many_arrivals(rate, pace):
    events = [(t, k) for k, t in enumerate(np.arange(1.0, 10.0) / rate)]
    heapq.heapify(events)
    free = waited = 0.0
    while events:
        t, k = heapq.heappop(events)
        start = max(t, free)
        waited += start - t
        free = start + (1.0 + 0.1 * k) * pace
    return waited + 0.01 * free
