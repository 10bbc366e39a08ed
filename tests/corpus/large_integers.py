"""Python's integers: of any size, and fractions where they are raised to negative powers."""

import numpy as np
from tests.corpus import program

EXCEEDS = {"compiled": "an integer exceeds 64 bits"}


def number_and(n):
    return lambda r: (1.5, n)


@program(number_and(4))
def powers_of_ten(x, n):
    s = 0.0
    for k in range(n):
        s += x * 10**-k
    return s


@program(number_and(3))
def inverse_squares(x, n):
    s = 0.0
    for i in range(1, n + 1):
        s += np.sin(x) * i**-2
    return s + x * n**-1


@program(number_and(2), refused={"compiled": "a negative power of an integer is a fraction"})
def an_exponent_of_either_sign(x, n):
    return x * 2.0**n * 2 ** (n - 4)


@program(number_and(12))
def a_small_factorial(x, n):
    s = 0.0
    factorial = 1
    for k in range(1, n):
        factorial *= k
        s += x**k / factorial
    return s


@program(number_and(30), refused={**EXCEEDS, "python": "kept in 64 bits for the reverse sweep"})
def a_large_factorial(x, n):
    s = 0.0
    factorial = 1
    for k in range(1, n):
        factorial *= k
        s += 2.0**k * x**k / factorial
    return s


@program(lambda r: (1.5,))
def large_constants(x):
    return x / 2**64 * 10**19 + x * (10**20 / 3) / 2**65


@program(number_and(7))
def hashed(x, seed):
    s = 0.0
    for k in range(5):
        seed = (1103515245 * seed + 12345) % 2**31
        s += x**k * (seed / 2**31)
    return s


@program(number_and(7), refused={"compiled": "an integer exceeds 64 bits", "python": "a constant has more"})
def hashed_by_more_than_64_bits(x, seed):
    s = 0.0
    for k in range(5):
        seed = (6364136223846793005 * seed + 1442695040888963407) % 2**64
        s += x**k * (seed / 2**64)
    return s


@program(number_and(70), refused=EXCEEDS)
def a_large_power(x, n):
    return x**2 * (2**n / 3.0**n)


@program(number_and(64), refused=EXCEEDS)
def a_far_shift(x, n):
    return x**2 * ((1 << n) / 3.0**n)


@program(number_and(100), refused=EXCEEDS)
def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x**2 * a / (b + 1.0)


@program(number_and(60), refused=EXCEEDS)
def a_sum_of_large_powers(x, n):
    return x * sum(k**12 for k in range(n)) / 1e20


@program(lambda r: (r.normal(size=(3, 4)), 4))
def a_position_in_a_table(x, width):
    flat = x.reshape(-1)
    s = 0.0
    seen = 0
    for i in range(3):
        for j in range(width):
            seen += 2
            s += flat[i * width + j] ** 2 * seen
    return s


@program(lambda r: (1.5, np.uint64(12345), np.arange(3, dtype=np.uint64)))
def hashed_in_unsigned_integers(x, h, table):
    s = 0.0
    for k in range(3):
        h = h ^ 0x9E3779B97F4A7C15
        h = (h >> np.uint64(7)) ^ np.uint64(0xFFFFFFFFFFFFFFFF)
        s += x**k * float(h >> np.uint64(40)) / 2.0**24
    return s + x * np.sum((table ^ 0x9E3779B97F4A7C15) % np.uint64(7))
