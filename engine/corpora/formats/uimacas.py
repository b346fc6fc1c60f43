"""UIMA CAS JSON 0.4, as INCEpTION exports and imports it: one document per file, or a folder of files.

Named entities (value, identifier) and custom span layers are mentions; coreference chains are clusters; features
Governor and Dependent make a relation; tokens and sentences are kept. Everything else goes back out unchanged.
Offsets in the file are UTF-16 units, as Java counts; ours are code points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.io import files, whole_json
from engine.corpora.io.folders import document_id, file_name, listed
from engine.corpora.io.names import from_uri, to_uri
from engine.corpora.io.utf16 import Utf16
from engine.corpora.records.fields import expect, optional, required
from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError

TITLE: Final = "UIMA CAS JSON"
EXTENSIONS: Final = (".cas.json",)
ABOUT: Final = "CAS JSON 0.4 of UIMA, the exchange format of INCEpTION; a folder for several documents."

RESERVED: Final = (
    *("%ID", "%TYPE", "@sofa", "begin", "end", "identifier", "@Governor", "@Dependent"),
    *("layer", "label"),
)
"""Names that custom features cannot have."""

HOLDS: Final = {
    *("types", "untyped", "links", "nil", "unlinked", "clusters", "relations", "nested", "tokens", "inside", "extra"),
}
CORE: Final = "de.tudarmstadt.ukp.dkpro.core.api."
SOFA: Final = "uima.cas.Sofa"
ENTITY: Final = CORE + "ner.type.NamedEntity"
TOKEN: Final = CORE + "segmentation.type.Token"
SENTENCE: Final = CORE + "segmentation.type.Sentence"
LINK: Final = CORE + "coref.type.CoreferenceLink"
CHAIN: Final = CORE + "coref.type.CoreferenceChain"
META: Final = CORE + "metadata.type.DocumentMetaData"
CUSTOM: Final = "webanno.custom."
RELATION: Final = CUSTOM + "EntityRelation"
UNKNOWN_ENTITY: Final = "NIL"
VIEW: Final = "_InitialView"

TYPES: Final[dict[str, dict[str, str]]] = {
    ENTITY: {"value": "uima.cas.String", "identifier": "uima.cas.String"},
    TOKEN: {},
    SENTENCE: {},
    LINK: {"next": LINK, "referenceType": "uima.cas.String", "referenceRelation": "uima.cas.String"},
    CHAIN: {"first": LINK},
    META: {"documentTitle": "uima.cas.String", "documentId": "uima.cas.String"},
    RELATION: {"Governor": ENTITY, "Dependent": ENTITY, "label": "uima.cas.String"},
}


def read(path: Path) -> Iterator[Document]:
    for file in listed(path, ".json") if path.is_dir() else [path]:
        try:
            yield _Reader(whole_json.load(file), file).document()
        except InputError as error:
            raise error.at(file) from None
        except ValueError as error:
            raise InputError(str(error), file=file) from None


def document(record: Any, name: str) -> Document:
    """The document of one CAS; `name` is its id unless the CAS contains one."""
    return _Reader(record, Path(name)).document()


class _Reader:
    """Reads one CAS: its structures by id, and the document made from them."""

    def __init__(self, record: Any, path: Path) -> None:
        expect(record, dict, "the file")
        self.path = path
        self.types = optional(record, "%TYPES", dict) or {}
        structures = record.get("%FEATURE_STRUCTURES")
        if isinstance(structures, dict):
            structures = [{"%ID": self._key(id), **expect(item, dict, id)} for id, item in structures.items()]
        self.structures: dict[int, dict[str, Any]] = {}
        for i, item in enumerate(expect(structures, list, "%FEATURE_STRUCTURES")):
            where = f"%FEATURE_STRUCTURES[{i}]"
            id = required(expect(item, dict, where), "%ID", int, where + ".")
            required(item, "%TYPE", str, where + ".")
            if id in self.structures:
                raise InputError(f"two structures have the id {id}", field=where)
            self.structures[id] = item
        self.sofa = self._sofa(record)
        self.text: str = required(self.structures[self.sofa], "sofaString", str, "Sofa.")
        self.units = Utf16(self.text)
        self.used: set[int] = {self.sofa}

    def _key(self, id: str) -> int:
        if not (id.isascii() and id.isdigit()):
            raise InputError(f"the id {id[:40]!r} is not a number", field="%FEATURE_STRUCTURES")
        return int(id)

    def _sofa(self, record: dict[str, Any]) -> int:
        view = (optional(record, "%VIEWS", dict) or {}).get(VIEW)
        named = view.get("%SOFA") if isinstance(view, dict) else None
        sofas = [id for id, item in self.structures.items() if item["%TYPE"] == SOFA]
        if named in sofas:
            return sofas[sofas.index(named)]
        if len(sofas) != 1:
            raise InputError(f"expected one text ({SOFA}), found {len(sofas)}", field="%FEATURE_STRUCTURES")
        return sofas[0]

    def document(self) -> Document:
        tokens = tuple(sorted(span for _, span in self._spans(TOKEN)))
        mentions, position = self._mentions()
        clusters = self._clusters(mentions, position)
        relations = self._relations(position)
        sentences = self._sentences(tokens)
        others = [item for id, item in self.structures.items() if id not in self.used]
        extra: dict[str, Any] = {}
        id = document_id(self.path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".cas"))
        for item in others:
            if item["%TYPE"] == META and isinstance(item.get("documentId") or item.get("documentTitle"), str):
                id = item.get("documentId") or item["documentTitle"]
        if others == [{**item, "%TYPE": META} for item in others] and all(set(i) <= _OWN_META for i in others):
            others = []
        if others:
            extra = {"structures": others, "sofa": self.structures[self.sofa]}
        if extra or set(self.types) - set(TYPES):
            extra["types"] = self.types
        layer = Layer(tuple(mentions), clusters, relations)
        return Document(id, self.text, tokens, sentences, layers={GOLD: layer}, shape="uimacas", extra=extra)

    def _spans(self, kind: str) -> Iterator[tuple[int, tuple[int, int]]]:
        for id, item in self.structures.items():
            if item["%TYPE"] == kind and (span := self._span(item)):
                self.used.add(id)
                yield id, span

    def _span(self, item: dict[str, Any]) -> tuple[int, int] | None:
        """The code points of an annotation of our text; None if it annotates another text, or none."""
        if item.get("@sofa", self.sofa) != self.sofa or "begin" not in item:
            return None
        field = f"{item['%TYPE']}, id {item['%ID']}"
        ends = [self.units.to_points(required(item, name, int, field + ".")) for name in ("begin", "end")]
        if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            raise InputError(
                f"[{item['begin']}, {item['end']}) is not a span of the text (in UTF-16 units)", field=field
            )
        return ends[0], ends[1]

    def _mentions(self) -> tuple[list[Mention], dict[int, int]]:
        mentions: list[Mention] = []
        position: dict[int, int] = {}
        for id, item in self.structures.items():
            kind = item["%TYPE"]
            if not (kind == ENTITY or kind.startswith(CUSTOM)) or "@Governor" in item:
                continue
            span = self._span(item)
            if span is None or span[0] == span[1]:
                continue
            label = next((name for name in _names(kind) if isinstance(item.get(name), str)), None)
            link = optional(item, "identifier", str, f"{kind}, id {id}.")
            known = {"%ID", "%TYPE", "@sofa", "begin", "end", label, "identifier"}
            extra = {name: value for name, value in item.items() if name not in known}
            if kind != ENTITY:
                extra["layer"] = kind.removeprefix(CUSTOM)
                if label != "value":
                    extra["label"] = label
            entity = None if link is None else NIL if link == UNKNOWN_ENTITY else from_uri(link)
            position[id] = len(mentions)
            mentions.append(Mention(*span, item[label] if label else None, entity, extra=extra))
            self.used.add(id)
        return mentions, position

    def _clusters(self, mentions: list[Mention], position: dict[int, int]) -> tuple[tuple[int, ...], ...]:
        """The clusters from chains; a link with the span of a mention is that mention, any other is a new mention."""
        free: dict[tuple[int, int], list[int]] = {}
        for i, mention in enumerate(mentions):
            free.setdefault(mention.span, []).append(i)
        clusters = []
        for id, item in list(self.structures.items()):
            if item["%TYPE"] != CHAIN:
                continue
            cluster = []
            at = item.get("@first")
            while at is not None and at not in self.used:
                link = self.structures.get(at) if isinstance(at, int) else None
                span = self._span(link) if link is not None else None
                if link is None or span is None or span[0] == span[1]:
                    raise InputError("a coreference chain names a link that is not there", field=f"{CHAIN}, id {id}")
                self.used.add(at)
                if free.get(span):
                    i = free[span].pop(0)
                else:
                    i = len(mentions)
                    kind = optional(link, "referenceType", str)
                    mentions.append(Mention(*span, kind, extra={"layer": LINK}))
                position[at] = i
                cluster.append(i)
                at = link.get("@next")
            if cluster:
                clusters.append(tuple(sorted(cluster)))
            self.used.add(id)
        return tuple(clusters)

    def _relations(self, position: dict[int, int]) -> tuple[Relation, ...]:
        relations = []
        for id, item in self.structures.items():
            head, tail = (position.get(item.get(name, -1)) for name in ("@Governor", "@Dependent"))
            if head is None or tail is None:
                continue
            kind = item["%TYPE"]
            label = next((name for name in _names(kind) if isinstance(item.get(name), str)), None)
            known = {"%ID", "%TYPE", "@sofa", "begin", "end", "@Governor", "@Dependent", label}
            extra = {name: value for name, value in item.items() if name not in known}
            if kind != RELATION:
                extra["layer"] = kind
            if label not in ("label", None):
                extra["label"] = label
            relations.append(Relation(head, tail, item[label] if label else "", extra=extra))
            self.used.add(id)
        return tuple(relations)

    def _sentences(self, tokens: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        starts = [start for start, _ in tokens]
        spans = sorted(span for _, span in self._spans(SENTENCE))
        return tuple((bisect_left(starts, start), bisect_left(starts, end)) for start, end in spans)


_OWN_META: Final = {"%ID", "%TYPE", "@sofa", "begin", "end", "documentTitle", "documentId"}


def _names(kind: str) -> tuple[str, ...]:
    """Features that hold the type of an annotation, best first."""
    return ("value",) if kind == ENTITY else ("value", "label", "kind", "type")


def write(documents: Iterable[Document], path: Path) -> None:
    """One file for a name in .json, which holds one document; else a folder."""
    if path.name.endswith((".json", ".json.gz")):
        items = list(documents)
        if len(items) != 1:
            raise InputError(f"{len(items)} documents do not fit into one CAS; name a folder", file=path)
        with files.FileBatch() as batch:
            batch.create(path).write((whole_json.dump(record(items[0])) + "\n").encode("utf-8"))
        return
    with files.new_folder(path) as folder:
        for document in documents:
            file = folder / f"{file_name(document.id)}.json"
            if file.exists():
                raise InputError(f"two documents have the id {document.id!r}", file=path)
            with files.FileBatch() as batch:
                batch.create(file).write((whole_json.dump(record(document)) + "\n").encode("utf-8"))


def record(document: Document) -> dict[str, Any]:
    """The CAS of a document."""
    kept = _structures(document)
    writer = _Writer(document, [item["%ID"] for item in kept])
    structures = [*writer.structures(), *kept]
    types = _own(document, "types") or {name: _type(name, features) for name, features in TYPES.items()}
    members = [item["%ID"] for item in structures if item["%TYPE"] != SOFA]
    return {
        "%TYPES": types,
        "%FEATURE_STRUCTURES": structures,
        "%VIEWS": {VIEW: {"%SOFA": writer.sofa, "%MEMBERS": members}},
    }


def _own(document: Document, field: str) -> dict[str, Any]:
    """What a document keeps of its original CAS; other documents may use these field names for something else."""
    found = document.extra.get(field) if document.shape == "uimacas" else None
    return found if isinstance(found, dict) else {}


def _structures(document: Document) -> list[dict[str, Any]]:
    found = document.extra.get("structures") if document.shape == "uimacas" else None
    return [item for item in found if _is_structure(item)] if isinstance(found, list | tuple) else []


def _is_structure(item: Any) -> bool:
    return isinstance(item, dict) and type(item.get("%ID")) is int and isinstance(item.get("%TYPE"), str)


def _type(name: str, features: dict[str, str]) -> dict[str, Any]:
    parent = "uima.cas.AnnotationBase" if name == CHAIN else "uima.tcas.Annotation"
    ranges = {feature: {"%NAME": feature, "%RANGE": kind} for feature, kind in features.items()}
    return {"%NAME": name, "%SUPER_TYPE": parent, **ranges}


class _Writer:
    """Writes the structures of a document, with ids that differ from those of the kept structures."""

    def __init__(self, document: Document, taken: list[int]) -> None:
        self.document = document
        self.units = Utf16(document.text)
        sofa = _own(document, "sofa")
        self.sofa = sofa["%ID"] if _is_structure(sofa) else max(taken, default=0) + 1
        self._last = max([*taken, self.sofa])

    def structures(self) -> Iterator[dict[str, Any]]:
        document = self.document
        first = {"%ID": self.sofa, "%TYPE": SOFA, "sofaNum": 1, "sofaID": VIEW, "mimeType": "text/plain"}
        sofa = _own(document, "sofa")
        yield {**(sofa if _is_structure(sofa) else first), "sofaString": document.text}
        if not any(item["%TYPE"] == META for item in _structures(document)):
            title = {"documentTitle": document.id, "documentId": document.id}
            yield self._annotation(META, 0, len(document.text), title)
        for start, end in document.tokens:
            yield self._annotation(TOKEN, start, end)
        for a, b in document.sentences:
            if a < b:
                yield self._annotation(SENTENCE, *document.char_range(a, b))
        ids: list[int] = []
        clusters = document.gold.cluster_of()
        for i, mention in enumerate(document.gold.mentions):
            if mention.extra.get("layer") == LINK and i in clusters:
                ids.append(-1)
                continue
            item = self._mention(mention)
            ids.append(item["%ID"])
            yield item
        for cluster in document.gold.clusters:
            yield from self._chain(cluster, ids)
        for relation in document.gold.relations:
            yield self._relation(relation, ids)

    def _annotation(self, kind: str, start: int, end: int, features: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self._last += 1
        place = {"begin": self.units.to_units(start), "end": self.units.to_units(end)}
        return {"%ID": self._last, "%TYPE": kind, "@sofa": self.sofa, **place, **(features or {})}

    def _mention(self, mention: Mention) -> dict[str, Any]:
        layer = _name(mention.extra, "layer")
        kind = ENTITY if layer is None else CUSTOM + layer
        item = self._annotation(kind, mention.start, mention.end, _features(mention.extra))
        if mention.type is not None:
            item[_name(mention.extra, "label") or "value"] = mention.type
        if mention.entity is not None:
            item["identifier"] = UNKNOWN_ENTITY if mention.entity == NIL else to_uri(mention.entity)
        return item

    def _chain(self, cluster: tuple[int, ...], ids: list[int]) -> Iterator[dict[str, Any]]:
        links = []
        for i in cluster:
            mention = self.document.gold.mentions[i]
            link = self._annotation(LINK, mention.start, mention.end)
            if mention.extra.get("layer") == LINK:
                ids[i] = link["%ID"]
                if mention.type is not None:
                    link["referenceType"] = mention.type
            links.append(link)
        for before, after in pairwise(links):
            before["@next"] = after["%ID"]
        yield from links
        self._last += 1
        yield {"%ID": self._last, "%TYPE": CHAIN, "@sofa": self.sofa, "@first": links[0]["%ID"]}

    def _relation(self, relation: Relation, ids: list[int]) -> dict[str, Any]:
        tail = self.document.gold.mentions[relation.tail]
        kind = _name(relation.extra, "layer") or RELATION
        item = self._annotation(kind, tail.start, tail.end, _features(relation.extra))
        label = _name(relation.extra, "label") or "label"
        return {**item, "@Governor": ids[relation.head], "@Dependent": ids[relation.tail], label: relation.type}


def _features(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Extra fields as features; those whose names have a meaning in a CAS are lost."""
    return {name: value for name, value in extra.items() if name not in RESERVED and not name.startswith("#")}


def _name(extra: Mapping[str, Any], field: str) -> str | None:
    """The layer or label from the original CAS; other formats may use these field names for something else."""
    found = extra.get(field)
    return found if isinstance(found, str) and found and found not in ("begin", "end") else None


def losses(document: Document) -> list[str]:
    found = holdings.missing(document, HOLDS)
    gold = document.gold
    spans = [mention.span for mention in gold.mentions]
    if gold.clusters and len(set(spans)) < len(spans):
        found.append("which of two mentions of one span is in a cluster")
    if any(a == b for a, b in document.tokens) or any(a == b for a, b in document.sentences):
        found.append("empty tokens and sentences")
    if document.shape != "uimacas" and holdings.has_further(document):
        found.append("further fields")
    return found
