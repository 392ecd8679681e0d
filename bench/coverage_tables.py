#!/usr/bin/env python3
"""Turns the Markdown tables that the programs beside this file print into the CSV files of docs/explanation/coverage.

  build/bench/bench/rank_rates 4000 1 | bench/coverage_tables.py docs/explanation/coverage

Each file that a table of the input belongs to is written anew. Tables that differ only in the curve or the scatter share one
file; its first column then has the heading of the table. The conclusions in docs/explanation/coverage.md are written by hand:
read them again when figures change."""
import csv
import pathlib
import re
import sys

RATES = ["levels", "scatter", "points per level"]
GATE = ["change", "groups", "check fails", "an unchanged group worse", "any better", "changed groups worse", "inconclusive", "same", "better"]
COSTS = ["GPU", "dataset", *(f"{mode} {figure}" for mode in ("paper", "corrected") for figure in ("mean", "sd", "best size"))]
NIGHTS = ["nights", "groups", "N x runs", "what differs", "sd between nights"]
STUDIES = ["GPU", "dataset", "5 seeds", "10 seeds", "30 seeds", "100 seeds"]
FORECAST = r"(\S+) / (\S+) \((\S+)\)"
# The beginning of a heading, the file of its tables, and names of columns where those that are printed need their neighbours.
# Several tables below one heading go into one file each, in this order.
TABLES = [
    (r"(Log-normal|Normal) scatter", [("beta.csv", None)]),
    (r"(floor|amdahl|usl|broken): ", [("other-laws.csv", None)]),
    (r"Every law at N", [("every-law.csv", None)]),
    (r"Pooling: one sigma", [("pooling-one-sigma.csv", None)]),
    (r"Pooling: groups that scatter", [("pooling-unequal-scatter.csv", ["groups", "points in each", "factor", "groups that scatter less",
                                                                   "groups that scatter more", "unequal-scatter"])]),
    (r"Pooling: scatter with heavy", [("pooling-heavy-tails.csv", None)]),
    (r"Pooling: exponents", [("pooling-exponents.csv", None)]),
    (r"Pooling: power", [("pooling-outlying-slope.csv", None)]),
    (r"Contrast: false alarms", [("contrast-false-alarms.csv", [*RATES, "F", "Alexander-Govern", *(
        f"{what}, {variances}" for what in ("slopes", "slopes or joint", "ratios") for variances in ("equal", "unequal"))])]),
    (r"Contrast: coverage", [("contrast-intervals.csv", [*RATES, "difference of slopes, equal", "difference of slopes, unequal",
                                                         "ratio, equal", "ratio, unequal", "common beta"])]),
    (r"Contrast: verdicts", [("contrast-verdicts.csv", [*RATES, "equivalent at difference 0.05, equal", "equivalent at difference 0.05, unequal",
                                                        "equivalent at 0, unequal", "different at 0.05", "different at 0.1"])]),
    (r"Rank: tests", [("rank-verdicts.csv", None)]),
    (r"Rank: sizes", [("rank-sizes.csv", None)]),
    (r"Rank: the kind", [("rank-scatter.csv", ["truth", "scatter", "points", "relative", "undecided", "absolute",
                                               "sentence says relative", "sentence says absolute"])]),
    (r"Forecasts", [("forecasts.csv", None), ("forecasts-repeated.csv", None)]),
    (r"One law", [("one-law.csv", None)]),
    (r"Pooled forecasts", [("forecasts-pooled.csv", None), ("forecasts-pooled-repeated.csv", None)]),
    (r"Gate: nothing", [("gate-false-alarms.csv", GATE)]),
    (r"Gate: what", [("gate-power.csv", GATE)]),
    (r"Nights: gate", [("nights-gate.csv", [*NIGHTS, "fails, 5 % slower (the limit)", "better, no change", "same, no change",
                                            *(f"fails, {slower} % slower" for slower in (10, 15, 20))])]),
    (r"Nights: what", [("nights-findable.csv", [*NIGHTS, "fails where it says"])]),
    (r"Levels: a year", [("levels-years.csv", None)]),
    (r"Levels: a change", [("levels-changes.csv", None)]),
    (r"Levels: many", [("levels-many.csv", None)]),
    (r"Nights: history", [("nights-history.csv", ["nights", "N x runs", "sd of beta between nights", "finds one, no change",
                                                  *(f"finds one, beta falls by {fall}" for fall in ("0.02", "0.05", "0.1"))])]),
    (r"Pareto: 95", [("pareto-intervals.csv", None)]),
    (r"Pareto: are shares", [("pareto-shares.csv", ["share", "points of this frontier share", "mean frontier share", "truly on the frontier",
                                                    "points of this optimum share", "mean optimum share", "truly the optimum"])]),
    (r"Caps", [("caps-ratios.csv", None), ("caps-curves.csv", None)]),
    (r"Warnings: false", [("warnings-false-alarms.csv", None)]),
    (r"Warnings: power", [("warnings-power.csv", None)]),
    (r"Warnings: clustered", [("warnings-clustered.csv", None)]),
    (r"Energy: exponents", [("energy-exponents.csv", None)]),
    (r"Energy: k of", [("energy-k.csv", ["energy that needs no GPU", "runs per N", "k, origin", "k, line", "intercept", "k, origin, of E",
                                          "k, line, of E", "intercept, of E"])]),
    (r"Energy: the N", [("energy-best-n.csv", None)]),
    (r"Replay: coverage", [("replay-intervals.csv", STUDIES)]),
    (r"Replay: cost", [("replay-costs.csv", COSTS)]),
    (r"Tail", [("tail.csv", None)]),
    (r"IsoFLOP", [("isoflop.csv", None)]),
    (r"Settings", [("settings.csv", None)]),
    (r"Budgets", [("budget.csv", None)]),
    (r"Laws of two scales: few", [("two-scales-few.csv", None)]),
    (r"Laws of two scales: errors", [("two-scales-shared.csv", None)]),
    (r"Laws of two scales", [("two-scales.csv", None)]),
]


def cells_of(line):
    return [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]


def tables_in(lines):
    """Yields the heading and the rows of each table, its header first."""
    heading, rows = "", []
    for line in [*lines, ""]:
        if line.startswith("|"):
            rows.append(cells_of(line))
        elif rows:
            yield heading, rows[:1] + rows[2:]
            rows = []
        if line.startswith("#"):
            heading = line.lstrip("# ").strip().replace("`", "")


def spread(rows):
    """One figure per cell: "96 / 95 (0.3)" becomes three columns, and "alpha 97, beta 96" a row for each parameter."""
    header, first = rows[0], rows[1]
    if "intervals that hold the parameter" in header:
        pairs = [(row[:-1], pair.rsplit(" ", 1)) for row in rows[1:] for pair in row[-1].split(", ")]
        return [[*header[:-1], "parameter", "interval holds"], *([*row, *pair] for row, pair in pairs)]
    if not any(" / " in cell for cell in first):
        return rows
    of_three = [re.fullmatch(FORECAST, cell) is not None for cell in first]
    names = [[f"{name}, {figure}" for figure in ("new run", "curve", "width")] if three else [name] for name, three in zip(header, of_three)]
    cells = [[list(re.fullmatch(FORECAST, cell).groups()) if three else [cell] for cell, three in zip(row, of_three)] for row in rows[1:]]
    return [sum(row, []) for row in (names, *cells)]


def files_of(heading):
    for beginning, files in TABLES:
        if re.match(beginning, heading):
            return files
    sys.exit(f'coverage_tables.py: no file is known for tables below the heading "{heading}": add it to TABLES')


def collect(lines):
    """The tables of each file, as pairs of heading and rows."""
    collected, seen = {}, {}
    for heading, rows in tables_in(lines):
        files = files_of(heading)
        name, columns = files[min(seen.get(heading, 0), len(files) - 1)]
        seen[heading] = seen.get(heading, 0) + 1
        collected.setdefault(name, []).append((re.sub(r"^[A-Z]\w+: ", "", heading), spread([columns or rows[0], *rows[1:]])))
    return collected


def write(path, tables):
    """One table as it is; several with their headings in the first column and the columns of the longest."""
    columns = max((rows[0] for _, rows in tables), key=len)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns if len(tables) == 1 else ["simulated", *columns])
        for heading, rows in tables:
            for row in rows[1:]:
                if len(row) != len(rows[0]):
                    sys.exit(f'coverage_tables.py: "{heading}": expected {len(rows[0])} cells, found {len(row)}: {row}')
                row = row + [""] * (len(columns) - len(row))
                out.writerow(row if len(tables) == 1 else [heading, *row])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, tables in collect(sys.stdin.read().split("\n")).items():
        write(pathlib.Path(sys.argv[1]) / name, tables)


if __name__ == "__main__":
    main()
