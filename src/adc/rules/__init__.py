"""The rulebook: what each operation is, its derivative, its test inputs. Importing it registers them."""

import math

import numpy as np

from adc.rules import arithmetic as arithmetic
from adc.rules import axes as axes
from adc.rules import broadcast_objects as broadcast_objects
from adc.rules import comparisons as comparisons
from adc.rules import complex_math as complex_math
from adc.rules import complexes as complexes
from adc.rules import creation as creation
from adc.rules import creation_keywords as creation_keywords
from adc.rules import cumulative as cumulative
from adc.rules import diagonals as diagonals
from adc.rules import differences as differences
from adc.rules import dtype_keywords as dtype_keywords
from adc.rules import einsum as einsum
from adc.rules import elementary as elementary
from adc.rules import factorable as factorable
from adc.rules import factorizations as factorizations
from adc.rules import floats as floats
from adc.rules import fourier as fourier
from adc.rules import gathering as gathering
from adc.rules import grids as grids
from adc.rules import held as held
from adc.rules import histograms as histograms
from adc.rules import index_arrays as index_arrays
from adc.rules import insertion as insertion
from adc.rules import joining as joining
from adc.rules import keywords as keywords
from adc.rules import least_squares as least_squares
from adc.rules import linear_systems as linear_systems
from adc.rules import movement as movement
from adc.rules import norms as norms
from adc.rules import padding as padding
from adc.rules import poly1d as poly1d
from adc.rules import polynomials as polynomials
from adc.rules import power_series as power_series
from adc.rules import products as products
from adc.rules import reductions as reductions
from adc.rules import registry as registry
from adc.rules import scalar_math as scalar_math
from adc.rules import series as series
from adc.rules import series_arithmetic as series_arithmetic
from adc.rules import series_in_planes as series_in_planes
from adc.rules import series_objects as series_objects
from adc.rules import sets as sets
from adc.rules import splitting as splitting
from adc.rules import statistics as statistics
from adc.rules import strided as strided
from adc.rules import ufunc_methods as ufunc_methods
from adc.rules import weighted_quantiles as weighted_quantiles
from adc.rules import writes as writes

# Numba learns what compiled code calls and it lacks.
from adc.runtime import fft as fft
from adc.runtime import numpy_gaps as numpy_gaps

registry.late("statistics", "adc.rules.python_statistics")
registry.late("scipy.special", "adc.rules.special", (np.i0, np.kaiser, math.gamma, math.lgamma))
registry.late("scipy.linalg", "adc.rules.scipy_linalg")
registry.late("scipy.stats", "adc.rules.distributions")
registry.late("scipy.optimize", "adc.rules.rosenbrock")
registry.late("scipy.integrate", "adc.rules.integrals")
registry.late("scipy.signal", "adc.rules.signals")
registry.late("scipy.ndimage", "adc.rules.image_filters")
registry.late("scipy.interpolate", "adc.rules.interpolators")
registry.late("scipy.fft", "adc.rules.scipy_fourier")
registry.late("scipy.spatial.distance", "adc.rules.spatial")
registry.late("scipy.spatial", "adc.rules.trees")
registry.late("scipy.spatial.transform", "adc.rules.rotations")
