"""Presets: every learner of every system has them, and the docs say where the default leaves the paper."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from engine.data.errors import InputError
from engine.settings import with_values
from engine.tasks.presets import PRESETS, SENTENCES, changes
from engine.tasks.registry import TASKS, get

THEORY = Path(__file__).parents[2] / "docs" / "theory"

LEARNERS = [(task, learner) for task in TASKS for learner in get(task).learners]
every_learner = pytest.mark.parametrize(("task", "learner"), LEARNERS)


@every_learner
def test_every_learner_has_every_preset(task: str, learner: str) -> None:
    info = get(task).learner(learner)
    for preset in PRESETS:
        under = get(task).learner(learner, preset)
        assert under.settings == info.preset(preset) and type(under.settings) is type(info.settings)
        assert under.name == learner and SENTENCES[preset].endswith(".")
    assert info.preset("default") == info.settings
    assert info.preset("quick") != info.settings


@every_learner
def test_a_preset_changes_what_it_says_and_nothing_else(task: str, learner: str) -> None:
    info = get(task).learner(learner)
    for preset, changed in (("paper", info.paper), ("quick", info.quick)):
        found = {one.name: one.value for one in changes(info.settings, info.preset(preset))}
        assert found.items() <= dict(changed).items()


@every_learner
def test_the_theory_names_every_setting_in_which_the_default_leaves_the_paper(task: str, learner: str) -> None:
    page = (THEORY / f"{task}.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", page[page.index("## Deviations") :]))
    info = get(task).learner(learner)
    assert {one.name for one in changes(info.settings, info.preset("paper"))} <= listed


@every_learner
def test_grids_hold_values_that_the_settings_take(task: str, learner: str) -> None:
    info = get(task).learner(learner)
    for name, values in info.grid.items():
        tried = {getattr(with_values(info.settings, {name: value}), name) for value in values}
        assert len(tried) == len(values)


def test_the_papers_grids_are_known() -> None:
    linking, disambiguation = get("linking"), get("disambiguation")
    assert linking.learner("ssvm").grid == {"C": ("0.5", "1", "5", "10")} == linking.learner("poly-ssvm").grid
    assert linking.learner("lambdarank").grid == {
        "hidden": ("10", "20", "30", "40"),
        "rate": ("0.1", "0.01", "0.001"),
    }
    for learner in ("bs", "laso", "bsg", "bibsg"):
        assert disambiguation.learner(learner).grid == {"depth": ("3", "5", "8"), "beam": ("3", "4", "5", "6")}


def test_an_unknown_preset_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="best"):
        get("joint").learner("lp", "best")


def test_changes_name_both_values() -> None:
    settings = get("joint").learner("lp").settings
    (one,) = changes(settings, dataclasses.replace(settings, rare=7))
    assert (one.name, one.default, one.value) == ("rare", 2, 7)
