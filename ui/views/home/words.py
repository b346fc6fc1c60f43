"""The texts of the Home page: its sentence, and those for an empty workspace."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "See how a model decided, tune it exactly, correct its errors. Choose where to go next."
PREPARING: Final = "Preparing the first look: {stage}"
TRAINING: Final = "Preparing the first look: {ended} of {total} models trained; now {each}"
NOT_PREPARED: Final = "{samples} could not be prepared"
ABOUT_TO_START: Final = "Its training is about to start."
SAMPLES_COMING: Final = "The sample corpora appear here in a moment."
NO_CORPUS: Final = "There is no corpus in this workspace yet."
ADD_YOUR_OWN: Final = "Add your own: {formats} formats are supported"
