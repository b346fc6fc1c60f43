"""The import rule of every scale, and records of scores that are read, refused and written."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.records.offsets import check_surface
from engine.corpora.scores.parts import Arc, Label, Link, Pair, Typed, read_parts
from engine.corpora.scores.records import has_scores, read_record, stream, with_parts
from engine.corpora.scores.scales import CLAMP, SCALES, Scale, additive, comparable
from engine.data.document import Document
from engine.data.errors import InputError

TEXT = "Rome fell. Nero sang."
MENTIONS = [{"start": 0, "end": 4}, {"start": 11, "end": 15}]


def record(parts: Any, **more: Any) -> dict[str, Any]:
    return {"id": "d", "text": TEXT, "mentions": MENTIONS, "scale": "logit", "parts": parts, **more}


PROBABILITIES = st.floats(0.001, 0.999)


@given(PROBABILITIES, PROBABILITIES, st.floats(-3, 3))
def test_a_probability_against_that_of_declining_wins_where_it_is_larger(p: float, nil: float, bias: float) -> None:
    """exp(bias) times the probability of declining: what a bias on a logarithmic scale does."""
    ahead = additive(p, "prob", declining=True) - additive(nil, "prob", declining=True)
    assert math.isclose(ahead, math.log(p) - math.log(nil), abs_tol=1e-12)
    if not math.isclose(p, nil * math.exp(bias), rel_tol=1e-9):
        assert (ahead > bias) == (p > nil * math.exp(bias))


@given(PROBABILITIES)
def test_a_probability_alone_stands_against_not_being_chosen(p: float) -> None:
    assert math.isclose(additive(p, "prob", declining=False), math.log(p / (1 - p)), rel_tol=1e-9, abs_tol=1e-9)


@given(st.floats(-50, 0), st.booleans())
def test_what_is_logarithmic_stays_as_it_is(score: float, declining: bool) -> None:
    for scale in ("logit", "logprob", "margin"):
        assert additive(score, scale, declining=declining) == score


def test_certainty_is_finite() -> None:
    sure, impossible = (additive(p, "prob", declining=False) for p in (1.0, 0.0))
    assert sure == pytest.approx(-math.log(CLAMP)) and impossible == pytest.approx(math.log(CLAMP), abs=1e-5)
    assert additive(0.0, "prob", declining=True) == math.log(CLAMP) and additive(1.0, "prob", declining=True) == 0.0


def test_scales_without_a_zero_say_so() -> None:
    assert "0 means nothing" in comparable("margin", declining=False)
    assert "0 means nothing" in comparable("logprob", declining=False)
    assert not comparable("margin", declining=True) and not comparable("prob", declining=False)


def test_every_kind_of_part_is_read() -> None:
    found = read_record(
        record(
            [
                {"start": 0, "end": 4, "entity": "Rome", "score": 2.1, "type": "place", "text": "Rome"},
                {"mention": 1, "entity": None, "score": 1},
                {"mention": 1, "antecedent": 0, "score": 0.5},
                {"mention": [11, 15], "antecedent": None, "score": 0},
                {"entity": 0, "type": "Loc", "score": -1},
                {"head": 0, "tail": [11, 15], "type": None, "score": 3},
            ],
            alternatives="top-k",
            bias=0.25,
        ),
        {},
    )
    assert found.parts == [
        Link((0, 4), "Rome", 2.1, "place"),
        Link((11, 15), None, 1.0),
        Arc((11, 15), (0, 4), 0.5),
        Arc((11, 15), None, 0.0),
        Typed((0, 4), "Loc", -1.0),
        Pair((0, 4), (11, 15), None, 3.0),
    ]
    assert (found.scale, found.alternatives, found.bias, found.declines) == ("logit", "top-k", 0.25, True)
    bag = {"id": "b", "e1": "A", "e2": "B", "relations": [], "scale": "prob"}
    bag["mentions"] = [{"sid": "s7", "tokens": ["A", "met", "B"], "e1": [0, 1], "e2": [2, 3]}]
    bag["parts"] = [
        {"sid": "s7", "relation": "met", "score": 0.8},
        {"member": 0, "relation": None, "score": 0.2, "share": 0.5},
        {"relation": "met", "score": 0.6},
    ]
    assert read_record(bag, {}).parts == [Label(0, "met", 0.8), Label(0, None, 0.2, 0.5), Label(None, "met", 0.6)]


ABSENT: Any = object()
VALUES: dict[str, tuple[Any, ...]] = {
    "start": (0, 4, -1, False, None, 0.0, ABSENT),
    "end": (4, len(TEXT), len(TEXT) + 1, True, "4", ABSENT),
    "entity": ("Rome", None, "", 3, ABSENT),
    "score": (0.5, -1.5, 1.5, 1, True, math.nan, math.inf, "1", ABSENT),
    "type": (ABSENT, "place", "", None, 3),
}


@pytest.mark.parametrize("scale", SCALES)
def test_the_short_way_to_read_a_link_says_what_the_long_way_says(scale: Scale) -> None:
    """A further field, which says nothing, sends it the long way."""
    document = Document("d", TEXT)
    for values in itertools.product(*VALUES.values()):
        item = {name: value for name, value in zip(VALUES, values, strict=True) if value is not ABSENT}
        short, long = (_read_or_refused([one], document, scale) for one in (item, {**item, "note": ""}))
        assert short == long or ("not a part we know" in short and "not a part we know" in long)


def _read_or_refused(items: list[dict[str, Any]], document: Document, scale: Scale) -> str:
    try:
        return repr(read_parts(items, document, scale))
    except InputError as error:
        return str(error)


def test_candidates_of_mentions_may_have_the_scores() -> None:
    mentions = [{"start": 0, "end": 4, "candidates": [{"entity": "Rome", "score": 0.7}, {"entity": "Roma"}]}]
    found = read_record({"id": "d", "text": TEXT, "mentions": mentions, "scale": "prob"}, {})
    assert found.parts == [Link((0, 4), "Rome", 0.7)]


LINK = {"start": 0, "end": 4, "entity": "Rome", "score": 1.0}

FAULTS = {
    "a part outside the text": ([{**LINK, "end": 99}], {}, "parts[0].start", "is not a span of a text of 21"),
    "an empty span": ([{**LINK, "end": 0}], {}, "parts[0].start", "not a span"),
    "an unknown mention": ([{"mention": 2, "entity": "X", "score": 1}], {}, "parts[0].mention", "there are 2 mentions"),
    "no score": ([{"start": 0, "end": 4, "entity": "X"}], {}, "parts[0].score", "is missing"),
    "a score in words": ([{**LINK, "score": "high"}], {}, "parts[0].score", "expected a number"),
    "a score beyond all": ([{**LINK, "score": 1e999}], {}, "parts[0].score", "finite"),
    "a score too large for sums": ([{**LINK, "score": -1e308}], {}, "parts[0].score", "too large to be added up"),
    "a probability over 1": ([{**LINK, "score": 1.2}], {"scale": "prob"}, "parts[0].score", "between 0 and 1"),
    "a log-probability over 0": ([{**LINK, "score": 0.2}], {"scale": "logprob"}, "parts[0].score", "at most 0"),
    "an unknown scale": ([LINK], {"scale": "percent"}, "scale", "must be one of logit"),
    "unknown alternatives": ([LINK], {"alternatives": "some"}, "alternatives", "must be one of all"),
    "no entity at all": ([{"start": 0, "end": 4, "score": 1}], {}, "parts[0].entity", "null is declining"),
    "an entity without a name": ([{**LINK, "entity": ""}], {}, "parts[0].entity", "is empty"),
    "an antecedent that follows": (
        [{"mention": 0, "antecedent": 1, "score": 1}], {}, "parts[0].antecedent", "comes before"
    ),
    "a mention with nothing to choose": ([{"mention": 0, "score": 1}], {}, "parts[0]", "neither an entity nor an"),
    "a relation to itself": (
        [{"head": 0, "tail": 0, "type": "X", "score": 1}], {}, "parts[0].tail", "two different mentions"
    ),
    "no part we know": ([{"score": 1, "span": [0, 4]}], {}, "parts[0]", "not a part we know"),
    "a sentence that is not there": (
        [{"sid": "s9", "relation": "met", "score": 1}], {}, "parts[0].sid", "no sentence 's9'"
    ),
    "parts that are no list": ({"0": LINK}, {}, "parts", "expected a list"),
    "other words": ([{**LINK, "text": "Nero"}], {}, "parts[0].text", "'Rome', not 'Nero'"),
    "a mention with other words": (
        [LINK], {"mentions": [{"start": 0, "end": 4, "text": "Nero"}]}, "mentions[0].text", "'Rome', not 'Nero'"
    ),
}  # fmt: skip


def test_a_file_that_forgets_its_scale_is_still_one_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"id": "d", "text": "Rome fell.", "parts": [LINK]}), encoding="utf-8")
    assert has_scores(path)
    with pytest.raises(InputError, match="field 'scale': is missing"):
        list(stream(path))
    # Other fields of that name are nobody's scores.
    path.write_text(json.dumps({"id": "d", "text": "Rome fell.", "parts": ["head", "tail"]}), encoding="utf-8")
    assert not has_scores(path)


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_scores_are_refused_with_file_line_and_field(fault: str, tmp_path: Path) -> None:
    parts, changes, field, words = FAULTS[fault]
    path = tmp_path / "s.jsonl"
    lines = [json.dumps(record([LINK])), json.dumps(record(parts, **changes)).replace("Infinity", "1e999")]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        list(stream(path))
    error = refused.value
    assert (error.file, error.line, error.field) == (str(path), 2, field)
    assert words in error.what and "\n" not in str(error)


def test_nan_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(record([{**LINK, "score": float("nan")}])), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1, field 'parts\[0\].score': NaN is not JSON; use a number or null"):
        list(stream(path))
    path.write_text(path.read_text(encoding="utf-8")[:-2], encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: NaN is not JSON"):
        list(stream(path))


@pytest.mark.parametrize(
    ("text", "start", "end", "surface", "cause"),
    [
        ("😀 Rome", 3, 7, "Rome", "UTF-16 units"),
        ("né à Rome", 7, 11, "Rome", "bytes of UTF-8"),
        ("In Rome.", 3, 6, "Rome", "the last character as the end"),
        ("In Rome.", 4, 8, "Rome", "count from 1"),
    ],
)
def test_words_that_contradict_their_offsets_name_the_likely_cause(
    text: str, start: int, end: int, surface: str, cause: str
) -> None:
    with pytest.raises(InputError, match=cause):
        check_surface(text, (start, end), surface, "text")
    check_surface(text, (text.index(surface), text.index(surface) + len(surface)), surface, "text")


def test_another_text_than_the_data_is_refused() -> None:
    with pytest.raises(InputError, match=r"differs from that of the data at character 5: 'fell. Nero s' here, 'rose.'"):
        read_record(record([LINK]), {"d": Document("d", "Rome rose.")})


def test_records_are_written_as_they_are_read(tmp_path: Path) -> None:
    parts = [LINK, {"mention": 1, "entity": None, "score": -0.1}]
    bare = Document("d", TEXT, shape="tweet")
    path = tmp_path / "s.jsonl.gz"
    corpora.write([with_parts(bare, [LINK], scale="logit", alternatives="top-k", bias=0.5)], path)
    [found] = stream(path)
    assert (found.scale, found.alternatives, found.bias, found.line) == ("logit", "top-k", 0.5, 1)
    assert found.document.extra == {} and has_scores(path)
    # As a corpus the file is read and written unchanged, parts and all.
    plain = tmp_path / "p.jsonl"
    plain.write_text(json.dumps(record(parts), separators=(",", ":")) + "\n", encoding="utf-8")
    corpora.write(corpora.read(plain), tmp_path / "q.jsonl")
    assert (tmp_path / "q.jsonl").read_bytes() == plain.read_bytes()
    corpora.write([bare], plain)
    assert not has_scores(plain)


@pytest.mark.parametrize("name", ["s.jsonl", "s.txt", "s.json", "s.tsv.gz", "s"])
def test_a_file_of_scores_is_known_by_what_it_holds(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    line = ("\ufeff\n" + json.dumps(record([LINK]))).encode()
    path.write_bytes(gzip.compress(line) if name.endswith(".gz") else line)
    assert has_scores(path)
    for other in (b"", b"\n", b"[1]", b'{"parts": 1', b"\xff\xfe", b'"parts scale"'):
        path.write_bytes(gzip.compress(other) if name.endswith(".gz") else other)
        assert not has_scores(path)
