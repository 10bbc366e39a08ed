"""Sparse matrices whose entries have a derivative: the entries are a Tensor, and SciPy keeps their places.

A matrix of SciPy with the same structure holds in each place the number of the entry, so slices, transposes and
changes of format are SciPy's own. Products are sums of entries, which constant sparse matrices add up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.errors import GraphCutError, UnsupportedError
from adc.tape import record, sparse
from adc.tape.node import here
from adc.tape.tensor import Tensor

__all__ = ["SparseTensor", "as_sparse", "joined", "of_entries", "renumbered"]

_OF_PLACES = (
    "indices",
    "indptr",
    "row",
    "col",
    "coords",
    "nnz",
    "shape",
    "ndim",
    "format",
    "getnnz",
    "nonzero",
)
_MOVES = ("tocsr", "tocsc", "tocoo", "asformat", "copy", "transpose", "getrow", "getcol", "reshape")
# Functions that are 0 at 0.
_ELEMENTWISE = (
    "sin",
    "tan",
    "arcsin",
    "arctan",
    "sinh",
    "tanh",
    "arcsinh",
    "arctanh",
    "expm1",
    "log1p",
    "sqrt",
)  # functions that are 0 at 0
_AS_ROWS = ("tolil", "todok", "tobsr", "todia")  # other formats of the same matrix
_KEPT_AS_THEY_ARE = ("sum_duplicates", "sort_indices", "eliminate_zeros", "prune")


class SparseTensor:
    """A sparse matrix with a derivative, in traced code."""

    __array_ufunc__ = None  # NumPy's arrays and numbers leave their operators to this one
    __hash__ = None  # type: ignore[assignment]  # as SciPy's
    __slots__ = ("entries", "places", "stored_so")

    def __init__(self, entries: Any, places: Any, stored_so: bool = False) -> None:
        self.entries = entries  # in the order of the numbers in `places`, from 1 on
        self.places = places
        self.stored_so = stored_so  # whether SciPy has the same entries, in the same order

    # --- what it is -----------------------------------------------------------------------------------------

    def plain(self) -> Any:
        """The matrix of SciPy without the derivative."""
        found = self.places.copy()  # `astype` would sort the entries of some
        found.data = record.plain(self.data_of(self.places))
        return found

    @property
    def data(self) -> Any:
        """The entries in the order of SciPy's format."""
        self._require_stored_so("data")
        found = self.data_of(self.places)
        record.plain(found).flags.writeable = False  # a write would not reach the matrix
        return found

    @property
    def dtype(self) -> Any:
        return self.entries.dtype

    @property
    def T(self) -> SparseTensor:
        return SparseTensor(self.entries, self.places.T, self.stored_so)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim"):
            return getattr(self.places, name)
        if name in _OF_PLACES:
            self._require_stored_so(name)
            return getattr(self.places, name)
        if name in _MOVES:
            return lambda *args, **kwargs: self._moved(getattr(self.places, name)(*args, **kwargs))
        if name in _AS_ROWS:
            return lambda *_, **__: SparseTensor(self.entries, self.places.tocsr())
        if name in _KEPT_AS_THEY_ARE:
            return lambda: None
        if name in _ELEMENTWISE:
            return lambda: self._with(getattr(np, name)(self.entries))
        if name.startswith("__"):
            raise AttributeError(name)
        raise _refused(f"`.{name}` of a sparse matrix with a derivative")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if sparse.asks_for_product(sys._getframe(1)):
            return np.array(None)  # SciPy's question whether the operand multiplies itself
        raise GraphCutError(
            "adc cannot turn a sparse matrix with a derivative into a plain array",
            here(),
            repair="A.toarray() keeps it.",
        )

    def __iter__(self) -> Any:
        raise _refused("a loop over a sparse matrix with a derivative")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise _refused("writing to a sparse matrix with a derivative")

    def __getitem__(self, index: Any) -> Any:
        found = self.places[record.plain(index)]
        if np.ndim(found) == 0 and not sparse.is_sparse(found):
            return self._numbered(np.asarray(found))
        return self._moved(found)

    def _moved(self, places: Any) -> SparseTensor:
        """What SciPy makes of the places, with these entries."""
        return renumbered(self.entries, places, self.stored_so)

    def _require_stored_so(self, name: str) -> None:
        if not self.stored_so:
            raise _refused(
                f"`.{name}` of a sparse matrix with a derivative that is a sum, a product or the like"
            )

    def __eq__(self, other: object) -> Any:
        raise _refused("a comparison of a sparse matrix with a derivative")

    __ne__ = __eq__

    def __abs__(self) -> SparseTensor:
        return self._with(np.abs(self.entries))

    def diagonal(self, k: int = 0) -> Any:
        return self._numbered(self.places.diagonal(k))

    def trace(self, offset: int = 0) -> Any:
        return np.sum(self.diagonal(offset))

    def toarray(self) -> Any:
        """The matrix as a Tensor with two axes."""
        coo = self.places.tocoo()
        return np.reshape(
            _added_up(self.data_of(coo), coo.row * self.shape[1] + coo.col, self._size()), self.shape
        )

    def todense(self) -> Any:
        if self._is_matrix():
            raise _refused("`.todense()` of a sparse matrix with a derivative, which is a np.matrix")
        return self.toarray()

    def sum(self, axis: Any = None) -> Any:
        if axis is None:
            return np.sum(self.entries)
        if self._is_matrix():
            raise _refused("the sum along an axis of a sparse matrix with a derivative, which is a np.matrix")
        side = 1 - axis if axis >= 0 else -1 - axis
        coo = self.places.tocoo()
        return _added_up(self.data_of(coo), (coo.row, coo.col)[side], self.shape[side])

    def data_of(self, places: Any) -> Any:
        """The entries that the numbers in the data of `places` name."""
        return self.entries[places.data - 1]

    def _numbered(self, numbers: np.ndarray[Any, Any]) -> Any:
        """The entries with such numbers; there is none with the number 0."""
        return np.where(numbers > 0, self.entries[np.maximum(numbers, 1) - 1], 0.0)

    def _size(self) -> int:
        return int(self.shape[0] * self.shape[1])

    def _is_matrix(self) -> bool:
        return sparse.is_matrix(self.places)

    # --- arithmetic -----------------------------------------------------------------------------------------

    def _with(self, entries: Any) -> SparseTensor:
        return SparseTensor(entries, self.places, self.stored_so)

    def conj(self, copy: bool = True) -> SparseTensor:
        return self._with(np.conj(self.entries))

    conjugate = conj

    def astype(self, dtype: Any, *_: Any, **__: Any) -> SparseTensor:
        return self._with(self.entries.astype(dtype))

    def power(self, n: Any, dtype: Any = None) -> SparseTensor:
        return self._with(self.entries**n)

    def __neg__(self) -> SparseTensor:
        return self._with(-self.entries)

    def __add__(self, other: Any) -> Any:
        if sparse.is_sparse(other) or isinstance(other, SparseTensor):
            return joined([self, other], [(0, 0), (0, 0)], _same_shape(self, other), type(self.places))
        if np.ndim(record.plain(other)) == 0:
            if isinstance(other, int | float) and other == 0:
                return self
            raise NotImplementedError("adding a nonzero scalar to a sparse array is not supported")
        return self.toarray() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        return self @ other if self._multiplies(other) else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return other @ self if self._multiplies(other) else self.multiply(other)

    def _multiplies(self, other: Any) -> bool:
        """Whether `*` is the product of matrices, as SciPy has it of its matrices, though not of its arrays."""
        several = (
            isinstance(other, SparseTensor) or sparse.is_sparse(other) or np.ndim(record.plain(other)) > 0
        )
        return several and (self._is_matrix() or sparse.is_matrix(getattr(other, "places", other)))

    def __truediv__(self, other: Any) -> SparseTensor:
        return self.multiply(1.0 / other)

    def multiply(self, other: Any) -> SparseTensor:
        """Element by element."""
        coo = self.places.tocoo()
        if sparse.is_sparse(other) or isinstance(other, SparseTensor):
            other = as_sparse(other)
            if other.shape != self.shape:
                raise _refused("broadcasting of sparse matrices with a derivative")
            at = np.asarray(other.places.tocsr()[coo.row, coo.col]).ravel()
            return of_entries(
                self.data_of(coo) * other._numbered(at), coo.row, coo.col, self.shape, type(self.places)
            )
        if np.ndim(record.plain(other)) == 0:
            return self._with(self.entries * other)
        spread = np.broadcast_to(other, self.shape)
        return of_entries(
            self.data_of(coo) * spread[coo.row, coo.col], coo.row, coo.col, self.shape, type(self.places)
        )

    def dot(self, other: Any) -> Any:
        return self * other if np.ndim(getattr(other, "places", record.plain(other))) == 0 else self @ other

    def __matmul__(self, other: Any) -> Any:
        if sparse.is_sparse(other) or isinstance(other, SparseTensor):
            return _product(self, as_sparse(other))
        other = other if isinstance(other, Tensor) else np.asarray(other)
        if other.ndim not in (1, 2) or other.shape[0] != self.shape[1]:
            return self.plain() @ record.plain(other)  # raises
        coo = self.places.tocoo()
        entries = self.data_of(coo)
        terms = (entries if other.ndim == 1 else entries[:, None]) * other[coo.col]
        return _added_up(terms, coo.row, self.shape[0])

    def __rmatmul__(self, other: Any) -> Any:
        if sparse.is_sparse(other):
            return _product(as_sparse(other), self)
        other = other if isinstance(other, Tensor) else np.asarray(other)
        return self.T @ other if other.ndim == 1 else (self.T @ other.T).T


record.CARRIERS.add(SparseTensor)


# --- made of entries --------------------------------------------------------------------------------------------


def of_entries(
    entries: Any,
    rows: Any,
    columns: Any,
    shape: Sequence[int],
    kind: Callable[..., Any],
    stored_so: bool = False,
) -> SparseTensor:
    """The matrix with such entries; those in one place are added. `stored_so`: it is what SciPy makes of them."""
    rows, columns = np.asarray(record.plain(rows), np.int64), np.asarray(record.plain(columns), np.int64)
    flat, where = np.unique(rows * shape[1] + columns, return_inverse=True)
    if stored_so and kind.__name__.startswith("coo") and len(flat) == len(rows):
        numbers = np.arange(1, len(rows) + 1)
        return SparseTensor(entries, kind((numbers, (rows, columns)), shape=tuple(shape)), True)
    summed = _added_up(entries, np.ravel(where), len(flat))
    numbers = np.arange(1, len(flat) + 1)
    places = kind((numbers, (flat // shape[1], flat % shape[1])), shape=tuple(shape))
    return SparseTensor(summed, places, stored_so and places.format != "coo")


def as_sparse(matrix: Any) -> SparseTensor:
    """A constant matrix of SciPy in the same form."""
    if isinstance(matrix, SparseTensor):
        return matrix
    coo = matrix.tocoo()
    return of_entries(coo.data, coo.row, coo.col, matrix.shape, type(matrix.tocsr()))


def joined(
    parts: Sequence[Any], offsets: Sequence[tuple[int, int]], shape: Sequence[int], kind: Callable[..., Any]
) -> SparseTensor:
    """The sum of matrices, each moved down and to the right by its offset."""
    own = [as_sparse(p) for p in parts]
    coos = [p.places.tocoo() for p in own]
    rows = np.concatenate([c.row + down for c, (down, _) in zip(coos, offsets, strict=True)])
    columns = np.concatenate([c.col + right for c, (_, right) in zip(coos, offsets, strict=True)])
    entries = np.concatenate([p.data_of(c) for p, c in zip(own, coos, strict=True)])
    return of_entries(entries, rows, columns, shape, kind)


def renumbered(entries: Any, places: Any, stored_so: bool) -> SparseTensor:
    """The matrix of the entries that SciPy has chosen."""
    if np.ndim(places) != 2 or not hasattr(places, "data"):
        raise _refused("a row or column with one axis of a sparse array with a derivative")
    places = places.copy()
    numbers = places.data
    places.data = np.arange(1, len(numbers) + 1)
    return SparseTensor(entries[numbers - 1], places, stored_so)


def _added_up(terms: Any, to: np.ndarray[Any, Any], count: int) -> Any:
    """The sums of the terms, along their first axis, that go to the same place."""
    kind = sys.modules["scipy.sparse"].csr_array
    n = len(to)
    adds = kind((np.ones(n), (to, np.arange(n))), shape=(count, n))
    back = adds.T.tocsr()
    terms = terms if isinstance(terms, Tensor) else np.asarray(terms)
    return sparse.linear(terms, lambda v: adds @ v, lambda v: back @ v)


def _product(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """The product of two sparse matrices: the sum of all products of an entry of a column and one of its row."""
    first, second = left.places.tocoo(), right.places.tocsr()
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"matmul: dimension mismatch with signature {left.shape}, {right.shape}")
    counts = np.diff(second.indptr)[first.col]
    of_first = np.repeat(np.arange(len(first.data)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    of_second = np.repeat(second.indptr[first.col], counts) + within
    entries = left.data_of(first)[of_first] * right.data_of(second)[of_second]
    shape = (left.shape[0], right.shape[1])
    return of_entries(entries, first.row[of_first], second.indices[of_second], shape, type(left.places))


def _same_shape(left: Any, right: Any) -> Sequence[int]:
    if left.shape != right.shape:
        raise ValueError(f"inconsistent shapes {left.shape} and {right.shape}")
    return left.shape  # type: ignore[no-any-return]


def _refused(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what} is not supported",
        here(),
        repair="Take A.toarray(), or write it with products and sums of sparse matrices.",
    )
