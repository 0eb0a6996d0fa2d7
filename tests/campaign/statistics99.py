# SPDX-License-Identifier: Apache-2.0
"""Figures of campaigns that each end at the first finding, or at their limit of runs.

If one run finds with probability p, K99 = ln(0.01) / ln(1 - p) runs find with 99 %. With k findings
in R runs of all campaigns, p = k / R is the likeliest, also where campaigns were cut off. Its
interval, two-sided 95 %, is exact for independent runs (Clopper and Pearson, through the beta
distribution): where every campaign ended by its finding R is negative binomial, from B(k, R-k+1) to
B(k, R-k); where some were cut off the upper end is that of a fixed R, B(k+1, R-k), which is never
the smaller. A strategy that learns makes later runs of a campaign likelier to find; then p is the
mean over the runs that were made, and the longest campaign says what the tail was like.
"""
import math

TAIL = 0.025
Z = 1.959963984540054  # of the normal distribution, for TAIL


def _fraction(a, b, x):
    """The continued fraction of the incomplete beta function, by Lentz."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 500):
        for factor in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                       -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 + factor * d
            c = 1.0 + factor / c
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= d * c
        if abs(d * c - 1.0) < 1e-14:
            break
    return value


def beta_below(a, b, x):
    """The chance that a variable of B(a, b) is below x."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) +
                     b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1 - x) / b


def beta_quantile(a, b, chance):
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if beta_below(a, b, middle) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def chance(found, runs, was_cut):
    """p of one run: the likeliest, and both ends of its interval."""
    if runs == 0:
        return None, 0.0, 1.0
    low = 0.0 if found == 0 else beta_quantile(found, runs - found + 1, TAIL)
    if was_cut:
        high = 1.0 if found == runs else beta_quantile(found + 1, runs - found, 1 - TAIL)
    else:
        high = 1.0 if found == runs else beta_quantile(found, runs - found, 1 - TAIL)
    return found / runs, low, high


def k99_of(p):
    """Runs; infinite for p = 0."""
    if p <= 0:
        return math.inf
    return 1.0 if p >= 0.99 else math.log(0.01) / math.log1p(-p)


def k99(found, runs, was_cut):
    p, low, high = chance(found, runs, was_cut)
    return (math.inf if p is None else k99_of(p)), k99_of(high), k99_of(low)


def ratio(one, other):
    """
    How many times as many runs `other` needs as `one`, each (found, runs, was_cut), with its 95 %
    interval: the logarithms' errors add up (delta method). Where one of them found nothing there is
    no figure, only the end that the two intervals of p give.
    """
    if other[0] == 0 or one[0] == 0:
        if other[0] == 0 and one[0] == 0:
            return None, 0.0, math.inf
        _, one_low, one_high = chance(*one)
        _, other_low, other_high = chance(*other)
        if other[0] == 0:
            return None, one_low / other_high, math.inf
        return None, 0.0, one_high / other_low
    p, q = one[0] / one[1], other[0] / other[1]
    error = math.sqrt((1 - p) / one[0] + (1 - q) / other[0])
    return p / q, p / q * math.exp(-Z * error), p / q * math.exp(Z * error)
