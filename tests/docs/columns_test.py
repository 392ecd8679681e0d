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
import tempfile

DEMO = "data/demo/runs.csv"
ENERGY = [DEMO, "--energy", "energy_per_epoch_j"]
REPLAY = ["--train", "data/replay/train.csv", "--power", "data/replay/power_demo.csv", "--target-metric", "0.7",
          "--max-epochs", "30", "--b0", "128"]
STORE = "kept.db"  # In the folder of the test; BEFORE fills it.
BEFORE = [["fit", DEMO, "--store", STORE, "--keep", "nightly", "--kept-at", f"2026-03-0{night}"] for night in (1, 2, 3)]
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
    "gate": [[DEMO, DEMO]],
    "history": [[STORE]],
    "store ls": [[STORE]],
    "replay": [REPLAY, [*REPLAY, "--seed", "1..3"], [*REPLAY, "--jobs", "data/replay/jobs.csv"]],
}
SECTIONS = {"store ls": "Study store"}  # Where docs/cli.md does not tell of a command under its own name.
KEYS = {"model", "power_cap_w", "clock_mhz", "gpus"}  # The group columns and knobs of these calls.
ENDINGS = ["_se", "_ci", "_ci_lower", "_ci_upper", "_lower", "_upper", "_t", "_p"]


def section_of(heading, text):
    """The section of a command with its parts: up to the next heading of its own level."""
    begin = re.search(rf"^(#+) {re.escape(heading)}$", text, flags=re.M)
    rest = text[begin.end():]
    end = re.search(rf"^#{{2,{len(begin.group(1))}}} ", rest, flags=re.M)
    return rest[: end.start()] if end else rest


class Commands:
    """Calls scalelaw in a folder that has a link to the data of the project."""

    def __init__(self, scalelaw, source, folder):
        self.scalelaw, self.folder = scalelaw.resolve(), folder
        (pathlib.Path(folder) / "data").symlink_to((source / "data").resolve())

    def call(self, *words):
        return subprocess.run([self.scalelaw, *words], cwd=self.folder, capture_output=True, text=True)

    def columns_of(self, words):
        said = self.call(*words, "--format", "csv", "--columns", "?")
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


def unnamed_columns(commands, text):
    missing = set()
    for command, calls in CALLS.items():
        marked = set(re.findall(r"`([^`\n]+)`", section_of(SECTIONS.get(command, command), text))) | KEYS
        for words in calls:
            columns = commands.columns_of([*command.split(), *words])
            missing |= {f"{command}: {column}" for column in columns if not is_named(column, marked)}
    return missing


def main():
    scalelaw, source = map(pathlib.Path, sys.argv[1:])
    text = re.sub(r"^```.*?^```", "", (source / "docs/cli.md").read_text(), flags=re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(scalelaw, source, folder)
        for words in BEFORE:
            commands.call(*words)
        missing = unnamed_columns(commands, text)
    for line in sorted(missing):
        print(f"docs/cli.md does not name this column: {line}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
