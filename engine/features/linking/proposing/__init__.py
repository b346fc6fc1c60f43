"""Proposes the n-grams of a text that may be names, and the forms under which each is looked up."""
