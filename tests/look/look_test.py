#!/usr/bin/env python3
"""look_test.py SCALELAW: `scalelaw look` on tables as public repositories write them.

Each table of tests/golden/inputs/look must have the x, y, response and groups that expected.csv says (groups in any order), and every
command that look prints for it, or for a table of the repository, must run.
"""
import csv
import json
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MORE_TABLES = sorted((ROOT / "data").glob("*/*.csv"))


def look_at(scalelaw, table):
    call = subprocess.run([scalelaw, "look", str(table), "--format", "json"], capture_output=True, text=True)
    return json.loads(call.stdout) if call.returncode == 0 else {"error": call.stderr.strip(), "next": []}


def main():
    scalelaw = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = []
    with open(HERE / "expected.csv", newline="") as file:
        expected = list(csv.DictReader(file))
    looks = {}
    for row in expected:
        name = row["table"] if "." in row["table"] else row["table"] + ".csv"
        table = ROOT / "tests/golden/inputs/look" / name
        look = looks[table] = look_at(scalelaw, table)
        if "error" in look:
            wrong.append(f"{row['table']}: {look['error']}")
            continue
        found = {"x": look["x"] or ",".join(look["scales"]), "y": look["y"] or "", "response": look["response"]}
        for key, value in found.items():
            if value != row[key]:
                wrong.append(f"{row['table']}: {key}: expected {row[key]!r}, found {value!r}")
        if sorted(look["by"]) != sorted(shlex.split(row["by"])):
            wrong.append(f"{row['table']}: by: expected {row['by']!r}, found {look['by']}")
        if not look["next"]:
            wrong.append(f"{row['table']}: no command to run next")
    for table in MORE_TABLES + [ROOT / "tests/golden/inputs/look/no_scale.csv"]:
        looks[table] = look_at(scalelaw, table)
    for table, look in looks.items():
        for step in look["next"]:
            words = shlex.split(step["command"])
            call = subprocess.run([scalelaw] + words[1:], capture_output=True, text=True)
            if call.returncode != 0 or not call.stdout:
                wrong.append(f"{table.name}: {step['command']}: exit {call.returncode}: {call.stderr.strip()[-300:]}")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
