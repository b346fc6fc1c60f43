"""Numbers of a report: a float is a share in [0, 1], printed as percent; what else has decimals is `Plain`."""

from __future__ import annotations


class Plain(float):
    """A number that is no share: a weight, a distance between two values. Printed as it is."""
