#!/usr/bin/env python3
"""JSON from Python is that of the command, byte for byte, for every example of help and of the documents.

  same_documents_test.py SCALELAW
"""
import pathlib
import re
import shlex
import subprocess
import sys

import scalelaw as sl
from scalelaw import _commands

SCALELAW = sys.argv[1]
# They read standard input, write files, or have no JSON.
ELSEWHERE = re.compile(r"[|<>]|--store|--keep|--update|--max-memory|--config|\s-o\s|--output|--also|--export|<<|\$\(")


def examples():
    """The words of all examples: those of help, and of console sessions in the documents."""
    lines = [line.strip() for command in sl.schema()["commands"] for line in command["examples"].splitlines()]
    for page in [pathlib.Path("README.md"), *pathlib.Path("docs").rglob("*.md")]:
        text = page.read_text().replace("\\\n", " ")
        lines += [line.strip().removeprefix("$ ") for line in text.splitlines() if line.strip().startswith("$ scalelaw ")]
    lines = [line for line in dict.fromkeys(lines) if line.startswith("scalelaw ") and not ELSEWHERE.search(line)]
    return [shlex.split(line)[1:] for line in lines]


def arguments(words):
    """The command of a call, and its options as Python has them; nothing for commands without JSON."""
    names = _commands.names()
    name = words[0].replace("-", "_")
    if name not in names:
        return None
    options = _commands._command(name)["options"]
    if "json" not in _commands._formats({"options": options}):
        return None
    options = [*options, *sl.schema()["options"]]
    by_word = {word: option for option in options for word in option["names"]}
    given, places, words = {}, [], list(words[1:])
    while words:
        word = words.pop(0)
        word, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word not in by_word:
            if word.startswith("-"):
                return None
            places.append(word)
            continue
        option = by_word[word]
        if option["kind"] == "flag":
            given[_commands._named(option)] = True
            continue
        value = value if equals else words.pop(0)
        key = _commands._named(option)
        if option["kind"] == "list":
            given.setdefault(key, []).append(value)
            while option["key"] != "where" and words and words[0] not in by_word and not words[0].startswith("-"):
                given[key].append(words.pop(0))
        else:
            given[key] = value
    taken = [option for option in options if "word" in option]
    for i, option in enumerate(taken):
        if places:
            last = i + 1 == len(taken)
            key = _commands._named(option)
            given[key] = places if last and option["kind"] == "list" else places[0]
            places = [] if last else places[1:]
    return None if places else (name, given)


def main():
    compared = failed = 0
    for words in examples():
        call = arguments(words)
        if call is None:
            continue
        name, options = call
        options.pop("format", None)
        words = [word for word in words if not word.startswith("--format=")]
        if "--format" in words:
            del words[words.index("--format"):words.index("--format") + 2]
        expected = subprocess.run([SCALELAW, *words, "--format", "json"], capture_output=True, stdin=subprocess.DEVNULL)
        try:
            result = getattr(sl, name)(**options)
            status, text = result.status, str(result.to_json()).encode()
        except sl.ScalelawError:
            status, text = 2, b""
        compared += 1
        if (status, text) != (expected.returncode, expected.stdout):
            failed += 1
            print("differs: scalelaw", shlex.join(words), options, status, expected.returncode, expected.stderr[-300:])
    print(f"{compared} examples, {failed} differ")
    return 1 if failed or compared < 50 else 0


sys.exit(main())
