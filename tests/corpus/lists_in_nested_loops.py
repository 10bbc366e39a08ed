"""Lists whose numbers loops in loops read and write at positions of the run"""

import math

import numpy as np
from tests.corpus import program


@program(lambda r: (np.array([1.0, 0.95, 0.05, 0.3, 1.0]),))
def a_tree_of_prices(a):
    spot, strike, rate, sigma, time = a
    n = 12
    dt = time / n
    up = math.exp(sigma * math.sqrt(dt))
    q = (math.exp(rate * dt) - 1 / up) / (up - 1 / up)
    v = [max(strike - spot * up ** (2 * j - n), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            held = math.exp(-rate * dt) * (q * v[j + 1] + (1 - q) * v[j])
            at_once = strike - spot * up ** (2 * j - i)
            v[j] = at_once if at_once > held else held
    return v[0]
