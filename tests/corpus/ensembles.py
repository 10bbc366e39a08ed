"""States of many elements that go through the trips of a loop, and that meet in sums or not at all."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5), r.normal(size=(4, 5)), 0.7))
def what_a_trip_leaves(x, b, w):
    for t in range(b.shape[0]):
        x = np.tanh(w * x + b[t])
    return np.sum(x)


@program(lambda r: (0.3, r.normal(size=6)))
def a_number_that_a_trip_leaves(x, b):
    total = 0.0
    for t in range(1, len(b), 2):
        x = np.exp(-(x * x) * b[t])
        total += x * b[t - 1]
    return total


@program(lambda r: (r.normal(size=5),))
def both_ends_of_a_trip(c):
    z = c * 0.5
    for _ in range(6):
        z = np.tanh(z * z + c)
    return np.sum(z)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=(5, 3)), r.normal(size=3)))
def a_recurrent_layer(w, x, h):
    loss = 0.0
    for t in range(len(x)):
        h = np.tanh(w @ h + x[t])
        loss = loss + np.sum(h**2)
    return loss


@program(lambda r: (r.normal(size=4), r.normal(size=(3, 4)), 0.6))
def epochs_of_trips(x, b, w):
    seen = 0.0
    for k in range(2, 4):
        for t in range(b.shape[0]):
            x = np.sin(w * x * x + b[t]) + 1.0 / (2.0 + x)
        seen += k * x[0]
    return np.sum(x) + seen


@program(lambda r: (r.normal(size=4), r.normal(size=(5, 4))))
def a_state_that_is_written_down(x, b):
    rows = np.zeros(b.shape)
    for t in range(b.shape[0] - 1, -1, -1):
        x = np.sqrt(1.0 + x * x) * 0.5
        rows[t] = x * b[t]
        b = np.exp(b * 0.1)
    return np.sum(rows**2) + np.sum(x)


@program(lambda r: (r.uniform(1.0, 2.0, size=5), r.uniform(1.0, 2.0, size=5), 1.1))
def prey_and_predators(x0, y0, birth):
    x = x0.copy()
    y = y0.copy()
    eaten = 0.0
    for _ in range(6):
        dx = birth * x - 0.5 * x * y
        dy = 0.3 * x * y - y
        x = x + 0.1 * dx
        y = y + 0.1 * dy
        eaten += np.sum(x * y)
    return eaten + np.mean(x)


@program(lambda r: (r.normal(size=5), 0.4, 0.1))
def a_force_that_changes(x, k, dt):
    v = np.zeros(x.shape[0])
    now = 0.0
    for _ in range(5):
        v = v - dt * (k * np.sin(x) - np.cos(3.0 * now))
        x = x + dt * v
        now += dt
    return np.sum(x**2) + now


@program(lambda r: (r.normal(size=5), 0.4))
def sums_of_which_more_is_made(x, k):
    found = 0.0
    faded = 1.0
    for t in range(5):
        x = np.tanh(k * x) + 0.1 * t
        found += np.sum(x) ** 2
        faded = 0.5 * faded + np.mean(x)
    return found + faded


@program(lambda r: (r.normal(size=5), 0.4))
def sums_with_something_else(x, k):
    found = 0.0
    for t in range(5):
        x = np.tanh(k * x) + 0.1 * t
        found += np.sum(x) * 0.5 + k
        found += 0.25
    return found - np.sum(x * x)


@program(lambda r: (r.normal(size=5), r.normal(size=(4, 5))))
def elements_that_meet(x, noise):
    for t in range(noise.shape[0]):
        x = np.tanh(x + noise[t])
        x = x - np.mean(x)
    return np.sum(x**3)


@program(lambda r: (r.normal(size=5), 0.4))
def now_and_then(x, k):
    last = 0.0
    for t in range(6):
        x = np.sin(x) + k
        if t % 2 == 1:
            x = x * k
        last = np.sum(x)
    return last * np.sum(x)


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(5, 4)), 0.3))
def points_that_move(p, pull, k):
    for t in range(pull.shape[0]):
        far = np.sqrt(np.sum(p**2, axis=1) + 0.1)
        p = p - k * (pull[t] / far)[:, None] * p
    return np.sum(p * p * p)


@program(lambda r: (0.04, 1.5, 0.3, r.normal(size=(4, 5)), r.normal(size=(4, 5))))
def volatile_paths(v0, pace, noise, z, w):
    v = v0 * np.ones(z.shape[1])
    s = np.zeros(z.shape[1])
    for t in range(z.shape[0]):
        up = np.maximum(v, 0.01)
        s = s - 0.5 * up * 0.05 + np.sqrt(up * 0.05) * z[t]
        v = v + pace * (0.04 - up) * 0.05 + noise * np.sqrt(up * 0.05) * w[t]
    return np.log(np.mean(np.maximum(np.exp(s) - 0.9, 0.0)) + 1.0)


@program(lambda r: (r.normal(size=5), r.normal(size=(6, 5))))
def what_is_seen_of_each_trip(x, data):
    seen = np.zeros(data.shape[0])
    for t in range(data.shape[0]):
        x = np.tanh(1.5 * x) + 0.1
        seen[t] = np.sum((x - data[t]) ** 2)
    return np.sum(seen**2)


@program(lambda r: (r.normal(size=7), 0.5))
def a_state_that_forgets_the_one_before(b, x):
    total = 0.0
    for t in range(1, len(b), 3):
        before = x
        x = np.tanh(b[t])
        total += x * x * np.sin(before)
    return total


@program(lambda r: (r.normal(size=5), 0.3))
def times_that_are_written_down(x, step):
    now = step
    seen = np.zeros(6)
    for t in range(6):
        x = x + step * np.sin(x)
        seen[t] = now
        now = now + 0.1
    return np.sum(x) + np.sum(seen)


@program(lambda r: (r.normal(size=(3, 4)), r.normal(size=4)))
def rows_that_are_used_twice(x, w):
    y = np.tanh(x * w)
    z = np.exp(-y * y)
    y = y - np.max(z, axis=0)
    return np.sum(y * z)


@program(lambda r: (0.5, r.uniform(3.6, 3.9, size=12)))
def a_number_that_a_branch_leaves(x, rates):
    total = 0.0
    for rate in rates:
        x = rate * x * (1.0 - x)
        if x > 0.9:
            x = 0.9 * x
        total += np.sin(x)
    return total


@program(lambda r: (r.normal(size=4), r.normal(size=(6, 4))))
def rows_that_a_branch_leaves(x, b):
    total = 0.0
    for t in range(len(b)):
        x = np.tanh(x + b[t])
        if np.sum(x) < 0.0:
            x = np.exp(-x) - 0.5
        total += np.sum(np.cos(x) * b[t])
    return total


@program(lambda r: (0.4, 0.3, r.uniform(0.8, 1.2, size=8)))
def an_angle_that_comes_round(angle, speed, push):
    energy = 0.0
    for t in range(len(push)):
        speed -= 0.3 * np.sin(angle) * push[t]
        angle += 2.0 * speed
        if angle > 0.5:
            angle -= 1.0
        elif angle < -0.5:
            angle += 1.0
        energy += 0.5 * speed * speed - np.cos(angle)
    return energy


@program(lambda r: (0.4, r.normal(size=(5, 3))))
def what_the_trips_inside_leave(x, b):
    total = 0.0
    for row in b:
        for step in row:
            x = np.sin(1.3 * x + step)
        total += np.exp(x) * row[0]
    return total
