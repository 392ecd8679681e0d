#!/usr/bin/env python3
"""Memory and speed of every command that gives a result per group, on tables of very many groups.

usage: bench/groups.py build/bench/bin/scalelaw [--groups 100000] [--threads 2] [--only gate,predict]

Each command runs on a table of so many groups and on one of a fifth of them. Memory per group is
the difference of the peaks over the difference of the groups, so that what the command takes for
itself does not count; the table that was read does. Groups per second are of processor time, so that
a busy machine does not count; most commands use all threads. Commands whose figures take long get a hundredth of the
groups. Prints Markdown.
"""
import argparse
import os
import pathlib
import random
import subprocess
import tempfile

SLOW = 100  # A command of figures that take long gets so many times fewer groups.

# Name, table, whether it is slow, words. {0} is the table.
CASES = [
    ("fit", "times", False, ["fit", "{0}"]),
    ("fit --format json", "times", False, ["fit", "{0}", "--format", "json"]),
    ("predict --law power", "times", False, ["predict", "{0}", "--at", "64", "--law", "power"]),
    ("predict", "times", False, ["predict", "{0}", "--at", "64"]),
    ("predict --deadline", "times", True, ["predict", "{0}", "--deadline", "30"]),
    ("rank", "times", False, ["rank", "{0}"]),
    ("plan --law power", "times", False, ["plan", "{0}", "--target", "64", "--law", "power"]),
    ("plan", "times", True, ["plan", "{0}", "--target", "64"]),
    ("gate", "times", False, ["gate", "{0}", "{0}"]),
    ("gate --format json", "times", False, ["gate", "{0}", "{0}", "--format", "json"]),
    ("gate --format junit", "times", False, ["gate", "{0}", "{0}", "--format", "junit"]),
    ("gate --format github", "times", False, ["gate", "{0}", "{0}", "--format", "github"]),
    ("energy", "energies", False, ["energy", "{0}"]),
    ("energy --format csv", "energies", False, ["energy", "{0}", "--format", "csv"]),
    ("contrast", "caps", False, ["contrast", "{0}", "--factor", "power_cap_w", "-b", "model"]),
    ("caps", "caps", False, ["caps", "{0}", "--setting", "power_cap_w"]),
    ("pareto", "caps", False, ["pareto", "{0}", "--knobs", "power_cap_w,gpus", "-b", "model"]),
    ("tail --bootstrap 0", "values", True, ["tail", "{0}", "-y", "value", "--bootstrap", "0"]),
]


def noisy(value):
    return value * random.uniform(0.97, 1.03)


def write_table(kind, groups, path):
    """A table of `groups` groups with three to eight rows each (values: twenty)."""
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
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    print(f"{processor()}, {options.threads} threads\n")
    print("| command | groups | groups per processor second | KiB per group |\n| --- | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, is_slow, words in CASES:
            if wanted and words[0] not in wanted:
                continue
            groups = options.groups // (SLOW if is_slow else 1)
            few = groups // 5  # More than the 10,000 groups up to which rank keeps its results.
            runs = []
            for count in (few, groups):
                table = pathlib.Path(folder) / f"{kind}{count}.csv"
                if not table.exists():
                    write_table(kind, count, table)
                call = [word.format(table) for word in words] + ["--threads", str(options.threads)]
                runs.append(measured([options.scalelaw] + call))
            (_, few_kib), (seconds, kib) = runs
            per_group = (kib - few_kib) / (groups - few)
            # Of few groups the difference is less than what threads differ by.
            memory = "" if is_slow else f"{per_group:.1f}"
            print(f"| `{name}` | {groups:,} | {groups / seconds:,.0f} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
