#!/usr/bin/env python3
"""The cost of a study store: ingest with and without it, a resumed ingest, fits from it and from CSV.

usage: bench/store.py build/bin/scalelaw [--tree FOLDER] [--jobs 2000] [--rows 1000000] [--repeats 5]

--tree measures existing traces (those of bench/compare/run: 2,000 of half a megabyte). It also makes
small ones, whose cost is mostly the opening of files.

Each figure is the median wall time over repeats, with the two sides in turns and files in the page
cache. The targets are: store / CSV at most 1.15, resuming below 1 s, and a fit of the store / of the
CSV at most 1.5.
"""
import argparse
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile
import time


def seconds(words):
    start = time.monotonic()
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    return time.monotonic() - start


def in_turns(repeats, sides):
    """Median seconds of each side. Sides are (before, words) pairs, and before() clears up."""
    times = [[] for _ in sides]
    for _ in range(repeats):
        for side, (before, words) in enumerate(sides):
            before()
            times[side].append(seconds(words))
    return [statistics.median(side) for side in times]


def remove_store(path):
    for file in path.parent.glob(path.name + "*"):
        file.unlink()


def compare_ingest(scalelaw, folder, jobs, repeats):
    tree = folder / "tree"
    laws = folder / "laws.csv"
    groups = (f"M{i},250,{100 + i},0.8\n" for i in range(1 + jobs // 4))
    laws.write_text("model,power_cap_w,alpha,beta\n" + "".join(groups))
    seconds([scalelaw, "generate", "--laws", laws, "--traces", tree, "--jobs", jobs])
    compare_tree(scalelaw, folder, tree, ["--jobs", tree / "jobs.csv"], repeats)


def compare_tree(scalelaw, folder, tree, options, repeats):
    csv, store = folder / "runs.csv", folder / "study.db"
    files = [p for p in tree.rglob("*.csv") if p.name != "jobs.csv"]
    megabytes = sum(p.stat().st_size for p in files) / 1e6
    ingest = [scalelaw, "ingest", tree] + options
    plain, stored = in_turns(repeats, [(lambda: None, ingest + ["-o", csv]),
                                       (lambda: remove_store(store), ingest + ["--store", store])])
    (resumed,) = in_turns(repeats, [(lambda: None, ingest + ["--store", store])])
    print(f"ingest of {len(files)} files, {megabytes:.0f} MB: CSV {plain:.3f} s, store {stored:.3f} s, "
          f"ratio {stored / plain:.3f}; resumed {resumed:.3f} s")


def store_of_rows(scalelaw, folder, csv):
    """A store whose run table is that CSV, in blocks of 1 MiB as from ingest."""
    tree, store = folder / "small", folder / "rows.db"
    seconds([scalelaw, "generate", "--traces", tree, "--jobs", 1])
    seconds([scalelaw, "ingest", tree, "--store", store])
    database = sqlite3.connect(store)
    database.execute("DELETE FROM run_blocks")
    (table,) = database.execute("SELECT id FROM run_tables WHERE finished = 1").fetchone()
    with open(csv, "rb") as lines:
        for place, rows in enumerate(iter(lambda: b"".join(lines.readlines(1 << 20)), b"")):
            database.execute("INSERT INTO run_blocks(run_table, place, csv) VALUES(?, ?, ?)",
                             (table, place, rows))
    database.commit()
    database.close()
    return store


def compare_fit(scalelaw, folder, rows, repeats):
    csv = folder / "many.csv"
    seconds([scalelaw, "generate", "--replicates", max(1, rows // 126), "-o", csv])
    store = store_of_rows(scalelaw, folder, csv)
    count = sum(1 for _ in open(csv, "rb")) - 1
    for threads in (1, 2):
        fit = [scalelaw, "--threads", threads, "fit"]
        plain, stored = in_turns(repeats, [(lambda: None, fit + [csv]), (lambda: None, fit + [store])])
        print(f"fit of {count} rows, {threads} threads: CSV {plain:.3f} s, store {stored:.3f} s, "
              f"ratio {stored / plain:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalelaw")
    parser.add_argument("--tree", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    scalelaw = pathlib.Path(options.scalelaw).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.tree:
            compare_tree(scalelaw, folder, options.tree, [], options.repeats)
        compare_ingest(scalelaw, folder, options.jobs, options.repeats)
        compare_fit(scalelaw, folder, options.rows, options.repeats)


if __name__ == "__main__":
    main()
