#!/usr/bin/env python3
"""The notebooks run, show what is stored, and open with whom they are for: notebooks_test.py. Skipped without Jupyter or pandas."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

if not all(map(importlib.util.find_spec, ("nbconvert", "ipykernel", "pandas"))):
    sys.exit(77)

FOLDER = pathlib.Path("docs/notebooks").resolve()
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


class Notebooks(unittest.TestCase):
    def test_they_show_what_is_stored(self):
        with tempfile.TemporaryDirectory() as home:
            own = {"IPYTHONDIR": home, "JUPYTER_RUNTIME_DIR": home, "JUPYTER_CONFIG_DIR": home}
            done = subprocess.run([sys.executable, str(FOLDER / "make"), "check"], env={**os.environ, **own}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_they_open_with_whom_they_are_for(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            head = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).split("\n\n")
            self.assertTrue(head[0].startswith("# "), path.name)
            self.assertRegex(head[1], "^This notebook is for you if .*, and it answers .*\\.$", path.name)

    def test_they_become_pages(self):
        import nbconvert

        for path in NOTEBOOKS:
            with warnings.catch_warnings():  # nbconvert of its own call of nbformat.
                warnings.simplefilter("ignore")
                page, _ = nbconvert.HTMLExporter().from_filename(str(path))
            self.assertIn("This notebook is for you if", page, path.name)

    def test_each_cell_ran_and_each_notebook_has_a_figure(self):
        for path in NOTEBOOKS:
            cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
            self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)), path.name)
            kinds = {kind for cell in cells for output in cell["outputs"] for kind in output.get("data", {})}
            self.assertIn("image/svg+xml", kinds, path.name)


if __name__ == "__main__":
    unittest.main()
