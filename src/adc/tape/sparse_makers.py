"""What traced code finds where it looks for functions and classes of `scipy.sparse`: entries may have a derivative.

Without one SciPy makes the matrix itself.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import record
from adc.tape.node import here
from adc.tape.sparse import is_sparse
from adc.tape.sparse_values import SparseTensor, as_sparse, joined, of_entries, renumbered
from adc.tape.tensor import Tensor

__all__ = ["find"]


def find(value: Any) -> Any:
    """What stands for a class or function of `scipy.sparse`, or None."""
    module = sys.modules.get("scipy.sparse")
    name = getattr(value, "__name__", None)
    if module is None or not isinstance(name, str) or getattr(module, name, None) is not value:
        return None
    if isinstance(value, type):
        ours = name.partition("_")[0] in _FORMATS or name in ("spmatrix", "sparray")
        return _Class(name, (), {"original": value}) if ours else None
    own = _FUNCTIONS.get(name)
    return None if own is None else _standing_for(value, own)


def _standing_for(value: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(value, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if not record.is_active(args) and not record.is_active(kwargs):
            return value(*record.plain(args), **record.plain(kwargs))
        return own(*args, **kwargs)

    call.__dict__["_stands_for"] = value
    return call


class _Class(type):
    """A class of SciPy that makes SparseTensors, too, which count as its instances."""

    original: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not record.is_active(args) and not record.is_active(kwargs):
            return cls.original(*record.plain(args), **record.plain(kwargs))
        return _made(cls.original, *args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value.places if isinstance(value, SparseTensor) else value, cls.original)


_FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def _made(kind: Any, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
    """`csr_matrix(...)` and its like."""
    given, kind = kind, _computed(kind)
    if dtype is not None:
        raise _refused(f"`{given.__name__}` with a dtype")
    if isinstance(arg1, SparseTensor):
        return renumbered(arg1.entries, kind(arg1.places), arg1.stored_so)
    if isinstance(arg1, Tensor):  # all its elements: which of them are zero may depend on the data
        rows, columns = np.indices(arg1.shape)
        return of_entries(np.ravel(arg1), rows.ravel(), columns.ravel(), arg1.shape, kind)
    if isinstance(arg1, tuple) and len(arg1) == 2 and not kind.__name__.startswith("dia"):
        entries, (rows, columns) = arg1
        rows, columns = np.ravel(record.plain(rows)), np.ravel(record.plain(columns))
        if shape is None:
            shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    elif isinstance(arg1, tuple) and len(arg1) == 3:
        return _of_lines(arg1[0], record.plain(arg1[1]), record.plain(arg1[2]), shape, kind)
    else:
        raise _refused(f"`{kind.__name__}` of these arguments")
    return of_entries(_as_row(entries), rows, columns, shape, kind, stored_so=given is kind)


def _of_lines(entries: Any, indices: Any, starts: Any, shape: Any, kind: Any) -> SparseTensor:
    """A matrix by rows, or by columns, as SciPy keeps it."""
    indices, starts, entries = np.asarray(indices), np.asarray(starts), _as_row(entries)
    lines = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    by_columns = kind.__name__.startswith("csc")
    if shape is None:
        wide = int(indices.max()) + 1
        shape = (wide, len(starts) - 1) if by_columns else (len(starts) - 1, wide)
    if len(np.unique(lines * (int(indices.max(initial=0)) + 1) + indices)) == len(indices):
        return SparseTensor(
            entries, kind((np.arange(1, len(indices) + 1), indices, starts), shape=shape), True
        )
    rows, columns = (indices, lines) if by_columns else (lines, indices)
    return of_entries(entries, rows, columns, shape, kind)


def _as_row(entries: Any) -> Any:
    return np.ravel(entries if isinstance(entries, Tensor) else np.stack(entries))


def _computed(kind: Any) -> Any:
    """The class of the format in which such a matrix is kept: by rows where SciPy's own holds no single entries."""
    name = kind.__name__
    found: Any = getattr(
        sys.modules["scipy.sparse"], name if name[:3] in ("csr", "csc", "coo") else f"csr{name[3:]}"
    )
    return found


def _diags(diagonals: Any, offsets: Any, shape: Any) -> tuple[Any, Any, Any, Any]:
    """The entries of diagonals, their places, and the shape of the matrix."""
    offsets = record.plain(offsets)
    if np.ndim(offsets) == 0:
        one = len(diagonals) == 0 or np.ndim(record.plain(diagonals[0])) == 0
        diagonals, offsets = [diagonals if one else diagonals[0]], [offsets]
    own = [np.atleast_1d(d if isinstance(d, Tensor) else np.asarray(d)) for d in diagonals]
    if shape is None:
        n = len(own[0]) + abs(int(offsets[0]))
        shape = (n, n)
    rows: list[Any] = []
    columns: list[Any] = []
    entries: list[Any] = []
    for diagonal, offset in zip(own, map(int, offsets), strict=True):
        length = min(shape[0] + offset, shape[1] - offset, *shape)
        if len(diagonal) not in (1, length):
            raise ValueError(
                f"Diagonal length (index {len(rows)}: {len(diagonal)} at offset {offset}) is not {length}"
            )
        along = np.arange(length)
        rows.append(along + max(-offset, 0))
        columns.append(along + max(offset, 0))
        entries.append(np.broadcast_to(diagonal, (length,)))
    return np.concatenate(entries), np.concatenate(rows), np.concatenate(columns), shape


def _of_diagonals(kind: str) -> Callable[..., Any]:
    def diags(
        diagonals: Any, /, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
    ) -> Any:
        return of_entries(*_diags(diagonals, offsets, shape), _class_of(format, kind))

    return diags


def _spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    data = np.atleast_2d(data)
    shape = m if n is None and isinstance(m, tuple) else (m, n)
    if shape[0] is None:
        shape = (data.shape[1], data.shape[1])
    rows, columns, entries = [], [], []
    for diagonal, offset in zip(data, np.atleast_1d(record.plain(diags)), strict=True):
        along = np.arange(
            max(offset, 0), min(shape[1], shape[0] + offset, len(diagonal))
        )  # columns, as SciPy has it
        rows.append(along - offset)
        columns.append(along)
        entries.append(diagonal[along])
    found = np.concatenate(entries), np.concatenate(rows), np.concatenate(columns)
    return of_entries(*found, shape, _class_of(format, "matrix"))


def _class_of(format: Any, kind: str) -> Any:
    name = format if format in ("csr", "csc", "coo") else "csr"
    return getattr(sys.modules["scipy.sparse"], f"{name}_{kind}")


def _blocks(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """`bmat`, `block_array`: matrices side by side and one below the other; None is a block of zeros."""
    grid: list[list[Any]] = [[None if b is None else _as_block(b) for b in line] for line in blocks]
    heights = [max(b.shape[0] for b in line if b is not None) for line in grid]
    widths = [max(line[k].shape[1] for line in grid if line[k] is not None) for k in range(len(grid[0]))]
    down, right = np.cumsum([0, *heights]), np.cumsum([0, *widths])
    parts, offsets = [], []
    for i, line in enumerate(grid):
        for j, block in enumerate(line):
            if block is None:
                continue
            if block.shape != (heights[i], widths[j]):
                raise ValueError(f"blocks[{i},{j}] has incompatible shape {block.shape}")
            parts.append(block)
            offsets.append((int(down[i]), int(right[j])))
    arrays = any(not _is_matrix(p) for p in parts)
    shape = (int(down[-1]), int(right[-1]))
    return joined(parts, offsets, shape, _class_of(format or "coo", "array" if arrays else "matrix"))


def _is_matrix(block: Any) -> bool:
    return isinstance(block.places, sys.modules["scipy.sparse"].spmatrix)


def _as_block(block: Any) -> SparseTensor:
    if isinstance(block, SparseTensor) or is_sparse(block):
        return as_sparse(block)
    if isinstance(block, Tensor):
        made: SparseTensor = _made(sys.modules["scipy.sparse"].coo_matrix, np.atleast_2d(block))
        return made
    return as_sparse(sys.modules["scipy.sparse"].coo_matrix(block))


def _block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    own = list(mats)
    return _blocks([[m if i == j else None for j in range(len(own))] for i, m in enumerate(own)], format)


def _kron(A: Any, B: Any, format: Any = None) -> Any:
    left, right = _as_block(A), _as_block(B)
    a, b = left.places.tocoo(), right.places.tocoo()
    entries = np.ravel(left.data_of(a)[:, None] * right.data_of(b))
    rows = (a.row[:, None] * right.shape[0] + b.row).ravel()
    columns = (a.col[:, None] * right.shape[1] + b.col).ravel()
    shape = (left.shape[0] * right.shape[0], left.shape[1] * right.shape[1])
    kind = "matrix" if _is_matrix(left) and _is_matrix(right) else "array"
    return of_entries(entries, rows, columns, shape, _class_of(format, kind))


def _part(name: str) -> Callable[..., Any]:
    def part(A: Any, k: int = 0, format: Any = None) -> Any:
        own = _as_block(A)
        chosen = getattr(sys.modules["scipy.sparse"], name)(own.places, k, format=format or "csr")
        return of_entries(own.data_of(coo := chosen.tocoo()), coo.row, coo.col, own.shape, type(chosen))

    return part


def _refused(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what}, with a derivative, is not supported",
        here(),
        repair="Make it of entries and their places: csr_array((entries, (rows, columns)), shape=...).",
    )


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "issparse": lambda x: isinstance(x, SparseTensor),
    "isspmatrix": lambda x: isinstance(x, SparseTensor) and _is_matrix(x),
    "diags": _of_diagonals("matrix"),
    "diags_array": lambda diagonals, /, *, offsets=0, **options: _of_diagonals("array")(
        diagonals, offsets, **options
    ),
    "spdiags": _spdiags,
    "bmat": _blocks,
    "block_array": lambda blocks, *, format=None, dtype=None: _blocks(blocks, format),
    "hstack": lambda blocks, format=None, dtype=None: _blocks([list(blocks)], format),
    "vstack": lambda blocks, format=None, dtype=None: _blocks([[b] for b in blocks], format),
    "block_diag": _block_diag,
    "kron": _kron,
    "tril": _part("tril"),
    "triu": _part("triu"),
}
