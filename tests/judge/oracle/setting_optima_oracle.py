#!/usr/bin/env python3
"""Reference values for tests/judge/setting_optima_test.cpp: parabolas by NumPy's polyfit in each cell of
data/sweeps/runs.csv, their vertices by least squares, and CR2 of cells by the matrices of its definition.
"""
import csv
import pathlib

import numpy as np
from scipy.stats import t as student

path = pathlib.Path(__file__).resolve().parents[3] / "data/sweeps/runs.csv"
cells = {}
for row in csv.DictReader(open(path)):
    cells.setdefault((float(row["parameters"]), float(row["tokens"])), []).append(
        (np.log(float(row["lr"])), np.log(float(row["loss"]))))
places, vertices = [], []
for place, runs in cells.items():
    z, y = np.array(runs).T
    c = np.polyfit(z, y, 2)
    places.append(np.log(place))
    vertices.append(-c[1] / 2 / c[0])
    print(place, f"{np.exp(vertices[-1]):.12g}")
places, vertices = np.array(places), np.array(vertices)
design = np.column_stack([np.ones(len(vertices)), places - places.mean(0)])
inverse = np.linalg.inv(design.T @ design)
estimates = inverse @ design.T @ vertices
hat = design @ inverse @ design.T
residuals = vertices - hat @ vertices
for k, estimate in enumerate(estimates):
    factor = (design @ inverse[:, k]) / np.sqrt(1 - np.diag(hat))
    se = np.sqrt((factor**2 * residuals**2).sum())
    spread = (np.eye(len(vertices)) - hat) * factor[None, :]
    products = spread.T @ spread
    dof = np.trace(products) ** 2 / (products**2).sum()
    reach = student.ppf(0.975, dof) * se
    print(f"{estimate:.12g} se {se:.10g} dof {dof:.9g} ci {estimate - reach:.9g} {estimate + reach:.9g}")
