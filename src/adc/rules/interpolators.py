"""Objects and functions of scipy.interpolate."""

from adc.rules import piecewise_polynomials as piecewise_polynomials
