"""Messages to loggers, and warnings, are printed where the logger would take them."""

import logging
import warnings

import numpy as np
import pytest

import adc

LOGGER = logging.getLogger("adc.tests.logged")


def told(x):
    LOGGER.info("not this")
    LOGGER.error("%d numbers, %s", x.size, x[0])
    if x[0] > 0:
        warnings.warn("positive", RuntimeWarning, stacklevel=2)
    return np.sum(x * x)


@pytest.mark.tiny
def test_what_is_logged_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    adc.grad(told, mode="python")(np.array([0.5, 1.0]))
    said = capsys.readouterr().out
    assert "ERROR:adc.tests.logged:" in said and "numbers" in said and "RuntimeWarning: " in said
    assert "not this" not in said
