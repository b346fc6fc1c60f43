"""What the Train page says: its sentence, captions, help, and how a run ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.corpora.scores.importers.reading import Null
from engine.tasks.presets import Preset

SENTENCE: Final = "Choose what to learn from, start, and watch. Training continues when you leave this page."

NO_SYSTEM: Final = "No system is registered, so there is nothing to train."
NO_CORPUS: Final = "There is no corpus to learn from yet."
NO_GOLD: Final = "None of your corpora has gold annotation that this system can learn from."
NO_RUN: Final = "Nothing has been trained for {system} yet. Start a run on the left: its learning curve appears here."

SETTINGS: Final = "More: all settings"
PRESETS: Final[tuple[Preset, ...]] = ("quick", "default", "paper")
LEARNER_HELP: Final = "How the model is trained. Learners of a system share data and features."
DATA_HELP: Final = {
    "train": "The model is trained on the current gold of these corpora. Test corpora are not offered.",
    "dev": "The number of rounds and the bias are chosen here, and the run's score is measured here.",
}
TUNES: Final = "Choose settings on dev, from the paper's values"
TUNES_HELP: Final = (
    "Tries every combination of the paper's values ({tried}): {trainings}, evaluated on dev. Then trains the best"
    " one. These settings replace those below."
)
ONLY_DONE: Final = "Only documents that are done"
ONLY_DONE_HELP: Final = (
    "Of corpora that people annotate, only documents that are marked as done in the shared gold (key d on Annotate)."
)
DESCRIBE: Final = "Name, note, star"
NAME_EXAMPLE: Final = "a name, such as: with the new lexicon"
ATTACH_HELP: Final = (
    "A model file does not say which corpora of this workspace it was trained and chosen on. With them, its pages can"
    " warn of training data, retrain it, and say what its score was measured on."
)
STAR_HELP: Final = "Pages open with the starred run of a system; if there is none, with the best."
DOES_NOT_FIT: Final = "A setting is not valid."
FILES: Final = "Choose an existing file or upload your own; leave empty what you do not need."
GATHERED: Final = "built from the training data"
FROM_GATHERED: Final = (
    "The lexicon is built from the training data, so only names and entities that are annotated there can be found. A"
    " lexicon of a larger knowledge base finds more."
)
WITHOUT_ANY: Final = "The model will be trained without {kind}."
RESUME_HELP: Final = "Continues after the last saved round; the model is the same as without the interruption."
CURVES: Final = (
    "The curves show the model after every round, each at a bias of its own. The score above is that of the model that"
    " was kept, at the bias chosen for it."
)
ROUNDS: Final = "Rounds as a table"
FIND_RUN: Final = "Find a run"
FIND_RUN_EXAMPLE: Final = "name, note, system, learner, corpus …"
NO_RUN_FOUND: Final = "No run matches."
RUNS: Final = "{runs}, newest first. Choose one to see it above."

ENDED: Final = {
    "done": ":material/check_circle: done",
    "cancelled": ":material/pause_circle: cancelled; the last finished round is kept",
    "failed": ":material/error: failed",
}
"""How a run ended, by its status."""

OUTSIDE: Final = "Add outside scores or answers"
OUTSIDE_HELP: Final = (
    "The scores that another program gave to its alternatives, as score records (see the guide on scores) or in the"
    " program's own format; or its answers, in any corpus format. They become a run that is available on every page:"
    " its structure, errors and pins and, with scores, the knob."
)
OUTSIDE_NO_CORPUS: Final = "First add the corpus that the scores are about."
OUTSIDE_NAME: Final = "a name for it"
CALIBRATIONS: Final = {None: "No", "temperature": "One temperature", "isotonic": "Isotonic steps"}
CALIBRATE_HELP: Final = (
    "Converts the scores to a scale on which they are probabilities, using the gold of this corpus, so choose a dev"
    " corpus. A temperature changes how sure answers look, but not their order; isotonic steps may also change"
    " decisions."
)
OWN_SCALE: Final = "as the program usually has it"
SCALE_HELP: Final = (
    "What the numbers are, which such files do not say: logits, log-probabilities, probabilities, or margins, whose"
    " zero means nothing."
)
NULL_COLUMNS: Final[Mapping[Null, str]] = {
    "last": "the last (fastcoref)",
    "first": "the first (coref-hoi, stanza, spaCy)",
}
OUTSIDE_ADDED: Final = "Added: it is a run now, the first in the list above."
OUTSIDE_REFUSED: Final = "The file was not added."
OUTSIDE_ANSWERS: Final = "Answers of {documents}: {decisions}. {untold}"
