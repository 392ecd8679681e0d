#!/usr/bin/env python3
"""The tables of the simulations: what bench/coverage_tables.py makes of Markdown, and that the page names every file.

  coverage_test.py SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile

PRINTED = """## Energy

### Energy: exponents, identity

| runs per N | beta |
| ---: | ---: |
| 1 | 95.0 |

## Other laws

### floor: scatter 2 %

| n | parameter | `profile` |
| --- | --- | --- |
| 5 | alpha | 95.1 |

### amdahl: s = 0.02

| n | parameter | `profile` |
| --- | --- | --- |
| 5 | s | 94.6 |

### Every law at N = 1, 2

| curve | n | intervals that hold the parameter |
| --- | --- | --- |
| floor, 1 % | 4 | alpha 97.6, beta 96.1 |

## Forecasts

| n | power |
| --- | --- |
| 4 | 95.9 / 96.3 (0.35) |

| N | power |
| --- | --- |
| 5 | 93.6 / 92.7 (0.34) |
"""
EXPECTED = {
    "energy-exponents.csv": "runs per N,beta\n1,95.0\n",
    "other-laws.csv": 'simulated,n,parameter,profile\nfloor: scatter 2 %,5,alpha,95.1\namdahl: s = 0.02,5,s,94.6\n',
    "every-law.csv": 'curve,n,parameter,interval holds\n"floor, 1 %",4,alpha,97.6\n"floor, 1 %",4,beta,96.1\n',
    "forecasts.csv": 'n,"power, new run","power, curve","power, width"\n4,95.9,96.3,0.35\n',
    "forecasts-repeated.csv": 'N,"power, new run","power, curve","power, width"\n5,93.6,92.7,0.34\n',
}


def made_of(program, text):
    """The files that the program writes, and what it says."""
    with tempfile.TemporaryDirectory() as folder:
        call = subprocess.run([sys.executable, program, folder], input=text, capture_output=True, text=True)
        return {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}, call.stderr


def faults(source):
    program = source / "bench/coverage_tables.py"
    made, _ = made_of(program, PRINTED)
    for name in sorted(EXPECTED.keys() | made.keys()):
        if made.get(name) != EXPECTED.get(name):
            yield f"{name}: expected {EXPECTED.get(name)!r}, found {made.get(name)!r}"
    made, said = made_of(program, "## Moons\n\n| n |\n| - |\n| 1 |\n")
    if made or "Moons" not in said:
        yield f"a heading that is not known is refused by name, found {made} and {said!r}"
    page = (source / "docs/explanation/coverage.md").read_text(encoding="utf-8")
    for table in sorted((source / "docs/explanation/coverage").iterdir()):
        if f"(coverage/{table.name})" not in page:
            yield f"docs/explanation/coverage.md does not name {table.name}"
        if f'"{table.name}"' not in program.read_text(encoding="utf-8"):
            yield f"bench/coverage_tables.py does not write {table.name}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
