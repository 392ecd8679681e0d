"""Tables by the protocol `__dataframe__`, which many libraries of data frames speak. Numbers stay where they are, in one piece."""

import array
import ctypes
import datetime
import struct

from ._tables import Codes, Numbers, Texts, text_of

# Kinds of values, and ways in which missing ones are marked, as the protocol numbers them.
_INT, _UINT, _FLOAT, _BOOL, _STRING, _DATETIME, _CATEGORICAL = 0, 1, 2, 20, 21, 22, 23
_NON_NULLABLE, _NAN, _SENTINEL, _BIT_MASK, _BYTE_MASK = range(5)
_LETTERS = {(_INT, 8): "b", (_INT, 16): "h", (_INT, 32): "i", (_INT, 64): "q", (_UINT, 8): "B", (_UINT, 16): "H",
            (_UINT, 32): "I", (_UINT, 64): "Q", (_FLOAT, 32): "f", (_FLOAT, 64): "d", (_BOOL, 8): "B", (_STRING, 8): "B"}
_C_TYPES = {"b": ctypes.c_int8, "h": ctypes.c_int16, "i": ctypes.c_int32, "q": ctypes.c_int64, "B": ctypes.c_uint8,
            "H": ctypes.c_uint16, "I": ctypes.c_uint32, "Q": ctypes.c_uint64, "f": ctypes.c_float, "d": ctypes.c_double}
_NO_INSTANT = -(2**63)


def columns_of(table):
    """The names and columns of a table; columns of other kinds, such as lists, are left out."""
    frame = table.__dataframe__()
    columns = []
    for name, column in zip(frame.column_names(), frame.get_columns()):
        if _is_usable(column):
            columns.append((name, _column(column)))
    return columns


def _is_usable(column):
    try:
        kind, bits, name = column.dtype[:3]
    except (NotImplementedError, ValueError):  # As pandas has it for columns of objects.
        return False
    if kind == _CATEGORICAL:
        words = column.describe_categorical["categories"]
        return words is not None and (_size(words) == 0 or _is_usable(words))
    is_date = kind == _DATETIME and name.startswith(("ts", "tdD"))
    return (kind, bits) in _LETTERS or (kind, bits) == (_BOOL, 1) or is_date


def _column(column):
    kind = column.dtype[0]
    chunks = list(column.get_chunks()) if column.num_chunks() > 1 else [column]
    is_whole = len(chunks) == 1 and column.describe_null[0] in (_NON_NULLABLE, _NAN, _SENTINEL)
    if kind == _CATEGORICAL:
        return _categories(column, chunks, is_whole)
    if kind == _DATETIME and column.dtype[2].startswith("ts"):
        letter = column.dtype[2].encode()
        if is_whole:
            return Numbers(_Memory(column, "q").view(), letter)
        return Numbers(memoryview(array.array("q", [_NO_INSTANT if one is None else one for one in _values(chunks)])), letter)
    if kind in (_INT, _UINT, _FLOAT):
        if is_whole and column.describe_null[0] != _SENTINEL:
            return Numbers.of_view(_Memory(column, _letter(column)).view())
        return Numbers.of_list(_values(chunks))
    return Texts(_values(chunks))


def _categories(column, chunks, is_whole):
    words = column.describe_categorical["categories"]
    texts = [text_of(word) for word in _values([words])] if _size(words) else []
    if is_whole and column.describe_null == (_SENTINEL, -1):
        return Codes(_Memory(column, _letter(column)).view(), texts)
    return Codes(array.array("q", [-1 if one is None else one for one in _values(chunks)]), texts)


def _size(column):
    return column.size() if callable(column.size) else column.size


def _letter(column):
    """The letter of the type in which the values of a column lie in memory."""
    kind, bits, name = column.dtype[:3]
    if kind == _DATETIME:
        return "i" if name == "tdD" else "q"
    if kind == _CATEGORICAL:
        kind, bits = column.get_buffers()["data"][1][:2]
    return _LETTERS[kind, bits]


class _Memory:
    """Values of a buffer as an array of C, which keeps the buffer alive; of a column's data, or of another buffer of it."""

    def __init__(self, column, letter, role="data", size=None):
        self._buffer = column.get_buffers()[role][0]
        kind = _C_TYPES[letter]
        begin = column.offset if size is None else 0
        self._values = (kind * (_size(column) if size is None else size)).from_address(self._buffer.ptr + begin * struct.calcsize(letter))
        self._values.keeps = self._buffer  # Views of the array keep it, too.

    def view(self):
        return memoryview(self._values)

    def list(self):
        return self._values[:]


def _values(chunks):
    """The values of a column, with None for missing ones."""
    return [value for chunk in chunks for value in _values_of(chunk)]


def _values_of(chunk):
    kind, bits, name = chunk.dtype[:3]
    if not _size(chunk):
        return []
    if kind == _STRING:
        values = _texts_of(chunk)
    elif kind == _BOOL and bits == 1:
        values = _bits(chunk, "data")
    else:
        values = _Memory(chunk, _letter(chunk)).list()
    if kind == _BOOL:
        values = [str(bool(value)) for value in values]
    valid = _valid(chunk, values)
    if kind == _DATETIME and name == "tdD":
        values = [datetime.date.fromordinal(719163 + value).isoformat() if is_there else None
                  for value, is_there in zip(values, valid)]
    return [value if is_there else None for value, is_there in zip(values, valid)]


def _texts_of(chunk):
    ends = chunk.get_buffers()["offsets"][1][1]
    begin, count = chunk.offset, _size(chunk)
    offsets = _Memory(chunk, "q" if ends == 64 else "i", "offsets", begin + count + 1).list()[begin:]
    data = chunk.get_buffers()["data"][0]  # Its memory lives as long as this.
    start = data.ptr
    return [ctypes.string_at(start + first, last - first).decode() if last > first else "" for first, last in zip(offsets, offsets[1:])]


def _bits(chunk, role):
    begin, count = chunk.offset, _size(chunk)
    held = _Memory(chunk, "B", role, (begin + count + 7) // 8).list()
    return [held[i >> 3] >> (i & 7) & 1 for i in range(begin, begin + count)]


def _valid(chunk, values):
    """Whether each value is there."""
    marked, mark = chunk.describe_null
    if marked == _SENTINEL:
        return [value != mark for value in values]
    if marked not in (_BIT_MASK, _BYTE_MASK) or chunk.get_buffers()["validity"] is None:
        return [True] * len(values)
    begin = chunk.offset
    mask = _bits(chunk, "validity") if marked == _BIT_MASK else _Memory(chunk, "B", "validity", begin + len(values)).list()[begin:]
    return [bool(one) != bool(mark) for one in mask]
