#!/usr/bin/env python3
"""Holds the columns that docs/cli.md names against those that the commands write.

  columns_test.py SCALELAW SOURCE_FOLDER

Each command is asked for a column that does not exist, and so lists those of its sheet. The section of the command in
docs/cli.md must name every one. A column is named where it stands in code marks, by itself or as a base with one of the
endings that the section names, or that belong to every estimate and interval."""
import pathlib
import re
import subprocess
import sys

DEMO = "data/demo/runs.csv"
ENERGY = [DEMO, "--energy", "energy_per_epoch_j"]
CALLS = {
    "fit": [[DEMO, "--bootstrap", "20", "--se", "hc3"], [DEMO, "--law", "floor"]],
    "Laws of two scales": [["fit", "data/two_scales/runs.csv", "--law", "chinchilla", "-x", "parameters,tokens", "-y", "loss"]],
    "rank": [[DEMO]],
    "contrast": [[DEMO, "--factor", "power_cap_w"]],
    "energy": [ENERGY],
    "caps": [ENERGY],
    "predict": [[*ENERGY, "--at", "64"]],
    "plan": [[DEMO, "--target", "512"]],
    "pareto": [[*ENERGY, "--knobs", "power_cap_w,gpus"]],
    "tail": [["data/tail/energy.csv", "-x", "energy"]],
}
ENDINGS = ["_se", "_ci", "_ci_lower", "_ci_upper", "_lower", "_upper", "_t", "_p"]


def sections(text):
    """The text below each heading of docs/cli.md, by the heading."""
    parts = re.split(r"^#{2,3} (.*)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def columns_of(scalelaw, words):
    said = subprocess.run([scalelaw, *words, "--format", "csv", "--columns", "?"], capture_output=True, text=True)
    found = re.search(r"columns are: (.*)", said.stderr)
    if not found:
        sys.exit(f"{' '.join(words)}: lists no columns: {said.stderr.strip()}")
    return found.group(1).split(", ")


def is_named(column, marked):
    return column in marked or any(column.endswith(ending) and column[: -len(ending)] in marked
                                   for ending in ENDINGS + [mark for mark in marked if mark.startswith("_")])


def main():
    scalelaw, source = sys.argv[1], pathlib.Path(sys.argv[2])
    text = sections((source / "docs/cli.md").read_text())
    missing = []
    for heading, calls in CALLS.items():
        if heading not in text:
            sys.exit(f"docs/cli.md has no section '{heading}'")
        # A section goes on in its parts up to the next command.
        marked = set(re.findall(r"`([^`]+)`", section_of(heading, source)))
        for words in calls:
            named = words if heading == "Laws of two scales" else [heading, *words]
            columns = columns_of(scalelaw, [named[0], *(w if "/" not in w else str(source / w) for w in named[1:])])
            missing += [f"{heading}: {column}" for column in columns if not is_named(column, marked | GROUPS)]
    for line in sorted(set(missing)):
        print(f"docs/cli.md does not name this column: {line}")
    return 1 if missing else 0


GROUPS = {"model", "power_cap_w", "clock_mhz", "gpus", "NAME"}


def section_of(heading, source):
    """The section of a command, with its parts: up to the next heading of its own level."""
    text = (source / "docs/cli.md").read_text()
    level = re.search(rf"^(#+) {re.escape(heading)}$", text, flags=re.M)
    rest = text[level.end():]
    end = re.search(rf"^#{{2,{len(level.group(1))}}} ", rest, flags=re.M)
    return rest[: end.start()] if end else rest


if __name__ == "__main__":
    sys.exit(main())
