"""Runs work that consists of pieces: in this process, in several processes of this machine, or on a Dask cluster.

Work is a function of something large that all pieces share, such as a model, and of one piece, such as a block of
documents. Results come in the order of the pieces, and only some pieces are under way at a time:
the results do not depend on who did the work, and memory does not grow with the number of pieces.
"""
