"""Collects facts about names and entities from dumps, in bounded memory, and writes them as the files of a lexicon.

A reader calls `name`, `redirect`, `link`, `about` and `viewed` in the order of its dump. Tables are sorted on disk, so
that names, links and views of redirects can be transferred to their target pages by merging two sorted tables.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from engine.lexicon.dumps.sorting import HELD, Fields, Sorted, joined
from engine.lexicon.surfaces import normalise, plain_title

LONGEST: Final = 200
"""Maximum number of characters of a name or title; longer ones are sentences that were marked by mistake."""

MOST_TYPES: Final = 10_000
"""Maximum number of types, the most frequent ones: misspelt infoboxes are types of a single page."""


class Facts:
    """All facts from a dump so far."""

    def __init__(self, folder: Path, held: int = HELD) -> None:
        self._table = partial(Sorted, folder, held=held)
        self._names = self._table("names")
        self._redirects = self._table("redirects")
        self._links = self._table("links")
        self._about = self._table("about")
        self._views = self._table("views")
        self._types: Counter[str] = Counter()

    def name(self, surface: str, title: str, source: str, *, counted: bool = False) -> None:
        """Add a name of a page; `counted` if a text uses it in this sense."""
        surface, title = normalise(surface), _clean(title)
        if 0 < len(surface) <= LONGEST and 0 < len(title) <= LONGEST:
            self._names.add(title, surface, source, "1" if counted else "0")

    def redirect(self, title: str, target: str) -> None:
        title, target = _clean(title), _clean(target)
        if title and target and title != target:
            self._redirects.add(title, target)
            self.name(plain_title(title), target, "redirect")

    def link(self, target: str, page: str) -> None:
        """Add a link from a page to another."""
        target, page = _clean(target), _clean(page)
        if 0 < len(target) <= LONGEST and page and target != page:
            self._links.add(target, page)

    def about(self, title: str, *, types: tuple[str, ...] = (), description: str = "") -> None:
        title = _clean(title)
        if 0 < len(title) <= LONGEST:
            self._types.update(types)
            self._about.add(title, ",".join(types), _clean(description))

    def viewed(self, title: str, views: int) -> None:
        """Add views of a page, or of a redirect to it. Pages of which nothing else is known are left out."""
        title = _clean(title)
        if views and 0 < len(title) <= LONGEST:
            self._views.add(title, str(views))

    def write(self, out: Path) -> None:
        """Write surfaces.jsonl.gz, entities.tsv.gz, descriptions.tsv.gz and links.tsv.gz to a folder, as `build` reads
        them."""
        self._write_surfaces(out / "surfaces.jsonl.gz")
        in_counts = self._table("in_counts")
        self._write_links(out / "links.tsv.gz", in_counts)
        self._write_entities(out, in_counts)

    def _write_surfaces(self, path: Path) -> None:
        by_surface = self._table("by_surface")
        for row, target in joined(iter(self._names), self._first_targets()):
            by_surface.add(row[1], target or row[0], *row[2:])
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as stream:
            for (surface,), rows in by_surface.groups(1):
                record = {"surface": surface, "entities": list(_readings(rows))}
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _write_links(self, path: Path, in_counts: Sorted) -> None:
        resolved = self._table("resolved_links")
        for (title, page), target in joined(iter(self._links), self._first_targets()):
            resolved.add(target or title, page)
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as stream:
            for (title,), rows in resolved.groups(1):
                n = 0
                # The rows are sorted by page. A page that many others link to must not be held with all of them.
                for (_, page), _ in groupby(rows):
                    if page != title:
                        stream.write(("|" if n else title + "\t") + page.replace("|", " "))
                        n += 1
                if n:
                    stream.write("\n")
                    in_counts.add(title, str(n))

    def _write_entities(self, out: Path, in_counts: Sorted) -> None:
        together = self._table("together")
        common = {name for name, _ in self._types.most_common(MOST_TYPES)}
        for title, *told in self._about:
            together.add(title, "about", *told)
        for title, n in in_counts:
            together.add(title, "links", n, "")
        for (title, viewed), target in joined(iter(self._views), self._first_targets()):
            together.add(target or title, "views", viewed, "")
        with (
            gzip.open(out / "entities.tsv.gz", "wt", encoding="utf-8", compresslevel=3) as entities,
            gzip.open(out / "descriptions.tsv.gz", "wt", encoding="utf-8", compresslevel=3) as descriptions,
        ):
            for (title,), rows in together.groups(1):
                types, description, in_count, views, known = _merged(rows, common)
                if known:
                    entities.write(f"{title}\t{in_count}\t\t\t{types}\t{views or ''}\t\n")
                if description:
                    descriptions.write(f"{title}\t{description}\n")

    def _first_targets(self) -> Iterator[Fields]:
        """(page, its target); a page with two redirects leads to the first of the two."""
        return ((title, next(iter(rows))[1]) for (title,), rows in self._redirects.groups(1))


def _clean(text: str) -> str:
    """The text as one line with single spaces, so that it can be a field of a table."""
    cleaned = " ".join(text.split())
    # The same object if nothing changed: a page with thousands of links has one title in memory.
    return text if text == cleaned else cleaned


def _readings(rows: Iterator[Fields]) -> Iterator[list[object]]:
    """[title, count, sources] of one surface; the rows are sorted by title."""
    for title, own in groupby(rows, key=itemgetter(1)):
        count, sources = 0, set()
        for _, _, source, counted in own:
            count += int(counted)
            sources.add(source)
        yield [title, count, sorted(sources)]


def _merged(rows: Iterator[Fields], common: set[str]) -> tuple[str, str, str, int, bool]:
    """Types, description and number of in-links of one entity, of each the first value; the sum of its views; and
    whether anything but views is known of it."""
    types: dict[str, None] = {}
    description = in_count = ""
    views, known = 0, False
    for _, kind, first, second in rows:
        known = known or kind != "views"
        if kind == "links":
            in_count = first
        elif kind == "views":
            views += int(first)
        else:
            types.update(dict.fromkeys(name for name in first.split(",") if name in common))
            description = description or second
    return ",".join(types), description, in_count, views, known
