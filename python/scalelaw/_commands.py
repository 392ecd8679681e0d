"""A function per command, made from the schema of the library, which is made from the options of the command line."""

import collections.abc
import functools
import inspect
import json
import keyword
import os

from ._errors import OptionError
from ._library import Call, library, log_messages
from ._results import Figure, Result, Text
from ._tables import is_paths, table_of

# Results that a call writes to files, or keeps, are made once and not again in another format.
_WRITTEN = {"output", "also", "export", "store", "keep", "kept_at", "update", "submissions", "traces"}
# Words of a call that are no paths.
_PLAIN_WORDS = {"KIND", "ACTION", "TOPIC", "SHELL", "NAME"}


class Table:
    """Data under a name, by which messages and documents call them: `sl.fit(sl.Table(df, "runs.csv"))`."""

    def __init__(self, data, name):
        self.data = data
        self.name = name


@functools.lru_cache(maxsize=None)
def schema():
    """All commands and their options, as a dictionary."""
    return json.loads(library().scalelaw_schema().decode())


def _named(option):
    """The name of the parameter: a key that is a word of Python has an underscore behind it."""
    key = option["key"]
    return key + "_" if keyword.iskeyword(key) or key == "self" else key


def _command(name):
    for command in schema()["commands"]:
        if command["command"].replace(" ", "_") == name:
            return command
    raise AttributeError(f"scalelaw has no command {name}")


def names():
    return [command["command"].replace(" ", "_") for command in schema()["commands"]]


def _part(value, separators):
    """A part of a condition, whose texts have no marks around them."""
    text = str(value)
    found = next((one for one in separators if one in text), None)
    if found is not None:
        raise OptionError(f"{text!r} holds {found!r}, which separates the parts of a condition: select these rows in the table itself")
    return text


def _any_of(value):
    """The right side of a condition: one value, or several separated by commas. None is an empty cell."""
    if value is None:
        return ""
    values = _plain(value)
    if isinstance(values, list):
        if not values:
            raise OptionError("a condition needs a value, and its list is empty")
        return ",".join(_part("" if one is None else one, ",") for one in values)
    return _part(values, ",")


def _plain(value):
    """A value as JSON has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, collections.abc.Mapping):
        return [f"{_part(name, '=<>!')}={_any_of(one)}" for name, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):  # Scalars and arrays of NumPy.
        return _plain(value.tolist())
    return [_plain(one) for one in value] if isinstance(value, collections.abc.Iterable) else str(value)


class _Made:
    """What a call is made of, so that it can be made again in another format."""

    def __init__(self, command, options, tables):
        self._command = command
        self._options = options
        self._tables = tables

    @property
    def command(self):
        return self._command["command"]

    def answer(self):
        with Call(self._command["command"], json.dumps(self._options), self._tables) as call:
            return call.run()

    def _as(self, format):
        kept = {key: value for key, value in self._options.items() if key not in _WRITTEN}
        return Call(self._command["command"], json.dumps({**kept, "format": format}), self._tables)

    def __call__(self, format):
        with self._as(format) as call:
            return call.run().result.decode()

    def arrow(self, address):
        """Makes a stream of Arrow at that address, with the table of the result."""
        with self._as("csv") as call:
            call.keep_table()
            call.run()
            call.result_arrow(address)

    def shared_with(self, name):
        """The arguments of this call that another command takes, too."""
        others = {_named(option) for option in _command(name)["options"]}
        own = {_named(option): self._options[option["key"]] for option in self._command["options"]
               if option["key"] in self._options and option["key"] not in _WRITTEN | {"format", "columns", "details"}}
        shared = {key: value for key, value in own.items() if key in others}
        if self._tables:
            shared["_tables"] = self._tables
        return shared


def _read(option, value, tables):
    """The value of a word of the call. A table in memory joins the tables, and its name is the value."""
    name = option["key"] if option["key"] != "input" else "table"
    if isinstance(value, Table):
        name, value = value.name, value.data
    if value is None or option.get("word") in _PLAIN_WORDS or is_paths(value):
        return _plain(value)
    tables.append(table_of(value, name))
    return name


def _formats(command):
    for option in command["options"]:
        if option["key"] == "format":
            return option.get("choices", [])
    return []


def _result(made, options, command):
    answer = made.answer()
    log_messages(answer)
    if options.get("format") == "json":
        return Result(made, answer, function)
    text = answer.result.decode()
    if command["command"].startswith("plot") and text.startswith("<?xml"):
        return Figure(text, answer.notes)
    return Text(text, answer)


def _signature(words, options):
    kinds = inspect.Parameter
    parameters = [kinds(_named(one), kinds.POSITIONAL_OR_KEYWORD, default=None) for one in words]
    parameters += [kinds(_named(one), kinds.KEYWORD_ONLY, default=None) for one in options]
    return inspect.Signature(parameters)


def _documentation(command, words, options):
    lines = [command["description"] + ".", ""]
    for option in [*words, *options]:
        usual = f" Default: {option['default']}." if option.get("default") else ""
        choices = f" One of {', '.join(option['choices'])}." if option.get("choices") else ""
        lines += [f"{_named(option)}: {option['help']}.{choices}{usual}"]
    lines += ["", "On the command line:", "", command["examples"].rstrip("\n")]
    return "\n".join(lines)


@functools.lru_cache(maxsize=None)
def function(name):
    """The function of a command, such as "fit" or "plot_replay"."""
    command = _command(name)
    words = [option for option in command["options"] if "word" in option]
    options = [option for option in [*command["options"], *schema()["options"]] if "word" not in option]
    signature = _signature(words, options)
    by_name = {_named(option): option for option in [*words, *options]}
    word_names = [_named(option) for option in words]
    has_json = {"json", "table"} <= set(_formats(command))  # Of a report the page is wanted, unless told otherwise.

    def call(*arguments, _tables=(), **named):
        given = dict(zip(word_names, arguments))
        # A signature says what is wrong with the arguments, but takes as long as a small fit to bind them.
        if len(arguments) > len(words) or any(name in given or name not in by_name for name in named):
            signature.bind(*arguments, **named)
        given.update(named)
        tables = list(_tables)
        chosen = {}
        for key, value in given.items():
            option = by_name[key]
            if value is not None:
                chosen[option["key"]] = _read(option, value, tables) if "word" in option else _plain(value)
        if has_json:
            chosen.setdefault("format", "json")
        return _result(_Made(command, chosen, tables), chosen, command)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "scalelaw"
    setattr(call, "__signature__", signature)  # help() and editors show it.
    call.__doc__ = _documentation(command, words, options)
    return call
