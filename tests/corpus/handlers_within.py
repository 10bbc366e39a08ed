"""A `try` within a `try`: what the handlers inside do not take, and what they raise, is for those around."""

import math

import numpy as np
from tests.corpus import program

CAUGHT = dict.fromkeys(("compiled", "python"), "a `try` catches")


def three(r):
    return (np.array([0.5, 1.7, 3.1]),)


@program(three)
def handlers_inside_for_another_class(x):
    total = 0.0
    for v in x:
        try:
            try:
                if v < 1.0:
                    raise ValueError("small")
                total = total + math.log(v - 1.0) * x[0]
            except ZeroDivisionError:
                total = total + 1.0
        except ValueError:
            total = total + v * v
    return total


@program(three)
def handlers_inside_that_raise(x):
    total = 1.0
    for v in x:
        try:
            before = total * v
            try:
                y = math.log(v - 1.0)
            except ValueError as error:
                raise KeyError("no logarithm") from error
            total = before + y
        except KeyError:
            total = total - v**3
    return total


@program(three)
def handlers_inside_that_raise_again(x):
    total = 1.0
    for v in x:
        try:
            try:
                y = math.sqrt(v - 1.0)
            except ValueError:
                if v < 0.7:
                    raise
                y = v * 3.0
            else:
                y = math.log(2.5 - v) + y
            total = total * y
        except ValueError:
            total = total - v**2
        else:
            total = total + v
    return total


@program(three)
def three_deep(x):
    total = x[1]
    for k in range(3):
        try:
            try:
                try:
                    y = 1.0 / (k - 1) * x[k]
                    y = y + math.log(x[k] - 1.0)
                except IndexError:
                    y = 0.0
            except ZeroDivisionError:
                y = 2.0 * x[0]
            total = total * y
        except (ValueError, KeyError):
            total = total + x[k] ** 2
    return total


@program(three, refused=CAUGHT)
def what_is_done_finally(x):
    seen = 0
    for k in range(3):
        try:
            try:
                y = math.log(x[k] - 1.0)
            finally:
                seen += 10
            seen += 1 + y
        except ValueError:
            seen += x[k]
    return seen


@program(three, refused=CAUGHT)
def a_name_with_a_new_value_before_it_raises(x):
    y = x[1]
    try:
        try:
            y = 3.0 * x[2]
            z = math.log(x[0] - 1.0)
        except KeyError:
            z = 0.0
        y = y * z
    except ValueError:
        y = y * x[0]
    return y


@program(three, refused=CAUGHT)
def an_element_that_is_written_before_it_raises(x):
    places = np.zeros(3)
    for k in range(3):
        try:
            try:
                places[k] = x[k] ** 2
                places[k] = math.log(x[k] - 1.0) * x[0]
            except KeyError:
                places[k] = 0.0
        except ValueError:
            places[k] = places[k] * 3.0
    return np.sum(places**2)


@program(three)
def what_was_written_before(x):
    places = np.zeros(3)
    for k in range(3):
        try:
            places[k] = x[k] ** 2
            try:
                y = math.log(x[k] - 1.0)
            except KeyError:
                y = 0.0
            places[k] = y * x[0]
        except ValueError:
            places[k] = places[k] * 3.0
    return np.sum(places**2)


@program(three)
def a_loop_in_a_handled_part(x):
    total = 0.0
    for scale in (1.0, 2.5, 0.2):
        try:
            for v in x:
                try:
                    total = total + math.log(v * scale - 1.0)
                except ValueError:
                    if v * scale < 0.2:
                        raise
                    total = total + v
            total = total * 2.0
        except ValueError:
            total = total + 5.0 * x[0]
    return total
