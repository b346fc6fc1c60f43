"""INCEpTION's external recommender: a CAS in, the same CAS with suggestions out."""
