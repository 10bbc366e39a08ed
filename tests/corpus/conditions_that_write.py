"""`while` whose condition changes an object, a list or the state of a closure: also where it ends the loop"""

import numpy as np
from tests.corpus import program


class Damped:
    def __init__(self, value):
        self.value = value
        self.steps = 0

    @property
    def following(self):
        return self.step()

    def step(self):
        self.steps += 1
        self.value = self.value * 0.5 + 0.1
        return self.value


@program(lambda r: (np.array([1.6, 0.7, 0.4]),))
def a_condition_that_steps_an_object(x):
    one, other = Damped(x[0]), Damped(x[1])
    while one.step() > 0.3 and one.steps < 6:
        pass
    s = 0.0
    for v in x:
        while other.following > 0.4 * v:
            s += other.value
            if s > 5.0:
                break
    return one.value * one.steps + other.value * other.steps + s


@program(lambda r: (0.9,))
def a_condition_that_notes_what_it_was_asked(x):
    log = []

    def error(v):
        log.append(v)
        return v * v

    while error(x) > 0.05:
        x = x * 0.5
    return x + sum(log) * len(log)
