#!/usr/bin/env python3
"""walk_test.py SCALELAW: every table of tests/tables/inputs, taken by every command, means one thing.

tests/tables/walk.txt says, table by table, what each command must answer. A line that begins at the margin names a table, and its
`means` line what the response is about. Other lines are

    COMMAND OPTIONS, COMMAND OPTIONS ... | EXPECTATION | EXPECTATION ...

where the table stands behind the command, or for {} (`gate {} rate_new.csv`). An expectation is one of

    refused "words"         exit status 2, and the message has these words
    failed                  exit status 1, as of a gate, or where no group has a result
    "words"                 the text has them, whatever its blanks
    not "words"             and it has not
    MEMBER = VALUE          a member of the JSON, such as groups.0.verdict
    MEMBER = NUMBER +- D    a number of it
    means KEY=VALUE ...     the meaning that the JSON has as `quantity`, where it is another than that of the table

The JSON of each command that does not refuse must have the meaning of the table. No command may be left out.
"""
import concurrent.futures
import html
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = ["look", "fit", "rank", "predict", "plan", "gate", "contrast", "caps", "pareto", "energy", "isoflop", "budget",
            "report --format json", "report --format html", "plot efficiency"]
KEYS = ["kind", "unit", "of", "things", "whose", "better", "factors", "divisors"]


def parts_of(text, mark):
    """The parts between marks that stand in no quotes."""
    return [part.strip() for part in re.split(mark + r'(?=(?:[^"]*"[^"]*")*[^"]*$)', text)]


def meaning_of(text):
    meaning = dict(word.split("=", 1) for word in shlex.split(text))
    return {key: meaning.get(key, "") for key in KEYS}


def meaning_in(quantity):
    one = quantity[0] if isinstance(quantity, list) else quantity
    return {key: ",".join(value) if isinstance(value := one.get(key, ""), list) else value for key in KEYS}


def read_walk():
    """The calls as (table, command, expectations), and the meaning of each table."""
    calls, meanings, table = [], {}, None
    for line in (HERE / "walk.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            table = line.strip()
        elif line.strip().startswith("means "):
            meanings[table] = meaning_of(line.strip()[len("means "):])
        else:
            commands, *expectations = parts_of(line, r"\|")
            calls += [(table, command, expectations) for command in parts_of(commands, ", ")]
    return calls, meanings


def squeezed(text):
    return " ".join(text.split())


class Call:
    """One command on one table: its text and, where it has one, its document."""

    def __init__(self, scalelaw, folder, number, table, command):
        self.folder = folder
        words = shlex.split(command)
        table_at = 2 if words[0] == "plot" else 1
        if "{}" in words:
            words = [table if word == "{}" else word for word in words]
        else:
            words.insert(table_at, table)
        self.call = [scalelaw] + words
        if words[0] == "plot":
            self.run(["-o", f"{number}.svg"])
        elif words[0] == "report":
            self.out = folder / f"{number}.{words[-1]}"
            self.run(["-o", str(self.out)])
            self.take_page(words)
        else:
            self.run([])
            self.document = None
            if self.status != 2:
                self.document = json.loads(self.output(["--format", "json"]).stdout)

    def output(self, more):
        return subprocess.run(self.call + more, cwd=self.folder, capture_output=True, text=True)

    def run(self, more):
        done = self.output(more)
        self.status = done.returncode
        self.text = squeezed(done.stdout + " " + done.stderr)
        self.document = None

    def take_page(self, words):
        if self.status == 2:
            return
        written = self.out.read_text()
        if "json" in words:
            self.document = json.loads(written)
            self.text += " " + squeezed(" ".join(answer["text"] for answer in self.document["answers"]))
        else:
            page = re.sub(r"(?s)<(script|style).*?</\1>", " ", written)
            self.text += " " + squeezed(html.unescape(re.sub(r"<[^>]*>", " ", page)))


def member_of(document, path):
    for key in path.split("."):
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def is_member(document, path, wanted):
    try:
        found = member_of(document, path)
    except (KeyError, IndexError, TypeError, ValueError):
        return f"the JSON has no {path}"
    number, _, error = wanted.partition(" +- ")
    if error:
        good = isinstance(found, (int, float)) and abs(found - float(number)) <= float(error)
    else:
        good = (found if isinstance(found, str) else json.dumps(found)) == wanted
    return "" if good else f"{path}: expected {wanted}, found {found}"


def judged(call, expectations, meaning):
    """What is wrong, in sentences."""
    wrong, status = [], 0
    for expectation in expectations:
        words = re.search(r'"(.*)"', expectation)
        if expectation.startswith("refused "):
            status = 2
        if expectation == "failed":
            status = 1
        elif expectation.startswith("means "):
            meaning = meaning_of(expectation[len("means "):])
        elif expectation.startswith("not "):
            if squeezed(words[1]) in call.text:
                wrong.append(f"the text has {words[0]}: {call.text}")
        elif words:
            if squeezed(words[1]) not in call.text:
                wrong.append(f"the text has no {words[0]}: {call.text}")
        elif " = " in expectation:
            wrong.append(is_member(call.document, *expectation.split(" = ", 1)))
        else:
            wrong.append(f"walk.txt: what is '{expectation}'?")
    if call.status != status:
        wrong.append(f"exit status {call.status}, expected {status}: {call.text}")
    elif call.document is not None:
        found = meaning_in(call.document["quantity"])
        if found != meaning:
            wrong.append(f"means {found}, expected {meaning}")
    return [sentence for sentence in wrong if sentence]


def main():
    scalelaw = str(pathlib.Path(sys.argv[1]).resolve())
    calls, meanings = read_walk()
    tables = sorted(path.name for path in (HERE / "inputs").iterdir())
    wrong = [f"walk.txt: {table} is not in tests/tables/inputs" for table in meanings if table not in tables]
    for table in tables:
        walked = [command + " " for name, command, _ in calls if name == table]
        wrong += [f"walk.txt: no {command} of {table}" for command in COMMANDS
                  if not any(one.startswith(command + " ") for one in walked)]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        for table in tables:
            (folder / table).write_bytes((HERE / "inputs" / table).read_bytes())
        made = pool.map(lambda one: Call(scalelaw, folder, one[0], one[1][0], one[1][1]), enumerate(calls))
        for (table, command, expectations), call in zip(calls, made):
            wrong += [f"{table}: {command}: {what}" for what in judged(call, expectations, meanings.get(table))]
    print("\n".join(wrong) if wrong else f"{len(calls)} calls")
    sys.exit(1 if wrong else 0)


main()
