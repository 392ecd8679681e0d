"""Scaling laws of training time, energy and loss: fitted and judged.

    >>> import scalelaw as sl
    >>> runs = {"gpus": [1, 2, 4, 8], "epoch_seconds": [800.0, 410.0, 205.0, 98.0]}
    >>> fits = sl.fit(runs)
    >>> round(float(next(iter(fits)).beta), 3)
    1.009

Each command of scalelaw is a function: `sl.fit`, `sl.rank`, `sl.contrast`, `sl.caps`, `sl.energy`, `sl.pareto`,
`sl.predict`, `sl.plan`, `sl.gate`, `sl.tail`, `sl.isoflop`, `sl.budget`, `sl.replay`, `sl.ingest`, `sl.store`,
`sl.history`, `sl.plot`, `sl.report`, `sl.look`. Options are keywords, with the names of the command line.
"""

from ._errors import DataError, FitError, InternalError, OptionError, ParseError, ScalelawError

_LAZY = {"Estimate": "_results", "Figure": "_results", "Item": "_results", "Result": "_results", "Text": "_results",
         "Table": "_commands", "schema": "_commands"}

__all__ = ["DataError", "FitError", "InternalError", "OptionError", "ParseError", "ScalelawError", *_LAZY]


def __getattr__(name):
    # What is asked for is made then, so that an import is quick.
    import importlib

    if name == "__version__":
        return importlib.import_module("._library", __name__).version()
    if name in _LAZY:
        value = getattr(importlib.import_module("." + _LAZY[name], __name__), name)
    elif name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = importlib.import_module("._commands", __name__).function(name)
    globals()[name] = value
    return value


def __dir__():
    from ._commands import names

    return sorted([*__all__, *names(), "__version__"])
