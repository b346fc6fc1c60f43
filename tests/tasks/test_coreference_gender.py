"""Gender lists: classes and counts, what is clear enough, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.coreference.languages import load
from engine.features.coreference.reading import describe
from engine.features.coreference.words import Words
from engine.tasks.coreference.state import read_gender


def listed(folder: Path, *rows: str) -> dict[str, str]:
    file = folder / "gender.tsv.gz"
    file.write_bytes(gzip.compress("\n".join(rows).encode() + b"\n"))
    return read_gender([file])


def test_a_name_has_the_class_that_most_of_its_counts_speak_for(tmp_path: Path) -> None:
    found = listed(
        tmp_path,
        "Orsolya\tfemale",
        "kim\tmale\t40",
        "kim\tfemale\t60",
        "Robin  Hale\t90 5 3 2",
        "fjord\t1 0 20 2",
        "alumni\t0\t0\t0\t7",
        "nobody\t0 0 0 0",
    )
    assert found == {"orsolya": "female", "robin hale": "male", "fjord": "neutral", "alumni": "plural"}


def test_rows_of_several_files_add_up(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("kim\tfemale\t10\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("Kim\tmale\t90\n", encoding="utf-8")
    assert read_gender([tmp_path / "a.tsv"]) == {"kim": "female"}
    assert read_gender([tmp_path / "a.tsv", tmp_path / "b.tsv"]) == {"kim": "male"}


@pytest.mark.parametrize("row", ["kim", "kim\tboy", "\tmale", "kim\t1 2 3", "kim\tmale\t-1", "kim\tmale\t²"])
def test_other_rows_are_refused_by_line(tmp_path: Path, row: str) -> None:
    with pytest.raises(InputError, match="expected a name") as refused:
        listed(tmp_path, "ann\tfemale", row)
    assert refused.value.line == 2


def test_a_full_name_in_the_list_says_more_than_its_words() -> None:
    document = Document.from_words("d", [["Robin", "Hale", "left"]], columns={"pos": ("NNP", "NNP", "VBD")})
    counted = {"robin hale": "female", "robin": "male"}

    def gender(lists: dict[str, str]) -> str:
        return describe(Words(document, load("english")), [(0, 2)], gender_of=lists).text["gender"][0]

    assert gender(counted) == "female"
    assert gender({"robin": "male"}) == "male"
