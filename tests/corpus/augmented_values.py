"""What stands in a place is read before the value that is added to it is computed, which may change it."""

import numpy as np
from tests.corpus import program

SIX = np.array([0.7, -0.4, 1.3, 0.2, 0.9, -1.1])


@program(lambda r: (SIX.copy(),))
def number_in_a_list(x):
    items = [x[0], x[1]]

    def step():
        items[0] = 5.0 * x[2]
        return x[3]

    items[0] += step()
    items[-2] *= step()
    return items[0] + items[1]


@program(lambda r: (SIX.copy(),))
def element_of_an_array(x):
    y = x * 1.0

    def step():
        y[0] = 5.0 * x[2]
        return x[3]

    y[0] += step()
    total = y[0]
    y[0] *= step()
    total += y[0]
    y[:2] -= step()
    return total * y[0] + y[1]


@program(lambda r: (SIX.copy(),))
def chosen_elements_of_an_array(x):
    y = x * 1.0

    def step():
        y[0] = 5.0 * x[2]
        return x[3]

    y[[0, 1]] += step()
    total = y[0] * y[1]
    y[y > 0] *= step()
    return total + np.sum(y)


@program(lambda r: (SIX.copy(),))
def array_that_is_handed_over(x):
    y = x * 1.0

    def step(z):
        z[1] *= 3.0
        return z[1]

    y[1] += step(y)
    y[2] -= step(y) * y[1]
    return np.sum(y * y)


@program(lambda r: (SIX.copy(),))
def element_in_a_loop(x):
    y = x * 1.0

    def step(k):
        y[k] = y[k - 1] * 0.5
        return y[k] * x[k]

    for k in range(1, y.size):
        y[k] += step(k)
    return np.sum(y * y)


@program(lambda r: (SIX.copy(),))
def items_of_growing_lists(x):
    items = [v * 2.0 for v in x]
    rows = [[v * 2.0, v] for v in x]

    def step():
        items[0] = rows[1][0] = 5.0 * x[2]
        return x[3]

    items[0] += step()
    rows[1][0] -= step()
    items[0] += items.pop(0)
    return items[0] * rows[1][0] + items[1]


@program(lambda r: (SIX.copy(),))
def number_of_a_dict(x):
    table = {"a": x[0]}

    def step():
        table["a"] = 5.0 * x[2]
        return x[3]

    table["a"] += step()
    return table["a"] ** 2


@program(lambda r: (SIX.copy(),))
def name_of_a_function_around(x):
    v = x[0]

    def step():
        nonlocal v
        v = 5.0 * x[2]
        return x[3]

    v += step()
    return v * v


class Account:
    def __init__(self, held):
        self.held = held
        self.parts = [held, 2.0 * held]

    def fee(self, rate):
        self.held = self.held * rate
        self.parts[1] = self.held
        return self.held

    def pay(self, rate):
        self.held += self.fee(rate)
        self.parts[1] += self.fee(rate)


@program(lambda r: (SIX.copy(),))
def attribute_of_an_object(x):
    accounts = [Account(v) for v in x[:3]]
    for account in accounts:
        account.pay(x[3])
    return sum(a.held * a.parts[1] for a in accounts)


@program(lambda r: (SIX.copy(),))
def item_at_a_place_of_the_run(x):
    bodies = [{"v": x[0]}, {"v": x[1]}, {"v": x[2]}]
    p = int(np.argmax(x[:3]))

    def step(k):
        bodies[2]["v"] = bodies[2]["v"] * x[k]
        return bodies[2]["v"]

    bodies[p]["v"] += step(3)
    bodies[p]["v"] -= step(4) * x[5]
    return sum((k + 1) * b["v"] ** 2 for k, b in enumerate(bodies))
