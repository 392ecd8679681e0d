"""The exceptions, which are those of the library."""


class ScalelawError(Exception):
    """Why a call has no result: a full sentence. `place` says where, as in "runs.csv:14"."""

    def __init__(self, message, place=""):
        super().__init__(message)
        self.place = place


class OptionError(ScalelawError, ValueError):
    """There is no such command or option, or the option cannot have that value."""


class DataError(ScalelawError, ValueError):
    """The data cannot be used as asked: no such column or file, mixed units, no rows."""


class ParseError(DataError):
    """A table is malformed; `place` is the file and line."""


class FitError(ScalelawError, ArithmeticError):
    """There is no solution: too few points, no spread in x, no convergence."""


class InternalError(ScalelawError, RuntimeError):
    """A mistake of scalelaw. Please report it."""


_BY_CODE = {"options": OptionError, "data": DataError, "parse": ParseError, "fit": FitError}


def raise_error(code, message, place):
    if code == "cancelled":
        raise KeyboardInterrupt(message)
    if code == "memory":
        raise MemoryError(message)
    raise _BY_CODE.get(code, InternalError)(message, place)
