"""What NumPy refuses the tape refuses, in NumPy's words or naming the user's line; it is never an assertion's."""

import warnings

import numpy as np
import pytest

import adc
from adc import tape
from adc.errors import AdcError
from adc.rules import registry
from adc.tape import asked, record

X = np.array([1.0, 2.0, 4.0, 7.0])
M = np.arange(6.0).reshape(2, 3)

CALLS = {
    "gradient of too few": lambda x: np.gradient(x[:1]),
    "gradient of too few for the order": lambda x: np.gradient(x[:2], edge_order=2),
    "gradient with too many spacings": lambda x: np.gradient(x, 1.0, 2.0, 3.0),
    "gradient along no axis": lambda x: np.gradient(x, axis=3),
    "gradient with coordinates of another length": lambda x: np.gradient(x, np.arange(3.0)),
    "split into unequal parts": lambda x: np.split(x, 3),
    "split into no parts": lambda x: np.array_split(x, 0),
    "split into fewer than none": lambda x: np.array_split(x, -10),
    "split along no axis": lambda x: np.split(x, 2, axis=2),
    "hsplit into unequal parts": lambda x: np.hsplit(x, 3),
    "diff along no axis": lambda x: np.diff(x, axis=4),
    "diff less than once": lambda x: np.diff(x, -1),
    "average with weights of another length": lambda x: np.average(x, weights=np.ones(3)),
    "cross of four components": lambda x: np.cross(x, x),
    "compress by a matrix": lambda x: np.compress(np.ones((2, 2)), x),
    "delete of what is not there": lambda x: np.delete(x, 9),
    "insert behind the end": lambda x: np.insert(x, 9, 1.0),
    "norm of an order that is none": lambda x: np.linalg.cond(x.reshape(2, 2), 5),
    "accumulate along all axes": lambda x: np.add.accumulate(x.reshape(2, 2), axis=None),
    "accumulate of a number": lambda x: np.multiply.accumulate(x[0]),
    "a keyword given twice": lambda x: np.add.reduce(x, 0, axis=0),
    "along no axis": lambda x: np.apply_along_axis(np.prod, 3, x),
    "over no axis": lambda x: np.apply_over_axes(np.sum, x, (0, 3)),
    "choose from too few": lambda x: np.choose(np.array([0, 1]), (x[:2],)),
    "reduceat behind the end": lambda x: np.add.reduceat(x, [0, 9]),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_error_is_numpys(name):
    with pytest.raises(Exception) as expected:
        CALLS[name](X)
    for _ in range(2):  # what was refused once is refused again
        with pytest.raises(type(expected.value)) as actual:
            CALLS[name](tape.tensor(X, requires_grad=True))
    assert str(actual.value) == str(expected.value)


def test_what_the_rule_does_not_reach_is_refused_on_the_users_line():
    x = tape.tensor(np.zeros(0), requires_grad=True)
    with pytest.raises(adc.UnsupportedError, match="median for these arguments") as caught:
        np.median(x)
    assert caught.value.location.file == __file__


def test_a_result_of_another_shape_is_refused(monkeypatch):
    x = tape.tensor(X, requires_grad=True)
    monkeypatch.setattr(
        asked, "_ask", lambda entry, args, kwargs: np.zeros(2)
    )  # a function that its rule misjudges
    with pytest.raises(adc.UnsupportedError, match="for these arguments") as caught:
        np.polyfit(x, x, 2, rcond=1e-9)
    assert "(3,), the function one of shape (2,)" in str(caught.value)
    assert caught.value.location.file == __file__


def test_one_count_repeats_every_element():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    y = np.repeat(x, np.array([3]))
    np.testing.assert_array_equal(y.detach().numpy(), [1, 1, 1, 2, 2, 2])
    (y * y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [6, 12])


def _spoiled(example):
    """The call with one argument made wrong in each of a few ways."""
    slots = [*example.args, *example.kwargs.values()]
    count = len(example.args)
    for k, value in enumerate(slots):
        others = []
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.ndim:
            others = [value[None], np.resize(value, (*value.shape[:-1], value.shape[-1] + 1))]
        elif isinstance(value, int) and not isinstance(value, bool):
            others = [value + 7, -value - 7, 0]
        for other in others:
            new = [*slots[:k], other, *slots[k + 1 :]]
            yield tuple(new[:count]), dict(zip(example.kwargs, new[count:], strict=True))
    yield (*example.args, 1.0, 2.0, 3.0), example.kwargs


def _raised(function, args, kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return None, function(*args, **kwargs)
        except Exception as error:
            return error, None


def _leaves(value):
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return tape.tensor(value, requires_grad=True)
    if isinstance(value, list | tuple):
        return type(value)([_leaves(v) for v in value])
    return value


COMPOSITES = [
    operation
    for operation in registry.operations()
    if operation.kind == "composite"
    and operation.examples is not None
    and not operation.extra.get("writes")
    and operation.spelling.startswith("np.")
]


@pytest.mark.parametrize("operation", COMPOSITES, ids=lambda operation: operation.name)
def test_spoiled_examples(operation):
    function = operation.function
    for example in operation.example_calls():
        for args, kwargs in _spoiled(example):
            expected, answer = _raised(function, args, kwargs)
            actual, result = _raised(function, _leaves(args), {k: _leaves(v) for k, v in kwargs.items()})
            if expected is not None:
                assert isinstance(actual, AdcError | type(expected) | TypeError), (
                    args,
                    kwargs,
                    expected,
                    actual,
                )
            elif actual is not None:
                assert isinstance(actual, AdcError | TypeError), (args, kwargs, actual)
            else:
                shapes = np.shape(answer) if isinstance(answer, np.ndarray | np.generic) else None
                assert shapes is None or np.shape(record.plain(result)) == shapes
