#!/usr/bin/env python3
"""Examples of Python in the documents run and show what stands there; those without a prompt are at least Python."""
import contextlib
import doctest
import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path.cwd()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks_of(page):
    """Blocks of Python, each with its line."""
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        yield text[:block.start()].count("\n") + 1, block.group(1)


@contextlib.contextmanager
def in_a_folder_of_its_own():
    """A folder in which the data of the project are found, and files of the examples go."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "data", pathlib.Path(folder) / "data")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(ROOT)


class Documents(unittest.TestCase):
    def test_examples_run_and_show_what_stands_there(self):
        examples = 0
        for page in PAGES:
            with in_a_folder_of_its_own():
                for line, block in blocks_of(page):
                    name = f"{page.relative_to(ROOT)}:{line}"
                    if ">>>" not in block:
                        compile(block, name, "exec")
                        continue
                    if "to_pandas" in block and not self.has_pandas():
                        continue
                    found = doctest.DocTestParser().get_doctest(block, {}, name, name, line)
                    told = []
                    failed, tried = doctest.DocTestRunner(verbose=False).run(found, out=told.append)
                    self.assertEqual(failed, 0, "".join(told))
                    examples += tried
        self.assertGreater(examples, 20)

    def test_each_task_is_told_in_python_too(self):
        for page in [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/how-to").glob("*.md"))]:
            self.assertIn("python", page.read_text(encoding="utf-8").lower(), page.name)

    @staticmethod
    def has_pandas():
        import importlib.util

        return importlib.util.find_spec("pandas") is not None


if __name__ == "__main__":
    unittest.main()
