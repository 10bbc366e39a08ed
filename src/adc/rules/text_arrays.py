"""Arrays of texts, `np.array(["b", "a", "b"])`: labels that a program compares with, sorts and goes over.

They are known before the program runs, and what is asked of them is computed then. What a comparison gives is an array
of the program, `x[labels == "a"]`.
"""

import operator

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import registry


def given(function, *args, **kwargs):
    """What NumPy gives for texts; the compiler computes it while it makes the program."""
    return function(*args, **kwargs)


@registry.static
def _refuse_to_write():
    raise UnsupportedError(
        "an array of texts is written to",
        why="what it holds is known before the program runs",
        repair="write to a list, and make the array of it",
    )


def _dtype_of(texts):
    return texts.dtype


class TextArray:
    """An array of texts; `held` is NumPy's own."""

    __adc_model__ = True
    __adc_stands_for__ = np.ndarray
    __array_priority__ = 1.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held):
        self.held = held

    @property
    def shape(self):
        return given(np.shape, self)

    @property
    def ndim(self):
        return given(np.ndim, self)

    @property
    def size(self):
        return given(np.size, self)

    @property
    def dtype(self):
        return given(_dtype_of, self)

    @property
    def T(self):
        return given(np.transpose, self)

    def __eq__(self, other):
        return given(operator.eq, self, other)

    def __ne__(self, other):
        return given(operator.ne, self, other)

    def __lt__(self, other):
        return given(operator.lt, self, other)

    def __le__(self, other):
        return given(operator.le, self, other)

    def __gt__(self, other):
        return given(operator.gt, self, other)

    def __ge__(self, other):
        return given(operator.ge, self, other)

    def __len__(self):
        return given(len, self)

    def __iter__(self):
        return iter(given(list, self))

    def __contains__(self, text):
        return given(operator.contains, self, text)

    def __getitem__(self, index):
        return given(operator.getitem, self, index)

    def __setitem__(self, index, text):
        _refuse_to_write()

    def tolist(self):
        return given(np.ndarray.tolist, self)

    def item(self, *index):
        return given(np.ndarray.item, self, *index)

    def astype(self, dtype):
        return given(np.ndarray.astype, self, dtype)

    def copy(self):
        return self

    def ravel(self):
        return given(np.ravel, self)

    def flatten(self):
        return given(np.ravel, self)

    def reshape(self, *shape):
        return given(np.ndarray.reshape, self, *shape)

    def argsort(self, **options):
        return given(np.argsort, self, **options)
