"""Tweets to rows of named features: candidates, what the training corpus remembers, and the feature functions."""
