"""Work on documents in blocks: read, score, decide, count and discard, one block at a time.

Memory use depends on the block, not on the corpus. What a block contributes to the result is a `Portion`; portions are
combined in document order, so the result is the same as in one piece, whatever the size of the blocks and whichever
workers processed them (engine/workers).

    cut.py       how large blocks are
    corpus.py    documents of files
    looking.py   what must be known about all documents beforehand
    sources.py   sources of answers: a model, scores of another program, answers without scores
    portions.py  what a block contributes to the result
    journal.py   finished blocks on disk, to resume from
    running.py   blocks to portions, by the workers, with progress
    predicting.py, evaluating.py, curves.py, blaming.py, comparing.py: the kinds of work; that of a report, which
                 is made of several of them, is in engine/workbench/reporting/summary.py
"""
