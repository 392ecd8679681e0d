#!/usr/bin/env python3
"""Random tables give the same JSON in Python as in the command: numbers, texts with commas, quotes and line feeds, missing values.

  random_tables_test.py SCALELAW [TABLES [FIRST_SEED]]

Each seed is one table, handed over as lists, array.array, NumPy, pandas, rows or a frame with `__dataframe__`, where these are
installed. A failure names its seed and keeps to it: TABLES 1, FIRST_SEED that one."""
import array
import contextlib
import csv
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import scalelaw as sl
from stand_ins import Interchanged

with contextlib.suppress(ImportError):
    import numpy
with contextlib.suppress(ImportError):
    import pandas

SCALELAW = os.path.realpath(sys.argv[1])
TABLES = int(sys.argv[2]) if len(sys.argv) > 2 else 200
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 1
NAMES = ["BERT", "a,b", 'say "no"', '"', "two\nlines", "ends\r\nso", "#1", "é", "日本", " blank ", "a\tb", "it's", "; | ,", "007", "1.50", "1e3", "-", "x" * 300]
MISSING = ["", "NA", "nan", "null", "None"]


def gpus(chance, rows):
    return [chance.choice([1, 2, 4, 8, 16, 24, 1000]) for _ in range(rows)]


def seconds(chance, scales):
    def one(n):
        kind = chance.random()
        if kind < 0.03:
            return None
        if kind < 0.05:
            return float("nan")
        if kind < 0.06:
            return chance.choice([0.0, -1.5, math.inf, 1e-300, 1e300])
        return 900 * n ** -0.8 * math.exp(chance.gauss(0, 0.05))

    return [one(n) for n in scales]


def texts(chance, rows):
    words = chance.sample(NAMES, chance.randint(1, 4)) + chance.sample(MISSING, chance.randint(0, 1))
    return [None if chance.random() < 0.03 else chance.choice(words) for _ in range(rows)]


def numbers(chance, rows):
    values = chance.choice([[100.0, 250.0], [0.1, 2.5e-7], [1380, 735], [True, False], [-1.0, 1e15]])
    return [chance.choice(values) for _ in range(rows)]


def table_of(chance):
    rows = chance.choice([0, 1, 3, 10, 40, 40, 120])
    scales = gpus(chance, rows)
    columns = {"model": texts(chance, rows), "gpus": scales, "epoch_seconds": seconds(chance, scales),
               chance.choice(["power_cap_w", "a, \"b\"", "clock (MHz)"]): numbers(chance, rows), "note": texts(chance, rows)}
    titles = list(columns)
    chance.shuffle(titles)
    return {title: columns[title] for title in titles}


def cell(value):
    """A value as a text of CSV has it."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def write_csv(path, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        # A line that begins with # is a comment, unless it is quoted.
        writer = csv.writer(file, quoting=csv.QUOTE_ALL if "#1" in str(columns) else csv.QUOTE_MINIMAL)
        writer.writerow(columns)
        writer.writerows([cell(value) for value in row] for row in zip(*columns.values()))


def is_numeric(values):
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def masked(values):
    """Numbers under a mask of those that are missing."""
    missing = [value != value for value in values]
    return numpy.ma.array([7.0 if is_missing else value for value, is_missing in zip(values, missing)], mask=missing)


def held(chance, columns):
    """The same table in one of the ways in which Python has tables, and the name of that way."""
    kinds = ["lists", "rows", "arrays"] + ["numpy", "masked"] * ("numpy" in globals()) + ["pandas", "index", "category", "interchange"] * ("pandas" in globals())
    kind = chance.choice(kinds)
    if kind == "rows":
        return kind, [dict(zip(columns, row)) for row in zip(*columns.values())] or columns
    if kind == "arrays":
        return kind, {title: array.array("d", values) if is_numeric(values) else values for title, values in columns.items()}
    if kind == "numpy":
        return kind, {title: numpy.array(values) if is_numeric(values) else values for title, values in columns.items()}
    if kind == "masked":
        return kind, {title: masked(values) if is_numeric(values) else values for title, values in columns.items()}
    if kind in ("pandas", "index", "category", "interchange"):
        frame = pandas.DataFrame(columns)
        empty = [title for title in columns if frame[title].isna().all()]
        frame = frame.astype({title: "float64" for title in empty})  # pandas has no protocol for objects that are no texts.
        if kind == "index":
            return kind, frame.set_index(list(columns)[: chance.randint(1, len(columns) - 1)])
        if kind != "pandas":
            frame["model"] = frame["model"].astype("category")
            frame["note"] = frame["note"].astype("category")
        return kind, Interchanged(frame) if kind == "interchange" else frame
    return kind, columns


def call_of(chance, columns):
    setting = [title for title in columns if title not in ("model", "gpus", "epoch_seconds", "note")]
    name = chance.choice(["fit", "fit", "fit", "look", "rank", "contrast", "predict"])
    options = {}
    if name != "look" and chance.random() < 0.8:
        options["y"] = "epoch_seconds"
        options["x"] = "gpus"
    if name == "contrast":
        options["factor"] = setting[0]
    elif chance.random() < 0.6 and "," not in setting[0]:
        options["by"] = ",".join(chance.sample(["model", *setting], chance.randint(1, 2)))
    if chance.random() < 0.2:
        options["where"] = [chance.choice(["gpus<=16", "model=BERT", "gpus!=1", "model!=a"])]
    if name == "predict":
        options["at"] = "64"
    if name == "fit" and chance.random() < 0.3:
        options.update(chance.choice([{"law": "amdahl"}, {"points": "mean"}, {"bootstrap": "50"}, {"robust": "huber"}, {"se": "hc3"}]))
    if chance.random() < 0.3:
        options["skip_bad_rows"] = True
    return name, options


def words_of(options):
    words = []
    for key, value in options.items():
        option = "-" + key if len(key) == 1 else "--" + key.replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            words += [option] if one is True else [option, one]
    return words


def without_lines(text):
    """Rows of a table in memory are counted as if each were one line."""
    return re.sub(r"runs\.csv:\d+", "runs.csv:LINE", text)


def by_command(name, path, options):
    done = subprocess.run([SCALELAW, name, path, *words_of(options), "--format", "json"], capture_output=True, text=True)
    error = next((line for line in done.stderr.splitlines() if line.startswith("scalelaw: error: ")), "")
    return done.returncode, without_lines(done.stdout), without_lines(error.removeprefix("scalelaw: error: "))


def by_python(name, table, options):
    try:
        result = getattr(sl, name)(table, **options)
        return result.status, without_lines(result.to_json()), ""
    except sl.ScalelawError as error:
        return 2, "", without_lines(str(error).splitlines()[0])


def first_difference(expected, found):
    for one, other in zip(map(str, expected), map(str, found)):
        if one != other:
            place = max(0, len(os.path.commonprefix([one, other])) - 60)
            return f"command: ...{one[place:place + 160]}\n  Python:  ...{other[place:place + 160]}"
    return ""


def main():
    differ = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(FIRST, FIRST + TABLES):
            chance = random.Random(seed)
            columns = table_of(chance)
            name, options = call_of(chance, columns)
            write_csv("runs.csv", columns)
            kind, table = held(chance, columns)
            expected = by_command(name, "runs.csv", options)
            found = by_python(name, sl.Table(table, "runs.csv"), options)
            refused += expected[0] == 2
            if found != expected:
                differ += 1
                print(f"seed {seed} differs: {name} {options} of {kind}:\n  {first_difference(expected, found)}")
    print(f"{TABLES} random tables, {refused} refused, {differ} differ")
    return 1 if differ or refused > TABLES // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
