"""What pages show of corpora that are too large to be held: computed once, in blocks, and kept in files.

survey.py    what a corpus is: kinds of documents, digests of texts, the search index
judging.py   a block judged: curve, scores, errors with their stages, in one scoring
results.py   what a run makes of a corpus at a bias, as it is kept
steps.py     the step functions of all documents while a curve is computed
flipping.py  what a run decides differently at two biases
together.py  two runs: tested over documents, and who found and said what
piecewise.py the same for a corpus in memory, so that whoever waits hears how far it is
"""
