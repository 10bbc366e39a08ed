"""Every rule of scipy.ndimage: importing it registers them."""

from adc.rules import images as images
from adc.rules import labelled as labelled
from adc.rules import morphology as morphology
from adc.rules import rank_filters as rank_filters
from adc.rules import warps as warps
