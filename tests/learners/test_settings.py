"""Settings: typed values from texts, refusals that name the setting, and JSON both ways."""

from dataclasses import asdict, dataclass
from typing import Literal

import pytest

from engine.settings import Settings, from_json, setting, with_values


@dataclass(frozen=True, kw_only=True)
class Example(Settings):
    C: float = setting(1.0, "Weight of the loss.", low=0)
    trees: int = setting(300, "How many.", low=1, high=1000)
    mode: Literal["local", "nonlocal"] = setting("local", "Which features.")
    widths: tuple[int, ...] = setting((3, 4), "Beam widths.")
    limit: int | None = setting(None, "No limit when none.")
    average: bool = setting(True, "Average the weights.")


def test_texts_become_values_of_the_declared_type():
    texts = {
        "C": "0.5",
        "trees": "10",
        "mode": "nonlocal",
        "widths": "1, 2",
        "limit": "7",
        "average": "no",
        "seed": "3",
    }
    assert with_values(Example(), texts) == Example(
        C=0.5, trees=10, mode="nonlocal", widths=(1, 2), limit=7, average=False, seed=3
    )
    assert with_values(Example(limit=7), {"limit": "none"}).limit is None


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("C", "much", "a number"),
        ("C", "nan", "finite number, not nan"),
        ("C", "inf", "finite number, not inf"),
        ("seed", "99999999999999999999", "at most 2147483647"),
        ("trees", "1.5", "whole number"),
        ("trees", "0", "at least 1"),
        ("trees", "1001", "at most 1000"),
        ("mode", "global", "one of local, nonlocal"),
        ("average", "perhaps", "true or false"),
        ("colour", "red", "known are"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(name, text, says):
    with pytest.raises(ValueError, match=says):
        with_values(Example(), {name: text})


def test_settings_survive_json():
    settings = Example(widths=(5,), limit=2)
    saved = {**asdict(settings), "widths": [5]}  # JSON has lists only
    assert from_json(Example, saved) == settings
    with pytest.raises(ValueError, match="colour"):
        from_json(Example, {"colour": "red"})


@dataclass(frozen=True, kw_only=True)
class Renamed(Settings):
    n_rounds: int = setting(10, "Passes over the data.", low=1, formerly=("epochs", "iterations"))


@dataclass(frozen=True, kw_only=True)
class Extended(Renamed):
    n_rounds: int = setting(15, "Passes over the data, more of them.", low=1)


@dataclass(frozen=True, kw_only=True)
class Reused(Renamed):
    epochs: int = setting(3, "Something else by now.", low=1)


@pytest.mark.parametrize("kind", [Renamed, Extended])
@pytest.mark.parametrize("name", ["n_rounds", "epochs", "iterations"])
def test_a_setting_is_understood_under_the_names_it_had(kind, name):
    assert with_values(kind(), {name: "7"}) == from_json(kind, {name: 7, "seed": 0}) == kind(n_rounds=7)


def test_a_setting_given_under_two_names_is_refused():
    with pytest.raises(ValueError, match="'n_rounds' is given twice"):
        with_values(Renamed(), {"epochs": "1", "n_rounds": "2"})
    with pytest.raises(ValueError, match="'n_rounds' is given twice"):
        from_json(Renamed, {"epochs": 1, "iterations": 1})


def test_a_name_that_means_something_else_by_now_means_that():
    assert with_values(Reused(), {"epochs": "7"}) == Reused(epochs=7, n_rounds=10)
