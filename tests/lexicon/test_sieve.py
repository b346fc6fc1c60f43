"""A sieve lets every name pass, and hardly anything else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import kernel
from engine.lexicon.sieve import BASE, OPEN, Sieve, made_of, passes
from engine.lexicon.surfaces import squeeze

NAMES = st.lists(st.text("abcé .-&1X", min_size=1, max_size=8), max_size=30)


def value_of(letters: str) -> int:
    """The letters as digits to the base, computed without bounds."""
    value = 0
    for letter in letters:
        value = value * int(BASE) + ord(letter)
    return value % (1 << 64)


@kernel
def may_be(value: np.uint64, sieve: Sieve) -> bool:
    return passes(value, sieve)


@given(names=NAMES, others=st.lists(st.text("abc1", max_size=6), max_size=10))
def test_every_name_passes_by_its_letters_and_what_passes_an_empty_sieve_is_nothing(names, others):
    sieve = made_of(names, len(names))
    letters = [squeeze(name) for name in names]
    assert all(may_be(np.uint64(value_of(one)), sieve) for one in letters if one.isascii())
    assert all(may_be(np.uint64(value_of(other)), OPEN) for other in others)
    empty = made_of([], 0)
    assert not any(may_be(np.uint64(value_of(other)), empty) for other in others)


def test_a_sieve_lets_less_than_one_in_fifty_others_pass():
    sieve = made_of((f"name {i}" for i in range(5000)), 5000)
    strangers = sum(may_be(np.uint64(value_of(f"stranger{i}")), sieve) for i in range(5000))
    assert strangers < 100
    assert all(may_be(np.uint64(value_of(f"name{i}")), sieve) for i in range(5000))


def test_names_are_added_whatever_their_number_and_line_breaks():
    many = [f"n{i}" for i in range(40_000)] + ["two\nlines"]
    sieve = made_of(iter(many), len(many))
    assert all(
        may_be(np.uint64(value_of(squeeze(name))), sieve) for name in (many[0], many[-2], many[-1], many[20_000])
    )
