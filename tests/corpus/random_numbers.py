"""Generators of random numbers that the function itself seeds: the same numbers at each call, in their order."""

import numpy as np
from tests.corpus import program

DECIDED = dict.fromkeys(("compiled", "python"), "the data decide which numbers come next")


def six(r):
    return (r.normal(size=6),)


@program(lambda r: (0.3, 1.2))
def an_option_by_simulation(mu, sigma):
    rng = np.random.default_rng(42)
    z = rng.normal(size=200)
    return np.mean(np.maximum(np.exp(mu - 0.5 * sigma**2 + sigma * z) - 1.0, 0.0))


@program(lambda r: (0.3, 1.2))
def paths_step_by_step(mu, sigma):
    rng = np.random.default_rng(1)
    s = np.full(7, 1.0)
    average = 0.0
    for _ in range(20):
        z1 = rng.standard_normal(7)
        z2, z3 = rng.standard_normal((2, 7))
        s = s * np.exp(mu * 0.01 + sigma * 0.1 * (z1 + 0.1 * z2 * z3)) + rng.random() * 0.01
        for _ in range(3):
            s += rng.uniform() * 0.001
        average += s.mean()
    return average + rng.normal() * mu


@program(six)
def lengths_and_picks_of_an_argument(x):
    rng = np.random.default_rng(3)
    mask = rng.random(x.shape) > 0.5
    noise = rng.normal(scale=0.1, size=len(x))
    noise -= noise.mean()
    order = rng.permutation(len(x))
    picks = rng.choice(len(x), size=3, replace=False)
    return np.sum(np.where(mask, x / 0.5, 0.0) * noise) + x[order][0] * x[picks].sum() + x[rng.integers(0, 3)]


@program(six)
def numbers_for_each_element(x):
    rng = np.random.RandomState(3)
    total = 0.0
    for v in x:
        total += v * rng.randn() + rng.rand(2).sum() * v**2
    return total


@program(six)
def generators_begin_anew_where_they_are_made(x):
    a, total = np.random.default_rng(3), 0.0
    for k in range(20):
        b = np.random.default_rng(4)
        total += a.normal() * x[0] + b.normal() * k * x[1] + b.normal() * x[2]
    return total + a.normal() * x[3]


def noise(rng, n):
    return rng.normal(size=n)


@program(six)
def a_generator_for_helpers(x):
    rng = np.random.default_rng(3)
    weights = [noise(rng, 6) for _ in range(3)]
    others = {k: noise(rng, 2) for k in "ab"}
    return sum(np.tanh(x @ w) for w in weights) + others["b"][0] * x[0]


@program(lambda r: (0.5, 7), argnums=(0,))
def the_seed_is_an_argument(x, seed):
    return x * np.random.default_rng(seed).normal() ** 2


@program(lambda r: (1.5,))
def accepted_and_rejected(scale):
    rng = np.random.default_rng(5)
    x = total = 0.0
    for _ in range(30):
        proposed = x + rng.normal(0, 1)
        if np.log(rng.random()) < 0.5 * (x * x - proposed * proposed) / scale**2:
            x = proposed
        total += x * x * scale
    return total / 30


@program(lambda r: (r.normal(size=3), r.uniform(0.5, 1.0, size=3)))
def parameters_with_a_derivative(mean, deviation):
    rng = np.random.default_rng(1)
    z = rng.normal(mean, deviation)
    w = rng.normal(mean, deviation, size=(4, 3))
    u = (
        rng.uniform(mean[0], deviation[0], size=4)
        + rng.exponential(deviation[1])
        + rng.gamma(2.0, deviation[2])
    )
    return z @ z + w.sum() ** 2 + u @ u + rng.lognormal(mean[0], 0.1) + rng.choice(mean, 2).sum()


@program(lambda r: (r.normal(size=3), r.uniform(0.5, 1.0, size=3)))
def tails_of_several_forms(mean, deviation):
    rng = np.random.default_rng(11)
    old = np.random.RandomState(2)
    z = rng.laplace(mean, deviation) + old.gumbel(mean[0], deviation) + rng.logistic(mean, deviation[1])
    w = rng.weibull(1.0 + deviation) * old.rayleigh(deviation) + rng.pareto(3.0 + deviation[2], size=3)
    return z @ w + np.sum(z * z) + old.laplace(mean[1], 0.5)


@program(lambda r: (r.normal(size=(6, 2)), np.array([3.0, 1.0, 4.0, 1.0, 5.0])))
def positions_as_likely_as_is_computed(x, counts):
    rng = np.random.default_rng(7)
    noise = counts**0.75 / np.sum(counts**0.75)
    total = 0.0
    for k in range(3):
        for negative in rng.choice(len(noise), size=(2, 2), p=noise):
            total += x[k] @ np.tanh(x[negative]).sum(axis=0)
    total += x[rng.choice(6, p=np.array([0.1, 0.2, 0.3, 0.2, 0.1, 0.1])), 0] ** 2
    total += x[np.random.RandomState(3).choice(np.array([1, 4, 2]), 5, p=np.full(3, 1 / 3)), 1] @ noise
    return total * rng.choice(x[:5, 0], p=noise)


def dropped(x, rate):
    if rate == 0.0:
        return x
    rng = np.random.default_rng(4)
    scale = 1.0 + sum(0.1 * rng.uniform() for _ in range(3)) * rng.normal()
    return scale * x * (rng.random(x.shape) >= rate) / (1.0 - rate)


@program(lambda r: (r.normal(size=6), 0.3))
def a_generator_that_begins_in_the_branch(x, rate):
    y = dropped(x, rate)
    for k in range(4):
        y = y + np.sin(dropped(y, rate * (k % 2)))
    while y.sum() > 1.0:
        y = 0.7 * dropped(y, rate) - 0.1
    return y @ y


@program(lambda r: (0.7,), refused=DECIDED)
def drawn_in_a_branch(x):
    rng = np.random.default_rng(1)
    total = 0.0
    for k in range(10):
        if x * k > 2.0:
            total += rng.normal() * x
    return total


@program(lambda r: (1.5,), refused=DECIDED)
def drawn_until_it_is_enough(scale):
    rng = np.random.default_rng(5)
    t = 0.0
    while t < 3.0:
        t += rng.exponential(scale)
    return t


@program(lambda r: (r.normal(size=3),))
def parameters_that_are_arrays_of_known_numbers(x):
    rng = np.random.default_rng(2)
    old = np.random.RandomState(4)
    shares = (
        rng.dirichlet(np.ones(3)) + rng.dirichlet(np.full(3, 0.5), size=2)[1] + old.dirichlet(np.arange(1, 4))
    )
    points = rng.multivariate_normal(np.zeros(3), 0.5 * np.eye(len(x)), size=4)
    cov = np.array([[1.0, 0.5], [0.5, 2.0]])
    for _ in range(2):
        y = rng.multivariate_normal(np.zeros(2) + 1.0, cov)
        x = x * np.append(y, old.multivariate_normal([0.0, 1.0], cov)[0])
    counts = rng.multinomial(10, np.ones(3) / 3) + old.poisson(np.array([1.0, 2.0, 3.0]))
    others = (
        rng.weibull(1.5, 3) + rng.rayleigh(2.0) + old.logistic(0.0, 0.5, 3) + rng.triangular(0.0, 0.5, 1.0)
    )
    return shares @ x + np.sum(np.tanh(points @ x)) + counts @ x**2 + others @ x


COVARIANCE = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, 0.1], [0.0, 0.1, 0.5]])


@program(lambda r: (r.normal(size=3), r.normal(size=(3, 3))))
def vectors_whose_mean_and_covariance_are_computed(mean, root):
    rng = np.random.default_rng(3)
    cov = root @ root.T + np.diag([0.1, 0.2, 0.3])
    x = rng.multivariate_normal(mean, cov) + rng.multivariate_normal(np.zeros(3), COVARIANCE)
    y = rng.multivariate_normal(mean, COVARIANCE, size=(2, 2))
    z = rng.multivariate_normal(mean, cov, size=4, method="cholesky")
    w = np.random.RandomState(3).multivariate_normal(mean, cov, 2)
    return np.sum(x**2) + np.sum(np.sin(y)) + np.sum(z[1:] ** 3) + np.sum(w * z[:2])
