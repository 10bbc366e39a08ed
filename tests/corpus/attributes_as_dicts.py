"""The attributes of an object as a dict: `self.__dict__` and `vars(...)`."""

import numpy as np
from tests.corpus import program


class Settings:
    scale = 2.0

    def __init__(self, **given):
        self.__dict__.update(given)
        self.__dict__["steps"] = 3

    @property
    def squared(self):
        return self.w**2


@program(lambda r: (r.normal(size=3), 0.5))
def attributes_by_their_names(x, b):
    c = Settings(w=x, b=b)
    held = vars(c)
    c.q = x[1]  # seen by the dict, and the other way round
    held["z"] = x[2]
    s = c.z * held["q"] + c.squared.sum() * c.steps + len(held) * b
    s += sum(v for k, v in held.items() if k in ("q", "z"))
    other = Settings(**vars(c))
    other.w = other.w * 2
    copied = dict(c.__dict__)
    copied["b"] = 5.0
    s += other.w.sum() * other.b * c.w[0] + c.b * copied["b"]
    s += held.get("nope", 1.0) * held.pop("q") + held.setdefault("b", 3.0) * ("b" in vars(c))
    return s if not hasattr(c, "q") else 0.0


@program(lambda r: (r.normal(size=4),))
def attributes_written_in_a_loop(x):
    c = Settings(w=x, b=0.0)
    for k in range(len(x)):
        c.__dict__["b"] = c.b + x[k] ** 2
        vars(c).update(b=c.b * 1.1)
    return c.b * c.scale


class Outside:
    def __init__(self):
        self.a, self.v = 2.0, np.ones(3)


OUTSIDE = Outside()


@program(lambda r: (r.normal(size=3),))
def attributes_of_an_object_outside(x):
    return sum(np.sum(v * x**2) for v in vars(OUTSIDE).values()) + vars(OUTSIDE)["a"] * x[0]


@program(lambda r: (r.normal(size=3),))
def a_label_where_there_is_room(x):
    """As for pandas, whose series have names."""
    y = x * x
    try:
        y.name = "squares"
    except AttributeError:
        y = y * x[0]
    return np.sum(y)
