"""Espalier's engine: structured information extraction as a library and a command line."""

__version__ = "0.1.0"
