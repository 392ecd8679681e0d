#!/usr/bin/env python3
"""The Python package beside pandas with statsmodels, and beside the command on the same rows as CSV.

usage: PYTHONPATH=python SCALELAW_LIBRARY=build/bench/lib/libscalelaw-c.so.1 bench/python.py build/bench/bin/scalelaw
           [--rows 20000000] [--calls 10000] [--repeats 3]

The frame has 54 groups, whose columns are categories, and 8 numbers of GPUs. Figures are median wall times, of statsmodels that
of one turn. The targets: no slower than the command, 40 times as fast as statsmodels, at most 64 MiB beyond the frame, and 0.2 ms
for a call on ten rows.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
import scalelaw as sl
import statsmodels.formula.api as smf

BY = ["model", "power_cap_w", "clock_mhz"]


def frame_of(rows):
    random = np.random.default_rng(1)
    group = random.integers(0, 54, rows)
    gpus = 2.0 ** random.integers(0, 8, rows)
    seconds = (100 + group) * gpus ** -(0.6 + group / 200) * np.exp(random.normal(0, 0.03, rows))
    values = {"model": [f"M{i}" for i in range(9)], "power_cap_w": ["150", "250", "300"], "clock_mhz": ["1200", "1410"]}
    codes = {"model": group % 9, "power_cap_w": group // 9 % 3, "clock_mhz": group // 27}
    columns = {name: pd.Categorical.from_codes(codes[name], values[name]) for name in BY}
    return pd.DataFrame({"gpus": gpus, "epoch_seconds": np.round(seconds, 6), **columns})


def seconds_of(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def median_of(repeats, work):
    return statistics.median(seconds_of(work) for _ in range(repeats))


def statsmodels_fits(frame):
    groups = frame.groupby(BY, observed=True)
    return {key: smf.ols("np.log(epoch_seconds) ~ np.log(gpus)", data=rows).fit() for key, rows in groups}


def memory_mib(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024


def most_beyond(work):
    """The peak of resident memory while it works, beyond what there was."""
    before = memory_mib("VmRSS")
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    work()
    return memory_mib("VmHWM") - before


def many_rows(options):
    frame = frame_of(options.rows)
    few = frame.head(10**6)

    def fit(of=frame):
        return sl.fit(of, x="gpus", y="epoch_seconds", by=BY)

    fit(few)
    beyond = most_beyond(fit)
    own = median_of(options.repeats, fit)
    theirs = seconds_of(lambda: statsmodels_fits(frame))
    ours = fit(few)
    far = max(abs(-one.params.iloc[1] / float(ours[key].beta) - 1) for key, one in statsmodels_fits(few).items())
    with tempfile.NamedTemporaryFile(suffix=".csv") as table:
        frame.to_csv(table.name, index=False)
        command = [options.scalelaw, "fit", table.name, "-x", "gpus", "-y", "epoch_seconds", "--by", ",".join(BY),
                   "--format", "json"]
        with open(os.devnull, "w") as nothing:
            shell = median_of(options.repeats, lambda: subprocess.run(command, check=True, stdout=nothing, stderr=nothing))
    print(f"{options.rows} rows, 54 groups: sl.fit {own:.3f} s, at most {beyond:.1f} MiB beyond the frame")
    print(f"  the command on the CSV: {shell:.3f} s, ratio {own / shell:.3f}")
    print(f"  pandas and statsmodels: {theirs:.2f} s, {theirs / own:.0f} times as long")
    print(f"  exponents of a million rows agree to {far:.0e}")


def few_rows(options):
    table = {"gpus": np.array([1.0, 2, 4, 8, 16, 1, 2, 4, 8, 16]),
             "seconds": np.array([100, 52, 27, 14, 7.5, 101, 51, 26, 14.2, 7.4])}

    def calls():
        for _ in range(options.calls):
            sl.fit(table, x="gpus", y="seconds")

    calls()
    print(f"ten rows: {median_of(options.repeats, calls) / options.calls * 1e3:.3f} ms per call of {options.calls}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalelaw")
    parser.add_argument("--rows", type=int, default=20000000)
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    few_rows(options)
    many_rows(options)


if __name__ == "__main__":
    main()
