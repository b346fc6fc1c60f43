"""Experiments as reported in papers: comparisons of learners over seeds, corpora, settings, shares or folds.

`plan` lists the trainings, `choosing` picks settings on dev, `running` carries out one training, `saved` keeps the
results in a folder from which an interrupted experiment resumes, `summary` turns them into the tables of a paper.
"""
