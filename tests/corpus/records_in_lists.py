"""Lists of dicts and objects in loops of more trips than can be written out."""

import dataclasses
import enum

import numpy as np
from tests.corpus import program


class Phase(enum.Enum):
    WARM = "warm"


@dataclasses.dataclass(order=True)
class Event:
    time: float
    place: int


@dataclasses.dataclass
class Snapshot:
    step: int
    state: np.ndarray
    phase: Phase = Phase.WARM

    def energy(self):
        return 0.5 * self.state @ self.state


def forcing(r):
    return 0.1 * r.normal(size=120), 0.9


@program(forcing)
def a_history_of_dicts(u, q):
    x, history = np.array([1.0, 0.5]), []
    for k, force in enumerate(u):
        x = q * x + force
        entry = {"it": k, "x": x, "name": "run", "norms": (np.cos(x).sum(), x @ x)}
        entry["late"] = k > 60
        entry["side"] = None if k % 7 == 3 else "low" if k % 2 else "high"
        history.append(entry)
        if x @ x > 1e3:
            break
    best = min(history, key=lambda h: h["norms"][1])
    late = sum(h["x"][0] * h["norms"][0] for h in history if h["late"] and h["name"] == "run")
    late += sum(h["x"][1] for h in history if h["side"] == "low" or h["side"] is None)
    return late + history[-1]["x"] @ history[5]["x"] + best["x"][1] * best["it"]


@program(forcing)
def snapshots_of_objects(u, q):
    x, shots = np.array([1.0, 0.5]), []
    while len(shots) < 90:
        x = q * x + u[len(shots)]
        shot = Snapshot(len(shots), x)
        if shot.energy() > 0.5 * q:
            shots.append(shot)
        else:
            shots.append(Snapshot(0, 2.0 * x))
    copied = {"a": dataclasses.replace(shots[-1], step=3)}
    copied["a"].step += 1
    return sum(s.energy() * s.step for s in shots) + copied["a"].step * copied["a"].energy()


@program(forcing)
def columns_of_a_trace(u, q):
    x, v, trace, entries = 1.0, 0.0, [], []
    for k, force in enumerate(u):
        v = v + 0.1 * (force - q * x)
        x = x + 0.1 * v
        trace.append((0.1 * k, x, v))
        entries.append((k, np.array([x, v])))
        if x < -2.0:
            break
    times, xs, vs = zip(*trace, strict=True)
    ks, states = zip(*entries, strict=True)
    total = sum(x * t for x, t in zip(xs, times, strict=True)) + np.sum(np.diff(vs) ** 2) + max(xs)
    return total + states[-1] @ states[2] * ks[3] + np.array(states)[:, 0] @ np.array(ks)


@program(
    forcing,
    refused=dict.fromkeys(("compiled", "python"), "older than this trip of the loop"),
)
def one_dict_in_every_place(u, q):
    state, history = {"x": 1.0}, []
    for force in u:
        state["x"] = q * state["x"] + force
        history.append(state)
        if force > 5.0:
            break
    return sum(h["x"] for h in history)


@program(
    forcing,
    refused=dict.fromkeys(("compiled", "python"), "this writes to a dict that was put into a list before"),
)
def a_dict_in_a_list_is_written_to(u, q):
    history = []
    for force in u:
        entry = {"x": q * force}
        history.append(entry)
        entry["x"] *= 2.0
        if force > 5.0:
            break
    return sum(h["x"] for h in history)


@program(forcing)
def an_object_of_a_list_is_written_to(u, q):
    shots = [Snapshot(k, q * np.array([force, 1.0])) for k, force in enumerate(u)]
    for shot in shots:
        shot.step = 2
    return sum(s.energy() * s.step for s in shots)


@program(forcing)
def what_the_last_trip_made_is_read(u, q):
    for _ in range(30):
        path, kinetic = [q], {"sum": 0.0}
        for force in u:
            path.append(0.5 * path[-1] + q * force)
            kinetic["sum"] += path[-1] ** 2
            if force > 5.0:
                break
        q = 0.9 * q + 0.01 * path[-1]
    return sum(p**2 for p in path) + kinetic["sum"] + q


@program(lambda r: (0.1 * r.permutation(60), 0.9))
def events_in_order(u, q):
    events = []
    for k, force in enumerate(u):
        events.append(Event(q * force, k))
        if force > 5.0:
            break
    ordered = sorted(events)
    weighed = sum(e.time * j for j, e in enumerate(sorted(events, reverse=True)))
    return weighed + ordered[0].time * ordered[0].place + ordered[-1].time
