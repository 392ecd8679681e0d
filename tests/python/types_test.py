#!/usr/bin/env python3
"""Types: mypy accepts the package and programs that use it, refuses wrong calls, and finds the stubs to be those of the package.

  types_test.py SOURCE_FOLDER

Skipped without Debian's mypy."""
import importlib.util
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("mypy") is None:
    sys.exit(77)

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
SETTINGS = str(SOURCE / "python" / "pyproject.toml")
EXAMPLES = SOURCE / "tests" / "python" / "typed_examples.py"
# What mypy must say of a call.
WRONG = [('sl.fit("runs.csv", lwa="power")', 'Unexpected keyword argument "lwa"'),
         ('sl.fit("runs.csv", x=["gpus"])', 'Argument "x" to "fit" has incompatible type'),
         ('sl.fit("runs.csv", skip_bad_rows="yes")', 'Argument "skip_bad_rows" to "fit" has incompatible type'),
         ('sl.fitt("runs.csv")', 'Module has no attribute "fitt"'),
         ('sl.gate("a.json", "b.csv").passed + "x"', "Unsupported operand types"),
         ('sl.generate().to_json()', '"Text" has no attribute "to_json"')]


class Types(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def told(self, module, *words):
        call = [sys.executable, "-m", module, *words]
        done = subprocess.run(call, cwd=self.folder, env={**os.environ, "MYPYPATH": str(SOURCE / "python")},
                              capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def mypy(self, *words):
        return self.told("mypy", "--config-file", SETTINGS, "--cache-dir", str(self.folder / "cache"), *map(str, words))

    def test_the_package_and_programs_that_use_it(self):
        for words in [("--strict", EXAMPLES, SOURCE / "python/scalelaw/pytest_plugin.py"), (SOURCE / "python/scalelaw",)]:
            status, text = self.mypy(*words)
            self.assertEqual(status, 0, text)
        with self.assertRaises(SystemExit) as ended:
            runpy.run_path(str(EXAMPLES), run_name="__main__")
        self.assertEqual(ended.exception.code, 0)

    def test_wrong_calls_are_refused(self):
        program = self.folder / "wrong.py"
        program.write_text("import scalelaw as sl\n" + "\n".join(call for call, _ in WRONG) + "\n")
        lines = [line for line in self.mypy("--strict", program)[1].splitlines() if ": error: " in line]
        self.assertEqual(len(lines), len(WRONG), lines)
        for line, (call, expected) in zip(lines, WRONG):
            self.assertIn(expected, line, call)

    def test_the_stubs_are_those_of_the_package(self):
        allowed = self.folder / "allowed"
        allowed.write_text("scalelaw._tables._Buffer.*\nscalelaw._arrow.(Schema|Array|Stream).*\n")  # ctypes makes their members.
        status, text = self.told("mypy.stubtest", "--mypy-config-file", SETTINGS, "--allowlist", str(allowed), "scalelaw")
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    unittest.main()
