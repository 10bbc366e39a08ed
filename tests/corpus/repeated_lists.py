"""Arrays in a list that is repeated, as often as an argument is long"""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(4, 2)), r.normal(size=2)))
def arrays_repeated(x, y):
    """Arrays many times in a list as long as an argument; what is put in their places is another array."""
    spreads = np.array([np.eye(2) * y[0]] * len(x))
    state, both = [y] * len(x), [y, 2 * y] * len(x)
    first = state[0]
    for k in range(len(x)):
        state[k] = spreads[k] @ state[k] * x[k]
        spreads[k, 0] += state[k]
    return (
        np.sum(np.array(state) ** 2) + np.sum(spreads[:, 0]) + first @ y + both[3][1] * np.stack(both).sum()
    )


@program(lambda r: (r.normal(size=3), r.normal(size=2)))
def one_array_in_many_places(x, y):
    """What is written to one element is written to all: they are the same array."""
    state = [np.zeros(2)] * len(x)
    for k in range(len(x)):
        state[k] += x[k] * y
    return np.sum(np.stack(state) ** 2) * x[0]
