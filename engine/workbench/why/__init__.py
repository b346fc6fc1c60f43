"""Why a system gave this answer and not gold's: compares its output with the best output that is right."""

from engine.workbench.why import wording
from engine.workbench.why.contrast import Contrast, contrast, contrasts

__all__ = ["Contrast", "contrast", "contrasts", "wording"]
