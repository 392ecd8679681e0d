#!/usr/bin/env python3
"""Holds the columns that docs/cli.md names against those that the commands write.

  columns_test.py SCALELAW SOURCE_FOLDER

Each command is asked for a column that does not exist, and so lists those of its sheet. The section of the command in
docs/cli.md must name every one in code marks: by itself, by a pattern such as NAME_se, or by its base, to which belong the
endings of estimates and intervals and those that the section names."""
import pathlib
import re
import subprocess
import sys

DEMO = "data/demo/runs.csv"
ENERGY = [DEMO, "--energy", "energy_per_epoch_j"]
CALLS = {
    "fit": [[DEMO, "--bootstrap", "100", "--se", "hc3"], [DEMO, "--law", "floor"],
            ["data/two_scales/runs.csv", "--law", "chinchilla", "-x", "parameters,tokens", "-y", "loss"]],
    "rank": [[DEMO]],
    "contrast": [[DEMO, "--factor", "power_cap_w"]],
    "energy": [ENERGY],
    "caps": [[*ENERGY, "--setting", "power_cap_w"]],
    "predict": [[*ENERGY, "--at", "64"]],
    "plan": [[DEMO, "--target", "512"]],
    "pareto": [[*ENERGY, "--knobs", "power_cap_w,gpus"]],
    "tail": [["data/tail/durations.csv", "-y", "duration_s"]],
}
KEYS = {"model", "power_cap_w", "clock_mhz", "gpus"}  # The group columns and knobs of these calls.
ENDINGS = ["_se", "_ci", "_ci_lower", "_ci_upper", "_lower", "_upper", "_t", "_p"]


def section_of(heading, text):
    """The section of a command with its parts: up to the next heading of its own level."""
    begin = re.search(rf"^(#+) {re.escape(heading)}$", text, flags=re.M)
    rest = text[begin.end():]
    end = re.search(rf"^#{{2,{len(begin.group(1))}}} ", rest, flags=re.M)
    return rest[: end.start()] if end else rest


def columns_of(scalelaw, words):
    said = subprocess.run([scalelaw, *words, "--format", "csv", "--columns", "?"], capture_output=True, text=True)
    found = re.search(r"columns are: (.*)", said.stderr)
    if not found:
        sys.exit(f"{' '.join(words)}: lists no columns: {said.stderr.strip()}")
    return found.group(1).split(", ")


def is_named(column, marked):
    """Whether a mark is the column, or a pattern such as NAME_se or covariance_I_J, or a base whose ending is usual."""
    patterns = [re.sub(r"[A-Z]+", ".+", re.escape(mark)) for mark in marked if re.search(r"_NAME|NAME_|_I_J", mark)]
    if column in marked or any(re.fullmatch(pattern, column) for pattern in patterns):
        return True
    endings = ENDINGS + [mark for mark in marked if mark.startswith("_")]
    return any(column.endswith(ending) and is_named(column[: -len(ending)], marked) for ending in endings)


def main():
    scalelaw, source = sys.argv[1], pathlib.Path(sys.argv[2])
    text = re.sub(r"^```.*?^```", "", (source / "docs/cli.md").read_text(), flags=re.M | re.S)
    missing = set()
    for command, calls in CALLS.items():
        marked = set(re.findall(r"`([^`\n]+)`", section_of(command, text))) | KEYS
        for words in calls:
            paths = [str(source / word) if "/" in word else word for word in words]
            columns = columns_of(scalelaw, [command, *paths])
            missing |= {f"{command}: {column}" for column in columns if not is_named(column, marked)}
    for line in sorted(missing):
        print(f"docs/cli.md does not name this column: {line}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
