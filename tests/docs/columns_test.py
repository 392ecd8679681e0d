#!/usr/bin/env python3
"""Holds the columns that the pages of docs/reference list against those that the commands write, in both directions.

  columns_test.py SCALELAW SOURCE_FOLDER

Each command is asked for a column that does not exist, and so lists those of its sheet: for programs (CSV) and for people
(tables). The page of the command in docs/reference lists its columns after "Columns:", as a sentence or as the first cells
of a table, and those that tables alone have after "Tables for people also know". Parts of a sentence end at semicolons;
what stands in parentheses is a remark. In a part

  `a`, `b`, each with `_se`      are the columns a, b, a_se and b_se;
  for `a`, `b`: `k_NAME`, `_x`   are the columns k_a, k_b, a_x and b_x, and a and b are none;
  `covariance_I_J`               are the columns with numbers for I and J.

In a table, NAME stands for the marks beside the cell that has NAME by itself; each name needs a column, and each ending
needs one with some of the names."""
import pathlib
import re
import subprocess
import sys
import tempfile

DEMO = "data/demo/runs.csv"
ENERGY = [DEMO, "--energy", "energy_per_epoch_j"]
SCALES = ["data/two_scales/runs.csv", "--law", "chinchilla", "-x", "parameters,tokens", "-y", "loss"]
REPLAY = ["--train", "data/replay/train.csv", "--power", "data/replay/power_demo.csv", "--target-metric", "0.7",
          "--max-epochs", "30", "--b0", "128"]
STORE = "kept.db"  # In the folder of the test; BEFORE fills it.
BEFORE = [["fit", DEMO, "--store", STORE, "--keep", "nightly", "--kept-at", f"2026-03-0{night}"] for night in (1, 2, 3)]
GROUPS = "model power_cap_w clock_mhz"
LAWS = ("power", "lognormal", "floor", "amdahl", "usl", "broken", "linear", "proportional")
# The words of each call, and the columns that it has from its input: group columns, knobs, and ranked laws.
CALLS = {
    "fit": [*(([DEMO, "--law", law], GROUPS) for law in LAWS), (SCALES, "")],
    "rank": [([DEMO, "--laws", ",".join(LAWS)], GROUPS + " " + " ".join(LAWS)), ([*SCALES[:1], *SCALES[3:]], "")],
    "contrast": [([DEMO, "--factor", "power_cap_w"], "model clock_mhz")],
    "energy": [(ENERGY, GROUPS)],
    "caps": [([*ENERGY, "--setting", "power_cap_w"], "model clock_mhz")],
    "predict": [([*ENERGY, "--at", "64"], GROUPS), ([DEMO, "--law", "power", "--pool", "scatter"], GROUPS), ([DEMO, "--backtest"], ""), ([*SCALES, "--at", "7e9:1.4e11"], ""), ([*SCALES, "--backtest"], ""), (["data/evals/runs.csv", "--law", "chinchilla", "--score", "accuracy"], ""), (["data/repeated/runs.csv", "--law", "data-constrained", "--at", "40M:4B:1B"], "")],
    "plan": [([DEMO, "--target", "512"], GROUPS)],
    "pareto": [([*ENERGY, "--knobs", "power_cap_w,gpus"], GROUPS + " gpus")],
    "isoflop": [(["data/isoflop/runs.csv"], ""), (["data/sweeps/runs.csv", "--over", "lr"], "")],
    "budget": [(["data/budget/runs.csv", "--days", "7"], "")],
    "tail": [(["data/tail/durations.csv", "-y", "duration_s"], "")],
    "gate": [([DEMO, DEMO], GROUPS), ([DEMO, DEMO, "--pool", "scatter"], GROUPS)],
    "history": [([STORE], GROUPS)],
    "store ls": [([STORE], "")],
    "replay": [(REPLAY, ""), ([*REPLAY, "--seed", "1..3"], ""), ([*REPLAY, "--jobs", "data/replay/jobs.csv"], "")],
}
FOR_PROGRAMS, FOR_PEOPLE = r"\bColumns:|`--columns` also knows", r"Tables\s+for\s+people\s+also\s+know"
INVENTED = ["nonsense", "nonsense_p", "nonsense_se", "status_ci", "status_ci_lower", "n_p", "n_se", "code_t", "gpus_se",
            "covariance_1", "covariance_1_J"]


def page_of(command, source):
    """The page of a command ("store ls" stands in that of store) without its examples of JSON."""
    text = (source / f"docs/reference/{command.split()[0]}.md").read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def marks_in(text):
    return re.findall(r"`([^`\n]+)`", text)


class Listing:
    """Columns that a page lists: patterns by the words under which a message names them."""

    def __init__(self):
        self.patterns = {}

    def add(self, marks):
        for mark in marks:
            self.patterns[mark] = re.sub(r"_[IJ](?=_|$)", r"_\\d+", mark)

    def add_part(self, part):
        """A part of a sentence; see the head of this file."""
        of_bases = re.search(r"\bfor ((?:`[^`]*`|and|[,\s])+):", part)
        marks = marks_in(part[of_bases.end():] if of_bases else part)
        columns = [mark for mark in marks if not mark.startswith("_") and "NAME" not in mark]
        self.add(columns)
        for name in marks_in(of_bases.group(1)) if of_bases else columns:
            self.add(mark.replace("NAME", name) if "NAME" in mark else name + mark for mark in marks if mark not in columns)

    def add_table(self, rows):
        names = []
        for row in rows:
            marks, meaning = map(marks_in, re.split(r"(?<!\\)\|", row.strip().strip("|"), maxsplit=1))
            if "NAME" in marks:
                names = meaning
                self.add(names)
            self.add(mark for mark in marks if "NAME" not in mark)
            for mark in marks:
                if "NAME" in mark:
                    self.patterns[mark] = mark.replace("NAME", f"({'|'.join(names)})")

    def has(self, column):
        return any(re.fullmatch(pattern, column) for pattern in self.patterns.values())

    def without_column(self, columns):
        return [said for said, pattern in self.patterns.items() if not any(re.fullmatch(pattern, column) for column in columns)]


def listing_of(page, opening):
    listing = Listing()
    for begin in re.finditer(opening, page):
        rest = page[begin.end():]
        if rest.lstrip().startswith("|"):
            listing.add_table(rest.lstrip().split("\n\n")[0].split("\n")[2:])
            continue
        # Full stops and semicolons inside marks or parentheses end nothing.
        sentence = re.match(r"(?:`[^`]*`|[^`.|]|\.(?!\s))*", re.sub(r"\([^()]*\)", "", rest.split("\n\n")[0])).group(0)
        if "know" in begin.group(0):
            sentence = sentence.split(": ")[0]
        for part in sentence.split(";"):
            listing.add_part(part)
    return listing


def is_listed(column, programs, people, for_people):
    """Tables for people know all columns of CSV, some of their own, and both ends of an interval as one."""
    if programs.has(column):
        return True
    listings = (programs, people)
    ends = [f"{column}_lower", f"{column}_upper"]
    return for_people and (people.has(column) or all(any(of.has(end) for of in listings) for end in ends))


class Commands:
    """Calls scalelaw in a folder that has a link to the data of the project."""

    def __init__(self, scalelaw, source, folder):
        self.scalelaw, self.folder = scalelaw.resolve(), folder
        (pathlib.Path(folder) / "data").symlink_to((source / "data").resolve())

    def call(self, *words):
        return subprocess.run([self.scalelaw, *words], cwd=self.folder, capture_output=True, text=True)

    def columns_of(self, words, form):
        said = self.call(*words, "--format", form, "--columns", "?")
        found = re.search(r"columns are: (.*)", said.stderr)
        if not found:
            sys.exit(f"{' '.join(words)}: lists no columns: {said.stderr.strip()}")
        return found.group(1).split(", ")


def faults_of(command, calls, page, columns_of):
    """What the page of a command and its sheets do not agree in."""
    programs, people = listing_of(page, FOR_PROGRAMS), listing_of(page, FOR_PEOPLE)
    faults, seen = set(), {"csv": set(), "table": set()}
    for words, given in calls:
        for form, columns in seen.items():
            found = columns_of([*command.split(), *words], form)
            columns |= set(found)
            faults |= {f"does not list this column of {command} ({form}): {column}" for column in found
                       if column not in given.split() and not is_listed(column, programs, people, form == "table")}
    faults |= {f"lists a column that no CSV of {command} has: {mark}" for mark in programs.without_column(seen["csv"])}
    faults |= {f"lists a column that no table of {command} has: {mark}" for mark in people.without_column(seen["table"])}
    return faults


def faults_of_this_test(source):
    """Columns that nobody has must be reported, whichever command writes them, and so must marks of no column."""
    missed = set()
    for command in CALLS:
        page = page_of(command, source)
        programs, people = listing_of(page, FOR_PROGRAMS), listing_of(page, FOR_PEOPLE)
        missed |= {f"takes for a column of {command}: {column}" for column in INVENTED
                   if is_listed(column, programs, people, for_people=True)}
    document = "Columns: `n`; `a`, `b`, each with `_se`; for `c`: `k_NAME`. Tables for people also know `range`.\n"
    sheets = {"csv": ["n", "a", "a_se", "b", "b_se", "k_c"], "table": ["n", "a", "a_se", "b", "b_se", "k_c", "range"]}
    calls = [([], "model")]
    for form, change, expected in [(None, "", 0), ("csv", "c", 1), ("csv", "n_se", 1), ("csv", "range", 1), ("table", "k_a", 1),
                                   ("csv", "model", 0), ("csv", "gpus", 1), ("csv", "-n", 1), ("csv", "-k_c", 1), ("table", "-range", 1)]:
        changed = {name: list(columns) for name, columns in sheets.items()}
        if change.startswith("-"):
            changed[form].remove(change[1:])
        elif form:
            changed[form].append(change)
        found = faults_of("fit", calls, document, lambda words, name: changed[name])
        if len(found) != expected:
            missed.add(f"expected {expected} faults with {form} {change}, found {sorted(found)}")
    return missed


def main():
    scalelaw, source = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(scalelaw, source, folder)
        for words in BEFORE:
            commands.call(*words)
        faults = {f"docs/reference/{command.split()[0]}.md {fault}" for command, calls in CALLS.items()
                  for fault in faults_of(command, calls, page_of(command, source), commands.columns_of)}
    faults |= {f"columns_test.py {fault}" for fault in faults_of_this_test(source)}
    print("\n".join(sorted(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
