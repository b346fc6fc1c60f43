"""Texts and names as candidates and features read them: tokens, their columns, words, how alike strings are."""
