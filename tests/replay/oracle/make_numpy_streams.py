"""Writes the draws of NumPy's default_rng for a thousand seeds to numpy_streams.csv beside this file.

Run with python3 and NumPy (1.24.2 wrote the file): python3 make_numpy_streams.py
A row has the seed, the FNV-1a hash of 200 bounded integers and of 40 permutations, and the sum and the
last of 400 normals. Normals alternate with the others, which tests the kept half of a 64-bit word, too.
"""

import csv
import pathlib

import numpy as np


def fnv(value, state):
    return ((state ^ value) * 0x100000001B3) % 2**64


def row(seed):
    rng = np.random.default_rng(seed)
    state = 0xCBF29CE484222325
    total = 0.0
    for i in range(40):
        for k in range(5):
            state = fnv(int(rng.integers(0, 1 + (7 * i + k) % 29)), state)
        for place in rng.choice(2 + i % 14, 2 + i % 14, replace=False):
            state = fnv(int(place), state)
        for _ in range(10):
            last = rng.standard_normal()
            total += last
    return [seed, f"{state:016x}", repr(float(total)), repr(float(last))]


SEEDS = list(range(990)) + [2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 7, 2**53, 2**62, 2**63, 2**64 - 2, 2**64 - 1]

with open(pathlib.Path(__file__).with_name("numpy_streams.csv"), "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["seed", "integers", "normal_sum", "normal_last"])
    writer.writerows(row(seed) for seed in SEEDS)
