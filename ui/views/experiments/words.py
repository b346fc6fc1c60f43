"""What the Experiments page says: its sentence, the names of its tabs, captions."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Learners side by side, over seeds, corpora and settings: the tables and figures of a paper."
NONE: Final = (
    "There are no experiments yet. The command below runs one; folders in the workspace's `experiments` folder are"
    " shown here."
)
COMMAND: Final = (
    "python -m engine experiment linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ \\\n"
    "    --presets paper default --tune --seeds 0 1 2 --out workspace/experiments/linking"
)
DAMAGED: Final = "This experiment cannot be read."
UNFINISHED: Final = "{done} of {planned} trials are done. Run the same command again to continue."
ABOUT: Final = "{system} · {data}"

TABLES: Final = "Tables"
BIAS: Final = "F1 over the bias"
SIDES: Final = "Precision and recall"
LEARNING: Final = "Learning"
VARIED: Final = "Settings"

SCORES_CAPTION: Final = (
    "In percent; ± is half the 95 % interval over runs. The difference from the first system is paired over documents."
)
SHARES_CAPTION: Final = "The main score by the share of the training documents."
CHOSEN_CAPTION: Final = (
    "Settings that were chosen by grid search on dev or, if they depend on the number of documents, by"
    " cross-validation on train."
)
FORCED_CAPTION: Final = "Decisions where the relation is known to hold, in percent."
PUBLISHED_CAPTION: Final = (
    "The numbers in the paper and those of the same learners here, in percent. {source}. {differs}"
)
DEVIATIONS_CAPTION: Final = (
    "The effect of each setting of the paper when it alone replaces the default; differences are paired over documents."
)
DETAILS_CAPTION: Final = (
    "What else evaluate reports, unless it is 0 in every run; in percent, ± is half the 95 % interval over runs."
)
CAPTIONS: Final = {
    "scores": SCORES_CAPTION,
    "published": PUBLISHED_CAPTION,
    "deviations": DEVIATIONS_CAPTION,
    "details": DETAILS_CAPTION,
    "shares": SHARES_CAPTION,
    "chosen": CHOSEN_CAPTION,
    "forced": FORCED_CAPTION,
}

BIAS_CAPTION: Final = (
    "One line per system, for its first seed. The biases of different learners have different scales, but the number"
    " of answers is comparable. The mark is the highest F1. A double click on the figure shows the whole curves."
)
SIDES_CAPTION: Final = "Means over runs."
ROUNDS_CAPTION: Final = "Dev after each round, for the first seed: {score}."
VARIED_CAPTION: Final = "Means over runs, by the value of the setting; one line per system."
NO_ROUNDS: Final = "There is no curve by round: fewer than three rounds were evaluated on dev."
NO_CURVE: Final = "No trial of this corpus has a curve."
