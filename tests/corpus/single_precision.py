"""float32 beside Python's numbers and the functions of `math`, which know double precision only."""

import math

import numpy as np
from tests.corpus import program


@program(
    lambda r: (r.uniform(0.5, 1.5, size=3), np.array([3, 5])), refused={"tape": "a Tensor is cut by float()"}
)
def numbers_of_pythons(x, i):
    k = int(i[0])
    return np.sum(x * k) + (2.0 if isinstance(k, int) else 3.0) * np.sum(x) * float(x[1])


@program(lambda r: (2.0, 0.5), refused={"tape": "it does not know Python's numbers from NumPy's"})
def whose_number_it_is(x, y):
    a = x * 2 if isinstance(x, np.floating) else x * 3
    b = y * 2 if isinstance(np.sin(y), np.floating) else y * 3
    return a * b * (2.0 if isinstance(y, (int, np.integer)) else 5.0)


@program(lambda r: (r.uniform(0.5, 1.5, size=3).astype(np.float32), r.normal(size=3)), argnums=(1,))
def single_numbers_in_math(s, x):
    return np.sum(x * x) * math.hypot(s[0], s[1]) + math.exp(s[2]) * x[0]
