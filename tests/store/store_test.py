#!/usr/bin/env python3
"""What a study store survives: kill -9, a full disk, two ingests at once, hostile files.

usage: store_test.py SCALELAW NAME [--kills N] [--jobs N]

NAME is one of the functions test_* below. ctest calls each with few kills and jobs; the full count
is `store_test.py build/bin/scalelaw kill --kills 200 --jobs 2000`. Exit status 77: skipped.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


class Bench:
    def __init__(self, scalelaw, folder, jobs):
        self.scalelaw = scalelaw
        self.folder = pathlib.Path(folder)
        self.jobs = jobs
        self.tree = self.folder / "tree"
        laws = self.folder / "laws.csv"  # A group has four jobs.
        groups = (f"M{i},250,{100 + i},0.8\n" for i in range(-(-jobs // 4)))
        laws.write_text("model,power_cap_w,alpha,beta\n" + "".join(groups))
        self.run("generate", "--seed", "7", "--laws", laws, "--traces", self.tree, "--jobs", jobs)

    def command(self, *words):
        return [self.scalelaw, *map(str, words)]

    def run(self, *words, status=0):
        done = subprocess.run(self.command(*words), capture_output=True)
        if done.returncode != status:
            sys.exit(f"{words}: exit {done.returncode}, expected {status}\n{done.stderr.decode()}")
        return done

    def ingest_words(self, store):
        return ["ingest", self.tree, "--jobs", self.tree / "jobs.csv", "--store", store]

    def ingest(self, store, status=0):
        return self.run(*self.ingest_words(store), status=status)

    def export(self, store):
        return self.run("store", "export", store).stdout

    def plain_table(self):
        """The run table of an ingest without a store: what every export has to be."""
        return self.run("ingest", self.tree, "--jobs", self.tree / "jobs.csv").stdout


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r:.300}, found {found!r:.300}")


def expect_in(what, text, part):
    if part not in text:
        sys.exit(f"{what}: expected {part!r} in {text!r:.600}")


def test_kill(bench, options):
    """kill -9 at random moments, then resume: the table of an undisturbed run."""
    expected = bench.plain_table()
    store = bench.folder / "undisturbed.db"
    start = time.monotonic()
    bench.ingest(store)
    undisturbed_s = time.monotonic() - start
    expect("undisturbed export", bench.export(store), expected)
    moments = random.Random(20261121)
    interrupted = 0
    kills = 0
    store = bench.folder / "killed.db"
    while kills < options.kills:
        process = subprocess.Popen(bench.command(*bench.ingest_words(store)),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, 1.1 * undisturbed_s))
        process.send_signal(signal.SIGKILL)
        interrupted += process.wait() != 0
        kills += 1
        # Half of the stores are killed again and again, the others resumed at once.
        if moments.random() < 0.5 and kills < options.kills:
            continue
        bench.ingest(store)
        expect(f"export after kill {kills}", bench.export(store), expected)
        if kills % 10 == 0 or kills >= options.kills:
            bench.run("store", "verify", store)
        for path in bench.folder.glob("killed.db*"):
            path.unlink()
    print(f"{kills} kills, {interrupted} of a running ingest of {undisturbed_s:.2f} s, "
          f"every export of {len(expected)} bytes as undisturbed")
    if interrupted == 0:
        sys.exit("no ingest was interrupted: the test shows nothing")


def test_resume(bench, options):
    """A finished ingest is not read again, and its table does not depend on threads."""
    expected = bench.plain_table()
    store = bench.folder / "study.db"
    traces = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")
    bench.ingest(store)
    expect("export", bench.export(store), expected)
    start = time.monotonic()
    again = bench.ingest(store)
    seconds = time.monotonic() - start
    expect_in("repeated ingest", again.stderr.decode(), f"{len(traces)} files unchanged and not read")
    expect("export after a repeated ingest", bench.export(store), expected)
    print(f"resumed {len(traces)} files in {seconds:.3f} s")
    traces[3].write_bytes(traces[3].read_bytes())  # Touched: read again, the same.
    bench.ingest(store)
    expect("export after a touched file", bench.export(store), expected)
    for threads in ("1", "4"):
        other = bench.folder / f"threads{threads}.db"
        bench.run("--threads", threads, *bench.ingest_words(other))
        expect(f"export with {threads} threads", bench.export(other), expected)


def test_parts(bench, options):
    """Two calls with a part of the files each end as one call with all."""
    traces = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")
    expected = bench.plain_table()
    store = bench.folder / "study.db"
    jobs = ["--jobs", bench.tree / "jobs.csv", "--store", store]
    for part in (traces[1::2], traces[::2]):
        bench.run("ingest", *part, *jobs)
    expect("export of two parts", bench.export(store), expected)
    # A copy elsewhere is no second run.
    copy = bench.folder / "copy"
    shutil.copytree(bench.tree, copy)
    bench.run("ingest", copy, *jobs)
    expect("export with a copied tree", bench.export(store), expected)


def test_two_at_once(bench, options):
    expected = bench.plain_table()
    store = bench.folder / "shared.db"
    words = bench.command(*bench.ingest_words(store))
    processes = [subprocess.Popen(words, stderr=subprocess.PIPE) for _ in range(2)]
    for process in processes:
        _, error = process.communicate()
        if process.returncode != 0:
            sys.exit(f"one of two: exit {process.returncode}: {error.decode()}")
    expect("export of two at once", bench.export(store), expected)
    bench.run("store", "verify", store)


def test_full_disk(bench, options):
    expected = bench.plain_table()
    small = bench.folder / "small"
    small.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small], capture_output=True).returncode == 0
    if not mounted:
        print("skipped: a small tmpfs cannot be mounted here")
        sys.exit(SKIPPED)
    try:
        store = small / "study.db"
        full = bench.ingest(store, status=2)
        expect_in("full disk", full.stderr.decode(), "disk is full")
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        bench.ingest(store)
        expect("export after a full disk", bench.export(store), expected)
        bench.run("store", "verify", store)
    finally:
        subprocess.run(["umount", small], check=True)


def test_verify_and_forget(bench, options):
    store = bench.folder / "study.db"
    bench.ingest(store)
    whole = bench.export(store)
    expect_in("verify", bench.run("store", "verify", store).stdout.decode(), "sound")
    job = whole.split(b"\n")[1].split(b",")[0].decode()
    bench.run("store", "forget", store, job)
    expect("export without a job", bench.export(store),
           b"\n".join(whole.split(b"\n")[:1] + whole.split(b"\n")[2:]))
    bench.ingest(store)
    expect("export after forgetting and another ingest", bench.export(store), whole)
    trace = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")[0]
    text = trace.read_bytes()
    times = os.stat(trace)
    trace.write_bytes(text[:-2] + b"9\n")
    os.utime(trace, ns=(times.st_atime_ns, times.st_mtime_ns))
    expect_in("changed file", bench.run("store", "verify", store, status=1).stderr.decode(),
              trace.name)


def test_hostile(bench, options):
    """Damaged and foreign files: one sentence, exit 2, and never a crash."""
    store = bench.folder / "study.db"
    bench.ingest(store)
    whole = store.read_bytes()
    moments = random.Random(5)
    for i in range(60):
        bad = bench.folder / "bad.db"
        damaged = bytearray(whole)
        for _ in range(20):
            damaged[moments.randrange(16, len(damaged))] = moments.randrange(256)
        bad.write_bytes(damaged if i % 2 else whole[:moments.randrange(16, len(whole))])
        for words in (["store", "export", bad], ["fit", bad], ["store", "verify", bad],
                      ["ingest", bench.tree, "--store", bad]):
            done = subprocess.run(bench.command(*words), capture_output=True)
            if done.returncode not in (0, 1, 2) or b"internal error" in done.stderr:
                sys.exit(f"{words} on damaged file {i}: exit {done.returncode} {done.stderr!r}")
    cases = {
        "no study store": ["CREATE TABLE t(a)"],
        "newer scalelaw": ["PRAGMA application_id=1396919383", "PRAGMA user_version=99"],
        "tables": ["PRAGMA application_id=1396919383", "PRAGMA user_version=1",
                   "CREATE VIEW run_tables AS SELECT 1 AS id"],
    }
    for part, statements in cases.items():
        foreign = bench.folder / "foreign.db"
        foreign.unlink(missing_ok=True)
        database = sqlite3.connect(foreign)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        for words in (["fit", foreign], ["ingest", bench.tree, "--store", foreign]):
            expect_in(part, bench.run(*words, status=2).stderr.decode(), part)
    for statement, part in {
            "UPDATE files SET unit = 999": "damaged",
            "UPDATE units SET figures = zeroblob(100)": "damaged",
            "UPDATE run_blocks SET csv = zeroblob(100000000)": "",
    }.items():
        bad = bench.folder / "changed.db"
        shutil.copy(store, bad)
        database = sqlite3.connect(bad)
        database.execute(statement)
        database.commit()
        database.close()
        expect_in(statement, bench.run("store", "verify", bad, status=1).stderr.decode(), part)
    done = bench.run("fit", bad, status=2)
    expect_in("huge block", done.stderr.decode(), "changed.db")


def test_migration(bench, options):
    """A store of version 1, as the first version wrote it, becomes one of version 2."""
    old = bench.folder / "old.db"
    database = sqlite3.connect(old)
    script = (pathlib.Path(__file__).parent / "version1.sql").read_text()
    database.executescript(script)
    database.close()
    expect("version 1 as input", bench.export(old), b"job_id,gpus,epoch_seconds\nold,2,10\n")
    runs = bench.folder / "runs.csv"
    bench.run("generate", "-o", runs)
    bench.run("fit", runs, "--store", old, "--keep", "first")
    expect("version 1 as input, migrated", bench.export(old),
           b"job_id,gpus,epoch_seconds\nold,2,10\n")
    database = sqlite3.connect(old)
    expect("user_version", database.execute("PRAGMA user_version").fetchone()[0], 2)
    expect("kept", database.execute("SELECT label FROM fits").fetchall(), [("first",)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalelaw")
    parser.add_argument("name")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(options.scalelaw), folder, options.jobs)
        globals()["test_" + options.name](bench, options)


if __name__ == "__main__":
    main()
