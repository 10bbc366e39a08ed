"""Objects and dicts that change in a loop: by calling them, by functions they are given to, within others, from None"""

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


class Controller:
    def __init__(self, kp, ki, *, high=2.0):
        self.kp, self.ki, self.high = kp, ki, high
        self.total, self.before = 0.0, None

    def __call__(self, error, dt):
        self.total += error * dt
        slope = 0.0 if self.before is None else (error - self.before) / dt
        self.before = error
        return min(self.high, self.kp * error + self.ki * self.total + 0.01 * slope)


class Body:
    def __init__(self, x, v):
        self.x, self.v, self.force = x, v, None

    def kick(self, force, dt):
        self.force = force
        self.v = self.v + dt * force


class World:
    def __init__(self, bodies):
        self.bodies, self.t = bodies, 0.0

    def step(self, dt, k):
        for b in self.bodies:
            b.kick(-k * b.x, dt)
        for b in self.bodies:
            b.x = b.x + dt * b.v
        self.t += dt


class Mode:
    def __init__(self, gain):
        self.gain, self.name = gain, "slow"

    def advance(self, v):
        self.name = "fast" if self.name == "slow" else "slow"
        return v * self.gain if self.name == "fast" else v + self.gain


def advance(body, k):
    body.kick(-k * body.x, 0.1)
    body.x = body.x + 0.1 * body.v


def counted(d, v):
    d["n"] = d.get("n", 0) + 1
    d["sum"] += v


@program(lambda r: (FOUR.copy(),))
def called(x):
    control = Controller(x[0], x[1], high=5.0)
    y = x[2]
    for _ in range(50):
        y = y + 0.05 * control(x[3] - y, 0.05)
    return y * control.total + control.before


@program(lambda r: (FOUR[:2].copy(),))
def made_of_the_elements_of_an_array(x):
    control = Controller(*x)
    y = 0.0
    for _ in range(50):
        y = y + 0.05 * control(1.0 - y, 0.05)
    return y


@program(lambda r: (FOUR.copy(),))
def in_another_object(x):
    world = World([Body(1.0, 0.0), Body(x[0], x[1])])
    for _ in range(30):
        world.step(0.1, x[2])
    return world.bodies[0].x * world.bodies[1].v + world.t * world.bodies[1].force * x[3]


@program(lambda r: (FOUR.copy(),))
def given_to_a_function(x):
    body, n = Body(1.0 + x[0] ** 2, x[1]), 0
    while body.x > 0.5:
        advance(body, x[2])
        n += 1
    return body.x * body.v * n + body.force * x[3]


@program(lambda r: (FOUR.copy(),))
def dict_given_to_a_function(x):
    d = {"sum": 0.0, "inner": {"z": x[1]}, "last": None}
    for k in range(20):
        counted(d, x[0] * k)
        d["inner"]["z"] *= x[2]
        if d["last"] is not None:
            d["sum"] += d["last"]
        d["last"] = x[3] * k
    return d["sum"] * d["n"] + d["inner"]["z"] + d["last"]


@program(lambda r: (FOUR.copy(),))
def one_of_two_names_in_a_list(x):
    body = Body(x[0], x[1])
    both = [body, Body(x[2], x[3])]
    for _ in range(5):
        advance(body, x[2])
        both[1].x = both[1].x + body.x
    return both[0].x * both[1].x


@program(lambda r: (FOUR.copy(),))
def with_a_text_that_changes(x):
    mode, v = Mode(x[0]), x[1]
    for k in range(4):
        v = mode.advance(v) * x[k]
    return v


@program(lambda r: (FOUR.copy(),))
def none_again_after_some_trips(x):
    body, s = Body(x[0], x[1]), 0.0
    for k in range(9):
        if k % 3 == 0:
            body.force = None
        s = s + (x[2] if body.force is None else body.force * x[3])
        body.force = s * 0.5 if k % 2 else body.force
    return s
