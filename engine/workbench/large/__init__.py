"""Results for corpora that are too large for memory: computed once, in blocks, and kept in files for the pages.

survey.py    what a corpus is: kinds of documents, digests of texts, the search index judging.py   a block judged:
curve, scores, errors with their stages, in one scoring results.py   the stored results of a run on a corpus at a bias
steps.py     the step functions of all documents while a curve is computed flipping.py  what a run decides differently
at two biases together.py  two runs: tested over documents, and what each found and got wrong piecewise.py the same for
a corpus in memory, with progress
"""
