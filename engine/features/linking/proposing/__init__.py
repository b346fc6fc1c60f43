"""Which n-grams of a text may be names, and what each may be looked up as."""
