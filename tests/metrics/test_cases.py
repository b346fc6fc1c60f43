"""One wrong answer is one case, however many errors it counts as."""

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document
from engine.metrics.cases import Case, answers_in_words, cases, place_in_words, surest_first, with_any
from tests.metrics.test_errors import error

ERRORS = st.lists(
    st.builds(
        error,
        document=st.sampled_from("de"),
        kind=st.sampled_from(["miss", "false alarm"]),
        start=st.integers(0, 3),
        gold=st.sampled_from(["", "Oslo", "Rome"]),
        predicted=st.sampled_from(["", "Oslo", "Bari"]),
        arguments=st.sampled_from([None, ((0, 2), (3, 4))]),
    ),
    max_size=12,
)


@given(ERRORS)
def test_every_error_is_in_exactly_one_case_and_pairs_agree(found):
    made = cases(found)
    assert sorted(id(one) for case in made for one in case.errors) == sorted(map(id, found))
    for case in made:
        if case.missed is not None and case.said is not None:
            a, b = case.missed, case.said
            assert (a.kind, b.kind) == ("miss", "false alarm")
            assert (a.document, a.gold, a.predicted, a.arguments) == (b.document, b.gold, b.predicted, b.arguments)
            assert a.arguments is not None or (a.start < b.end and b.start < a.end)


@given(ERRORS)
def test_no_pair_is_left_that_could_be_one_case(found):
    made = cases(found)
    alone = [case.main for case in made if len(case.errors) == 1]
    for a in alone:
        for b in alone:
            if (a.kind, b.kind) == ("miss", "false alarm") and a.arguments == b.arguments is not None:
                assert (a.document, a.gold, a.predicted) != (b.document, b.gold, b.predicted)


def test_a_wrong_link_whose_spans_overlap_is_one_case():
    missed = error(start=0, end=9, gold="Paris", predicted="Paris,_Texas", confidence=0.2)
    said = error(kind="false alarm", start=4, end=9, gold="Paris", predicted="Paris,_Texas", confidence=0.9)
    elsewhere = error(kind="false alarm", start=20, end=25, gold="Paris", predicted="Paris,_Texas")
    first, second = cases([said, missed, elsewhere])
    assert (first.missed, first.said) == (missed, said)
    assert first.confidence == 0.9, "how sure it was of what it said"
    assert first.of_kind("miss") and first.of_kind("false alarm")
    assert second == Case(None, elsewhere) and not second.of_kind("miss")
    assert with_any([first, second], [missed]) == [first]


def test_what_the_score_counts_comes_first_then_the_surest():
    unseen = Case(None, error(kind="false alarm", confidence=1.0, counts=False))
    sure, unsure = Case(error(confidence=0.9), None), Case(error(confidence=0.1), None)
    assert surest_first([unseen, unsure, sure]) == [sure, unsure, unseen]


def test_a_relation_reads_as_head_and_tail():
    document = Document("d", "The NRC, in Rockville, said so.")
    wrong = error(start=4, end=21, gold="OrgBased_In", predicted="", arguments=((4, 7), (12, 21)))
    assert place_in_words(wrong, document) == "NRC → Rockville"
    assert answers_in_words(Case(wrong, None), document) == ("OrgBased_In", "")
