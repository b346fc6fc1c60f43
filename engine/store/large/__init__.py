"""Corpora that are too large to be held as objects.

paged.py     documents read from the database when they are asked for
room.py      files computed from what a workspace keeps: keyed by content, bounded, deleted at any time
search.py    which documents have some words
casebook.py  the errors of a run, asked by conditions
shown.py     decisions that a page lists
"""
