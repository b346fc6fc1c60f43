"""Why this and not gold: what was said beside the best output that is right, in every system."""

from engine.workbench.why import wording
from engine.workbench.why.contrast import Contrast, contrast, contrasts

__all__ = ["Contrast", "contrast", "contrasts", "wording"]
