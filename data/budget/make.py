#!/usr/bin/env python3
"""Writes runs.csv: made-up training runs with their losses, times and powers.

loss = 1.69 + 406.4 parameters^-0.34 + 410.7 tokens^-0.28, times exp(0.004 * noise). A GPU needs
7.5e-14 parameters^0.95 gpus^0.08 seconds per token, times exp(0.03 * noise), and draws 400
gpus^-0.03 W, times exp(0.02 * noise). Noise is standard normal, and numbers are rounded; seed 1.
"""
import pathlib
import random

random.seed(1)
SIZES = [70e6, 160e6, 410e6, 1.0e9, 1.4e9, 2.8e9]
TOKENS = [2e9, 8e9, 30e9, 100e9]
GPUS = [8, 16, 32, 64]
lines = ["parameters,tokens,gpus,tokens_per_second,power_w,loss"]
for i, n in enumerate(SIZES):
    for j, d in enumerate(TOKENS):
        gpus = GPUS[(i + j) % len(GPUS)]
        noise = [random.gauss(0, 1) for _ in range(3)]
        loss = (1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28) * 2.718281828459045 ** (0.004 * noise[0])
        gpu_seconds = 7.5e-14 * n**0.95 * gpus**0.08 * 2.718281828459045 ** (0.03 * noise[1])
        watts = 400 * gpus**-0.03 * 2.718281828459045 ** (0.02 * noise[2])
        lines.append(f"{n:.0f},{d:.0f},{gpus},{gpus / gpu_seconds:.4g},{watts:.0f},{loss:.4f}")
pathlib.Path(__file__).with_name("runs.csv").write_text("\n".join(lines) + "\n")
