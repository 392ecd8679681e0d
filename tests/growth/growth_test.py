#!/usr/bin/env python3
"""No reader and no renderer takes time that grows faster than its input.

  growth_test.py SCALELAW SEEDS [NAME...]

SEEDS is the folder of the seeds of the fuzz targets, from which texts of all formats are made longer in several ways; tables and
names of other shapes are made here. Each is read at 30 KB, at ten and at a hundred times that. Ten times as much may take twelve
times the processor time beyond that of an empty call. What takes less than 0.2 s is not judged, and what takes too long is
measured again, since the machine may be busy.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BASE = 30_000
MOST_GROWTH = 12
LEAST_SECONDS = 0.2
MOST_SECONDS = 20
TRIES = 3


# ---- ways to make a text longer

def of_lines(text, size):
    """The lines again and again, below a first one."""
    first, end, rest = text.partition(b"\n")
    return first + end + rest * (size // max(len(rest), 1) + 1) if rest else None


def of_one_line(text, size):
    """All of it on one line, again and again."""
    line = text.replace(b"\r", b"").replace(b"\n", b" ")
    return line * (size // len(line) + 1)


def of_a_long_word(text, size):
    """The longest word as long as the whole file is to be."""
    words = text.split()
    word = max(words, key=len) if words else b"x"
    return text.replace(word, word * (size // len(word) + 1), 1)


def of_openings(text, size):
    """What opens something, again and again without an end."""
    at = max(text.find(sign) for sign in (b"{", b"[", b"<", b'"', b"("))
    return text[: at + 1] + text[at : at + 1] * size if at >= 0 else None


def of_middles(text, size):
    """The middle third again and again: of a document the entries of its longest list."""
    third = len(text) // 3
    lines = text[third : 2 * third]
    return text[:third] + lines * (size // max(len(lines), 1) + 1) + text[2 * third :]


WAYS = [of_lines, of_one_line, of_a_long_word, of_openings, of_middles]


# ---- tables of other shapes

def rows(size, row, head=b"model,gpus,seconds\n"):
    return head + row * (size // len(row) + 1)


def counted(size, head, row):
    """Rows with a number of their own each."""
    text, i = [head], 0
    length = len(head)
    while length < size:
        text.append(row(i))
        length += len(text[-1])
        i += 1
    return "".join(text).encode()


TABLES = {
    "names": lambda n: counted(4000, "model,gpus,seconds\n", lambda i: f"{'m' * (n // 40)}{i // 4},{2 ** (i % 4)},{800 / 2 ** (i % 4)}\n")
    if n < 4000 else "".join(f"{'m' * (n // 40)}{i // 4},{2 ** (i % 4)},{800 / 2 ** (i % 4)}\n" if i >= 0 else "model,gpus,seconds\n" for i in range(-1, 40)).encode(),
    "groups": lambda n: counted(n, "model,gpus,seconds\n", lambda i: f"m{i // 4},{2 ** (i % 4)},{800 / 2 ** (i % 4)}\n"),
    "columns": lambda n: (",".join(f"c{i}" for i in range(n // 10)) + ",gpus,seconds\n" + "".join(",".join("7" * (n // 10)) + f",{2 ** i},{800 / 2 ** i}\n" for i in range(4))).encode(),
    "short_rows": lambda n: rows(n, b"a\n", b"model,gpus,seconds,a,b,c\nm,1,2,3,4,5\n"),
    "blank_lines": lambda n: rows(n, b"\n", b"x\n\n"),
    "fences": lambda n: rows(n, b"```\n", b"text\n"),
    "quotes": lambda n: rows(n, b'"a""b"",', b"model,gpus,seconds\n"),
    "html": lambda n: rows(n, b"<tr><td>8</td><td>12.5</td></tr>\n", b"<table>\n<tr><th>gpus</th><th>seconds</th></tr>\n"),
    "html_unclosed_cells": lambda n: rows(n, b"<td>8", b"<table><tr><th>gpus<th>seconds<tr>"),
    "html_unclosed_tables": lambda n: rows(n, b"<table>", b"<table><tr><td>gpus"),
    "html_spans": lambda n: rows(n, b"<tr><td rowspan=1000 colspan=9>8</td></tr>", b"<table><tr><th>gpus</th><th>seconds</th></tr>"),
    "markdown": lambda n: rows(n, b"| 8 | 12.5 |\n", b"| gpus | seconds |\n|---|---|\n"),
    "markdown_tables": lambda n: rows(n, b"| gpus | seconds |\n|---|---|\n| 8 | 12.5 |\n| 4 | 25 |\n\ntext\n\n", b"# x\n\n"),
    "markdown_emphasis": lambda n: rows(n, b"*_`[$", b"| gpus | seconds |\n|---|---|\n| 8 | "),
    "latex": lambda n: rows(n, b"8 & 12.5 \\\\\n", b"\\begin{tabular}{rr}\ngpus & seconds \\\\\n"),
    "grid": lambda n: rows(n, b"| 8    | 12.5    |\n+------+---------+\n", b"+------+---------+\n| gpus | seconds |\n+======+=========+\n"),
    "list_table": lambda n: rows(n, b"   * - 8\n     - 12.5\n", b".. list-table:: x\n\n   * - gpus\n     - seconds\n"),
    "directives": lambda n: rows(n, b".. list-table:: x\n", b"x\n"),
    "records": lambda n: rows(n, b"gpus: 8\nseconds: 12.5\n\n", b""),
    "pairs": lambda n: rows(n, b"gpus=8 seconds=12.5\n", b""),
    "json_rows": lambda n: b"[" + rows(n, b'{"gpus": 8, "seconds": 12.5},', b"") + b'{"gpus": 4, "seconds": 25}]',
    "json_lines": lambda n: rows(n, b'{"gpus": 8, "seconds": 12.5}\n', b""),
    "json_columns": lambda n: b'{"gpus": [' + rows(n, b"8,", b"") + b'4], "seconds": [' + rows(n, b"9,", b"") + b"4]}",
    "json_members": lambda n: counted(n, "{", lambda i: f'"k{i}": {i}, ') + b'"gpus": 4}',
    "json_deep": lambda n: b"[" * n,
    "json_lists_in_rows": lambda n: b'[{"gpus": 8, "seconds": [' + rows(n, b"9,", b"") + b"9]}]",
    "numbers": lambda n: rows(n, b"1" * 997 + b"\n", b"gpus,seconds\n"),
    "dates": lambda n: counted(n, "date,gpus,seconds\n", lambda i: f"20{10 + i // 8000 % 80}-{1 + i // 28 % 12:02d}-{1 + i % 28:02d},{2 ** (i % 4)},{800 / 2 ** (i % 4) * (1 + 0.01 * (i * 7 % 11))}\n"),
}
COMMANDS = {"fit": ["fit"], "look": ["look"], "ingest": ["ingest"], "gate": ["gate", "--night", "date"]}
RENDERED = {"table": [], "html": ["--format", "html"], "markdown": ["--format", "markdown"], "latex": ["--format", "latex"], "json": ["--format", "json"], "csv": ["--format", "csv"]}


def shapes(seeds):
    """Names, functions that make a text of a size, and the words of the call."""
    for name, make in TABLES.items():
        for command in ("fit", "look"):
            yield f"{command}/{name}", make, COMMANDS[command]
    for name in ("names", "groups"):
        for rendered, words in RENDERED.items():
            yield f"render/{name}/{rendered}", TABLES[name], ["fit", "-b", "model", *words]
        yield f"render/{name}/report", TABLES[name], ["report", "-b", "model"]
        yield f"render/{name}/predict", TABLES[name], ["predict", "-b", "model", "--at", "64"]
    yield "gate/dates", TABLES["dates"], COMMANDS["gate"]
    for folder in sorted(seeds.glob("fuzz_trace_*")):
        format = folder.name.removeprefix("fuzz_trace_").replace("_", "-")
        for seed in sorted(folder.iterdir()):
            for way in WAYS:
                text = seed.read_bytes().partition(b"\0")[2] if False else seed.read_bytes()
                yield f"{format}/{seed.name}/{way.__name__}", lambda n, text=text, way=way: way(text, n), ["ingest", "--format", format]
    for folder in ("fuzz_csv", "fuzz_look", "fuzz_stream", "fuzz_parts"):
        for seed in sorted((seeds / folder).iterdir()):
            for way in WAYS:
                text = seed.read_bytes()
                for command in ("fit", "look"):
                    yield f"{command}/{folder}/{seed.name}/{way.__name__}", lambda n, text=text, way=way: way(text, n), [command]


# ---- judgement

def seconds_of(binary, words, path):
    """Processor time of a call; infinite where it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run([binary, *words, *([path] if path else []), "--threads", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return float("inf")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Growth:
    def __init__(self, binary, folder):
        self.binary = binary
        self.path = os.path.join(folder, "input")
        self.start = min(seconds_of(binary, ["--version"], None) for _ in range(5))

    def seconds(self, make, words, size):
        text = make(size)
        if not text:
            return 0.0
        pathlib.Path(self.path).write_bytes(text)
        return max(seconds_of(self.binary, words, self.path) - self.start, 0.002)

    def fault(self, make, words):
        """A sentence on a shape whose time grows too fast; empty without one."""
        if not make(BASE):
            return ""
        said = ""
        for _ in range(TRIES):
            times = [self.seconds(make, words, BASE)]
            said = ""
            for factor in (10, 100):
                times.append(self.seconds(make, words, BASE * factor))
                if times[-1] > LEAST_SECONDS and times[-1] > MOST_GROWTH * max(times[-2], LEAST_SECONDS / 10):
                    said = " -> ".join(f"{one:.3f} s" for one in times)
                    break
            if not said or "inf" in said:
                break
        return said


def main():
    binary, seeds, names = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    begin = time.monotonic()
    faults, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        growth = Growth(binary, folder)
        os.chdir(folder)
        for name, make, words in shapes(seeds.resolve()):
            if names and not any(one in name for one in names):
                continue
            count += 1
            fault = growth.fault(make, words)
            if fault:
                faults.append(f"{name}: {fault}")
                print(faults[-1], flush=True)
    print(f"{count} shapes, {len(faults)} of them grow too fast; {time.monotonic() - begin:.0f} s")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
