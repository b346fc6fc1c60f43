"""The word lists: models know those that they were trained with."""

from __future__ import annotations

import pytest

from engine.data.errors import InputError
from engine.features import wordlists


@pytest.fixture(autouse=True)
def anew():
    wordlists.fingerprint.cache_clear()
    yield
    wordlists.fingerprint.cache_clear()


@pytest.mark.parametrize("lists", ["LISTS", "TRIGGERS"])
def test_a_model_that_knew_one_entry_less_is_refused(lists: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = wordlists.fingerprint()
    wordlists.check(known)
    entries = getattr(wordlists, lists)
    first = next(iter(entries))
    monkeypatch.setattr(wordlists, lists, entries | {first: entries[first] | {"no such entry"}})
    wordlists.fingerprint.cache_clear()
    with pytest.raises(InputError, match="train it again"):
        wordlists.check(known)


def test_entries_are_in_lower_case_and_of_plain_words() -> None:
    for entries in (*wordlists.LISTS.values(), *wordlists.TRIGGERS.values()):
        assert entries and all(entry == " ".join(entry.lower().split()) for entry in entries)
