"""Arrays that a loop hands round: buffers that change places, states of several steps, and who else has them."""

import numpy as np
from tests.corpus import program


def bent(u):
    return u[2:] - 2.0 * u[1:-1] + u[:-2]


@program(lambda r: (r.normal(size=7), 4), (0,))
def two_buffers(x, steps):
    u, new = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        new[1:-1] = u[1:-1] + 0.1 * bent(u)
        new[0] = 0.5 * u[0]
        new[-1] = u[-1]
        u, new = new, u
    return np.sum(u**2)


@program(lambda r: (r.normal(size=7), 3), (0,))
def both_buffers_are_read_behind(x, steps):
    u, new = x * 1.0, x * 2.0
    for _ in range(steps):
        new[1:-1] += 0.1 * u[1:-1] * bent(u)
        u, new = new, u
    return np.sum(u**2) + np.sum(np.sin(new))


@program(lambda r: (r.normal(size=7), 5), (0,))
def leapfrog_from_one_array(x, steps):
    before = now = np.sin(x)
    for _ in range(steps):
        after = np.zeros_like(x)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + 0.2 * bent(now) * x[1:-1]
        after[2] += 0.3
        before, now = now, after
    return np.sum(now * before)


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def leapfrog_from_arguments(before, now):
    for t in range(4):
        after = np.empty_like(now)
        after[0] = after[-1] = 0.1 * t
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + 0.2 * bent(now)
        before, now = now, after
    return np.sum(now**2) + np.sum(before)


@program(lambda r: (r.normal(size=6),))
def four_levels(x):
    def slope(y):
        s = np.empty_like(y)
        s[1:] = y[:-1] - y[1:] * y[1:]
        s[0] = -y[0]
        return s

    y = x.copy()
    f1, f2, f3 = slope(y), 0.5 * slope(y), np.zeros_like(y)
    for _ in range(5):
        f0 = slope(y)
        y = y + 0.02 * (55.0 * f0 - 59.0 * f1 + 37.0 * f2 - 9.0 * f3) / 24.0
        f1, f2, f3 = f0, f1, f2
    return np.sum(y * y) + np.sum(f1 * f3)


@program(lambda r: (r.normal(size=(4, 5)), 3), (0,))
def buffers_of_two_axes(x, steps):
    u, new = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]) * u[1:-1, 1:-1]
        new[0], new[-1], new[:, 0], new[:, -1] = u[0], u[-1], 0.5 * u[:, 0], 2.0 * u[:, -1]
        u, new = new, u
    return np.sum(u * u)


@program(lambda r: (r.normal(size=5),))
def buffers_of_a_while(x):
    u, new = x.copy(), np.empty_like(x)
    k = 0
    while k < 4 and u[0] ** 2 < 1e3:
        new[:] = np.sin(u) + 0.1 * u[::-1]
        u, new = new, u
        k += 1
    return np.sum(u * x)


@program(lambda r: (r.normal(size=6), 0), (0,))
def buffers_without_a_trip(x, steps):
    u, new = x * x, np.ones_like(x)
    for _ in range(steps):
        new[1:-1] = bent(u)
        u, new = new, u
    return np.sum(u * new)


@program(lambda r: (r.normal(size=5), r.normal(size=3)))
def buffers_in_an_inner_loop(x, w):
    total = 0.0
    for k in range(w.shape[0]):
        u, new = w[k] * x, np.zeros_like(x)
        for _ in range(3):
            new[1:] = u[1:] + 0.3 * u[:-1] * u[1:]
            new[0] = u[0]
            u, new = new, u
        total += np.sum(u**2)
    return total


@program(lambda r: (r.normal(size=6), r.normal(size=4)))
def one_place_is_driven(x, source):
    before, now = np.zeros_like(x), x.copy()
    seen = 0.0
    for t in range(source.shape[0]):
        after = 1.9 * now - before
        after[1:-1] += 0.1 * bent(now)
        after[2] += source[t]
        seen += after[3] ** 2
        before, now = now, after
    return seen


@program(lambda r: (r.normal(size=5), 1.0))
def state_that_a_branch_replaces(x, s):
    u, new = x.copy(), np.zeros_like(x)
    for k in range(4):
        new[:] = 0.5 * u + 0.1 * x * k
        if s * k > 1.5:
            new = np.cos(new)
        u, new = new, u
    return np.sum(u * u)


@program(lambda r: (r.normal(size=5),))
def states_that_a_list_has_too(x):
    states = []
    before, now = x * 0.5, x * x
    for _ in range(4):
        after = np.sin(now) - 0.3 * before
        after[0] = now[-1]
        states.append(after)
        before, now = now, after
    return np.sum(states[1] * states[3]) + np.sum(before)


@program(lambda r: (r.normal(size=5),))
def three_change_places(x):
    a, b, c = x.copy(), np.sin(x), x * x
    for _ in range(5):
        a[0] += 0.5 * b[1]
        b[1:] *= c[:-1]
        a, b, c = b, c, a
    return np.sum(a * b) + np.sum(c**2)


@program(lambda r: (r.normal(size=5),))
def view_of_what_is_handed_on(x):
    before, now = x.copy(), np.cos(x)
    for _ in range(3):
        after = np.zeros_like(x)
        inner = after[1:-1]
        inner += now[1:-1] * before[2:]
        after[0] = now[-1]
        before, now = now, after
    return np.sum(now) + np.sum(before * x)


@program(lambda r: (r.normal(size=5).astype(np.float32),), tolerance=2e-2)
def buffers_of_single_precision(x):
    u, new = x.copy(), np.zeros_like(x)
    for _ in range(3):
        new[1:-1] = u[1:-1] + np.float32(0.1) * bent(u)
        u, new = new, u
    return np.sum(u * u)


@program(lambda r: (r.normal(size=5), 3), (0,))
def lengths_change_from_trip_to_trip(x, steps):
    before, now = x, x * x
    for _ in range(steps):
        after = now[:-1] + 0.5 * before[: now.shape[0] - 1]
        after[0] += 1.0
        before, now = now, after
    return np.sum(now**2) + np.sum(before)
