"""Espalier's engine: structured information extraction as a library and a command line."""

from engine import kernel_cache

__version__ = "0.1.0"

kernel_cache.keep_apart()
