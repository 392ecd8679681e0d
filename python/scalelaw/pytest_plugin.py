"""The plug-in for pytest: a test fails where training scales worse than it did. pip installs it with the package.

    def test_training_scales_as_before(scalelaw_gate):
        scalelaw_gate(measure(), baseline="scaling/baseline.json", max_slowdown="5%")

`pytest --scalelaw-update` saves the fits of the runs as the new baselines instead.
"""

from __future__ import annotations  # An older pytest has no names for these types.

import os
from typing import TYPE_CHECKING, Any, Callable, List

import pytest

if TYPE_CHECKING:
    import scalelaw

Gate = Callable[..., "scalelaw.Result"]  # The type of the fixture, for tests with types.

_KEPT_AS = "scalelaw_gate"  # The name of a sentence among the properties of a test, which JUnit XML has, too.


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("scalelaw")
    group.addoption("--scalelaw-update", action="store_true",
                    help="save the fits of the runs of each scalelaw_gate as its new baseline, and fail none")


def _place_of(baseline: Any, folder: str) -> Any:
    """A path of a baseline, which counts from the folder of the test; a baseline in memory as it is."""
    return os.path.join(folder, os.fspath(baseline)) if isinstance(baseline, (str, os.PathLike)) else baseline


def _is_missing(place: Any) -> bool:
    """Whether a baseline is a file that does not exist; those of stores (STORE@LABEL) and columns ({y}) are looked up by the gate."""
    return isinstance(place, str) and not set("@{") & set(os.path.basename(place)) and not os.path.exists(place)


def _why(result: scalelaw.Result) -> str:
    """The sentence of a gate, on one line, and its table."""
    return f"{result.sentence}\n\n" + result.to("table").partition("\n\n")[2].rstrip()


@pytest.fixture
def scalelaw_gate(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Gate:
    """A function `scalelaw_gate(runs, baseline, **options)`, which fails the test where the runs are worse than the baseline.

    runs: the new runs: a table in memory, or a path.
    baseline: saved fits, a run table, or STORE@LABEL; a path counts from the folder of the test's file. Or a table in memory.
    options: those of `scalelaw.gate`, such as max_slowdown="3%", by="model", fail_on="inconclusive".
    Returns the result of `scalelaw.gate`. Raises its exceptions where nothing can be judged, such as DataError where the runs have no times.
    """
    folder = str(request.path.parent)
    updates = request.config.getoption("--scalelaw-update")

    def gate(runs: Any, baseline: Any, **options: Any) -> scalelaw.Result:
        import scalelaw

        place = _place_of(baseline, folder)
        if updates:
            if place is baseline:
                pytest.fail("--scalelaw-update saves fits in a file, but this baseline is in memory", pytrace=False)
            options.update(update=True, exit_zero=True)
        elif _is_missing(place):
            pytest.fail(f"there is no baseline {baseline}; pytest --scalelaw-update makes it of these runs", pytrace=False)
        result = scalelaw.gate(place, runs, **options)
        sentence = f"saved the baseline {baseline}" if updates else result.sentence
        record_property(_KEPT_AS, sentence)
        if not result.passed:
            pytest.fail(_why(result), pytrace=False)
        return result

    return gate


def pytest_terminal_summary(terminalreporter: Any) -> None:
    said: List[str] = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                said += [f"{report.nodeid}: {text}" for name, text in report.user_properties if name == _KEPT_AS]
    if said:
        terminalreporter.section("scalelaw")
        for line in said:
            terminalreporter.write_line(line)
