"""Results for corpora that are too large for memory: computed once, in blocks, and kept in files for the pages.

survey.py    a corpus as a whole: kinds of documents, digests of texts, the search index
judging.py   evaluation of a block: curve, scores, errors with their stages, scored once
results.py   the stored results of a run on a corpus at a bias
steps.py     the step functions of all documents while a curve is computed
flipping.py  decisions of a run that differ between two biases
together.py  two runs: tested over documents, and what each found and got wrong
piecewise.py the same for a corpus in memory, with progress
"""
