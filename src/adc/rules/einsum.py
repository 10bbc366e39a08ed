"""The rule of np.einsum: a composite of matrix products, so that compiled code contracts with BLAS.

Operands are contracted in pairs, each as one (batched) matrix product, in the order that costs least where all
indices are equally long; indices of one operand alone are summed first, repeated ones read the diagonal. The
derivative, and that of any order, follows from these steps.
"""

import itertools
from string import ascii_letters

import numpy as np

from adc.rules.diagonals import diagonal_of
from adc.rules.movement import stretched
from adc.rules.registry import composite, constant, static
from adc.rules.sampler import call


@static
def parsed(subscripts, ranks):
    """The letters of each operand and of the result; an ellipsis becomes capital letters that einsum does
    not use.

    >>> parsed("ij,jk", (2, 2)), parsed("...i->...", (3,))
    ((('ij', 'jk'), 'ik'), (('\\x01\\x02i',), '\\x01\\x02'))
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    operands = left.split(",")
    if len(operands) != len(ranks):
        raise ValueError(f"einsum: {len(operands)} operands in {subscripts!r}, {len(ranks)} given")
    widths = [rank - len(o.replace("...", "")) for o, rank in zip(operands, ranks, strict=True)]
    for operand, width in zip(operands, widths, strict=True):
        if width < 0 or (width > 0 and "..." not in operand):
            raise ValueError(
                f"einsum: rank {width + len(operand.replace('...', ''))} does not fit {operand!r}"
            )
    if any("." in part.replace("...", "", 1) for part in (*operands, right)):
        raise ValueError(f"einsum: in {subscripts!r} stands a '.' that is not part of one ellipsis")
    most = max((w for o, w in zip(operands, widths, strict=True) if "..." in o), default=0)
    dots = "".join(chr(1 + k) for k in range(most))
    letters = tuple(o.replace("...", dots[most - w :]) for o, w in zip(operands, widths, strict=True))
    if arrow:
        if dots and "..." not in right:
            raise ValueError(f"einsum: the result of {subscripts!r} has axes for which it names no '...'")
        return letters, right.replace("...", dots)
    every = "".join(letters)
    return letters, dots + "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in dots))


@static
def lettered(lists, result):
    """Subscripts as a text from lists of numbers, those of the operands and perhaps of the result.

    >>> lettered(([0, 1], [1, 2]), None), lettered(([..., 5],), [5, ...])
    ('ab,bc', '...f->f...')
    """
    texts = ["".join("..." if k is Ellipsis else ascii_letters[k] for k in numbers) for numbers in lists]
    end = (
        "" if result is None else "->" + "".join("..." if k is Ellipsis else ascii_letters[k] for k in result)
    )
    return ",".join(texts) + end


@static
def first_repeated(letters):
    """The positions of the first letter that occurs twice, or None."""
    for k, c in enumerate(letters):
        if c in letters[k + 1 :]:
            return k, letters.index(c, k + 1)
    return None


@static
def without(letters, positions):
    return "".join(c for k, c in enumerate(letters) if k not in positions)


@static
def lonely(letters, wanted):
    """The positions of letters that nobody else wants."""
    return tuple(k for k, c in enumerate(letters) if c not in wanted)


@static
def order_of(letters, target):
    return tuple(letters.index(c) for c in target)


@static
def roles(a, b, wanted):
    """Letters of a pair: batch (in both, wanted), contracted (in both only), alone in a, alone in b."""
    batch = "".join(c for c in a if c in b and c in wanted)
    contracted = "".join(c for c in a if c in b and c not in wanted)
    return batch, contracted, "".join(c for c in a if c not in b), "".join(c for c in b if c not in a)


# As if every index were so long: the power of it that a step costs is what counts.
LENGTH = 64
MOST_EXHAUSTIVE = 6


@static
def path(letters, result):
    """Which two operands to contract, step by step; the outcome goes to the end of the list.

    >>> path(("ij", "jk", "k"), "i"), path(("ij", "jk", "kl"), "il")
    (((1, 2), (0, 1)), ((0, 1), (0, 1)))
    """
    if len(letters) <= MOST_EXHAUSTIVE:
        return _cheapest(letters, result)[1]
    steps = []
    while len(letters) > 1:
        steps.append(min(itertools.combinations(range(len(letters)), 2), key=lambda p: _cost(letters, p)))
        letters = after_step(letters, steps[-1], result)
    return tuple(steps)


def _cost(letters, pair):
    return LENGTH ** len(set(letters[pair[0]] + letters[pair[1]]))


def _cheapest(letters, result):
    """The least cost of all orders, and the first that has it."""
    if len(letters) < 2:
        return 0, ()
    best = None
    for pair in itertools.combinations(range(len(letters)), 2):
        rest, steps = _cheapest(after_step(letters, pair, result), result)
        cost = _cost(letters, pair) + rest
        if best is None or cost < best[0]:
            best = cost, (pair, *steps)
    return best


@static
def after_step(letters, pair, result):
    """The letters of the operands after a step: those of the outcome are the ones that somebody else wants."""
    others = tuple(x for k, x in enumerate(letters) if k not in pair)
    kept = "".join(others) + result
    both = dict.fromkeys(letters[pair[0]] + letters[pair[1]])
    return (*others, "".join(c for c in both if c in kept))


@static
def wanted_by_others(letters, pair, result):
    """The letters of the operands beside a pair, and of the result."""
    return "".join(x for k, x in enumerate(letters) if k not in pair) + result


@static
def replaced(letters, pair, outcome):
    return (*(x for k, x in enumerate(letters) if k not in pair), outcome)


def _reduced(x, letters, wanted):
    """Repeated letters read the diagonal, letters that nobody else wants are summed."""
    repeated = first_repeated(letters)
    if repeated is not None:
        i, j = repeated
        return _reduced(
            diagonal_of(np.moveaxis(x, (i, j), (-2, -1))), without(letters, repeated) + letters[i], wanted
        )
    alone = lonely(letters, wanted)
    if len(alone) > 0:
        return np.sum(x, axis=alone), without(letters, alone)
    return x, letters


@static
def common(dtypes):
    """The dtype in which everything is multiplied and added."""
    return np.result_type(*dtypes) if dtypes else np.dtype(float)


def _converted(arrays, dtype):
    """Operands of integers or truth values in the dtype of all: a sum of truth values is one only among these."""
    converted = ()
    for x in arrays:
        whole = np.ndim(x) > 0 and x.dtype.kind in "biu"
        converted = converted + (x.astype(dtype) if whole and x.dtype != dtype else x,)
    return converted


def _lengths(x, letters, chosen):
    lengths = ()
    for k in order_of(letters, chosen):
        lengths = lengths + (x.shape[k],)
    return lengths


def _product(lengths):
    n = 1
    for length in lengths:
        n = n * length
    return n


def _contracted(a, a_letters, b, b_letters, wanted):
    batch, inner, rows, columns = roles(a_letters, b_letters, wanted)
    if inner == "":
        left = np.transpose(a, order_of(a_letters, batch + rows))
        left = np.reshape(left, np.shape(left) + (1,) * len(columns))
        right = np.transpose(b, order_of(b_letters, batch + columns))
        right = np.reshape(
            right, np.shape(right)[: len(batch)] + (1,) * len(rows) + np.shape(right)[len(batch) :]
        )
        return left * right, batch + rows + columns
    row_lengths = _lengths(a, a_letters, rows)
    column_lengths = _lengths(b, b_letters, columns)
    left = np.transpose(a, order_of(a_letters, batch + rows + inner))
    right = np.transpose(b, order_of(b_letters, batch + inner + columns))
    # What has one element along an index gives it to all of the other.
    sums = stretched(_lengths(a, a_letters, inner), _lengths(b, b_letters, inner))
    left = np.broadcast_to(left, _lengths(a, a_letters, batch + rows) + sums)
    right = np.broadcast_to(right, _lengths(b, b_letters, batch) + sums + column_lengths)
    if batch == "" and columns == "" and rows == "":
        return np.reshape(left, (np.size(left),)) @ np.reshape(right, (np.size(right),)), ""
    # Without batches, an operand that has no index of its own is a vector.
    left_rows = () if batch == "" and rows == "" else (_product(row_lengths),)
    right_columns = () if batch == "" and columns == "" else (_product(column_lengths),)
    length = _product(sums)
    left = np.reshape(left, _lengths(a, a_letters, batch) + left_rows + (length,))
    right = np.reshape(right, _lengths(b, b_letters, batch) + (length,) + right_columns)
    z = left @ right
    return np.reshape(z, np.shape(z)[: len(batch)] + row_lengths + column_lengths), batch + rows + columns


def _array(x):
    if not isinstance(x, (list, tuple)):
        return x
    rows = []
    for row in x:
        rows.append(_array(row))
    return np.stack(tuple(rows))


def _of_which(args):
    """The position of an array of whose elements np.einsum computes nothing: it gives a view of a diagonal."""
    if not isinstance(args[0], str):
        return 0 if len(args) == 3 and set(args[1]) == set(args[2]) else None
    before, arrow, after = args[0].replace(" ", "").partition("->")
    return 1 if arrow and set(before) == set(after) else None


@composite(
    np.einsum,
    wrt="subscripts operands",
    extra={"view": _of_which, "order": "A"},
    notes="in pairs, in the order that costs least where all indices are equally long",
    examples=lambda r: [
        ("ij,jk->ik", r.normal(2, 3), r.normal(3, 4)),
        ("ij,jk", r.normal(2, 3), r.normal(3, 4)),
        ("i,i", r.normal(3), r.normal(3)),
        ("ii", r.normal(3, 3)),
        ("ii->i", r.normal(3, 3)),
        ("ij->ji", r.normal(2, 3)),
        ("ij->", r.normal(2, 3)),
        ("ij->i", r.normal(2, 3)),
        ("i,j->ij", r.normal(2), r.normal(3)),
        ("bij,bjk->bik", r.normal(4, 2, 3), r.normal(4, 3, 2)),
        ("...ij,...jk->...ik", r.normal(4, 2, 3), r.normal(4, 3, 2)),
        ("...ij,jk->...ik", r.normal(4, 2, 3), r.normal(3, 2)),
        ("i...->...", r.normal(3, 2)),
        ("ij,jk,kl->il", r.normal(2, 3), r.normal(3, 2), r.normal(2, 4)),
        ("ij,ij->ij", r.normal(2, 3), r.normal(2, 3)),
        ("ij,kj->ik", r.normal(2, 3), r.normal(4, 3)),
        ("ijk,k->ij", r.normal(2, 3, 4), r.normal(4)),
        ("iij->j", r.normal(3, 3, 2)),
        ("ij,i->j", r.normal(2, 3), r.normal(2)),
        ("abc,acd,ad->b", r.normal(2, 3, 4), r.normal(2, 4, 2), r.normal(2, 2)),
        ("i,ij,j->", r.normal(2), r.normal(2, 3), r.normal(3)),
        ("ij,jk,k->i", r.normal(2, 3), r.normal(3, 4), r.normal(4)),
        ("ij,jk,kl,lm->im", r.normal(2, 3), r.normal(3, 2), r.normal(2, 4), r.normal(4, 2)),
        ("...i,...i", r.normal(2, 1, 3), r.normal(4, 3)),
        ("ij,ij->i", r.normal(2, 1), r.normal(2, 3)),
        ("ij,jk->ik", r.normal(2, 3), r.normal(1, 4)),
        ("bijk,bjkl->bil", r.normal(2, 3, 1, 2), r.normal(1, 4, 2, 2)),
        ("ij,ij->", r.normal(2, 1), r.normal(1, 3)),
        call("ij,jk->ik", r.normal(2, 3), r.normal(3, 4), optimize=True),
        (r.normal(2, 3), [0, 1], r.normal(3, 4), [1, 2], [0, 2]),
        (r.normal(2, 3, 3), [..., 1, 1]),
        ("ij,j", [[1.0, 2.0], [3.0, 4.0]], r.normal(2)),
        ("ij,jk->ki", r.normal(2, 3) + 1j * r.normal(2, 3), r.normal(3, 2) + 1j * r.normal(3, 2)),
    ],
)
def einsum(subscripts, *operands, optimize=False):
    arrays = ()
    if isinstance(subscripts, str):
        text = subscripts
        for x in operands:
            arrays = arrays + (_array(x),)
    else:  # arrays, each followed by the numbers of its axes, and perhaps those of the result
        every = (subscripts, *operands)
        lists = ()
        for k in range(len(every) // 2):
            arrays = arrays + (_array(every[2 * k]),)
            lists = lists + (every[2 * k + 1],)
        text = lettered(lists, every[-1] if len(every) % 2 == 1 else None)
    ranks, dtypes = (), ()
    for x in arrays:
        ranks = ranks + (np.ndim(x),)
        dtypes = dtypes + ((x.dtype,) if np.ndim(x) > 0 else ())
    dtype = common(dtypes)
    arrays = _converted(arrays, dtype)
    letters, result = parsed(text, ranks)
    for pair in path(letters, result):
        i, j = pair
        wanted = wanted_by_others(letters, pair, result)
        a, a_letters = _reduced(arrays[i], letters[i], letters[j] + wanted)
        b, b_letters = _reduced(arrays[j], letters[j], a_letters + wanted)
        z, z_letters = _contracted(a, a_letters, b, b_letters, wanted)
        arrays = _left_over(arrays, pair) + (z,)
        letters = replaced(letters, pair, z_letters)
    z, z_letters = _reduced(arrays[0], letters[0], result)
    if dtype.kind in "biu":
        z = z.astype(dtype)  # np.sum has made 64 bits of truth values and small integers
    return z if z_letters == result else np.transpose(z, order_of(z_letters, result))


def _left_over(arrays, pair):
    others = ()
    for k in range(len(arrays)):
        if k not in pair:
            others = others + (arrays[k],)
    return others


constant(
    np.einsum_path,
    parameters='subscripts, *operands, optimize="greedy"',
    examples=lambda r: [("ij,jk->ik", r.normal(2, 3), r.normal(3, 4))],
)
