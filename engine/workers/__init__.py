"""Who does work that falls into pieces: this process, several processes of this machine, or a Dask cluster.

Work is a function of something large that all pieces share, such as a model, and of one piece, such as a block of
documents. Results come in the order of the pieces, whoever made them, and only some pieces are on their way at a time:
nobody can tell from the results who did the work, and memory does not grow with the number of pieces.
"""
