"""Results of calls: their documents as objects, and the same calls in other formats."""

import base64
import collections.abc
import html
import json
import re

from ._errors import DataError, ScalelawError


# The kind of `plot` that shows what a command found.
_SHOWN_FIGURES = {"fit": "scaling", "predict": "forecast", "energy": "energy-speed", "caps": "caps", "pareto": "pareto",
                  "isoflop": "isoflop", "tail": "tail", "history": "history"}
_MOST_SHOWN = 8  # Groups; figures have no more colours.


class Estimate:
    """An estimate with its standard error `se` and its interval `ci`; a float where one is wanted."""

    def __init__(self, members):
        self.members = members
        self.estimate = members["estimate"]
        self.se = members.get("se")
        self.ci = tuple(members["ci"]) if members.get("ci") is not None else None

    def __float__(self):
        return float(self.estimate)

    def __getattr__(self, name):
        try:
            return self.members[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        text = f"{self.estimate:.6g}"
        if self.se is not None:
            text += f" ± {self.se:.2g}"
        if self.ci is not None and None not in self.ci:
            text += f" ({self.ci[0]:.6g} .. {self.ci[1]:.6g})"
        return text


def _shown(value):
    if isinstance(value, dict):
        return Estimate(value) if "estimate" in value else Item(value)
    if isinstance(value, list):
        return [_shown(one) for one in value]
    return value


class Item(collections.abc.Mapping):
    """Members of a document by their names, as keys and as attributes. Parameters of a law stand beside the others."""

    def __init__(self, members):
        self._members = members

    def __getitem__(self, name):
        parameters = self._members.get("parameters")
        if name not in self._members and isinstance(parameters, dict) and name in parameters:
            return _shown(parameters[name])
        return _shown(self._members[name])

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}; members are: {', '.join(self._members)}") from None

    def __iter__(self):
        return iter(self._members)

    def __len__(self):
        return len(self._members)

    def __repr__(self):
        return "\n".join(f"{name}: {_shown(value)!r}" for name, value in self._members.items())


class _Checked:
    """What ended with an exit status."""

    status: int

    @property
    def passed(self):
        """Whether a check was passed: the exit status of the command is 0."""
        return self.status == 0


class Result(_Checked):
    """What a call gave.

    `status` is the exit status of the command: 0, or 1 where a check failed. `notes` and `warnings` are what the command
    says on standard error. Another format is the same call again, so a result keeps what it was made of.
    """

    def __init__(self, again, answer, function):
        self._again = again
        self._text = answer.result.decode()
        self._function = function
        self._document = None
        self.status = answer.status
        self.notes = answer.notes
        self.warnings = answer.warnings

    def __bool__(self):
        """Whether a gate was passed. Other results are neither true nor false.

        Raises ValueError for the result of another command.
        """
        if self._again.command == "gate":
            return self.passed
        raise ValueError(f"the result of {self._again.command} is neither true nor false: ask for its status, or for its length")

    def to_json(self):
        """The JSON document, byte for byte that of `--format json`."""
        return self._text

    @property
    def document(self):
        """The JSON document as dictionaries and lists."""
        if self._document is None:
            self._document = json.loads(self._text)
        return self._document

    def to(self, format):
        """The result in another format of the command, such as "csv", "markdown" or "latex"."""
        return self._text if format == "json" else self._again(format=format)

    def to_csv(self):
        """All columns of all groups, as `--format csv`."""
        return self.to("csv")

    def to_pandas(self):
        """The table of `to_csv` as a DataFrame of pandas: numbers are numbers, and groups, where each of them is a plain one."""
        import pandas

        from ._arrow import columns_of

        types = {"g": "float64", "l": "int64", "b": "bool"}
        columns = {}
        for name, letter, values in columns_of(self._again.arrow):
            kind = "float64" if letter == "l" and None in values else "object" if letter == "b" and None in values else types.get(letter, "object")
            columns[name] = pandas.Series(values, dtype=kind)
        return pandas.DataFrame(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        """The same table for Polars, PyArrow, DuckDB and others: `polars.DataFrame(fits)`, `pyarrow.table(fits)`."""
        from ._arrow import capsule_of

        return capsule_of(self._again.arrow)

    def _groups(self):
        for value in self.document.values():
            if isinstance(value, list) and value and isinstance(value[0], dict) and "group" in value[0]:
                return value
        return []

    def __len__(self):
        return len(self._groups())

    def __iter__(self):
        return (Item(group) for group in self._groups())

    def __getitem__(self, key):
        """The first result whose group has these values, in the order of the group columns."""
        wanted = [str(part) for part in (key if isinstance(key, tuple) else (key,))]
        for group in self._groups():
            if list(group["group"].values())[: len(wanted)] == wanted:
                return Item(group)
        known = ", ".join("(" + ", ".join(group["group"].values()) + ")" for group in self._groups()[:5])
        raise KeyError(f"there is no group {key!r}; groups are: {known}" if known else "the result has no groups")

    def __getattr__(self, name):
        if name.startswith("_") or not self._text.startswith("{"):
            raise AttributeError(name)
        return getattr(Item(self.document), name)

    def plot(self, *words, **options):
        """The figure of `plot` for the same data; see `scalelaw.plot`."""
        return self._function("plot")(*words, **self._again.shared_with("plot"), **options)

    def predict(self, at, **options):
        """The forecasts of `predict` from these fits at these numbers of GPUs; see `scalelaw.predict`."""
        return self._function("predict")(self, at=at, **options)

    def __repr__(self):
        return "\n".join([self.to("table").rstrip("\n"), *self._told()])

    def _told(self):
        """The warnings about the rows, which no table shows."""
        return [text if text.startswith(" ") else f"warning: {text}" for text in self.warnings]

    def _repr_html_(self):
        told = "".join(f"<p>{html.escape(line)}</p>" for line in self._told())
        return self.to("html") + told + self._shown_figure()

    def _shown_figure(self):
        """The figure that a notebook shows below the table; empty where the command has none, many groups would hide each other, or it cannot be drawn."""
        kind = _SHOWN_FIGURES.get(self._again.command)
        if kind is None or not 0 < len(self) <= _MOST_SHOWN:
            return ""
        try:
            figure = self.plot(kind)
        except ScalelawError:
            return ""
        address = "data:image/svg+xml;base64," + base64.b64encode(figure._repr_svg_().encode()).decode()
        return f'<img style="max-width:100%" src="{address}" alt="{html.escape(figure.notes[-1] if figure.notes else repr(figure))}">'


class Text(_Checked, str):
    """A result that has no JSON document, such as a run table of `ingest`; true where the text is not empty and the `status` is 0."""

    notes: list
    warnings: list

    def __new__(cls, text, answer=None):
        made = super().__new__(cls, text)
        if answer is not None:  # A copy has the attributes of the original.
            made.status, made.notes, made.warnings = answer.status, answer.notes, answer.warnings
        return made

    def __bool__(self):
        return self.passed and len(self) > 0

    def to_pandas(self):
        """The text, which is CSV, as a DataFrame of pandas."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self))


class Figure:
    """A figure as SVG; a notebook shows it."""

    def __init__(self, svg, notes):
        self.svg = svg
        self.notes = notes

    def save(self, path):
        """Writes the SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self):
        # In a page there is no XML declaration, which nbconvert refuses, and a figure needs a size of its own.
        return re.sub(r'^<\?xml.*?\?>\s*<svg (.*?viewBox="0 0 ([0-9.]+) ([0-9.]+)")', r'<svg width="\2" height="\3" \1', self.svg, flags=re.S)

    def __repr__(self):
        return self.notes[0] if self.notes else "<Figure of scalelaw>"


__all__ = ["DataError", "Estimate", "Figure", "Item", "Result", "Text"]
