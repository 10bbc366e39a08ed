"""The price of a book of options and its five gradients: elementwise, with erf, exp, log and sqrt."""

import math

import numpy as np
from kernel import Kernel, same
from scipy.special import erf


def data(n):
    """Return spot, strike, volatility, rate and maturity of n options."""
    random = np.random.default_rng(0)
    return (
        random.uniform(80.0, 120.0, n),
        random.uniform(80.0, 120.0, n),
        random.uniform(0.1, 0.5, n),
        random.uniform(0.0, 0.05, n),
        random.uniform(0.1, 2.0, n),
    )


def primal(spot, strike, volatility, rate, maturity):
    """Return the sum of the prices of European calls."""
    spread = volatility * np.sqrt(maturity)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / spread
    d2 = d1 - spread
    below1 = 0.5 * (1.0 + erf(d1 / np.sqrt(2.0)))
    below2 = 0.5 * (1.0 + erf(d2 / np.sqrt(2.0)))
    return np.sum(spot * below1 - strike * np.exp(-rate * maturity) * below2)


def loops(spot, strike, volatility, rate, maturity):
    """Return what `primal` does."""
    total = 0.0
    for i in range(spot.shape[0]):
        spread = volatility[i] * math.sqrt(maturity[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate[i] + 0.5 * volatility[i] ** 2) * maturity[i]) / spread
        d2 = d1 - spread
        below1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        below2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        total += spot[i] * below1 - strike[i] * math.exp(-rate[i] * maturity[i]) * below2
    return total


def in_torch(torch):
    """Return `primal` for torch, whose sqrt takes no plain numbers."""

    def price(spot, strike, volatility, rate, maturity):
        spread = volatility * torch.sqrt(maturity)
        d1 = (torch.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / spread
        d2 = d1 - spread
        below1 = 0.5 * (1.0 + torch.erf(d1 / math.sqrt(2.0)))
        below2 = 0.5 * (1.0 + torch.erf(d2 / math.sqrt(2.0)))
        return torch.sum(spot * below1 - strike * torch.exp(-rate * maturity) * below2)

    return price


def in_pytensor(pt):
    """Return `primal`; PyTensor would take the root of a plain 2.0 in single precision."""

    class Names:
        log, exp, sum = pt.log, pt.exp, pt.sum

        @staticmethod
        def sqrt(x):
            return math.sqrt(x) if isinstance(x, float) else pt.sqrt(x)

    return same(primal)(Names, erf=pt.erf)


def in_casadi(ca):
    """Return `primal`: CasADi's sum of a column is sum1."""
    plain = same(primal)

    class Names:
        sqrt, log, exp, sum = ca.sqrt, ca.log, ca.exp, ca.sum1

    return plain(Names, erf=ca.erf)


def with_erf(module):
    """Return `primal` with the peer's own erf."""
    import importlib

    special = importlib.import_module(module.__name__.split(".")[0] + ".scipy.special")
    return same(primal)(module, erf=special.erf)


KERNEL = Kernel(
    title="Black-Scholes",
    family="elementwise",
    data=data,
    primal=primal,
    loops=loops,
    full=(10**6,),
    quick=(10**5,),
    argnums=(0, 1, 2, 3, 4),
    forms={
        "jax": with_erf,
        "autograd": with_erf,
        "torch": in_torch,
        "pytensor": in_pytensor,
        "casadi": in_casadi,
    },
    growth=((10**3,), (10**4,), (10**5,), (10**6,)),
    target=0.22,
)
