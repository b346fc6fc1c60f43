"""Mentions and their attributes, found with columns of words, are those found token by token and mention by mention."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document
from engine.features.coreference.arcs.pairs import codes_of
from engine.features.coreference.attributes import ANIMACIES, ATTRIBUTES, GENDERS, NUMBERS, TYPES
from engine.features.coreference.discourse import quotations
from engine.features.coreference.languages import load
from engine.features.coreference.mentions import extract
from engine.features.coreference.natures import PERSONS
from engine.features.coreference.reading import describe
from engine.features.coreference.syntax import governors, tree_of
from engine.features.coreference.texts import Texts, code
from engine.features.coreference.words import Words
from tests.features import slow_mentions, slow_reading, slow_syntax

WORDS = {
    "english": "the The a this that his it It he she Ann Ann Bob Bank bank of said , . \" `` '' “ ” 's and dogs boss"
    " Smith I you USA is clear 2 % Ms. Σ ΑΣ",
    "chinese": "李明 北京 大学 他 她 这 的 们 学生们 三 个 和 说 。 “ ” 王芳 学校 一 母亲",
    "arabic": "الكتاب كتاب هذا ه +ها ليلى المكتبة و قال في من المدرسة كل ناس",
}
TAGS = {
    "english": "NN NNS NNP NNPS PRP PRP$ DT JJ IN CC VBD VBZ CD , . POS EX WP PROPN NOUN PRON - *",
    "chinese": "NN NR PN DT CD M P CC VV PU DEG -",
    "arabic": "NN NNS NNP PRP PRP$ DEM DT CC VBD IN JJ DET+NOUN POSS_PRON_3MS -",
}
RELATIONS = "nsubj nsubj:pass det root ccomp aux cop conj cc punct clf nmod obj _"
PARSES = "* * * (NP*) (NP* *) (S* *) (NP(NP* *)) (VP* (SBAR* (S(NP* *))) (NP-SBJ* (TOP(S* * * - (NP* (WHNP* *)))))"
ENTITIES = "* * * * (PER) (ORG* *) (GPE* (PERSON* ) - (animal)"
SPEAKERS = "- - A A B _"


@st.composite
def documents(draw, language: str) -> Document:
    """Sentences of odd words under odd columns, some of which are missing: brackets cross and are never closed."""
    some = st.sampled_from
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    n = sum(lengths)

    def cells(kinds: str) -> tuple[str, ...]:
        return tuple(draw(st.lists(some(kinds.split()), min_size=n, max_size=n)))

    words = iter(cells(WORDS[language]))
    columns = {}
    for name, kinds in (
        ("pos", TAGS[language]),
        ("upos", TAGS[language]),
        ("deprel", RELATIONS),
        ("parse", PARSES),
        ("ner", ENTITIES),
        ("speaker", SPEAKERS),
        ("deplemma", "The be Dog dog it _"),
        ("lemma_all", "X y *"),
    ):
        if draw(st.booleans()):
            columns[name] = cells(kinds) if draw(st.integers(0, 9)) else ("-",) * n
    if draw(st.booleans()):
        columns["head"] = tuple(draw(st.integers(-1, length - 1)) for length in lengths for _ in range(length))
    return Document.from_words("d", [[next(words) for _ in range(length)] for length in lengths], columns=columns)


languages = st.sampled_from(sorted(WORDS))
anywhere = languages.flatmap(lambda name: st.tuples(st.just(load(name)), documents(name)))


@given(found=anywhere)
def test_mentions_are_those_found_token_by_token(found):
    language, document = found
    if slow_mentions._tags(document) is not None:
        assert extract(Words(document, language)) == slow_mentions.extract(document, language)


@given(found=anywhere)
def test_constituents_governors_and_quotations_are_those_read_token_by_token(found):
    language, document = found
    tree, slow = tree_of(document), slow_syntax.constituents(document)
    nodes = zip([tree.labels[i] for i in tree.label], tree.start, tree.end, tree.parent, strict=True)
    assert [tuple(node) for node in nodes] == [tuple(node) for node in slow]
    assert governors(document) == slow_syntax.governors(document)
    assert quotations(document.words, language) == slow_syntax.quotations(document.words, language)


def same_partition(numbers: list[int], texts: list[str]) -> bool:
    """Whether equal texts have equal numbers, different ones different numbers, and the empty text 0."""
    pairs = set(zip(numbers, texts, strict=True)) | {(0, "")}
    return len(pairs) == len({number for number, _ in pairs}) == len({text for _, text in pairs})


@given(found=anywhere, data=st.data())
def test_attributes_are_those_of_one_mention_at_a_time(found, data):
    language, document = found
    n = len(document.tokens)
    bounds = st.tuples(st.integers(0, n - 1), st.integers(1, 6)).map(lambda one: (one[0], min(n, sum(one))))
    spans = slow_mentions.in_order(data.draw(st.lists(bounds, max_size=9)))
    listed = {"ann": "female", "bob bank": "male", "bank": "neutral", "dogs": "plural"}
    gender_of = data.draw(st.sampled_from([{}, listed]))
    stated = st.sampled_from([("PER", ""), ("", "C"), ("x", "P")])
    given_ = data.draw(st.dictionaries(st.sampled_from(spans), stated)) if spans else {}
    table = describe(Words(document, language), spans, gender_of=gender_of, given=given_)
    reader = slow_reading.Reader(document, language, gender_of, given_)
    rows = [reader.row(*span) for span in spans]
    context = {
        "seen": slow_reading.seen(rows),
        "again": slow_reading.seen(rows[::-1])[::-1],
        "nested": slow_reading.nested(spans),
    }
    slow = {name: context[name] if name in context else [row[name] for row in rows] for name in ATTRIBUTES}
    assert {name: list(table.text[name]) for name in ATTRIBUTES} == slow
    assert codes_of(table)[1:].tolist() == [[code(slow[name][i]) for name in ATTRIBUTES] for i in range(len(spans))]
    for name in ("entity", "string", "head", "lemma", "modifier", "first_name", "initials", "speaker"):
        texts = [row.get(name, row.get(f"_{name}", "")) for row in rows]
        assert same_partition(table.numeric[name].tolist(), texts), name
    choices = {"type": TYPES, "gender": GENDERS, "number": NUMBERS, "animacy": ANIMACIES, "person": PERSONS}
    for name, known in choices.items():
        key = "_person" if name == "person" else name
        assert table.numeric[name].tolist() == [known.index(row[key]) for row in rows], name
    for name, key in (("governor",) * 2, ("sentence",) * 2, ("turn",) * 2, ("quote",) * 2, ("said_by",) * 2):
        assert table.numeric[name].tolist() == [int(row[f"_{key}"]) for row in rows], name
    assert table.numeric["head_token"].tolist() == [int(row["_head"]) for row in rows]
    subjects = [row["relation"].startswith(("nsubj", "S-")) for row in rows]
    assert table.numeric["subject"].tolist() == subjects
    content = [reader.content(*span) for span in spans]
    assert table.word_offsets.tolist() == [sum(map(len, content[:i])) for i in range(len(spans) + 1)]
    groups = [set(table.words[a:b].tolist()) for a, b in zip(table.word_offsets, table.word_offsets[1:], strict=False)]
    assert [[len(a & b) for b in groups] for a in groups] == [[len(a & b) for b in content] for a in content]


ENGLISH = load("english")


def test_the_path_of_a_constituent_is_its_own_and_others_take_that_of_their_first_word():
    parse = ("(TOP(S(NP(NP*", "*)", "*)", "(VP*)))")
    document = Document.from_words("d", [["the", "bank", "here", "is"]], columns={"parse": parse})
    spans = [(0, 3), (0, 2), (0, 1), (1, 2)]
    paths = list(describe(Words(document, ENGLISH), spans).text["path"])
    assert paths == ["NP>S", "NP>NP>S", "NP>NP>S", ""]
    assert paths == [slow_reading.Reader(document, ENGLISH, {}, {}).row(*span)["path"] for span in spans]


def test_a_word_is_described_by_what_is_marked_there():
    columns = {"pos": ("NN", "NN", "NN"), "ner": ("(PER)", "*", "(ORG)")}
    document = Document.from_words("d", [["boss"] * 3], columns=columns)
    table = describe(Words(document, ENGLISH), [(0, 1), (1, 2), (2, 3)])
    assert list(table.text["animacy"]) == ["animate", "", "inanimate"]
    assert list(table.text["entity"]) == ["PER", "", "ORG"]


def test_names_do_not_recur_beyond_the_end():
    columns = {"pos": ("NNP", "NNP", "VBD", "NNP")}
    document = Document.from_words("d", [["Bob", "Smith", "saw", "Ann"]], columns=columns)
    assert extract(Words(document, ENGLISH)) == slow_mentions.extract(document, ENGLISH) == [(0, 2), (3, 4)]


texts = st.lists(st.sampled_from(["", "a", "A", "b", "a b"]), max_size=6)


@given(left=texts, data=st.data())
def test_columns_of_texts_are_lists_of_texts(left, data):
    n = len(left)
    right = data.draw(st.lists(st.sampled_from(["", "b", "a b", "c"]), min_size=n, max_size=n))
    column, other = Texts.of(left), Texts.of(right)
    assert list(column) == left and [column[i] for i in range(n)] == left and column[1:] == left[1:]
    assert list(column.mapped(str.lower)) == [text.lower() for text in left]
    assert list(column.joined(other)) == [f"{a} {b}" for a, b in zip(left, right, strict=True)]
    assert column.are(str.islower).tolist() == [text.islower() for text in left]
    assert list(column.where(column.are(str.islower))) == [text if text.islower() else "" for text in left]
    assert column.codes.tolist() == [code(text) for text in left]
    for one in (column, column.mapped(str.lower), column.joined(other)):
        assert same_partition(one.numbers.tolist(), list(one))
