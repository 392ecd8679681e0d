#!/usr/bin/env python3
"""Holds the documents together: every link leads somewhere, every page is found, and every page reads alike in both places.

  links_test.py SOURCE_FOLDER

Pages are read on GitHub and as the site that scripts/docs makes with mkdocs. A fault is
  - a link, or the name of a document in any file, whose file or heading is missing;
  - a link from docs/ to a file outside of it, which the site does not have;
  - a heading whose anchor is not the same in both places, where a link names it;
  - a page that mkdocs.yml does not list, or lists and is not there;
  - a page with several sections whose contents, before the first of them, do not name each one;
  - a list or a table that stands right below a line of text: mkdocs takes it for a part of that line;
  - a bar inside code inside a table: GitHub needs a backslash before it, and mkdocs shows that backslash."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?\)")
DOCUMENT = re.compile(r"\bdocs/[\w./-]*\w\.(?:md|csv|sbatch|svg)\b")
SOURCES = ("include", "src", "apps", "tests", "scripts", "bench", "cmake", "docs", "CMakeLists.txt", "CONTRIBUTING.md", "README.md")
NO_SOURCE = ("tests/docs/", "tests/rooms/")  # These tests make documents of their own.


def without_code(text):
    text = re.sub(r"^(```|~~~).*?^\1", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]+`", "``", text)


def headings(text):
    """Pairs of level and words, code marks left out, blocks of code passed over."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return [(len(marks), words.replace("`", "")) for marks, words in re.findall(r"^(#+) (.*)$", text, flags=re.M)]


def anchor_on_github(words):
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def anchor_of_mkdocs(words):
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip().lower())


def anchors(text):
    """The anchors of a page that are the same in both places."""
    return {anchor_on_github(words) for _, words in headings(text) if anchor_on_github(words) == anchor_of_mkdocs(words)}


def faults_of_links(root, path, text):
    for target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if path.startswith("docs/") and not place.startswith("docs/"):
            yield f"{path}: the link {target} leads out of docs/, where the site cannot follow: name the file instead"
        if not (root / place).exists():
            yield f"{path}: the link {target} leads to no file"
        elif anchor and anchor not in anchors((root / place).read_text(encoding="utf-8")):
            yield f"{path}: the link {target}: {place} has no such heading (or one whose anchor mkdocs writes otherwise)"


def faults_of_contents(path, text):
    """The sections of a page are named before the first of them."""
    sections = [words for level, words in headings(text) if level == 2]
    if len(sections) < 2:
        return
    before = re.split(r"^## ", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), maxsplit=1, flags=re.M)[0]
    for words in sections:
        if f"(#{anchor_on_github(words)})" not in before:
            yield f"{path}: its contents do not name the section {words}"


def faults_of_form(path, text):
    lines = without_code(text).split("\n")
    for number, (above, line) in enumerate(zip(lines, lines[1:]), 2):
        item = re.match(r"([-*]|\d+\.) ", line)
        of_list = re.match(r"\s*([-*]|\d+\.) |\s+\S", above)
        if item and above.strip() and not of_list:
            yield f"{path}:{number}: a list right below a line of text; put an empty line between"
        if line.startswith("|") and above.strip() and not above.startswith("|"):
            yield f"{path}:{number}: a table right below a line of text; put an empty line between"


def faults_of_bars(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("|") and re.search(r"`[^`]*\\\|[^`]*`", line):
            yield f"{path}:{number}: a bar inside code in a table: write the choices apart"


def faults_of_site(root, pages):
    listed = set(re.findall(r"[\w/-]+\.md", (root / "mkdocs.yml").read_text(encoding="utf-8")))
    there = {page.removeprefix("docs/") for page in pages if page.startswith("docs/")}
    yield from (f"mkdocs.yml does not list docs/{page}" for page in sorted(there - listed))
    yield from (f"mkdocs.yml lists docs/{page}, which is not there" for page in sorted(listed - there))


def faults_of_names(root, path):
    """Documents that a file names."""
    try:
        text = (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    yield from (f"{path}: names {name}, which is not there" for name in sorted(set(DOCUMENT.findall(text))) if not (root / name).exists())


def faults_of(root, files):
    pages = sorted(file for file in files if file.endswith(".md"))
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")
        yield from faults_of_links(root, page, text)
        if page.startswith("docs/"):
            yield from faults_of_contents(page, text)
            yield from faults_of_form(page, text)
            yield from faults_of_bars(page, text)
    yield from faults_of_site(root, pages)
    for file in files:
        if file.startswith(SOURCES) and not file.startswith(NO_SOURCE):
            yield from faults_of_names(root, file)


def files_below(root):
    """The files of a checkout, and of an archive of it without git."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [file for file in listed.stdout.splitlines() if (root / file).exists()]
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and "build" not in path.relative_to(root).parts[:1]]


SOUND = {"README.md": "See [a](docs/a.md#two-words).\n", "mkdocs.yml": "nav:\n  - a.md\n", "src/a.cpp": "// docs/a.md\n",
         "docs/a.md": "# A\n\nOn [one](#one), [two](#two-words)\n\n## One\n\n- item\n\n## Two words\n\n| a |\n| - |\n"}
# A change of a sound tree, and the fault that it must make.
BREAKS = [("README.md", "(docs/a.md", "(docs/b.md", "leads to no file"), ("README.md", "#two-words", "#two", "no such heading"),
          ("docs/a.md", "On ", "On [b](../README.md) ", "leads out of docs"), ("docs/a.md", "[one](#one)", "one", "do not name the section One"),
          ("docs/a.md", "\n\n- item", "\n\ntext\n- item", "a list right below"), ("docs/a.md", "\n\n| a |", "\ntext\n| a |", "a table right below"),
          ("docs/a.md", "| a |", "| `a\\|b` |", "a bar inside code"),
          ("mkdocs.yml", "  - a.md\n", "", "does not list docs/a.md"), ("mkdocs.yml", "a.md\n", "a.md\n  - b.md\n", "lists docs/b.md"),
          ("src/a.cpp", "a.md", "c.md", "names docs/c.md")]


def faults_of_this_test():
    for changed, old, new, expected in [("README.md", "", "", None), *BREAKS]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, text in SOUND.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text.replace(old, new, 1) if file == changed and old else text, encoding="utf-8")
            found = list(faults_of(root, list(SOUND)))
            if expected is None and found or expected and not any(expected in fault for fault in found):
                yield f"links_test.py: expected {expected}, found {found}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [*faults_of(root, files_below(root)), *faults_of_this_test()]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
