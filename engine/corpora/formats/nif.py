"""NIF 2.0 (RDF): a context with its text, and phrases with offsets and links, as GERBIL and Spotlight exchange them.

Offsets are code points, as NIF requires. It is read from Turtle, N-Triples or RDF/XML by rdflib, and written as Turtle,
one triple per line. NIF itself has no clusters, relations or order of items: these are written in a small vocabulary of
ours (urn:espalier:), which other readers ignore.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote
from xml.sax import SAXParseException

from engine.corpora import holdings
from engine.corpora.io import files
from engine.corpora.io.names import from_uri, is_uri, to_uri
from engine.corpora.records.offsets import check_surface
from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError

TITLE: Final = "NIF"
EXTENSIONS: Final = (".ttl", ".nif", ".nt", ".rdf")
ABOUT: Final = "RDF annotations of text with links to DBpedia or any other knowledge base."

HOLDS: Final = {"types", "untyped", "links", "nil", "unlinked", "scores", "clusters", "relations", "nested"}
CORE: Final = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
ITS: Final = "http://www.w3.org/2005/11/its/rdf#"
OURS: Final = "urn:espalier:"
IDENTIFIER: Final = "http://purl.org/dc/terms/identifier"
KIND: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
INTEGER: Final = "http://www.w3.org/2001/XMLSchema#nonNegativeInteger"
DOUBLE: Final = "http://www.w3.org/2001/XMLSchema#double"
TYPES: Final = OURS + "type:"
DOCUMENTS: Final = OURS + "document:"
UNKNOWN_ENTITY: Final = "http://aksw.org/notInWiki/"
"""The prefix by which GERBIL recognises an entity outside every knowledge base."""

SYNTAX: Final = {".nt": "nt", ".rdf": "xml", ".xml": "xml"}


def read(path: Path) -> Iterator[Document]:
    suffix = [part for part in path.suffixes if part != ".gz"][-1:] or [""]
    yield from documents(files.whole(path), SYNTAX.get(suffix[0].lower(), "turtle"), path)


def documents(text: str, syntax: str, path: Path, *, every_phrase: bool = False) -> Iterator[Document]:
    """The documents of a file's text. `every_phrase`: phrases without a link or class are mentions too, as in GERBIL's
    disambiguation requests."""
    graph = _graph(text, syntax, path)
    phrases: dict[Any, list[Any]] = {}
    for phrase, context in graph.subject_objects(_term(CORE + "referenceContext")):
        phrases.setdefault(context, []).append(phrase)
    contexts = sorted(set(graph.subjects(_term(CORE + "isString"))), key=lambda node: _rank(graph, node, path))
    if not contexts:
        raise InputError("there is no nif:Context with a nif:isString", file=path)
    for context in contexts:
        yield _document(graph, context, phrases.get(context, []), path, every_phrase)


def _graph(text: str, syntax: str, path: Path) -> Any:
    from rdflib import Graph
    from rdflib.exceptions import ParserError
    from rdflib.plugins.parsers.notation3 import BadSyntax

    text = text.removeprefix("\ufeff")
    if syntax == "xml" and ("<!DOCTYPE" in text or "<!ENTITY" in text):
        # XML entities may expand without limit, or refer to files and addresses.
        raise InputError("holds a document type (DTD), which is not read; write it without entities", file=path)
    graph = Graph()
    try:
        graph.parse(data=text, format=syntax)
    except BadSyntax as error:
        raise InputError("this is not Turtle", file=path, line=error.lines + 1) from None
    except SAXParseException as error:
        raise InputError(f"this is not RDF/XML: {error.getMessage()}", file=path, line=error.getLineNumber()) from None
    except InputError:
        raise
    except (ParserError, ValueError, LookupError, AttributeError, TypeError, AssertionError, RecursionError) as error:
        # rdflib's parsers raise all kinds of exceptions for invalid input.
        raise InputError(f"this is not RDF that can be read ({type(error).__name__}: {error})", file=path) from None
    return graph


def _term(uri: str) -> Any:
    from rdflib import URIRef

    return URIRef(uri)


def _rank(graph: Any, node: Any, path: Path) -> tuple[int, str]:
    """A sort key: by the position that we wrote, then by name."""
    position = graph.value(node, _term(OURS + "position"), any=True)
    return (_number(position, node, "position", path) if position is not None else 1 << 60), str(node)


def _number(value: Any, node: Any, what: str, path: Path) -> int:
    text = str(value) if value is not None else ""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise InputError(f"{node}: expected a whole number, found {text[:40]!r}", file=path, field=what)
    return int(text)


def _document(graph: Any, context: Any, phrases: list[Any], path: Path, every_phrase: bool) -> Document:
    text = str(graph.value(context, _term(CORE + "isString"), any=True))
    phrases = sorted(
        (phrase for phrase in phrases if (phrase, _term(CORE + "beginIndex"), None) in graph and phrase != context),
        key=lambda node: (_rank(graph, node, path)[0], _span(graph, node, path), str(node)),
    )
    # Words and sentences are phrases without a link or a class; entity annotations have one of them, or are ours.
    marks = (ITS + "taIdentRef", ITS + "taClassRef", OURS + "position")
    named = [
        phrase for phrase in phrases if every_phrase or any((phrase, _term(mark), None) in graph for mark in marks)
    ]
    mentions = []
    clusters: dict[int, list[int]] = {}
    for i, phrase in enumerate(named):
        start, end = _span(graph, phrase, path)
        if not 0 <= start < end <= len(text):
            raise InputError(f"{phrase}: [{start}, {end}) is not a span of a text of {len(text)} characters", file=path)
        anchor = graph.value(phrase, _term(CORE + "anchorOf"), any=True)
        if anchor is not None:
            try:
                check_surface(text, (start, end), str(anchor), "anchorOf")
            except InputError as error:
                raise InputError(f"{phrase}: {error.what}", file=path, field=error.field) from None
        mentions.append(Mention(start, end, *_annotation(graph, phrase, path)))
        cluster = graph.value(phrase, _term(OURS + "cluster"), any=True)
        if cluster is not None:
            clusters.setdefault(_number(cluster, phrase, "cluster", path), []).append(i)
    position = {phrase: i for i, phrase in enumerate(named)}
    layer = Layer(
        tuple(mentions),
        tuple(tuple(clusters[number]) for number in sorted(clusters)),
        tuple(_relations(graph, context, position, path)),
    )
    return Document(_id(graph, context), text, layers={GOLD: layer}, shape="nif")


def _span(graph: Any, phrase: Any, path: Path) -> tuple[int, int]:
    ends = (graph.value(phrase, _term(CORE + name), any=True) for name in ("beginIndex", "endIndex"))
    start, end = (_number(value, phrase, "beginIndex, endIndex", path) for value in ends)
    return start, end


def _annotation(graph: Any, phrase: Any, path: Path) -> tuple[str | None, str | None, float | None]:
    kind = graph.value(phrase, _term(ITS + "taClassRef"), any=True)
    link = graph.value(phrase, _term(ITS + "taIdentRef"), any=True)
    entity = None if link is None else NIL if str(link).startswith(UNKNOWN_ENTITY) else from_uri(str(link))
    return _type(kind), entity, _score(graph.value(phrase, _term(ITS + "taConfidence"), any=True), phrase, path)


def _type(node: Any) -> str | None:
    if node is None:
        return None
    return unquote(str(node)[len(TYPES) :]) if str(node).startswith(TYPES) else str(node)


def _score(value: Any, node: Any, path: Path) -> float | None:
    if value is None:
        return None
    try:
        score = float(str(value))
    except ValueError:
        score = float("nan")
    if not abs(score) < float("inf"):
        raise InputError(f"{node}: expected a number, found {str(value)[:40]!r}", file=path, field="taConfidence")
    return score


def _relations(graph: Any, context: Any, position: dict[Any, int], path: Path) -> Iterator[Relation]:
    nodes = graph.subjects(_term(OURS + "relationOf"), context)
    for node in sorted(nodes, key=lambda item: _rank(graph, item, path)):
        sides = [position.get(graph.value(node, _term(OURS + name), any=True)) for name in ("head", "tail")]
        if sides[0] is None or sides[1] is None:
            raise InputError(f"{node}: head or tail is not a mention of its context", file=path)
        score = _score(graph.value(node, _term(ITS + "taConfidence"), any=True), node, path)
        yield Relation(sides[0], sides[1], str(graph.value(node, _term(OURS + "label"), any=True) or ""), score)


def _id(graph: Any, context: Any) -> str:
    given = graph.value(context, _term(IDENTIFIER), any=True)
    return str(given) if given is not None else str(context).partition("#char=")[0]


def write(documents: Iterable[Document], path: Path) -> None:
    if SYNTAX.get(path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix) == "xml":
        raise InputError("NIF is written as Turtle; give a name in .ttl", file=path)
    with files.FileBatch() as batch:
        file = batch.create(path)
        seen: set[str] = set()
        for number, document in enumerate(documents):
            if document.id in seen:
                raise InputError(f"two documents have the id {document.id!r}, so RDF would merge them")
            seen.add(document.id)
            file.write("".join(_lines(document, number)).encode("utf-8"))


def _lines(document: Document, number: int) -> Iterator[str]:
    base = DOCUMENTS + quote(document.id, safe="")
    context = f"<{base}#char=0,{len(document.text)}>"
    yield _triple(context, KIND, f"<{CORE}Context>")
    yield _triple(context, IDENTIFIER, _literal(document.id))
    yield _triple(context, CORE + "isString", _literal(document.text))
    yield _triple(context, CORE + "beginIndex", _integer(0))
    yield _triple(context, CORE + "endIndex", _integer(len(document.text)))
    yield _triple(context, OURS + "position", _integer(number))
    gold = document.gold
    clusters = gold.cluster_of()
    names = [f"<{base}#char={mention.start},{mention.end}&mention={i}>" for i, mention in enumerate(gold.mentions)]
    for i, mention in enumerate(gold.mentions):
        name = names[i]
        yield from _place(document, mention, name, context)
        yield _triple(name, OURS + "position", _integer(i))
        yield from _said(document, mention, name)
        if i in clusters:
            yield _triple(name, OURS + "cluster", _integer(clusters[i]))
    for i, relation in enumerate(gold.relations):
        name = f"<{base}#relation={i}>"
        yield _triple(name, OURS + "relationOf", context)
        yield _triple(name, OURS + "position", _integer(i))
        yield _triple(name, OURS + "head", names[relation.head])
        yield _triple(name, OURS + "tail", names[relation.tail])
        yield _triple(name, OURS + "label", _literal(relation.type))
        if relation.score is not None:
            yield _triple(name, ITS + "taConfidence", f'"{relation.score!r}"^^<{DOUBLE}>')


def answer_lines(document: Document, mentions: Iterable[Mention]) -> Iterator[str]:
    """The context of a document that was read from NIF, under its own name, with mentions as its phrases: the response
    to the sender, in the vocabulary of NIF alone."""
    base = document.id if is_uri(document.id) else DOCUMENTS + quote(document.id, safe="")
    context = f"<{base}#char=0,{len(document.text)}>"
    yield _triple(context, KIND, f"<{CORE}Context>")
    yield _triple(context, CORE + "isString", _literal(document.text))
    yield _triple(context, CORE + "beginIndex", _integer(0))
    yield _triple(context, CORE + "endIndex", _integer(len(document.text)))
    for mention in mentions:
        name = f"<{base}#char={mention.start},{mention.end}>"
        yield from _place(document, mention, name, context)
        yield from _said(document, mention, name)


def _place(document: Document, mention: Mention, name: str, context: str) -> Iterator[str]:
    yield _triple(name, KIND, f"<{CORE}Phrase>")
    yield _triple(name, CORE + "referenceContext", context)
    yield _triple(name, CORE + "beginIndex", _integer(mention.start))
    yield _triple(name, CORE + "endIndex", _integer(mention.end))
    yield _triple(name, CORE + "anchorOf", _literal(document.surface(mention)))


def _said(document: Document, mention: Mention, name: str) -> Iterator[str]:
    if mention.entity is not None:
        unknown = UNKNOWN_ENTITY + quote(document.surface(mention), safe="")
        yield _triple(name, ITS + "taIdentRef", f"<{unknown if mention.entity == NIL else to_uri(mention.entity)}>")
    if mention.type is not None:
        kind = mention.type if is_uri(mention.type) else TYPES + quote(mention.type, safe="")
        yield _triple(name, ITS + "taClassRef", f"<{kind}>")
    if mention.score is not None:
        yield _triple(name, ITS + "taConfidence", f'"{mention.score!r}"^^<{DOUBLE}>')


def _triple(subject: str, predicate: str, value: str) -> str:
    return f"{subject} <{predicate}> {value} .\n"


def _integer(value: int) -> str:
    return f'"{value}"^^<{INTEGER}>'


ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _literal(text: str) -> str:
    parts = [ESCAPES.get(c) or (c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}") for c in text]
    return '"' + "".join(parts) + '"'


def losses(document: Document) -> list[str]:
    return holdings.missing(document, HOLDS)
