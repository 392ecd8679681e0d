#!/usr/bin/env bash
# wheel_test.sh LIBRARY SOURCE PYTHON: the wheel is made, installed into a bare virtual environment, and works there.
set -euo pipefail
library=$(realpath "$1") source=$2
export PYTHON=$3
"$PYTHON" -c 'import importlib.util as i; assert all(map(i.find_spec, ("venv", "ensurepip", "pip", "setuptools", "wheel")))' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$source/python/make_wheel" "$library" 1.2.3 "$work/dist"
ls dist | grep -qx 'scalelaw-1\.2\.3-py3-none-linux_x86_64\.whl'
"$PYTHON" -m venv bare
bare/bin/pip install --quiet --no-index --disable-pip-version-check dist/*.whl
cat > try.py <<'PYTHON'
import sys
import scalelaw as sl
fits = sl.fit({"gpus": [1, 2, 4, 8], "seconds": [800.0, 400.0, 200.0, 100.0]})
assert abs(float(fits[()].beta) - 1) < 1e-9
assert "numpy" not in sys.modules
print(sl.__version__)
PYTHON
env -u PYTHONPATH -u SCALELAW_LIBRARY bare/bin/python try.py
# pytest finds the plug-in of an installed package by its entry.
"$PYTHON" -m zipfile -e dist/*.whl unpacked
grep -A1 -Fx '[pytest11]' unpacked/*/entry_points.txt | grep -qFx 'scalelaw = scalelaw.pytest_plugin'
if "$PYTHON" -c 'import pytest' 2>/dev/null; then
  PYTHONPATH=unpacked "$PYTHON" -m pytest --help | grep -e --scalelaw-update > /dev/null
fi
