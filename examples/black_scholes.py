"""Scalars and `math`: all the Greeks of an option in one gradient, beside the formulas from the textbook.

Run: python examples/black_scholes.py
"""

import math

import adc


def normal_cdf(x):
    """Return the probability that a standard normal number is below x."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def call_price(spot, strike, volatility, rate, maturity):
    """Return the Black-Scholes price of a European call."""
    spread = volatility * math.sqrt(maturity)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * math.exp(-rate * maturity) * normal_cdf(d2)


def textbook(spot, strike, volatility, rate, maturity):
    """Return the same derivatives as people worked them out."""
    root = math.sqrt(maturity)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / (volatility * root)
    d2 = d1 - volatility * root
    density = math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    discounted = strike * math.exp(-rate * maturity)
    return (
        normal_cdf(d1),
        spot * density * root,
        maturity * discounted * normal_cdf(d2),
        spot * density * volatility / (2.0 * root) + rate * discounted * normal_cdf(d2),
    )


def main() -> None:
    """Print the adjoint, and the Greeks twice."""
    option = 100.0, 105.0, 0.2, 0.03, 0.75
    greeks = adc.value_and_grad(call_price, argnums=("spot", "volatility", "rate", "maturity"))
    print(adc.source(greeks, *option))
    price, by_adc = greeks(*option)
    print(f"price {price:.6f}")
    for name, ours, known in zip(("delta", "vega", "rho", "theta"), by_adc, textbook(*option), strict=True):
        print(f"{name:6} {ours:12.8f}   textbook {known:12.8f}")


if __name__ == "__main__":
    main()
