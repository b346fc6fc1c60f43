"""Turns tweets into rows of named features: candidates, counts of the training corpus, and the feature functions."""
