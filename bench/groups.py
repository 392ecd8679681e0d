#!/usr/bin/env python3
"""Memory and speed of every command that gives a result per group, on tables of very many groups.

usage: bench/groups.py build/bench/bin/scalelaw [--groups 100000] [--threads 2] [--only gate,predict]
           [--against other/scalelaw]

Each command runs on a table of so many groups and on one of a fifth of them. Memory per group is
the difference of the peaks over the difference of the groups, so that what the command takes for
itself does not count; the table that was read does. Groups per second are of processor time, so that
a busy machine does not count; most commands use all threads. Commands whose figures take long get a hundredth of the
groups, and nights, of which each group has 60, a tenth. With another build of the command, the last columns are the
ratios of the processor time and of the memory to those of that build. Prints Markdown.
"""
import argparse
import datetime
import os
import pathlib
import random
import subprocess
import tempfile

SLOW = 100  # A command of figures that take long gets so many times fewer groups.
NIGHTS = 60

# Name, table, how many times fewer groups it gets, words. {0} is the table.
CASES = [
    ("fit", "times", 1, ["fit", "{0}"]),
    ("fit --format json", "times", 1, ["fit", "{0}", "--format", "json"]),
    ("predict --law power", "times", 1, ["predict", "{0}", "--at", "64", "--law", "power"]),
    ("predict", "times", 1, ["predict", "{0}", "--at", "64"]),
    ("predict --deadline", "times", SLOW, ["predict", "{0}", "--deadline", "30"]),
    ("rank", "times", 1, ["rank", "{0}"]),
    ("plan --law power", "times", 1, ["plan", "{0}", "--target", "64", "--law", "power"]),
    ("plan", "times", SLOW, ["plan", "{0}", "--target", "64"]),
    ("gate", "times", 1, ["gate", "{0}", "{0}"]),
    ("gate --format json", "times", 1, ["gate", "{0}", "{0}", "--format", "json"]),
    ("gate --format junit", "times", 1, ["gate", "{0}", "{0}", "--format", "junit"]),
    ("gate --format github", "times", 1, ["gate", "{0}", "{0}", "--format", "github"]),
    ("gate of nights", "nights", 10, ["gate", "{0}"]),
    ("energy", "energies", 1, ["energy", "{0}"]),
    ("energy --format csv", "energies", 1, ["energy", "{0}", "--format", "csv"]),
    ("contrast", "caps", 1, ["contrast", "{0}", "--factor", "power_cap_w", "-b", "model"]),
    ("caps", "caps", 1, ["caps", "{0}", "--setting", "power_cap_w"]),
    ("pareto", "caps", 1, ["pareto", "{0}", "--knobs", "power_cap_w,gpus", "-b", "model"]),
    ("tail --bootstrap 0", "values", SLOW, ["tail", "{0}", "-y", "value", "--bootstrap", "0"]),
]


def noisy(value):
    return value * random.uniform(0.97, 1.03)


def write_nights(groups, path):
    """Four scales of each group every night. A tenth of the groups gets slower by 8 % after two thirds of the nights."""
    random.seed(1)
    with open(path, "w") as out:
        out.write("date,model,gpus,seconds\n")
        for night in range(NIGHTS):
            date = datetime.date(2026, 1, 1) + datetime.timedelta(days=night)
            for group in range(groups):
                slower = 1.08 if group % 10 == 0 and 3 * night >= 2 * NIGHTS else 1
                alpha = 100 * slower * random.lognormvariate(0, 0.01)
                for x in (1, 2, 4, 8):
                    out.write(f"{date},model{group:05},{x},{alpha * x ** -0.85 * random.lognormvariate(0, 0.01):.4f}\n")


def write_table(kind, groups, path):
    """A table of `groups` groups with three to eight rows each (values: twenty)."""
    if kind == "nights":
        return write_nights(groups, path)
    random.seed(1)
    headers = {"times": "model,gpus,seconds", "energies": "model,gpus,seconds,joules",
               "caps": "model,power_cap_w,gpus,seconds,joules", "values": "model,value"}
    with open(path, "w") as out:
        out.write(headers[kind] + "\n")
        for group in range(groups):
            alpha, beta = random.uniform(90, 110), random.uniform(0.75, 0.95)
            watts = random.uniform(200, 300)
            if kind == "values":
                out.writelines(f"m{group},{random.paretovariate(1.5):.5f}\n" for _ in range(20))
                continue
            for cap in (150, 250) if kind == "caps" else (None,):
                for x in (1, 2, 4) if kind == "times" else (1, 2, 4, 8):
                    seconds = noisy(alpha * x ** -beta * (1.2 if cap == 150 else 1))
                    joules = noisy(seconds * x * (cap or watts))
                    key = f"m{group},{cap}" if cap else f"m{group}"
                    energy = "" if kind == "times" else f",{joules:.2f}"
                    out.write(f"{key},{x},{seconds:.4f}{energy}\n")


def measured(words):
    """Processor seconds and peak KiB of a command that succeeds."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # A gate may fail.
        raise SystemExit(f"{' '.join(words)}: {errors}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scalelaw")
    parser.add_argument("--groups", type=int, default=100000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="commands, with commas between them")
    parser.add_argument("--against", help="another build of the command")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    columns = ["command", "groups", "groups per processor second", "KiB per group"]
    if options.against:
        columns += ["time ratio", "memory ratio"]
    print(f"{processor()}, {options.threads} threads\n")
    print(f"| {' | '.join(columns)} |\n| --- |{' --: |' * (len(columns) - 1)}")
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, fewer, words in CASES:
            if wanted and words[0] not in wanted:
                continue
            groups = options.groups // fewer
            few = groups // 5  # More than the 10,000 groups up to which rank keeps its results.
            tables = [pathlib.Path(folder) / f"{kind}{count}.csv" for count in (few, groups)]
            for count, table in zip((few, groups), tables):
                if not table.exists():
                    write_table(kind, count, table)

            def both(binary):
                """Seconds of all groups, and KiB per group."""
                calls = [[word.format(table) for word in words] for table in tables]
                runs = [measured([binary] + call + ["--threads", str(options.threads)]) for call in calls]
                return runs[1][0], (runs[1][1] - runs[0][1]) / (groups - few)

            seconds, per_group = both(options.scalelaw)
            # Of few groups the difference is less than what threads differ by.
            cells = [f"`{name}`", f"{groups:,}", f"{groups / seconds:,.0f}", "" if fewer == SLOW else f"{per_group:.1f}"]
            if options.against:
                other_seconds, other_memory = both(options.against)
                cells += [f"{seconds / other_seconds:.2f}", "" if fewer == SLOW else f"{per_group / other_memory:.2f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
