"""The mixture of `gmm` with 25 components."""

from kernels import gmm

KERNEL = gmm.kernel(1000, 32, 25, 0.29)
