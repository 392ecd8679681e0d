#!/usr/bin/env python3
"""Tests that a study store survives kill -9, a full disk, two ingests at once, and hostile files.

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
        """The run table of an ingest without a store, which every export must equal."""
        return self.run("ingest", self.tree, "--jobs", self.tree / "jobs.csv").stdout


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r:.300}, found {found!r:.300}")


def expect_in(what, text, part):
    if part not in text:
        sys.exit(f"{what}: expected {part!r} in {text!r:.600}")


def test_kill(bench, options):
    """A run that is killed at random moments and resumed gives the table of an undisturbed run."""
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
    # On a busy machine the first run may be so slow that the others end before they are killed.
    while kills < options.kills or (interrupted == 0 and kills < 20 * options.kills):
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
    expect_in("repeated ingest", again.stderr.decode(), f"0 new files, 0 MB, 0 samples; {len(traces)} unchanged and not read; {store}: {bench.jobs} jobs; ")
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
    """Two calls with a part of the files each give the result of one call with all files."""
    traces = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")
    expected = bench.plain_table()
    store = bench.folder / "study.db"
    jobs = ["--jobs", bench.tree / "jobs.csv", "--store", store]
    for part in (traces[1::2], traces[::2]):
        bench.run("ingest", *part, *jobs)
    expect("export of two parts", bench.export(store), expected)
    # A copy in another place is not a second run.
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


def trace_text(gpu, begin):
    rows = "".join(f"{begin + i},{gpu},{50 + gpu},{100 + i}\n" for i in range(20))
    return "timestamp,gpu_index,utilization_gpu_pct,power_draw_w\n" + rows


def halves_of_a_unit(bench):
    """Two files for one node of a job, in two folders."""
    name = "34769646333400-r7594107-n488944.csv"
    for i, folder in enumerate("xy"):
        (bench.folder / folder).mkdir()
        (bench.folder / folder / name).write_text(trace_text(0, 1600000000 + 20 * i))
    return [bench.folder / folder / name for folder in "xy"]


def run_halted(bench, words, path, seconds, opening):
    """Starts a call that waits before it opens a file for the n-th time; None without strace."""
    trace = ["strace", "-f", "-o", os.devnull, "-P", str(path), "-e", "trace=openat", "-e",
             f"inject=openat:delay_enter={int(seconds * 1e6)}:when={opening}"]
    unleaked = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # The check of leaks traces, too, and that goes once.
    try:
        return subprocess.Popen(trace + bench.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=unleaked)
    except FileNotFoundError:
        print("skipped: no strace")
        sys.exit(SKIPPED)


def expect_end(slow):
    """Waits for the end of such a call, which must not fail."""
    _, error = slow.communicate()
    if b"ptrace" in error.lower():
        print("skipped: strace may not trace here")
        sys.exit(SKIPPED)
    expect(f"exit of the slow one ({error.decode()})", slow.returncode, 0)


def test_an_index_that_is_being_made(bench, options):
    """SQLite cuts the index of its log to three bytes before it fills it; a process may be killed there, or be seen."""
    expected = bench.plain_table()
    store = bench.folder / "study.db"
    for begin in (b"\0\0\0", b"\x18\xe2\x2d"):
        for _ in ("new", "there"):
            pathlib.Path(f"{store}-shm").write_bytes(begin)
            bench.ingest(store)
            expect("export", bench.export(store), expected)
        store.unlink()


def test_two_halves_of_a_unit(bench, options):
    """A file is not lost if another process keeps it between the look-up of its unit and the writing."""
    x, y = halves_of_a_unit(bench)
    expected = bench.run("ingest", x, y).stdout
    store = bench.folder / "shared.db"
    slow = run_halted(bench, ["ingest", x, "--store", store], x, 1.5, 2)
    time.sleep(0.7)
    bench.run("ingest", y, "--store", store)
    expect_end(slow)
    listed = bench.run("store", "ls", store, "--format", "csv").stdout.decode()
    for path in (x, y):
        expect_in("files", listed, str(path))
    expect("export of two halves", bench.export(store), expected)


def test_four_parts_of_every_unit(bench, options):
    """Four processes run at once, each with one of the four files of every node."""
    parts = [bench.folder / "parts" / str(part) for part in range(4)]
    for i, part in enumerate(parts):
        part.mkdir(parents=True)
        for job in range(options.jobs):
            (part / f"3476964633{job:04d}-r7594107-n488944.csv").write_text(trace_text(0, 1600000000 + 20 * i))
    expected = bench.run("ingest", bench.folder / "parts").stdout
    for attempt in range(5):
        store = bench.folder / f"shared{attempt}.db"
        words = [bench.command("ingest", part, "--store", store) for part in parts]
        processes = [subprocess.Popen(word, stderr=subprocess.PIPE) for word in words]
        for process in processes:
            _, error = process.communicate()
            expect(f"exit ({error.decode()})", process.returncode, 0)
        expect("export of four parts", bench.export(store), expected)


def test_two_tables_of_jobs(bench, options):
    """If two processes read tables of jobs at once, each cell stays under its own column."""
    traces = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")
    plain = bench.run("ingest", bench.tree).stdout.decode().split("\n")
    jobs = [line.split(",")[0] for line in plain[1:] if line]
    tables = {}
    for name, columns in {"a": ["colour", "size"], "b": ["team", "colour", "room"]}.items():
        tables[name] = bench.folder / f"{name}.csv"
        own = jobs[::2] if name == "a" else jobs[1::2]
        rows = (",".join([job] + [f"{column}-{job}" for column in columns]) + "\n" for job in own)
        tables[name].write_text(",".join(["job_id"] + columns) + "\n" + "".join(rows))
    store = bench.folder / "shared.db"
    bench.run("ingest", bench.tree, "--store", store)
    # The table is opened twice: to check it and to read it.
    slow = run_halted(bench, ["ingest", traces[0], "--jobs", tables["a"], "--store", store], tables["a"], 1.5, 2)
    time.sleep(0.7)
    bench.run("ingest", traces[0], "--jobs", tables["b"], "--store", store)
    expect_end(slow)
    rows = [line.split(",") for line in bench.export(store).decode().split("\n") if line]
    for row in rows[1:]:
        cells = dict(zip(rows[0], row))
        wanted = ["colour", "size"] if row[0] in jobs[::2] else ["team", "colour", "room"]
        for column in ("colour", "size", "team", "room"):
            expect(f"{column} of {row[0]}", cells[column], f"{column}-{row[0]}" if column in wanted else "")


def test_copies(bench, options):
    """A file and its copies beside it, even a compressed one, count once."""
    import gzip
    x, y = halves_of_a_unit(bench)
    expected = bench.run("ingest", x, y).stdout
    more = bench.folder / "more"
    for place, data in {"a": x.read_bytes(), "b": y.read_bytes()}.items():
        (more / place).mkdir(parents=True)
        (more / place / x.name).write_bytes(data)
    (more / "c").mkdir()
    (more / "c" / (x.name + ".gz")).write_bytes(gzip.compress(x.read_bytes()))
    store = bench.folder / "copies.db"
    bench.run("ingest", x, y, *sorted(more.rglob("*.csv*")), "--store", store)
    expect("export of copies", bench.export(store), expected)


def test_wrong_calls(bench, options):
    """A file that is no store is not called a damaged one, and a mistyped call leaves no file."""
    runs = bench.folder / "runs.csv"
    bench.run("generate", "-o", runs)
    before = runs.read_bytes()
    for words in (["ingest", bench.tree, "--store", runs], ["fit", runs, "--store", runs, "--keep", "a"]):
        expect_in("no store", bench.run(*words, status=2).stderr.decode(), "runs.csv: this is no study store")
    expect("the table", runs.read_bytes(), before)
    new = bench.folder / "new.db"
    for words in (["nosuch"], ["nosuch*.csv"], [bench.tree, "--jobs", "nosuch.csv"]):
        expect_in("mistyped", bench.run("ingest", *words, "--store", new, status=2).stderr.decode(), "nosuch")
        expect(f"a store after {words}", new.exists(), False)
    bench.ingest(new)
    for words, part in ((["export", new, "--format", "json"], "--format"), (["verify", new, "-o", "x.txt"], "-o"),
                        (["verify", new, "--format", "csv"], "--format"), (["forget", new, "x", "-o", "x"], "-o")):
        expect_in("options", bench.run("store", *words, status=2).stderr.decode(), part)
    database = sqlite3.connect(new)
    database.execute("INSERT INTO run_blocks SELECT NULL, seq + 1, 0, x'00' FROM sqlite_sequence "
                     "WHERE name = 'run_tables'")
    database.execute("DELETE FROM run_tables")
    database.commit()
    database.close()
    expect_in("constraint", bench.run(*bench.ingest_words(new), status=2).stderr.decode(), "store verify")


def test_fits_too_large_to_keep(bench, options):
    """A document that a store cannot take is called too large, and the result is still written."""
    runs, result, store = (bench.folder / name for name in ("many.csv", "fits.csv", "study.db"))
    groups = 60000
    rows = (f"m{i},{n},{100 / n + i % 7 * 0.01 * n}\n" for i in range(groups) for n in (1, 2, 4))
    runs.write_text("model,gpus,seconds\n" + "".join(rows))
    done = bench.run("fit", runs, "-b", "model", "--store", store, "--keep", "a", "-o", result, status=2)
    expect_in("too large", done.stderr.decode(), "the fits are too large to keep")
    expect("fits in the result", result.read_text().count("\n"), groups + 1)


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


def change(path, *statements):
    """Changes a store as somebody else, or a bad disk, might."""
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_files_that_may_not_be_looked_at(bench, options):
    """Only a missing file is gone; a folder that cannot be entered makes verify fail."""
    store = bench.folder / "study.db"
    bench.ingest(store)
    folder = bench.tree
    elsewhere = bench.folder / "elsewhere"
    folder.rename(elsewhere)
    done = bench.run("store", "verify", store)
    expect_in("gone", done.stdout.decode(), ": sound; files: 0 as they were read, 0 changed, 0 unreadable, ")
    folder.symlink_to(folder)  # Links in a circle: no user may follow them, not even root.
    done = bench.run("store", "verify", store, status=1)
    expect_in("unreadable", done.stdout.decode(), "its files are not; files: 0 as they were read, 0 changed, ")
    expect_in("gone", done.stdout.decode(), "unreadable, 0 gone")
    expect_in("why", done.stderr.decode(), "cannot be looked at: Too many levels of symbolic links")
    folder.unlink()
    if os.geteuid() != 0:
        elsewhere.rename(folder)
        folder.chmod(0)
        done = bench.run("store", "verify", store, status=1)
        folder.chmod(0o700)
        expect_in("why", done.stderr.decode(), "Permission denied")
        folder.rename(elsewhere)
    elsewhere.rename(folder)
    trace = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")[0]
    trace.unlink()
    trace.mkdir()
    done = bench.run("store", "verify", store, status=1)
    expect_in("a folder", done.stderr.decode(), f"{trace}: it is no file any more")


def test_unfinished_ingest(bench, options):
    """A reader of an outdated run table gets a warning, even with --quiet."""
    store, part = bench.folder / "study.db", bench.folder / "part"
    bench.ingest(store)
    sentence = f"{store}: an ingest into this store still runs or was interrupted"
    runs = bench.folder / "runs.csv"
    runs.write_bytes(bench.export(store))
    readers = (["fit", store], ["--quiet", "rank", store], ["--quiet", "store", "export", store],
               ["--quiet", "energy", store], ["store", "verify", store], ["--quiet", "report", store, "-o", part],
               ["gate", runs, store], ["--quiet", "plot", "scaling", store, "-o", part.with_suffix(".svg")])
    def error_of(words):
        return subprocess.run(bench.command(*words), capture_output=True).stderr.decode()
    for words in readers[:5]:
        expect(f"{words} of a whole store", sentence in error_of(words), False)
    # A killed ingest leaves units that the run table lacks.
    change(store, "UPDATE settings SET value = CAST(value + 1 AS TEXT) WHERE name = 'revision'")
    for words in readers:
        expect_in(f"{words} of an unfinished one", error_of(words), sentence)
    bench.ingest(store)
    for words in readers[:5]:
        expect(f"{words} after the same ingest", sentence in error_of(words), False)


def test_fits_where_runs_are_wanted(bench, options):
    """The opposite mistake gets a hint on what to write instead."""
    runs, document, store = (bench.folder / name for name in ("runs.csv", "f.json", "study.db"))
    bench.run("generate", "-o", runs)
    bench.run("fit", runs, "--format", "json", "-o", document)
    for label in ("weekly", "nightly"):
        bench.run("fit", runs, "--store", store, "--keep", label)
    for command in (["fit"], ["rank"], ["plot", "scaling"], ["energy"]):
        expect_in("a label", bench.run(*command, f"{store}@nightly", status=2).stderr.decode(),
                  "study.db@nightly: these are fits kept in a store, and a table of runs is needed here; leave out the label")
        expect_in("a document", bench.run(*command, document, status=2).stderr.decode(),
                  "f.json: saved fits, where a table of runs is wanted: name the runs, or give the file to gate or predict")
    expect_in("no label", bench.run("gate", store, runs, status=2).stderr.decode(),
              f"its fits are named {store}@LABEL, and it keeps nightly, weekly")


def test_what_a_call_says_of_jobs(bench, options):
    """Counts of the call and of the store are separate. Any call with the table names jobs without settings."""
    store, table = bench.folder / "study.db", bench.tree / "jobs.csv"
    traces = sorted(p for p in bench.tree.rglob("*.csv") if p.name != "jobs.csv")
    jobs = sorted({path.name.split("-")[0] for path in traces})
    some, rest = ([p for p in traces if (p.name.split("-")[0] in jobs[:2]) == first] for first in (True, False))
    megabytes = float(f"{sum(p.stat().st_size for p in rest) / 1e6:.3g}")
    nothing = bench.run("ingest", *some, "--store", bench.folder / "other.db").stderr.decode()
    expect("no table at all, no warning", "in no table of jobs" in nothing, False)
    first = bench.run("ingest", *some, "--jobs", table, "--store", store).stderr.decode()
    expect_in("first call", first, f"{len(some)} new files, ")
    expect_in("first call", first, f"samples; {store}: 2 jobs; ")
    second = bench.run("ingest", bench.tree, "--store", store).stderr.decode()
    expect_in("second call", second, f"{len(rest)} new files, {megabytes:g} MB, ")
    expect_in("second call", second, f"samples; {len(some)} unchanged and not read; 1 file known to hold no trace; "
              f"{store}: {len(jobs)} jobs; ")
    expect_in("second call", second, f"{len(jobs) - 2} jobs with a trace are in no table of jobs: ")
    third = bench.ingest(store).stderr.decode()
    expect("all named", "in no table of jobs" in third, False)
    expect("all known", "in no table of jobs" in bench.run("ingest", traces[0], "--store", store).stderr.decode(), False)


def test_tables_of_jobs_by_glob(bench, options):
    """Tables follow the order of the call. The name decides on tabs, from a store as from ingest."""
    rows = bench.tree.joinpath("jobs.csv").read_text().splitlines()
    tables = bench.folder / "tables"
    tables.mkdir()
    for i, part in enumerate((rows[1::2], rows[2::2])):
        (tables / f"part{i}.csv").write_text("\n".join(rows[:1] + part) + "\n")
    odd = tables / "odd.csv"
    odd.write_text(f'job_id,note\n{rows[1].split(",")[0]},"a\tb, ""c"" "\n')
    store, plain, exported = (bench.folder / name for name in ("study.db", "plain.tsv", "exported.tsv"))
    bench.run("ingest", bench.tree, "--jobs", bench.tree / "jobs.csv", "--jobs", odd, "-o", plain)
    bench.run("ingest", bench.tree, "--jobs", tables / "part?.csv", "--jobs", tables / "o*", "--store", store)
    bench.run("store", "export", store, "-o", exported)
    expect("tabs", exported.read_bytes(), plain.read_bytes())
    expect_in("tabs", exported.read_text(), 'job_id\t')
    error = bench.run("ingest", bench.tree, "--jobs", tables / "x*.csv", status=2).stderr.decode()
    expect_in("a glob that fits nothing", error, "no file matches this pattern")
    error = bench.run(*bench.ingest_words(store), "--max-gap", 3, status=2).stderr.decode()
    expect_in("other options", error, "made with --rows job and no --max-gap, and this call asks for --rows job --max-gap 3:")


def test_forget_by_folder_and_what_is_gone(bench, options):
    """forget takes names as ls shows them, folders, and files that no longer exist."""
    store, logs = bench.folder / "study.db", bench.folder / "logs"
    bench.ingest(store)
    whole = bench.export(store)
    # A log in one file whose rows name several jobs. ls names the first, as the run table does.
    logs.mkdir()
    header = "timestamp,gpu_index,utilization_gpu_pct,power_draw_w,job\n"
    (logs / "log.csv").write_text(header + "".join(f"{1600000000 + i},0,50,100,b{i % 2}\n" for i in range(20)))
    bench.run("ingest", logs, "--job-column", "job", "--store", store)
    listed = [line.split(",") for line in bench.run("store", "ls", store, "--format", "csv").stdout.decode().split()]
    row = next(line for line in listed if line[0].endswith("log.csv"))
    expect("job and jobs", (row[1], row[6]), ("b0", "2"))
    expect_in("table", bench.run("store", "ls", store).stdout.decode(), "b0 and 1 more")
    expect_in("export", bench.export(store).decode(), "\nb0,")
    bench.run("store", "forget", store, "b0", "b1")
    expect("export without the log", bench.export(store), whole)
    parts = sorted((bench.tree / "gpu").iterdir())
    files = [len(list(part.iterdir())) for part in parts]
    done = bench.run("store", "forget", store, parts[0], str(parts[1]) + "/")
    expect_in("two folders", done.stderr.decode(), f"{files[0] + files[1]} files forgotten")
    near = bench.run("store", "forget", store, str(parts[2])[:-1], status=2)
    expect_in("the beginning of a name", near.stderr.decode(), "has no job, file or folder")
    bench.run("store", "forget", store, "", status=2)
    bench.ingest(store)
    expect("export after forgetting folders", bench.export(store), whole)
    expect_in("nothing gone", bench.run("store", "forget", store, "--gone").stderr.decode(), "0 files forgotten")
    shutil.rmtree(parts[3])
    done = bench.run("store", "forget", store, "--gone")
    expect_in("gone", done.stderr.decode(), f"{files[3]} file{'s' if files[3] > 1 else ''} forgotten")
    expect_in("verify", bench.run("store", "verify", store).stdout.decode(), "0 unreadable, 0 gone")
    bench.run("fit", store, "--store", store, "--keep", "base")
    error = bench.run("store", "forget", store, "base", status=2).stderr.decode()
    expect_in("a label", error, "; --fits base forgets the fits of that label")
    expect_in("elsewhere", bench.run("store", "ls", store, "--gone", status=2).stderr.decode(), "--gone works only with")


def test_what_is_no_store_yet(bench, options):
    """Each file gets a sentence that says what it is, and a call that fails makes no store."""
    store, runs = bench.folder / "new.db", bench.folder / "runs.csv"
    bench.run("generate", "-o", runs)
    expect_in("--idle-below", bench.run(*bench.ingest_words(store), "--idle-below", 5, status=2).stderr.decode(),
              "--idle-below does not go with --store")
    expect("a store", store.exists(), False)
    expect_in("an empty label", bench.run("fit", runs, "--store", store, "--keep", "", status=2).stderr.decode(),
              "--keep: the label is empty")
    store.touch()
    expect_in("an empty file", bench.run("fit", store, status=2).stderr.decode(), "nor a study store")
    change(store, "CREATE TABLE t(a)", "DROP TABLE t")
    expect_in("no tables", bench.run("fit", store, status=2).stderr.decode(), "a study store that is being made")
    folder = bench.folder / "stores"
    folder.mkdir()
    bench.ingest(folder / "study.db")
    expect_in("a folder of stores", bench.run("fit", folder, status=2).stderr.decode(),
              f"no CSV files below this folder; study stores have to be named, as {folder}/study.db")


def test_file_size_limit(bench, options):
    """The message has the system's words, and not only those of SQLite."""
    store = bench.folder / "study.db"
    command = bench.command(*bench.ingest_words(store))
    done = subprocess.run(["bash", "-c", 'ulimit -f 200; exec "$@"', "-", *command], capture_output=True)
    expect("exit", done.returncode, 2)
    expect_in("cause", done.stderr.decode(), "study.db: the study store cannot be used: File too large")
    expected = bench.plain_table()
    bench.ingest(store)
    expect("export after the limit is lifted", bench.export(store), expected)


def test_two_generated_trees(bench, options):
    """Trees of two seeds have no job in common."""
    tables = []
    for seed in (1, 2):
        bench.run("generate", "--seed", seed, "--traces", bench.folder / f"seed{seed}", "--jobs", 8)
        tables += ["--jobs", bench.folder / f"seed{seed}" / "jobs.csv"]
    done = bench.run("ingest", bench.folder / "seed1", bench.folder / "seed2", *tables)
    expect("rows", len(done.stdout.decode().splitlines()), 17)


def test_damaged_run_table(bench, options):
    """verify says what to do, and doing it helps."""
    store = bench.folder / "study.db"
    bench.ingest(store)
    whole = bench.export(store)
    for damage in ("UPDATE run_blocks SET csv = CAST(replace(CAST(csv AS TEXT), 'M0', 'M1') AS BLOB)",
                   "DELETE FROM run_blocks", "UPDATE run_tables SET hash = 'x'"):
        change(store, damage)
        error = bench.run("store", "verify", store, status=1).stderr.decode()
        expect_in("verify", error, "the run table was changed from outside; repeat the ingest with --store")
        bench.ingest(store)
        bench.run("store", "verify", store)
        expect(f"export after {damage}", bench.export(store), whole)


def store_of_an_endless_record(bench):
    """Its list of tables has a record of 4 GB, of which SQLite says that memory is lacking."""
    foreign = bench.folder / "foreign.db"
    foreign.unlink(missing_ok=True)
    database = sqlite3.connect(foreign)
    database.execute("PRAGMA page_size=512")
    database.execute("PRAGMA application_id=1396919383")
    database.execute(f"CREATE TABLE t(a, {'b' * 40})")
    database.commit()
    database.close()
    data = bytearray(foreign.read_bytes())
    record = int.from_bytes(data[108:110], "big")  # The only one of the first page.
    begin = b"\xff\xff\xff\xff\x6fbs\x17CREA"  # Its length, its row, and the length and kinds of its columns.
    data[record:record + len(begin)] = begin
    foreign.write_bytes(data)
    return foreign


def test_hostile(bench, options):
    """Damaged and foreign files give one sentence and exit status 2, and never a crash."""
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
    foreign = store_of_an_endless_record(bench)
    for words in (["fit", foreign], ["store", "verify", foreign], ["ingest", bench.tree, "--store", foreign]):
        expect_in("an endless record", bench.run(*words, status=2).stderr.decode(), "foreign.db: damaged study store: ")
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


def expect_hash(bench, store, damage, part):
    """verify finds the change in a copy of the store, and none in the store itself."""
    expect_in("undamaged", bench.run("store", "verify", store).stdout.decode(), "sound")
    bad = bench.folder / "damaged.db"
    shutil.copy(store, bad)
    change(bad, damage)
    expect_in(damage, bench.run("store", "verify", bad, status=1).stderr.decode(), part)
    return bad


def test_damaged_fits_and_facts(bench, options):
    """A changed digit is found even in data that nothing else implies."""
    store = bench.folder / "study.db"
    bench.ingest(store)
    whole = bench.export(store)
    for label in ("gone", "nightly"):
        bench.run("fit", store, "--store", store, "--keep", label, "--kept-at", "2026-03-01")
    bench.run("store", "forget", store, "--fits", "gone")
    fits = "the fits 'nightly', kept at 2026-03-01T00:00:00Z, were changed"
    expect_hash(bench, store, "UPDATE fits SET document = replace(document, '0.95', '0.94')", fits)
    expect_hash(bench, store, "UPDATE fits SET kept_at = '2026-03-02T00:00:00Z'",
                "the fits 'nightly', kept at 2026-03-02T00:00:00Z, were changed")
    expect_hash(bench, store, "UPDATE fits SET label = 'daily'", "the fits 'daily', kept at")
    expect_hash(bench, store, "DELETE FROM fits", "1 of the kept fits are gone")
    expect_hash(bench, store, "DELETE FROM fits_hashes", fits)
    job = next(line for line in whole.decode().split("\n") if ",M0," in line).split(",")[0]
    for damage in ("UPDATE facts SET cells = CAST(replace(CAST(cells AS TEXT), '2:M0', '2:M9') AS BLOB)",
                   "DELETE FROM facts", f"DELETE FROM facts_hashes WHERE job = '{job}'"):
        bad = expect_hash(bench, store, damage, f"the facts about job {job} were changed from outside; ingest with --jobs")
        if "hashes" not in damage:
            bench.ingest(bad)
            bench.run("store", "verify", bad)
            expect("mended", bench.export(bad), whole)
    expect_hash(bench, store, "UPDATE fact_names SET name = 'modem' WHERE name = 'model'",
                "the names of the columns of tables of jobs were changed")
    bench.run("store", "forget", store, job)
    bench.run("store", "verify", store)


def flipped(value, random_bits):
    """The value with one bit turned over."""
    if isinstance(value, int):
        return value ^ (1 << random_bits.randrange(40))
    data = bytearray(value.encode() if isinstance(value, str) else value)
    data[random_bits.randrange(len(data))] ^= 1 << random_bits.randrange(8)
    return bytes(data)


def test_flipped_bits(bench, options):
    """A bit that turns over in any cell of any table is told, or changes nothing that is said."""
    store, bad = bench.folder / "study.db", bench.folder / "bad.db"
    bench.ingest(store)
    bench.run("fit", store, "--keep", "first", "--store", store)
    change(store, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE")
    whole = store.read_bytes()
    said = [bench.export(store), bench.run("predict", f"{store}@first", "--at", "64").stdout]
    database = sqlite3.connect(store)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    random_bits = random.Random(20261130)
    told = 0
    for table in tables:
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        rows = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for _ in range(options.flips if rows else 0):
            bad.write_bytes(whole)
            column, row = random_bits.choice(columns), random_bits.randrange(rows)
            change_one = sqlite3.connect(bad)
            keys = [key[1] for key in change_one.execute(f"PRAGMA table_info({table})") if key[5]]
            where = " AND ".join(f"{key} = ?" for key in keys)
            found = change_one.execute(f"SELECT {', '.join([column, *keys])} FROM {table} LIMIT 1 OFFSET {row}").fetchone()
            if isinstance(found[0], (str, bytes)) and not found[0]:
                change_one.close()
                continue
            value = flipped(found[0], random_bits)
            cast = "CAST(? AS TEXT)" if isinstance(found[0], str) else "?"
            try:
                change_one.execute(f"UPDATE {table} SET {column} = {cast} WHERE {where}", (value, *found[1:]))
                change_one.commit()
            except sqlite3.IntegrityError:
                continue  # Another row has it.
            finally:
                change_one.close()
            calls = [["store", "export", bad], ["predict", f"{bad}@first", "--at", "64"]]
            done = [subprocess.run(bench.command(*words), capture_output=True) for words in calls]
            silent = [one.returncode == 0 and b"warning" not in one.stderr for one in done]
            what = f"a bit of {column} in row {row} of {table}, {found[0]!r:.60} -> {value!r:.60}"
            for one, is_silent, expected in zip(done, silent, said):
                if is_silent:
                    expect(what, one.stdout, expected)
            again = subprocess.run(bench.command(*bench.ingest_words(bad)), capture_output=True)
            if again.returncode == 0:
                expect(f"ingested again, {what}", bench.export(bad), said[0])
            told += not all(silent) or again.returncode != 0
    print(f"{told} of {options.flips} in each of {len(tables)} tables were told, the others changed nothing")


def test_migration(bench, options):
    """A store of version 1, as that version wrote it, becomes a store of version 5."""
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
    expect("user_version", database.execute("PRAGMA user_version").fetchone()[0], 5)
    expect("kept", database.execute("SELECT label FROM fits").fetchall(), [("first",)])
    # Two processes wrote names of facts in each other's places, so the owners of cells are lost.
    for names, left in (("('a', 'b')", 2), ("('a', 'a')", 0)):
        mixed = bench.folder / "mixed.db"
        mixed.unlink(missing_ok=True)
        database = sqlite3.connect(mixed)
        database.executescript(script)
        first, second = names.strip("()").split(", ")
        database.execute(f"INSERT INTO fact_names VALUES(0, {first}), (1, {second})")
        database.execute("INSERT INTO facts VALUES('old', CAST('1:u1:v' AS BLOB))")
        database.commit()
        database.close()
        bench.run("fit", runs, "--store", mixed, "--keep", "first")
        if left:
            expect_hash(bench, mixed, "UPDATE facts SET cells = CAST('1:u1:w' AS BLOB)", "job old were changed")
        database = sqlite3.connect(mixed)
        expect("names", database.execute("SELECT count(*) FROM fact_names").fetchone()[0], left)
        expect("facts", database.execute("SELECT count(*) FROM facts").fetchone()[0], min(left, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalelaw")
    parser.add_argument("name")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--flips", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(options.scalelaw), folder, options.jobs)
        globals()["test_" + options.name](bench, options)


if __name__ == "__main__":
    main()
