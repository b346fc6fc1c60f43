"""The column of each comparison of two mentions, in the order of `templates.COMPARISONS`."""

from __future__ import annotations

from typing import Final

from engine.features.coreference.templates import COMPARISONS

N_COMPARISONS: Final = len(COMPARISONS)

(
    SENTENCES,
    MENTIONS,
    NEAR,
    TOKENS,
    STRING,
    HEADS,
    WORDS,
    MATCH,
    NAMES,
    MODIFIERS,
    NESTING,
    SPEAKER,
    GENDER,
    NUMBER,
    ANIMACY,
    AGREEMENT,
    ENTITY,
    QUOTES,
    SAID,
    RANK,
    SAME_HEAD_RANK,
    SUBJECT_RANK,
    ARGUMENTS,
    PERSONS,
) = range(N_COMPARISONS)
