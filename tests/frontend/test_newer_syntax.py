"""What Python has learnt since 3.10, in the user's function: texts, for those Pythons that take them."""

import sys
import textwrap

import numpy as np
import pytest
from tests.written import written

import adc

HEAD = "import itertools, math\nimport numpy as np\nfrom dataclasses import dataclass\n"
X = np.array([0.7, 1.3, -0.4])

# By the version that brought the syntax: the text, whose function is `f`, and its gradient at X by hand.
PROGRAMS = {
    "stars_in_indices": (
        (3, 11),
        """
        def f(x):
            place = (0, 1)
            return np.outer(x, x)[*place] * 3.0
        """,
        [3 * X[1], 3 * X[0], 0],
    ),
    "type_parameters": (
        (3, 12),
        """
        class Stack[T]:
            def __init__(self) -> None:
                self.items: list[T] = []

            def push[S](self, item: T, before: S) -> S:
                self.items.append(item)
                return before

            __factor = 2.0

            def doubled(self) -> T:
                return self.items.pop() * self.__factor

        def f[T: (list, np.ndarray), *Ts, **P](x: T) -> float:
            stack = Stack[float]()
            return stack.push(x[0], x[1]) * stack.doubled()
        """,
        [2 * X[1], 2 * X[0], 0],
    ),
    "type_parameters_inside": (
        (3, 12),
        """
        def f(x):
            def first[T](values: list[T]) -> T:
                return values[0]

            class Box[T]:
                def __init__(self, v: T):
                    self.v = v

                def squared[S](self, k: S) -> T:
                    return self.v * self.v * k

            return Box(first(x)).squared(x[1])
        """,
        [2 * X[0] * X[1], X[0] ** 2, 0],
    ),
    "type_parameters_read_inside": (
        (3, 12),
        """
        class Stack[T]:
            def __init__(self, *items: T):
                self.items = list(items)

        def f[T](x: T):
            class Base[U, *Us]:
                def __init__(self, v: U):
                    self.v = v

                def again(self):
                    return Base[U, int](self.v * 2.0)

            class Squared[U](Base[U]):
                def squared(self):
                    return self.v**2

            def first[V](v: V):
                made = Stack[V](v)
                if v > 0.0:
                    made = Stack[T](v * x[2])
                return made.items[0]

            return first(x[0]) + Base[float](x[1]).again().v + Squared[float](x[1]).squared()
        """,
        [X[2], 2 + 2 * X[1], X[0]],
    ),
    "a_dataclass_with_a_parameter": (
        (3, 12),
        """
        @dataclass
        class Point[T]:
            u: T
            v: T = 1.0

        def f(x):
            match Point[float](x[0], x[1]):
                case Point(a, v=b):
                    return a * b * Point(u=x[2]).v
        """,
        [X[1], X[0], 0],
    ),
    "aliases_of_types": (
        (3, 12),
        """
        type Numbers[T] = list[T] | Tree
        type Tree = tuple[Tree, float]

        def f(x: Numbers[float]):
            s = 0.0
            for v in x:
                type Local[K] = dict[str, K]
                d: Local[float] = {"v": v}
                s += d["v"] ** 2
            return s
        """,
        2 * X,
    ),
    "quotes_and_comments_in_texts": (
        (3, 12),
        """
        def f(x):
            d = {f"{n}_{"k"}": x[i] for i, n in enumerate(["u", "v"])}
            if x[0] > 100.0:
                raise ValueError(f"too large: {
                    x[0]  # the value
                    :.3f} {"\\n".join(["a", "b"])}")
            return d["u_k"] * d[f"{"v"}_{
                "k"  # the same
            }"]
        """,
        [X[1], X[0], 0],
    ),
    "comprehensions_with_names_of_their_own": (
        (3, 12),
        """
        def f(x):
            v = 3.0
            squares = [(last := v) * v for v in x]
            makers = [lambda y: y * i for i in range(3)]
            return sum([s * w for s in [q * v for q in squares[:1]] for w in x[1:2]]) + makers[0](last)
        """,
        [6 * X[0] * X[1], 3 * X[0] ** 2, 2],
    ),
    "batches": (
        (3, 12),
        """
        def f(x):
            return sum(math.prod(pair) for pair in itertools.batched(x, 2)) + next(itertools.batched(x, n=3))[0]
        """,
        [X[1] + 1, X[0], 1],
    ),
    "defaults_of_type_parameters": (
        (3, 13),
        """
        class Box[T = np.ndarray, *Ts = *tuple[int, ...]]:
            def __init__(self, v: T):
                self.v = v

        def f[T = float](x: T) -> T:
            type Local[K = T] = list[K]
            return Box(x[0]).v * Box[float](x[1]).v
        """,
        [X[1], X[0], 0],
    ),
}


def typed(text, name="<newer-syntax>"):
    return written(HEAD + textwrap.dedent(text), name)


def those_that_parse():
    return [
        pytest.param(text, wanted, id=name)
        for name, (version, text, wanted) in PROGRAMS.items()
        if sys.version_info >= version
    ]


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize(("text", "wanted"), those_that_parse())
def test_program(text, wanted, mode):
    f = typed(text)
    value, gradient = adc.value_and_grad(f, mode=mode)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-14)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-14)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups of exceptions came with 3.11")
def test_groups_of_exceptions():
    f = typed(
        """
        def f(x):
            try:
                y = x[0] * x[1]
                if y < 0.0:
                    raise ValueError("negative")
            except* ValueError as group:
                y = x[1] * len(group.exceptions)
            return y
        """
    )
    with pytest.raises(adc.UnsupportedError, match=r"`except\*` is not supported\n    except\* ValueError"):
        adc.grad(f, mode="python")(X)
    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), [X[1], X[0], 0])
    np.testing.assert_allclose(adc.grad(f, mode="tape")(-X), [-X[1], -X[0], 0])
    np.testing.assert_allclose(adc.grad(f, mode="tape")(np.array([2.0, -1.0, 0.0])), [0, 1, 0])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="quotes within the same quotes came with 3.12")
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_carets_within_texts(mode):
    f = typed(
        """
        def f(x):
            names = [f"{f"{int.from_bytes(bytes(v))}"}" for v in x]
            return x[0] * len(names)
        """
    )
    with pytest.raises(adc.UnsupportedError) as caught:
        adc.grad(f, mode=mode)(X)
    assert caught.value.location.quoted().splitlines() == [
        '    names = [f"{f"{int.from_bytes(bytes(v))}"}" for v in x]',
        "                                  ^^^^^^^^",
    ]
