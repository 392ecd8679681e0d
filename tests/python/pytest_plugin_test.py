#!/usr/bin/env python3
"""The plug-in for pytest, in suites of its own: what passes, what fails and how it is told. Skipped without pytest."""
import csv
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("pytest") is None:
    sys.exit(77)

TEST = '''
def test_scaling(scalelaw_gate):
    runs = {"gpus": [1, 2, 4, 8] * 3, "epoch_seconds": [factor * seconds for factor in (%s) for seconds in (800.0, 400.0, 200.0, 100.0)]}
    result = scalelaw_gate(runs, baseline=%r%s)
    assert result.passed
'''
AS_BEFORE, SLOWER, SCATTERED = "1, 1.001, 1.002", "1.2, 1.201, 1.202", "0.7, 1, 1.4"


class Gates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.baseline = self.folder / "suite" / "baseline.json"
        self.baseline.parent.mkdir()
        (self.folder / "pytest.ini").write_text("[pytest]\n")

    def pytest(self, factors, *words, baseline="baseline.json", options=""):
        """Runs a suite of one test, from another folder than its own."""
        test = self.folder / "suite" / "test_scaling.py"
        test.write_text(TEST % (factors, baseline, options))
        call = [sys.executable, "-m", "pytest", "-p", "scalelaw.pytest_plugin", "-p", "no:cacheprovider", *words, str(test)]
        return subprocess.run(call, cwd=self.folder, capture_output=True, text=True, timeout=120)

    def with_baseline(self):
        told = self.pytest(AS_BEFORE, "--scalelaw-update")
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("test_scaling: saved the baseline baseline.json", told.stdout)
        self.assertIn('"schema": "scalelaw.fit/', self.baseline.read_text())

    def test_runs_as_before_pass(self):
        self.with_baseline()
        told = self.pytest(AS_BEFORE)
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("test_scaling: passed: 1 of 1 group is the same within the limit", told.stdout)

    def test_slower_runs_fail_with_the_sentence_and_the_table(self):
        self.with_baseline()
        told = self.pytest(SLOWER)
        self.assertEqual(told.returncode, 1, told.stdout)
        self.assertIn("\nsuite/test_scaling.py::test_scaling: failed: 1 of 1 group is worse\n", told.stdout)
        self.assertIn("+19.98 %", told.stdout)
        self.assertIn("one-night: ", told.stdout)
        self.assertNotIn("Traceback", told.stdout)

    def test_options_are_those_of_gate(self):
        self.with_baseline()
        self.assertEqual(self.pytest(SLOWER, options=', max_slowdown="30%"').returncode, 0)
        self.assertEqual(self.pytest(SCATTERED).returncode, 0)
        told = self.pytest(SCATTERED, options=', fail_on="inconclusive"')
        self.assertEqual(told.returncode, 1)
        self.assertIn("test_scaling: failed: 1 of 1 group is inconclusive", told.stdout)

    def test_junit_xml_has_the_sentence(self):
        self.with_baseline()
        self.pytest(AS_BEFORE, "--junitxml", str(self.folder / "junit.xml"))
        self.assertIn('<property name="scalelaw_gate" value="passed: ', (self.folder / "junit.xml").read_text())

    def test_a_baseline_that_is_missing_is_an_error(self):
        told = self.pytest(AS_BEFORE)
        self.assertEqual(told.returncode, 1)
        self.assertIn("there is no baseline baseline.json; pytest --scalelaw-update makes it of these runs", told.stdout)

    def test_a_table_is_a_baseline(self):
        with (self.folder / "suite" / "before.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("gpus", "epoch_seconds"), *[(n, 800 / n * factor) for n in (1, 2, 4, 8) for factor in (1, 1.001)]])
        self.assertEqual(self.pytest(AS_BEFORE, baseline="before.csv").returncode, 0)
        self.assertEqual(self.pytest(SLOWER, baseline="before.csv").returncode, 1)

    def test_a_baseline_in_memory_is_not_updated(self):
        before = {"gpus": [1, 2, 4, 8] * 2, "epoch_seconds": [800.0, 400.0, 200.0, 100.0, 801.0, 401.0, 201.0, 101.0]}
        self.assertEqual(self.pytest(AS_BEFORE, baseline=before).returncode, 0)
        told = self.pytest(AS_BEFORE, "--scalelaw-update", baseline=before)
        self.assertEqual(told.returncode, 1)
        self.assertIn("this baseline is in memory", told.stdout)


if __name__ == "__main__":
    unittest.main()
