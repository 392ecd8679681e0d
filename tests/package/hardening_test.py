#!/usr/bin/env python3
"""Commands and shared libraries look for libraries in no folder of others, and have the guards that cmake/hardening.cmake asks for.

  hardening_test.py FOLDER...

Each ELF file in and below the folders is looked at by readelf.
"""
import pathlib
import re
import subprocess
import sys


def told(*words):
    return subprocess.run(["readelf", "--wide", *words], capture_output=True, text=True, check=True).stdout


def is_linked(path):
    """Whether a file is a command or a shared library."""
    if not path.is_file() or path.is_symlink():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and re.search(r"Type: +(DYN|EXEC)", told("--file-header", str(path))) is not None


def faults_of_places(dynamic):
    """Faults of the folders in which the loader looks for libraries."""
    for kind, text in re.findall(r"\((RPATH|RUNPATH)\) .*\[(.*)\]", dynamic):
        if kind == "RPATH":
            yield "an RPATH, which comes before the user's own"
        for place in text.split(":"):
            if not place.startswith(("$ORIGIN", "/usr/")):
                yield f"the folder {place!r} in its RUNPATH"


def faults(path):
    dynamic, headers, symbols = (told(kind, str(path)) for kind in ("--dynamic", "--program-headers", "--symbols"))
    yield from faults_of_places(dynamic)
    if "(TEXTREL)" in dynamic:
        yield "relocations in its code"
    if not re.search(r"Type: +DYN", told("--file-header", str(path))):
        yield "a fixed place in memory (no PIE)"
    if "GNU_RELRO" not in headers or not re.search(r"BIND_NOW|FLAGS.*NOW", dynamic):
        yield "tables of the linker that can be written (no full RELRO)"
    if re.search(r"GNU_STACK .* RWE ", headers):
        yield "a stack that can be executed"
    if "__stack_chk_fail" not in symbols:
        yield "no guards of the stack"


def main():
    paths = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*")) if is_linked(path)]
    found = [f"{path}: {fault}" for path in paths for fault in faults(path)]
    print(*found, *(f"{path}" for path in paths), sep="\n")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
