"""Every rule of scipy.signal: importing it registers them."""

from adc.rules import filters as filters
from adc.rules import forward_back as forward_back
from adc.rules import linear_circuits as linear_circuits
from adc.rules import rank_filters as rank_filters
from adc.rules import resampling as resampling
from adc.rules import responses as responses
from adc.rules import short_time as short_time
from adc.rules import smoothing as smoothing
from adc.rules import spectra as spectra
from adc.rules import waveforms as waveforms
