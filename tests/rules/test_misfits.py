"""A call that NumPy refuses is refused by every engine, in NumPy's words: never a derivative of something else."""

import numpy as np
import pytest

import adc

X = np.arange(1.0, 5.0).reshape(2, 2)

# Arguments that the function does not have.
UNKNOWN = [
    lambda x: np.stack([x, x], foo=2),
    lambda x: np.concatenate([x, x], foo=2),
    lambda x: np.where(x > 0, x, x, foo=1),
    lambda x: np.array(x, foo=1),
    lambda x: np.full(3, x[0, 0], foo=1),
    lambda x: np.zeros(3, foo=1) + x[0, 0],
    lambda x: np.tile(x, foo=1),
    lambda x: np.exp(x, foo=1),
    lambda x: np.fft.fft(x, foo=1).real,
    lambda x: np.linalg.det(x, foo=1),
    lambda x: x.dot(x, foo=1),
    lambda x: np.argmax(x, foo=1) * x,
    lambda x: np.transpose(x, axis=0),
]
# Arguments that it has, with values that it does not take.
WRONG = [
    lambda x: x.sum(0, 1),
    lambda x: x.astype("foo"),
    lambda x: np.sum(x, dtype="foo"),
    lambda x: np.sin(x, dtype=np.int64),
    lambda x: np.add(x, 2, dtype=np.int64),
    lambda x: np.multiply(x, x, out=np.zeros((2, 2), int)),
    lambda x: np.multiply(x, x, dtype=np.float32, casting="safe"),
    lambda x: x * np.greater(x, 2.0, dtype=float),
    lambda x: np.linalg.norm(x, ord="foo"),
    lambda x: np.linalg.norm(x, 3),
    lambda x: np.linalg.norm(x[0], ord="fro"),
    lambda x: np.transpose(x, (0, 0)),
    lambda x: x.transpose(0, 0),
    lambda x: x.swapaxes(0, 4),
    lambda x: np.moveaxis(x, 0, 4),
    lambda x: np.rollaxis(x, 4),
    lambda x: np.einsum("ij->k", x),
    lambda x: np.einsum("i...->i", x),
    lambda x: np.einsum("...i...->i", x),
    lambda x: np.einsum("...ij,...ij->...i...", x, x),
    lambda x: np.pad(x, (1, 2, 3)),
    lambda x: np.pad(x, ((1, 2), (0, 1), (1, 1))),
    lambda x: np.pad(x, ((1, 2, 3), (1, 2, 3))),
    lambda x: np.pad(x, 1, constant_values=(1.0, 2.0, 3.0)),
    lambda x: np.pad(x, 1, "linear_ramp", end_values=((1.0, 2.0), (2.0, 3.0), (3.0, 4.0))),
    lambda x: np.meshgrid(x[0], x[1], indexing="yx"),
    lambda x: np.quantile(x, 0.5, method="foo"),
    lambda x: np.concatenate([x, x], axis=4),
    lambda x: x.mean(0, 1, 2, 3, 4, 5, 6),
    lambda x: np.exp(x, x, x),
    lambda x: np.maximum(x),
    lambda x: x.copy(foo=1),
    lambda x: x.reshape(4, foo=1),
    lambda x: x.flatten(foo=1),
    lambda x: np.flip(x, 2),
    lambda x: np.flip(x, axis=(0, 0)),
    lambda x: np.quantile(x, 0.5, axis=2),
    lambda x: np.median(x, axis=(0, -3)),
    lambda x: np.repeat(x, 2, axis=-3),
    lambda x: x.repeat(2, 2),
    lambda x: np.insert(x, 0, 1.0, axis=2),
    lambda x: np.delete(x, 0, -3),
    lambda x: np.diff(x, axis=2),
    lambda x: np.cumulative_sum(x, axis=2),
    lambda x: np.gradient(x, 1.0, 2.0, 3.0),
    lambda x: np.gradient(x, 1.0, 2.0, axis=0),
    lambda x: np.vsplit(x[0], 2),
    lambda x: np.dsplit(x, 2),
    lambda x: np.piecewise(x, [x > 0, x < 0, x > 1], [1.0, 2.0]),
    lambda x: np.rot90(x, axes=(0, 0)),
    lambda x: np.rot90(x, axes=(0, 7)),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 1, axis=2),
    lambda x: np.transpose(x, 7),
    lambda x: np.sort(3),
    lambda x: np.partition(x[0, 0], 0),
    lambda x: np.rot90(x[0, 0]),
    lambda x: np.linalg.inv(len(x)),
]


def _line(f):
    return f.__code__.co_firstlineno


def _error(f, mode):
    with pytest.raises((TypeError, ValueError, IndexError, adc.UnsupportedError, adc.ShapeError)) as caught:
        adc.grad(lambda x: np.sum(f(x)), mode=mode)(X)
    assert not isinstance(caught.value, adc.InternalError)
    return str(caught.value)


@pytest.mark.tiny
@pytest.mark.parametrize("f", UNKNOWN, ids=_line)
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_an_argument_that_there_is_not(f, mode):
    with pytest.raises(TypeError) as numpys:
        f(X)
    text = _error(f, mode)
    assert str(numpys.value) in text
    if mode == "python":
        assert f"test_misfits.py:{_line(f)}:" in text.splitlines()[0]


@pytest.mark.tiny
@pytest.mark.parametrize("f", WRONG, ids=_line)
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_a_value_that_is_none_for_it(f, mode):
    with pytest.raises((TypeError, ValueError)):
        f(X)
    text = _error(f, mode)
    if mode == "python":
        assert f"test_misfits.py:{_line(f)}:" in text.splitlines()[0]


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_shuffled_rows(make, mode):
    def f(x):
        y = x.copy()
        make(3).shuffle(y)
        return np.sum(y * np.arange(12.0).reshape(6, 2))

    x = np.linspace(1.0, 2.0, 12).reshape(6, 2)
    value, g = adc.value_and_grad(f, mode=mode)(x)
    assert value == pytest.approx(f(x))
    np.testing.assert_allclose(np.sum(g * x), f(x))  # linear


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("shape", [(3, 3), (3, 0)])
def test_a_right_side_that_scipy_does_not_look_at(mode, shape):
    """Where a matrix of Sylvester's equation has no elements, SciPy gives whatever was in memory."""
    from scipy import linalg

    empty, q = np.zeros((0, 0)), np.ones(shape)
    with pytest.raises((ValueError, adc.errors.DerivativeError), match="right side"):
        adc.grad(lambda b: np.sum(linalg.solve_sylvester(empty, b, q)), mode=mode)(np.eye(3))
    slope = adc.grad(lambda b: np.sum(linalg.solve_sylvester(empty, b, np.ones((0, 3)))), mode=mode)(
        np.eye(3)
    )
    np.testing.assert_array_equal(slope, np.zeros((3, 3)))
