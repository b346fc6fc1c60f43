"""What a score is made of: a bar for each feature, where there are features to ask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from engine.tasks.base import AnyModel
from ui.components.bars import Contribution, bars
from ui.views.see import words


def made_of(model: AnyModel, contributions: Iterable[Contribution], *, key: str, **options: Any) -> None:
    """The bars; of a run from outside, that nobody here can say."""
    if model.outside is not None:
        st.caption(words.NO_WHY)
    else:
        bars(contributions, key=key, **options)
