"""What the Train page says: its sentence, captions, help, and how a run ended."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Choose what to learn from, start, and watch. Training goes on when you leave this page."

NO_SYSTEM: Final = "No system is registered, so there is nothing to train."
NO_CORPUS: Final = "There is no corpus to learn from yet."
NO_GOLD: Final = "None of your corpora has gold annotation that this system learns from."
NO_RUN: Final = "Nothing has been trained for {system} yet. Start a run on the left: its learning curve appears here."

SETTINGS: Final = "Settings"
DOES_NOT_FIT: Final = "A setting does not fit."
FILES: Final = "Choose what is there or upload your own; leave empty what is not needed."
RESUME_HELP: Final = "Repeats the rounds that it had, with the same results, and goes on from there."
ROUNDS: Final = "Rounds as a table"
RUNS: Final = "{runs}, newest first. Choose one to see it above."

ENDED: Final = {
    "done": ":material/check_circle: done",
    "cancelled": ":material/pause_circle: cancelled; the last finished round is kept",
    "failed": ":material/error: failed",
}
"""How a run ended, by its status."""
