"""The candidate entities of each mention: the given ones, else the lexicon's thirty most likely.

The prior of a pair is averaged over the sources that have the surface (Yang, Irsoy and Rahman 2018, section 4.1). A
mention whose words are part of a longer mention of a person takes the longer one's candidates: "Hendrix" after "Jimi
Hendrix". If mentions have no types, the lexicon tells which of them are persons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from engine.data.document import Document, Mention
from engine.data.errors import InputError
from engine.features.disambiguation.classes import mention_class
from engine.features.disambiguation.strings import WORD, normalise


@dataclass(frozen=True, slots=True)
class Candidate:
    title: str
    id: Any = None
    in_count: float = 0.0
    out_count: float = 0.0
    type: str | None = None
    popularity: float = 0.0
    prior: float = 0.0
    links: tuple[Any, ...] = ()


class PriorSource(Protocol):
    """A source of names, with their entities and priors."""

    def readings(self, text: str, without: str | None = None) -> Sequence[tuple[str, float]]:
        """Entities that a name in a text may mean, likeliest first, with their priors; `without` names a training
        document whose links are not counted."""
        ...

    def lexicon_prior(self, surface: str) -> Mapping[str, float]:
        """The prior without any training link."""
        ...

    def described(self, title: str) -> Candidate:
        """The entity as a candidate, with everything known about it except its prior."""
        ...

    def is_person(self, surface: str) -> bool:
        """Whether the likeliest entity of the surface is a person."""
        ...


def candidates_of(
    document: Document,
    mentions: Sequence[Mention],
    source: PriorSource,
    *,
    most: int,
    own: bool,
    given: bool = True,
) -> list[tuple[Candidate, ...]]:
    """The candidates of every mention of one document; `own` marks a training document, whose own links are not
    counted. Without `given`, candidates that come with the mentions are ignored."""
    surfaces = [normalise(document.surface(mention)) for mention in mentions]
    looked_up = _expand_persons(surfaces, mentions, source)
    written = {surface: document.surface(mention) for surface, mention in zip(surfaces, mentions, strict=True)}
    out: list[tuple[Candidate, ...]] = []
    for position, mention in enumerate(mentions):
        entries = mention.extra.get("candidates") if given else None
        if entries is not None:
            out.append(_given(entries, document.id, position, source, surfaces[position]))
        else:
            readings = source.readings(written[looked_up[position]], document.id if own else None)[:most]
            out.append(tuple(replace(source.described(title), prior=prior) for title, prior in readings))
    return out


def average(sources: Iterable[Mapping[str, float]], most: int | None = None) -> list[tuple[str, float]]:
    """p(entity | surface) averaged over the sources that have the surface, largest first, ties by title."""
    known = [source for source in sources if source]
    total: dict[str, float] = {}
    for source in known:
        for title, prior in source.items():
            total[title] = total.get(title, 0.0) + prior / len(known)
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def _expand_persons(surfaces: Sequence[str], mentions: Sequence[Mention], source: PriorSource) -> list[str]:
    """Each surface, or the longest person mention of the document that contains its words consecutively."""
    persons = sorted(
        {
            surface
            for surface, mention in zip(surfaces, mentions, strict=True)
            if mention_class(mention.type) == "PER" or (mention.type is None and source.is_person(surface))
        },
        key=lambda surface: (-len(WORD.findall(surface)), surface),
    )
    words = [(person, tuple(WORD.findall(person))) for person in persons]
    out = []
    for surface, mention in zip(surfaces, mentions, strict=True):
        own = tuple(WORD.findall(surface))
        longer = surface
        if mention.type is None or mention_class(mention.type) == "PER":
            longer = next((p for p, w in words if len(w) > len(own) and _contains(w, own)), surface)
        out.append(longer)
    return out


def _contains(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    n = len(shorter)
    return n > 0 and any(longer[i : i + n] == shorter for i in range(len(longer) - n + 1))


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and abs(value) < 1e300)


def _is_count(value: Any) -> bool:
    return _is_number(value) and (value is None or value >= 0)


def _is_name(value: Any) -> bool:
    return value is None or isinstance(value, str | int)


SOUND: Final[Mapping[str, Callable[[Any], bool]]] = {
    "id": _is_name,
    "type": lambda value: value is None or isinstance(value, str),
    **dict.fromkeys(("in_count", "out_count"), _is_count),
    **dict.fromkeys(("pop", "prior"), _is_number),
    "links": lambda value: value is None or (isinstance(value, list | tuple) and all(map(_is_name, value))),
}
"""The types of the fields of a candidate that comes with a document, which may come from anywhere."""


def _given(
    entries: Iterable[Any], document: str, position: int, source: PriorSource, surface: str
) -> tuple[Candidate, ...]:
    prior = source.lexicon_prior(surface)
    out = []
    if not isinstance(entries, list | tuple):
        raise InputError(f"document {document!r}, mention {position}: expected a list", field="candidates")
    for entry in entries:
        if isinstance(entry, str):
            out.append(replace(source.described(entry), prior=prior.get(entry, 0.0)))
            continue
        if not isinstance(entry, Mapping) or not isinstance(entry.get("title"), str):
            raise InputError(
                f"document {document!r}, mention {position}: a candidate is a title or an object with a title",
                field="candidates",
            )
        wrong = next((name for name, is_sound in SOUND.items() if not is_sound(entry.get(name))), None)
        if wrong is not None:
            raise InputError(
                f"document {document!r}, mention {position}: candidate {entry['title']!r} has no sound {wrong!r}",
                field="candidates",
            )
        # Sorted by name: PPRforNED lists the right candidate first, so the order of the file must not be used.
        out.append(
            Candidate(
                entry["title"],
                id=entry.get("id", entry["title"]),
                in_count=float(entry.get("in_count") or 0.0),
                out_count=float(entry.get("out_count") or 0.0),
                type=entry.get("type"),
                popularity=float(entry.get("pop") or 0.0),
                prior=float(entry.get("prior") or prior.get(entry["title"], 0.0)),
                links=tuple(entry.get("links") or ()),
            )
        )
    return tuple(sorted(out, key=lambda choice: choice.title))
