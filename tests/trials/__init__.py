"""Trials of the whole product that anybody can run again: hostile content, faults, load. Each prints figures, and the
tests run each at a reduced size."""
