"""The shared library: its functions by ctypes, and one call of it."""

import contextlib
import ctypes
import os
import pathlib
import signal
import sys
import threading

from ._errors import raise_error

_NAME = "libscalelaw-c.so.1"
_GOES_ON = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_NOBODY = _GOES_ON(0)
# The functions behind those of signal, which search enumerations for a handler that is none of them: that takes long.
_signals = sys.modules.get("_signal", signal)
_set_handler = _signals.signal
_handler_of = _signals.getsignal
UNUSABLE = 2


def _path():
    chosen = os.environ.get("SCALELAW_LIBRARY")
    if chosen:
        return chosen
    beside = pathlib.Path(__file__).with_name(_NAME)
    return str(beside) if beside.exists() else _NAME


def _declared(library):
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
    texts = ctypes.POINTER(ctypes.c_char_p)
    functions = {
        "version": (text,),
        "schema": (text,),
        "call_new": (pointer, text),
        "call_free": (None, pointer),
        "call_options": (None, pointer, text),
        "call_values": (ctypes.c_int, pointer, text, text, text, pointer, number),
        "call_texts": (ctypes.c_int, pointer, text, text, texts, number),
        "call_codes": (ctypes.c_int, pointer, text, text, text, pointer, number, texts, number),
        "call_arrow_stream": (ctypes.c_int, pointer, text, pointer),
        "call_document": (ctypes.c_int, pointer, text, text, ctypes.c_size_t),
        "call_watch": (None, pointer, _GOES_ON, pointer),
        "call_run": (ctypes.c_int, pointer),
        "call_result": (pointer, pointer, ctypes.POINTER(ctypes.c_size_t)),
        "call_keep_table": (None, pointer),
        "call_result_arrow": (ctypes.c_int, pointer, pointer),
        "call_message_count": (ctypes.c_size_t, pointer),
        "call_message": (text, pointer, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)),
        "call_error": (text, pointer),
        "call_error_code": (text, pointer),
        "call_error_place": (text, pointer),
    }
    for name, (result, *arguments) in functions.items():
        function = getattr(library, "scalelaw_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = None
_lock = threading.Lock()


def library():
    """The library, loaded when it is first used."""
    global _library
    with _lock:
        if _library is None:
            _library = _declared(ctypes.CDLL(_path()))
    return _library


def version():
    return library().scalelaw_version().decode()


class Answer:
    """What a call gave: its status, the bytes of its result, and what it said."""

    def __init__(self, status, result, notes, warnings):
        self.status = status
        self.result = result
        self.notes = notes
        self.warnings = warnings


class Call:
    """One call of the library; `tables` write themselves into it and keep their memory alive."""

    def __init__(self, command, options, tables=()):
        self._library = library()
        self._call = self._library.scalelaw_call_new(command.encode())
        if not self._call:
            raise MemoryError("scalelaw: no memory for a call")
        self._interrupted = None
        try:
            for table in tables:
                table.add_to(self)
            self._library.scalelaw_call_options(self._call, options.encode())
        except BaseException:
            self._free()  # Nobody else knows the call yet.
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._free()

    def _free(self):
        self._library.scalelaw_call_free(self._call)
        self._call = None

    def add(self, kind, *arguments):
        """Adds a column, a stream or a document: `kind` is the end of the function's name."""
        getattr(self._library, "scalelaw_call_" + kind)(self._call, *arguments)

    def keep_table(self):
        """Lets the run keep the table that it writes as CSV, for result_arrow."""
        self._library.scalelaw_call_keep_table(self._call)

    def run(self):
        with self._interruptible():
            status = self._library.scalelaw_call_run(self._call)
        if self._interrupted is not None:
            raise self._interrupted
        if status == UNUSABLE and self._library.scalelaw_call_error_code(self._call):
            raise_error(*(getattr(self._library, "scalelaw_call_error" + part)(self._call).decode(errors="replace")
                          for part in ("_code", "", "_place")))
        return Answer(status, self._result(), *self._messages())

    @contextlib.contextmanager
    def _interruptible(self):
        """Lets Ctrl-C end the call. Python has signals on its main thread alone.

        The handler in force runs while the library asks whether to go on. What it raises would be lost there, so it is kept.
        """
        handler = _handler_of(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(handler):
            yield
            return

        goes_on = _GOES_ON(lambda _: self._interrupted is None)
        self._library.scalelaw_call_watch(self._call, goes_on, None)
        _set_handler(signal.SIGINT, self._keeping(handler))
        try:
            yield
        finally:
            _set_handler(signal.SIGINT, handler)
            self._library.scalelaw_call_watch(self._call, _NOBODY, None)

    def _keeping(self, handler):
        def keep(number, frame):
            try:
                handler(number, frame)
            except BaseException as error:  # noqa: BLE001 - it must not cross the library.
                self._interrupted = error

        return keep

    def _result(self):
        size = ctypes.c_size_t()
        address = self._library.scalelaw_call_result(self._call, ctypes.byref(size))
        return ctypes.string_at(address, size.value)

    def result_arrow(self, address):
        """Makes a stream of Arrow at that address, of the table that was written as CSV."""
        if self._library.scalelaw_call_result_arrow(self._call, address):
            raise_error("data", "the result is no table", "")

    def _messages(self):
        said: tuple[list[str], list[str]] = ([], [])
        kind = ctypes.c_int()
        for i in range(self._library.scalelaw_call_message_count(self._call)):
            text = self._library.scalelaw_call_message(self._call, i, ctypes.byref(kind))
            said[kind.value].append(text.decode(errors="replace"))
        return said


def log_messages(answer):
    """Hands what a call said to the logger "scalelaw", if the program logs at all: warnings as such, notes as information."""
    logging = sys.modules.get("logging")
    if logging is not None:
        logger = logging.getLogger("scalelaw")
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
        for level, texts in ((logging.INFO, answer.notes), (logging.WARNING, answer.warnings)):
            for text in texts:
                logger.log(level, "%s", text)
