"""What programs with types write. mypy reads this file, and the test runs it."""
import sys
from typing import Dict, List, Mapping, Optional, Tuple, Union

import scalelaw as sl
from scalelaw.pytest_plugin import Gate

RUNS: Mapping[str, List[float]] = {"gpus": [1, 2, 4, 8, 16], "epoch_seconds": [800.0, 410.0, 205.0, 98.0, 51.0]}


def exponents(table: str) -> Dict[Tuple[str, ...], float]:
    """Exponents by the values of the groups, and their intervals where there are some."""
    fits: sl.Result = sl.fit(table, x="gpus", y="epoch_seconds", by=["model", "power_cap_w"], where={"clock_mhz": 1380})
    return {tuple(fit["group"].values()): float(fit.beta) for fit in fits}


def interval(fits: sl.Result) -> Tuple[float, Optional[Tuple[Optional[float], Optional[float]]]]:
    beta: sl.Estimate = fits[()].beta
    return beta.estimate, beta.ci


def passes(runs: object, baseline: sl.Result) -> bool:
    return sl.gate(baseline, runs, max_slowdown="5%").passed


def figure(table: str) -> Optional[str]:
    drawn: Union[sl.Figure, sl.Text] = sl.plot("scaling", table)
    return drawn.svg if isinstance(drawn, sl.Figure) else None


def refused(runs: object) -> str:
    try:
        sl.fit(runs, law="power")
    except sl.ParseError as error:
        return error.place
    except (sl.DataError, sl.FitError) as error:
        return str(error)
    return ""


def test_scaling(scalelaw_gate: Gate) -> None:
    result = scalelaw_gate(RUNS, baseline="baseline.json")
    assert result.document["outcome"] == "passed"


def main() -> int:
    fits = sl.fit(sl.Table(RUNS, "runs"))
    estimate, _ = interval(fits)
    forecast: sl.Result = fits.predict([32, 64])
    text: str = sl.generate()
    assert 0.9 < estimate < 1.1 and passes(RUNS, fits) and len(forecast.to_json()) > 0 and text.startswith("model")
    assert len(exponents("data/demo/runs.csv")) == 12
    assert refused({"gpus": [1], "seconds": ["x"]}) == "table:2"
    return 0


if __name__ == "__main__":
    sys.exit(main())
