"""Programs of real size: filters, solvers, integrators, networks, as people write them."""

# ruff: noqa: B905  (as people write it)

import math

import numpy as np
from tests.corpus import program


@program(lambda r: (np.array([0.1, 1.0]), 0.05, 0.3, r.normal(size=6)))
def kalman_filter(x0, q, noise, z):
    """Negative log-likelihood of positions under a constant-velocity model."""
    dt = 0.5
    f = np.array([[1.0, dt], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    x = x0
    p = np.eye(2)
    nll = 0.0
    for k in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        innovation = z[k] - (h @ x)[0]
        s = (h @ p @ h.T)[0, 0] + noise
        gain = (p @ h.T)[:, 0] / s
        x = x + gain * innovation
        p = p - np.outer(gain, h @ p)
        nll += 0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
    return nll


@program(
    lambda r: (r.normal(size=3), r.normal(size=(3, 3)), r.normal(size=(3, 4)), np.array([0, 2, 1, 3, 3, 0]))
)
def hmm_forward(start, transition, emission, observed):
    """Log-likelihood of a hidden Markov model by the forward algorithm, in logarithms."""

    def normalised(a):
        m = np.max(a, axis=-1, keepdims=True)
        return a - m - np.log(np.sum(np.exp(a - m), axis=-1, keepdims=True))

    log_a = normalised(transition)
    log_b = normalised(emission)
    alpha = normalised(start) + log_b[:, observed[0]]
    for t in range(1, len(observed)):
        scores = alpha[:, None] + log_a
        m = np.max(scores, axis=0)
        alpha = m + np.log(np.sum(np.exp(scores - m), axis=0)) + log_b[:, observed[t]]
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


@program(lambda r: (r.normal(size=5), 4 + r.uniform(size=6), r.normal(size=5), r.normal(size=6)))
def thomas_solver(lower, diagonal, upper, rhs):
    """A tridiagonal system by elimination in place."""
    n = len(diagonal)
    c = np.zeros(n - 1)
    d = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        w = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / w
        d[i] = (rhs[i] - lower[i - 1] * d[i - 1]) / w
    x = np.empty(n)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return np.sum(x * x)


@program(
    lambda r: (
        np.array([[0.1, 2.0, 1.0, 0.3], [4.0, 1.0, 0.2, 0.7], [1.0, 0.3, 5.0, 0.1], [0.6, 2.5, 0.4, 3.0]]),
        r.normal(size=4),
    )
)
def lu_with_pivoting(a, b):
    """A x = b by LU decomposition in place, rows swapped for the largest pivot."""
    n = a.shape[0]
    a = a.copy()
    x = b.copy()
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            x[i] -= factor * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return np.sum(x**2)


@program(lambda r: (np.array([1.2, 0.0]), 1.3, 1e-4), argnums=(0, 1), tolerance=1e-6)
def rk45_adaptive(y, mu, tol):
    """Van der Pol by Bogacki-Shampine steps of adaptive size, until t = 1 or too many steps."""

    def f(y):
        return np.array([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])

    t = 0.0
    h = 0.1
    end = 1.0
    steps = 0
    while t < end:
        if steps > 100:
            break
        steps += 1
        if t + h > end:
            h = end - t
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + 3 * h / 4 * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = f(new)
        error = np.max(np.abs(h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - k4 / 8)))
        if error < tol:
            t = t + h
            y = new
            # The step size follows the solution, its derivative does, too.
            h = min(0.25, h * min(2.0, 0.9 * (tol / (error + 1e-12)) ** (1 / 3)))
        else:
            h = h * 0.5
    return y[0] ** 2 + y[1]


@program(lambda r: (r.normal(size=(3, 2)), r.normal(size=(3, 2)), r.uniform(0.5, 1.5, 3)))
def leapfrog_bodies(q, v, m):
    """Three bodies under softened gravity, leapfrog steps in place."""
    n, dt = q.shape[0], 0.05
    q = q.copy()
    v = v.copy()
    acceleration = np.zeros_like(q)
    for step in range(6):
        acceleration[:] = 0.0
        for i in range(n):
            for j in range(n):
                if i != j:
                    d = q[j] - q[i]
                    r2 = d @ d + 0.1
                    acceleration[i] += m[j] * d / (r2 * np.sqrt(r2))
        v += dt * acceleration if step > 0 else 0.5 * dt * acceleration
        q += dt * v
    kinetic = 0.5 * np.sum(m[:, None] * v * v)
    return kinetic + np.sum(q[0] * q[1])


@program(lambda r: (1 + 0.1 * r.normal(size=(5, 5)), 9.81), tolerance=1e-6)
def shallow_water(h0, g):
    """Heights and velocities on a grid, two buffers swapped each step."""
    dt, dx = 0.01, 1.0
    n = h0.shape[0]
    h = h0.copy()
    h_next = h0.copy()
    u = np.zeros((n, n))
    v = np.zeros((n, n))
    for _ in range(4):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] -= dt * g * (h[i + 1, j] - h[i - 1, j]) / (2 * dx)
                v[i, j] -= dt * g * (h[i, j + 1] - h[i, j - 1]) / (2 * dx)
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                flux = (u[i + 1, j] - u[i - 1, j] + v[i, j + 1] - v[i, j - 1]) / (2 * dx)
                h_next[i, j] = h[i, j] - dt * h[i, j] * flux
        h, h_next = h_next, h
    return np.sum(h * h) + np.sum(u * u + v * v) * 100


@program(lambda r: (r.normal(size=(4, 4)), r.normal(size=4)), tolerance=1e-5)
def conjugate_gradients(m, b):
    """(m m' + I) x = b to a tolerance."""
    a = m @ m.T + np.eye(m.shape[0])
    x = np.zeros(m.shape[0])
    r = b - a @ x
    p = r
    rs = r @ r
    k = 0
    while rs > 1e-18 and k < 50:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        k += 1
    return np.sum(x**3)


@program(lambda r: (100.0, 95.0, 0.05, 0.2, 1.0, 8), argnums=(0, 1, 2, 3, 4))
def binomial_tree(spot, strike, rate, sigma, years, n):
    """An American put on a Cox-Ross-Rubinstein tree, values overwritten level by level."""
    dt = years / n
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    values = np.zeros(n + 1)
    for i in range(n + 1):
        values[i] = max(strike - spot * up ** (2.0 * i - n), 0.0)
    for level in range(n - 1, -1, -1):
        for i in range(level + 1):
            held = discount * (p * values[i + 1] + (1 - p) * values[i])
            exercised = strike - spot * up ** (2.0 * i - level)
            values[i] = max(held, exercised)
    return values[0]


@program(
    lambda r: (
        r.normal(size=(4, 6)),
        r.normal(size=(6, 6)) / 2,
        r.normal(size=(6, 6)) / 2,
        r.normal(size=(6, 6)) / 2,
        r.normal(size=6),
    )
)
def attention_block(x, wq, wk, wv, scale):
    """One head of causal attention with a residual and a layer norm."""
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / math.sqrt(x.shape[1])
    n = x.shape[0]
    mask = np.arange(n)[:, None] >= np.arange(n)[None, :]
    scores = np.where(mask, scores, -1e9)
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    y = x + weights @ v
    mean = np.mean(y, axis=1, keepdims=True)
    var = np.mean((y - mean) ** 2, axis=1, keepdims=True)
    return np.sum((y - mean) / np.sqrt(var + 1e-5) * scale)


@program(lambda r: (r.normal(size=6), np.array([0.0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1]), 0.45), argnums=(0, 2))
def b_spline(control, knots, t):
    """De Boor's algorithm for one point of a cubic spline."""
    degree = 3
    k = degree
    while not (knots[k] <= t < knots[k + 1]):
        k += 1
    d = np.zeros(degree + 1)
    for j in range(degree + 1):
        d[j] = control[j + k - degree]
    for r in range(1, degree + 1):
        for j in range(degree, r - 1, -1):
            left = knots[j + k - degree]
            alpha = (t - left) / (knots[j + 1 + k - r] - left)
            d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j]
    return d[degree] ** 2


@program(lambda r: (r.uniform(-1, 1, 4), np.array([0.5, 0.4, 0.3, 0.2]), np.array([0.8, 0.3])))
def forward_kinematics(angles, lengths, target):
    """Distance of a planar arm's hand to a target, by products of transforms."""

    def link(angle, length):
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s, length * c], [s, c, length * s], [0.0, 0.0, 1.0]])

    pose = np.eye(3)
    for angle, length in zip(angles, lengths):
        pose = pose @ link(angle, length)
    hand = pose[:2, 2]
    return np.sum((hand - target) ** 2)


@program(
    lambda r: (
        r.normal(size=3),
        r.normal(size=(3, 3)) / 2,
        r.normal(size=(3, 2)),
        r.normal(size=3),
        r.normal(size=(5, 2)),
    )
)
def recurrent_network(h, w, u, b, xs):
    loss = 0.0
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        loss += np.sum(h**2) * (t + 1)
    return loss


@program(
    lambda r: (
        r.normal(size=4),
        r.normal(size=(4, 3)),
        r.normal(size=3),
        r.normal(size=(2, 3)),
        r.normal(size=(3, 4)),
    )
)
def lstm_step(x, w, b, h, v):
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    c = h[1]
    state = h[0]
    for _ in range(3):
        gate = sigmoid(x @ w + b * state)
        c = gate * c + (1 - gate) * np.tanh(v @ x)
        state = sigmoid(b) * np.tanh(c)
    return np.sum(state * c)


@program(
    lambda r: (
        r.normal(size=(6, 2)),
        np.array([0.4, 0.6]),
        r.normal(size=(2, 2)),
        np.array([[0.2, 0.1], [-0.1, 0.3]]),
    )
)
def gaussian_mixture(x, weights, means, log_scales):
    n, d = x.shape
    total = 0.0
    for i in range(n):
        terms = np.zeros(2)
        for k in range(2):
            z = (x[i] - means[k]) * np.exp(-log_scales[k])
            terms[k] = np.log(weights[k]) - 0.5 * z @ z - np.sum(log_scales[k]) - 0.5 * d * np.log(2 * np.pi)
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    return total - np.log(np.sum(weights)) * n


@program(lambda r: (r.uniform(0.5, 1.5, (3, 3)),))
def cholesky_by_loops(m):
    a = m @ m.T + np.eye(3)
    n = a.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = np.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    logdet = 0.0
    for i in range(n):
        logdet += 2 * np.log(lower[i, i])
    return logdet + lower[2, 0]


@program(lambda r: (r.normal(size=5), r.normal(size=6)))
def dynamic_time_warping(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), 1e6)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (a[i - 1] - b[j - 1]) ** 2
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@program(lambda r: (np.array([0.6, -0.4]), 12))
def gradient_descent_inside(x, n):
    """The result of an optimiser as a function of where it starts."""
    for _ in range(n):
        g = np.array([-2 * (1 - x[0]) - 40 * x[0] * (x[1] - x[0] ** 2), 20 * (x[1] - x[0] ** 2)])
        x = x - 0.005 * g
    return np.sum(x**2)


@program(lambda r: (r.normal(size=8), np.array([0.2, 0.5, 0.2])))
def convolution_with_padding(signal, kernel):
    n, k = len(signal), len(kernel)
    padded = np.zeros(n + k - 1)
    padded[k // 2 : k // 2 + n] = signal
    out = np.empty(n)
    for i in range(n):
        out[i] = padded[i : i + k] @ kernel
    return np.sum(np.maximum(out, 0.1 * out) ** 2)


@program(lambda r: (100.0, 0.2, 0.05, r.normal(size=(4, 3))), argnums=(0, 1, 2))
def monte_carlo_paths(spot, sigma, rate, noise):
    paths, steps = noise.shape
    dt = 1.0 / steps
    payoff = 0.0
    for p in range(paths):
        s = spot
        total = 0.0
        for k in range(steps):
            s *= math.exp((rate - 0.5 * sigma * sigma) * dt + sigma * math.sqrt(dt) * noise[p, k])
            total += s
        payoff += max(total / steps - 95.0, 0.0)
    return math.exp(-rate) * payoff / paths


@program(lambda r: (r.normal(size=4), 0.7, 0.02))
def implicit_step_by_newton(u, k, dt):
    """Implicit Euler for u' = -k u^3, each unknown by Newton to convergence."""
    for _ in range(3):
        new = u.copy()
        for i in range(u.shape[0]):
            x = u[i]
            while abs(x - u[i] + dt * k * x**3) > 1e-13:
                x = x - (x - u[i] + dt * k * x**3) / (1 + 3 * dt * k * x**2)
            # One more step carries the derivative of the root.
            x = x - (x - u[i] + dt * k * x**3) / (1 + 3 * dt * k * x**2)
            new[i] = x
        u = new
    return np.sum(u * u)


@program(lambda r: (r.normal(size=(4, 4)) * 0.2, r.normal(size=4)))
def neural_ode(w, y):
    def f(y):
        return np.tanh(w @ y)

    h = 0.2
    for _ in range(5):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.5 * h * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y @ y


@program(
    lambda r: (
        {
            "w1": r.normal(size=(3, 4)),
            "b1": r.normal(size=4),
            "w2": r.normal(size=(4, 2)),
            "b2": r.normal(size=2),
        },
        r.normal(size=(5, 3)),
        np.array([0, 1, 1, 0, 1]),
    )
)
def classifier_with_dict(params, x, labels):
    hidden = np.maximum(x @ params["w1"] + params["b1"], 0.0)
    logits = hidden @ params["w2"] + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    loss = 0.0
    for i in range(x.shape[0]):
        loss -= log_p[i, labels[i]]
    return loss / x.shape[0] + 0.01 * sum(np.sum(w * w) for w in params.values())
