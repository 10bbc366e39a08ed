# ruff: noqa: UP031, UP032  (as people write it)
"""What a function prints is what Python prints, to the letter, on every engine."""

import dataclasses
import subprocess
import sys
import textwrap
from collections import deque

import numpy as np
import pytest

import adc


@dataclasses.dataclass
class _Point:
    x: float
    name: str


class _Body:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"body at {self.v[0]:.1f}"

    def __repr__(self):
        return "Body(" + repr(self.v[1]) + ")"


def texts(x, s):
    print(f"loss {x[0]:.3f} {s:8.2f}|{x[1]!r:>25}|", s, x, end="; ")
    print("a", s, x[0], sep="-")
    print()
    print("%5.1f|%-8s|%d|%s|100%%" % (x[0], s, x[1] * 10, x[0] > 0))
    print("{0:.2f} {b:>9.3e} {0!r}".format(s, b=x[1]) + str(x[2]) + repr(x[2]))
    return np.sum(x * x) * s


def containers(x, s):
    print((x[0], s), [x[0] > 0, s > 0], {"x": x, 2: [s, "t", None]}, (s,))
    print(_Point(x[0], "p"), [_Point(s, "q")], f"{_Body(x)} {[_Body(x)]}", str(_Body(x)))
    print({1, 2}, [set("a")], f"{set()}")
    print([f"{v:.1f}" for v in (x[0], x[1])], (f"{s:.2f}",))
    print(", ".join(f"{v:.2f}" for v in (x[0], x[1])), x.shape, len(x), x.dtype)
    return np.sum(x * x) * s


def in_loops(x, s):
    total = 0.0
    for k in range(len(x)):
        total += s * x[k] ** 2
        if k % 2 == 0:
            print(f"{k:03d}: {total:.4f}", flush=True)
    seen = []
    while total > 1.0:
        total = 0.5 * total
        seen.append(total)
    word = "large" if total > 0.5 else "small"
    print("seen", len(seen), word, f"{word:>8}: {total:.2e}")
    return total


def lengths_of_the_run(x, s):
    kept = [v for v in x if v > s]
    best, last = None, deque(maxlen=2)
    print(kept, range(2), range(len(x)), best)
    for v in x:
        last.append(v)
        if v > s and (best is None or v < best):
            best = v
        print(best, last, end=";")
    return np.sum(x * x) * s


def types(x, s):
    y = x.astype(np.float32)
    print(y[0], [y[0]], y, float(y[0]), int(s * 10), 1j * s, np.int64(len(x)), y.sum() > 0)
    return np.sum(y) * s


@pytest.mark.parametrize("mode", ["python", "compiled", "tape", "auto"])
@pytest.mark.parametrize("function", [texts, containers, in_loops, lengths_of_the_run, types])
def test_printed_as_python_does(function, mode, capfd):
    arguments = np.array([0.7, 1.25, 2.0, 0.1]), 1.5
    function(*arguments)
    wanted = capfd.readouterr().out
    run = adc.grad(function, mode=mode)
    for _ in range(2):
        run(*arguments)
        assert capfd.readouterr().out == wanted
    if mode == "auto":
        assert run.mode == "compiled"


def test_readable_text_prints():
    def loss(x):
        print(f"x = {x:.2f}", end="")
        return x * x

    assert "print(f'x = {x:.2f}', end='')" in adc.source(adc.grad(loss), 1.0)


def test_what_print_raises_is_raised():
    def loss(x):
        print(f"{x:.2f}")
        return np.sum(x * x)

    for mode in ("python", "compiled", "tape"):
        with pytest.raises(TypeError, match="unsupported format string"):
            adc.grad(loss, mode=mode)(np.ones(2))


def test_printed_by_a_second_process(tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
        import adc
        import numpy as np

        def loss(x):
            print(f"{x[0]:.2f}", end="!\\n")
            return np.sum(x * x)

        adc.grad(loss, mode="compiled")(np.ones(2))
        """)
    )
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env={**__import__("os").environ, "ADC_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "1.00!\n"
