"""Storage for corpora that are too large to be held in memory as objects.

paged.py     documents read from the database on demand
room.py      cached files computed from a workspace: keyed by content, bounded in size, deletable at any time
search.py    the search index: which documents contain some words
casebook.py  the errors of a run, queried by conditions
shown.py     lists of decisions for pages
"""
