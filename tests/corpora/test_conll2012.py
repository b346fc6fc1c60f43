"""CoNLL-2012: columns, brackets, and files that come back byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.io.brackets import read as clusters
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError

ROWS = [
    ("Ada", "NNP", "(TOP(S(NP*)", "-", "-", "-", "anna", "(PERSON)", "(0)"),
    ("saw", "VBD", "(VP*", "see", "-", "-", "anna", "*", "-"),
    ("her", "PRP$", "(NP*", "-", "-", "-", "anna", "*", "(1|(0)"),
    ("dog", "NN", "*)))", "-", "-", "-", "anna", "*", "1)"),
]
FILE = "\n".join(
    ["#begin document (x/y); part 000"]
    + ["\t".join(["x/y", "0", str(i), *row]) for i, row in enumerate(ROWS)]
    + ["", "#end document", ""]
)
ODD = """# a comment

#begin document (Odd);\x20
a  0 0 w (1(2
b 0  0 v\t-
# inside
c 0 1 u 2)|1)\x20\x20

d 0 0 t (3)
#end document

#begin document (Odd); part 002
Odd -
Odd (x)
#end document"""


def written(content: str, folder: Path) -> bytes:
    path, native, back = folder / "x.conll", folder / "x.jsonl", folder / "y.conll"
    path.write_bytes(content.encode())
    corpora.write(corpora.read(path), native)
    corpora.write(corpora.read(native), back)
    return back.read_bytes()


def read(content: str, folder: Path) -> list[Document]:
    path = folder / "x.conll"
    path.write_bytes(content.encode())
    return corpora.read(path)


def test_columns_and_clusters_are_read(tmp_path: Path) -> None:
    (found,) = read(FILE, tmp_path)
    assert found.id == "x/y"
    assert found.text == "Ada saw her dog"
    assert found.columns["pos"] == ("NNP", "VBD", "PRP$", "NN")
    assert found.columns["speaker"] == ("anna",) * 4
    assert [found.surface(mention) for mention in found.gold.mentions] == ["Ada", "her", "her dog"]
    assert found.gold.clusters == ((0, 1), (2,))


@pytest.mark.parametrize("content", [FILE, ODD.replace("\t-", " -"), FILE.replace("\n", "\r\n"), FILE[:-1]])
def test_files_come_back_byte_for_byte_through_native(content: str, tmp_path: Path) -> None:
    assert written(content, tmp_path) == content.encode()


def test_later_parts_have_their_number_in_the_id(tmp_path: Path) -> None:
    assert [found.id for found in read(ODD.replace("\t-", " -"), tmp_path)] == ["Odd", "Odd;2"]


def test_changed_clusters_are_written_anew_and_the_rest_is_kept(tmp_path: Path) -> None:
    (found,) = read(FILE, tmp_path)
    gold = Layer((Mention(0, 3), Mention(8, 15)), ((0, 1),))
    corpora.write([found.with_layer(GOLD, gold)], tmp_path / "y.conll")
    assert (tmp_path / "y.conll").read_text() == FILE.replace("(1|(0)", "(0").replace("1)", "0)")


def test_a_repeated_mention_counts_once_for_the_entity_that_began_first() -> None:
    assert clusters(["(1(3", "3)1)", "(3)"]) == [[(0, 2)], [(2, 3)]]
    assert clusters(["(1(1", "1)1)"]) == [[(0, 2)]]


@pytest.mark.parametrize("cell", ["(1", "1)", "x", "(1)|", "((1)", "(1))", "()", "(1 2)"])
def test_brackets_that_do_not_match_are_refused_with_their_line(cell: str, tmp_path: Path) -> None:
    content = FILE.replace("(0)", cell, 1)
    if cell == "(1)|":
        read(content, tmp_path)  # the official scorer reads it, too
        return
    if cell == "(1 2)":
        assert read(content, tmp_path)[0].gold.clusters[0] == (0,)
        return
    with pytest.raises(InputError) as caught:
        read(content, tmp_path)
    assert caught.value.line is not None


spans = st.sets(st.tuples(st.integers(0, 5), st.integers(1, 6)).filter(lambda span: span[0] < span[1]), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chains=st.lists(spans, max_size=3))
def test_any_clusters_without_crossing_come_back(chains: list[set[tuple[int, int]]], tmp_path: Path) -> None:
    base = Document.from_words("d", [["a", "b", "c"], ["d", "e", "f"]])
    seen: set[tuple[int, int]] = set()
    mentions: list[tuple[int, int]] = []
    groups = []
    for chain in chains:
        fresh = sorted(chain - seen)
        seen |= chain
        groups.append(tuple(range(len(mentions), len(mentions) + len(fresh))))
        mentions += fresh
    layer = Layer(tuple(Mention(*base.char_range(*span)) for span in mentions), tuple(g for g in groups if g))
    document = base.with_layer(GOLD, layer)
    corpora.write([document], tmp_path / "x.conll")
    (back,) = corpora.read(tmp_path / "x.conll")
    meant = {frozenset(layer.mentions[i].span for i in group) for group in layer.clusters}
    found = {frozenset(back.gold.mentions[i].span for i in group) for group in back.gold.clusters}
    crossing = "mentions of one cluster that cross, and spans given twice"
    assert (found == meant) or crossing in corpora.losses([document], "conll2012")


DEPENDENCIES = """x/y\t0\t0\tAda\tAda\tPROPN\tNNP\t1\tnsubj
x/y\t0\t1\tsaw\tsee\tVERB\tVBD\t-1\troot
x/y\t0\t2\ther\this\tPRON\tPRP$\t3\tposs
x/y\t0\t3\tdog\tdog\tNOUN\tNN\t1\tobj

"""
MENTIONS = "x/y\t0\t0\t1\t0\tPER\tPROP\nx/y\t0\t2\t3\t0\tPER\tPRON\nx/y\t0\t2\t4\t1\tANI\tNOM\n"


def test_sidecars_are_read_by_name_and_written_back(tmp_path: Path) -> None:
    (tmp_path / "x.dep.tsv").write_text(DEPENDENCIES)
    (tmp_path / "x.mentions.tsv").write_text(MENTIONS)
    (found,) = read(FILE, tmp_path)
    assert found.columns["head"] == (1, -1, 3, 1)
    assert found.columns["deplemma"] == ("Ada", "see", "his", "dog")
    assert [mention.type for mention in found.gold.mentions] == ["PER", "PER", "ANI"]
    assert corpora.losses([found], "conll2012") == []
    corpora.write([found], tmp_path / "n.jsonl")
    corpora.write(corpora.read(tmp_path / "n.jsonl"), tmp_path / "y.conll")
    assert (tmp_path / "y.dep.tsv").read_text() == DEPENDENCIES
    assert (tmp_path / "y.mentions.tsv").read_text() == MENTIONS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.dep.tsv", DEPENDENCIES.replace("saw", "sees")),
        ("x.dep.tsv", DEPENDENCIES.replace("\t-1\t", "\t9\t")),
        ("x.dep.tsv", DEPENDENCIES.replace("\t-1\t", "\t-2\t")),
        ("x.dep.tsv", DEPENDENCIES.replace("\t-1\t", "\t-01\t")),
        ("x.dep.tsv", DEPENDENCIES.replace("\t-1\t", "\t1\u0661\t")),
        ("x.dep.tsv", DEPENDENCIES.replace("\t1\tobj\n", "\t1\n")),
        ("x.dep.tsv", DEPENDENCIES + "z\t0\t0\tw\tw\tX\tX\t-1\troot\n"),
        ("x.mentions.tsv", MENTIONS.replace("\t4\t", "\t9\t")),
        ("x.mentions.tsv", MENTIONS.replace("0\t0\t1\t0", "0\t1\t2\t0")),
        ("x.mentions.tsv", MENTIONS.replace("0\t2\t4", "7\t2\t4")),
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        read(FILE, tmp_path)
    assert caught.value.file == str(tmp_path / name)
    assert caught.value.line is not None


def test_a_strange_sidecar_in_the_way_is_refused(tmp_path: Path) -> None:
    found = read(FILE, tmp_path)
    (tmp_path / "z.dep.tsv").write_text(DEPENDENCIES)
    with pytest.raises(InputError):
        corpora.write(found, tmp_path / "z.conll")
    assert not (tmp_path / "z.conll").exists()


def test_text_without_tokens_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        corpora.write([replace(Document("d", "no tokens"))], tmp_path / "x.conll")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tag", ["a\rb", "a\nb", "a\tb"])
def test_a_column_that_would_break_its_line_is_refused(tag: str, tmp_path: Path) -> None:
    document = Document.from_words("d", [["one", "two"]], columns={"pos": ("X", tag)})
    with pytest.raises(InputError, match="cannot be a line of columns"):
        corpora.write([document], tmp_path / "x.conll")
    assert not (tmp_path / "x.conll").exists()
