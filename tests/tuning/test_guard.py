"""The guard's sentence tells an honest test score from an optimistic one."""

import pytest

from engine.tuning.guard import Glance, Lock, NotLocked, check, verdict

LOCK = Lock("dev", 0.5, "2026-01-02T10:00:00")
HONEST = Glance("test", 0.5, "2026-01-02T11:00:00")


def test_test_is_closed_until_a_setting_is_locked():
    with pytest.raises(NotLocked, match="lock"):
        check(None)
    assert check(LOCK) is LOCK


@pytest.mark.parametrize(
    ("lock", "glances", "optimistic"),
    [
        (None, [], False),
        (LOCK, [], False),
        (LOCK, [HONEST], False),
        (LOCK, [HONEST, HONEST], False),
        (None, [HONEST], True),
        (LOCK, [Glance("test", 0.5, "2026-01-02T09:00:00")], True),
        (LOCK, [HONEST, Glance("test", 0.7, "2026-01-02T12:00:00")], True),
    ],
)
def test_only_one_setting_chosen_before_the_first_look_is_honest(lock, glances, optimistic):
    assert ("optimistic" in verdict(lock, glances)) == optimistic


def test_the_sentence_names_setting_place_and_time():
    text = verdict(LOCK, [HONEST])
    assert "0.5" in text and "dev" in text and "2026-01-02 11:00" in text


def test_a_bias_that_was_moved_after_the_lock_is_said():
    assert "not the locked one" in verdict(LOCK, [HONEST], kept=0.6)
    assert verdict(LOCK, [HONEST], kept=0.5) == verdict(LOCK, [HONEST])
    assert verdict(None, [], kept=0.6) == verdict(None, [])
