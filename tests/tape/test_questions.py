"""`is True` on the tape: Python's own True of Python's numbers, never one of NumPy's; and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adc


def _sign(v: Any) -> float:
    match v > 0:
        case True:
            return 1.0
        case False:
            return -1.0
        case _:
            return 0.0


def by_a_helper(x: Any) -> Any:
    return x * _sign(x) + x * x * _sign(float(x - 2.0))


def of_numpys_numbers(x: Any) -> Any:
    return x[0] * _sign(x[0]) + x[1]


def beside_a_flag(x: Any, strict: bool = False) -> Any:
    if strict is True or x > 10.0:
        return x
    return x * x if (x > 0.5) is not False else 3.0 * x


@pytest.mark.parametrize("function", [by_a_helper, beside_a_flag])
@pytest.mark.parametrize("x", [0.7, -0.4, 2.5])
def test_pythons_numbers(function: Any, x: float) -> None:
    value, gradient = adc.value_and_grad(function, mode="tape")(x)
    assert value == pytest.approx(function(x))
    assert gradient == pytest.approx((function(x + 1e-6) - function(x - 1e-6)) / 2e-6, rel=1e-6)


def either(x: Any) -> Any:
    return x * _sign(x - 2.0)


def test_numbers_of_math_are_pythons() -> None:
    assert adc.grad(either, mode="tape")(0.7) == adc.grad(either, mode="compiled")(0.7) == -1.0


def test_numpys_numbers() -> None:
    value, gradient = adc.value_and_grad(of_numpys_numbers, mode="tape")(np.array([0.7, 2.0]))
    assert value == of_numpys_numbers(np.array([0.7, 2.0])) == 2.0
    assert gradient.tolist() == [0.0, 1.0]


def cut_if_it_can_be(x: Any) -> Any:
    try:
        return x * x.detach()
    except AttributeError:
        return x * x


def test_a_handler_that_asks_for_what_only_a_tensor_has_is_refused() -> None:
    with pytest.raises(adc.UnsupportedError, match=r"has `detach`(.|\n)*hasattr\(x, 'detach'\)"):
        adc.grad(cut_if_it_can_be, mode="tape")(np.float64(3.0))
    assert adc.grad(cut_if_it_can_be)(np.float64(3.0)) == 6.0


def test_tensors_outside_stay_tensors() -> None:
    adc.grad(by_a_helper, mode="tape")(0.7)
    assert isinstance(adc.tensor(0.7, requires_grad=True) > 0.0, adc.Tensor)
