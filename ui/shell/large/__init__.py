"""Pages about corpora that are too large to be held: what is computed beside them, and what is shown meanwhile.

surveys.py  what has to be known of a corpus before it is opened
results.py  what a run makes of a corpus at a bias
waiting.py  how far the work is, in the place of what it will bring
"""
