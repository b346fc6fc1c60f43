"""Work over documents in blocks: read, score, decide, count and forget, a block at a time.

Memory depends on the block, not on the corpus. What a block adds to the result is a `Portion`; portions are taken
together in the order of the documents, so the result is that of one piece, whatever the size of the blocks, and whoever
worked on them (engine/workers).

    corpus.py    documents of files in blocks, and what has to be known of all of them beforehand
    sources.py   where answers come from: a model, scores of another program, answers
    portions.py  what a block adds to the result
    journal.py   finished blocks on disk, to go on from
    running.py   blocks to portions, by whoever works, with progress
    predicting.py, evaluating.py, curves.py, blaming.py, comparing.py: the works
"""
