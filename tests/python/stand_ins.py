"""Tables of libraries that may not be installed: frames with `__dataframe__`, and a stream of Arrow made by hand."""
import array
import ctypes

from scalelaw._arrow import ARRAY_RELEASE, GET_NEXT, GET_SCHEMA, SCHEMA_RELEASE, STREAM_RELEASE, Array, Schema, Stream


class Interchanged:
    """A frame that shows nothing but the protocol."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null, allow_copy)


class Buffer:
    def __init__(self, values):
        self._values = values
        self.ptr = values.buffer_info()[0] if len(values) else 0
        self.bufsize = len(values) * values.itemsize


class Piece:
    """A chunk of a column. `kind` is the type of numbers; for texts it is their letters, and the values are offsets."""

    def __init__(self, kind, values, offset=0, valid=None, rows=None):
        is_text = len(kind) != 1
        encoded = kind.encode() if is_text else b""
        self._buffers = {"data": Buffer(array.array("B", encoded) if is_text else array.array(kind, values)),
                         "offsets": Buffer(array.array("i", values)) if is_text else None,
                         "validity": None if valid is None else Buffer(array.array("B", [valid]))}
        self.offset = offset
        self._rows = rows if rows is not None else len(values) - offset - is_text

    def of(self, column):
        self.dtype, self.describe_null = column.dtype, column.describe_null
        return self

    def size(self):
        return self._rows

    def num_chunks(self):
        return 1

    def get_buffers(self):
        types = {"data": self.dtype, "offsets": (0, 32, "i", "="), "validity": (20, 1, "b", "=")}
        return {role: None if buffer is None else (buffer, types[role]) for role, buffer in self._buffers.items()}


class Column:
    def __init__(self, dtype, pieces, null=(0, None)):
        self.dtype = dtype
        self.describe_null = null
        self._pieces = [piece.of(self) for piece in pieces]

    def num_chunks(self):
        return len(self._pieces)

    def get_chunks(self):
        return self._pieces


class Frame:
    def __init__(self, **columns):
        self._columns = columns

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self

    def column_names(self):
        return list(self._columns)

    def get_columns(self):
        return list(self._columns.values())


class ArrowStream:
    """Batches of columns of numbers, handed out as PyArrow and Polars do: by `__arrow_c_stream__`."""

    def __init__(self, *columns):
        self._columns = columns
        self._kept = []
        self._next = 0
        self.released = {"stream": 0, "schema": 0, "array": 0}

    def _release(self, name, kind):
        def release(pointer):
            self.released[name] += 1
            pointer.contents.release = kind()

        return kind(release)

    def _children(self, kind, made):
        pointers = (ctypes.POINTER(kind) * len(made))(*[ctypes.pointer(one) for one in made])
        self._kept += [made, pointers]
        return pointers

    def _schema(self, _, out):
        release = self._release("schema", SCHEMA_RELEASE)
        self._kept.append(release)
        children = [Schema(format=letter, name=name.encode(), flags=2) for name, letter, _ in self._columns]
        out[0] = Schema(format=b"+s", name=b"", n_children=len(children), children=self._children(Schema, children), release=release)
        return 0

    def _batch(self, _, out):
        if self._next == len(self._columns[0][2]):
            out[0] = Array()
            return 0
        children = []
        for _, letter, batches in self._columns:
            values = array.array("d" if letter == b"g" else "q", batches[self._next])
            buffers = (ctypes.c_void_p * 2)(None, values.buffer_info()[0])
            self._kept += [values, buffers]
            children.append(Array(length=len(values), n_buffers=2, buffers=buffers))
        self._next += 1
        release = self._release("array", ARRAY_RELEASE)
        nothing = (ctypes.c_void_p * 1)(None)
        self._kept += [release, nothing]
        out[0] = Array(length=children[0].length, n_buffers=1, buffers=nothing, n_children=len(children),
                        children=self._children(Array, children), release=release)
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        self._next = 0
        release = self._release("stream", STREAM_RELEASE)
        stream = Stream(get_schema=GET_SCHEMA(self._schema), get_next=GET_NEXT(self._batch), release=release)
        self._kept += [stream, release]
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)
