"""What generated code may call besides NumPy: matrix products, kernels, vector mathematics."""

from adc.runtime.kernels import kernel as kernel
from adc.runtime.products import dot as dot

__all__ = ["dot", "kernel"]
