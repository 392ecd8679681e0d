#!/usr/bin/env python3
"""Writes runs.csv: made-up training runs with the accuracy of a benchmark.

The runs are those of `scalelaw generate --loss --budgets 1e18,1e19,1e20,1e21 --sizes 5 --seed 5`, read
from standard input; accuracy = 0.25 + 0.6 / (1 + exp(3 (loss - 2.7))) + 0.006 noise, noise standard
normal, rounded to four decimals; seed 5. Two runs were not evaluated.
"""
import csv
import math
import pathlib
import random
import sys

random.seed(5)
lines = ["parameters,tokens,loss,accuracy"]
for place, row in enumerate(csv.DictReader(sys.stdin)):
    score = 0.25 + 0.6 / (1 + math.exp(3 * (float(row["loss"]) - 2.7))) + 0.006 * random.gauss(0, 1)
    lines.append(",".join([*row.values(), "" if place in (3, 11) else f"{score:.4f}"]))
pathlib.Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n")
