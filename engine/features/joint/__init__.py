"""Features of entity mentions and of ordered pairs of them, after Roth and Yih (2004), section 4 and table 1.

Features of an entity: a window of words and tags around it with their conjunctions, its own words, affixes, case,
length and list entries, and those of the mentions beside it. Features of a pair: both arguments, the words between and
around them, and argument patterns such as "arg1 , arg2", "arg1 ... a native of arg2", "arg2 title arg1". A feature is a
readable name that is on or off. The relation classifier of the pipeline also sees the types predicted for entities:
`typed_features`.
"""
