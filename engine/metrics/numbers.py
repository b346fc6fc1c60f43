"""Numbers in a report: a float is a share in [0, 1], printed as a percentage; other decimal numbers are `Plain`."""

from __future__ import annotations


class Plain(float):
    """A number that is not a share, such as a weight or a distance between two values. It is printed as it is."""
