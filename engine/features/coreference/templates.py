"""Feature templates by name. A template joins atoms; each arc has at most one feature per template.

Atoms: `a.` an attribute of the anaphor, `b.` of the antecedent, `p.` a comparison of the two; for non-local
templates also
`f.` and `l.`, an attribute of the first and the last mention of the antecedent's cluster, and `c.`, a fact about
that cluster (Björkelund and Kuhn 2014, section 6). Names are the atoms joined by "+", so that every feature can be
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Words
from engine.data.errors import InputError
from engine.features.coreference.attributes import ATTRIBUTES
from engine.features.coreference.texts import code
from engine.hashing import ANAPHOR, ANTECEDENT, CLUSTER, FIRST, LAST, PAIR

COMPARISONS: Final = {
    "sentences": "distance in sentences",
    "mentions": "distance in mentions",
    "near": "distance in sentences, coarse",
    "tokens": "distance in words within a sentence",
    "string": "same words without function words",
    "heads": "same head word, or same lemma of the head",
    "words": "content words shared: some, all of one, the same set",
    "match": "string, heads and words together",
    "names": "first name, last name or initials match",
    "modifiers": "modifier of the head: same, on one side, different",
    "nesting": "one mention inside the other",
    "speaker": "same speaker, another, or the turn before",
    "gender": "agreement in gender",
    "number": "agreement in number",
    "animacy": "agreement in animacy",
    "agreement": "the three together",
    "entity": "same or different entity type",
    "quotes": "in the same quotation, another, or outside",
    "said": "one is the speaker of the quotation around the other",
    "rank": "how many mentions between agree with the anaphor",
    "same_head_rank": "how many mentions between have the anaphor's head",
    "subject_rank": "how many subjects stand between",
    "arguments": "both depend on the same word",
    "persons": "grammatical persons of the two, with the speakers",
}
"""Comparison -> what it means, in the order of the kernel's columns."""

CLUSTER_FACTS: Final = {
    "size": "number of mentions so far",
    "shape": "types of its last mentions, as in RNPN",
    "start": "distance in mentions from the beginning of the document to its first mention",
    "recent": "distance in sentences from its last mention",
    "gap": "distance in mentions from its last mention",
    "genders": "genders seen in it",
    "numbers": "numbers seen in it",
    "animacies": "animacies seen in it",
    "matches": "ways in which some mention of it matches the anaphor",
    "clashes": "ways in which some mention of it clashes with the anaphor",
    "matching": "how many of its mentions have the anaphor's head",
    "types": "which of pronoun, name and common noun it has",
    "busy": "how many of its mentions stand in the last two sentences",
    "names": "whether it has a name with another head, or the same",
    "share": "share of its mentions that match the anaphor",
}
"""Cluster fact -> what it means, in the order of the kernel's columns."""

ROOT_TEMPLATES: Final = tuple(
    """
    a.kind a.type+a.seen a.kind+a.seen a.head a.lemma+a.kind a.first a.last a.form a.before a.after a.pos+a.seen
    a.around
    a.relation+a.kind a.role a.governor+a.type a.path+a.type a.agree+a.type a.entity+a.kind a.length+a.kind
    a.place+a.kind
    a.suffix+a.type a.shape+a.type a.nested+a.kind a.quoted+a.kind a.modifier+a.head a.possessed a.kind+a.before
    a.kind+a.after a.seen+a.entity a.seen+a.length+a.kind a.head+a.seen a.seen+a.relation a.first+a.head a.kind+a.role
    a.seen+a.place a.before+a.after
    """.split()
)
"""Templates of arcs from the root: is this mention new?"""

PAIR_TEMPLATES: Final = tuple(
    """
    a.kind+b.kind
    p.sentences+a.type p.sentences+a.kind+b.type p.mentions+a.type p.mentions+a.kind+b.kind p.tokens+a.kind+b.type
    p.string+a.kind+b.kind p.heads+a.type+b.type p.heads+a.kind+b.kind p.words+a.type+b.type
    p.match+a.type+b.type p.match+p.near+a.type+b.type p.match+p.entity+a.type p.match+p.modifiers+a.kind+b.kind
    p.match+a.lemma p.match+p.names+a.type+b.type p.match+a.entity+b.entity p.match+a.kind+b.kind+p.same_head_rank
    p.heads+p.modifiers+a.type p.heads+a.entity+a.kind
    p.nesting+a.kind+b.kind p.nesting+p.match+a.type+b.type
    p.speaker+a.kind+b.kind p.speaker+p.persons p.persons+p.quotes a.kind+b.kind+p.quotes p.said+a.kind+b.type
    p.agreement+a.type+b.type a.agree+b.agree p.agreement+p.near+a.kind p.agreement+p.match+a.type+b.type
    a.kind+b.agree+b.type a.entity+b.entity+a.type+b.type a.kind+b.entity+p.near
    p.rank+a.kind+b.type p.rank+p.sentences+a.type p.subject_rank+a.kind+b.relation p.same_head_rank+p.heads+a.type
    a.head+b.head a.lemma+b.lemma+p.near a.kind+b.head b.lemma+a.kind+p.near a.head+b.kind b.head+a.type
    a.first+b.first a.last+b.last a.form+b.form a.pos+b.pos a.pos+b.kind+p.near
    a.relation+b.relation+p.near a.relation+b.relation+a.kind+b.type a.path+b.path a.path+b.path+p.near
    p.arguments+a.kind+b.kind p.arguments+p.near+a.relation+b.relation
    a.role+b.role a.governor+b.governor a.governor+b.head a.role+b.lemma a.kind+b.role
    a.suffix+b.suffix+p.near a.kind+b.first+p.match a.seen+p.match+a.type
    a.modifier+b.modifier+p.heads a.nested+b.nested+p.near+a.type a.possessed+b.kind+p.near
    a.kind+b.kind+p.near+b.relation
    b.kind+b.seen b.role b.relation+b.kind b.head b.nested+b.kind b.before+b.kind b.after+b.kind b.length+b.kind
    """.split()
)
"""Templates of arcs between two mentions, local."""

CLUSTER_TEMPLATES: Final = tuple(
    """
    c.size+a.kind c.size+c.recent+a.type c.shape c.shape+a.kind c.start+a.type c.recent+a.kind c.recent+c.types+a.kind
    c.gap+a.kind+c.types c.genders+a.gender+a.kind c.numbers+a.number+a.kind c.animacies+a.animacy+a.kind
    c.matches+a.type c.matches+c.types+a.kind c.clashes+a.kind c.clashes+c.matches+a.type c.matching+c.size+a.type
    c.names+a.type c.names+c.matches+a.kind c.busy+a.kind c.busy+c.size+a.type
    f.kind+a.kind f.lemma+a.lemma f.head+a.kind f.entity+a.entity+a.type l.kind+a.kind+c.recent
    l.relation+a.relation+c.recent l.path+a.path c.share+a.type
    """.split()
)
"""Templates that look at the cluster of the antecedent so far: non-local."""


@dataclass(frozen=True)
class Templates:
    """Names of the templates in use."""

    root: tuple[str, ...] = ROOT_TEMPLATES
    pair: tuple[str, ...] = PAIR_TEMPLATES
    cluster: tuple[str, ...] = CLUSTER_TEMPLATES

    @classmethod
    def read(cls, path: str | None) -> Templates:
        """The templates in a file written by `select-features`; all templates without one."""
        if path is None:
            return cls()
        try:
            raw = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls.from_json(raw["templates"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"not a file of feature templates ({error})", file=path) from error

    @classmethod
    def from_json(cls, raw: Mapping[str, Sequence[str]]) -> Templates:
        return cls(check(raw["root"], "a"), check(raw["pair"], "abp"), check(raw["cluster"], "acfl"))

    def to_json(self) -> dict[str, list[str]]:
        return {"root": list(self.root), "pair": list(self.pair), "cluster": list(self.cluster)}


_SOURCES: Final = {"a": ANAPHOR, "b": ANTECEDENT, "p": PAIR, "f": FIRST, "l": LAST, "c": CLUSTER}
COLUMNS: Final = {name: column for column, name in enumerate(ATTRIBUTES)}
_COMPARISON_COLUMNS: Final = {name: column for column, name in enumerate(COMPARISONS)}
_FACT_COLUMNS: Final = {name: column for column, name in enumerate(CLUSTER_FACTS)}
MOST_ATOMS: Final = 4


@dataclass(frozen=True, eq=False)
class Compiled:
    """Templates as arrays for the kernels: where each atom comes from, and which column."""

    names: tuple[str, ...]
    sources: NDArray[np.int8]
    columns: NDArray[np.int16]
    seeds: Words


@lru_cache(maxsize=64)
def compile_templates(names: tuple[str, ...]) -> Compiled:
    sources = np.full((len(names), MOST_ATOMS), -1, dtype=np.int8)
    columns = np.zeros((len(names), MOST_ATOMS), dtype=np.int16)
    for row, name in enumerate(names):
        for position, (source, column) in enumerate(atoms(name)):
            sources[row, position] = source
            columns[row, position] = column
    seeds = np.array([code(name) for name in names], dtype=np.uint64)
    return Compiled(names, sources, columns, seeds)


def atoms(name: str) -> list[tuple[int, int]]:
    """(source, column) of each atom; InputError names what is wrong with an invalid name."""
    found = []
    for atom in name.split("+"):
        source, _, what = atom.partition(".")
        known = {"p": _COMPARISON_COLUMNS, "c": _FACT_COLUMNS}.get(source, COLUMNS)
        if source not in _SOURCES or what not in known:
            raise InputError(f"there is no feature atom {atom!r} (in template {name!r})")
        found.append((_SOURCES[source], known[what]))
    if len(found) > MOST_ATOMS:
        raise InputError(f"template {name!r} joins more than {MOST_ATOMS} atoms")
    return found


def explain_template(name: str) -> str:
    """A sentence for the table of features."""
    who = {"a": "anaphor", "b": "antecedent", "f": "first of the cluster", "l": "last of the cluster"}
    pieces = []
    for atom in name.split("+"):
        source, _, what = atom.partition(".")
        if source == "p":
            pieces.append(COMPARISONS[what])
        elif source == "c":
            pieces.append(f"cluster: {CLUSTER_FACTS[what]}")
        else:
            pieces.append(f"{who[source]}: {ATTRIBUTES[what]}")
    return "; ".join(pieces)


def check(names: Iterable[str], allowed: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(names)
    for name in chosen:
        sources = {source for source, _ in atoms(name)}
        if not sources <= {_SOURCES[letter] for letter in allowed}:
            raise InputError(
                f"template {name!r} uses atoms that have no meaning here; allowed are {', '.join(allowed)}"
            )
    return chosen
