"""What inference did on one text, and how close its decisions were."""

from engine.tasks.linking.trace.flips import flip_needed
from engine.tasks.linking.trace.lattice import (
    CandidateTrace,
    GoldTrace,
    LinkingTrace,
    OutputTrace,
    TokenTrace,
    trace,
)

__all__ = ["CandidateTrace", "GoldTrace", "LinkingTrace", "OutputTrace", "TokenTrace", "flip_needed", "trace"]
