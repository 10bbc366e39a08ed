"""Rules of scipy.stats: log-densities, densities and distribution functions."""

from adc.rules import densities_bounded as densities_bounded
from adc.rules import densities_counts as densities_counts
from adc.rules import densities_joint as densities_joint
from adc.rules import densities_lifetimes as densities_lifetimes
from adc.rules import densities_matrices as densities_matrices
from adc.rules import densities_more as densities_more
from adc.rules import densities_named as densities_named
from adc.rules import densities_real as densities_real
from adc.rules import densities_shaped as densities_shaped
from adc.rules import equal_spreads as equal_spreads
from adc.rules import frozen as frozen
from adc.rules import kernel_density as kernel_density
from adc.rules import limited_samples as limited_samples
from adc.rules import moments as moments
from adc.rules import ranks as ranks
from adc.rules import regression as regression
from adc.rules import sample_distances as sample_distances
from adc.rules import samples as samples
from adc.rules import special as special
from adc.rules import spreads as spreads
from adc.rules import tails_bounded as tails_bounded
from adc.rules import tails_closed as tails_closed
from adc.rules import tails_incomplete as tails_incomplete
from adc.rules import tails_named as tails_named
from adc.rules import tails_real as tails_real
from adc.rules import tested_samples as tested_samples
