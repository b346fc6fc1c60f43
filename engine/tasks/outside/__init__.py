"""Scores and answers of other programs: reading and writing them, and runs made of them."""
