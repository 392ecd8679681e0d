#!/usr/bin/env python3
"""Makes ingest.json: randomised trees of GPU telemetry, and the run table of each, computed in the most obvious way with
pandas 1.5.3 and numpy 1.24.2. The C++ test reads the file and needs neither.

    /usr/bin/python3 tests/trace/oracle/make_oracle.py                       writes ingest.json again
    /usr/bin/python3 tests/trace/oracle/make_oracle.py check BINARY 1 200    compares a built scalelaw with the oracle
                                                                             on the larger trees of seeds 1 to 200

The expected table keeps the first of repeated samples (one GPU, one time stamp) in a file. Means and population deviations
cover all samples of all GPUs. Energy is a sum over GPUs of the trapezoid over each GPU's power readings. It leaves out
intervals longer than ten times the median interval between samples (or --max-gap), which gap_s counts. With --idle-below,
the window of a job reaches from its first to its last sample of that use; samples_trimmed counts the rows outside it,
including repeated ones. Times are whole nanoseconds, parsed as decimals.
"""
import csv
import datetime
import decimal
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))
SUPERCLOUD = ["timestamp", "gpu_index", "utilization_gpu_pct", "utilization_memory_pct", "memory_free_MiB", "memory_used_MiB",
              "temperature_gpu", "temperature_memory", "power_draw_W", "pcie_link_width_current"]
FACTORS = {"sm": {"%": 1}, "mem": {"%": 1}, "used": {"MiB": 1, "GiB": 1024}, "power": {"W": 1, "mW": 1e-3, "kW": 1e3}}
COLUMNS = {"sm": ("utilization_gpu_pct", "utilization.gpu"), "mem": ("utilization_memory_pct", "utilization.memory"),
           "used": ("memory_used_MiB", "memory.used"), "power": ("power_draw_W", "power.draw")}
NOT_MEASURED = ["N/A", "[N/A]", "", "NA", "nan", "null", "[Not Supported]", "[Unknown Error]", "ERR!", "err", "--", "1.2.3",
                "0x1F", "12abc", "inf", "-", "1e999"]
ODD_NUMBERS = ["1e2", "+7", "007", "5.", ".5", " 42 ", "3.5e1", "100.000"]
NANO = 10 ** 9
BYTES, BYTES_OF_A_TREE = 140_000, 12_000  # Of ingest.json at most.


# --- The oracle ------------------------------------------------------------------------------------------------------


def nanoseconds(text):
    if "/" in text:
        whole, _, fraction = text.partition(".")
        date = datetime.datetime.strptime(whole, "%Y/%m/%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
        return int(date.timestamp()) * NANO + int((fraction + "0" * 9)[:9])
    return int(decimal.Decimal(text) * NANO)


def number(text, column):
    match = re.fullmatch(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) *([A-Za-z%]*)", text.strip())
    if not match or match[2] and match[2] not in FACTORS[column]:
        return math.nan
    value = float(match[1]) * (FACTORS[column][match[2]] if match[2] else 1)
    return value if math.isfinite(value) else math.nan


def samples_of(name, text):
    """One row per line of a file, in its order."""
    stem = os.path.basename(name)[:-len(".csv")]
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    header = [cell.split("[")[0].strip() for cell in lines[0].split(",")]
    supercloud = "gpu_index" in header
    job, node = stem.split("-", 1) if supercloud else (stem, "")
    device = header.index("gpu_index" if supercloud else "index" if "index" in header else "uuid")
    rows = []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split(",")]
        row = {"job": job, "node": node, "gpu": cells[device], "time": nanoseconds(cells[header.index("timestamp")])}
        for column, names in COLUMNS.items():
            row[column] = number(cells[header.index(names[0] if supercloud else names[1])], column)
        rows.append(row)
    return rows


def intervals_of(gpu, max_gap):
    """For one GPU: median and longest interval, joules and their number of intervals, seconds of gaps, and how near an
    interval comes to the limit."""
    lengths = np.diff(gpu.time.to_numpy())
    if len(lengths) == 0:
        return {"median": None, "longest": 0, "joules": 0.0, "integrated": 0, "gap": 0, "nearest": math.inf}
    median = float(np.median(lengths))
    limit = 10 * median if max_gap is None else max_gap * NANO
    readings = gpu.dropna(subset=["power"])
    power = readings.power.to_numpy()
    between = np.diff(readings.time.to_numpy())
    near = between <= limit
    return {"median": median, "longest": int(lengths.max()),
            "joules": math.fsum((power[1:] + power[:-1])[near] / 2 * (between[near] / 1e9)), "integrated": int(near.sum()),
            "gap": int(between[~near].sum()) if len(power) > 1 else int(lengths[lengths > limit].sum()),
            "nearest": min(abs(length / limit - 1) for length in (*lengths, *between))}


def mean(values):
    return None if values.count() == 0 else float(np.mean(values.dropna().to_numpy()))


def variation(values):
    values = values.dropna().to_numpy()
    return None if len(values) == 0 or np.mean(values) == 0 else float(np.std(values) / np.mean(values))


def figures(key, part, gpu_intervals, rows):
    taken = part[part.taken]
    parts = [gpu_intervals[gpu] for gpu in sorted(set(zip(taken.job, taken.node, taken.gpu)))]
    gpus = len(part.groupby(["job", "node", "gpu"]))
    periods = [i["median"] for i in parts if i["median"] is not None]
    node_means = [m for m in (mean(node.sm) for _, node in taken.groupby("node")) if m is not None]
    nodes = part.node.nunique()
    row = {"job_id": key[0]}
    if rows != "job":
        row["node"] = key[1]
    if rows == "gpu":
        row["gpu"] = key[2]
    row.update({
        "nodes_seen": nodes, "gpus_seen": gpus, "samples": len(taken),
        "duration_s": int(taken.time.max() - taken.time.min()) / 1e9 if len(taken) else None,
        "sm_util_mean_pct": mean(taken.sm), "sm_util_cv": variation(taken.sm),
        "mem_util_mean_pct": mean(taken.mem), "mem_util_cv": variation(taken.mem),
        "mem_used_mean_mib": mean(taken.used), "power_mean_w": mean(taken.power),
        "power_max_w": None if taken.power.count() == 0 else float(taken.power.max()),
        "energy_j": math.fsum(i["joules"] for i in parts) if sum(i["integrated"] for i in parts) else None,
        "gap_s": sum(i["gap"] for i in parts) / 1e9, "samples_dropped": int((part.repeated & ~part.trimmed).sum()), "gpus": gpus,
        "longest_interval_s": max(i["longest"] for i in parts) / 1e9 if len(taken) else None,
        "sampling_period_s": float(np.median(periods)) / 1e9 if periods else None,
        "node_util_range_pct": max(node_means) - min(node_means) if nodes > 1 and node_means else None,
        "samples_trimmed": int(part.trimmed.sum())})
    return row


def expected_table(files, options):
    """The expected rows, and how near any interval comes to the limit of a gap (as a share of that limit)."""
    data = pd.DataFrame([row for name in sorted(files) for row in samples_of(name, files[name])])
    gpu = ["job", "node", "gpu"]
    data["repeated"] = data.duplicated([*gpu, "time"])
    data["trimmed"] = False
    if options["idle_below"] is not None:
        busy = data[~data.repeated & (data.sm >= options["idle_below"])].groupby("job").time
        first, last = data.job.map(busy.min()), data.job.map(busy.max())
        data["trimmed"] = ~((data.time >= first) & (data.time <= last))
    data["taken"] = ~data.repeated & ~data.trimmed
    data = data.sort_values([*gpu, "time"], kind="stable")
    intervals = {key: intervals_of(one, options["max_gap"]) for key, one in data[data.taken].groupby(gpu)}
    keys = gpu[:1 + gpu.index(options["rows"])]
    table = [figures(tuple(part[keys].iloc[0]), part, intervals, options["rows"]) for _, part in data.groupby(data[keys].agg(tuple, axis=1))]
    if options["idle_below"] is None:
        for row in table:
            del row["samples_trimmed"]
    return table, min((i["nearest"] for i in intervals.values()), default=math.inf)


# --- The trees -------------------------------------------------------------------------------------------------------


def time_text(rng, ns, decimals, style):
    """The time to that many decimals. The rounded value is the sample's time."""
    unit = 10 ** (9 - decimals)
    seconds, fraction = divmod((ns + unit // 2) // unit * unit, NANO)
    digits = f"{fraction:09d}"[:decimals]
    if style == "date":
        date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y/%m/%d %H:%M:%S")
        return date + ("." + digits if digits else "")
    if rng.random() < 0.1:
        digits = digits.rstrip("0")
    return f"{seconds}" + ("." + digits if digits else "")


def times_of(rng, start, count, period):
    """Nanoseconds of `count` samples about `period` apart, with a few intervals of several periods."""
    steps = period * (1 + rng.uniform(-1, 1, count) * rng.choice([0, 0.02, 0.4]))
    for share, least, most in ((0.05, 2, 9), (0.06, 11, 60)):
        long = rng.random(count) < share * rng.integers(0, 2)
        steps[long] = period * rng.uniform(least, most, long.sum())
    return start + np.cumsum(np.maximum(steps * 1e9, 0)).astype(np.int64)


def value_text(rng, kind, low, high, missing):
    if rng.random() < missing:
        return str(rng.choice(NOT_MEASURED))
    if rng.random() < 0.01:
        return str(rng.choice(ODD_NUMBERS))
    value = rng.uniform(low, high)
    return {"whole": f"{value:.0f}", "decimal": f"{value:.{rng.integers(1, 4)}f}", "constant": f"{high:.2f}"}[kind]


def values_of(rng, column, kinds, missing, idle):
    low, high = {"sm": (0, 100), "mem": (0, 90), "used": (400, 32000), "power": (40, 300)}[column]
    if idle:
        low, high = (0, 4) if column in ("sm", "mem") else (low, low + 20)
    return value_text(rng, kinds[column], low, high, missing)


def with_units(rng, column, cell):
    if not re.fullmatch(r"\d+\.?\d*", cell):
        return cell
    if column == "power" and rng.random() < 0.05:
        return cell + (" mW" if "." not in cell else " kW")
    if column == "used" and rng.random() < 0.05:
        return cell + " GiB"
    return cell + {"sm": " %", "mem": " %", "used": " MiB", "power": " W"}[column]


def rows_of_node(rng, gpus, most, start, period, style, missing):
    """Rows of (time text, GPU, cells) of one node, in order of time."""
    kinds = {column: rng.choice(["whole", "decimal", "constant"], p=[0.5, 0.4, 0.1]) for column in COLUMNS}
    together = rng.random() < 0.5
    common = times_of(rng, start, most, period)
    decimals = int(rng.integers(0, 7)) if rng.random() < 0.7 else None
    head, tail = rng.uniform(0, 0.3, 2)
    rows = []
    for gpu in range(gpus):
        count = int(rng.choice([1, 2, 3, rng.integers(1, most + 1)], p=[0.03, 0.03, 0.04, 0.9]))
        times = common[:count] if together else times_of(rng, start + int(rng.integers(0, NANO)), count, period)
        for i, ns in enumerate(times):
            digits = decimals if decimals is not None else int(rng.integers(0, 7))
            idle = i < head * most or i > (1 - tail) * most
            rows.append([int(ns), time_text(rng, int(ns), digits, style), gpu,
                         {column: values_of(rng, column, kinds, missing, idle) for column in COLUMNS}])
    rows.sort(key=lambda row: row[0])
    return with_repeats(rng, rows, kinds, missing)


def with_repeats(rng, rows, kinds, missing):
    """Repeats some rows with other values, near or far from the first, and sometimes puts rows out of order."""
    share, near = rng.choice([0, 0.01, 0.1]), rng.random()
    for row in [row for row in rows if rng.random() < share]:
        place = rows.index(row)
        again = [*row[:3], {column: values_of(rng, column, kinds, missing, False) for column in COLUMNS}]
        rows.insert(place + 1 if rng.random() < near else int(rng.integers(0, len(rows) + 1)), again)
    order = rng.random()
    if order < 0.15:
        rng.shuffle(rows)
    elif order < 0.3:
        cut = int(rng.integers(0, len(rows) + 1))
        rows = rows[cut:] + rows[:cut]
    elif order < 0.45:
        place = int(rng.integers(0, len(rows)))
        rows.insert(int(rng.integers(0, len(rows))), rows.pop(place))
    return [row[1:] for row in rows]


def file_text(rng, lines):
    end = "\r\n" if rng.random() < 0.15 else "\n"
    if rng.random() < 0.1:
        lines.insert(int(rng.integers(1, len(lines) + 1)), "")
    return end.join(lines) + (end if rng.random() < 0.85 else "")


def supercloud_text(rng, rows):
    lines = [",".join(SUPERCLOUD)]
    for time, gpu, cells in rows:
        lines.append(f"{time},{gpu},{cells['sm']},{cells['mem']},9,{cells['used']},40,,{cells['power']},16")
    return file_text(rng, lines)


def nvidia_text(rng, rows):
    units = rng.random() < 0.8
    unit_of = {"sm": "%", "mem": "%", "used": "MiB", "power": "W"}
    device = str(rng.choice(["index", "uuid"]))
    columns = ["time", "device", *COLUMNS, "pstate"]
    rng.shuffle(columns)
    name = {"time": "timestamp", "device": device, "pstate": "pstate"}
    name.update({column: f"{COLUMNS[column][1]} [{unit_of[column]}]" for column in COLUMNS})
    lines = [", ".join(name[column] for column in columns)]
    for time, gpu, cells in rows:
        cell = {"time": time, "device": f"GPU-{gpu}f3a" if device == "uuid" else str(gpu), "pstate": "P0"}
        cell.update({column: with_units(rng, column, text) if units else text for column, text in cells.items()})
        lines.append(", ".join(cell[column] for column in columns))
    return file_text(rng, lines)


def tree_of(rng, most, jobs):
    files = {}
    for job in range(1, 1 + int(rng.integers(1, jobs + 1))):
        period = float(rng.choice([0.1, 0.25, 1, 2.5, 10]))
        missing = rng.choice([0, 0.02, 0.3])
        nvidia = rng.random() < 0.3
        start = int(rng.choice([0, 12345, 99999990, 999999990, 1618080814, 9100000000] if not nvidia else [1618080814])) * NANO
        for node in range(1 if nvidia else int(rng.integers(1, 5))):
            rows = rows_of_node(rng, int(rng.integers(1, 9)), int(rng.integers(1, most + 1)), start + int(rng.integers(0, NANO)),
                                period, "date" if nvidia else "unix", missing)
            if nvidia:
                files[f"smi/run{job}.csv"] = nvidia_text(rng, rows)
            elif rng.random() < 0.1 and len(rows) > 1:
                cut = int(rng.integers(1, len(rows)))
                files[f"a/{40 + job}-r1-n{node}.csv"] = supercloud_text(rng, rows[:cut])
                files[f"b/{40 + job}-r1-n{node}.csv"] = supercloud_text(rng, rows[cut:])
            else:
                files[f"gpu/{40 + job}-r1-n{node}.csv"] = supercloud_text(rng, rows)
    return files


def options_of(rng):
    return {"rows": str(rng.choice(["job", "node", "gpu"])), "max_gap": [None, None, 0.3, 2.0, 33.3][rng.integers(0, 5)],
            "idle_below": [None, None, 5, 50.5, 100][rng.integers(0, 5)]}


def cases_of(seed, most, jobs):
    """A tree, and its expected tables with default and with other options."""
    rng = np.random.default_rng(seed)
    while True:
        files = tree_of(rng, most, jobs)
        cases = []
        for options in ({"rows": "job", "max_gap": None, "idle_below": None}, options_of(rng), options_of(rng)):
            table, nearest = expected_table(files, options)
            if nearest < 1e-6:
                break
            cases.append({**options, "expected": table})
        else:
            return {"seed": seed, "files": files, "cases": cases}


# --- Comparing a binary ----------------------------------------------------------------------------------------------

def difference(name, text, expected):
    """The relative difference from the expectation; infinite if one is empty or counts differ."""
    if expected is None or isinstance(expected, (str, int)) or text == "":
        return 0.0 if text == ("" if expected is None else str(expected)) else math.inf
    # If all values are equal, the oracle's variation is rounding. A range is a difference of large numbers.
    floor = 1e-3 if name.endswith("_cv") else 1.0 if name == "node_util_range_pct" else 0.0
    distance = abs(float(text) - expected)
    return distance / max(abs(expected), floor, 1e-300)


def key_of(row):
    return tuple(row.get(name, "") for name in ("job_id", "node", "gpu"))


def check(binary, first, last, most):
    worst, bad, tables, cells = {}, 0, 0, 0
    for seed in range(first, last + 1):
        study = cases_of(seed, most, 3)
        with tempfile.TemporaryDirectory(prefix="scalelaw-oracle-") as folder:
            for name, text in study["files"].items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", newline="") as out:
                    out.write(text)
            for number_of_case, case in enumerate(study["cases"]):
                command = [binary, "ingest", folder, "--rows", case["rows"], "--quiet"]
                for option in ("max_gap", "idle_below"):
                    if case[option] is not None:
                        command += ["--" + option.replace("_", "-"), str(case[option])]
                outputs = [subprocess.run([*command, "--threads", threads], capture_output=True, text=True)
                           for threads in ("1", "2")]
                if outputs[0].stdout != outputs[1].stdout:
                    bad += 1
                    print(f"seed {seed}: threads differ")
                rows = {key_of(row): row for row in csv.DictReader(io.StringIO(outputs[0].stdout))}
                expected = {key_of(row): row for row in case["expected"]}
                tables += 1
                if rows.keys() != expected.keys():
                    bad += 1
                    print(f"seed {seed} case {number_of_case}: rows {list(rows)} expected {list(expected)} {outputs[0].stderr}")
                    continue
                for key, row in expected.items():
                    for name, figure in row.items():
                        cells += 1
                        off = difference(name, rows[key][name], figure)
                        tolerance = 1e-9 if name.endswith("_cv") or name == "energy_j" else 1e-12
                        if off > tolerance:
                            bad += 1
                            print(f"seed {seed} case {number_of_case} {key} {name}: {rows[key][name]!r} expected {figure!r}"
                                  f" options {({k: v for k, v in case.items() if k != 'expected'})}")
                        if math.isfinite(off) and off > worst.get(name, (0,))[0]:
                            worst[name] = (off, seed)
    print(f"{tables} tables, {cells} cells, {bad} beyond tolerance")
    for name, (off, seed) in sorted(worst.items()):
        print(f"  {name:24s} {off:.2e} (seed {seed})")


def compact(study):
    """A tree in stored form: expected tables as column names and rows of figures, in the order of the keys."""
    cases = []
    for case in study["cases"]:
        table = case["expected"]
        cases.append({**{name: case[name] for name in ("rows", "max_gap", "idle_below")}, "names": list(table[0]),
                      "table": [list(row.values()) for row in table]})
    return {**study, "cases": cases}


def main():
    if sys.argv[1:2] == ["check"]:
        most = int(sys.argv[5]) if len(sys.argv) > 5 else 120
        return check(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), most)
    trees, seed = [], 0
    while sum(map(len, trees)) < BYTES - BYTES_OF_A_TREE:
        seed += 1
        tree = json.dumps(compact(cases_of(seed, 20, 2)), separators=(",", ":"))
        if len(tree) <= BYTES_OF_A_TREE:
            trees.append(tree)
    with open(os.path.join(HERE, "ingest.json"), "w") as out:
        out.write("[" + ",\n".join(trees) + "]\n")


if __name__ == "__main__":
    main()
