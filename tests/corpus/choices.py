"""Texts, members of an enum, functions and None that the data choose."""

import enum
from dataclasses import dataclass

import numpy as np
from tests.corpus import program


class Gear(enum.Enum):
    UP = "up"
    DOWN = "down"
    PARK = "park"


RATES = {"slow": 0.5, "fast": 2.0}
CURVES = {"square": lambda v: v * v, "cube": lambda v: v**3}


def several(r):
    return (np.array([0.5, -0.3, 1.05, 2.0, -1.0]),)


@program(several)
def keys_of_dicts(x):
    name = "slow" if x[0] > 0 else "fast"
    other = "fast" if x[1] > 0 else "slow"
    here = {"slow": x[2], "fast": x[3]}
    return RATES[name] * x[1] ** 2 + here[other] ** 2 + RATES.get(name, 9.0) * here.get(other, 7.0)


@program(several)
def key_in_try(x):
    name = "slow" if x[0] > 0 else "fast"
    try:
        rate = RATES[name]
    except KeyError:
        rate = 0.0
    return rate * x[1] ** 2


@program(several)
def item_is_set(x):
    name = "slow" if x[0] > 0 else "fast"
    here = {"slow": x[2], "fast": x[3]}
    here[name] = x[1] ** 2
    here[name] += x[4]
    return 3.0 * here["slow"] + here["fast"] ** 2


@program(several)
def counted_by_name(x):
    found = {"up": 0, "down": 0}
    total = {"up": 0.0, "down": 0.0}
    for v in x:
        name = "up" if v > 0 else "down"
        found[name] += 1
        total[name] += v * v
    return total["up"] / found["up"] - total["down"] / found["down"]


@program(several)
def what_texts_are_asked(x):
    name = "alpha" if x[0] > 0 else "be"
    s = x[1] * len(name) + (x[2] if name.startswith("al") else x[3])
    s += x[2] * ["be", "alpha"].index(name) + x[3] * ("p" in name) + x[0] * (name in {"be", "ga"})
    if name.upper() + "x" == "ALPHAx" and isinstance(name, str) and name is not None:
        s *= x[3]
    return s if name and f"{name}-{name:>6}" == "alpha- alpha" else x[4]


@program(several)
def empty_text_is_false(x):
    name = "" if x[0] > 0 else "set"
    return x[1] ** 2 if name else x[2] ** 2


@program(several)
def one_of_three(x):
    name = "low" if x[0] < 0 else "middle" if x[0] < 1 else "high"
    again = name if x[1] > 0 else "low"
    return {"high": x[1], "low": x[2], "middle": x[3]}[name] * len(again)


@program(several)
def members_of_an_enum(x):
    gear = Gear.UP if x[0] > 0 else Gear.DOWN
    s = x[1] * 2 if gear is Gear.UP else x[2]
    return s * (3.0 if gear == Gear.DOWN else x[3]) * len(gear.value) * (gear.name == "UP")


@program(several)
def thermostat(x):
    mode = "off"
    heat, cost = 15.0, 0.0
    for k in range(30):
        if mode == "off" and heat < 18:
            mode = "on"
        elif mode == "on" and heat > 19:
            mode = "off"
        power = {"off": 0.0, "on": x[0] + x[2]}[mode]
        heat = heat + power - 0.05 * (heat - 10)
        cost += power**2 + k * (0.01 if mode == "on" else 0.0) * heat
    return cost + heat


@program(several)
def states_one_after_the_other(x):
    gear = Gear.PARK
    s = 0.0
    k = 0
    while k < 12 and gear is not None:
        v = x[k % 5]
        if gear is Gear.PARK:
            gear = Gear.UP
            s += v
        elif gear is Gear.UP:
            s += v * v
            gear = Gear.DOWN if v < 0 else gear
        elif s > 9:
            gear = None
        else:
            s *= 1.5
            gear = Gear.PARK
        k += 1
    return s


@program(several)
def names_that_begin_as_none(x):
    label = None
    s = 0.0
    for v in x:
        if v < 0 and label is None:
            label = "negative"
        s += v if label is None else 2 * v * v
    return s * (1.0 if label == "negative" else 3.0)


@program(several)
def function_of_the_trip_before(x):
    f = CURVES["square"]
    s = 0.0
    for v in x:
        s += f(v)
        f = CURVES["cube" if v < 0 else "square"]
    return s * f(x[1])


@dataclass
class Machine:
    state: str = "idle"
    work: float = 0.0

    def step(self, v):
        if self.state == "idle" and v > 0.4:
            self.state = "busy"
        elif self.state == "busy":
            self.work += v * v
            if v < 0:
                self.state = "idle"


@program(several)
def state_of_an_object(x):
    machine = Machine()
    for _ in range(3):
        for v in x:
            machine.step(v)
    return machine.work * (2.0 if machine.state == "idle" else 1.0)


def scaled(v, kind="plain", **options):
    if kind == "plain":
        return v * v
    return v * options.get("factor", 1.0)


@program(several)
def handed_to_functions(x):
    kind = "plain" if x[0] > 1 else "other"
    how = "sum" if x[1] < 0 else "mean"
    edge = "same" if x[0] > 0 else "full"
    return scaled(x[3], kind=kind, factor=x[2]) * getattr(np, how)(x) + np.convolve(x, x[:2], mode=edge)[1]


@program(several)
def printed(x):
    mode = "hot" if x[0] > 0 else "cold"
    print("the mode is", mode, f"{mode}: {x[1]:.3f}")
    if x[3] < 0:
        raise ValueError(f"{mode} at {x[3]}")
    return x[1] * (2.0 if mode == "hot" else 3.0)


@program(several)
def left_in_a_loop(x):
    status = "fine"
    s = 0.0
    for v in x:
        s += v
        if s < -1:
            status = "low"
            break
        if s > 1.2:
            status = "high"
            break
    return s * s if status in ("low", "high") else -s


@program(several)
def table_of_transitions(x):
    table = {("idle", True): "run", ("run", False): "idle", ("run", True): "run", ("idle", False): "idle"}
    sums = {True: 0.0, False: 1.0}
    state = "idle"
    for v in x:
        state = table[state, v > 0]
        sums[state == "run"] += v * v
    return sums[True] * sums[False]


@program(several)
def function_or_none(x):
    f = None
    if x[0] > 0:
        f = np.sin
    s = x[1] if f is None else f(x[1])
    if f:
        s *= f(x[2])
    return s


@program(lambda r: (r.normal(size=5), r.normal()))
def chosen_by_a_truth_value(x, a):
    s = (x[0], x[1])[a > 0] * 2 + [x[2], a][not a > 0]
    for v in x:
        s += (v * v, -v)[bool(v > 0)]
    f = (np.sin, np.cos)[bool(x[0] > 0)]
    return s + f(x[1]) + dict.fromkeys("ab", x[3])["b"]


@dataclass(frozen=True)
class Layer:
    base: float
    lapse: float
    warm: float


LAYERS = (Layer(0.0, -0.65, 2.9), Layer(1.0, 0.0, 2.2), Layer(2.0, 0.1, 2.1))


@program(lambda r: (np.array([0.4, 1.5, 2.6, 3.2]),))
def layers_of_a_table(heights):
    total = 0.0
    for h in heights:
        layer = LAYERS[0]
        for other in LAYERS:
            if h >= other.base:
                layer = other
        below = next(each for each in LAYERS[::-1] if h > 0.9 * each.base)
        warm = layer.warm + layer.lapse * (h - layer.base)
        total += warm**2 * (np.exp(-h / warm) if layer.lapse == 0 else h) * below.warm
    return total


class Ring:
    def __init__(self, radius):
        self.radius = radius

    def area(self, scale):
        return 3.0 * (self.radius * scale) ** 2


class Plate:
    def __init__(self, sides):
        self.sides = np.array(sides)

    def area(self, scale):
        return np.prod(self.sides * scale)


RING, PLATE = Ring(1.5), Plate([1.0, 2.0, 0.5])


@program(lambda r: (np.array([0.5, 1.4, 0.9, 2.1]),))
def shapes_of_two_classes(x):
    shape, spare, total = RING, None, 0.0
    for v in x:
        if v > 1.2:
            shape, spare = PLATE, RING
        elif v < 0.6:
            shape = RING
        total += shape.area(v) * v
        if spare is not None and not isinstance(shape, Ring):
            total += spare.area(v * v)
    if total > 1.0:
        last = shape
    return total * last.area(x[0])


ROWS = [Layer(0.0, 1.0, 2.0), Layer(1.0, 2.0, 3.0), Layer(2.0, 5.0, -1.0)]
PAIRS = [[1.0, 2.0], [3.0, 5.0], [0.5, 4.0]]


@program(lambda r: (np.array([0.4, 1.5, 2.6, 1.2]),))
def records_at_positions_of_the_run(x):
    total = 0.0
    for v in x:
        row = ROWS[int(v)]
        layer = LAYERS[int(v)]
        total += row.lapse * v**2 + layer.warm * np.sin(row.warm * v)
    low, high = PAIRS[int(x[1])]
    return total * low + high * x[0] ** 2


@program(lambda r: (np.array([0.5, 1.4, 2.4, 1.2]),))
def chosen_in_branches_of_branches(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            if v > 2.0:
                shape = RING
            else:
                shape = PLATE
            key = "slow" if np.sin(v) > 0.9 else "fast"
        if v > 1.1:
            total += shape.area(v) * RATES[key]
    if total > 1.0:
        curve = CURVES["square"] if total * x[0] > 3.0 else np.sin
    return curve(total) + total


@program(lambda r: (np.array([0.5, 1.4, 2.4, 0.7, 1.1]),))
def known_from_the_second_trip_on(x):
    total = 0.0
    for k, v in enumerate(x):
        if k == 0:
            kind = "slow"
        total += v**2 if kind == "fast" else 3.0 * np.sin(v)
        kind = "fast" if v > 1.0 else "slow"
    return total
