"""Tables of Python as tables of the library: nothing of a column of numbers is copied.

What is taken, by what it can do rather than by its type:

- a path or several: str, os.PathLike;
- `__arrow_c_stream__`: Polars, PyArrow, DuckDB, and others;
- `to_numpy` columns under `columns`: pandas, with categories as they are;
- `__dataframe__`: other libraries of data frames;
- a mapping of columns: NumPy arrays, array.array and all else with a buffer; lists;
- an iterable of mappings, one per row;
- a result of this package, which is read as its JSON document.
"""

import collections.abc
import ctypes
import os
import sys

from ._errors import DataError

# Types of the buffer protocol by their letters in Arrow; sizes of "l" and "L" are those of this machine.
_LETTERS = {"d": b"g", "f": b"f", "b": b"c", "B": b"C", "h": b"s", "H": b"S", "i": b"i", "I": b"I",
            "q": b"l", "Q": b"L", "l": b"l" if ctypes.sizeof(ctypes.c_long) == 8 else b"i",
            "L": b"L" if ctypes.sizeof(ctypes.c_long) == 8 else b"I"}
_NATIVE = "@=<" if sys.byteorder == "little" else "@=>"


class _Buffer(ctypes.Structure):
    """Py_buffer, whose address memoryview does not tell."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class _Held:
    """The memory of an object with a buffer, held until this is forgotten."""

    def __init__(self, view):
        self._buffer = _Buffer()
        contiguous = 0x38  # PyBUF_C_CONTIGUOUS
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(self._buffer), contiguous)
        self.address = self._buffer.buf

    def __del__(self):
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))


def _is_missing(value):
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _encoded(text):
    """A text for C, where NUL ends one.

    Raises DataError for a text that holds NUL.
    """
    if "\0" in text:
        raise DataError(f"the text {text!r} holds NUL, and no table can have it")
    return text.encode()


def _words(texts):
    """An array of C strings, with null for None."""
    encoded = [None if text is None else _encoded(text) for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def text_of(value):
    if _is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # Groups of 250.0 W are groups of 250 W.
    return str(value)


class Numbers:
    """A column of numbers where they lie. The letter is Arrow's."""

    def __init__(self, view, letter):
        self._held = _Held(view)
        self._rows = len(view)
        self._letter = letter

    def add_to(self, call, table, name):
        call.add("values", table, name, self._letter, self._held.address, self._rows)

    @classmethod
    def of_view(cls, view):
        """The column of a view whose type has a letter."""
        return cls(view, _LETTERS[view.format.lstrip(_NATIVE)])

    @classmethod
    def of_list(cls, values):
        """A copy of numbers, with None for missing ones."""
        import array

        return cls(memoryview(array.array("d", [float("nan") if value is None else value for value in values])), b"g")


class Codes:
    """A column of indices into words; nothing but the words is copied."""

    def __init__(self, codes, words):
        view = memoryview(codes)
        self._held = _Held(view)
        self._rows = len(view)
        self._letter = b"C" if view.format == "?" else _LETTERS[view.format.lstrip(_NATIVE)]
        self._words = _words(words)

    def add_to(self, call, table, name):
        call.add("codes", table, name, self._letter, self._held.address, self._rows, self._words, len(self._words))


class Texts:
    """A column of texts, which is copied; None is a missing one."""

    def __init__(self, values):
        self._texts = _words([text_of(value) for value in values])

    def add_to(self, call, table, name):
        call.add("texts", table, name, self._texts, len(self._texts))


def _column_of_buffer(values):
    """A column of an object with a buffer; nothing for other objects and types."""
    try:
        view = memoryview(values)
    except (TypeError, ValueError):
        return None
    if view.ndim != 1 or not view.format:
        return None
    if not view.contiguous:
        copied = getattr(values, "copy", None)
        return _column_of_buffer(copied()) if copied else _column_of_list(values)
    code = view.format.lstrip(_NATIVE)
    if code == "?":
        return Codes(view, ["False", "True"])
    return Numbers.of_view(view) if code in _LETTERS else None


def _column_of_list(values):
    values = list(values)
    try:
        if any(isinstance(value, (str, bool)) for value in values):
            return Texts(values)
        return Numbers.of_list(values)
    except TypeError:
        return Texts(values)


def _unmasked(array):
    """The values of a masked array of NumPy, with NaN, NaT or None where the mask hides one."""
    if array.dtype.kind in "iuf":
        return array.astype("float64").filled(float("nan"))
    if array.dtype.kind == "M":
        return array.filled(array.dtype.type("NaT"))
    return array.tolist()


def _column(values):
    if hasattr(values, "mask") and hasattr(values, "filled"):
        return _column(_unmasked(values))
    kept = _column_of_buffer(values)
    if kept is not None:
        return kept
    if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "dtype"):
        return _column_of_pandas(values)
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind == "M":
        values = values.astype("datetime64[ns]")
        return Numbers(memoryview(values.view("int64")), b"tsn:")
    return _column_of_list(values)


def _has_zone(dtype):
    return getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None) is not None


def _column_of_pandas(series):
    """A column of pandas: categories as their codes, numbers as they are, all else as words."""
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series, "cat"):
        return Codes(series.cat.codes.to_numpy(), [text_of(word) for word in series.cat.categories])
    numpy_kind = not hasattr(series.dtype, "na_value") and kind in "iufb"
    if numpy_kind:
        return _column_of_buffer(series.to_numpy())
    if kind in "iuf":  # Numbers that may be missing.
        return _column_of_buffer(series.to_numpy(dtype="float64", na_value=float("nan")))
    if kind == "M" and not _has_zone(series.dtype):
        return Numbers(memoryview(series.to_numpy(dtype="datetime64[ns]").view("int64")), b"tsn:")
    import pandas

    codes, words = pandas.factorize(series)
    return Codes(codes, [text_of(word) for word in words])


class Columns:
    """A table of columns by their names."""

    def __init__(self, name, columns):
        self._name = _encoded(name)
        self._columns = [(_encoded(str(title)), column) for title, column in columns]

    def add_to(self, call):
        for title, column in self._columns:
            column.add_to(call, self._name, title)


class Stream:
    """A table that hands out a stream of Arrow, anew for each call."""

    def __init__(self, name, table):
        self._name = _encoded(name)
        self._table = table

    def add_to(self, call):
        capsule = self._table.__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype = ctypes.c_void_p
        pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        call.add("arrow_stream", self._name, pointer(capsule, b"arrow_array_stream"))


class Document:
    """A JSON document, such as that of fits."""

    def __init__(self, name, text):
        self._name = _encoded(name)
        self._text = text.encode()

    def add_to(self, call):
        call.add("document", self._name, self._text, len(self._text))


def _is_frame(data):
    return hasattr(data, "columns") and hasattr(data, "iloc") and hasattr(data, "dtypes")


def _columns_of_frame(frame):
    """Names and columns of a frame of pandas, after the levels of its index that have names of their own."""
    levels = [(name, frame.index.get_level_values(i).to_series()) for i, name in enumerate(frame.index.names)
              if name is not None and name not in frame.columns]
    columns = [(title, frame.iloc[:, i]) for i, title in enumerate(frame.columns)]
    return [(title, _column(values)) for title, values in levels + columns]


def table_of(data, name):
    """A table that adds itself to calls under that name; nothing for paths."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return None
    if hasattr(data, "to_json") and hasattr(data, "document"):
        return Document(name, data.to_json())
    if _is_frame(data):
        return Columns(name, _columns_of_frame(data))
    if hasattr(data, "__arrow_c_stream__"):
        return Stream(name, data)
    if isinstance(data, collections.abc.Mapping):
        return Columns(name, [(title, _column(values)) for title, values in data.items()])
    if hasattr(data, "__dataframe__"):
        from ._interchange import columns_of

        return Columns(name, columns_of(data))
    rows = list(data)
    if rows and all(isinstance(row, collections.abc.Mapping) for row in rows):
        titles = dict.fromkeys(title for row in rows for title in row)
        return Columns(name, [(title, _column([row.get(title) for row in rows])) for title in titles])
    raise TypeError("expected a path, a data frame, columns by their names, or rows; found " + type(data).__name__)


def is_paths(data):
    """Whether data are paths of files, which the library opens itself."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return True
    return isinstance(data, (list, tuple)) and bool(data) and all(isinstance(one, (str, os.PathLike)) for one in data)
