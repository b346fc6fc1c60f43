"""brat stand-off: x.txt with the text and x.ann with the annotations; one pair, or a folder of pairs.

    T1  Person 0 5          surface     a mention (0 3;7 9 for one in pieces: its hull is the mention)
    N1  Reference T1 Wikipedia:Title    its entity; Wikipedia:NIL outside the knowledge base
    R1  Live_In Arg1:T1 Arg2:T2         a relation
    *   Equiv T1 T2 T3                  a cluster

    #1  AnnotatorNotes T1               what people wrote about a mention or relation, and who agreed on it

Offsets are code points. Events, attributes and other notes are kept as they are and written back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.io import brat_notes, files
from engine.corpora.io.folders import document_id, file_name, listed
from engine.corpora.io.names import from_name, to_name
from engine.data.document import AGREED, COMMENTS, FRAGMENTS, GOLD, NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError

TITLE: Final = "brat stand-off"
EXTENSIONS: Final = (".ann", ".txt")
ABOUT: Final = "Text files with annotation files beside them, as the brat annotation tool keeps them."

HOLDS: Final = {"types", "untyped", "links", "nil", "unlinked", "clusters", "relations", "nested", "comments", "extra"}
UNTYPED: Final = "Untyped"
OTHER: Final = "ann"
SPAN = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
RELATION = re.compile(r"(\S+) ([^\s:]+):(\S+) ([^\s:]+):(\S+)\s*")
REFERENCE = re.compile(r"Reference (\S+) ([^\s:]+):(\S+)")
ARGUMENTS: Final = ["Arg1", "Arg2"]
SOURCE: Final = "Wikipedia"
KEPT: Final = {"id", FRAGMENTS, "source", AGREED, COMMENTS}


def read(path: Path) -> Iterator[Document]:
    if path.is_dir():
        for file in listed(path, ".ann"):
            yield _read_pair(file)
    elif path.suffix in EXTENSIONS:
        yield _read_pair(path.with_suffix(".ann"))
    else:
        raise InputError("expected a folder, or a file in .ann or .txt", file=path)


def _read_pair(path: Path) -> Document:
    annotations = _Annotations(path, files.whole(path.with_suffix(".txt"), may_be_empty=True))
    # brat creates an empty annotation file for every new text.
    for number, line in files.lines(path, may_be_empty=True):
        try:
            annotations.add(line.removesuffix("\r"), number)
        except InputError as error:
            raise error.at(path, number) from None
    return annotations.document()


class _Annotations:
    """The lines of an .ann file, interpreted at its end, because a line may refer to a later one."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text
        self._mentions: dict[str, tuple[int, int, str, dict[str, Any]]] = {}
        self._links: dict[str, tuple[str, str, int]] = {}
        self._relations: list[tuple[int, str, list[str], list[str], str]] = []
        self._clusters: list[tuple[int, list[str]]] = []
        self._others: list[str] = []
        self._notes = brat_notes.Notes()

    def add(self, line: str, number: int) -> None:
        if not line.strip():
            return
        id, tab, rest = line.partition("\t")
        body, _, surface = rest.partition("\t")
        if not tab or not id:
            raise InputError("expected an id, a tab and an annotation")
        if id[0] == "T":
            self._mention(id, body, surface)
        elif id[0] == "R" and (match := RELATION.fullmatch(rest.strip())):
            kind, first, head, second, tail = match.groups()
            self._relations.append((number, kind, [head, tail], [first, second], id))
        elif id[0] == "N" and (match := REFERENCE.fullmatch(body)) and match[1] not in self._links:
            self._links[match[1]] = match[2], match[3], number
        elif id == "*" and body.startswith("Equiv "):
            self._clusters.append((number, body.split()[1:]))
        elif id[0] == "#" and self._notes.take(body, surface):
            return
        else:
            self._others.append(line)

    def _mention(self, id: str, body: str, surface: str) -> None:
        match = SPAN.fullmatch(body)
        if not match or id in self._mentions:
            raise InputError(
                f'expected "T1 <tab> Type start end <tab> text" with an id of its own, found {id} {body!r}'
            )
        pieces = [[int(offset) for offset in piece.split()] for piece in match[2].split(";")]
        start, end = pieces[0][0], pieces[-1][1]
        if not 0 <= start < end <= len(self._text) or any(a > b for a, b in pieces):
            raise InputError(f"[{start}, {end}) is not a span of a text of {len(self._text)} characters")
        meant = " ".join(self._text[a:b] for a, b in pieces)
        if surface and "".join(surface.split()) != "".join(meant.split()):
            raise InputError(f"the text has {meant[:60]!r} at this place, not {surface[:60]!r}")
        extra: dict[str, Any] = {} if id == f"T{len(self._mentions) + 1}" else {"id": id}
        if len(pieces) > 1:
            extra[FRAGMENTS] = pieces
        self._mentions[id] = start, end, match[1], extra

    def document(self) -> Document:
        position = {id: i for i, id in enumerate(self._mentions)}
        for id, (_, _, number) in self._links.items():
            if id not in position:
                raise InputError(f"{id} is not a mention of this file", file=self._path, line=number)
        mentions = []
        for id, (start, end, kind, extra) in self._mentions.items():
            entity = None
            if id in self._links:
                source, name, _ = self._links[id]
                entity = NIL if name == "NIL" else from_name(name)
                if source != SOURCE:
                    extra = {**extra, "source": source}
            extra = {**extra, **self._notes.about(id)}
            mentions.append(Mention(start, end, None if kind == UNTYPED else kind, entity, extra=extra))
        relations = []
        for number, kind, sides, names, own in self._relations:
            head, tail = (self._found(id, position, number) for id in sides)
            arguments = {"arguments": names} if names != ARGUMENTS else {}
            relations.append(Relation(head, tail, kind, extra={**arguments, **self._notes.about(own)}))
        clusters = tuple(
            tuple(sorted({self._found(id, position, number) for id in ids})) for number, ids in self._clusters
        )
        if len({i for cluster in clusters for i in cluster}) < sum(map(len, clusters)) or () in clusters:
            raise InputError("two Equiv lines share a mention, or one names none", file=self._path)
        return Document(
            document_id(self._path.stem),
            self._text,
            layers={GOLD: Layer(tuple(mentions), clusters, tuple(relations))},
            shape="brat",
            extra={OTHER: self._others} if self._others else {},
        )

    def _found(self, id: str, position: dict[str, int], number: int) -> int:
        if id not in position:
            raise InputError(f"{id} is not a mention of this file", file=self._path, line=number)
        return position[id]


def write(documents: Iterable[Document], path: Path) -> None:
    """A pair of files for a name in .ann or .txt, which holds one document; else a folder."""
    if path.suffix in EXTENSIONS:
        items = list(documents)
        if len(items) != 1:
            raise InputError(f"{len(items)} documents do not fit into one pair of files; name a folder", file=path)
        with files.FileBatch() as batch:
            batch.create(path.with_suffix(".txt")).write(items[0].text.encode("utf-8"))
            batch.create(path.with_suffix(".ann")).write(_annotation(items[0]).encode("utf-8"))
        return
    with files.new_folder(path) as folder:
        for document in documents:
            name = file_name(document.id)
            if (folder / f"{name}.txt").exists():
                raise InputError(f"two documents have the id {document.id!r}", file=path)
            (folder / f"{name}.txt").write_bytes(_encoded(document.text, path))
            (folder / f"{name}.ann").write_bytes(_encoded(_annotation(document), path))


def _encoded(text: str, path: Path) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("half a character (an unpaired surrogate) cannot be written", file=path) from None


def _annotation(document: Document) -> str:
    gold = document.gold
    ids = [mention.extra.get("id", f"T{i + 1}") for i, mention in enumerate(gold.mentions)]
    if len(set(ids)) < len(ids):
        raise InputError(f"document {document.id!r}: two mentions have the same id")
    lines = []
    for id, mention in zip(ids, gold.mentions, strict=True):
        pieces = mention.extra.get(FRAGMENTS, [])
        if not pieces or (pieces[0][0], pieces[-1][1]) != mention.span:
            pieces = [mention.span]
        place = ";".join(f"{start} {end}" for start, end in pieces)
        surface = " ".join(" ".join(document.text[start:end] for start, end in pieces).split())
        lines.append(f"{id}\t{_word(mention.type or UNTYPED, document)} {place}\t{surface}")
    for i, relation in enumerate(gold.relations):
        first, second = relation.extra.get("arguments", ARGUMENTS)
        sides = f"{first}:{ids[relation.head]} {second}:{ids[relation.tail]}"
        lines.append(f"R{i + 1}\t{_word(relation.type, document)} {sides}")
    for cluster in gold.clusters:
        lines.append("*\tEquiv " + " ".join(ids[i] for i in cluster))
    number = 0
    for id, mention in zip(ids, gold.mentions, strict=True):
        if mention.entity is not None:
            number += 1
            name = "NIL" if mention.entity == NIL else to_name(mention.entity)
            surface = " ".join(document.surface(mention).split())
            lines.append(f"N{number}\tReference {id} {mention.extra.get('source', SOURCE)}:{name}\t{surface}")
    others = document.extra.get(OTHER, ())
    about = [(id, mention.extra) for id, mention in zip(ids, gold.mentions, strict=True)]
    about += [(f"R{i + 1}", relation.extra) for i, relation in enumerate(gold.relations)]
    lines += brat_notes.lines(about, others)
    return "".join(line + "\n" for line in [*lines, *others])


def _word(name: str, document: Document) -> str:
    if not name or len(name.split()) != 1 or name != name.strip():
        raise InputError(f"document {document.id!r}: brat cannot hold white space in the name {name!r}")
    return name


def losses(document: Document) -> list[str]:
    found = holdings.missing(document, HOLDS)
    gold = document.gold
    unknown = [set(document.extra) - {OTHER}, set(gold.extra) - {COMMENTS}]
    if COMMENTS in gold.extra:
        found.append("comments on the document")
    unknown += [set(mention.extra) - KEPT for mention in gold.mentions]
    unknown += [set(relation.extra) - {"arguments", AGREED, COMMENTS} for relation in gold.relations]
    if any(unknown):
        found.append("further fields")
    return found
