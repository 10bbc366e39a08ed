"""Dates: cash flows, the position of the sun, calendars. What is known of them is known before the program runs."""

import calendar
import datetime
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from tests.corpus import program


@dataclass
class Bond:
    maturity: date
    coupon: float

    def flows(self, settle):
        found = []
        d = self.maturity
        while d > settle:
            found.append((d, self.coupon * 50.0 + (100.0 if d == self.maturity else 0.0)))
            year, month = divmod(d.year * 12 + d.month - 7, 12)
            d = date(year, month + 1, d.day)
        return found[::-1]


@program(lambda r: (0.03, np.array([0.02, 0.03])))
def bond_ladder(rate, coupons):
    settle = date(2024, 3, 15)
    ladder = [Bond(date(2025 + k, 9, 15), c) for k, c in enumerate(coupons)]
    by_year = defaultdict(float)
    total = duration = 0.0
    for bond in ladder:
        for d, amount in bond.flows(settle):
            t = (d - settle).days / 365.0
            value = amount * np.exp(-rate * t)
            total += value
            duration += t * value
            by_year[d.year] += value
    return duration / total + max(by_year.values()) / by_year[2025]


@program(lambda r: (45.0, 7.0))
def sun_of_a_day(latitude, longitude):
    total = 0.0
    when = datetime.datetime(2023, 6, 21, 6, 0)
    while when <= datetime.datetime(2023, 6, 21, 18, 0):
        b = 2 * np.pi * (when.timetuple().tm_yday - 1) / 365.0
        declination = 0.006918 - 0.399912 * np.cos(b) + 0.070257 * np.sin(b)
        hour = np.radians(15 * (when.hour + when.minute / 60.0 - 12) + longitude)
        phi = np.radians(latitude)
        height = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.cos(hour)
        if height > 0:
            total += height**1.2
        when += timedelta(hours=1, minutes=30)
    return total


@program(lambda r: (0.7,))
def methods_of_dates(x):
    start = date.fromisoformat("2024-01-31")
    total = x
    for k in range(3):
        d = start + timedelta(weeks=5 * k)
        days = calendar.monthrange(d.year, d.month)[1]
        total = total * (1 + 0.01 * x * d.isocalendar()[1]) + days * 1e-2
        if d.weekday() >= 3:
            total += x * d.replace(day=1).toordinal() * 1e-5
    span = datetime.datetime.strptime("2024-03-01 12:00", "%Y-%m-%d %H:%M") - datetime.datetime(2000, 1, 1)
    return total + x * span.total_seconds() / timedelta(days=365).total_seconds()


@program(lambda r: (0.7,))
def spans_of_numpys_dates(x):
    days = (np.datetime64("2024-03-01") - np.datetime64("2024-01-01")) / np.timedelta64(1, "D")
    return x**2 * days
