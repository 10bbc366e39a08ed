"""What Numba's passes find is found sooner: the same, in time that grows no faster than the function.

Each module replaces one function of Numba's when it is imported, before any function is compiled. What stands for a
text of Numba's stands only where that text is the one that was read (`known`).
"""

from adc.runtime.passes import assigned_once as assigned_once
from adc.runtime.passes import blas as blas
from adc.runtime.passes import boxing as boxing
from adc.runtime.passes import complex_numbers as complex_numbers
from adc.runtime.passes import declarations as declarations
from adc.runtime.passes import elements as elements
from adc.runtime.passes import entries as entries
from adc.runtime.passes import liveness as liveness
from adc.runtime.passes import lock_events as lock_events
from adc.runtime.passes import long_tuples as long_tuples
from adc.runtime.passes import operators as operators
from adc.runtime.passes import options as options
from adc.runtime.passes import phis as phis
from adc.runtime.passes import references as references
from adc.runtime.passes import refreshing as refreshing
from adc.runtime.passes import scopes as scopes
from adc.runtime.passes import ssa as ssa
from adc.runtime.passes import straight as straight
from adc.runtime.passes import taken_in as taken_in
from adc.runtime.passes import tidying as tidying
from adc.runtime.passes import variables as variables
from adc.runtime.passes import views as views
from adc.runtime.passes import widths as widths
