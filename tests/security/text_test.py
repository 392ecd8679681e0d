#!/usr/bin/env python3
"""Names of groups that no terminal, XML parser or browser may be handed as they are: every output for people is parsed
where it has a grammar, and holds no control character, no mark that turns the direction of text, no non-character.

  text_test.py SCALELAW"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

scalelaw = str(pathlib.Path(sys.argv[1]).resolve())

NAMES = [
    *(f"c{chr(code)}0" for code in range(1, 31) if chr(code) not in "\n\r"), "del\x7f", "c1\x80", "nel\x85", "c1\x9f", "lrm\u200e", "rlm\u200f",
    "alm\u061c", "zero\u200bwidth", "ls\u2028", "ps\u2029", "lre\u202a", "rle\u202b", "pdf\u202c", "lro\u202d", "rlo\u202egpj.exe", "lri\u2066",
    "rli\u2067", "fsi\u2068", "pdi\u2069", "bom\ufeff", "fffe\ufffe", "ffff\uffff", "private\ue000", "combining e\u0301", "\u05d0\u05d1\u05d2",
    "\u6f22\u5b57", "\U0001f600", "<b>&amp;\"'", "]]>", "<!--", "-->", "</title></svg>", "</script><script>x()</script>", "&#1;", "&#x202e;",
    "\\x01", "%0A::error::x", "::error::x", "\x1b[31mred", "\x1b]0;title\x07", "$(x)`x`", "{y}", "%s%n", "@x_y^z", "|a|b|", "\\input{x}",
]
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


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


class Page(html.parser.HTMLParser):
    """Scripts of a page: what a name adds would be one too many."""

    scripts = 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        for name, value in attrs:
            check(f"attribute {name}", value or "")


def write_table(path, slower, names=NAMES):
    quoted = ('"' + name.replace('"', '""') + '"' for name in names)
    rows = [f"{name},{n},{10 / n * slower(n)},{100 * n},100\n" for name in quoted for n in (1, 2, 4, 8)]
    path.write_text("model,gpus,seconds,energy_j,cap_w\n" + "".join(rows), encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as folder:
        base, current = pathlib.Path(folder, "base.csv"), pathlib.Path(folder, "new.csv")
        write_table(base, lambda n: 1 + 0.01 * n)
        write_table(current, lambda n: 1 + 0.3 * n)
        for command in ("fit", "rank", "predict", "energy"):
            for kind in ("table", "markdown", "html", "latex"):
                more = ["--at", "16"] if command == "predict" else []
                check(f"{command} as {kind}", run(command, str(base), "-b", "model", *more, "--format", kind))
        for kind in ("table", "markdown", "junit", "github"):
            text = run("gate", str(base), str(current), "-b", "model", "--format", kind)
            check(f"gate as {kind}", text)
            if kind == "junit":
                xml.dom.minidom.parseString(text.encode())
            if kind == "github":
                lines = text.splitlines()
                assert all(re.match("::(error|warning|notice) title=", line) for line in lines), "a name is a command"
        if not shutil.which("gnuplot"):
            print("skipped: no gnuplot, so no figures")
            return
        for kind in ("scaling", "efficiency", "energy-speed", "forecast", "residuals", "rank"):
            figure = pathlib.Path(folder, f"{kind}.svg")
            run("plot", kind, str(base), "-b", "model", "-o", str(figure))
            text = figure.read_text(encoding="utf-8")
            check(f"figure {kind}", text)
            xml.dom.minidom.parseString(text.encode())
        page = pathlib.Path(folder, "page.html")
        run("report", str(base), "-b", "model", "-o", str(page))
        text = page.read_text(encoding="utf-8")
        check("report", text)
        write_table(base, lambda n: 1 + 0.01 * n, [f"m{i}" for i in range(len(NAMES))])
        ours, others = Page(), Page()
        ours.feed(text)
        run("report", str(base), "-b", "model", "-o", str(page))
        others.feed(page.read_text(encoding="utf-8"))
        assert ours.scripts == others.scripts, f"{ours.scripts} scripts in the page, {others.scripts} with plain names"


main()
