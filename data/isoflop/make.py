#!/usr/bin/env python3
"""Writes runs.csv: made-up training runs at seven compute budgets.

loss = 1.69 + 406.4 parameters^-0.34 + 410.7 tokens^-0.28, times exp(0.002 * noise), noise standard
normal, rounded to four decimals; seed 1. Each budget has the seven sizes of one ladder that are
nearest to its best one.
"""
import math
import pathlib
import random

random.seed(1)
LADDER = [round(4e6 * 1.6**k, -5) for k in range(26)]
lines = ["parameters,tokens,loss"]
for k in range(7):
    compute = 1e18 * 10 ** (k / 2)
    best = (0.34 * 406.4 / (0.28 * 410.7)) ** (1 / 0.62) * (compute / 6) ** (0.28 / 0.62)
    nearest = sorted(LADDER, key=lambda n: abs(math.log(n / best)))[:7]
    for n in sorted(nearest):
        d = float(f"{compute / 6 / n:.4g}")
        loss = (1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28) * math.exp(0.002 * random.gauss(0, 1))
        lines.append(f"{n:.0f},{d:.0f},{loss:.4f}")
pathlib.Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n")
