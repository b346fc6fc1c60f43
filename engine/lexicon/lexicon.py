"""The lexicon: the entities that a name may stand for, as a memory-mapped trie of surfaces with counted postings.

A surface has postings (entity, count, tags): how often annotated texts link it to the entity, and which sources list
it. Postings of different sources are kept separate, so that a source can be dropped, or the counts of the present
document subtracted. Two more tries cover names that are not written as in the lexicon: `squeezed` finds surfaces by
their letters and digits alone, `aliases` finds well-known entities by a piece or the initials of their title.

A built lexicon is a folder of arrays and tries that are memory-mapped; a lexicon in memory has the same parts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import marisa_trie
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bytes, Ints, ShortInts
from engine.data.errors import InputError
from engine.lexicon import trial
from engine.lexicon.knowledge import KnowledgeBase
from engine.lexicon.names import Names
from engine.lexicon.sieve import OPEN, Sieve
from engine.lexicon.surfaces import fold, normalise, split_camel, squeeze, tokenise

FORMAT: Final = 1
HEADER: Final = "lexicon.json"
TRIES: Final = ("surfaces", "squeezed", "aliases", "titles")
MOST_TOKENS: Final = 7
"""Longest n-gram that is looked up."""

SEARCHED: Final = 500
"""Maximum number of names examined that begin with the typed text; short beginnings have millions."""

ALIAS_KINDS: Final = ("part", "first", "last", "initials", "place")
"""How an alias is derived from a title: words inside it, its first word, its last word, its initials, the part before
its comma."""


@dataclass(frozen=True)
class Posting:
    """One reading of a surface: the entity, its count, and its sources."""

    entity: int
    count: int
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """A stretch of text that is in the lexicon: tokens [first, last), the key, and how the key was found."""

    first: int
    last: int
    key: str
    form: str


class Lexicon:
    """Surfaces, their postings, and the knowledge base their entities are in."""

    def __init__(
        self,
        tries: Mapping[str, marisa_trie.Trie | Names],
        parts: Mapping[str, Any],
        path: Path | None = None,
        scratch: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.surfaces = tries["surfaces"]
        self.squeezed = tries["squeezed"]
        self.aliases = tries["aliases"]
        self.entities = KnowledgeBase(tries["titles"], parts)
        self.tagsets: tuple[tuple[str, ...], ...] = tuple(tuple(tags) for tags in parts["names"]["tagsets"])
        self.tags: tuple[str, ...] = tuple(sorted({tag for tags in self.tagsets for tag in tags}))
        self.offsets: Ints = parts["posting_offsets"]
        self.posting_entities: ShortInts = parts["posting_entities"]
        self.posting_counts: NDArray[np.uint32] = parts["posting_counts"]
        self.posting_tagsets: NDArray[np.uint16] = parts["posting_tagsets"]
        self.squeezed_offsets: ShortInts = parts["squeezed_offsets"]
        self.squeezed_surfaces: ShortInts = parts["squeezed_surfaces"]
        self.alias_offsets: ShortInts = parts["alias_offsets"]
        self.alias_entities: ShortInts = parts["alias_entities"]
        self.alias_kinds: Bytes = parts["alias_kinds"]
        self.sieve: Sieve = parts.get("sieve", OPEN)
        self.path = path
        # The folder of the mapped parts of a lexicon that was just built in pieces; it goes with the lexicon.
        self._scratch = scratch
        self._tries = tries
        self._parts = parts

    def __len__(self) -> int:
        return len(self.surfaces)

    def __contains__(self, surface: str) -> bool:
        return surface in self.surfaces

    @staticmethod
    def open(path: Path | str) -> Lexicon:
        """A built lexicon, mapped from its folder."""
        folder = Path(path)
        header = folder / HEADER
        if not header.is_file():
            raise InputError("this is not a built lexicon; make one with `python -m engine lexicon build`", file=folder)
        try:
            names = json.loads(header.read_text(encoding="utf-8"))
            if names.get("format") != FORMAT:
                raise InputError(
                    f"the lexicon has format {names.get('format')!r}, this version reads {FORMAT}", file=header
                )
            pieces = names.get("pieces", {})
            tries = {name: Names.mapped(str(folder / f"{name}.marisa"), pieces.get(name)) for name in TRIES}
            parts: dict[str, Any] = {
                # A plain view of the mapped file, because numpy's memmap class makes reading one number four times as
                # slow.
                file.stem: np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
                for file in sorted(folder.glob("*.npy"))
            }
            parts["names"] = names
            return Lexicon(tries, parts, folder)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"the lexicon cannot be read ({error}); build it again", file=folder) from error

    def postings(self, surface: str) -> Iterator[Posting]:
        number = self.surfaces.get(surface)
        if number is None:
            return
        for row in range(self.offsets[number], self.offsets[number + 1]):
            yield Posting(
                int(self.posting_entities[row]),
                int(self.posting_counts[row]),
                self.tagsets[self.posting_tagsets[row]],
            )

    def readings(self, surface: str, *, without: Sequence[str] = ()) -> dict[str, int]:
        """Title -> count over all sources except those in `without`, most frequent first."""
        dropped = frozenset(without)
        found: dict[str, int] = {}
        for posting in self.postings(surface):
            if not dropped.issuperset(posting.tags):
                title = self.entities.title(posting.entity)
                found[title] = found.get(title, 0) + posting.count
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def search(self, words: str, limit: int = 20) -> list[str]:
        """Titles for typed text: first those for which the words are a name, then those with a name or title that
        begins with them, each ordered by frequency."""
        typed = normalise(words)
        if not typed:
            return []
        exact: dict[str, int] = {}
        for surface, _ in self.forms(words, single=" " not in typed):
            for title, count in self.readings(surface).items():
                exact[title] = exact.get(title, 0) + count
        begun: dict[str, int] = {}
        for surface in islice(self.surfaces.iterkeys(typed), SEARCHED):
            for title, count in self.readings(surface).items():
                begun[title] = begun.get(title, 0) + count
        start = "_".join(words.split())
        for written in {start, start[:1].upper() + start[1:], start.title()}:
            for title in islice(self.entities.titles.iterkeys(written), SEARCHED):
                begun.setdefault(title, 0)
        ranked = sorted(exact, key=lambda title: (-exact[title], title))
        ranked += sorted(begun.keys() - exact.keys(), key=lambda title: (-begun[title], title))
        return ranked[:limit]

    def squeezed_matches(self, squeezed: str) -> list[str]:
        """Surfaces with exactly these letters and digits, in this order, and other characters between them."""
        number = self.squeezed.get(squeezed)
        if number is None:
            return []
        low, high = self.squeezed_offsets[number], self.squeezed_offsets[number + 1]
        return [self.surfaces.restore_key(int(i)) for i in self.squeezed_surfaces[low:high]]

    def alias_matches(self, alias: str) -> list[tuple[int, str]]:
        """Entities whose title has this piece or these initials, and the kind of the alias."""
        number = self.aliases.get(alias)
        if number is None:
            return []
        own = slice(self.alias_offsets[number], self.alias_offsets[number + 1])
        pairs = zip(self.alias_entities[own].tolist(), self.alias_kinds[own].tolist(), strict=True)
        return [(entity, ALIAS_KINDS[kind]) for entity, kind in pairs]

    def matches(self, text: str) -> list[Match]:
        """Every n-gram of the text that is a surface in one of its written forms, by position."""
        tokens = tokenise(text)
        found: list[Match] = []
        bounds = [text[start].isalnum() for start, _ in tokens]
        for first in range(len(tokens)):
            for last in range(first + 1, min(first + MOST_TOKENS, len(tokens)) + 1):
                if not (bounds[first] and bounds[last - 1]):
                    continue
                piece = text[tokens[first][0] : tokens[last - 1][1]]
                found += [Match(first, last, key, form) for key, form in self.forms(piece, single=last == first + 1)]
        return found

    def forms(self, piece: str, *, single: bool) -> list[tuple[str, str]]:
        """(surface, form) for every written form of an n-gram that is a surface; each surface once."""
        found: dict[str, str] = {}
        plain = normalise(piece)
        for form, key in written_forms(piece, plain, single=single):
            if key not in found and key in self.surfaces:
                found[key] = form
        for surface in self.squeezed_matches(squeeze(plain)):
            found.setdefault(surface, "spaceless")
        return list(found.items())

    @property
    def pieces(self) -> dict[str, int]:
        """The number of pieces of each trie that is not in one."""
        return {name: len(trie.tries) for name, trie in self._tries.items() if isinstance(trie, Names)}

    def size(self) -> int:
        """Bytes of all parts."""
        arrays = sum(part.nbytes for part in self._parts.values() if isinstance(part, np.ndarray))
        return arrays + sum(len(trie.tobytes()) for trie in self._tries.values())

    def parts(self) -> dict[str, Any]:
        """The lexicon as parts of a model file: arrays, tries as bytes, names."""
        tries = {name: trie.tobytes() for name, trie in self._tries.items()}
        trial.trust(tries, {name: len(trie) for name, trie in self._tries.items()})
        return {**self._parts, **{f"trie_{name}": content for name, content in tries.items()}}

    @staticmethod
    def from_parts(parts: Mapping[str, Any]) -> Lexicon:
        """The lexicon that `parts` took apart. Parts from a file are checked first (engine/tasks/schemas.py)."""
        tries = {name: marisa_trie.Trie().frombytes(parts[f"trie_{name}"]) for name in TRIES}
        return Lexicon(tries, {key: value for key, value in parts.items() if not key.startswith("trie_")})

    def save(self, folder: Path) -> None:
        """Write all parts; the header comes last, so that a folder with a header is complete."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HEADER).unlink(missing_ok=True)
        for earlier in folder.glob("*.marisa*"):
            earlier.unlink()
        for name, trie in self._tries.items():
            trie.save(str(folder / f"{name}.marisa"))
        for name, part in self._parts.items():
            if isinstance(part, np.ndarray):
                np.save(folder / f"{name}.npy", part, allow_pickle=False)
        told = {**self._parts["names"], "format": FORMAT, **({"pieces": self.pieces} if self.pieces else {})}
        (folder / HEADER).write_text(json.dumps(told), encoding="utf-8")

    def digest(self) -> str:
        """A hash of surfaces, titles and postings."""
        state = hashlib.sha256()
        for name in ("surfaces", "titles"):
            state.update(self._tries[name].tobytes())
        for array in (self.posting_entities, self.posting_counts, self.posting_tagsets):
            state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()[:16]


_SPELLED_OUT: Final = (
    ("us ", "united states "),
    ("u.s. ", "united states "),
    ("uk ", "united kingdom "),
    (" football club", " fc"),
    (" part ii", " part 2"),
    (" ii", " 2"),
    (" iii", " 3"),
    (" dept", " department"),
    (" & ", " and "),
    (" and ", " & "),
)
"""Abbreviations. With a space before and after: anywhere inside; only before: at the end; only after: at the start."""
ABBREVIATIONS: Final = tuple(short for short, _ in _SPELLED_OUT)
_OPENING: Final = tuple(short for short, _ in _SPELLED_OUT if not short.startswith(" "))
_CLOSING: Final = tuple(short for short, _ in _SPELLED_OUT if not short.endswith(" "))


def spelled_out(plain: str) -> list[str]:
    """The same name with a common abbreviation spelled out, or vice versa."""
    # Almost no n-gram contains one, and this is called for every n-gram of a corpus.
    if not (plain.startswith(_OPENING) or plain.endswith(_CLOSING) or " and " in plain or " & " in plain):
        return []
    changed = []
    for short, full in _SPELLED_OUT:
        if short.startswith(" ") and short.endswith(" "):
            if short in plain:
                changed.append(plain.replace(short, full))
        elif short.startswith(" "):
            if plain.endswith(short):
                changed.append(plain[: -len(short)] + full)
        elif plain.startswith(short):
            changed.append(full + plain[len(short) :])
    return changed


def written_forms(piece: str, plain: str, *, single: bool) -> list[tuple[str, str]]:
    """(form, key) under which an n-gram may be found in a lexicon, closest to the text first."""
    forms = [("plain", plain)]
    folded = fold(plain)
    if folded != plain:
        forms.append(("folded", folded))
    if single:
        split = normalise(split_camel(piece))
        if split != plain:
            forms.append(("camel", split))
        trimmed = folded.strip("_0123456789")
        if trimmed != folded and len(trimmed) > 2:
            forms.append(("trimmed", trimmed.replace("_", " ")))
    for suffix in ("'s", "s'", "'"):
        if folded.endswith(suffix):
            forms.append(("possessive", folded[: -len(suffix)].rstrip()))
            break
    if folded.endswith("s") and len(folded) > 4 and not folded.endswith("ss"):
        forms.append(("plural", folded[:-1]))
    bare = folded.replace(".", "").replace("-", " ").replace(" & ", " and ").replace(" '", "'").strip()
    if bare != folded:
        forms.append(("bare", bare))
    return forms
