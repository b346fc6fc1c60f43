"""Every planted bug of tests/mutants.toml and of the review's findings fits the code, and names tests that exist."""

from __future__ import annotations

import pytest

from tests.mutants import MUTANTS, ROOT, Mutant
from tests.trials.findings import FINDINGS

TAKEN_OUT = tuple(mutant for _, mutant in FINDINGS)


@pytest.mark.parametrize("mutant", [*MUTANTS, *TAKEN_OUT], ids=lambda mutant: mutant.name)
def test_a_mutant_changes_one_place_and_names_its_tests(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.before) == 1
    assert mutant.before != mutant.after
    for file, _, test in (word.partition("::") for word in mutant.tests.split() if ".py" in word):
        assert f"def {test.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8"), (file, test)


def test_no_two_mutants_share_a_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
