"""Many instances as one, for learners that work on the whole corpus at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.learners.base import Instance
from engine.structures.base import Batch, Structure
from engine.structures.product import side_by_side


def join(instances: Sequence[Instance[Structure]]) -> Instance[Batch]:
    """All instances as one, over the batch of their structures."""
    if not instances:
        raise ValueError("there is nothing to learn from")
    shared = instances[0].shared
    if len(instances) == 1 and isinstance(instances[0].structure, Batch):
        one = instances[0]
        return Instance(instances[0].structure, one.features, one.consistent, one.cost, shared)
    return Instance(
        side_by_side([instance.structure for instance in instances]),
        np.concatenate([instance.features for instance in instances]),
        np.concatenate([instance.consistent for instance in instances]),
        np.concatenate([instance.cost for instance in instances]),
        shared,
    )
