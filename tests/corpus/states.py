"""States that a loop carries from step to step: what may be updated in place, and what may not."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.uniform(0.5, 1.5, size=6), 4))
def runge_kutta_over_slices(x, steps):
    def slope(y):
        result = np.empty_like(y)
        result[0] = x[0]
        result[1:] = x[1:] * y[:-1]
        return result

    h = 1.0 / steps
    y = np.zeros_like(x)
    for _ in range(steps):
        first = slope(y)
        second = slope(y + 0.5 * h * first)
        y = y + 0.5 * h * (first + second)
    return np.sum(y * y)


@program(lambda r: (r.normal(size=5), 0.3))
def argument_as_first_state(x, rate):
    y = x
    for _ in range(3):
        y = y + rate * np.sin(y)
    return np.sum(y * x)


@program(lambda r: (r.normal(size=5),))
def first_state_read_behind(x):
    first = x * 2.0
    y = first
    for _ in range(3):
        y = y * y + 0.1 * x
    return np.sum(y - first * y)


@program(lambda r: (r.normal(size=5),))
def state_before_last(x):
    before = x * 0.5
    now = x * x
    for _ in range(4):
        after = 1.5 * now - 0.5 * before + 0.01 * np.sin(now)
        before = now
        now = after
    return np.sum(now * before)


@program(lambda r: (r.normal(size=5),))
def two_states_change_places(x):
    a, b = np.sin(x), np.cos(x)
    for _ in range(3):
        a, b = b + 0.1 * a, a - 0.1 * b
    return np.sum(a * a * b)


@program(lambda r: (r.normal(size=5),))
def next_state_reads_neighbours(x):
    u = x * x
    for _ in range(3):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u**3)


@program(lambda r: (r.normal(size=(3, 3)),))
def next_state_is_transposed(x):
    u = x * 1.0
    for _ in range(3):
        u = u.T * 0.9 + u * u
    return np.sum(u * x)


@program(lambda r: (r.normal(size=4), r.normal(size=(4, 4))))
def next_state_is_a_product(x, a):
    y = x + 1.0
    for k in range(3):
        y = a @ y + k * y
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4), 0))
def state_without_steps(x, steps):
    y = x * x
    for _ in range(steps):
        y = np.exp(y)
    return np.sum(y)


@program(lambda r: (r.uniform(0.5, 1.0, size=4),))
def state_of_a_while(x):
    y = x * 1.0
    while np.sum(y) < 20.0:
        y = y + x * y
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4),))
def state_in_an_inner_loop(x):
    total = 0.0
    for k in range(3):
        y = x * (k + 1.0)
        for _ in range(2):
            y = 0.5 * y + np.tanh(y)
        total += np.sum(y * x)
    return total


@program(lambda r: (r.normal(size=4),))
def state_kept_from_each_step(x):
    y = x * 1.0
    history = np.zeros((3, 4))
    for t in range(3):
        history[t] = y
        y = y * np.cos(y)
    return np.sum(history[1:] * history[:-1]) + np.sum(y)


@program(lambda r: (r.normal(size=4),))
def state_written_to_after_it_is_made(x):
    y = x * 1.0
    for t in range(3):
        y = y * 0.9
        y[t] = y[t + 1] ** 2
        y[1:] += 0.1 * y[:-1]
    return np.sum(y * y)


@program(lambda r: (r.normal(size=4), 0.4))
def state_changed_in_one_branch(x, s):
    y = x * 1.0
    for t in range(4):
        if t % 2 == 0:
            y = y + s * x
        else:
            y = y * y
    return np.sum(y)


@program(lambda r: (np.float32(r.normal(size=4)),))
def state_of_single_precision(x):
    y = x * np.float32(0.5)
    for _ in range(3):
        y = y + np.float32(0.25) * (y[::-1] - y) * y
    return np.sum(y * y)


@program(lambda r: (r.normal(size=6), r.normal(size=5)))
def differences_of_cheap_elements(x, w):
    flux = 0.5 * x
    return np.sum(w * (flux[1:] - flux[:-1]))


@program(lambda r: (r.normal(size=6),))
def operand_overwritten_before_the_read(x):
    y = x * 1.0
    double = 2.0 * y
    y[2:] = x[2:] ** 2
    return np.sum(double[1:] * y[:-1])


@program(lambda r: (r.normal(size=6),))
def element_counted_from_the_end(x):
    double = 2.0 * x[:4]
    total = 0.0
    for i in range(3):
        total += double[i - 1] * x[i]
    return total


@program(lambda r: (r.normal(size=6),))
def element_read_in_a_deeper_loop(x):
    shifted = x + 1.0
    total = 0.0
    for i in range(3):
        for j in range(5):
            total += shifted[j] * x[i] ** 2
    return total


@program(lambda r: (r.normal(size=6), True))
def element_read_in_a_branch(x, flag):
    double = 2.0 * x
    y = np.zeros(5)
    for i in range(5):
        if x[i] > 0.0 and flag:
            y[i] = double[i + 1]
        else:
            y[i] = x[i] * double[i]
    return np.sum(y * y)


@program(lambda r: (r.normal(size=(4, 5)),))
def mean_of_four_cells(x):
    scaled = 0.25 * x
    return np.sum((scaled[1:, 1:] + scaled[:-1, :-1]) ** 2)


@program(lambda r: (r.uniform(0.3, 0.7, 9), r.normal(size=6)))
def wave_that_is_recorded_at_one_place(speed, trace):
    n = speed.shape[0]
    before, now = np.zeros(n), np.zeros(n)
    misfit = 0.0
    for t in range(trace.shape[0]):
        after = np.zeros(n)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + speed[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        after[n // 4] += np.exp(-((t - 2.0) ** 2) / 4.0)
        misfit += 0.5 * (after[3 * n // 4] - trace[t]) ** 2 * now[n // 2 + 1] + np.sin(after[2]) * after[-2]
        before, now = now, after
    return misfit


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def elements_of_states_in_inner_loops(x, y):
    total = 0.0
    for _ in range(3):
        x, y = y * 0.5, np.sin(x) + y
        first = x[0] * y[-1]
        for j in range(len(x)):
            total += first * x[j] ** 2 * y[0]
        z = x * y
        z[1] = total
        total += z[1] * z[2]
        x = z
    return total


@program(lambda r: (r.uniform(0.5, 1.5, size=3), r.uniform(0.5, 1.5, size=4)))
def written_to_in_the_trip_after(x, w):
    u = x * 2.0
    total = 0.0
    for v in w:
        u *= v
        total += np.sum(u * u)
        u = 1.0 * x[::-1]
    return np.sum(u) * total + np.sum(x * x)


@program(lambda r: (r.normal(size=3), 0.3))
def weights_with_which_the_adjoint_begins(x, a):
    weights = np.linspace(1.0, 2.0, len(x))
    state = x.copy()
    energy = np.sum(state * state * a)
    for _ in range(4):
        trial = state + 0.1 * np.sin(state) * state[::-1]
        size = np.sum(trial * trial)
        if size < 100.0:
            state, energy = trial, size
    return np.sum(state * weights) + energy


@program(lambda r: (r.normal(size=(2, 3)), r.normal(size=(3, 3))))
def zeros_that_a_loop_writes_over(x, w):
    h = np.zeros(x.shape)
    for _ in range(3):
        new = np.zeros(x.shape)
        new[:] = np.tanh(x + h @ w)
        h = new.copy()
    return np.sum(h**2)


@program(lambda r: (r.normal(size=5), r.normal(size=5), np.array([1, 4, 2, 3, 1])))
def one_element_of_the_new_state_taken_off(x, w, lengths):
    state = x.copy()
    new = np.zeros(len(x))
    for _ in range(3):
        for j in range(len(x)):
            total = 0.0
            for k in range(lengths[j]):
                total += state[k] * w[k]
            new[j] = total
        for j in range(len(x)):
            state[j] = new[j] - 0.5 * new[0]
    return np.sum(state * state)
