"""Every rule of scipy.integrate: importing it registers them."""

from adc.rules import quadrature as quadrature
from adc.rules import running_quadrature as running_quadrature
