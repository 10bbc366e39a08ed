"""Objects and functions of scipy.interpolate."""

from adc.rules import grid_interpolation as grid_interpolation
from adc.rules import piecewise_polynomials as piecewise_polynomials
from adc.rules import scattered as scattered
from adc.rules import splines as splines
from adc.rules import through_points as through_points
