#!/usr/bin/env python3
"""Names that no terminal, XML parser or browser may be handed as they are: every output for people is parsed where it has a
grammar, and what the parser gets is the name as the project shows it, without a control character, a mark that turns the direction
of text, or a non-character. A name is a group, a setting, a column, a label or a title.

  text_test.py SCALELAW"""
import csv
import html.parser
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom
import xml.parsers.expat
from concurrent.futures import ThreadPoolExecutor

scalelaw = str(pathlib.Path(sys.argv[1]).resolve())

NAMES = [
    *(f"c{chr(code)}0" for code in range(1, 31) if chr(code) not in "\n\r"), "del\x7f", "c1\x80", "nel\x85", "c1\x9f", "lrm\u200e", "rlm\u200f",
    "alm\u061c", "zero\u200bwidth", "ls\u2028", "ps\u2029", "lre\u202a", "rle\u202b", "pdf\u202c", "lro\u202d", "rlo\u202egpj.exe", "lri\u2066",
    "rli\u2067", "fsi\u2068", "pdi\u2069", "bom\ufeff", "fffe\ufffe", "ffff\uffff", "private\ue000", "combining e\u0301", "\u05d0\u05d1\u05d2",
    "\u6f22\u5b57", "\U0001f600", "<b>&amp;\"'", "]]>", "<!--", "-->", "</title></svg>", "</script><script>x()</script>", "&#1;", "&#x1;", "&#x0;",
    "&#xffff;", "&#xZZ;", "&#x", "&#x41;", "&#x202e;gpj", "&#8238;gpj", "&lt;b&gt;", "&&amp;amp;", "\\x01", "%0A::error::x", "::error::x",
    "\x1b[31mred", "\x1b]0;title\x07", "$(x)`x`", "{y}", "%s%n", "100%", "%g clients", "@x_y^z", "|a|b|", "\\input{x}", "two  blanks",
]
BATCH = 8  # Groups of one figure, which then has a label for each.
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")
CAP = ["--where", "cap_w=250"]


def shown(name):
    """The name as printable() has it."""
    def escape(found):
        code = ord(found[0])
        return "\\t" if code == 9 else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return CONTROL.sub(escape, name)


def run(*words):
    done = subprocess.run([scalelaw, *words], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def check(what, text):
    found = FORBIDDEN.search(text)
    if found:
        at = found.start()
        sys.exit(f"{what} holds U+{ord(found[0]):04X}: {text[max(0, at - 60):at + 20]!r}")


def check_has(what, texts, names):
    """Each name is a part of a text."""
    missing = [name for name in names if not any(shown(name) in text for text in texts)]
    if missing:
        sys.exit(f"{what} lacks {[shown(name) for name in missing]}: {texts}")


# What a parser gets ----------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """What a browser gets: attributes and texts are checked, and the texts of figures are kept. Scripts are counted: what a name adds
    would be one too many."""

    def __init__(self, text):
        super().__init__()
        self.scripts = 0
        self.depth = 0
        self.texts = []
        check("page", text)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.depth += tag == "svg"
        for name, value in attrs:
            check(f"attribute {name}", value or "")

    def handle_endtag(self, tag):
        self.depth -= tag == "svg"

    def handle_data(self, data):
        check("page", data)
        if self.depth:
            self.texts.append(data)


def texts_of_svg(what, svg):
    """The labels of a figure, and the notes of its points."""
    check(what, svg)
    try:
        document = xml.dom.minidom.parseString(svg.encode())
    except xml.parsers.expat.ExpatError as error:
        sys.exit(f"{what} is no XML: {error}")
    labels, notes = ([each.firstChild.data for each in document.getElementsByTagName(tag) if each.firstChild] for tag in ("text", "title"))
    for text in labels + notes:
        check(what, text)
    return labels, notes


def texts_of_script(script):
    """The texts that a script tells gnuplot to write, and those that it leaves out where they have no room. In those of ticks a percent
    sign is doubled."""
    def told(text):
        return re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), text).decode()
    texts, axis_texts = set(), set()
    for line in script.split(b"\n"):
        strings = [told(text) for text in re.findall(rb'"([^"]*)"', line)]
        if re.match(rb"set [xy]tics ", line):
            texts.update(text.replace("%%", "%") for text in strings)
        elif line.startswith(b"set label "):
            texts.update(strings)
        elif re.match(rb"set [xy]label ", line):
            axis_texts.update(strings)
    return texts - {""}, axis_texts - {""}


def texts_of_figure(folder, words):
    """The texts of an SVG."""
    svg = folder / "figure.svg"
    run("plot", *words, "-o", str(svg))
    return texts_of_svg(f"figure {words}", svg.read_text(encoding="utf-8"))


def told_texts_of_figure(folder, words):
    """The same, where they are those that gnuplot was told to write: no more, and none of them changed."""
    script = folder / "figure.gp"
    labels, notes = texts_of_figure(folder, words)
    run("plot", *words, "-o", str(script))
    expected, axis_texts = texts_of_script(script.read_bytes())
    if not expected <= set(labels) <= expected | axis_texts:
        sys.exit(f"figure {words}: the texts {sorted(set(labels) - expected)} should be {sorted(expected - set(labels))}")
    return labels + notes


# Tables ----------------------------------------------------------------------------------------------------------------


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


def wave(number):
    """Scatter, the same in every run."""
    return 1 + 0.02 * math.sin(7.3 * number)


def write_runs(path, names=NAMES, slower=lambda n: 1, columns=("model", "gpus", "seconds")):
    header = [*columns, "energy_j", "cap_w", "sm_util_mean_pct", "sm_util_cv", "mem_util_mean_pct", "mem_util_cv"]
    rows = []
    for i, name in enumerate(names):
        for cap in (150, 250):
            for n in (1, 2, 4, 8, 16):
                seconds = 100 / n**0.9 * slower(n) * (250 / cap) ** 0.3 * wave(i + n + cap)
                rows.append([name, n, seconds, 1000 * n**0.1 * cap, cap, 90 - n, 0.1 + 0.01 * n * wave(i), 50 + n, 0.2 + 0.01 * n * wave(i)])
    return write(path, header, rows)


def write_losses(path, names):
    """Runs of three budgets of compute, and how fast they were."""
    rows = []
    for i, name in enumerate(names):
        for flop in (1e18, 1e19, 1e20):
            for step in range(-3, 4):
                parameters = math.sqrt(flop / 120) * 2 ** (step / 2)
                tokens = flop / 6 / parameters
                rows.append([name, parameters, tokens, (1.7 + 400 / parameters**0.34 + 410 / tokens**0.28) * wave(i + 3 * step) ** 0.1, 1e12 / parameters, 8])
    return write(path, ["model", "parameters", "tokens", "loss", "tokens_per_second", "gpus"], rows)


def write_durations(path, names):
    return write(path, ["model", "duration_s"], [[name, 100 * (1 - (i + 0.5) / 60) ** (-1 / 1.2)] for name in names for i in range(60)])


def write_traces(folder, name):
    """A study of batch sizes of one job, for replay."""
    train = [["demo", name, batch, "sgd", 0.1, i, 0.6, 8 - i] for batch in (16, 32) for i in (1, 2)]
    power = [["demo", name, batch, "sgd", cap, 20000 / cap + batch, cap] for batch in (16, 32) for cap in (100, 150)]
    return (write(folder / "train.csv", "dataset network batch_size optimizer learning_rate run target_metric target_epoch".split(), train),
            write(folder / "power.csv", "dataset network batch_size optimizer power_limit time_per_epoch average_power".split(), power))


# What is checked -------------------------------------------------------------------------------------------------------


def check_text_outputs(folder):
    base, current = write_runs(folder / "base.csv"), write_runs(folder / "new.csv", slower=lambda n: 1 + 0.3 * n)
    for command in ("fit", "rank", "predict", "energy"):
        for kind in ("table", "markdown", "html", "latex"):
            more = ["--at", "32"] if command == "predict" else []
            check(f"{command} as {kind}", run(command, base, "-b", "model", *CAP, *more, "--format", kind))
    for kind in ("table", "markdown", "junit", "github"):
        text = run("gate", base, current, "-b", "model", *CAP, "--format", kind)
        check(f"gate as {kind}", text)
        if kind == "junit":
            xml.dom.minidom.parseString(text.encode())
        if kind == "github":
            lines = text.splitlines()
            assert all(re.match("::(error|warning|notice) title=", line) for line in lines), "a name is a command"


def check_groups(folder, names):
    """Figures with a label for each group, or for each setting."""
    runs = write_runs(folder / "runs.csv", names)
    for kind in ("scaling", "efficiency", "residuals", "forecast", "profile", "energy-speed", "gpu-hours", "utilisation", "variation"):
        more = ["--at", "64"] if kind == "forecast" else []
        check_has(f"figure {kind}", told_texts_of_figure(folder, [kind, runs, "-b", "model", *CAP, *more]), names)
    check_has("figure settings", told_texts_of_figure(folder, ["settings", runs, "-b", "model,cap_w"]), names)
    check_has("figure caps", told_texts_of_figure(folder, ["caps", runs, "-b", "model", "--setting", "cap_w"]), names)
    check_has("figure of compared names",
              told_texts_of_figure(folder, ["caps", runs, "-b", "cap_w", "--setting", "model", "--reference", names[0]]), names)
    check_has("figure pareto", told_texts_of_figure(folder, ["pareto", runs, "-b", "model", "--knobs", "cap_w,gpus"]), names)
    told_texts_of_figure(folder, ["pareto", runs, "--knobs", "model,gpus", *CAP])
    told_texts_of_figure(folder, ["joint", runs, "-b", "model", *CAP])
    losses = write_losses(folder / "losses.csv", names)
    told_texts_of_figure(folder, ["surface", losses, "-x", "parameters,tokens", "-y", "loss", "-b", "model"])
    told_texts_of_figure(folder, ["isoflop", losses, "-b", "model"])
    told_texts_of_figure(folder, ["tail", write_durations(folder / "durations.csv", names), "-y", "duration_s", "-b", "model"])


def check_long_settings(folder):
    """gnuplot keeps 49 bytes of a tick with a percent sign, which could end inside a character. The figure shortens it, and no other."""
    plain, formatted = "x" * 80, "%" + "\u00e9" * 30
    runs = write_runs(folder / "runs.csv", [plain, formatted])
    texts = told_texts_of_figure(folder, ["caps", runs, "-b", "cap_w", "--setting", "model", "--reference", plain])
    assert plain in texts and formatted[:23] + "\u2026" in texts, texts


def check_one_name(folder, name):
    """Figures that show one group, and names at other places: columns, axes, titles and labels of a store."""
    group, scale, time = name + "|g", name + "|x", name + "|y"
    runs = write_runs(folder / "runs.csv", ["a", "b"], columns=[group, scale, time])
    choice = ["-b", group, "-x", scale, "-y", time, *CAP]
    check_has("figure of columns", texts_of_figure(folder, ["scaling", runs, *choice, "--title", name + "|t"])[0], [group, scale, time, name + "|t"])
    check_has("labels of axes", texts_of_figure(folder, ["scaling", runs, *choice, "--xlabel", name + "|l", "--ylabel", name + "|m"])[0],
              [name + "|l", name + "|m"])
    one = write_runs(folder / "one.csv", [name])
    check_has("figure rank", texts_of_figure(folder, ["rank", one, "-b", "model", *CAP])[0], [name])
    store = str(folder / "study.db")
    run("fit", one, "-b", "model", *CAP, "--keep", name, "--store", store)
    check_has("figure history", sum(texts_of_figure(folder, ["history", store]), []), [name])
    train, power = write_traces(folder, name)
    losses = write_losses(folder / "losses.csv", [name])
    check_has("figure budget", texts_of_figure(folder, ["budget", losses, "--days", "7", "--gpus", "8", "--gpu-power", "400",
                                                        "--title", name + "|t"])[0], [name + "|t"])
    texts_of_figure(folder, ["replay", "--train", train, "--power", power, "--target-metric", "0.6", "--max-epochs", "30", "--b0", "16",
                             "--policy", "zeus,default", "--seed", "1,2"])


def check_reports(folder, names):
    """Pages with figures inside, and documents with figures beside them."""
    runs, page, document = write_runs(folder / "runs.csv", names), folder / "page.html", folder / "page.md"
    run("report", runs, "-b", "model", *CAP, "-o", str(page))
    ours = Page(page.read_text(encoding="utf-8"))
    check_has("figures of a page", ours.texts, names)
    run("report", write_runs(folder / "plain.csv", [f"m{i}" for i in range(len(names))]), "-b", "model", *CAP, "-o", str(page))
    others = Page(page.read_text(encoding="utf-8"))
    assert ours.scripts == others.scripts, f"{ours.scripts} scripts in the page, {others.scripts} with plain names"
    run("report", runs, "-b", "model", *CAP, "-o", str(document))
    check("report", document.read_text(encoding="utf-8"))
    figures = sorted(folder.glob("page-figures/*.svg"))
    assert len(figures) > 3, f"only {len(figures)} figures beside a report"
    check_has("figures beside a report", [text for figure in figures for text in sum(texts_of_svg(figure.name, figure.read_text(encoding="utf-8")), [])],
              names)


def main():
    drawn = [name for name in NAMES if not re.search("[\x02-\x1a]0", name)]  # Those left out are like \x01.
    batches = [drawn[i:i + BATCH] for i in range(0, len(drawn), BATCH)]
    tasks = [(check_text_outputs,)]
    if shutil.which("gnuplot"):
        tasks += [(check_long_settings,)]
        tasks += [(check_reports, batch) for batch in batches] + [(check_groups, batch) for batch in batches]
        tasks += [(check_one_name, name) for name in drawn]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        def work(number):
            own = pathlib.Path(folder, str(number))
            own.mkdir()
            try:
                tasks[number][0](own, *tasks[number][1:])
            except SystemExit as failure:
                return str(failure)
            return ""
        failures = [failure for failure in pool.map(work, range(len(tasks))) if failure]
    if failures:
        sys.exit("\n".join(failures[:20]) + f"\n{len(failures)} of {len(tasks)} checks fail")
    if len(tasks) == 1:
        print("skipped: no gnuplot, so no figures")


main()
