"""A form says what the settings dataclass says, and gives back what was entered."""

from __future__ import annotations

import dataclasses

from streamlit.testing.v1 import AppTest

from tests.ui.toy import ToySettings


def _script() -> None:
    import streamlit as st

    from tests.ui.toy import ToySettings
    from ui.views.train.forms import settings_form

    settings, problem = settings_form("joint", ToySettings(), key="f")
    st.json({"settings": None if settings is None else settings.__dict__, "problem": problem})


def _shown(at: AppTest) -> dict:
    import json

    return json.loads(at.json[0].value)


def test_an_untouched_form_gives_the_defaults() -> None:
    at = AppTest.from_function(_script).run()
    expected = {name: list(v) if isinstance(v, tuple) else v for name, v in dataclasses.asdict(ToySettings()).items()}
    assert _shown(at)["settings"] == expected


def test_every_kind_of_field_takes_what_is_entered() -> None:
    at = AppTest.from_function(_script).run()
    at.number_input(key="f.epochs").set_value(7)
    at.number_input(key="f.pause").set_value(0.5)
    at.selectbox(key="f.case").set_value("fold")
    at.toggle(key="f.fail").set_value(True)
    at.text_input(key="f.stops").set_value("the, a")
    at.run()
    entered = _shown(at)["settings"]
    assert entered == {"seed": 0, "epochs": 7, "pause": 0.5, "case": "fold", "fail": True, "stops": ["the", "a"]}


def test_ranges_and_help_come_from_the_settings() -> None:
    at = AppTest.from_function(_script).run()
    epochs = at.number_input(key="f.epochs")
    assert (epochs.min, epochs.max, epochs.help) == (1, 1000, "Passes over the corpus.")
