"""Disambiguation: which entity each given mention is, decided for the whole document at once."""
