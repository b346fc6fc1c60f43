"""Features for distant relations: named features of a bag's members and of its pair; and the construction of bags.

In the style of Mintz et al. (2009) and Riedel et al. (2010): words between the entities, windows beside them, their
order and types, part-of-speech sequence and dependency path if the corpus has them, and the entity strings themselves.
Corpora with their own features (`Member.features`) use those instead.
"""
