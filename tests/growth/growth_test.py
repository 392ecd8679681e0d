#!/usr/bin/env python3
"""No reader and no renderer takes time that grows faster than its input.

  growth_test.py SCALELAW SEEDS [NAME...]

SEEDS is the folder of the seeds of the fuzz targets, from which texts of all formats are made longer in several ways; tables
and names of other shapes are made here. Each is read at 1 MB, or at 100 KB where that is a table of many columns. Where that takes long, it is read at a tenth of the size, too,
and ten times as much may take twenty times the processor time: time that grows with the square takes a hundred times as
much. What takes too long is measured again, since the machine may be busy. NAME is a part of the names of some shapes.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

SIZE = 1_000_000
# Tables of so many columns are slow, however they grow: each name is looked up in lists of words.
SMALLER = ("/columns", "/json_members", "/of_a_long_word", "/of_one_line")
SMALLER_SIZE = 100_000
MOST_GROWTH = 20
QUICK_SECONDS = 0.2
MOST_SECONDS = 20
TRIES = 3
AT_ONCE = 2


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
    texts, length = [head], len(head)
    while length < size:
        texts.append(row(len(texts) - 1))
        length += len(texts[-1])
    return "".join(texts).encode()


def scaling_row(name):
    """The row of a number: four scales of each name."""
    return lambda i: f"{name}{i // 4},{2 ** (i % 4)},{800 / 2 ** (i % 4)}\n"


def columns(size):
    count = size // 10
    head = ",".join(f"c{i}" for i in range(count)) + ",gpus,seconds\n"
    return (head + "".join(",".join("7" * count) + f",{2 ** i},{800 / 2 ** i}\n" for i in range(4))).encode()


def date_row(i):
    gpus = 2 ** (i % 4)
    seconds = 800 / gpus * (1 + 0.01 * (i * 7 % 11))
    return f"20{10 + i // 8000 % 80}-{1 + i // 28 % 12:02d}-{1 + i % 28:02d},{gpus},{seconds}\n"


def json_columns(size):
    return b'{"gpus": [' + b"8," * (size // 4) + b'4], "seconds": [' + b"9," * (size // 4) + b"4]}"


RUNS = "model,gpus,seconds\n"
HTML = b"<table>\n<tr><th>gpus</th><th>seconds</th></tr>\n"
MARKDOWN = b"| gpus | seconds |\n|---|---|\n"
TABLES = {
    "names": lambda n: counted(n, RUNS, scaling_row("m" * (n // 40))),
    "groups": lambda n: counted(n, RUNS, scaling_row("m")),
    "columns": columns,
    "short_rows": lambda n: rows(n, b"a\n", b"model,gpus,seconds,a,b,c\nm,1,2,3,4,5\n"),
    "blank_lines": lambda n: rows(n, b"\n", b"x\n\n"),
    "fences": lambda n: rows(n, b"```\n", b"text\n"),
    "quotes": lambda n: rows(n, b'"a""b"",'),
    "quoted_lines": lambda n: rows(n, b"a\n", RUNS.encode() + b'"'),
    "html": lambda n: rows(n, b"<tr><td>8</td><td>12.5</td></tr>\n", HTML),
    "html_unclosed_cells": lambda n: rows(n, b"<td>8", b"<table><tr><th>gpus<th>seconds<tr>"),
    "html_unclosed_tables": lambda n: rows(n, b"<table>", b"<table><tr><td>gpus"),
    "html_spans": lambda n: rows(n, b"<tr><td rowspan=1000 colspan=9>8</td></tr>", HTML),
    "markdown": lambda n: rows(n, b"| 8 | 12.5 |\n", MARKDOWN),
    "markdown_tables": lambda n: rows(n, MARKDOWN + b"| 8 | 12.5 |\n| 4 | 25 |\n\ntext\n\n", b"# x\n\n"),
    "markdown_openings": lambda n: rows(n, b"*_`[$<a", MARKDOWN + b"| 8 | "),
    "markdown_emphasis": lambda n: rows(n, b"**a** `b` [c](d) $e$ ", MARKDOWN + b"| 8 | "),
    "latex": lambda n: rows(n, b"8 & 12.5 \\\\\n", b"\\begin{tabular}{rr}\ngpus & seconds \\\\\n"),
    "latex_groups": lambda n: rows(n, b"\\textbf{", b"\\begin{tabular}{rr}\ngpus & seconds \\\\\n8 & "),
    "grid": lambda n: rows(n, b"| 8    | 12.5    |\n+------+---------+\n",
                           b"+------+---------+\n| gpus | seconds |\n+======+=========+\n"),
    "list_table": lambda n: rows(n, b"   * - 8\n     - 12.5\n", b".. list-table:: x\n\n   * - gpus\n     - seconds\n"),
    "directives": lambda n: rows(n, b".. list-table:: x\n", b"x\n"),
    "records": lambda n: rows(n, b"gpus: 8\nseconds: 12.5\n\n", b""),
    "pairs": lambda n: rows(n, b"gpus=8 seconds=12.5\n", b""),
    "json_rows": lambda n: rows(n, b'{"gpus": 8, "seconds": 12.5},', b"[") + b'{"gpus": 4, "seconds": 25}]',
    "json_lines": lambda n: rows(n, b'{"gpus": 8, "seconds": 12.5}\n', b""),
    "json_columns": json_columns,
    "json_members": lambda n: counted(n, "{", lambda i: f'"k{i}": {i}, ') + b'"gpus": 4}',
    "json_deep": lambda n: b"[" * n,
    "json_lists_in_rows": lambda n: rows(n, b"9,", b'[{"gpus": 8, "seconds": [') + b"9]}]",
    "numbers": lambda n: rows(n, b"1" * 997 + b"\n", b"gpus,seconds\n"),
}
RENDERED = {"report": ["report"], "predict": ["predict", "--at", "64"],
            **{name: ["fit", "--format", name] for name in ("table", "html", "markdown", "latex", "json", "csv")}}


def shapes(seeds):
    """Names, functions that make a text of a size, and the words of the call."""
    for name, make in TABLES.items():
        for command in ("fit", "look"):
            yield f"{command}/{name}", make, [command]
    for name in ("names", "groups"):
        for rendered, words in RENDERED.items():
            yield f"render/{name}/{rendered}", TABLES[name], [*words, "-b", "model"]
    yield "gate/dates", lambda n: counted(n, "date,gpus,seconds\n", date_row), ["gate", "--night", "date"]
    for folder in sorted(seeds.iterdir()):
        kind = folder.name.removeprefix("fuzz_")
        format = kind.removeprefix("trace_").replace("_", "-")
        calls = [["ingest", "--format", format]] if kind != format and kind.startswith("trace_") else []
        if kind in ("csv", "look", "parts"):
            calls = [["fit"], ["look"]]
        for seed in sorted(folder.iterdir()) if calls else ():
            text = seed.read_bytes()
            for way in WAYS:
                for words in calls:
                    yield f"{words[0]}/{kind}/{seed.name}/{way.__name__}", lambda n, text=text, way=way: way(text, n), words


# ---- judgement

def seconds_of(binary, words):
    """Processor time of a call; infinite where it takes too long or crashes."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
    quiet = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
    process = subprocess.Popen([binary, *words, "--threads", "1"], preexec_fn=limit, **quiet)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if process.returncode in (0, 1, 2) else float("inf")


class Growth:
    def __init__(self, binary):
        self.binary = binary

    def seconds(self, make, words, size):
        with tempfile.NamedTemporaryFile() as file:
            file.write(make(size))
            file.flush()
            return seconds_of(self.binary, [*words, file.name])

    def fault(self, shape):
        """A sentence on a shape whose time grows too fast; empty without one."""
        name, make, words = shape
        is_of_columns = name.startswith(("fit/", "look/")) and name.endswith(SMALLER)
        size = SMALLER_SIZE if is_of_columns else SIZE
        if not make(100):
            return ""
        for _ in range(TRIES):
            large = self.seconds(make, words, size)
            if large < QUICK_SECONDS:
                return ""
            small = self.seconds(make, words, size // 10)
            if large > MOST_SECONDS:
                break
            if large <= MOST_GROWTH * max(small, QUICK_SECONDS / 10):
                return ""
        return f"{name}: {small:.3f} s for {size // 10} bytes, {large:.3f} s for {size}"


def main():
    binary, seeds, names = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    chosen = [shape for shape in shapes(seeds.resolve()) if not names or any(name in shape[0] for name in names)]
    begin = time.monotonic()
    faults = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        os.chdir(folder)
        for fault in filter(None, pool.map(Growth(binary).fault, chosen)):
            faults += 1
            print(fault, flush=True)
        os.chdir("/")
    print(f"{len(chosen)} shapes, {faults} of them grow too fast; {time.monotonic() - begin:.0f} s")
    return 1 if faults or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
