#!/usr/bin/env python3
"""Writes runs.csv: 80 made-up training runs over two scales.

loss = 1.8 + 400 parameters^-0.34 + 1500 tokens^-0.35, times exp(0.004 * noise), noise standard
normal, rounded to four decimals; seed 1.
"""
import math
import pathlib
import random

random.seed(1)
lines = ["parameters,tokens,loss"]
for _ in range(80):
    n = float(f"{10 ** random.uniform(7.5, 10):.3g}")
    d = float(f"{10 ** random.uniform(9, 11.5):.3g}")
    loss = (1.8 + 400 * n**-0.34 + 1500 * d**-0.35) * math.exp(0.004 * random.gauss(0, 1))
    lines.append(f"{n:.0f},{d:.0f},{loss:.4f}")
pathlib.Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n")
