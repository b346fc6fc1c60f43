"""Experiments as papers report them: learners side by side, over seeds, corpora, settings, shares or folds.

`plan` says which trainings there are, `choosing` picks settings on dev, `running` makes one of them, `saved` keeps what
was made in a folder from which an interrupted experiment goes on, `summary` turns it into the tables of a paper.
"""
