"""A large function is cut into several: their values, their errors, and what they look like."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import adc
from adc.compiler.backend import sections
from adc.compiler.backend.naming import Kind


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Every function is large here."""
    monkeypatch.setattr(sections, "LARGE", 5)
    monkeypatch.setattr(sections, "SECTION", 3)
    monkeypatch.setattr(sections, "MOST_CROSSING", 100.0)


def branches(x, s):
    """What a branch of the forward sweep binds, the reverse sweep reads in the same branch, of another section."""
    a = np.sin(s)
    if a > 0.2:
        b = np.tanh(a * s)
        c = b * np.exp(-b)
    else:
        c = a * a
    d = np.cos(c) * s
    if d > 0.5:
        y = np.tanh(x * d)
    else:
        y = x * d
    e = np.sum(y * y)
    if e < 1e-3:
        e = e + np.sin(d)
    f = np.exp(e) * c
    g = np.sqrt(f * f + 1.0)
    return g * d + np.log(g)


def in_a_loop(x, s):
    """The name is bound in some trips, and has the value of an earlier trip in others."""
    best = s
    total = 0.0
    for i in range(x.shape[0]):
        a = np.sin(x[i]) * best
        b = np.exp(-a * a)
        if b > 0.6:
            best = b * a + s
        c = np.tanh(best * x[i])
        d = np.sqrt(c * c + 1.0)
        total += d * best + c
        x[i] = total * 0.1
    return total + np.sum(x)


def until(x, s):
    k = 0
    t = s
    while True:
        u = np.sin(t) + x[k % x.shape[0]]
        v = np.exp(-u * u)
        if v < 0.2:
            w = np.tanh(v)
            break
        t = t + v * 0.5
        t = t * np.cos(u)
        k += 1
        if k > 7:
            w = t * v
            break
    return w * w + t


def written(x, s):
    y = x * s
    y[0] = np.sin(s)
    y += x
    z = y[1:]
    z *= s
    y[-1] += y[0] * y[1]
    w = np.outer(y, x)
    w[0] -= y
    w += w.T.copy()
    v = w @ y
    return np.sum(v * y) + np.max(w)


PROGRAMS = [branches, in_a_loop, until, written]


@pytest.mark.parametrize("s", [0.1, 0.9, 2.0, -1.5])
@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_values(program, mode, s):
    x = np.linspace(-0.4, 1.3, 6)
    wanted = adc.value_and_grad(program, (0, 1), mode="tape")(x, s)
    found = adc.value_and_grad(program, (0, 1), mode=mode)(x, s)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    for one, other in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def text_for_numba(program):
    return adc.source(adc.grad(program, (0, 1)), np.linspace(-0.4, 1.3, 6), 0.9, stage="optimized")


@pytest.mark.parametrize("program", [branches, written])
def test_a_program_is_cut(program):
    assert "@rt.section" in text_for_numba(program)


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_called_in_a_loop(program):
    for loop in ast.walk(ast.parse(text_for_numba(program))):
        if isinstance(loop, ast.For | ast.While):
            assert not any(isinstance(n, ast.Name) and "_section" in n.id for n in ast.walk(loop))


def test_where_many_names_cross_nothing_is_cut(monkeypatch):
    monkeypatch.setattr(sections, "MOST_CROSSING", 1.0)
    names = [f"a_{k}" for k in range(12)]
    lines = ["def f(x):", *(f"    {name} = x + {k}.0" for k, name in enumerate(names))]
    lines += [f"    return {' + '.join(names)}"]
    assert sections.cut(lines) == lines


def test_an_error_is_raised_through_a_section():
    def short(x, s):
        a = np.sin(s)
        b = np.exp(a * s)
        c = np.tanh(b) * x[7]
        d = np.sqrt(c * c + b)
        return d * a + c

    with pytest.raises(IndexError) as raised:
        adc.grad(short, (0, 1), mode="compiled")(np.ones(4), 0.5)
    assert raised.traceback[-1].name == "short"


def text(body: str) -> list[str]:
    return ["def f(x, s):", *("    " + line for line in body.strip().splitlines())]


def test_headings_and_comments_stay_where_they_belong():
    lines = text(
        """# forward
a = x + s
b = a * x
c = b * a
# reverse
# user.py:3: c = b * a
b_bar = a
a_bar = b
# user.py:2: b = a * x
a_bar += b_bar * x
x_bar = a_bar
return x_bar"""
    )
    assert sections.cut(lines) == [
        "@rt.section",
        "def f_section(s, x):",
        "    a = x + s",
        "    b = a * x",
        "    c = b * a",
        "    return a, b",
        "",
        "",
        "@rt.section",
        "def f_section_2(a, b, x):",
        "    # user.py:3: c = b * a",
        "    b_bar = a",
        "    a_bar = b",
        "    # user.py:2: b = a * x",
        "    a_bar += b_bar * x",
        "    x_bar = a_bar",
        "    return x_bar",
        "",
        "",
        "def f(x, s):",
        "    # forward",
        "    a, b = f_section(s, x)",
        "    # reverse",
        "    x_bar = f_section_2(a, b, x)",
        "    return x_bar",
    ]


def test_what_may_be_unbound_is_bound_first_or_its_section_stays():
    lines = text(
        """a = x + s
b = a * x
if a > 0.0:
    kept = a * b
c = b - a
d = c * s
e = d + c
if a > 0.0:
    e = kept
return e"""
    )
    known = "\n".join(sections.cut(lines, {"kept": Kind("float64", None)}))
    assert "    kept = 0.0\n" in known and known.count("@rt.section") >= 2
    namespace = {"rt": type("rt", (), {"section": staticmethod(lambda f: f)})}
    exec(known, namespace)
    assert namespace["f"](1.0, 2.0) == 9.0
    unknown = "\n".join(sections.cut(lines))
    ast.parse(unknown)
    exec(unknown, namespace)
    assert namespace["f"](1.0, 2.0) == 9.0
    assert namespace["f"](-3.0, 2.0) == namespace["f"](-3.0, 2.0)
    assert "kept = 0.0" not in unknown


def test_arrays_written_in_place_are_not_returned():
    lines = text(
        """y_bar[0] = 0.0
y_bar += s
y_bar[1] += s
z = y_bar * s
z += s
z *= z
w = z * y_bar
return w, y_bar"""
    )
    for kinds in ({"y_bar": Kind("float64", 1), "z": Kind("float64", 1)}, {}):
        first = next(
            line for line in sections.cut(["def f(s, y_bar):", *lines[1:]], kinds) if "return" in line
        )
        assert ("y_bar" in first) != bool(kinds)


def test_long_lists_of_names_are_wrapped():
    names = [f"a_rather_long_name_{k}" for k in range(12)]
    lines = ["def f(x):", *(f"    {name} = x + {k}.0" for k, name in enumerate(names))]
    lines += [f"    return {' + '.join(names)}"]
    cut = sections.cut(lines)
    assert all(len(line) <= sections.WIDTH for line in cut[:-1])
    namespace = {"rt": type("rt", (), {"section": staticmethod(lambda f: f)})}
    exec("\n".join(cut), namespace)
    assert namespace["f"](1.0) == sum(1.0 + k for k in range(12))
