"""Formats whose files are tables: a row for a mention or a document."""
