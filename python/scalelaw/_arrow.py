"""Arrow's C data interface by ctypes: the table of a result, handed to other libraries or read into columns."""

import ctypes

_NAME = b"arrow_array_stream"


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_P = ctypes.c_void_p
SCHEMA_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ARRAY_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
STREAM_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", _P),
                   ("release", SCHEMA_RELEASE), ("private_data", _P)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(_P)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", _P), ("release", ARRAY_RELEASE), ("private_data", _P)]
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", _P), ("release", STREAM_RELEASE),
                   ("private_data", _P)]


def _released(structure):
    if structure.release:
        structure.release(ctypes.byref(structure))


# ---- for other libraries

_PYTHON = ctypes.PyDLL(None)
_PYTHON.PyMem_Malloc.restype = _P
_PYTHON.PyMem_Malloc.argtypes = [ctypes.c_size_t]
_PYTHON.PyMem_Free.argtypes = [_P]
_PYTHON.PyCapsule_New.restype = ctypes.py_object
_PYTHON.PyCapsule_New.argtypes = [_P, ctypes.c_char_p, _P]
_PYTHON.PyCapsule_GetPointer.restype = _P
_PYTHON.PyCapsule_GetPointer.argtypes = [_P, ctypes.c_char_p]


@ctypes.PYFUNCTYPE(None, _P)
def _forget(capsule):
    """Frees a stream with its capsule; whoever took the stream over has marked it as released."""
    address = _PYTHON.PyCapsule_GetPointer(capsule, _NAME)
    _released(Stream.from_address(address))
    _PYTHON.PyMem_Free(address)


def capsule_of(fill):
    """A capsule with a stream, which fill(address) makes."""
    address = _PYTHON.PyMem_Malloc(ctypes.sizeof(Stream))
    try:
        fill(address)
    except BaseException:
        _PYTHON.PyMem_Free(address)
        raise
    return _PYTHON.PyCapsule_New(address, _NAME, _forget)


# ---- for pandas

def columns_of(fill):
    """The columns of a stream, which fill(address) makes: names, the letter of each type, and lists with None for what is missing."""
    stream, schema, batch = Stream(), Schema(), Array()
    fill(ctypes.addressof(stream))
    try:
        if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) or stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
            raise MemoryError("scalelaw: no memory for a table")
        columns = [(schema.children[i].contents, batch.children[i].contents) for i in range(schema.n_children)]
        return [(kind.name.decode(), kind.format.decode(), _values(kind.format, column)) for kind, column in columns]
    finally:
        for structure in (batch, schema, stream):
            _released(structure)


def _values(letter, column):
    rows = column.length
    if letter == b"u":
        ends = (ctypes.c_int32 * (rows + 1)).from_address(column.buffers[1])
        bytes = ctypes.string_at(column.buffers[2], ends[rows])
        values = [bytes[first:last].decode(errors="replace") for first, last in zip(ends, ends[1:])]
    elif letter == b"b":
        values = _bits(column.buffers[1], rows)
    else:
        values = list(((ctypes.c_double if letter == b"g" else ctypes.c_int64) * rows).from_address(column.buffers[1]))
    if not column.null_count:
        return values
    return [value if is_there else None for value, is_there in zip(values, _bits(column.buffers[0], rows))]


def _bits(address, rows):
    held = ctypes.string_at(address, (rows + 7) // 8)
    return [bool(held[row >> 3] >> (row & 7) & 1) for row in range(rows)]
