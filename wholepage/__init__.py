"""wholepage: exam papers and textbooks, as people have them, into question JSON one can trust."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("wholepage")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0+source"

__all__ = ["__version__"]
