#!/usr/bin/env python3
"""Changes one operator, constant or condition at a time and sees which test notices.

  scripts/mutate --count 100 --seed 1            100 random places
  scripts/mutate --all --in src/judge/study.cpp  every place of the files whose path begins so
  scripts/mutate --survivors --count 0           what no test noticed last time, once tests were added
  scripts/mutate --list                          shows the changes and builds nothing

All changes are built into one program and switched on one by one, so that there is one build and not one per change. A
first run notes which tests reach which place. Each change then meets the unit tests that reach it, the stored outputs and
the scripts that test the command, until one of them notices. It works on a copy in build/mutate.

A line of tests/mutate/equivalent.txt explains why a change makes no difference; such changes are left out of the count.
Exit status: 0, 1 if the share that was noticed is below --threshold, 2 if something went wrong.
"""
import argparse
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "mutate"
TREE, BUILD, SURVIVORS = WORK / "tree", WORK / "build", WORK / "survivors.json"
UNIT_TESTS, COMMAND = BUILD / "tests" / "scalelaw_tests", BUILD / "bin" / "scalelaw"
FOLDERS = ["fit", "judge", "energy", "runs", "trace", "tail", "replay", "input", "statistics"]
# Those that install, or look at sources and not at the command.
OTHER_TESTS_LEFT_OUT = ("consumer", "package", "golden.", "rooms.", "docs.", "report_page")
MEMORY_LIMIT, FILE_LIMIT = 6 << 30, 2 << 30

sys.path.insert(0, str(HERE))
from places import places_of, with_mutants  # noqa: E402


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def say(message):
    print(f"==> {message}", file=sys.stderr, flush=True)


# --- What is changed ---------------------------------------------------------------------------------------------


@functools.cache
def places_in(name):
    return places_of(name, (ROOT / name).read_text())


def all_places(prefixes):
    places = []
    for folder in FOLDERS:
        for path in sorted((ROOT / "src" / folder).glob("*.[ch]pp")):
            name = path.relative_to(ROOT).as_posix()
            if not prefixes or any(name.startswith(prefix.split(":")[0]) for prefix in prefixes):
                places += places_in(name)
    lines = {prefix for prefix in prefixes if ":" in prefix}
    return [place for place in places if not lines or f"{place.path}:{place.line}" in lines]


@functools.cache
def alike_in(name):
    """The offsets of the places of a source by their change and line."""
    lines = (ROOT / name).read_text().splitlines()
    alike = {}
    for place in places_in(name):
        alike.setdefault((place.change, lines[place.line - 1].strip()), []).append(place.offset)
    return lines, alike


class Mutant:
    def __init__(self, number, place):
        self.number, self.place = number, place
        lines, alike = alike_in(place.path)
        self.line_text = lines[place.line - 1].strip()
        offsets = alike[(place.change, self.line_text)]
        self.change = place.change + (f" #{offsets.index(place.offset) + 1}" if len(offsets) > 1 else "")
        # It stays when other lines of the file change.
        self.key = f"{place.path} | {self.change} | {self.line_text}"

    def __str__(self):
        return f"{self.place.path}:{self.place.line}: {self.change}"


def chosen_mutants(options):
    """Those whose keys have the least hashes with the seed, so that a change of one source leaves the others' choice."""
    mutants = [Mutant(0, place) for place in all_places(options.prefixes)]
    if not mutants:
        fail(f"no place to change in {' '.join(options.prefixes)}")
    by_hash = sorted(mutants, key=lambda mutant: hashlib.sha1(f"{options.seed} {mutant.key}".encode()).digest())
    chosen = {mutant.key for mutant in by_hash[:options.count]}
    if options.survivors and SURVIVORS.is_file():
        chosen |= set(json.loads(SURVIVORS.read_text()))
    kept = [mutant for mutant in mutants if mutant.key in chosen]
    for number, mutant in enumerate(kept, 1):
        mutant.number = number
    return kept


def equivalents():
    """The keys of changes that make no difference. Each stands on a line of its own, above its reason."""
    lines = [line for line in (HERE / "equivalent.txt").read_text().splitlines() if line and not line.startswith("#")]
    keys = {line for line in lines if not line.startswith(" ")}
    paths = sorted({key.split(" | ")[0] for key in keys})
    gone = keys - {Mutant(0, place).key for path in paths if (ROOT / path).is_file() for place in places_in(path)}
    if gone:
        fail("tests/mutate/equivalent.txt speaks of lines that are no longer in the sources:\n" + "\n".join(sorted(gone)))
    return keys


# --- The build ---------------------------------------------------------------------------------------------------


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != text:
        path.write_bytes(text)


def copy_tree(mutants):
    """The files that git knows, with the mutants in them. What did not change keeps its time and is not built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    by_path = {}
    for mutant in mutants:
        by_path.setdefault(mutant.place.path, []).append((mutant.number, mutant.place))
    for name in names:
        text = (ROOT / name).read_bytes()
        if name in by_path:
            text = with_mutants(text.decode(), by_path[name]).encode()
        write_if_changed(TREE / name, text)
        os.chmod(TREE / name, (ROOT / name).stat().st_mode)
    extra = {"include/scalelaw/mutants.hpp": HERE / "mutants.hpp", "tests/support/reach_listener.cpp": HERE / "reach_listener.cpp"}
    for name, source in extra.items():
        write_if_changed(TREE / name, source.read_bytes())
    for path in TREE.rglob("*"):
        if path.is_file() and path.relative_to(TREE).as_posix() not in names | extra.keys():
            path.unlink()


def compile_all(jobs):
    """Builds what can be built, and returns the compiler's messages and whether all was well."""
    if not (BUILD / "build.ninja").is_file():
        subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Release",
                        "-D", "CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-D", "CMAKE_CXX_FLAGS=-Wno-narrowing",
                        "-D", "CMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", BUILD, "--parallel", str(jobs), "--", "-k", "0"],
                          capture_output=True, text=True, errors="replace")
    (WORK / "build.log").write_text(done.stdout + done.stderr)
    return done.stdout + done.stderr, done.returncode == 0


def blamed(messages, mutants):
    """The mutants at which errors of the compiler point."""
    places = {}
    for mutant in mutants:
        places.setdefault((mutant.place.path, mutant.place.line), []).append(mutant)
    guilty = set()
    # What leads to an error stands before it, and its notes after it.
    parts = re.split(r"(?m)^(.*? (?:error|warning): .*)$", messages)
    for i in range(1, len(parts), 2):
        if " error: " not in parts[i]:
            continue
        before, after = (re.split(r"(?m)^\[\d+/\d+\]", parts[k]) for k in (i - 1, i + 1))
        block = before[-1] + parts[i] + after[0]
        named = {int(n) for n in re.findall(r"(?:mutants::\w+<|\bid = )-?(\d+)", block)}
        lines = re.findall(r"((?:src|include)/[\w/.]+):(\d+)", block)
        here = [m for path, line in lines for m in places.get((path, int(line)), [])]
        guilty.update([m for m in mutants if m.number in named] or here)
    return guilty


class Dropped:
    """Places where a change does not compile. Kept, because a source that is not compiled again gives no message."""

    def __init__(self):
        self.path = WORK / "dropped.json"
        self.keys = set(json.loads(self.path.read_text())) if self.path.is_file() else set()

    @staticmethod
    def key(mutant):
        return f"{hashlib.sha1((ROOT / mutant.place.path).read_bytes()).hexdigest()} {mutant.place.offset} {mutant.place.change}"

    def __contains__(self, mutant):
        return self.key(mutant) in self.keys

    def add(self, mutants):
        self.keys.update(self.key(mutant) for mutant in mutants)
        self.path.write_text(json.dumps(sorted(self.keys)))


def build(mutants, jobs):
    """Returns the mutants that compile."""
    WORK.mkdir(parents=True, exist_ok=True)
    dropped = Dropped()
    left = [mutant for mutant in mutants if mutant not in dropped]
    for attempt in range(1, 12):
        say(f"Building {len(left)} mutants (attempt {attempt})")
        copy_tree(left)
        messages, is_built = compile_all(jobs)
        useless = {int(n) for n in re.findall(r"does_not_apply\(\) \[with int id = -?(\d+)\]", messages)}
        useless |= {int(n) for n in re.findall(r"does_not_apply<-?(\d+)>", messages)}
        gone = [mutant for mutant in left if mutant.number in useless]
        guilty = [] if is_built else blamed(messages, left)
        dropped.add([*gone, *guilty])
        if not is_built and not guilty:
            fail(f"the build failed, and no mutant is to blame: see {WORK / 'build.log'}")
        left = [mutant for mutant in left if mutant not in dropped]
        if is_built:
            return left
    fail("the build failed too often")


# --- Running tests -----------------------------------------------------------------------------------------------


def limits():
    os.setsid()
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))


def run(command, seconds, variables):
    """Exit status (None: the time limit was reached) and output. Its temporary files are removed."""
    folder = tempfile.mkdtemp(prefix="m")
    environment = {**os.environ, **variables, "TMPDIR": folder}
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, cwd=BUILD, preexec_fn=limits)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)  # Also what a test started and left behind.
        except ProcessLookupError:
            pass
        process.wait()
        out.seek(0)
        text = out.read().decode(errors="replace")
    shutil.rmtree(folder, ignore_errors=True)
    return status, text


def lines_of_reach(path):
    """Labels and the numbers that were reached. Lines of called commands belong to the next labelled line."""
    pending, lines = set(), []
    for line in path.read_text().splitlines() if path.is_file() else []:
        label, _, numbers = line.partition("\t")
        pending |= {int(number) for number in numbers.split()}
        if label:
            lines.append((label, pending))
            pending = set()
    if pending:
        lines.append(("", pending))
    return lines


class UnitTests:
    """One program. Tests that fail without a mutant are left out."""
    name = "unit tests"

    def __init__(self):
        self.reach, self.seconds, self.folder = {}, {}, {}

    def map(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "reached"
            run([UNIT_TESTS, "--gtest_brief=1"], 3000, {"MUTANT_REACHED": str(path)})
            lines = lines_of_reach(path)
            at_start = next((reached for label, reached in lines if label == "*"), set())
            for label, reached in lines:
                test, *figures = label.split(" ")
                if len(figures) != 2:
                    continue
                if figures[1] != "ok":
                    say(f"left out, since it fails without a mutant: {test}")
                    continue
                self.reach[test] = reached | at_start
                self.seconds[test] = int(figures[0]) / 1000
            self.read_folders(pathlib.Path(folder) / "tests.json")

    def read_folders(self, path):
        run([UNIT_TESTS, "--gtest_list_tests", f"--gtest_output=json:{path}"], 60, {})
        for suite in json.loads(path.read_text())["testsuites"]:
            for test in suite["testsuite"]:
                self.folder[f"{suite['name']}.{test['name']}"] = pathlib.Path(test["file"]).parent.name

    def stages(self, mutant):
        """First the tests of the mutant's folder that reach it, then all others, in whole suites."""
        reaching = [test for test, reached in self.reach.items() if mutant.number in reached]
        folder = mutant.place.path.split("/")[1]
        near = [test for test in reaching if self.folder.get(test) == folder and self.seconds[test] < 1]
        suites = {test.split(".")[0] for test in reaching}
        far = [test for test in self.reach if test.split(".")[0] in suites and test not in set(near)]
        return [stage for stage in (near, far) if stage]

    def notices(self, mutant):
        for stage in self.stages(mutant):
            seconds = sum(self.seconds[test] for test in stage)
            with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
                flags.write(f"--gtest_filter={':'.join(stage)}\n")
                flags.flush()
                status, text = run([UNIT_TESTS, "--gtest_fail_fast", f"--gtest_flagfile={flags.name}"], 20 + 8 * seconds,
                                   {"MUTANT": str(mutant.number)})
            if status == 0:
                continue
            failed = re.findall(r"(?m)^\[  FAILED  \] (\S+?)[, ]*(?:$|\(|,)", text)
            begun = re.findall(r"(?m)^\[ RUN      \] (\S+)", text)
            test = failed[0] if failed else begun[-1] if begun else "the start of the tests"
            return test + (" (time limit)" if status is None else "" if failed else " (crash)")
        return None


class StoredOutputs:
    """tests/golden/outputs, case by case."""
    name = "stored outputs"

    def __init__(self):
        self.reach = {}

    def map(self):
        script = TREE / "tests" / "golden" / "outputs"
        loader = importlib.machinery.SourceFileLoader("outputs", str(script))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("outputs", loader))
        loader.exec_module(module)
        with tempfile.TemporaryDirectory(prefix="g") as folder:
            runner = module.Runner(COMMAND, 1, pathlib.Path(folder))
            for number, case in enumerate(module.read_cases()):
                path = pathlib.Path(folder) / f"reached{number}"
                runner.environment["MUTANT_REACHED"] = str(path)
                runner.run(case, number)
                self.reach[case.name] = set().union(*(reached for _, reached in lines_of_reach(path)))

    def notices(self, mutant):
        cases = [case for case, reached in self.reach.items() if mutant.number in reached]
        if not cases:
            return None
        status, text = run([TREE / "tests/golden/outputs", "check", COMMAND, *cases], 60 + len(cases), {"MUTANT": str(mutant.number)})
        if status == 0:
            return None
        found = re.search(r"(?m)^--- stored ([^\s.]+)|^(\S+?)[.:]", text)
        return f"stored output {(found[1] or found[2]) if found else ''}" + (" (time limit)" if status is None else "")


class OtherTests:
    """What else ctest runs against the command."""
    name = "tests of the command"

    def __init__(self):
        self.reach, self.seconds = {}, {}

    def run_one(self, test, seconds, variables):
        return run(["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(test)}$", "--timeout", str(int(seconds) + 1)], seconds + 10, variables)

    def map(self):
        units = set(UNITS.reach) | set(UNITS.folder)
        listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], capture_output=True, text=True, check=True).stdout
        for test in re.findall(r"Test +#\d+: (\S+)", listed):
            if test.startswith(OTHER_TESTS_LEFT_OUT) or test in units or not test[0].islower():
                continue
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "reached"
                begin = time.monotonic()
                status, _ = self.run_one(test, 300, {"MUTANT_REACHED": str(path)})
                if status != 0:
                    say(f"left out, since it fails without a mutant: {test}")
                    continue
                self.seconds[test] = time.monotonic() - begin
                self.reach[test] = set().union(*(reached for _, reached in lines_of_reach(path)))

    def notices(self, mutant):
        for test in sorted((t for t, reached in self.reach.items() if mutant.number in reached), key=self.seconds.get):
            status, _ = self.run_one(test, 20 + 8 * self.seconds[test], {"MUTANT": str(mutant.number)})
            if status != 0:
                return test
        return None


UNITS = UnitTests()
STAGES = [UNITS, StoredOutputs(), OtherTests()]


def judge(mutants, options):
    """What noticed each mutant: (stage, test), or None."""
    verdicts = {}
    left = mutants
    for stage in STAGES[:2] if options.quick else STAGES:
        if not left:
            break
        say(f"{stage.name}: which of them reach what")
        stage.map()
        say(f"{stage.name}: {len(left)} mutants")
        with ThreadPoolExecutor(options.jobs) as pool:
            for mutant, test in zip(left, pool.map(stage.notices, left)):
                verdicts[mutant.number] = (stage.name, test) if test else None
                if test:
                    print(f"{mutant}   noticed by {test}", flush=True)
        left = [mutant for mutant in left if verdicts[mutant.number] is None]
    for mutant in left:
        is_reached = any(mutant.number in reached for stage in STAGES for reached in stage.reach.values())
        print(f"{mutant}   SURVIVED{'' if is_reached else ', no test reaches it'}\n    {mutant.line_text}", flush=True)
    return verdicts


# --- The call ----------------------------------------------------------------------------------------------------


def report(mutants, verdicts, known, options):
    """Prints the figures and returns the exit status."""
    survivors = [mutant for mutant in mutants if verdicts[mutant.number] is None]
    SURVIVORS.write_text(json.dumps([mutant.key for mutant in survivors]))
    equal = [mutant for mutant in survivors if mutant.key in known]
    counted = len(mutants) - len(equal)
    noticed = len(mutants) - len(survivors)
    print(f"\n{'folder':12} {'noticed':>8} {'of':>5}")
    for folder in FOLDERS:
        own = [m for m in mutants if m.place.path.startswith(f"src/{folder}/") and m not in equal]
        if own:
            print(f"{folder:12} {sum(verdicts[m.number] is not None for m in own):8} {len(own):5}")
    by_stage = [f"{sum(1 for v in verdicts.values() if v and v[0] == stage.name)} by {stage.name}" for stage in STAGES]
    share = 100 * noticed / counted if counted else 100
    print(f"{noticed} of {counted} mutants were noticed ({share:.1f} %): {', '.join(by_stage)}. "
          f"{len(equal)} more make no difference (tests/mutate/equivalent.txt).")
    if any(m.key not in known for m in survivors):
        print("Where no test can notice a change, it goes to equivalent.txt, above a line with the reason:")
        print("\n".join(m.key for m in survivors if m.key not in known))
    return 0 if share >= options.threshold else 1


def options_of_call():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which places are taken (1)")
    parser.add_argument("--count", type=int, default=100, help="how many places (100)")
    parser.add_argument("--all", dest="count", action="store_const", const=None, help="all places")
    parser.add_argument("--in", dest="prefixes", action="append", default=[], metavar="PATH[:LINE]",
                        help="only places of files whose path begins so, or of one line")
    parser.add_argument("--threshold", type=float, default=90, help="least share that tests must notice, in percent (90)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants that are tested at a time (one per core)")
    parser.add_argument("--survivors", action="store_true", help="also those that survived the last call")
    parser.add_argument("--quick", action="store_true", help="unit tests and stored outputs, without the scripts that test the command")
    parser.add_argument("--list", action="store_true", help="show the changes and build nothing")
    return parser.parse_args()


def main():
    options = options_of_call()
    mutants = chosen_mutants(options)
    known = equivalents()
    if options.list:
        print("\n".join(f"{mutant}\n    {mutant.line_text}" for mutant in mutants))
        return 0
    built = build(mutants, options.jobs)
    print(f"{len(built)} mutants; {len(mutants) - len(built)} of {len(mutants)} places do not compile when changed", flush=True)
    return report(built, judge(built, options), known, options)


if __name__ == "__main__":
    sys.exit(main())
