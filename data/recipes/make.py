#!/usr/bin/env python3
"""Writes runs.csv: made-up training runs of two datasets.

web:     loss = 1.8 + 400 parameters^-0.34 + 1500 tokens^-0.35
curated: the loss that web has with 1.5 times the compute: both parameters and tokens times 1.5^0.5
times exp(0.003 * noise), noise standard normal, rounded to four decimals; seed 2. Each dataset has
five sizes with four numbers of tokens.
"""
import math
import pathlib
import random

random.seed(2)
lines = ["dataset,parameters,tokens,flops,loss"]
for dataset, gain in (("web", 1.0), ("curated", 1.5**0.5)):
    for n in (4e7, 1e8, 2.5e8, 6.3e8, 1.6e9):
        for multiplier in (5, 20, 80, 320):
            d = multiplier * n
            loss = 1.8 + 400 * (gain * n) ** -0.34 + 1500 * (gain * d) ** -0.35
            loss *= math.exp(0.003 * random.gauss(0, 1))
            lines.append(f"{dataset},{n:.0f},{d:.0f},{6 * n * d:.6g},{loss:.4f}")
pathlib.Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n")
