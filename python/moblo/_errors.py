"""What can go wrong. Every message says what was given, which rule it breaks and what to do next."""


class Error(Exception):
    """Any error that moblo itself raises. Exceptions of your own losses arrive as they are."""


class UsageError(Error, ValueError):
    """A call that makes no sense here."""


class OptionError(Error, ValueError):
    """An option that is unknown, of the wrong type, or out of its range."""


class DataError(Error, ValueError):
    """Tensors or data files that break a rule."""


class ProblemError(Error, ValueError):
    """A problem that breaks its contract, or a method that does not suit it."""


class CheckpointError(Error, RuntimeError):
    """A run folder or a state that is not this run's."""


class FileError(Error, RuntimeError):
    """The file system refused."""


class NumericError(Error, RuntimeError):
    """Values that are not finite, or a direction that could not be certified."""


class RankError(Error, RuntimeError):
    """Another process of the run has gone, or has come to other numbers."""


class RunWarning(UserWarning):
    """A run that did not end well, or a problem that looks odd."""
