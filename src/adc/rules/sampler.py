"""Test inputs for rules: a seeded source of arrays with the properties that an operation needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """One call of an operation."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True  # whether differences around this point mean anything


def call(*args: Any, **kwargs: Any) -> Example:
    """An example with keyword arguments: `call(x, axis=1)`."""
    return Example(args, kwargs)


def corner(*args: Any, **kwargs: Any) -> Example:
    """An example at a point where the operation jumps: its value is tested, its derivative is not."""
    return Example(args, kwargs, smooth=False)


def as_examples(cases: Iterable[Any]) -> list[Example]:
    """Examples from tuples of positional arguments, bare single arguments, or `call(...)`s."""
    return [c if isinstance(c, Example) else Example(c if isinstance(c, tuple) else (c,)) for c in cases]


class Sampler:
    """A seeded source of test arrays; every method takes the lengths of the axes (none: a float).

    >>> Sampler(0).normal(2, 3).shape
    (2, 3)
    """

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape: int) -> Any:
        return self._plain(self.generator.normal(size=shape))

    def uniform(self, low: float, high: float, *shape: int) -> Any:
        return self._plain(self.generator.uniform(low, high, size=shape))

    def positive(self, *shape: int) -> Any:
        return self.uniform(0.3, 2.5, *shape)

    def unit(self, *shape: int) -> Any:
        return self.uniform(-0.9, 0.9, *shape)

    def nonzero(self, *shape: int) -> Any:
        """Values of either sign, at least 0.3 from zero."""
        sizes = self.generator.uniform(0.3, 2.5, size=shape)
        return self._plain(sizes * self.generator.choice([-1.0, 1.0], size=shape))

    def distinct(self, *shape: int) -> Any:
        """Values no two of which are closer than 0.1, for operations that compare elements."""
        count = int(np.prod(shape, dtype=int))
        values = np.linspace(-1.0, 1.0, count) * max(1.0, 0.1 * count)
        values = values + self.generator.uniform(-0.02, 0.02, size=count)
        return self._plain(self.generator.permutation(values).reshape(shape))

    def integers(self, low: int, high: int, *shape: int) -> Any:
        return self.generator.integers(low, high, size=shape)

    def mask(self, *shape: int) -> Any:
        return self.generator.random(size=shape) < 0.5

    def well_conditioned(self, n: int, *batch: int) -> Float:
        """Square matrices (batch..., n, n) with condition number below about 10."""
        q1 = np.linalg.qr(self.generator.normal(size=(*batch, n, n)))[0]
        q2 = np.linalg.qr(self.generator.normal(size=(*batch, n, n)))[0]
        return np.asarray(q1 * self.generator.uniform(0.5, 2.0, size=(*batch, 1, n)) @ q2)

    def singular_values(self, *values: float, rows: int) -> Float:
        """A matrix (rows, len(values)) with these singular values, of which some may be zero."""
        q1 = np.linalg.qr(self.generator.normal(size=(rows, len(values))))[0]
        q2 = np.linalg.qr(self.generator.normal(size=(len(values), len(values))))[0]
        return np.asarray(q1 * np.asarray(values) @ q2)

    def positive_definite(self, n: int, *batch: int) -> Float:
        """Symmetric positive definite matrices (batch..., n, n) with distinct eigenvalues."""
        q = np.linalg.qr(self.generator.normal(size=(*batch, n, n)))[0]
        eigenvalues = np.linspace(0.5, 0.5 + 0.4 * n, n)
        return np.asarray((q * eigenvalues) @ np.swapaxes(q, -1, -2))

    def hermitian(self, n: int) -> Any:
        """A Hermitian positive definite matrix with distinct eigenvalues."""
        q = np.linalg.qr(self.generator.normal(size=(n, n)) + 1j * self.generator.normal(size=(n, n)))[0]
        return (q * np.linspace(0.5, 0.5 + 0.4 * n, n)) @ np.conjugate(q.T)

    def drawer(self, domain: str | tuple[float, float]) -> Callable[..., Any]:
        """The method that draws from a domain ("real", "positive", "nonzero", "unit") or an interval."""
        if isinstance(domain, tuple):
            low, high = domain
            return lambda *shape: self.uniform(low, high, *shape)
        methods = {"real": self.normal, "positive": self.positive, "nonzero": self.nonzero, "unit": self.unit}
        return methods[domain]

    @staticmethod
    def _plain(value: Any) -> Any:
        return float(value) if np.ndim(value) == 0 else value


def by_domain(domain: str | tuple[float, float], arity: int) -> Callable[[Sampler], list[Any]]:
    """Examples of a function of so many numbers of a domain: scalars, arrays, all ways to broadcast two."""

    def examples(r: Sampler) -> list[Any]:
        draw = r.drawer(domain)
        shapes: list[tuple[tuple[int, ...], ...]] = [
            ((),) * arity,
            ((3,),) * arity,
            ((2, 3),) * arity,
            ((1,),) * arity,
            ((0,),) * arity,
        ]
        if arity == 2:
            shapes += [((3,), ()), ((), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((1,), (4,)), ((0,), ())]
        return [tuple(draw(*shape) for shape in case) for case in shapes]

    return examples
