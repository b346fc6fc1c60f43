"""Every planted bug of tests/mutants.toml still fits the code, and names tests that exist."""

from __future__ import annotations

import pytest

from tests.mutants import MUTANTS, ROOT, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_changes_one_place_and_names_its_tests(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.before) == 1
    assert mutant.before != mutant.after
    for file in (word for word in mutant.tests.split() if word.endswith(".py")):
        assert (ROOT / file).is_file(), file


def test_no_two_mutants_share_a_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
