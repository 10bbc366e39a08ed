"""Methods of SciPy's distributions that have no rule: their own formulas on Tensors, and what follows from these.

A quantile is where the distribution function has a value, which says how it moves. Where the formula of a probability
or moment is out of reach (compiled code, series), it is the integral of a density or of what the density weighs. The
value is SciPy's in each case, and what is derived from the formulas must agree with it.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np

from adc.errors import DerivativeError, UnsupportedError
from adc.tape import integrals, record
from adc.tape.implicit import ORDERS, valued
from adc.tape.node import here
from adc.tape.tensor import make

__all__ = ["find"]

_HOLDERS = ("rv_generic", "rv_continuous", "rv_discrete")
_MOST_TERMS = 10_000

Translate = Callable[[Any], Any]  # from a private formula to one of Tensors


def find(function: types.FunctionType, translate: Translate) -> Callable[..., Any] | None:
    """What stands for a method of a distribution, or None."""
    holder, _, name = function.__qualname__.rpartition(".")
    if holder not in _HOLDERS or not function.__module__.startswith("scipy.stats"):
        return None
    own = _METHODS.get(name)
    if own is None or (holder == "rv_discrete" and name not in _OF_COUNTS):
        return None

    @functools.wraps(function, updated=())
    def call(distribution: Any, *args: Any, **kwargs: Any) -> Any:
        if not record.is_active(args) and not record.is_active(kwargs):
            return function(distribution, *record.plain(args), **record.plain(kwargs))
        value = np.asarray(function(distribution, *record.plain(args), **record.plain(kwargs)))
        return own(_Formulas(distribution, translate), name, value, *args, **kwargs)

    call.__dict__["_stands_for"] = function
    return call


class _Special(Exception):
    """A parameter is the very value that a formula asks for."""


class _Watched(np.ndarray[Any, Any]):
    """A parameter, until something is computed from it."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = _bare(kwargs["out"])
        found = getattr(ufunc, method)(*_bare(inputs), **kwargs)
        asks = ufunc in (np.equal, np.not_equal) and any(np.ndim(i) == 0 for i in inputs)
        if asks and np.any(found == (ufunc is np.equal)):
            raise _Special
        return found


def _bare(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([v.view(np.ndarray) if isinstance(v, _Watched) else v for v in values])


class _Formulas:
    """The formulas of a distribution with location 0 and scale 1, on vectors."""

    def __init__(self, distribution: Any, translate: Translate) -> None:
        self.distribution = distribution
        self.of_counts = not hasattr(distribution, "pdf")
        self._translate = translate
        self._under_way: list[str] = []  # what is derived from others, which may not lead back to it

    def __call__(self, name: str, *args: Any) -> Any:
        """What one gives; by others, where its own code is refused."""
        own = getattr(self.distribution, f"_{name}")
        try:
            found = self._translate(own)(*args)
        except UnsupportedError:
            derived = _DERIVED.get(name)
            if derived is None or name in self._under_way:
                raise
            self._under_way.append(name)
            found = derived(self, *args)
            self._under_way.remove(name)
            return found
        if self._takes_another(own, args):
            raise DerivativeError(
                f"scipy.stats.{self.distribution.name}.{name} has a formula of its own for this very value of a "
                "parameter, which does not say how the result changes with the parameter",
                here(),
                "Move off the value, or give the parameter as a constant.",
            )
        return found

    def _takes_another(self, formula: Callable[..., Any], args: tuple[Any, ...]) -> bool:
        """Whether a formula asks if a parameter that moves is one special value, and it is."""
        first = len(args) - self.distribution.numargs
        watched = [k >= first and record.is_active((a,)) for k, a in enumerate(args)]
        if not any(watched):
            return False
        plain = [np.asarray(record.plain(a)) for a in args]
        try:
            with np.errstate(all="ignore"):
                formula(*[p.view(_Watched) if w else p for p, w in zip(plain, watched, strict=True)])
        except _Special:
            return True
        return False

    def public(self, name: str) -> Any:
        """A method as traced code calls it."""
        return self._translate(getattr(self.distribution, name))

    def of(self, name: str) -> Callable[..., Any]:
        """A density of a number, which is integrated."""
        return lambda x, *args: self(name, np.reshape(x, (1,)), *args)[0]

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], Any, Any]:
        shapes, loc, scale = self.distribution._parse_args(*args, **kwargs)
        return tuple(shapes), loc, scale

    def has(self, shapes: tuple[Any, ...], scale: Any) -> Any:
        """Where there is a distribution of such parameters."""
        plain = [np.asarray(record.plain(s)) for s in shapes]
        return np.asarray(self.distribution._argcheck(*plain), dtype=bool) & (
            np.asarray(record.plain(scale)) > 0
        )

    def refusal(self, name: str) -> UnsupportedError:
        spelling = f"scipy.stats.{self.distribution.name}.{name}"
        return record.no_rule(spelling)


def _filled(formulas: _Formulas, name: str, value: Any, where: Any, derived: Any) -> Any:
    """The value, with what is derived where it says so; elsewhere it is constant. `derived` is of vectors."""
    where = np.broadcast_to(where, value.shape)
    if not np.allclose(record.plain(derived), value[where], rtol=1e-6, atol=1e-10):
        raise formulas.refusal(name)
    whole: Any = make(np.array(value, dtype=np.float64))
    if np.any(where) and record.is_active((derived,)):
        if value.ndim == 0:
            whole = valued(whole, np.reshape(derived, ()))
        else:
            whole[where] = valued(value[where], derived)
    return whole


def _selected(where: Any, *values: Any) -> list[Any]:
    """Vectors of what the parameters are at some elements of the result."""
    return [np.broadcast_to(v, where.shape)[where] if where.ndim else np.reshape(v, (1,)) for v in values]


# --- of a point ---------------------------------------------------------------------------------------------


def _at_a_point(formulas: _Formulas, name: str, value: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    shapes, loc, scale = formulas.split(args, kwargs)
    if formulas.of_counts:
        x, loc = record.plain(x), record.plain(loc)  # steps
    t = (x - loc) / scale if not formulas.of_counts else np.asarray(x, dtype=np.float64) - loc
    plain = np.asarray(record.plain(t))
    low, high = formulas.distribution._get_support(*record.plain(shapes))
    if not formulas.of_counts:
        inside = (plain > low) & (plain < high)
    elif name in _MASSES:
        inside = (plain >= low) & (plain <= high) & (plain == np.floor(plain))
    else:
        inside = (plain >= low) & (plain < high)
    where = np.broadcast_to(inside & formulas.has(shapes, scale), value.shape)
    t, scale, *at = _selected(where, t, scale, *shapes)
    if not np.any(where):
        return make(np.array(value, dtype=np.float64))
    found = formulas(name, t, *at)
    if name == "logpdf":
        found = found - np.log(scale)
    if name == "pdf":
        found = found / scale
    return _filled(formulas, name, value, where, found)


# --- of a probability ---------------------------------------------------------------------------------------


def _quantile(formulas: _Formulas, name: str, value: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    if formulas.of_counts:
        return value[()]  # whole numbers, which move by steps
    shapes, loc, scale = formulas.split(args, kwargs)
    plain = np.asarray(record.plain(q))
    where = np.broadcast_to((plain > 0) & (plain < 1) & formulas.has(shapes, scale), value.shape)
    q, loc, scale, there, *at = _selected(where, q, loc, scale, value, *shapes)
    found = np.asarray((there - record.plain(loc)) / record.plain(scale))
    if not np.any(where):
        return make(np.array(value, dtype=np.float64))
    tail, sign = ("cdf", 1.0) if name == "ppf" else ("sf", -1.0)
    slope = sign * np.asarray(record.plain(formulas("pdf", found, *record.plain(at))))
    if not np.all(slope != 0.0):
        raise DerivativeError(
            f"the derivative of scipy.stats.{formulas.distribution.name}.{name} does not exist",
            here(),
            "The density is zero there.",
        )
    moved: Any = make(found)
    for _ in range(ORDERS):
        moved = moved - (formulas(tail, moved, *at) - q) / slope
    return _filled(formulas, name, value, where, loc + scale * moved)


def _median(formulas: _Formulas, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
    return formulas.public("ppf")(0.5, *args, **kwargs)


def _interval(
    formulas: _Formulas, name: str, value: Any, confidence: Any, *args: Any, **kwargs: Any
) -> tuple[Any, Any]:
    quantile, inside = formulas.public("ppf"), confidence * 1.0
    return quantile((1.0 - inside) / 2, *args, **kwargs), quantile((1.0 + inside) / 2, *args, **kwargs)


# --- moments ------------------------------------------------------------------------------------------------


def _moment(formulas: _Formulas, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
    shapes, loc, scale = formulas.split(args, kwargs)
    where = np.broadcast_to(formulas.has(shapes, scale) & np.isfinite(value), value.shape)
    loc, scale, *at = _selected(where, loc, scale, *shapes)
    if name == "entropy":
        found = formulas("entropy", *at)
        found = found + np.log(scale) if not formulas.of_counts else found
    else:
        mean, variance, skewness, excess = formulas("stats", *at)
        needed = {"mean": mean, "skewness": skewness, "kurtosis": excess}.get(name, variance)
        if needed is None:  # SciPy integrates
            raise formulas.refusal(name)
        found = {
            "mean": lambda: loc + scale * mean,
            "var": lambda: scale * scale * variance,
            "std": lambda: scale * np.sqrt(variance),
            "skewness": lambda: skewness,
            "kurtosis": lambda: excess,
        }[name]()
    return _filled(formulas, name, value, where, np.broadcast_to(found, scale.shape))


def _statistics(
    formulas: _Formulas, name: str, value: Any, *args: Any, moments: str = "mv", **kwargs: Any
) -> Any:
    names = {"m": "mean", "v": "var", "s": "skewness", "k": "kurtosis"}
    asked = [names[letter] for letter in names if letter in moments]
    values = value if len(asked) > 1 else value[None]
    found = [_moment(formulas, n, v, *args, **kwargs) for n, v in zip(asked, values, strict=True)]
    return tuple(found) if len(found) > 1 else found[0]


def _about_zero(formulas: _Formulas, name: str, value: Any, order: int, *args: Any, **kwargs: Any) -> Any:
    """The mean of a power, by the four moments about the mean that SciPy's formulas give."""
    if order not in (1, 2, 3, 4):
        raise formulas.refusal(name)
    known = formulas.public("stats")(*args, moments="mvsk"[:order], **kwargs)
    mean, variance, skewness, excess = (*(known if order > 1 else (known,)), 0.0, 0.0, 0.0)[:4]
    about = (1.0, 0.0, variance, skewness * variance**1.5, (excess + 3.0) * variance**2)
    found = sum(comb(order, k) * about[k] * mean ** (order - k) for k in range(order + 1))
    return _filled(formulas, name, value, np.full(value.shape, True), np.reshape(found, (-1,)))


# --- what follows from other formulas -----------------------------------------------------------------------


def _below(formulas: _Formulas, x: Any, *shapes: Any) -> Any:
    """The integral of the density up to some points; where the support begins may depend on the shapes."""
    from scipy.integrate import quad

    if formulas.of_counts:
        return _sum_below(formulas, x, *shapes)
    lowest, _ = formulas("get_support", *shapes)
    density = formulas.of("pdf")
    parts = []
    for k, end in enumerate(x):
        at = [s[k : k + 1] for s in shapes]
        low = np.broadcast_to(lowest, np.shape(x))[k]
        parts.append(
            integrals.quad(quad, lambda t, at=at: density(t, *at), low, end, epsabs=1e-12, limit=200)[0]
        )
    return np.stack(parts)


def _sum_below(formulas: _Formulas, x: Any, *shapes: Any) -> Any:
    lowest, _ = formulas.distribution._get_support(*record.plain(shapes))
    first = np.broadcast_to(lowest, x.shape)
    if not np.all(x - first < _MOST_TERMS):
        raise formulas.refusal("cdf")
    sums = []
    for k, end in enumerate(x):
        counts = np.arange(first[k], end + 1.0)
        sums.append(np.sum(formulas("pmf", counts, *(s[k : k + 1] for s in shapes))))
    return np.stack(sums)


_DERIVED: dict[str, Callable[..., Any]] = {
    "pdf": lambda formulas, x, *shapes: np.exp(formulas("logpdf", x, *shapes)),
    "logcdf": lambda formulas, x, *shapes: np.log(formulas("cdf", x, *shapes)),
    "pmf": lambda formulas, x, *shapes: np.exp(formulas("logpmf", x, *shapes)),
    "logpmf": lambda formulas, x, *shapes: np.log(formulas("pmf", x, *shapes)),
    "logsf": lambda formulas, x, *shapes: np.log(formulas("sf", x, *shapes)),
    "sf": lambda formulas, x, *shapes: 1.0 - formulas("cdf", x, *shapes),
    "cdf": _below,
}
_MASSES = ("pmf", "logpmf")
_METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", *_MASSES), _at_a_point),
    **dict.fromkeys(("ppf", "isf"), _quantile),
    "median": _median,
    "interval": _interval,
    "stats": _statistics,
    "moment": _about_zero,
    **dict.fromkeys(("mean", "var", "std", "entropy"), _moment),
}
_OF_COUNTS = ("cdf", "logcdf", "sf", "logsf", *_MASSES, "ppf", "isf", "interval")
