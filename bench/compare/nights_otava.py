#!/usr/bin/env python3
"""What `scalelaw gate` and `history`, and the change points of Apache Otava, find in the same series of nights.

usage: bench/compare/nights_otava.py build/bench/bin/scalelaw [--series 200] [--seed 1]

One run every night, with a standard deviation of 2 %. Otava (PyPI: apache-otava) has its defaults, and a least
magnitude of 5 % as the gate has its limit. `finds`: the gate fails; Otava has a change for the worse among the nights
since the true one, or anywhere where there is none, as does `history`. `dated`: within one night. Prints Markdown.
"""
import argparse
import csv
import datetime
import importlib.metadata
import json
import logging
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    from otava.series import AnalysisOptions, Metric, Series
except ImportError:
    sys.exit("this comparison needs Apache Otava: pip install apache-otava")

SD = 0.02
FIRST = datetime.date(2026, 1, 1)
LIMIT = 0.05


def series(rng, levels, rho=0.0, drift=0.0, slow=0.0):
    """Times of the nights of levels [(nights, level)], whose ln t has an AR(1) noise of rho and a drift a year."""
    effect = rng.gauss(0, SD)
    values = []
    for nights, level in levels:
        for _ in range(nights):
            apart = 1 + rng.uniform(0.1, 0.3) if rng.random() < slow else 1
            values.append(100 * level * apart * math.exp(effect + drift * len(values) / 365))
            effect = rho * effect + math.sqrt(1 - rho * rho) * rng.gauss(0, SD)
    return values


# What is simulated, and of how many nights the last level is; 0: nothing changes.
CASES = [
    ("no change", 0, {"levels": [(60, 1)]}),
    ("no change, correlation 0.5", 0, {"levels": [(60, 1)], "rho": 0.5}),
    ("no change, correlation 0.8", 0, {"levels": [(60, 1)], "rho": 0.8}),
    ("no change, drift of 10 % a year", 0, {"levels": [(60, 1)], "drift": 0.1}),
    ("no change, 3 % of nights slower by 10 to 30 %", 0, {"levels": [(60, 1)], "slow": 0.03}),
    ("+10 % for 10 nights", 10, {"levels": [(50, 1), (10, 1.1)]}),
    ("+10 % for 3 nights", 3, {"levels": [(57, 1), (3, 1.1)]}),
    ("+10 % for 10 nights, correlation 0.5", 10, {"levels": [(50, 1), (10, 1.1)], "rho": 0.5}),
    ("+10 % for 10 nights, drift of -10 % a year", 10, {"levels": [(50, 1), (10, 1.1)], "drift": -0.1}),
    ("+10 % for 10 nights after three changes", 10, {"levels": [(20, 1), (20, 0.9), (20, 1.05), (20, 0.95), (10, 1.045)]}),
]


def otava(values):
    """The first nights of changes for the worse."""
    options = AnalysisOptions()
    options.min_magnitude = LIMIT
    nights = list(range(0, len(values) * 86400, 86400))
    study = Series("t", None, nights, {"t": Metric(-1, 1.0)}, {"t": values}, {})
    points = study.analyze(options).change_points["t"]
    return [p.index for p in points if p.stats.mean_2 > p.stats.mean_1]


def scalelaw(binary, folder, values):
    """Whether the gate fails, and the first nights of levels for the worse."""
    table = pathlib.Path(folder) / "nights.csv"
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["date", "seconds"])
        writer.writerows((FIRST + datetime.timedelta(i), f"{v:.6f}") for i, v in enumerate(values))
    gate = subprocess.run([binary, "gate", table], capture_output=True)
    if gate.returncode not in (0, 1):
        sys.exit(gate.stderr.decode())
    history = json.loads(subprocess.run([binary, "history", table, "--format", "json"], capture_output=True, check=True).stdout)
    levels = history["figures"][0]["levels"]
    since = [(datetime.date.fromisoformat(level["since"]) - FIRST).days for level in levels if (level["change"] or 0) > LIMIT]
    return gate.returncode == 1, since


def main():
    logging.disable(logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalelaw")
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.series} series each; Apache Otava {importlib.metadata.version('apache-otava')}\n")
    print("| nights | gate fails (%) | history finds (%) | dated (%) | Otava finds (%) | dated (%) |")
    print("| --- | --: | --: | --: | --: | --: |")
    for name, last, how in CASES:
        counts = dict.fromkeys(("gate", "history", "history dated", "otava", "otava dated"), 0)
        rng = random.Random(f"{options.seed} {name}")
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(options.series):
                values = series(rng, **how)
                first = len(values) - last
                fails, since = scalelaw(options.scalelaw, folder, values)
                counts["gate"] += fails
                for program, found in (("history", since), ("otava", otava(values))):
                    counts[program] += any(i >= first - 1 for i in found) if last else bool(found)
                    counts[program + " dated"] += any(abs(i - first) <= 1 for i in found)
        shown = {key: f"{100 * count / options.series:.0f}" for key, count in counts.items()}
        if not last:
            shown["history dated"] = shown["otava dated"] = ""
        print(f"| {name} | " + " | ".join(shown[key] for key in counts) + " |", flush=True)


if __name__ == "__main__":
    main()
