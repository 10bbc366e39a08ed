"""Every program does after desugaring what it did before, and what comes out is the core language."""

import ast
import contextlib
import copy
import itertools
import math
import textwrap

import gast
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adc.compiler.frontend import desugar


class OutOfFuel(BaseException):
    """A generated program ran too long; it may stop anywhere, but must stop in the same place."""


def parsed(text):
    return gast.parse(textwrap.dedent(text)).body[0]


def text_of(function):
    return ast.unparse(gast.gast_to_ast(function))


def loaded(function, extra=None):
    """The function as an object, and the list into which its `log` writes."""
    trace = []

    def log(*values):
        trace.append(copy.deepcopy(values))
        if len(trace) > 120:
            raise OutOfFuel
        return values[0] if values else None

    world = {"log": log, "math": math, "contextlib": contextlib, **(extra or {})}
    exec(compile(text_of(function), "<desugared>", "exec"), world)
    return world[function.name], trace


def outcome(function, arguments):
    """All that can be seen of a call: result or exception, what became of the arguments, the log."""
    callable_, trace = loaded(function)
    arguments = copy.deepcopy(arguments)
    try:
        seen = ("returned", callable_(*arguments))
    except (Exception, OutOfFuel) as error:
        seen = ("raised", type(error), str(error))
    return repr((seen, arguments, trace))


def assert_same(function, inputs):
    core = desugar.run(function)
    runnable = desugar.as_python(core)
    for arguments in inputs:
        before, after = outcome(function, arguments), outcome(runnable, arguments)
        assert before == after, f"{arguments}\n{text_of(function)}\n\n{text_of(runnable)}"
    return core


def own(statements):
    """Statements of a function, nested ones after their parents, without those of inner functions."""
    for statement in statements:
        yield statement
        if not isinstance(statement, gast.FunctionDef):
            for owner in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    yield from own(getattr(owner, field, []))


def assert_core(function):
    for node in gast.walk(function):
        if isinstance(node, gast.FunctionDef):
            statements = list(own(node.body))
            returns = [s for s in statements if isinstance(s, gast.Return)]
            assert len(returns) <= 1 and all(s is node.body[-1] for s in returns)
        assert not isinstance(node, (gast.Break, gast.Continue, gast.AnnAssign))
        if isinstance(node, (gast.For, gast.While)):
            assert not node.orelse
        if isinstance(node, gast.While):
            assert not any(isinstance(part, gast.NamedExpr) for part in gast.walk(node.test))
        if isinstance(node, gast.Assign):
            assert len(node.targets) == 1


def assert_placed(function, core):
    """Each node stands at a place of the user's text."""
    lines = range(function.lineno, function.end_lineno + 1)
    unplaced = {id(node.name) for node in gast.walk(core) if isinstance(node, gast.ExceptHandler)}  # by gast
    for node in gast.walk(core):
        if "lineno" in node._attributes and id(node) not in unplaced:
            assert node.lineno in lines and node.end_lineno in lines, gast.dump(node)


numbers = [(n, list(x)) for n in (-1, 0, 1, 3, 7) for x in ([], [4], [3, -2, 5], [0, 1, 2, 3, 4, 5])]
pairs = list(itertools.product((-2, 0, 1, 2, 5), (-1, 0, 1, 3, 4)))
"""Inputs of programs of (n, x) with a list x, and of programs of two integers."""

WITH_LIST = {
    "break": """
def f(n, x):
    for v in x:
        if v == n:
            break
        log(v)
    return v
""",
    "break_first": """
def f(n, x):
    for i in range(n):
        break
    else:
        return -1
    return i
""",
    "break_in_both_branches": """
def f(n, x):
    s = 0
    for v in x:
        if v > n:
            s += 1
            break
        else:
            s -= 1
            break
        log("never")
    return s
""",
    "continue": """
def f(n, x):
    s = 0
    for v in x:
        if v < n:
            continue
        s += v
    return s
""",
    "continue_in_else": """
def f(n, x):
    s = 0
    for v in x:
        if v < n:
            s += 1
        else:
            continue
        s += v
    return s
""",
    "continue_last": """
def f(n, x):
    for v in x:
        log(v)
        continue
    return n
""",
    "continue_partial": """
def f(n, x):
    s = 0
    for v in x:
        if v > 0:
            if v > n:
                continue
            s += 1
        log(v, s)
        s += v
    return s
""",
    "continue_and_break": """
def f(n, x):
    s = 0
    for v in x:
        if v < 0:
            continue
        if s > n:
            break
        s += v
    return s
""",
    "continue_and_break_partial": """
def f(n, x):
    s = 0
    for v in x:
        if v > 0:
            log(v)
            if v == n:
                continue
            elif v > n + 1:
                break
            s += 1
        elif v < -1:
            if s > 2:
                break
        log("rest", v)
        s += v
    return s
""",
    "continue_twice": """
def f(n, x):
    s = 0
    for v in x:
        if v > 0:
            if v == n: continue
            s += 1
        log(s)
        if s > 1:
            if v == 2: continue
            s += 10
        log(s)
    return s
""",
    "for_else": """
def f(n, x):
    for v in x:
        if v == n:
            where = v
            break
    else:
        where = None
    return where
""",
    "for_else_without_break": """
def f(n, x):
    for v in x:
        log(v)
    else:
        log("end")
    return n
""",
    "for_else_returns": """
def f(n, x):
    for v in x:
        if v == n:
            break
    else:
        return "none"
    log(v)
    return v
""",
    "for_return_else": """
def f(n, x):
    for v in x:
        if v == n:
            return v
    else:
        log("no")
    log("rest")
    return -1
""",
    "for_break_return_else": """
def f(n, x):
    for v in x:
        if v == n:
            break
        if v > 3:
            return "big"
    else:
        log("end")
        if n > 3:
            return "n"
        log("small")
    log("rest")
    return v if x else None
""",
    "while_else": """
def f(n, x):
    i = 0
    while i < len(x):
        if x[i] == n:
            break
        i += 1
    else:
        i = -1
    return i
""",
    "while_else_break_outer": """
def f(n, x):
    for v in x:
        i = 0
        while i < v:
            if i == n:
                log("inner")
                break
            i += 1
        else:
            if v > 4:
                break
            log("else")
            continue
        log("after", v)
    return i if x else -1
""",
    "while_true": """
def f(n, x):
    i = 0
    while True:
        if i >= len(x):
            break
        x[i] += n
        i += 1
    return i
""",
    "while_true_return": """
def f(n, x):
    i = 0
    while True:
        i += 1
        if i > n:
            return i
        log(i)
""",
    "while_true_break_return": """
def f(n, x):
    i = 0
    while True:
        i += 1
        if i > n:
            return i
        if i in x:
            break
    x.append(i)
    return -i
""",
    "while_condition_not_evaluated_after_break": """
def f(n, x):
    i = 0
    while log(i) < 5 and x:
        if i == n:
            break
        i += 1
    return i
""",
    "while_walrus": """
def f(n, x):
    while x and (v := x.pop()) != n:
        if v == 3:
            continue
        if v == 5:
            break
        log(v)
    else:
        log("end")
    return x
""",
    "nested_breaks": """
def f(n, x):
    s = 0
    for v in x:
        for w in x:
            if w > v:
                break
            if w == n:
                continue
            s += w
        if s > 6:
            break
        s += 100
    return s
""",
    "nested_returns": """
def f(n, x):
    for v in x:
        if v > 0:
            while v < 9:
                for w in x:
                    if v + w == n:
                        return v, w
                    log(v, w)
                v += 3
            log("while done")
        log("body done")
    return None
""",
    "nested_break_and_return": """
def f(n, x):
    for v in x:
        for w in x:
            if w > 3:
                break
            if v * w == n:
                return v, w
            log(w)
        else:
            log("inner else")
        if v == 5:
            break
        log(v)
    else:
        log("outer else")
    log("rest")
""",
    "break_then_outer_continue": """
def f(n, x):
    s = 0
    for v in x:
        while True:
            s += 1
            if s % 3 == 0:
                break
        if s > n:
            continue
        s += v
    return s
""",
    "two_searches": """
def f(n, x):
    for v in x:
        if v == n:
            return "first"
    log("between")
    for v in x:
        if v == n + 1:
            return "second"
    log("after")
    return "neither"
""",
    "enclosing_loop_returns_after_break": """
def f(n, x):
    for v in x:
        for w in x:
            if w == n:
                break
        else:
            return v
    return w if x else None
""",
    "shared_iterator": """
def f(n, x):
    items = iter(x)
    for v in items:
        if v == n:
            break
    return list(items)
""",
    "procedure": """
def f(n, x):
    if not x:
        return
    for i in range(len(x)):
        if x[i] == n:
            return
        x[i] = n
    x.append(n)
    return
""",
    "procedure_partial": """
def f(n, x):
    if n > 0:
        if not x:
            return
        x[0] = 9
    x.append(n)
""",
    "finally": """
def f(n, x):
    for v in x:
        try:
            if v == n:
                return v
            if v < 0:
                break
            if v == 4:
                continue
            log(10 // v)
        finally:
            log("finally", v)
        log("rest")
    return "end"
""",
    "except": """
def f(n, x):
    s = 0
    for v in x:
        try:
            s += n // v
            if s > 3:
                break
        except ZeroDivisionError as error:
            log(str(error))
            continue
        else:
            log("fine")
        s += 1
    return s
""",
    "except_returns": """
def f(n, x):
    try:
        v = x[n]
        if v < 0:
            return "negative"
    except IndexError:
        return "outside"
    else:
        log("inside")
    finally:
        log("finally")
    return v
""",
    "try_returns": """
def f(n, x):
    try:
        return x[n]
    except IndexError:
        log("outside")
    return x
""",
    "raise_caught": """
def f(n, x):
    try:
        if n > 2:
            raise ValueError("n")
        return n
    except ValueError:
        pass
    return -1
""",
    "with": """
def f(n, x):
    with contextlib.nullcontext() as c:
        for v in x:
            if v == n:
                return v
        log(c)
    return -1
""",
    "with_suppress": """
def f(n, x):
    for v in x:
        with contextlib.suppress(ZeroDivisionError):
            log(n // v)
            if v == 5:
                break
            continue
        log("suppressed")
    with contextlib.suppress(IndexError):
        return x[n]
    return "outside"
""",
    "nested_function": """
def f(n, x):
    def clipped(v):
        if v > n:
            return n
        return v
    running = 0
    for v in x:
        if v < 0:
            return clipped(v), running
        running += clipped(v)
    return running
""",
    "names_taken": """
def f(n, x):
    result = looping = n
    for running in x:
        if running == n:
            break
        if running > 4:
            return result
        result += 1
    return result, looping
""",
    "chained_assignment": """
def f(n, x):
    a = b = [n]
    b.append(1)
    i = j = c = 0
    x[i:i] = d = log([n])
    (p, q) = r = (n, i)
    n = x = n
    return a, b, i, j, c, d, p, q, r, n, x
""",
    "chained_assignment_order": """
def f(n, x):
    x = [0, 0, 0]
    i = x[i] = 2
    x[log(0)] = x[log(1)] = log(7)
    a = (a, b) = c = (n, i)
    return x, i, a, b, c
""",
    "annotations": """
def f(n, x):
    total: float = 0.0
    count: int
    count = len(x)
    for v in x:
        part: int = v
        total += part
    return total, count
""",
    "sequence_patterns": """
def f(n, x):
    match x:
        case []:
            return "empty"
        case [a]:
            return a
        case [a, -2, b] if a == n:
            return a + b
        case (a, _, 5 as c):
            return c, a
    return "none"
""",
    "match_in_loop": """
def f(n, x):
    s = 0
    for v in x:
        match v - n:
            case 0 | 1:
                continue
            case 2:
                break
            case -1:
                return s
            case other if other > 3:
                s += other
            case _:
                s -= 1
        log(s)
    return s
""",
}

WITH_PAIR = {
    "early_return": """
def f(a, b):
    if a > b:
        return a
    return b
""",
    "early_returns": """
def f(a, b):
    if a > b:
        return a - b
    log("not greater")
    if a == b:
        return 0
    elif a == 0:
        log("zero")
    else:
        return b
    c = log(a + b)
    return c
""",
    "one_branch_returns": """
def f(a, b):
    if a > 0:
        b += 1
    else:
        return "a"
    if b > 2:
        return "b"
""",
    "both_branches_return": """
def f(a, b):
    if a > 0:
        if b > 0:
            return 1
        return 2
    else:
        log(a)
        return 3
    log("never")
""",
    "partial_return": """
def f(a, b):
    if a > 0:
        if b > 0:
            return log(a)
        a += 5
    log("rest")
    a += b
    return a
""",
    "partial_return_small_rest": """
def f(a, b):
    if a > 0:
        if b > 0:
            return log(a)
        a += 5
    return a
""",
    "return_none_or_value": """
def f(a, b):
    if a > 0:
        if b > 1:
            return
        return a
    elif b == 0:
        return None
    log("end")
""",
    "raise_and_return": """
def f(a, b):
    if a < 0:
        raise ValueError("a")
    if b < 0:
        log("b")
        raise TypeError("b")
    elif b == 0:
        return a
    assert a != b, "same"
    return b
""",
    "ends_in_raise": """
def f(a, b):
    if a > b:
        return a
    raise ValueError(b)
""",
    "always_raises": """
def f(a, b):
    if a > b:
        raise ValueError(a)
    raise TypeError(b)
""",
    "only_pass": """
def f(a, b):
    pass
""",
    "docstring_only_return": '''
def f(a, b):
    """Text."""
    return a + b
''',
    "unreachable": """
def f(a, b):
    while a < b:
        a += 1
        continue
        log("never")
    return a
    log("never")
""",
    "gcd": """
def f(a, b):
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
        if a == 1:
            return 1
    return a
""",
    "collatz": """
def f(a, b):
    steps = 0
    while a > 1:
        if steps >= 20:
            break
        if a % 2 == 0:
            a //= 2
            steps += 1
            continue
        a = 3 * a + 1
        steps += 1
    else:
        return steps
    return "long"
""",
    "match_values": """
def f(a, b):
    match a:
        case 0:
            s = "zero"
        case 1 | 2:
            s = "few"
        case -2 if b > 0:
            s = "minus"
        case x if x > b:
            s = x
        case math.inf:
            s = "inf"
        case None | True:
            s = "single"
        case _:
            return "many"
    return s
""",
    "match_tuple": """
def f(a, b):
    match a, b:
        case 0, 0:
            return "origin"
        case (0, y) | (y, 0) if False:
            return y
        case _:
            return "refused"
""",
    "match_tuple_rebinds": """
def f(a, b):
    match a, b % 2:
        case b, 0 if b > 1:
            return "even", b
        case (p, q) as whole if p == q:
            return whole
        case 1, 2, 3:
            return "never"
        case a, b:
            pass
    return a, b
""",
    "match_subject_once": """
def f(a, b):
    match log(a + b):
        case 0:
            pass
        case 1 | 3:
            return "odd"
        case c if c > 3:
            return c
    return "end"
""",
    "walrus": """
def f(a, b):
    if (c := a + b) > 2:
        return c
    d = (c := c + 1) * 2
    return c, d
""",
    "chained_comparison": """
def f(a, b):
    if 0 <= log(a) < b < 5:
        return "inside"
    return "outside"
""",
    "loop_always_returns": """
def f(a, b):
    for i in range(a, b):
        return i
    return "none"
""",
    "loop_always_leaves": """
def f(a, b):
    while a < b:
        if a == 0:
            return "zero"
        elif a == 1:
            break
        else:
            raise ValueError(a)
    return a
""",
    "lambda_and_comprehension": """
def f(a, b):
    g = lambda v: [w for w in range(v) if w != a]
    for v in range(b):
        if len(g(v)) == 2:
            return g(v)
    return []
""",
    "handler_in_loop_in_handler": """
def f(a, b):
    for i in range(-1, 3):
        try:
            for j in range(-1, 3):
                try:
                    if (a + i) // (b + j) == 2:
                        return i, j
                    if i == j:
                        break
                except ZeroDivisionError:
                    log(i, j)
                    if a > 1:
                        raise ValueError(a)
        except ValueError:
            continue
        log("next")
    return "none"
""",
    "mapping_pattern": """
def f(a, b):
    for i in range(3):
        match {"a": a}:
            case {"a": 1}:
                return 1
            case {"a": 2}:
                break
        log(i)
    else:
        return "else"
    return i
""",
    "rest_of_a_mapping": """
def f(a, b):
    for i in range(3):
        match {"a": a, "b": b}:
            case {"a": 1, **rest}:
                return rest
            case {"a": 2}:
                break
        log(i)
    else:
        return "else"
    return i
""",
    "star_pattern": """
def f(a, b):
    match [a, b, 3]:
        case [1, *rest]:
            return rest
    return None
""",
    "class_pattern": """
def f(a, b):
    match a:
        case int(real=1):
            return "one"
    return b
""",
    "star_in_the_middle": """
def f(a, b):
    match a, b, a + b, 3:
        case 1, *middle, 3 if log(middle):
            return middle
        case first, second, *_:
            return first - second
""",
    "attributes_by_keyword": """
def f(a, b):
    match a:
        case int(real=1, nothing=2):
            return "never"
        case int(real=r, imag=0) if r > log(b):
            return r
    return b
""",
    "alternatives_that_capture": """
def f(a, b):
    match [a, b]:
        case [1, k] | [k, 1] | [2 as k, _]:
            return log(k)
        case [int(k) | float(k), _]:
            return -k
    return None
""",
}

REFUSED = {
    "jump_out_of_finally": """
def f(a, b):
    for i in range(3):
        try:
            a = a // b
        finally:
            if i == 1:
                break
        log(i)
    else:
        log("else")
    return a
""",
    "jump_called_back": """
def f(a, b):
    for i in range(3):
        try:
            try:
                if i == a:
                    break
            finally:
                log(2 // b)
        except ZeroDivisionError:
            log("called back")
    else:
        return "else"
    return i
""",
}

programs = [pytest.param(text, numbers, id=name) for name, text in WITH_LIST.items()]
programs += [pytest.param(text, pairs, id=name) for name, text in WITH_PAIR.items()]


@pytest.mark.parametrize("text, inputs", programs)
def test_program_keeps_its_meaning(text, inputs):
    function = parsed(text)
    untouched = gast.dump(function, include_attributes=True)
    core = assert_same(function, inputs)
    assert gast.dump(function, include_attributes=True) == untouched
    assert_placed(function, core)
    if "refused" not in text:
        assert_core(core)
    again = desugar.run(core)
    assert text_of(desugar.as_python(again)) == text_of(desugar.as_python(core))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in REFUSED.items()])
def test_what_has_no_core_form_stays_and_says_so(text):
    core = assert_same(parsed(text), pairs)
    reasons = [node.refused for node in gast.walk(core) if hasattr(node, "refused")]
    assert len(set(reasons)) == 1 and reasons[0]


def test_generator_is_returned_unchanged():
    function = parsed("def f(x):\n    for v in x:\n        if v: return\n        yield v")
    assert text_of(desugar.run(function)) == text_of(function)


def test_new_names_avoid_those_of_inner_functions():
    core = desugar.run(
        parsed("""
        def f(x):
            def g(v):
                if v: return looping
                return v
            for v in x:
                if g(v): break
            if x: return result
            return running
    """)
    )
    bound = {n.id for n in gast.walk(core) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    assert bound == {"v", "looping_2", "result_2", "result_3"}


GOLDEN = {
    "early returns": (
        """
def price(kind, s, k):
    if kind == "call":
        return max(s - k, 0.0)
    d = k - s
    if kind == "put":
        return max(d, 0.0)
    raise ValueError(kind)
""",
        """
def price(kind, s, k):
    if kind == 'call':
        result = max(s - k, 0.0)
    else:
        d = k - s
        if kind == 'put':
            result = max(d, 0.0)
        else:
            raise ValueError(kind)
    return result
""",
    ),
    "convergence with break": (
        """
def newton(x, tol):
    for i in range(50):
        dx = (x * x - 2.0) / (2.0 * x)
        x -= dx
        if abs(dx) < tol:
            break
    else:
        raise RuntimeError("no convergence")
    return x
""",
        """
def newton(x, tol):
    looping = True
    for i in range(50):
        dx = (x * x - 2.0) / (2.0 * x)
        x -= dx
        if abs(dx) < tol:
            looping = False
        if not looping:
            break
    if looping:
        raise RuntimeError('no convergence')
    return x
""",
    ),
    "skip and stop": (
        """
def total(x, limit):
    s = i = 0
    while i < len(x):
        v = x[i]
        i += 1
        if v < 0:
            continue
        if s + v > limit:
            break
        s += v
    return s
""",
        """
def total(x, limit):
    s = 0
    i = 0
    looping = True
    while looping and i < len(x):
        v = x[i]
        i += 1
        if not v < 0:
            if s + v > limit:
                looping = False
            else:
                s += v
    return s
""",
    ),
    "return from nested loops": (
        """
def find(a, v):
    for i in range(len(a)):
        for j in range(len(a[i])):
            if a[i][j] == v:
                return i, j
        print(i)
    return None
""",
        """
def find(a, v):
    result = None
    running = True
    for i in range(len(a)):
        for j in range(len(a[i])):
            if a[i][j] == v:
                result = (i, j)
                running = False
            if not running:
                break
        if running:
            print(i)
        if not running:
            break
    return result
""",
    ),
    "match": (
        """
def step(scheme, f, y, h):
    match scheme:
        case "euler":
            return y + h * f(y)
        case "midpoint" | "rk2":
            k = f(y)
            return y + h * f(y + 0.5 * h * k)
        case _:
            raise ValueError(scheme)
""",
        """
def step(scheme, f, y, h):
    if scheme == 'euler':
        result = y + h * f(y)
    elif scheme == 'midpoint' or scheme == 'rk2':
        k = f(y)
        result = y + h * f(y + 0.5 * h * k)
    else:
        raise ValueError(scheme)
    return result
""",
    ),
    "where paths meet again": (
        """
def clean(x):
    for i in range(len(x)):
        if x[i] < 0:
            if x[i] < -9:
                continue
            x[i] = 0
        x[i] += 1
        if x[i] > 5:
            return i
""",
        """
def clean(x):
    result = None
    running = True
    for i in range(len(x)):
        proceed = True
        if x[i] < 0:
            if x[i] < -9:
                proceed = False
            else:
                x[i] = 0
        if proceed:
            x[i] += 1
            if x[i] > 5:
                result = i
                running = False
        if not running:
            break
    return result
""",
    ),
    "nothing to do": (
        """
def norm(x):
    s = 0.0
    for v in x:
        if v < 0:
            raise ValueError(v)
        s += v * v
    return s ** 0.5
""",
        """
def norm(x):
    s = 0.0
    for v in x:
        if v < 0:
            raise ValueError(v)
        s += v * v
    return s ** 0.5
""",
    ),
}


@pytest.mark.tiny
@pytest.mark.parametrize("name", GOLDEN)
def test_core_language_reads_well(name):
    text, expected = GOLDEN[name]
    assert text_of(desugar.as_python(desugar.run(parsed(text)))) == expected.strip()


def test_flag_falls_only_where_something_reads_it():
    core = desugar.run(
        parsed("""
        def f(x):
            for v in x:
                if v: return v
            if len(x) > 3:
                return 3
            return 4
    """)
    )
    assert text_of(core).count("running = False") == 1


def test_guards_do_not_repeat():
    core = text_of(desugar.run(parsed(WITH_LIST["for_break_return_else"])))
    assert core.count("if running:") == 1


def test_loops_share_a_flag_unless_nested():
    core = text_of(
        desugar.run(
            parsed("""
        def f(x):
            for v in x:
                for w in x:
                    if w: break
                if v: break
            for v in x:
                if v: break
    """)
        )
    )
    assert core.count("looping = True") == 2 and core.count("looping_2 = True") == 1
    assert "looping_3" not in core


def test_long_chain_of_early_returns():
    lines = "".join(f"    if a == {i}: return {i} + b\n    b += 1\n" for i in range(90))
    assert_same(parsed(f"def f(a, b):\n{lines}    return b\n"), [(0, 1), (17, 2), (200, 3)])


# ----------------------------------------------------------------------------------------------------
# Random programs


@st.composite
def random_programs(draw):
    """The text of a function of three integers and a list, with every kind of jump at every depth."""
    variables = ("a", "b", "c")

    def expression():
        kind = draw(st.integers(0, 4))
        name = draw(st.sampled_from(variables))
        if kind == 0:
            return str(draw(st.integers(-2, 4)))
        if kind == 1:
            return f"{name} {draw(st.sampled_from('+-*'))} {draw(st.integers(1, 3))}"
        if kind == 2:
            return f"{name} % {draw(st.sampled_from(['3', 'c']))}"
        return name

    def condition():
        left, right = draw(st.sampled_from(variables)), draw(st.integers(-1, 4))
        operator = draw(st.sampled_from(["<", ">", "==", "!=", "% 2 =="]))
        return f"{left} {operator} {right}"

    def indented(lines):
        return ["    " + line for line in lines]

    def block(depth, in_loop, in_finally=False):
        count = draw(st.integers(1, 4 if depth else 3))
        return [line for _ in range(count) for line in statement(depth, in_loop, in_finally)]

    def simple():
        name = draw(st.sampled_from(variables))
        kind = draw(st.integers(0, 5))
        if kind == 0:
            return [f"{name} += {draw(st.integers(-2, 2))}"]
        if kind == 1:
            return [f"log({expression()})"]
        if kind == 2:
            return [f"x.append({expression()})"]
        if kind == 3:
            return [f"{name} = {draw(st.sampled_from(variables))} = {expression()}"]
        if kind == 4:
            return [f"x[{name} % 3] = {name} = {expression()}"]
        return [f"{name} = {expression()}"]

    def jump(in_loop):
        kinds = ["return", "return", "raise"] + ["break", "continue"] * 3 * in_loop
        kind = draw(st.sampled_from(kinds))
        if kind == "return":
            value = expression()
            return [draw(st.sampled_from(["return", f"return {value}", f"return log({value})"]))]
        if kind == "raise":
            return [f"raise {draw(st.sampled_from(['ValueError', 'TypeError']))}({expression()})"]
        return [kind]

    def statement(depth, in_loop, in_finally):
        if depth == 0:
            kind = draw(st.sampled_from(["simple", "simple", "jump"]))
        else:
            kind = draw(st.sampled_from(["simple", "if", "if", "if", "for", "while", "try", "match", "with"]))
        inner = lambda: indented(block(depth - 1, in_loop, in_finally))
        if kind == "simple":
            return simple()
        if kind == "jump":
            # `continue` in `finally` would swallow OutOfFuel for ever.
            return ["break"] if in_finally and in_loop else simple() if in_finally else jump(in_loop)
        if kind == "if":
            lines = [f"if {condition()}:", *inner()]
            if draw(st.booleans()):
                lines += [f"elif {condition()}:", *inner()] if draw(st.booleans()) else []
                lines += ["else:", *inner()]
            return lines
        if kind in ("for", "while"):
            name = draw(st.sampled_from(variables))
            if kind == "for":
                items = draw(st.sampled_from([f"range({expression()})", "list(x)"]))
                head = f"for {name} in {items}:"
            else:
                test = draw(st.sampled_from(["True", condition(), f"({name} := {name} + 1) < 4"]))
                head = f"while {test}:"
            lines = [head, "    log(a, b, c)", *indented(block(depth - 1, True))]
            if draw(st.booleans()):
                lines += ["else:", *inner()]
            return lines
        if kind == "with":
            manager = draw(st.sampled_from(["nullcontext()", "suppress(ZeroDivisionError)"]))
            return [f"with contextlib.{manager}:", *inner()]
        if kind == "match":
            subject = draw(st.sampled_from(["a", "b % 3", "(a, b)"]))
            lines = [f"match {subject}:"]
            patterns = ["0", "1 | 2", "b if b > 2", "(0, _)", "(a, b) if a < b", "(1, c)"]
            for pattern in draw(st.lists(st.sampled_from(patterns), min_size=1, max_size=3, unique=True)):
                lines += indented([f"case {pattern}:", *inner()])
            if draw(st.booleans()):
                lines += indented(["case _:", *inner()])
            return lines
        lines = ["try:", *inner()]
        form = draw(st.sampled_from(["except", "except", "both", "finally"]))
        if form != "finally":
            error = draw(st.sampled_from(["ZeroDivisionError", "ValueError", "Exception"]))
            lines += [f"except {error}:", *inner()]
            if draw(st.booleans()):
                lines += ["else:", *inner()]
        if form != "except":
            jumps = draw(st.integers(0, 9)) == 0
            final = indented(block(depth - 1, in_loop, True)) if jumps else indented(simple())
            lines += ["finally:", *final]
        return lines

    body = [line for _ in range(draw(st.integers(1, 4))) for line in statement(3, False, False)]
    return "\n".join(["def f(a, b, c, x):", *indented(body)]) + "\n"


@pytest.mark.fuzz
def test_random_program_keeps_its_meaning(pytestconfig):
    inputs = [(a, b, c, [1, 0, 3]) for a, b, c in ((0, 0, 0), (1, 2, 3), (3, -1, 2), (2, 4, 1), (-1, 1, 4))]

    @settings(max_examples=pytestconfig.getoption("--fuzz-count"), deadline=None, derandomize=True)
    @given(random_programs())
    def check(text):
        function = parsed(text)
        core = assert_same(function, inputs)
        assert_placed(function, core)
        if not any(hasattr(node, "refused") for node in gast.walk(core)):
            assert_core(core)

    check()
