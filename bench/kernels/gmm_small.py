"""The mixture of `gmm` in 10 dimensions, where matrix products are too small for BLAS to help."""

from kernels import gmm

KERNEL = gmm.kernel(10000, 10, 25, 0.59)
