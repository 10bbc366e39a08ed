"""Views and arrays without axes: compiled code has numbers there, and refuses a write that another name would see."""

import numpy as np
from tests.corpus import program

TWO_NAMES = "an array without axes is a number, which the other name keeps"
VIEW = "a view without axes is a number, which what it lies in does not see"


def vector(r):
    return (r.normal(size=3),)


def refused(why):
    return {"python": why, "compiled": why}


@program(vector, refused=refused(TWO_NAMES))
def a_number_made_an_array_of_two_names(x):
    y = np.array(0.0)
    z = y
    y += x[0]
    return z * 2 + x[1]


@program(vector, refused=refused("an array without axes is a number, which has no elements to write to"))
def a_number_made_an_array_is_written_to_by_index(x):
    y = np.zeros(())
    y[...] = x[0]
    y[()] += x[1]
    return y * x[2]


@program(vector, refused=refused("an array without axes is a number, which has no elements to write to"))
def added_to_by_index(x):
    y = np.array(x[0])
    y[...] += 1.0
    return y * x[2]


@program(vector, refused=refused(VIEW))
def a_write_to_what_is_squeezed(x):
    y = x.copy()
    v = np.squeeze(y[:1])
    v *= 3
    return y.sum() * x[1]


@program(vector, refused=refused(VIEW))
def a_write_to_an_element_with_an_ellipsis(x):
    y = x.copy()
    v = y[0, ...]
    v += x[1]
    return (y**2).sum()


@program(vector, refused=refused(VIEW))
def a_write_below_a_reshaped_element(x):
    y = x.copy()
    v = y[0:1].reshape(())
    y[0] = 5.0 * x[1]
    return v * x[0]


@program(vector)
def views_of_elements_that_nobody_writes_to(x):
    y = x.copy()
    v = y[0, ...] * np.squeeze(x[1:2])
    y *= 2
    return v * x[2:].reshape(()) + y.sum()


@program(vector)
def written_with_an_ellipsis(x):
    y = np.zeros(3)
    for i in range(3):
        y[i, ...] = x[i, ...] ** 2
    total = np.array(1.0)
    total += y @ x
    return total


@program(lambda r: (0.7,))
def axes_for_a_number(x):
    s = np.sin(x)
    y = np.asarray(0.3)[None]
    row = np.asarray(s)[None, None]
    return np.sum(row @ np.array([[2.0, x]]) * np.squeeze(y) + np.array(x)[..., None])


def _of_class(v):
    if isinstance(v, np.ndarray):
        return 2.0
    return 1.0 if isinstance(v, (float, np.ndarray)) else 3.0


ASKED = "what class an array without axes is"


@program(lambda r: (np.array([0.7, -0.4]), 0.6), refused={"compiled": ASKED, "python": ASKED})
def the_class_of_an_array_without_axes(x, p):
    return x[0] * _of_class(np.array(p)) + x[1] * _of_class(x[0])


@program(lambda r: (np.array([0.7, -0.4]), 0.6))
def a_class_of_both(x, p):
    return x[0] if isinstance(np.asarray(p), (int, float, np.ndarray)) else x[1]


TWO_NAMES = "an array without axes is written to under one of two names"


@program(lambda r: (np.array([0.7, -0.4]),), refused={"compiled": TWO_NAMES, "python": TWO_NAMES})
def what_where_gives_has_two_names(x):
    s = np.where(x[0] > 0, x[0], 0.0)
    t = s
    y = s * np.exp(s)
    s += 1.0
    return t * x[1] + y


@program(lambda r: (np.array([0.7, -0.4]),), refused={"compiled": TWO_NAMES, "python": TWO_NAMES})
def zeros_like_a_number_have_two_names(x):
    s = np.zeros_like(x[0])
    t = s
    s += x[1]
    u = np.asarray(x[0])
    v = u
    u *= 2.0
    return t * x[0] + v


@program(lambda r: (np.array([0.7, -0.4]),))
def arrays_of_numbers_under_one_name(x):
    s = np.zeros_like(x[0])
    for v in x:
        s += np.where(v > 0, v, v * v)
    t = np.asarray(x[0]) * 2
    t += 1
    return s * t


@program(lambda r: (r.uniform(0.5, 2.0), r.normal(size=3)))
def an_axis_of_a_number_made_an_array(scale, x):
    factor = np.asarray(scale)
    return np.sum(100.0 / factor[..., None] * x) + np.sum(x / factor[None] + 1 / factor[None])


@program(lambda r: (r.normal(size=3), 2), argnums=(0,))
def what_is_asked_of_plain_numbers(x, n):
    asked = np.count_nonzero(n) + 2 * np.count_nonzero(True) + np.argsort(3).size + np.argwhere(n).size
    return x[0] * asked + x[1] * np.nanargmax(n) + x[2] * np.sum(np.roll(n, 1)) + np.argpartition(n, 0).size
